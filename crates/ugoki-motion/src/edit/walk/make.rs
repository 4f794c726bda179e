//! A plan walked: played, judged, and played again with other tunings until it demands no more than bodies give.

use ugoki_base::Progress;

use super::limits::{Limits, StepTuning};
use super::plan::{Footstep, ROOM_M};
use super::play::{Played, Score};
use super::walked::Walked;
use super::{Gait, StepFault, Strain, WalkError};

/// How often a plan is made easier where it demands too much.
const CLAMP_ROUNDS: usize = 60;
/// The part of a step's length that is left each time.
const CLAMP_PART: f32 = 0.92;
/// Times a plan is walked until its steps demand no more than they should of the body.
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
            if let Strain::Touches(near) = strain {
                let out = self.outward(&plan, at) * (near.max - near.found + ROOM_M);
                plan[at].place += out;
            } else {
                // Nearer to the other foot, and what follows nearer to that; hips lurch between two steps.
                for at in at..=(at + usize::from(lurches)).min(plan.len() - 1) {
                    let from = if at == 0 { self.stands_first(plan[0].foot) } else { plan[at - 1] };
                    plan[at].place = from.place.lerp(plan[at].place, CLAMP_PART);
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
        let tunings = vec![StepTuning::PLAIN; plan.len()];
        Ok(self.walk_aimed(&plan, &tunings, None, progress)?.walked)
    }

    /// Walks a plan, and again with slower and wider steps where they demand too much of the body.
    pub(super) fn walk_tuned(&self, plan: &[Footstep], progress: Progress<'_>) -> Result<Played, WalkError> {
        let rise = self.largest_rise(plan);
        let limits = Limits::new(&self.own_effort, rise, self.leg_m(), self.source().scale());
        // One more, of the swing after the last step.
        let mut tunings = vec![StepTuning::PLAIN; plan.len() + 1];
        let mut round = 1;
        loop {
            let mut played = self.walk_aimed(plan, &tunings, Some(&limits), progress)?;
            let [steps @ .., after] = tunings.as_mut_slice() else { return Ok(played) };
            played.walked.slowed = steps.iter().map(|tuning| tuning.tempo).fold(1.0, f32::min);
            let tuned = limits.tune(&played.steps, steps) | limits.widen(&played.after, after);
            if !tuned || round == TUNE_ROUNDS {
                return Ok(played);
            }
            after.tempo = steps[steps.len() - 1].tempo;
            round += 1;
        }
    }

    /// Walks a plan, and again where a foot that is never flat, and so moves while it stands, was not where it belongs in the middle of
    /// its contact: when that is depends on how fast it is played.
    fn walk_aimed(
        &self,
        plan: &[Footstep],
        tunings: &[StepTuning],
        limits: Option<&Limits>,
        progress: Progress<'_>,
    ) -> Result<Played, WalkError> {
        let mut aims = plan.to_vec();
        let mut round = 1;
        loop {
            let played = self.play(&Score { plan, aims: &aims, tunings, limits }, progress)?;
            if round == AIM_ROUNDS || played.walked.steps.iter().all(|step| step.missed().length() < AIM_M) {
                return Ok(played);
            }
            for (aim, step) in aims.iter_mut().zip(&played.walked.steps) {
                aim.place -= step.missed();
            }
            round += 1;
        }
    }
}
