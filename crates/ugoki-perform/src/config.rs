//! How a performance is recognised.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What it takes to leave the order of pieces, mean leg lengths per point; swept in docs/results/perform.md.
const ORDER: f32 = 0.05;
/// Distance from the imitation, mean leg lengths per point, at which its regression is half believed; swept there too.
const TRUST: f32 = 0.02;
/// Ratio of movement that may go unexplained before the pose is held; swept there too.
const UNKNOWN: f32 = 0.75;

/// How pieces are distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Motions by the least distance to any sample; the place in one by following it from frame to frame.
    #[default]
    Follow,
    /// The paper's: least sum of distances to all samples of a pattern.
    Sum,
    /// Least distance to any sample.
    Nearest,
    /// Least distance of the last tenths of a second to an interval of a pattern.
    Window,
    /// One-pass dynamic programming over all patterns \[ney1984\].
    Dp,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Follow => "follow",
            Self::Sum => "sum",
            Self::Nearest => "nearest",
            Self::Window => "window",
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
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::No => "no",
            Self::Yes => "yes",
        })
    }
}

/// How to recognise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunConfig {
    /// How pieces are recognised.
    pub method: Method,
    /// Frames that must agree on another piece before it is taken; 0 takes it at once.
    pub hysteresis: usize,
    /// How much nearer a piece of the same motion must be to come out of order, mean leg lengths per point.
    pub order: f32,
    /// Distance from the imitation, mean leg lengths per point, at which its regression and its nearest sample are
    /// believed alike; infinite to believe the regression always.
    pub trust: f32,
    /// Fraction of the performer's movement, 0 to 1, that may have nothing in common with what is followed before the
    /// last pose is held; 1 to take every performance for one of the motions. Known only when following.
    pub unknown: f32,
    /// Whether the performer uses the other hand. Found out only when following.
    pub mirror: Mirror,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            method: Method::default(),
            hysteresis: 0,
            order: ORDER,
            trust: TRUST,
            unknown: UNKNOWN,
            mirror: Mirror::default(),
        }
    }
}
