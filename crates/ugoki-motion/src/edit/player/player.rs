//! A character that is being played: one pose per tick, targets and wishes at any time.

use std::sync::Arc;

use glam::{Quat, Vec3, Vec3A};
use ugoki_base::math::{exp, log};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::Side;

use super::foot::{Doing, Foot};
use super::hips::Hips;
use super::inertialize::{Fade, Mend, Off};
use super::interpolate::{Between, turn_by};
use super::pace::{Pace, rate};
use super::place::Place;
use super::reach::{Leg, within_reach};
use super::repertoire::Repertoire;
use super::source::Source;
use super::stand::{Footfall, Stand};
use crate::edit::walk::WalkError;
use crate::edit::{EditError, GroundFrame};
use crate::reconstruct::{Residual, Scratch, Target, rebuild_into};

/// One character's state; what it plays is shared.
#[derive(Debug, Clone)]
pub struct Player {
    repertoire: Arc<Repertoire>,
    segment: usize,
    /// In frames of the segment's source.
    time: f64,
    pace: Pace,
    /// How fast the step under way is taken, against the pace that its length gives.
    tempo: f32,
    feet: [Foot; 2],
    hips: Hips,
    /// Offsets of all joints' rotations after a transition, until the time beside them.
    joints: Vec<Off>,
    joints_fade: Fade,
    wish: Option<usize>,
    finished: bool,
}

/// Buffers of one thread's players.
#[derive(Debug, Clone)]
pub struct PlayerScratch {
    pose: Pose,
    model: ModelPose,
    out: ModelPose,
    rebuild: Scratch,
    /// How far the hips are under where the feet's placements carry them, metres.
    pub(crate) sunk_m: f32,
}

impl PlayerScratch {
    /// Buffers for players of a repertoire.
    #[must_use]
    pub fn new(repertoire: &Repertoire) -> Self {
        let mut pose = repertoire.sources[0].room();
        let room = repertoire.sources.iter().map(|source| source.room().translations.capacity()).max();
        pose.translations.reserve(room.unwrap_or(0));
        let mut model = ModelPose::default();
        forward_kinematics_into(&repertoire.sources[0].skeleton, &pose, &mut model);
        Self { pose, out: model.clone(), model, rebuild: Scratch::new(&repertoire.frame), sunk_m: 0.0 }
    }
}

/// What happened in a tick.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tick {
    /// Whether the left and the right foot came to stand.
    pub landed: [bool; 2],
    /// What the body could not reach, metres.
    pub residual: Residual,
    /// Whether the motion is over: nothing follows the segment.
    pub finished: bool,
}

/// Where hips and ankles are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Handles {
    pub(crate) hips: (Vec3, Quat),
    pub(crate) feet: [(Vec3, Quat); 2],
}

/// Time over which joints' rotations run together after a transition, seconds: most of a step.
const JOINTS_S: f64 = 0.35;
/// Shortest time over which hips run together, seconds.
const HIPS_S: f64 = 0.2;
/// Grounds nearer than this are one, metres.
const SAME_GROUND_M: f32 = 0.02;
/// Step of the differences that give speeds, seconds.
const SPEED_S: f64 = 0.002;
/// Frames a foot must still have to go for its target to change: two make a path that can end anywhere.
const LEAST_FRAMES: f64 = 2.0;
/// Share of a step within which its pace is reached.
const PACE_SHARE: f64 = 0.5;
/// Events in one tick at most: guards against a tick over many seconds.
const MAX_EVENTS: usize = 4096;

impl Player {
    /// A player at the start of a segment, its source moved by `place`.
    ///
    /// # Errors
    /// When there is no such segment.
    pub fn new(repertoire: Arc<Repertoire>, segment: usize, place: GroundFrame) -> Result<Self, WalkError> {
        let count = repertoire.segments.len();
        let Some(at) = repertoire.segments.get(segment) else {
            return Err(WalkError::NoSegment { segment, segments: count });
        };
        let frame = at.from as f64;
        Ok(Self::at_frame(repertoire, segment, frame, place))
    }

