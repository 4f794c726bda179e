//! Why there is no motion, in words that help.

use std::fmt;

use serde::Serialize;
use ugoki_base::Cancelled;

use super::plan::up;
use super::{RenderError, TimelineError};
use crate::network::NetworkError;

/// Which gap could not be filled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gap {
    /// The layer.
    pub layer: String,
    /// Key motion before, if there is one.
    pub from: Option<String>,
    /// Key motion after, if there is one.
    pub to: Option<String>,
    /// When it begins, seconds.
    pub start_s: f64,
    /// When the next key motion starts, or the timeline ends, seconds.
    pub end_s: f64,
    /// The key after it, or else before it, as numbered in the timeline.
    pub key: Option<usize>,
}

/// A change that makes the timeline feasible, as a trial search has shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remedy {
    /// A higher threshold.
    Threshold {
        /// The threshold.
        threshold: f64,
    },
    /// The key after the gap and all that follows, or the end, at another time.
    Move {
        /// By how much, seconds; negative for sooner.
        by_s: f64,
    },
    /// Clips that may be entered and left inside.
    Interior {
        /// How far inside, seconds.
        interior_s: f64,
    },
    /// A higher F_v.
    Valid {
        /// The F_v.
        valid_f: f64,
    },
}

/// What stands against a walk.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// No walk leads from one key to the next, or none that fits the time.
    NoPath {
        /// The threshold in force.
        threshold: f32,
    },
    /// A key motion is not over when the next one starts.
    KeyTooLong {
        /// The key motion.
        clip: String,
        /// How long it lasts, seconds.
        lasts_s: f64,
        /// How much later the next one would have to start, seconds.
        by_s: f64,
    },
    /// Even the shortest walk takes longer than the gap.
    TooShort {
        /// By how much, seconds.
        by_s: f64,
    },
    /// Every walk ends sooner than the gap does.
    TooLong {
        /// By how much, seconds.
        by_s: f64,
    },
    /// Walks may exist, but chance found none that fits.
    NotFound {
        /// Walks that were tried.
        tries: usize,
    },
    /// Walks there are, but none good enough.
    Strict {
        /// F_v.
        valid_f: f64,
        /// The least F found.
        best_f: f64,
    },
}

/// Why there is no composition.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ComposeError {
    /// The timeline is not usable.
    #[error(transparent)]
    Timeline(#[from] TimelineError),
    /// Nodes, layers and networks must belong together.
    #[error("{what}")]
    Library {
        /// What does not fit.
        what: String,
    },
    /// A setting is not usable.
    #[error("{name} is {value}, expected {low} to {high}")]
    Config {
        /// The field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Least.
        low: f64,
        /// Most.
        high: f64,
    },
    /// A gap cannot be filled.
    #[error("{gap}: {why}")]
    Gap {
        /// Which.
        gap: Box<Gap>,
        /// Why.
        why: Why,
        /// What would help.
        remedies: Vec<Remedy>,
        /// Whether other transitions were tried; in large networks they are not.
        tried: bool,
    },
    /// A clip cannot be loaded, or networks for a trial cannot be built.
    #[error(transparent)]
    Network(NetworkError),
    /// A candidate cannot be rendered.
    #[error(transparent)]
    Render(RenderError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<NetworkError> for ComposeError {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError::Cancelled(stop) => Self::Cancelled(stop),
            error => Self::Network(error),
        }
    }
}

impl From<RenderError> for ComposeError {
    fn from(error: RenderError) -> Self {
        match error {
            RenderError::Cancelled(stop) => Self::Cancelled(stop),
            error => Self::Render(error),
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { layer, start_s, end_s, .. } = self;
        let from = self.from.as_ref().map_or("the beginning".to_owned(), |name| format!("{name:?}"));
        let to = self.to.as_ref().map_or("the end".to_owned(), |name| format!("{name:?}"));
        write!(f, "layer {layer:?}, from {from} at {start_s:.2} s to {to} at {end_s:.2} s")
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPath { threshold } => write!(f, "no walk below the threshold of {threshold} fits"),
            Self::KeyTooLong { clip, lasts_s, by_s } => {
                write!(f, "{clip:?} lasts {lasts_s:.2} s, {:.2} s longer than the gap", up(*by_s))
            }
            Self::TooShort { by_s } => {
                write!(f, "too short by {:.2} s for any walk that is possible", up(*by_s))
            }
            Self::TooLong { by_s } => {
                write!(f, "too long by {:.2} s for any walk that is possible", up(*by_s))
            }
            Self::NotFound { tries } => write!(f, "none of {tries} random walks fits"),
            Self::Strict { valid_f, best_f } => {
                write!(f, "no walk is as good as F = {valid_f:.4}, the best found has F = {best_f:.4}")
            }
        }
    }
}
