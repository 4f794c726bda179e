//! How much care a load asks for: tried out before the run.
//!
//! A load is known beforehand, and so is what becomes of the target under it. A body that carries it well by following
//! the target alone must not be caught by steps or thrown off by corrections that only a loss of balance asks for. So
//! the whole target is tried with no control, with relief and balance, and with relief alone, and the run does as much
//! as does no harm. Once something strikes, which no controller can know, all of it acts.

use ugoki_base::{Cancelled, Progress, report};

use super::config::Control;
use super::memory::Care;
use super::relief::plan_relief;
use super::report::joint_error;
use super::simulation::Simulation;
use crate::dynamics::difference_into;

/// How much farther than with no control back and legs may stray, rad: 1°.
const HARM: f64 = 0.0175;

impl Simulation {
    /// Plans where the arms go under the loads of a body that has not moved yet, and tries out how much care they ask
    /// for.
    ///
    /// Without it loads are not relieved, and all care is taken from the beginning.
    ///
    /// # Errors
    /// When the caller stops.
    pub fn prepare(&mut self, progress: Progress<'_>) -> Result<(), Cancelled> {
        self.memory.care = Care::All;
        if !(self.setup.loaded && self.setup.config.control == Control::On) {
            return Ok(());
        }
        self.memory.relief = plan_relief(&self.setup, progress)?;
        let Some(least) = self.strays(Care::Nothing, progress)? else { return Ok(()) };
        self.memory.care = Care::Nothing;
        for care in [Care::Balance, Care::Relief] {
            if self.strays(care, progress)?.is_some_and(|far| far <= least + HARM) {
                self.memory.care = care;
                break;
            }
        }
        Ok(())
    }

    /// How far back and legs stray from the target at most with this much care, rad; nothing when the body falls.
    fn strays(&self, care: Care, progress: Progress<'_>) -> Result<Option<f64>, Cancelled> {
        let mut trial = self.clone();
        trial.memory.care = care;
        let mut farthest = 0.0_f64;
        while !trial.is_done() {
            if trial.motion.step.is_multiple_of(512) {
                report(progress, 0.4)?;
            }
            trial.step(None);
            if trial.fell_at_s().is_some() {
                return Ok(None);
            }
            let Self { setup, motion, plan, .. } = &mut trial;
            difference_into(&setup.body, setup.target.q(motion.step), &motion.state.q, &mut plan.off);
            for &dof in &setup.members.arms {
                plan.off[dof] = 0.0;
            }
            farthest = farthest.max(joint_error(&setup.body, &plan.off));
        }
        Ok(Some(farthest))
    }
}
