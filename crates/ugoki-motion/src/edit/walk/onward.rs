//! Beyond a plan: where the swing after its last step goes, and how much shorter its steps must be to be walked.

use glam::Vec3;
use ugoki_base::Progress;

use super::gait::outward;
use super::plan::Footstep;
use super::{Gait, WalkError};
use crate::edit::player::HALVINGS;

/// Longest plan that is walked again to find how long its steps may be, steps: more would take minutes.
const EASED_STEPS: usize = 64;
/// Least factor on its steps' lengths that is tried.
const LEAST_FACTOR: f32 = 0.3;

impl Gait {
    /// How far ahead of the other foot a step of a plan is, or to its side when that is farther, metres.
    pub(super) fn reach_m(&self, plan: &[Footstep], at: usize) -> f32 {
        let stride = self.stride(&plan[at], &self.standing(plan)[at]);
        stride.along.abs().max(stride.out.abs())
    }

    /// Out to a step's own side.
    pub(super) fn outward(&self, plan: &[Footstep], at: usize) -> Vec3 {
        let stands = self.standing(plan)[at];
        outward(plan[at].foot, stands.faces + 0.5 * self.stride(&plan[at], &stands).turn)
    }

    /// How far a step of a plan may be if all are made shorter by the same factor, metres, where that helps.
    pub(super) fn easiest(
        &self,
        plan: &[Footstep],
        at: usize,
        progress: Progress<'_>,
    ) -> Result<Option<f32>, WalkError> {
        if plan.len() > EASED_STEPS {
            return Ok(None);
        }
        let (mut good, mut least, mut bad) = (None, LEAST_FACTOR, 1.0);
        for _ in 0..HALVINGS {
            let factor = 0.5 * (least + bad);
            let found = match self.check(&self.eased(plan, factor), false) {
                Ok(eased) => {
                    let played = self.walk_tuned(&eased, progress)?;
                    self.strained(&eased, &played.steps).is_none().then(|| self.reach_m(&eased, at))
                }
                Err(_) => None,
            };
            match found {
                Some(metres) => (good, least) = (Some(metres), factor),
                None => bad = factor,
            }
        }
        Ok(good.map(|metres| (100.0 * metres).floor() / 100.0))
    }

    /// The plan with steps of a part of their lengths, as wide as before, or nearer to how wide the source walks.
    fn eased(&self, plan: &[Footstep], factor: f32) -> Vec<Footstep> {
        let stands = self.standing(plan);
        let mut at = stands[0];
        (plan.iter().zip(&stands))
            .map(|(step, was)| {
                let mut stride = self.stride(step, was);
                stride.along *= factor;
                let planned = self.planned_out(stride.along);
                stride.out = match stride.out > planned {
                    true => planned + factor * (stride.out - planned),
                    false => stride.out.max(planned.min(2.0 * self.half_width)),
                };
                let place = self.step_from(&at, step.foot, &stride).place.with_y(step.place.y);
                let eased = Footstep { place, ..*step };
                at = self.stands_on(&eased, &at);
                eased
            })
            .collect()
    }
}
