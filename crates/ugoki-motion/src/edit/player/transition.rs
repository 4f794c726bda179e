//! Transitions: leaving a source at a cut and entering another one.

use super::course::Course;
use super::foot::Phase;
use super::hips::Hips;
use super::inertialize::HandleOffset;
use super::source::Source;
use super::stand::Stand;
use super::stepping::Stepping;

impl Stepping {
    /// Leaves the source at this cut and enters another one: feet that stand stay exactly, all else is inertialized.
    pub(super) fn enter(&mut self, old: &Source, course: &Course<'_>) {
        let segment = &course.shared.segments[course.segment];
        let (new, at) = (course.source(), segment.from as f64);
        let Some(cut) = segment.enter else { return };
        let step = self.speed_step(new);
        let before = self.now_and_then(old, self.speed_step(old));
        let entered = &new.cuts[cut];
        let standing = entered.foot;
        for side in [standing, 1 - standing] {
            let base = self.feet[standing].stand;
            let (feet, foot) = (&new.feet[side], &mut self.feet[side]);
            foot.stance = entered.stances[side];
            foot.offset = HandleOffset::default();
            (foot.stand, foot.phase) = match foot.stance.filter(|_| entered.stands[side]) {
                Some(stance) => {
                    let world = before[0][1 + side];
                    let stance = &feet.stances[stance];
                    (Stand::joined(feet.at(at), world, stance, &foot.stand, feet.track.toe), Phase::Stands)
                }
                None => (Stand::still(base.place, base.ground), Phase::Free),
            };
        }
        self.time = at;
        self.hips = Hips::new(new, self.feet[standing].stand.place, at);
        self.find_targets(new);
        if !entered.stands[1 - standing] {
            self.lift(new, 1 - standing, Some(cut));
        }
        self.begin(new, Some(at));
        self.inertialize(new, &before, step);
    }
}
