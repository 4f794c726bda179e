//! Feet and hips of a character on one source: where they are at a time, and what each footfall changes.
//!
//! Plain data without allocations, so that a change of target can be tried on a copy (`limits`).

use glam::{Quat, Vec3, Vec3A};
use ugoki_base::math::log;

use super::foot::{Doing, Foot};
use super::hips::Hips;
use super::inertialize::{Fade, Mend, Off};
use super::interpolate::{Between, ease};
use super::pace::{Pace, rate};
use super::place::Place;
use super::reach::{Leg, MOST_ROLL, Reached, within_reach};
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
    pub(super) yielding: [f32; 2],
    pub(super) feet: [Foot; 2],
    pub(super) hips: Hips,
}

/// Positions and rotations of hips and ankles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Handles {
    pub(super) hips: (Vec3, Quat),
    pub(super) feet: [(Vec3, Quat); 2],
}

/// Handles within reach of each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reaching {
    pub(super) handles: Handles,
    /// Turn of each foot about its toe beyond the source's.
    pub(super) rolled: [Option<Quat>; 2],
    /// How far the hips are under where the feet's placements carry them, metres.
    pub(super) sunk_m: f32,
}

/// Shortest time over which hips run together, seconds.
pub(super) const HIPS_S: f64 = 0.2;
/// Grounds nearer than this are one, metres.
const SAME_GROUND_M: f32 = 0.02;
/// Step of the differences that give speeds, seconds.
pub(super) const SPEED_S: f64 = 0.002;
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
                target: None,
                rolls: 0.0,
                wider_m: 0.0,
                mend: Mend::NONE,
            }
        };
        let mut stepping = Self {
            time,
            pace: Pace::steady(1.0),
            tempo: 1.0,
            yielding: [1.0; 2],
            feet: [foot(0), foot(1)],
            hips: Hips::new(source, place, time),
        };
        stepping.find_targets(source);
        for side in 0..2 {
            if stepping.feet[side].doing == Doing::Free {
                stepping.lift(source, side, None);
            }
        }
        stepping.aim_hips(source, None);
        stepping.hips.leave_plainly();
        stepping.set_pace(source);
        stepping.pace = Pace::steady(stepping.pace.to);
        stepping
    }

    /// Goes on by `left_s` seconds or until the source's frame `until`, and takes the time that passed from `left_s`. Adds the feet that
    /// landed.
    pub(super) fn advance(&mut self, source: &Source, until: f64, left_s: &mut f64, landed: &mut [bool; 2]) {
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
            for side in 0..2 {
                if events[side] > event {
                    continue;
                }
                if self.feet[side].doing == Doing::Stands {
                    self.lift(source, side, None);
                } else {
                    let step = !source.feet[side].stances[self.feet[side].next_stance()].shuffle;
                    self.feet[side].land(source);
                    landed[side] |= step;
                    self.yielding[side] = if step { 1.0 } else { self.yielding[side] };
                    stepped |= step;
                }
            }
            if stepped {
                self.hips.go_on(source);
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
        let landings = [0, 1].map(|side| self.feet[side].next_landing(source));
        let time = |side: usize| landings[side].map_or(f64::INFINITY, |landing| landing.1);
        (landings, usize::from(time(1) < time(0)))
    }

    /// Finds targets and bends swings again after a target changed, without a jump.
    pub(super) fn replan(&mut self, source: &Source) {
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
    pub(super) fn mend(&mut self, source: &Source, before: &[Handles; 2], after: &[Handles; 2], step: f64) {
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
                let ground = from.ground + stance.level - level;
                Footfall { place: at.with_y(ground), heading: None }
            };
            let target = foot.target.unwrap_or_else(default);
            foot.next = Stand::put(feet, stance, &target, from.place.yaw);
            let off = |ground: f32| (from.ground - ground).abs();
            foot.follows = off(foot.next.ground) + SAME_GROUND_M < off(foot.stand.ground);
        }
        self.set_roll(source);
    }

    /// How much farther than in the source the standing foot rolls over its toe in the step to the next footfall. It changes only while its
    /// heel is on the ground.
    fn set_roll(&mut self, source: &Source) {
        let Some((asked, captured, lands)) = self.step_lengths(source) else { return };
        let rear = &mut self.feet[1 - lands];
        if rear.source(source).roll_at(&Between::new(self.time, source.num_frames)) == 0.0 {
            rear.rolls = ease((asked / captured.max(1e-3) - ROLL_RATIO[0]) / (ROLL_RATIO[1] - ROLL_RATIO[0]));
        }
    }

    /// Length of the step to the next footfall, and of the same in the source, metres, and the foot that lands.
    fn step_lengths(&self, source: &Source) -> Option<(f32, f32, usize)> {
        let (landings, lands) = self.landings(source);
        let (next, other) = (landings[lands]?.0, self.feet[1 - lands].stance?);
        let captured = source.feet[lands].stances[next].ankle - source.feet[1 - lands].stances[other].ankle;
        let asked = self.feet[lands].next.ankle - self.feet[1 - lands].stand.ankle;
        Some((asked.with_y(0.0).length(), captured.with_y(0.0).length(), lands))
    }

    pub(super) fn aim_hips(&mut self, source: &Source, middle: Option<f64>) {
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
    pub(super) fn set_pace(&mut self, source: &Source) {
        let Some((asked, captured, lands)) = self.step_lengths(source) else { return };
        let to = self.feet[lands].next_landing(source).map_or(self.time, |landing| landing.1);
        let now = self.pace.at(self.time);
        self.pace = Pace {
            from: now,
            to: self.tempo * self.yielding[lands] * rate(asked, captured, source.leg_m[0]),
            start: self.time,
            end: self.time + PACE_PART * (to - self.time),
        };
    }

    /// Hips and ankles now, within reach of each other; `offsets` are the hip joints in the frame of the hips.
    pub(super) fn reaching(&self, source: &Source, between: &Between, offsets: [Vec3; 2]) -> Reaching {
        let mut handles = self.handles(source, self.time);
        let legs = [0, 1].map(|side: usize| {
            let foot = &source.feet[side];
            let captured = between.vector(&source.upper[side]).distance(foot.at_frames(between).0.into());
            let (ankle, turn) = handles.feet[side];
            Leg {
                hip: handles.hips.0 + handles.hips.1 * offsets[side],
                ankle,
                toe: ankle + turn * foot.track.toe,
                captured: captured.min(source.leg_m[side]),
                length: source.leg_m[side],
                stands: self.feet[side].leans(source, self.time),
                rolls: MOST_ROLL * self.feet[side].rolls * foot.roll_at(between),
            }
        });
        let Reached { sinks, ankles, rolled } = within_reach(legs);
        handles.hips.0.y -= sinks;
        for side in 0..2 {
            handles.feet[side].0 = ankles[side];
            if let Some(turn) = rolled[side] {
                handles.feet[side].1 = turn * handles.feet[side].1;
            }
        }
        Reaching { handles, rolled, sunk_m: sinks - self.hips.height(self.time) }
    }

    pub(super) fn handles(&self, source: &Source, time: f64) -> Handles {
        let [hips, left, right] = self.edited_at(source, time);
        Handles { hips, feet: [left, right] }
    }

    /// Hips and ankles at `time`; written where the caller wants them, because copies of twelve bytes at a time are slow to read again.
    #[inline]
    pub(super) fn edited_at(&self, source: &Source, time: f64) -> [(Vec3, Quat); 3] {
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