    /// A player at any frame of a segment.
    pub(crate) fn at_frame(
        repertoire: Arc<Repertoire>,
        segment: usize,
        time: f64,
        place: GroundFrame,
    ) -> Self {
        let shared = repertoire.clone();
        let source = &shared.sources[shared.segments[segment].source];
        let place = Place::from(place);
        let foot = |side: usize| {
            let feet = &source.feet[side];
            let stance = feet.stance_before(time);
            let stands = stance.is_some_and(|i| feet.stands(i, time));
            let shown = stance.or((!feet.stances.is_empty()).then_some(0)).map(|i| &feet.stances[i]);
            let stand = match shown {
                Some(stance) => {
                    Stand::moved(place, stance, place.point(stance.ankle).y - feet.rest_m(stance))
                }
                None => Stand::still(place),
            };
            Foot {
                side,
                stance,
                stand,
                next: stand,
                doing: if stands { Doing::Stands } else { Doing::Free },
                follows: false,
                wish: None,
                wider_m: 0.0,
                mend: Mend::NONE,
            }
        };
        let feet = [foot(0), foot(1)];
        let joints = vec![Off::default(); source.skeleton.num_joints()];
        let hips = Hips::new(source, place, time);
        let mut player = Self {
            repertoire,
            segment,
            time,
            pace: Pace::steady(1.0),
            tempo: 1.0,
            feet,
            hips,
            joints,
            joints_fade: Fade::default(),
            wish: None,
            finished: false,
        };
        player.find_targets(source);
        for side in 0..2 {
            if player.feet[side].doing == Doing::Free {
                let other = player.feet[1 - side];
                player.feet[side].lift(source, None, &other);
            }
        }
        player.aim_hips(source, None);
        player.hips.leave_plainly();
        player.set_pace(source);
        player.pace = Pace::steady(player.pace.to);
        player
    }

    /// The segment being played.
    #[must_use]
    pub fn segment(&self) -> usize {
        self.segment
    }

    /// The shared part.
    #[must_use]
    pub fn repertoire(&self) -> &Arc<Repertoire> {
        &self.repertoire
    }

    /// Whether heel and toe of a foot stand now.
    #[must_use]
    pub fn contacts(&self, side: Side) -> [bool; 2] {
        let source = self.source();
        let frames = Between::new(self.time, source.num_frames);
        let feet = &source.feet[index(side)];
        let (from, to) = (feet.holds[frames.frames[1]], feet.holds[frames.frames[2]]);
        [0, 1].map(|point: usize| from[point] && (frames.exact || to[point]))
    }

    /// Where the foot stands, or will land as things are: its ankle, metres, its heading, radians to the left of +Z.
    #[must_use]
    pub fn footfall(&self, side: Side) -> Footfall {
        let foot = &self.feet[index(side)];
        let feet = foot.source(self.source());
        let (stand, stance) = match foot.doing {
            Doing::Stands => (&foot.stand, foot.stance),
            _ => (&foot.next, Some(foot.next_stance())),
        };
        let heading = stance.and_then(|i| feet.stances.get(i)).map(|stance| stance.heading + stand.place.yaw);
        Footfall { place: stand.ankle.with_y(stand.ground), heading }
    }

    /// Height of the ankle over the ground in the stance that a foot is in or has left, metres.
    pub(crate) fn rest_m(&self, side: Side) -> f32 {
        let stand = &self.feet[index(side)].stand;
        stand.ankle.y - stand.ground
    }

    /// Height of the toe over the ground in the middle of the stance that a foot is in, when its heel never stands there, metres.
    pub(crate) fn toe_rest_m(&self, side: Side) -> Option<f32> {
        let foot = &self.feet[index(side)];
        let feet = foot.source(self.source());
        let stance = &feet.stances[foot.stance?];
        let lever = feet.track.rotation[stance.middle] * feet.track.toe;
        let toe = !stance.flat && feet.holds[stance.middle][1];
        toe.then_some(foot.stand.ankle.y + lever.y - foot.stand.ground)
    }

    /// Whether the foot is off the ground.
    #[must_use]
    pub fn swings(&self, side: Side) -> bool {
        self.feet[index(side)].doing != Doing::Stands
    }

    /// Asks for the next footfall of a foot, also while it is in the air: place and velocity go on without a jump.
    ///
    /// # Errors
    /// When a number is not finite, or the foot is about to land.
    pub fn put(&mut self, side: Side, wish: Footfall) -> Result<(), WalkError> {
        if !wish.place.is_finite() || wish.heading.is_some_and(|heading| !heading.is_finite()) {
            return Err(WalkError::NotFinite);
        }
        self.change(side, Some(wish))
    }

