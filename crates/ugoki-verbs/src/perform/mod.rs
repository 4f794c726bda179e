//! `perform`: an expert's motion driven by a performer's.
//!
//! `learn` pairs actors' motions with imitations, `run` plays the actor by a performance, `recognize` only says which
//! motion it is.

mod learn;
mod recognize;
mod run;

use serde::{Deserialize, Serialize};

use super::{Arguments, Error};
use ugoki::clip::Clip;
use ugoki::perform::RunConfig;
use ugoki::skeleton::difference;

pub use learn::{FileLosses, Learn, LearnReport, learn, plot};
pub use recognize::{Recognize, RecognizeReport, RecognizedFrame, Switch, recognize};
pub use run::{Run, RunFrame, RunReport, run};

/// The options that differ from what is usual.
fn recognition(arguments: Arguments, config: &RunConfig) -> Arguments {
    let usual = RunConfig::default();
    arguments
        .option("method", (config.method != usual.method).then_some(config.method))
        .option("hysteresis", (config.hysteresis != usual.hysteresis).then_some(config.hysteresis))
        .option("order", (config.order != usual.order).then_some(config.order))
        .option("trust", (config.trust != usual.trust).then_some(config.trust))
        .option("unknown", (config.unknown != usual.unknown).then_some(config.unknown))
        .option("mirror", (config.mirror != usual.mirror).then_some(config.mirror))
}

/// Whether settings make sense.
///
/// # Errors
/// When one does not, with what would.
pub fn check(config: &RunConfig) -> Result<(), Error> {
    for (name, value) in [("order", config.order), ("trust", config.trust)] {
        if value.is_nan() || value < 0.0 {
            let message = format!("--{name}: {value} is no distance; use leg lengths per point, 0 or more");
            return Err(Error::Perform(message));
        }
    }
    if !(0.0..=1.0).contains(&config.unknown) {
        let message = format!("--unknown: {} is no share; use 0 to 1, 1 to hold nothing", config.unknown);
        return Err(Error::Perform(message));
    }
    Ok(())
}

/// A performance that has frames.
fn not_empty(input: &Clip) -> Result<(), Error> {
    match input.motion_frames().is_empty() {
        true => Err(Error::Perform("the performance has no frames; record it again".to_owned())),
        false => Ok(()),
    }
}

/// Two actors of one model have one skeleton: what is shown may go from one to the other.
///
/// # Errors
/// When they have not, with what differs.
pub fn same_skeleton(first: &Clip, second: &Clip) -> Result<(), Error> {
    match difference(first.skeleton(), second.skeleton()) {
        None => Ok(()),
        Some(found) => Err(Error::Perform(format!(
            "the actors of {:?} and {:?} have different skeletons ({found}); bring the second onto the first's with `ugoki convert SECOND NEW \
             --retarget FIRST` and learn from NEW",
            first.name, second.name
        ))),
    }
}

/// What to say of a performance of which nothing was seen.
fn nothing_seen() -> Error {
    Error::Perform(super::NOTHING_SEEN.to_owned())
}

/// Ask for something to do with performances.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "lowercase")]
pub enum Request {
    /// Learn from imitations.
    Learn(Learn),
    /// Play the actor by a performance.
    Run(Run),
    /// Say which motion a performance is.
    Recognize(Recognize),
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        match self {
            Self::Learn(request) => request.command_line(),
            Self::Run(request) => request.command_line(),
            Self::Recognize(request) => request.command_line(),
        }
    }
}
