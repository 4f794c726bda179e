//! Feet and hips of a character on one source: where they are at a time, and what each footfall changes.
//!
//! Plain data without allocations, so that a change of target can be tried on a copy (`limits`).

use glam::{Quat, Vec3};
use ugoki_feet::feet::{LiveLeg, MOST_ROLL, Reached, within_reach};

use super::course::Course;
use super::foot::{Foot, Phase};
use super::hips::Hips;
use super::inertialize::{FADE_S, HandleOffset};
use super::interpolate::{Between, ease};
use super::pace::{Pace, rate};
use super::place::Place;
use super::source::Source;
use super::stand::{Footfall, Stand};
use crate::edit::GroundFrame;

/// Feet, hips and their clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stepping {
    /// In frames of the source.
    pub(super) time: f64,
    pub(super) pace: Pace,
    /// Speed of the step under way relative to the pace that its length gives.
    pub(super) tempo: f32,
    /// The same of each foot's next step, for a request that needs more time.
    pub(super) slowed: [f32; 2],
    pub(super) feet: [Foot; 2],
    pub(super) hips: Hips,
}

/// Positions and rotations of the hips and of both ankles.
pub(super) type Handles = [(Vec3, Quat); 3];

/// Handles within reach of each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reaching {
    pub(super) handles: Handles,
    /// Turn of each foot about its toe beyond the source's.
    pub(super) rolled: [Option<Quat>; 2],
    /// How far the hips are under where the feet's placements carry them, metres.
    pub(super) lowering_m: f32,
}

/// Step of the differences that give speeds, seconds: short against any motion, long against rounding at a kilometre.
const SPEED_S: f64 = 0.002;
/// Lengths of a step relative to the captured one between which feet begin to roll further over their toes, and do so fully.
const ROLL_RATIO: [f32; 2] = [1.03, 1.2];
/// Part of a step within which its pace is reached.
const PACE_PART: f64 = 0.5;
/// Events in one tick at most: guards against a tick over many seconds.
pub(super) const MAX_EVENTS: usize = 4096;

impl Stepping {
    /// At a frame of a source that is moved by `place`.
    pub(super) fn new(source: &Source, time: f64, place: GroundFrame) -> Self {
        let place = Place::from(place);
        let foot = |side: usize| {
            let feet = &source.feet[side];
            let stance = feet.stance_before(time);
            let stands = stance.is_some_and(|i| feet.stands(i, time));
            let stand = match feet.stances.get(stance.unwrap_or(0)) {
                Some(stance) => {
                    Stand::moved(place, stance, place.point(stance.ankle).y - feet.rest_m(stance))
                }
                None => Stand::still(place, 0.0),
            };
            Foot {
                side,
                stance,
                stand,
                next: stand,
                phase: if stands { Phase::Stands } else { Phase::Free },
                follows: false,
                target: None,
                rolls: 0.0,
                wider_m: 0.0,
                offset: HandleOffset::default(),
            }
        };
        let mut stepping = Self {
            time,
            pace: Pace::default(),
            tempo: 1.0,
            slowed: [1.0; 2],
            feet: [foot(0), foot(1)],
            hips: Hips::new(source, place, time),
        };
        stepping.find_targets(source);
        for side in 0..2 {
            if !stepping.feet[side].stands() {
                stepping.lift(source, side, None);
            }
        }
        stepping.begin(source, None);
        stepping.pace.from = stepping.pace.to;
        stepping
    }

