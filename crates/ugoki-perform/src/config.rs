//! How a performance is run.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Probability of an unknown movement from which the performer is shown: never. At 0.5 real repeats were taken for something else
/// in 44.5 % of the frames (docs/results/perform.md).
const UNKNOWN: f32 = 1.0;
/// Most look-ahead, seconds.
pub const MAX_LOOKAHEAD_S: f32 = 0.5;

/// How the actor's frame is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// A causal Bayesian filter over motion, frame, rate and size.
    #[default]
    Follow,
    /// The paper's run time \[shibata2005\]: least sum of distances to a pattern, regression, z(P) + z(Q).
    Paper,
    /// The same with one-pass dynamic programming \[ney1984\] instead of the sum, which the paper compares with.
    Dp,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Follow => "follow",
            Self::Paper => "paper",
            Self::Dp => "dp",
        })
    }
}

/// Whether a performer uses the other hand than the actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum Mirror {
    /// Finds out while the performance runs.
    #[default]
    Auto,
    /// The same hand.
    No,
    /// The other hand: the performer is taken as in a mirror.
    Yes,
}

impl fmt::Display for Mirror {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::No => "no",
            Self::Yes => "yes",
        })
    }
}

/// How to run a performance. All but the method matters to following only.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunConfig {
    /// How the actor's frame is found.
    pub method: Method,
    /// Probability, 0 to 1, of a movement that was not learned from which the performer is shown instead of the actor; 1, the
    /// default, takes every performance for one of the motions.
    pub unknown: f32,
    /// Whether the performer uses the other hand.
    pub mirror: Mirror,
    /// How much of the actor is shown while the performer does one of the motions: 0 is the performer, 1 the actor.
    pub amount: f32,
    /// Seconds, up to [`MAX_LOOKAHEAD_S`], by which what is shown is later, to know more of the performance.
    pub lookahead_s: f32,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            method: Method::default(),
            unknown: UNKNOWN,
            mirror: Mirror::default(),
            amount: 1.0,
            lookahead_s: 0.0,
        }
    }
}