    /// Lets the foot land where the source has it.
    ///
    /// # Errors
    /// When the foot is about to land.
    pub fn let_be(&mut self, side: Side) -> Result<(), WalkError> {
        self.change(side, None)
    }

    fn change(&mut self, side: Side, wish: Option<Footfall>) -> Result<(), WalkError> {
        let shared = self.repertoire.clone();
        let source = &shared.sources[shared.segments[self.segment].source];
        let foot = &mut self.feet[index(side)];
        if let (Doing::Swings(_), Some((_, lands))) = (foot.doing, foot.next_landing(source))
            && lands - self.time < LEAST_FRAMES
        {
            let error = EditError::TooLate { sample: self.time as usize, last: lands as usize };
            return Err(WalkError::Edit(error));
        }
        if foot.wish == wish {
            return Ok(());
        }
        foot.wish = wish;
        self.replan(source);
        Ok(())
    }

    /// Takes the step under way slower than its length asks for; until told otherwise.
    pub(crate) fn take_time(&mut self, tempo: f32) {
        if self.tempo != tempo {
            self.tempo = tempo;
            let shared = self.repertoire.clone();
            self.set_pace(&shared.sources[shared.segments[self.segment].source]);
        }
    }

    /// Leads the next swing of a foot farther round the other leg, metres; to be told before its footfall is asked for.
    pub(crate) fn go_round(&mut self, side: Side, wider_m: f32) {
        self.feet[index(side)].wider_m = wider_m;
    }

    /// Asks for a segment; it is reached over the transitions there are, as soon as they allow, and then left as it
    /// goes on by itself.
    ///
    /// # Errors
    /// When there is no such segment or no way to it.
    pub fn request(&mut self, segment: usize) -> Result<(), WalkError> {
        let shared = &self.repertoire;
        let count = shared.segments.len();
        if segment >= count {
            return Err(WalkError::NoSegment { segment, segments: count });
        }
        if shared.towards(self.segment, segment).is_none() {
            let name = |i: usize| shared.segments[i].name.clone();
            return Err(WalkError::NoWay { from: name(self.segment), to: name(segment) });
        }
        self.wish = Some(segment);
        Ok(())
    }

    /// Forgets the segment asked for: what follows follows.
    pub fn go_on(&mut self) {
        self.wish = None;
    }

    /// Whether the motion is over: nothing follows its last segment.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Where the player is in its segment's source, in frames.
    pub(crate) fn time(&self) -> f64 {
        self.time
    }

    /// Goes on by `seconds` and gives the pose then.
    ///
    /// # Panics
    /// If scratch or pose are of another repertoire.
    pub fn tick(&mut self, seconds: f64, scratch: &mut PlayerScratch, out: &mut Pose) -> Tick {
        let landed = self.advance(seconds);
        let residual = self.pose_into(scratch, out);
        Tick { landed, residual, finished: self.finished }
    }

    /// Goes on without posing; gives the feet that landed.
    pub(crate) fn advance(&mut self, seconds: f64) -> [bool; 2] {
        let shared = self.repertoire.clone();
        let mut landed = [false; 2];
        let mut left_s = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
        for _ in 0..MAX_EVENTS {
            let segment = &shared.segments[self.segment];
            let source = &shared.sources[segment.source];
            let speed = source.fps * f64::from(self.pace.at(self.time));
            let goal = whole(self.time + left_s * speed);
            let events = [0, 1].map(|side| self.feet[side].next_event(source));
            let event = events[0].min(events[1]).min(segment.to as f64);
            if goal < event || self.finished {
                self.time = if self.finished { self.time } else { goal };
                break;
            }
            left_s = (left_s - (event - self.time).max(0.0) / speed).max(0.0);
            self.time = event;
            let mut stepped = false;
            for side in 0..2 {
                if events[side] > event {
                    continue;
                }
                if self.feet[side].doing == Doing::Stands {
                    let other = self.feet[1 - side];
                    self.feet[side].lift(source, None, &other);
                } else {
                    let step = !source.feet[side].stances[self.feet[side].next_stance()].shuffle;
                    self.feet[side].land(source);
                    landed[side] |= step;
                    stepped |= step;
                }
            }
            if stepped {
                self.hips.go_on(source);
                self.find_targets(source);
                self.aim_hips(source, None);
                self.set_pace(source);
            }
            if self.time >= segment.to as f64 {
                self.follow(&shared);
            }
        }
        landed
    }

