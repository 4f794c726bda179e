//! `perform`: an expert's motion driven by a performer's.
//!
//! `learn` takes actors' motions, with or without imitations, `run` plays the actor by a performance, `recognize` only says which
//! motion it is, and `evaluate` measures how well a model is followed.

mod evaluate;
mod learn;
mod live;
mod recognize;
mod run;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::perform::{MAX_LOOKAHEAD_S, Method, Mirror, RunConfig};

use crate::Error;

pub use evaluate::{Evaluate, EvaluateReport};
pub use learn::{FileLosses, Learn, Learned};
pub use recognize::{Recognize, RecognizeReport};
pub use run::{Run, RunReport};

crate::verb::verbs! {
    /// Lets a rough performance drive an expert's motion
    #[command(after_help = "Examples:\n  ugoki perform learn expert.bvh me.bvh -o kata.ugoki\n  \
                            ugoki perform run kata.ugoki --input me-again.bvh --output kata.bvh")]
    #[serde(tag = "action", rename_all = "kebab-case")]
    Perform {
        Learn(Learn),
        Run(Run),
        Recognize(Recognize),
        Evaluate(Evaluate),
    }
}

/// How a performer is followed.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[group(skip)]
pub struct Recognition {
    /// follow: the most probable motion, frame, rate and size after all frames so far; paper: the least sum of distances and the
    /// imitation's regression, as published; dp: the paper's with dynamic programming instead of the sum
    #[arg(long, value_enum, default_value = "follow")]
    pub method: Method,

    /// Probability of a movement that was not learned, 0 to 1, from which the performer is shown; 1 is never, 0.5 also shows the
    /// performer in many real repeats. `follow` only
    #[arg(long, value_name = "PROBABILITY", default_value_t = RunConfig::default().unknown, allow_negative_numbers = true)]
    pub unknown: f32,

    /// How much of the actor is shown, 0 (the performer) to 1 (the actor). `follow` only
    #[arg(long, value_name = "RATIO", default_value_t = RunConfig::default().amount, allow_negative_numbers = true)]
    pub amount: f32,

    /// Show everything so much later, to know more of the performance; up to 0.5. `follow` only
    #[arg(long, value_name = "SECONDS", default_value_t = RunConfig::default().lookahead_s, allow_negative_numbers = true)]
    pub lookahead: f32,

    /// Whether the performer uses the other hand and foot than the actor; auto finds out while following
    #[arg(long, value_enum, default_value = "auto", num_args = 0..=1, require_equals = true, default_missing_value = "yes")]
    pub mirror: Mirror,
}

impl Recognition {
    /// The library's settings.
    ///
    /// # Errors
    /// When one is not usable.
    fn config(&self) -> Result<RunConfig, Error> {
        let Self { method, unknown, amount, lookahead, mirror } = *self;
        for (option, value) in [("--unknown", unknown), ("--amount", amount)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::option(option, format!("{value} is not a ratio")).hint("use 0 to 1"));
            }
        }
        if !(0.0..=MAX_LOOKAHEAD_S).contains(&lookahead) {
            return Err(Error::option("--lookahead", format!("{lookahead} s is not possible"))
                .hint(format!("use 0 to {MAX_LOOKAHEAD_S} seconds")));
        }
        Ok(RunConfig { method, unknown, mirror, amount, lookahead_s: lookahead })
    }
}
