//! Beyond a plan: where the swing after its last step goes, and how much shorter its steps must be to be walked.

use glam::{Quat, Vec3};
use ugoki_base::Progress;
use ugoki_base::skeleton::Side;

use super::make::other;
use super::plan::{Footstep, Stands};
use super::{Gait, WalkError};
use crate::edit::player::index;

/// Longest plan that is walked again to find how long its steps may be: more would take minutes.
const EASED_STEPS: usize = 64;
/// Least share of its steps' lengths that is tried, and how often what is tried is halved: to 1 % of the length.
const LEAST_SHARE: f32 = 0.3;
const HALVINGS: usize = 6;

/// A step from the other foot: along the way and out to the foot's own side, metres, and the turn, radians to the left.
#[derive(Debug, Clone, Copy)]
struct Stride {
    along: f32,
    out: f32,
    turn: f32,
}

impl Gait {
    /// Where the foot goes that swings when the last step is made: as the plan went on so far, on level ground. The motion ends before it
    /// lands.
    pub(super) fn onward(&self, plan: &[Footstep]) -> Footstep {
        let stands = self.standing(plan);
        let last = plan.len() - 1;
        let foot = other(plan[last].foot);
        // The step before was of the same foot; after a single step, its mirror image.
        let like = self.stride(&plan[last.saturating_sub(1)], &stands[last.saturating_sub(1)]);
        let mut onward = self.step_from(&stands[last + 1], foot, like);
        if plan.iter().all(|step| step.heading_deg.is_none()) {
            onward.heading_deg = None;
        }
        self.pull_in(&mut onward, &stands[last + 1]);
        onward
    }

    /// How far ahead of the other foot a step of a plan is, or beside it when that is farther, metres.
    pub(super) fn reach_m(&self, plan: &[Footstep], at: usize) -> f32 {
        let stride = self.stride(&plan[at], &self.standing(plan)[at]);
        stride.along.abs().max(stride.out.abs())
    }

    /// Out to a step's own side.
    pub(super) fn outward(&self, plan: &[Footstep], at: usize) -> Vec3 {
        let stands = self.standing(plan)[at];
        let own = if plan[at].foot == Side::Left { 1.0 } else { -1.0 };
        let turn = self.stride(&plan[at], &stands).turn;
        Quat::from_rotation_y(stands.faces + 0.5 * turn) * Vec3::X * own
    }

    /// How far a step of a plan may be if all are made shorter by the same share, metres, where that helps.
    pub(super) fn easiest(
        &self,
        plan: &[Footstep],
        at: usize,
        progress: Progress<'_>,
    ) -> Result<Option<f32>, WalkError> {
        if plan.len() > EASED_STEPS {
            return Ok(None);
        }
        let mut possible = |share: f32| -> Result<Option<f32>, WalkError> {
            let Ok(eased) = self.check(&self.eased(plan, share), false) else { return Ok(None) };
            let played = self.walk_tuned(&eased, progress)?;
            Ok(self.strained(&eased, &played.steps).is_none().then(|| self.reach_m(&eased, at)))
        };
        let (mut good, mut bad, mut share) = (None, 1.0, 0.5 * (1.0 + LEAST_SHARE));
        let mut least = LEAST_SHARE;
        for _ in 0..HALVINGS {
            match possible(share)? {
                Some(metres) => (good, least) = (Some(metres), share),
                None => bad = share,
            }
            share = 0.5 * (least + bad);
        }
        Ok(good.map(|metres| (100.0 * metres).floor() / 100.0))
    }

    /// The plan with steps of a share of their lengths, as wide as before, or nearer to how wide the source walks.
    fn eased(&self, plan: &[Footstep], share: f32) -> Vec<Footstep> {
        let stands = self.standing(plan);
        let mut at = stands[0];
        (plan.iter().zip(&stands))
            .map(|(step, was)| {
                let mut stride = self.stride(step, was);
                stride.along *= share;
                let beside = self.beside(stride.along);
                if stride.out > beside {
                    stride.out = beside + share * (stride.out - beside);
                } else {
                    stride.out = stride.out.max(beside.min(2.0 * self.half_width));
                }
                let eased = Footstep {
                    heading_deg: step.heading_deg,
                    place: self.step_from(&at, step.foot, stride).place.with_y(step.place.y),
                    foot: step.foot,
                };
                at = Stands { ankle: eased.place, faces: self.faces(&eased, &at) };
                eased
            })
            .collect()
    }

    /// What stands before each step of a plan and after the last: where, and where the body faces above it.
    fn standing(&self, plan: &[Footstep]) -> Vec<Stands> {
        let mut all = vec![self.first_stance(plan[0].foot)];
        for (at, step) in plan.iter().enumerate() {
            all.push(Stands { ankle: step.place, faces: self.faces(step, &all[at]) });
        }
        all
    }

    fn stride(&self, step: &Footstep, stands: &Stands) -> Stride {
        let [along, out] = self.along_and_out(step, stands);
        Stride { along, out, turn: self.faces(step, stands) - stands.faces }
    }

    /// A step on the ground on which the other foot stands.
    fn step_from(&self, stands: &Stands, foot: Side, stride: Stride) -> Footstep {
        let own = if foot == Side::Left { 1.0 } else { -1.0 };
        let way = Quat::from_rotation_y(stands.faces + 0.5 * stride.turn);
        Footstep {
            foot,
            place: stands.ankle + way * Vec3::new(own * stride.out, 0.0, stride.along),
            heading_deg: Some((stands.faces + stride.turn + self.toe_out[index(foot)]).to_degrees()),
        }
    }
}
