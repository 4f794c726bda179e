//! Transitions: leaving a source at a cut and entering another one.

use glam::Vec3A;
use ugoki_base::math::{exp, log};

use super::foot::Doing;
use super::hips::Hips;
use super::inertialize::{Fade, Mend, Off};
use super::interpolate::Between;
use super::player::Player;
use super::repertoire::Repertoire;
use super::stand::Stand;
use super::stepping::SPEED_S;

/// Time over which joints' rotations run together after a transition, seconds: most of a step.
const JOINTS_S: f64 = 0.35;

impl Player {
    /// Leaves the source at this cut and enters another one: feet that stand stay exactly, all else runs together.
    pub(super) fn jump(&mut self, shared: &Repertoire, next: usize) {
        let old = &shared.sources[shared.segments[self.segment].source];
        let segment = &shared.segments[next];
        let new = &shared.sources[segment.source];
        let Some(cut) = segment.enter else { return };
        let (at, pace) = (segment.from as f64, f64::from(self.stepping.pace.at(self.stepping.time)));
        let steps = [old, new].map(|source| SPEED_S * source.fps * pace);
        let before = [
            self.stepping.handles(old, self.stepping.time),
            self.stepping.handles(old, self.stepping.time + steps[0]),
        ];
        // Joints: the turn from the new source to the old one, and how fast it changes.
        let times = [self.stepping.time, self.stepping.time + steps[0], at, at + steps[1]];
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
        let stepping = &mut self.stepping;
        let standing = entered.foot;
        for side in [standing, 1 - standing] {
            let toe = new.feet[side].track.toe;
            let base = stepping.feet[standing].stand;
            let foot = &mut stepping.feet[side];
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
        stepping.time = at;
        stepping.hips = Hips::new(new, stepping.feet[standing].stand.place, at);
        stepping.find_targets(new);
        if !entered.stands[1 - standing] {
            stepping.lift(new, 1 - standing, Some(cut));
        }
        stepping.aim_hips(new, Some(at));
        stepping.hips.leave_plainly();
        stepping.set_pace(new);
        let after = [stepping.handles(new, at), stepping.handles(new, at + steps[1])];
        stepping.mend(new, &before, &after, steps[1]);
    }
}
