//! How a blow is answered: tried out when it comes.
//!
//! Blows are not known in advance. Once one has come, what it left of the body's motion and what the target will do are
//! known, and what becomes of it can be tried: a copy of the body runs ahead as it would anyway, and where that ends in
//! a fall, or away from the target, once more with each other answer of a short list. No trial knows of blows to come;
//! each gets its own answer. A body that found no way back to the target looks again from time to time.

use ugoki_base::{Cancelled, Progress, report};

use super::config::Control;
use super::controller::Controller;
use super::memory::{Answer, Care, Foresight};
use super::report::joint_error;
use super::simulation::Simulation;
use crate::dynamics::{difference_into, vec3_at};

impl Answer {
    const NOTHING: Self = Self { care: Care::Nothing, ..Self::USUAL };
    const BALANCE: Self = Self { care: Care::Balance, ..Self::USUAL };

    const fn first(foot: usize) -> Self {
        Self { first: Some(foot), ..Self::USUAL }
    }

    const fn reach(reach: f64) -> Self {
        Self { reach, ..Self::USUAL }
    }

    const fn lasting(step_s: f64) -> Self {
        Self { step_s, ..Self::USUAL }
    }

    const fn after(self, later_s: f64) -> Self {
        Self { later_s, ..self }
    }
}

/// The answers that are tried first. With the target only followed among them, within the horizon control fells no body
/// that tracking alone keeps up.
const ANSWERS: [Answer; 17] = [
    Answer::USUAL,
    Answer::NOTHING,
    Answer::BALANCE,
    Answer::USUAL.after(0.1),
    Answer::USUAL.after(0.2),
    Answer::USUAL.after(0.4),
    Answer::first(0),
    Answer::first(1),
    Answer::first(0).after(0.1),
    Answer::first(1).after(0.1),
    Answer::reach(0.5),
    Answer::reach(0.75),
    Answer::reach(1.25),
    Answer::reach(1.5),
    Answer::reach(1.5).after(0.1),
    Answer::lasting(0.2),
    Answer::lasting(0.32),
];

/// Where all of those end in a fall, or wildly: which foot first, when, and how far, in every combination.
fn more_answers() -> impl Iterator<Item = Answer> {
    let feet = [None, Some(0), Some(1)].into_iter();
    feet.flat_map(|first| [0.0, 0.2, 0.3, 0.5].map(|later_s| (first, later_s))).flat_map(
        |(first, later_s)| [0.75, 1.25, 1.5].map(|reach| Answer { first, later_s, reach, ..Answer::USUAL }),
    )
}

/// How far ahead trials run, s: a stumble of three steps, and coming to rest after it.
const AHEAD_S: f64 = 2.5;
/// Least time between two looks while something goes on pushing, s; longer while all of it together is a nudge, N·s: 3
/// cm/s of a body of 65 kg.
const AGAIN_S: f64 = 0.1;
const NUDGED_S: f64 = 1.0;
const NUDGE_N_S: f64 = 2.0;
/// Time until the next rollouts when none returned to the target, s: that of a step.
const REVIEW_S: f64 = 0.25;
/// A body whose joints are this near to the target, rad (1°), for this long, s, and which is nowhere astray, is back on
/// it and needs no further trial. Joints alone are not enough: a stiff body tipping over the edge of its feet has them
/// all right.
const SETTLED: f64 = 0.0175;
const SETTLED_S: f64 = 0.3;
/// As near as this, rad (5°), it counts as recovered at the end.
const NEAR: f64 = 0.0873;

/// Deviations that differ by less than this, rad (0.1°), are one.
const UNSEEN: f64 = 0.00175;

/// What a joint that gives all it has counts like, rad²: 5° of deviation of every joint for as long.
const SPENT: f64 = NEAR * NEAR;

/// A pelvis that turns faster than this against the target's, rad/s, counts as thrown round: it is what 40 N·s at the
/// chest do at once. Right after a blow, s, it is the blow's.
const WILD_RAD_S: f64 = 8.0;
const BLOW_S: f64 = 0.06;

/// How a trial ended, better ones first; of equal ends those that stray and strain less.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Outlook {
    /// Near the target; with the squared deviation and the effort until then, rad²·s.
    Back(f64),
    /// It stands.
    Stands(f64),
    /// The same, but it was thrown round meanwhile.
    Wild(f64),
    /// It falls: after how many steps, negative so that later is better.
    Falls(f64),
}

/// What a trial showed.
#[derive(Debug, Clone, Copy)]
struct Trial {
    end: Outlook,
    /// Whether it comes to rest on the target.
    settles: bool,
    /// The largest deviation of the joints during the rollout, rad.
    farthest: f64,
}

impl Trial {
    fn is_back(&self) -> bool {
        matches!(self.end, Outlook::Back(_))
    }
}

