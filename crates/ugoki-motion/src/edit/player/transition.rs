//! Transitions: leaving a source at a cut and entering another one.

use super::course::Course;
use super::foot::Doing;
use super::hips::Hips;
use super::inertialize::Mend;
use super::source::Source;
use super::stand::Stand;
use super::stepping::{SPEED_S, Stepping};

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