    /// Goes to the segment that follows.
    fn follow(&mut self, shared: &Repertoire) {
        let wished = self.wish.and_then(|wish| shared.towards(self.segment, wish));
        let Some(next) = wished.or(shared.follows[self.segment]) else {
            self.finished = true;
            return;
        };
        if self.wish == Some(next) {
            self.wish = None;
        }
        let (a, b) = (&shared.segments[self.segment], &shared.segments[next]);
        if a.source == b.source && a.to == b.from {
            self.segment = next;
        } else {
            self.jump(shared, next);
        }
    }

    /// Leaves the source at this cut and enters another one: feet that stand stay exactly, all else runs together.
    fn jump(&mut self, shared: &Repertoire, next: usize) {
        let old = &shared.sources[shared.segments[self.segment].source];
        let segment = &shared.segments[next];
        let new = &shared.sources[segment.source];
        let Some(cut) = segment.enter else { return };
        let (at, pace) = (segment.from as f64, f64::from(self.pace.at(self.time)));
        let steps = [old, new].map(|source| SPEED_S * source.fps * pace);
        let before = [self.handles(old, self.time), self.handles(old, self.time + steps[0])];
        // Joints: the turn from the new source to the old one, and how fast it changes.
        let times = [self.time, self.time + steps[0], at, at + steps[1]];
        let [a, b] = [times[0], times[1]].map(|time| Between::new(time, old.num_frames));
        let [c, d] = [times[2], times[3]].map(|time| Between::new(time, new.num_frames));
        let until = at + JOINTS_S * new.fps * pace;
        let fade = self.joints_fade;
        for (joint, off) in self.joints.iter_mut().enumerate() {
            let turn = |time: f64, from: &Between, to: &Between| {
                let mended = if fade.is_over(time) { Vec3A::ZERO } else { off.at(fade.weights(time)) };
                let was = old.rotation(joint, from) * exp(mended.into());
                Vec3A::from(log(new.rotation(joint, to).inverse() * was))
            };
            let (by, then) = (turn(times[0], &a, &c), turn(times[1], &b, &d));
            *off = Off { by, speed: (then - by) / steps[1] as f32 };
        }
        self.joints_fade = Fade::new(at, until);
        let entered = &new.cuts[cut];
        let standing = entered.foot;
        for side in [standing, 1 - standing] {
            let toe = new.feet[side].track.toe;
            let base = self.feet[standing].stand;
            let foot = &mut self.feet[side];
            foot.stance = entered.stances[side];
            foot.mend = Mend::NONE;
            let stance = entered.stances[side].map(|i| &new.feet[side].stances[i]);
            match stance {
                Some(stance) if entered.stands[side] => {
                    foot.stand =
                        Stand::joined(new.feet[side].at(at), before[0].feet[side], stance, &foot.stand, toe);
                    foot.doing = Doing::Stands;
                }
                _ => {
                    foot.stand = Stand::still(base.place);
                    foot.stand.ground = base.ground;
                    foot.doing = Doing::Free;
                }
            }
        }
        self.segment = next;
        self.time = at;
        self.hips = Hips::new(new, self.feet[standing].stand.place, at);
        self.find_targets(new);
        if !entered.stands[1 - standing] {
            let other = self.feet[standing];
            self.feet[1 - standing].lift(new, Some(cut), &other);
        }
        self.aim_hips(new, Some(at));
        self.hips.leave_plainly();
        self.set_pace(new);
        let after = [self.handles(new, at), self.handles(new, at + steps[1])];
        self.mend(new, &before, &after, steps[1]);
    }

    /// Finds targets and bends anew after a wish changed, without a jump.
    fn replan(&mut self, source: &Source) {
        let step = SPEED_S * source.fps;
        let times = [self.time, self.time + step];
        let before = times.map(|time| self.handles(source, time));
        self.find_targets(source);
        for side in 0..2 {
            let other = self.feet[1 - side];
            self.feet[side].aim(source, &other);
            self.feet[side].mend = Mend::NONE;
        }
        let middle = (self.hips.middle <= self.hips.from).then_some(self.hips.from);
        self.aim_hips(source, middle);
        self.hips.mend = Mend::NONE;
        self.set_pace(source);
        let after = times.map(|time| self.handles(source, time));
        self.mend(source, &before, &after, step);
    }

