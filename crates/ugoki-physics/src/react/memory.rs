//! What the controller remembers from step to step: pace, relief, steps of recovery, the answer to the last blow.

use glam::DVec2;

use super::relief_course::ReliefCourse;

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

/// What is done after a blow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Answer {
    pub(super) care: Care,
    /// Seconds for which balance is kept within the soles, whatever is done afterwards.
    pub(super) later_s: f64,
    /// The foot that steps as soon as both stand; afterwards steps come as they are needed.
    pub(super) first: Option<usize>,
    /// Duration of steps of our own, s.
    pub(super) step_s: f64,
    /// How far feet are led, as a fraction of the displacement that ξ demands.
    pub(super) reach: f64,
    /// The step since which it is done.
    pub(super) since: usize,
}

/// Duration of a step of our own, s: quick steps after a pull take 0.2 to 0.3 s from lift to landing.
pub(super) const STEP_S: f64 = 0.25;

impl Answer {
    /// What is done where nothing was tried out.
    pub(super) const USUAL: Self =
        Self { care: Care::All, later_s: 0.0, first: None, step_s: STEP_S, reach: 1.0, since: 0 };
}

/// What the last rollouts showed, and when to run the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Foresight {
    /// Impulses that no look has seen, N·s.
    pub(super) news_n_s: f64,
    /// Steps before which neither blows, nor nudges, nor anything else is looked at.
    pub(super) news_from: usize,
    pub(super) nudge_from: usize,
    pub(super) again_from: usize,
}

impl Foresight {
    pub(super) const NONE: Self = Self { news_n_s: 0.0, news_from: 0, nudge_from: 0, again_from: usize::MAX };
}

/// A foot that is led through the air.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Swing {
    /// Whether it is led.
    pub(super) led: bool,
    /// Whether the target has the foot standing: the step is our own.
    pub(super) own: bool,
    /// Seconds it takes when it is our own.
    pub(super) whole_s: f64,
    /// Seconds until it should stand; negative when late.
    pub(super) left_s: f64,
    /// Where it should come down against where the target has it, seen from the standing foot, m.
    pub(super) goal: DVec2,
}

/// Steps of the controller's own.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Steps {
    pub(super) swing: [Swing; 2],
    /// Seconds for which both feet have stood.
    pub(super) stood_s: f64,
}

/// Everything the controller remembers.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    /// Feet that are led.
    pub(super) steps: Steps,
    /// Seconds for which the ground has bounded, and for which arms return slowly after relief.
    pub(super) slow_s: f64,
    pub(super) arms_slow_s: f64,
    /// Where the arms go under what is carried, and the weight with which it acts, 0 to 1.
    pub(super) relief: ReliefCourse,
    pub(super) relief_weight: f64,
    /// What the loads ask for, and whether something has struck since.
    pub(super) care: Care,
    pub(super) was_struck: bool,
    /// How blows are answered, and what the rollouts showed.
    pub(super) answer: Answer,
    pub(super) foresight: Foresight,
    /// How far the body is from where the target has it, 0 to 1; 0 while it is there.
    pub(super) astray: f64,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            steps: Steps::default(),
            slow_s: 0.0,
            arms_slow_s: 0.0,
            relief: ReliefCourse::default(),
            relief_weight: 0.0,
            care: Care::All,
            was_struck: false,
            answer: Answer::USUAL,
            foresight: Foresight::NONE,
            astray: 0.0,
        }
    }
}

impl Memory {
    /// What is done at this step, of `dt` seconds.
    pub(super) fn care_now(&self, step: usize, dt: f64) -> Care {
        if !self.was_struck {
            return self.care;
        }
        let age_s = (step - self.answer.since) as f64 * dt;
        if age_s < self.answer.later_s { Care::Balance } else { self.answer.care }
    }
}
