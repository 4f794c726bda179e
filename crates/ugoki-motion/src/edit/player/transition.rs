//! Transitions: leaving a source at a cut and entering another one.

use glam::Vec3A;
use ugoki_base::math::{exp, log};

use super::foot::Doing;
use super::hips::Hips;
use super::inertialize::{Fade, Mend, Off};
use super::interpolate::Between;
use super::player::Player;
use super::repertoire::Repertoire;
use super::source::Source;
use super::stand::Stand;
use super::stepping::{SPEED_S, Stepping};

/// Time over which joints' rotations run together after a transition, seconds: most of a step.
const JOINTS_S: f64 = 0.35;
/// Time over which velocities of joints are estimated at a transition, seconds: four frames at 120 Hz.
const WINDOW_S: f64 = 1.0 / 30.0;

/// The way through segments: what is played, what was requested.
#[derive(Debug, Clone, Copy)]
pub(super) struct Course<'a> {
    pub(super) shared: &'a Repertoire,
    pub(super) segment: usize,
    pub(super) requested: Option<usize>,
}

impl<'a> Course<'a> {
    pub(super) fn source(&self) -> &'a Source {
        &self.shared.sources[self.shared.segments[self.segment].source]
    }

    /// The source's frame at which the segment ends.
    pub(super) fn until(&self) -> f64 {
        self.shared.segments[self.segment].to as f64
    }

    /// Goes to the segment that follows, and says whether it is entered by a jump; nothing follows the last one.
    pub(super) fn follow(&mut self) -> Option<bool> {
        let towards = self.requested.and_then(|segment| self.shared.towards(self.segment, segment));
        let next = towards.or(self.shared.follows[self.segment])?;
        if self.requested == Some(next) {
            self.requested = None;
        }
        let (a, b) = (&self.shared.segments[self.segment], &self.shared.segments[next]);
        self.segment = next;
        Some(a.source != b.source || a.to != b.from)
    }
}

impl Player {
    /// All joints run together from one source to another, which is entered at the start of a segment.
    pub(super) fn join(&mut self, old: &Source, course: &Course<'_>) {
        let (new, at) = (course.source(), course.shared.segments[course.segment].from as f64);
        let (now, pace) = (self.stepping.time, f64::from(self.stepping.pace.at(self.stepping.time)));
        // Velocities are those of a window before or after, whichever is less: a glitch of one frame would be carried through the fade.
        let windows = [old, new].map(|source| WINDOW_S * source.fps * pace);
        let moments = [-1.0, 0.0, 1.0].map(|way: f64| {
            let times = [now + way * windows[0], at + way * windows[1]];
            (times[0], Between::new(times[0], old.num_frames), Between::new(times[1], new.num_frames))
        });
        let until = at + JOINTS_S * new.fps * pace;
        let fade = self.joints_fade;
        for (joint, off) in self.joints.iter_mut().enumerate() {
            let [before, by, then] = moments.each_ref().map(|(time, from, to)| {
                let mended = if fade.is_over(*time) { Vec3A::ZERO } else { off.at(fade.weights(*time)) };
                let was = old.rotation(joint, from) * exp(mended.into());
                Vec3A::from(log(new.rotation(joint, to).inverse() * was))
            });
            let [arrives, leaves] = [by - before, then - by];
            let less = if arrives.length_squared() < leaves.length_squared() { arrives } else { leaves };
            *off = Off { by, speed: less / windows[1] as f32 };
        }
        self.joints_fade = Fade::new(at, until);
    }
}

impl Stepping {
    /// Leaves the source at this cut and enters another one: feet that stand stay exactly, all else runs together.
    pub(super) fn enter(&mut self, old: &Source, course: &Course<'_>) {
        let segment = &course.shared.segments[course.segment];
        let (new, at) = (course.source(), segment.from as f64);
        let Some(cut) = segment.enter else { return };
        let pace = f64::from(self.pace.at(self.time));
        let steps = [old, new].map(|source| SPEED_S * source.fps * pace);
        let before = [self.handles(old, self.time), self.handles(old, self.time + steps[0])];
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
        self.time = at;
        self.hips = Hips::new(new, self.feet[standing].stand.place, at);
        self.find_targets(new);
        if !entered.stands[1 - standing] {
            self.lift(new, 1 - standing, Some(cut));
        }
        self.aim_hips(new, Some(at));
        self.hips.leave_plainly();
        self.set_pace(new);
        let after = [self.handles(new, at), self.handles(new, at + steps[1])];
        self.mend(new, &before, &after, steps[1]);
    }
}
