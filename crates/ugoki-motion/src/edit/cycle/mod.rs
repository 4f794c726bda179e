//! Loops: the cycle of a clip that closes best, closed and repeated.
//!
//! ```text
//! Clip ─features, contacts→ stride length, gaps of all pairs of frames ─find→ Cycle ─close→ one period ─repeat→ Clip
//! ```

mod close;
mod find;
mod gait;
mod repeat_offset;
mod report;
mod stances;

use std::ops::Range;

pub use close::{Drift, Looped, close_cycle};
pub use find::{Cycle, find_cycle, made_cycle};
pub use report::{CycleReport, loop_clip};
use serde::{Deserialize, Serialize};

use super::FeetAt;
use ugoki_base::Cancelled;
use ugoki_base::clip::ClipError;

/// Which cycle is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pick {
    /// One stride of a gait; of anything else the longest.
    #[default]
    Best,
    /// The one that covers most of the clip.
    Longest,
}

/// Whether strides and hops must go straight: turn by at most 10°.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "kebab-case")]
pub enum Straight {
    /// If a straight one closes at most 1.5 times as badly as the best.
    #[default]
    Auto,
    /// If there is a straight one.
    Yes,
    /// The best, wherever it leads.
    No,
}

/// How a cycle is found and closed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CycleConfig {
    /// Which cycle is wanted.
    pub pick: Pick,
    /// Whether strides must go straight.
    pub straight: Straight,
    /// How long the seam is spread, seconds: half at the cycle's end, half at its start.
    pub blend_s: f64,
    /// Cycles whose ends are farther apart than this are no loops, metres of [`Cycle::gap_m`] for a leg of 0.85 m.
    pub gate_m: f64,
    /// What becomes of the travel of a cycle.
    pub drift: Drift,
    /// How many times the cycle is repeated.
    pub cycles: usize,
    /// Which standing feet are held.
    pub feet: FeetAt,
}

impl Default for CycleConfig {
    /// Swept in `docs/results/segments.md`.
    fn default() -> Self {
        Self {
            pick: Pick::Best,
            straight: Straight::Auto,
            blend_s: 0.6,
            gate_m: 0.1,
            drift: Drift::Keep,
            cycles: 1,
            feet: FeetAt::All,
        }
    }
}

/// Why there is no loop.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CycleError {
    /// Too short for any cycle.
    #[error("{frames} frames of motion are too few for a cycle, expected at least {least}")]
    TooShort {
        /// Frames there are.
        frames: usize,
        /// Frames needed.
        least: usize,
    },
    /// A forced cycle that is none.
    #[error("frames {}..{} are no cycle of a motion in frames {}..{}, expected at least {least} of them", .range.start, .range.end, .motion.start, .motion.end)]
    Range {
        /// The cycle asked for.
        range: Range<usize>,
        /// The frames of the motion.
        motion: Range<usize>,
        /// Fewest frames of a cycle.
        least: usize,
    },
    /// No two frames are like enough.
    #[error(
        "no cycle closes: the nearest ends, frames {start} and {end}, are {gap_m:.3} m apart and at most {gate_m:.3} m can be closed"
    )]
    Open {
        /// First frame of the best one.
        start: usize,
        /// The frame that should be like it.
        end: usize,
        /// How far they are apart, metres.
        gap_m: f64,
        /// What can be closed, metres.
        gate_m: f64,
    },
    /// What comes back has not gone anywhere.
    #[error("no interval goes away and comes back: nothing moves, or nothing twice")]
    Still,
    /// A time must be a time.
    #[error("a blend of {seconds} s is not possible, expected 0 or more")]
    Seconds {
        /// What it is.
        seconds: f64,
    },
    /// Repeats must be at least one and fit memory.
    #[error("{cycles} cycles of {frames} frames cannot be made, expected 1 to {most} cycles")]
    Cycles {
        /// How many were asked for.
        cycles: usize,
        /// Frames of one.
        frames: usize,
        /// How many there may be.
        most: usize,
    },
    /// The clip cannot be cut.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Frames of the shortest cycle: something that comes back must go first.
const LEAST_FRAMES: usize = 4;