impl Simulation {
    /// Runs rollouts after something has struck the body and chooses the answer; does nothing when there is nothing to
    /// decide.
    ///
    /// To be called before [`Simulation::step`]. A look takes as long as two hundred to twelve hundred steps, nine
    /// times that where what is being done fails, and up to twenty-seven times where eighteen answers do; it needs
    /// memory. Without it blows are answered as usual.
    ///
    /// # Errors
    /// When the caller stops.
    pub fn foresee(&mut self, progress: Progress<'_>) -> Result<(), Cancelled> {
        let Foresight { news_n_s, news_from, nudge_from, again_from } = self.memory.foresight;
        let from = if news_n_s > NUDGE_N_S { news_from } else { nudge_from };
        let news = news_n_s > 0.0 && self.motion.step >= from;
        let asks = news || self.motion.step >= again_from;
        if !(asks && self.setup.config.control == Control::On)
            || self.motion.fall.is_falling()
            || self.is_done()
        {
            return Ok(());
        }
        // What is being done already goes on, unless something better is found.
        let (mut best, mut seen) = (self.memory.answer, self.attempt(self.memory.answer));
        if !seen.is_back() {
            self.look_among(ANSWERS.into_iter(), &mut best, &mut seen, progress)?;
        } else if let Some(quiet) = self.quiet_answer() {
            // A body that comes back without balancing, and deviates no farther, needs none.
            let end = self.attempt(quiet);
            if end.is_back() && end.farthest <= seen.farthest + UNSEEN || end.end < seen.end {
                (best, seen) = (quiet, end);
            }
        }
        if matches!(seen.end, Outlook::Wild(_) | Outlook::Falls(_)) {
            self.look_among(more_answers(), &mut best, &mut seen, progress)?;
        }
        self.memory.answer = best;
        let after = |seconds: f64| self.motion.step + (seconds / self.setup.target.dt) as usize;
        let again_from = match seen.end {
            _ if seen.settles => usize::MAX,
            Outlook::Back(_) => after(AHEAD_S),
            _ => after(REVIEW_S),
        };
        let (news_from, nudge_from) = (after(AGAIN_S), after(NUDGED_S));
        self.memory.foresight = Foresight { news_n_s: 0.0, news_from, nudge_from, again_from };
        Ok(())
    }

    /// What is done without a blow: the target is followed, with as much care as the load asks for; nothing where it
    /// asks for all.
    fn quiet_answer(&self) -> Option<Answer> {
        let care = if self.setup.loaded { self.memory.care } else { Care::Nothing };
        (care != Care::All).then_some(Answer { care, since: self.motion.step, ..Answer::USUAL })
    }

    /// Tries answers and keeps the best.
    fn look_among(
        &self,
        answers: impl Iterator<Item = Answer>,
        best: &mut Answer,
        seen: &mut Trial,
        progress: Progress<'_>,
    ) -> Result<(), Cancelled> {
        for answer in answers {
            report(progress, 0.0)?;
            let answer = Answer { since: self.motion.step, ..answer };
            let end = self.attempt(answer);
            if end.end < seen.end {
                (*best, *seen) = (answer, end);
            }
        }
        Ok(())
    }

    /// What becomes of the body with this answer if nothing else happens.
    fn attempt(&self, answer: Answer) -> Trial {
        let mut trial = self.clone();
        trial.memory.answer = answer;
        let dt = self.setup.target.dt;
        let (mut sum, mut near_s, mut off_now, mut farthest, mut wild) = (0.0, 0.0, 0.0, 0.0_f64, false);
        for _ in 0..(AHEAD_S / dt) as usize {
            if trial.is_done() || near_s > SETTLED_S {
                break;
            }
            trial.step(None);
            if trial.fell_at_s().is_some() {
                let end = Outlook::Falls(-((trial.motion.step - self.motion.step) as f64));
                return Trial { end, settles: false, farthest };
            }
            let Self { setup, motion, plan, .. } = &mut trial;
            difference_into(&setup.body, setup.target.q(motion.step), &motion.state.q, &mut plan.off);
            off_now = joint_error(&setup.body, &plan.off);
            farthest = farthest.max(off_now);
            let spent = trial.plan.cut.iter().filter(|&&cut| cut).count() as f64;
            sum += (off_now * off_now + spent * SPENT) * dt;
            let settled = off_now < SETTLED && trial.is_where_the_target_is();
            near_s = if settled { near_s + dt } else { 0.0 };
            let turn =
                vec3_at(&trial.motion.state.qd, 3) - vec3_at(trial.setup.target.qd(trial.motion.step), 3);
            let past_blow = (trial.motion.step - self.motion.step) as f64 * dt > BLOW_S;
            wild |= past_blow && turn.length() > WILD_RAD_S;
        }
        let end = match off_now < NEAR {
            _ if wild => Outlook::Wild(sum),
            true => Outlook::Back(sum),
            false => Outlook::Stands(sum),
        };
        Trial { end, settles: near_s > SETTLED_S, farthest }
    }

    /// Whether pelvis and ξ were near the target's as the last step began, on which control acted.
    fn is_where_the_target_is(&mut self) -> bool {
        let Self { setup, motion, memory, seen, plan, .. } = self;
        Controller { setup, motion, memory, seen, plan }.is_where_the_target_is()
    }
}