    /// Takes up what differs between two ways to go on, given now and a step ahead.
    fn mend(&mut self, source: &Source, before: &[Handles; 2], after: &[Handles; 2], step: f64) {
        let now = self.time;
        let mend = |was: [(Vec3, Quat); 2], is: [(Vec3, Quat); 2], until: f64| {
            let place = [0, 1].map(|i| was[i].0 - is[i].0);
            let turn = [0, 1].map(|i| log(is[i].1.inverse() * was[i].1));
            let [place, turn] =
                [place, turn].map(|x| Off { by: x[0].into(), speed: Vec3A::from(x[1] - x[0]) / step as f32 });
            Mend { fade: Fade::new(now, until), place, turn }
        };
        for side in 0..2 {
            let foot = &mut self.feet[side];
            let pairs = [before, after].map(|handles| [0, 1].map(|i: usize| handles[i].feet[side]));
            let lands = foot.next_landing(source).map_or(now + HIPS_S * source.fps, |landing| landing.1);
            if foot.doing != Doing::Stands {
                foot.mend = mend(pairs[0], pairs[1], lands);
            }
        }
        let pairs = [before, after].map(|handles| [0, 1].map(|i: usize| handles[i].hips));
        let until = self.hips.to.max(now + HIPS_S * source.fps);
        self.hips.mend = mend(pairs[0], pairs[1], until);
    }

    /// Where both feet land next: as wished, or as the source steps from where the other foot stands.
    fn find_targets(&mut self, source: &Source) {
        let landings = [0, 1].map(|side| self.feet[side].next_landing(source));
        let time = |side: usize| landings[side].map_or(f64::INFINITY, |landing| landing.1);
        let first = usize::from(time(1) < time(0));
        for side in [first, 1 - first] {
            // The second foot steps from where the first one lands.
            let other = &self.feet[1 - side];
            let (from, below) = if side == first {
                (other.stand, other.stance)
            } else {
                (other.next, landings[1 - side].map(|landing| landing.0))
            };
            let level = below.map_or(0.0, |i| other.source(source).stances[i].level);
            let foot = &mut self.feet[side];
            let Some((next, _)) = landings[side] else {
                foot.next = foot.stand;
                continue;
            };
            let feet = foot.source(source);
            let stance = &feet.stances[next];
            let default = || {
                let at = from.place.point(stance.ankle);
                let ground = from.ground + stance.level - level;
                Footfall { place: at.with_y(ground), heading: None }
            };
            let wish = foot.wish.unwrap_or_else(default);
            foot.next = Stand::wished(feet, stance, &wish, from.place.yaw);
            let off = |ground: f32| (from.ground - ground).abs();
            foot.follows = off(foot.next.ground) + SAME_GROUND_M < off(foot.stand.ground);
        }
    }

    fn aim_hips(&mut self, source: &Source, middle: Option<f64>) {
        let under = |foot: &Foot| {
            let stance = foot.stance.filter(|_| foot.doing == Doing::Stands)?;
            let middle = foot.source(source).stances[stance].middle as f64;
            (middle > self.hips.from).then_some(middle)
        };
        let landings = [0, 1].map(|side| self.feet[side].next_landing(source).map_or(f64::INFINITY, |l| l.1));
        let standing = usize::from(landings[0] <= landings[1]);
        let middle = middle.or(under(&self.feet[standing]));
        let feet = self.feet;
        self.hips.aim(source, &feet, middle);
    }

    /// The pace of the step to the next footfall.
    fn set_pace(&mut self, source: &Source) {
        let landings = [0, 1].map(|side| self.feet[side].next_landing(source));
        let time = |side: usize| landings[side].map_or(f64::INFINITY, |landing| landing.1);
        let lands = usize::from(time(1) < time(0));
        let (Some((next, to)), Some(other)) = (landings[lands], self.feet[1 - lands].stance) else { return };
        let captured = (source.feet[lands].stances[next].ankle - source.feet[1 - lands].stances[other].ankle)
            .with_y(0.0)
            .length();
        let wished = (self.feet[lands].next.ankle - self.feet[1 - lands].stand.ankle).with_y(0.0).length();
        let now = self.pace.at(self.time);
        self.pace = Pace {
            from: now,
            to: self.tempo * rate(wished, captured, source.leg_m[0]),
            start: self.time,
            end: self.time + PACE_SHARE * (to - self.time),
        };
    }

