//! How a blow is answered: tried out when it comes.
//!
//! Nobody knows when a blow comes. Once it has, what it left of the body's motion and what the target will do are known, and what
//! becomes of it can be tried: a copy of the body runs ahead as it would anyway, and where that ends in a fall, or away from the target, once
//! more with each other answer of a short list. No trial knows of blows to come; each is answered anew. Who saw no way back to
//! the target looks again from time to time.

use super::rehearse::Care;
use super::report::joint_error;
use super::simulation::Simulation;
use super::stepping::STEP_S;
use crate::dynamics::{difference_into, vec3_at};
use crate::{Cancelled, Progress, report};

/// What is done after a blow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Answer {
    pub(super) care: Care,
    /// Seconds for which balance is kept within the soles, whatever is done afterwards.
    later_s: f64,
    /// The foot that steps as soon as both stand; afterwards steps come as they are needed.
    pub(super) first: Option<usize>,
    /// Duration of steps of our own, s.
    pub(super) step_s: f64,
    /// How far feet are led, as a share of where ξ asks for them.
    pub(super) reach: f64,
    /// The step since which it is done.
    since: usize,
}

impl Answer {
    /// What is done where nothing was tried out.
    pub(super) const USUAL: Self =
        Self { care: Care::All, later_s: 0.0, first: None, step_s: STEP_S, reach: 1.0, since: 0 };
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

/// The answers that are tried first. With the target only followed among them, control fells nobody within a look whom tracking alone
/// keeps up.
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
/// Blows smaller than this together, N·s, are not looked at: 3 cm/s of a body of 65 kg.
const SMALL_N_S: f64 = 2.0;
/// Least time between two looks while something goes on pushing, s.
const AGAIN_S: f64 = 0.1;
/// Who saw no way back to the target looks again after this time, s: that of a step.
const REVIEW_S: f64 = 0.25;
/// A body whose joints are this near to the target, rad (1°), for this long, s, is back on it and needs no further trial.
const SETTLED: f64 = 0.0175;
const SETTLED_S: f64 = 0.3;
/// As near as this, rad (5°), it counts as recovered at the end.
const NEAR: f64 = 0.0873;

/// What a joint that gives all it has counts like, rad²: 5° of deviation of every joint for as long.
const SPENT: f64 = NEAR * NEAR;

/// Who turns his pelvis faster than this against the target's, rad/s, is thrown round: it is what 40 N·s at the chest do at once. Right after
/// a blow, s, it is the blow's.
const WILD_RAD_S: f64 = 8.0;
const BLOW_S: f64 = 0.06;

/// How a trial ended, better ones first; of equal ends those that stray and strain less.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Outlook {
    /// Near the target; with the squared deviation and the effort on the way, rad²·s.
    Back(f64),
    /// It stands.
    Stands(f64),
    /// The same, but it was thrown round on the way.
    Wild(f64),
    /// It falls: after how many steps, negative so that later is better.
    Falls(f64),
}

/// What was seen last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Foresight {
    /// Impulses that no look has seen, N·s.
    pub(super) news_n_s: f64,
    /// Steps before which neither news nor anything else is looked at.
    news_from: usize,
    again_from: usize,
}

impl Foresight {
    pub(super) const NONE: Self = Self { news_n_s: 0.0, news_from: 0, again_from: usize::MAX };
}

impl Simulation {
    /// Looks ahead where something has struck the body, and decides how that is answered; does nothing where there is nothing to decide.
    ///
    /// To be called before [`Simulation::step`]. A look takes as long as a hundred to three hundred steps, eighteen times that where the usual
    /// answer fails, and up to fifty-four times where eighteen do; it needs memory. Without it blows are answered as usual.
    ///
    /// # Errors
    /// When the caller stops.
    pub fn foresee(&mut self, progress: Progress<'_>) -> Result<(), Cancelled> {
        let news = self.foresight.news_n_s > SMALL_N_S && self.step >= self.foresight.news_from;
        let asks = news || self.step >= self.foresight.again_from;
        if !(asks && self.config.control) || self.fall.is_falling() || self.is_done() {
            return Ok(());
        }
        // What is being done already goes on, unless something better is found.
        let (mut best, mut seen) = (self.answer, self.attempt(self.answer));
        if !matches!(seen.0, Outlook::Back(_)) {
            self.look_among(ANSWERS.into_iter(), &mut best, &mut seen, progress)?;
        }
        if matches!(seen.0, Outlook::Wild(_) | Outlook::Falls(_)) {
            self.look_among(more_answers(), &mut best, &mut seen, progress)?;
        }
        self.answer = best;
        let after = |seconds: f64| self.step + (seconds / self.target.dt) as usize;
        let again_from = match seen {
            (_, true) => usize::MAX,
            (Outlook::Back(_), _) => after(AHEAD_S),
            _ => after(REVIEW_S),
        };
        self.foresight = Foresight { news_n_s: 0.0, news_from: after(AGAIN_S), again_from };
        Ok(())
    }

    /// Tries answers and keeps the best.
    fn look_among(
        &self,
        answers: impl Iterator<Item = Answer>,
        best: &mut Answer,
        seen: &mut (Outlook, bool),
        progress: Progress<'_>,
    ) -> Result<(), Cancelled> {
        for answer in answers {
            report(progress, 0.0)?;
            let answer = Answer { since: self.step, ..answer };
            let end = self.attempt(answer);
            if end.0 < seen.0 {
                (*best, *seen) = (answer, end);
            }
        }
        Ok(())
    }

    /// The care that the answer to a blow takes now.
    pub(super) fn answered_care(&self) -> Care {
        let age_s = (self.step - self.answer.since) as f64 * self.target.dt;
        if age_s < self.answer.later_s { Care::Balance } else { self.answer.care }
    }

    /// What becomes of the body with this answer if nothing else happens, and whether it settles on the target.
    fn attempt(&self, answer: Answer) -> (Outlook, bool) {
        let mut trial = self.clone();
        trial.answer = answer;
        let dt = self.target.dt;
        let (mut sum, mut near_s, mut off_now, mut wild) = (0.0, 0.0, 0.0, false);
        for _ in 0..(AHEAD_S / dt) as usize {
            if trial.is_done() || near_s > SETTLED_S {
                break;
            }
            trial.step(None);
            if trial.fell_at_s().is_some() {
                return (Outlook::Falls(-((trial.step - self.step) as f64)), false);
            }
            let Self { body, target, state, off, step, .. } = &mut trial;
            difference_into(body, target.q(*step), &state.q, off);
            off_now = joint_error(body, off);
            let spent = trial.cut.iter().filter(|&&cut| cut).count() as f64;
            sum += (off_now * off_now + spent * SPENT) * dt;
            near_s = if off_now < SETTLED { near_s + dt } else { 0.0 };
            let turn = vec3_at(&trial.state.qd, 3) - vec3_at(trial.target.qd(trial.step), 3);
            let past_blow = (trial.step - self.step) as f64 * dt > BLOW_S;
            wild |= past_blow && turn.length() > WILD_RAD_S;
        }
        let end = match off_now < NEAR {
            _ if wild => Outlook::Wild(sum),
            true => Outlook::Back(sum),
            false => Outlook::Stands(sum),
        };
        (end, near_s > SETTLED_S)
    }
}
