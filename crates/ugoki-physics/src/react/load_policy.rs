//! How much care a load asks for: tried out before the run.
//!
//! A load is known beforehand, and so is what becomes of the target under it. A body that carries it well by following
//! the target alone must not be caught by steps or thrown off by corrections that only a loss of balance asks for. So
//! the whole target is tried with no control, with relief and balance, and with relief alone, and the run does as much
//! as does no harm. Once something strikes, which no controller can know, all of it acts.

use ugoki_base::{Cancelled, Progress, report};

use super::relief::Relief;
use super::report::joint_error;
use super::simulation::Simulation;
use crate::dynamics::difference_into;

/// What the controller does until something strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Care {
    /// Everything: steps, giving way, quick returns.
    #[default]
    All,
    /// Relief, and balance within the soles.
    Balance,
    /// Relief.
    Relief,
    /// The target is only followed.
    Nothing,
}

/// How much farther than with no control back and legs may stray, rad: 1°.
const HARM: f64 = 0.0175;

impl Simulation {
    /// What is done now.
    pub(super) fn care_now(&self) -> Care {
        if self.was_struck { self.answered_care() } else { self.care }
    }

    /// Plans where the arms go under the loads of a body that has not moved yet, and tries out how much care they ask
    /// for.
    ///
    /// Without it loads are not relieved, and all care is taken from the beginning.
    ///
    /// # Errors
    /// When the caller stops.
    pub fn prepare(&mut self, progress: Progress<'_>) -> Result<(), Cancelled> {
        self.care = Care::All;
        if !(self.loaded && self.config.control) {
            return Ok(());
        }
        self.relief = Relief::plan(self, progress)?;
        let Some(least) = self.strays(Care::Nothing, progress)? else { return Ok(()) };
        self.care = Care::Nothing;
        for care in [Care::Balance, Care::Relief] {
            if self.strays(care, progress)?.is_some_and(|far| far <= least + HARM) {
                self.care = care;
                break;
            }
        }
        Ok(())
    }

    /// How far back and legs stray from the target at most with this much care, rad; nothing when the body falls.
    fn strays(&self, care: Care, progress: Progress<'_>) -> Result<Option<f64>, Cancelled> {
        let mut trial = self.clone();
        trial.care = care;
        let mut farthest = 0.0_f64;
        while !trial.is_done() {
            if trial.step.is_multiple_of(512) {
                report(progress, 0.4)?;
            }
            trial.step(None);
            if trial.fell_at_s().is_some() {
                return Ok(None);
            }
            let Self { body, target, state, off, members, step, .. } = &mut trial;
            difference_into(body, target.q(*step), &state.q, off);
            for &dof in &members.arms {
                off[dof] = 0.0;
            }
            farthest = farthest.max(joint_error(body, off));
        }
        Ok(Some(farthest))
    }
}