    fn source(&self) -> &Source {
        &self.repertoire.sources[self.repertoire.segments[self.segment].source]
    }

    fn handles(&self, source: &Source, time: f64) -> Handles {
        let [hips, left, right] = self.edited_at(source, time);
        Handles { hips, feet: [left, right] }
    }

    /// Hips and ankles at `time`; written where the caller wants them, because copies of twelve bytes at a time are slow to read again.
    #[inline]
    fn edited_at(&self, source: &Source, time: f64) -> [(Vec3, Quat); 3] {
        let between = Between::new(time, source.num_frames);
        let (hips, turn) = self.hips.at_frames(source, &between, time);
        let (left, left_turn) = self.feet[0].at_frames(source, &between, time);
        let (right, right_turn) = self.feet[1].at_frames(source, &between, time);
        [(hips.into(), turn), (left.into(), left_turn), (right.into(), right_turn)]
    }

    /// Hips and ankles now, within reach of each other; `model` is the source's pose.
    fn reaching(&self, source: &Source, model: &ModelPose) -> (Handles, f32) {
        let mut handles = self.handles(source, self.time);
        let base = self.repertoire.joints[0];
        let turn = handles.hips.1 * model.rotations[base].inverse();
        let between = Between::new(self.time, source.num_frames);
        let legs = [0, 1].map(|side: usize| {
            let joint = model.positions[source.toes.feet[side].upper];
            let captured = joint.distance(source.feet[side].at_frames(&between).0.into());
            Leg {
                hip: handles.hips.0 + turn * (joint - model.positions[base]),
                ankle: handles.feet[side].0,
                captured: captured.min(source.leg_m[side]),
                length: source.leg_m[side],
                stands: self.feet[side].leans(source, self.time),
            }
        });
        let (sinks, ankles) = within_reach(legs);
        handles.hips.0.y -= sinks;
        handles.feet[0].0 = ankles[0];
        handles.feet[1].0 = ankles[1];
        (handles, sinks - self.hips.height(self.time))
    }

    /// Hips and ankles as edited, now.
    #[must_use]
    pub fn edited(&self) -> [(Vec3, Quat); 3] {
        self.edited_at(self.source(), self.time)
    }

    /// The pose now.
    ///
    /// # Panics
    /// If scratch or pose are of another repertoire.
    pub fn pose_into(&self, scratch: &mut PlayerScratch, out: &mut Pose) -> Residual {
        let source = self.source();
        let between = Between::new(self.time, source.num_frames);
        source.pose_into(&between, &mut scratch.pose);
        if !self.joints_fade.is_over(self.time) {
            let weights = self.joints_fade.weights(self.time);
            for (q, off) in scratch.pose.rotations.iter_mut().zip(&self.joints) {
                *q = (*q * turn_by(off.at(weights))).normalize();
            }
        }
        forward_kinematics_into(&source.skeleton, &scratch.pose, &mut scratch.model);
        let (Handles { hips, feet }, sunk_m) = self.reaching(source, &scratch.model);
        scratch.sunk_m = sunk_m;
        let target = |(position, rotation): (Vec3, Quat), holds: bool| Target {
            position,
            rotation: Some(rotation),
            holds,
        };
        let stands = [0, 1].map(|side: usize| self.feet[side].doing == Doing::Stands);
        let targets = [target(hips, false), target(feet[0], stands[0]), target(feet[1], stands[1])];
        let residual = rebuild_into(
            &self.repertoire.frame,
            &scratch.model,
            &targets,
            &mut scratch.rebuild,
            &mut scratch.out,
        );
        out.root = scratch.out.positions[0];
        out.rotations.clear();
        out.rotations.extend(source.skeleton.joints().iter().enumerate().map(|(joint, node)| {
            let world = scratch.out.rotations[joint];
            node.parent.map_or(world, |parent| scratch.out.rotations[parent].inverse() * world)
        }));
        out.translations.clear();
        out.translations.extend_from_slice(&scratch.pose.translations);
        residual
    }
}

/// A time that is a frame but for rounding, as that frame.
fn whole(time: f64) -> f64 {
    let near = time.round();
    if (time - near).abs() < 1e-6 { near } else { time }
}

/// 0 for the left, 1 for the right.
pub(crate) fn index(side: Side) -> usize {
    usize::from(side == Side::Right)
}