    /// Goes on by `seconds` along the course and adds the feet that landed; false where the motion ends. `entering` is called before another
    /// source is entered, with the one that is left.
    pub(super) fn play(
        &mut self,
        course: &mut Course<'_>,
        seconds: f64,
        landed: &mut [bool; 2],
        entering: &mut dyn FnMut(&Self, &Source, &Course<'_>),
    ) -> bool {
        let mut left_s = seconds;
        for _ in 0..MAX_EVENTS {
            let (source, until) = (course.source(), course.until());
            self.advance(source, until, &mut left_s, landed);
            if self.time < until {
                break;
            }
            let Some(jumps) = course.follow() else { return false };
            if jumps {
                entering(self, source, course);
                self.enter(source, course);
            }
        }
        true
    }

    /// Goes on by `left_s` seconds or until the source's frame `until`, and takes the time that passed from `left_s`. Adds the feet that
    /// landed.
    fn advance(&mut self, source: &Source, until: f64, left_s: &mut f64, landed: &mut [bool; 2]) {
        for _ in 0..MAX_EVENTS {
            let speed = source.fps * f64::from(self.pace.at(self.time));
            let goal = whole(self.time + *left_s * speed);
            let events = [0, 1].map(|side| self.feet[side].next_event(source));
            let event = events[0].min(events[1]).min(until);
            if goal < event {
                (self.time, *left_s) = (goal, 0.0);
                return;
            }
            *left_s = (*left_s - (event - self.time).max(0.0) / speed).max(0.0);
            self.time = event;
            let mut stepped = false;
            for side in (0..2).filter(|&side| events[side] <= event) {
                if self.feet[side].stands() {
                    self.lift(source, side, None);
                } else {
                    self.feet[side].land();
                    (landed[side], self.slowed[side], stepped) = (true, 1.0, true);
                }
            }
            if stepped {
                self.hips.follow(source);
                self.find_targets(source);
                self.aim_hips(source, None);
                self.set_pace(source);
            }
            if self.time >= until {
                return;
            }
        }
        *left_s = 0.0;
    }

    /// A foot leaves the ground; `cut` when the source is entered in the middle of its swing.
    pub(super) fn lift(&mut self, source: &Source, side: usize, cut: Option<usize>) {
        let other = self.feet[1 - side];
        self.feet[side].lift(source, cut, &other);
    }

    /// Next landings of both feet, in source frames, and the foot that lands first.
    fn landings(&self, source: &Source) -> ([Option<(usize, f64)>; 2], usize) {
        let landings = self.feet.each_ref().map(|foot| foot.next_landing(source));
        let time = |side: usize| landings[side].map_or(f64::INFINITY, |landing| landing.1);
        (landings, usize::from(time(1) < time(0)))
    }

    /// Sets off the hips from here, as fast as the feet's placements alone would, and the pace.
    pub(super) fn begin(&mut self, source: &Source, middle: Option<f64>) {
        self.aim_hips(source, middle);
        self.hips.leave_plainly();
        self.set_pace(source);
    }

    /// Finds targets and bends swings again after a target changed, without a jump.
    pub(super) fn replan(&mut self, source: &Source) {
        let step = SPEED_S * source.fps;
        let before = self.now_and_then(source, step);
        self.find_targets(source);
        for side in 0..2 {
            let other = self.feet[1 - side];
            self.feet[side].aim(source, &other);
        }
        let middle = (self.hips.middle <= self.hips.from).then_some(self.hips.from);
        self.aim_hips(source, middle);
        self.hips.offset = HandleOffset::default();
        self.set_pace(source);
        self.inertialize(source, &before, step);
    }

    /// Handles now and `step` frames later.
    pub(super) fn now_and_then(&self, source: &Source, step: f64) -> [Handles; 2] {
        [self.time, self.time + step].map(|time| self.edited_at(source, time))
    }

    /// The step of [`Self::now_and_then`] on a source played at the present pace, frames.
    pub(super) fn speed_step(&self, source: &Source) -> f64 {
        SPEED_S * source.fps * f64::from(self.pace.at(self.time))
    }

    /// Keeps place and velocity of what was `before`, given now and `step` frames later.
    pub(super) fn inertialize(&mut self, source: &Source, before: &[Handles; 2], step: f64) {
        let (now, after) = (self.time, self.now_and_then(source, step));
        let soonest = now + FADE_S * source.fps;
        let offset = |handle: usize, until: f64| {
            let [was, is] = [before, &after].map(|handles| handles.map(|at| at[handle]));
            HandleOffset::between(was, is, [now, until, step])
        };
        for foot in self.feet.iter_mut().filter(|foot| !foot.stands()) {
            foot.offset =
                offset(1 + foot.side, foot.next_landing(source).map_or(soonest, |landing| landing.1));
        }
        self.hips.offset = offset(0, self.hips.to.max(soonest));
    }

    /// Where both feet land next: at their targets, or as the source steps from where the other foot stands.
    pub(super) fn find_targets(&mut self, source: &Source) {
        let (landings, first) = self.landings(source);
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
                Footfall { place: at.with_y(from.ground + stance.level - level), heading: None }
            };
            foot.next = Stand::put(feet, stance, &foot.target.unwrap_or_else(default), from.place.yaw);
            let off = |ground: f32| (from.ground - ground).abs();
            foot.follows = off(foot.next.ground) < off(foot.stand.ground);
        }
        // The standing foot rolls farther over its toe than in the source where the step is longer. That changes only while its heel is on
        // the ground.
        let Some((planned, captured, lands)) = self.step_lengths(source) else { return };
        let rear = &mut self.feet[1 - lands];
        if rear.source(source).roll_at(&Between::new(self.time, source.num_frames)) == 0.0 {
            let [from, to] = ROLL_RATIO;
            rear.rolls = ease((planned / captured.max(1e-3) - from) / (to - from));
        }
    }

    /// Length of the step to the next footfall, and of the same in the source, metres, and the foot that lands.
    fn step_lengths(&self, source: &Source) -> Option<(f32, f32, usize)> {
        let (landings, lands) = self.landings(source);
        let (next, other) = (landings[lands]?.0, self.feet[1 - lands].stance?);
        let captured = source.feet[lands].stances[next].ankle - source.feet[1 - lands].stances[other].ankle;
        let planned = self.feet[lands].next.ankle - self.feet[1 - lands].stand.ankle;
        Some((planned.with_y(0.0).length(), captured.with_y(0.0).length(), lands))
    }

    /// Finds the path of the hips to the next footfall; `middle` is when the standing leg passes under them, where that is known.
    fn aim_hips(&mut self, source: &Source, middle: Option<f64>) {
        let (landings, lands) = self.landings(source);
        let standing = &self.feet[1 - lands];
        let under = standing
            .stance
            .filter(|_| standing.stands())
            .map(|stance| standing.source(source).stances[stance].middle as f64);
        let middle = middle.or(under.filter(|middle| *middle > self.hips.from));
        let feet = self.feet;
        self.hips.aim(source, feet, &landings, lands, middle);
    }

    /// The pace of the step to the next footfall.
    pub(super) fn set_pace(&mut self, source: &Source) {
        let Some((planned, captured, lands)) = self.step_lengths(source) else { return };
        let to = self.feet[lands].next_landing(source).map_or(self.time, |landing| landing.1);
        self.pace = Pace {
            from: self.pace.at(self.time),
            to: self.tempo * self.slowed[lands] * rate(planned, captured, source.leg_m[0]),
            start: self.time,
            end: self.time + PACE_PART * (to - self.time),
        };
    }

    /// Hips and ankles now, within reach of each other; `offsets` are the hip joints in the frame of the hips.
    pub(super) fn reaching(&self, source: &Source, between: &Between, offsets: [Vec3; 2]) -> Reaching {
        let mut handles = self.edited_at(source, self.time);
        let (hips, hips_turn) = handles[0];
        let legs = [0, 1].map(|side: usize| {
            let (foot, played) = (&source.feet[side], &self.feet[side]);
            let captured = between.vector(&source.upper[side]).distance(foot.at_frames(between).0.into());
            let (ankle, turn) = handles[1 + side];
            LiveLeg {
                hip: hips + hips_turn * offsets[side],
                ankle,
                toe: ankle + turn * foot.track.toe,
                captured: captured.min(source.leg_m[side]),
                length: source.leg_m[side],
                stands: played.leans(source, between, self.time),
                rolls: MOST_ROLL * played.rolls * foot.roll_at(between),
            }
        });
        let Reached { sinks, ankles, rolled } = within_reach(legs);
        handles[0].0.y -= sinks;
        for side in 0..2 {
            let (ankle, turn) = &mut handles[1 + side];
            *ankle = ankles[side];
            *turn = rolled[side].map_or(*turn, |roll| roll * *turn);
        }
        Reaching { handles, rolled, lowering_m: sinks - self.hips.height(self.time) }
    }

    /// Hips and ankles at `time`; written where the caller wants them, because copies of twelve bytes at a time are slow to read again.
    #[inline]
    pub(super) fn edited_at(&self, source: &Source, time: f64) -> Handles {
        let between = Between::new(time, source.num_frames);
        let (hips, turn) = self.hips.at_frames(source, &between, time);
        let (left, left_turn) = self.feet[0].at_frames(source, &between, time);
        let (right, right_turn) = self.feet[1].at_frames(source, &between, time);
        [(hips.into(), turn), (left.into(), left_turn), (right.into(), right_turn)]
    }
}

/// A time that is a frame but for rounding, as that frame.
fn whole(time: f64) -> f64 {
    let near = time.round();
    if (time - near).abs() < 1e-6 { near } else { time }
}
