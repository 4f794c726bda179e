//! A plan walked: the player fed with its steps, frame by frame.

use ugoki_base::Progress;
use ugoki_base::skeleton::Side;

use super::limits::{Limits, Manner};
use super::plan::Footstep;
use super::play::{Played, Score};
use super::walked::{Walked, WalkedStep};
use super::{Gait, StepFault, Strain, WalkError};
use crate::edit::player::index;

/// How often a plan is made easier where it asks for too much, and the share of a step's length that is left each time.
const CLAMP_ROUNDS: usize = 60;
const CLAMP_SHARE: f32 = 0.92;
/// How much farther out than it lacks a step is moved whose legs would touch, metres.
const ROOM_M: f32 = 0.01;
/// Times a plan is walked until its steps take no more than they should of the body.
const TUNE_ROUNDS: usize = 8;
/// Times a plan is walked until feet that are never flat stand on it, and how near, metres, that is.
const AIM_ROUNDS: usize = 4;
const AIM_M: f32 = 2e-4;

impl Gait {
    /// Walks a plan; see [`Gait::check`] for what is refused, or changed with `clamp`.
    ///
    /// # Errors
    /// When the plan is empty or impossible, the source too short for it, or the caller stops.
    pub fn walk(&self, plan: &[Footstep], clamp: bool, progress: Progress<'_>) -> Result<Walked, WalkError> {
        let mut plan = self.check(plan, clamp)?;
        // What was captured is possible as it was captured, and is followed by what was.
        if plan == self.own_plan() {
            return self.walk_own(progress);
        }
        let mut lurching = None;
        for _ in 0..CLAMP_ROUNDS {
            let Played { walked, steps, .. } = self.walk_tuned(&plan, progress)?;
            let Some((at, strain)) = self.strained(&plan, &steps) else { return Ok(walked) };
            if !clamp {
                let max = self.easiest(&plan, at, progress)?;
                let fault = StepFault::Asks { metres: self.reach_m(&plan, at), max, strain };
                return Err(WalkError::Step { step: at + 1, foot: plan[at].foot, fault });
            }
            let lurches = strain.shows();
            if let Strain::Touches { metres, min } = strain {
                // Farther out to its own side.
                let out = self.outward(&plan, at) * (min - metres + ROOM_M);
                plan[at].place += out;
            } else {
                // Nearer to the other foot, and what follows nearer to that; hips lurch between two steps.
                for at in at..=(at + usize::from(lurches)).min(plan.len() - 1) {
                    let from = if at == 0 { self.stands_first(plan[0].foot) } else { plan[at - 1] };
                    plan[at].place = from.place.lerp(plan[at].place, CLAMP_SHARE);
                }
            }
            plan = self.check(&plan, true)?;
            // It can be walked, if not well.
            lurching = lurches.then_some(walked);
        }
        lurching.ok_or(WalkError::Clamp { rounds: CLAMP_ROUNDS })
    }

    /// Walks the source's own plan.
    pub(super) fn walk_own(&self, progress: Progress<'_>) -> Result<Walked, WalkError> {
        let plan = self.own_plan();
        let manners = vec![Manner::PLAIN; plan.len()];
        Ok(self.walk_nearer(&plan, None, &manners, None, progress)?.walked)
    }

    /// Walks a plan, and again with slower and wider steps where they take too much of the body.
    pub(super) fn walk_tuned(&self, plan: &[Footstep], progress: Progress<'_>) -> Result<Played, WalkError> {
        let limits =
            Limits::of(&self.own_effort, self.largest_rise(plan), self.leg_m(), self.source().scale());
        let onward = self.onward(plan);
        let (mut manners, mut after) = (vec![Manner::PLAIN; plan.len()], Manner::PLAIN);
        let mut round = 1;
        loop {
            let all: Vec<Manner> = manners.iter().copied().chain([after]).collect();
            let mut played = self.walk_nearer(plan, Some(onward), &all, Some(&limits), progress)?;
            played.walked.slowed = manners.iter().map(|manner| manner.tempo).fold(1.0, f32::min);
            let tuned =
                limits.tune(&played.steps, &mut manners) | limits.widen(&played.after.effort, &mut after);
            if !tuned || round == TUNE_ROUNDS {
                return Ok(played);
            }
            after.tempo = manners.last().map_or(1.0, |last| last.tempo);
            round += 1;
        }
    }

    /// Walks a plan, and again where a foot that is never flat, and so moves while it stands, was not where it belongs in the middle of
    /// its contact: when that is depends on how fast it is played.
    fn walk_nearer(
        &self,
        plan: &[Footstep],
        onward: Option<Footstep>,
        manners: &[Manner],
        limits: Option<&Limits>,
        progress: Progress<'_>,
    ) -> Result<Played, WalkError> {
        let mut aims: Vec<Footstep> = plan.iter().copied().chain(onward).collect();
        let mut round = 1;
        loop {
            let played = self.play(&Score { plan, aims: &aims, manners, limits }, progress)?;
            let off = |step: &WalkedStep| step.reached - step.planned.place;
            if round == AIM_ROUNDS || played.walked.steps.iter().all(|step| off(step).length() < AIM_M) {
                return Ok(played);
            }
            for (aim, step) in aims.iter_mut().zip(&played.walked.steps) {
                aim.place -= off(step);
            }
            round += 1;
        }
    }
}

/// The other foot.
#[must_use]
pub fn other(foot: Side) -> Side {
    super::gait::side(1 - index(foot))
}
