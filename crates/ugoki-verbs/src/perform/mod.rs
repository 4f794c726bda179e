//! `perform`: an expert's motion driven by a performer's.
//!
//! `learn` pairs actors' motions with imitations, `run` plays the actor by a performance, `recognize` only says which
//! motion it is.

mod learn;
mod live;
mod recognize;
mod run;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::perform::{Method, Mirror, RunConfig};

use crate::Error;

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
    }
}

/// How pieces are recognised.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[group(skip)]
pub struct Recognition {
    /// follow: motions by the nearest sample, the place in one from frame to frame; sum: all samples of a pattern; nearest:
    /// one sample; window: the last tenth of a second; dp: dynamic programming
    #[arg(long, value_enum, default_value = "follow")]
    pub method: Method,

    /// Frames that must agree on another piece before it is taken
    #[arg(long, value_name = "FRAMES", default_value_t = 0)]
    pub hysteresis: usize,

    /// How much nearer a piece must be to come out of the motion's order: leg lengths per point; 0 for any order. `follow`
    /// has its own order
    #[arg(long, value_name = "LEGS", default_value_t = RunConfig::default().order, allow_negative_numbers = true)]
    pub order: f32,

    /// Distance from the imitation, leg lengths per point, at which its regression has half its weight
    #[arg(long, value_name = "LEGS", default_value_t = RunConfig::default().trust, allow_negative_numbers = true)]
    pub trust: f32,

    /// Ratio of the performer's movement, 0 to 1, that may be like nothing learned before the last pose is held; 1 for never.
    /// `follow` only
    #[arg(long, value_name = "RATIO", default_value_t = RunConfig::default().unknown, allow_negative_numbers = true)]
    pub unknown: f32,

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
        let Self { method, hysteresis, order, trust, unknown, mirror } = *self;
        for (option, value) in [("--order", order), ("--trust", trust)] {
            if value.is_nan() || value < 0.0 {
                return Err(Error::option(option, format!("{value} is not a distance"))
                    .hint("use leg lengths per point, 0 or more"));
            }
        }
        if !(0.0..=1.0).contains(&unknown) {
            return Err(Error::option("--unknown", format!("{unknown} is not a ratio"))
                .hint("use 0 to 1, 1 to hold nothing"));
        }
        Ok(RunConfig { method, hysteresis, order, trust, unknown, mirror })
    }
}
