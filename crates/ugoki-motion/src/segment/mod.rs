//! Long takes cut into simple movements.
//!
//! ```text
//! Clip ─despike─► points seen from the hips ─groups─► speeds ─► turns, or bells ─► cuts ─► pieces
//! ```
//!
//! By default ([`SegmentMethod::Turns`]) a take is parted into rests, in which nothing moves, and movements, which are cut where
//! what is fastest changes its direction. [`SegmentMethod::Paper`] cuts by bells \[shibata2005, 3\]: a simple movement starts at
//! rest, speeds up once and comes to rest. The fastest bell of any body part gives the first two cuts; what lies before and after
//! is cut likewise.

mod bells;
mod cut;
mod groups;
mod observe;
mod report;
mod speeds;
mod turns;

pub use bells::{Bell, find_bells};
pub use cut::{Objective, Piece, Segmentation, segment};
pub use groups::{GivenGroup, Group, TRAVEL};
pub use observe::{BodyPoints, Observer, limb_above};
pub use report::TimedPiece;

use std::fmt;

use serde::{Deserialize, Serialize};
use ugoki_base::Cancelled;
use ugoki_base::signal::DespikeError;

/// How a take is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum SegmentMethod {
    /// Rests, and between them changes of direction of what is fastest.
    #[default]
    Turns,
    /// Bells of speed, as in section 3 of the paper \[shibata2005\].
    Paper,
}

impl fmt::Display for SegmentMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Turns => "turns",
            Self::Paper => "paper",
        })
    }
}

/// What counts as a movement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SegmentConfig {
    /// How a take is cut.
    pub method: SegmentMethod,
    /// Turns: movements are cut where the speed falls to this ratio of its peaks before and after (0 to 1).
    pub turn: f64,
    /// Turns: shorter stillness, seconds, is no rest.
    pub pause_s: f64,
    /// Turns: a group that moves no faster than this, metres per second, is still.
    pub quiet_m_s: f64,
    /// Bells: a bell begins and ends at a minimum below this ratio of its peak (0 to 1).
    pub rest: f64,
    /// Bells, D: shorter ones, seconds, are dropped when they are also slower than `peak_m_s`; shorter gaps are no rests.
    pub duration_s: f64,
    /// Bells, P: see `duration_s`; metres per second.
    pub peak_m_s: f64,
    /// Bells: longer ones, seconds, are dropped; none when absent.
    pub longest_s: Option<f64>,
    /// Cuts nearer to each other than this, seconds, become one.
    pub merge_s: f64,
    /// Width over which positions are smoothed, seconds: of the moving average, twice the deviation of the kernel for turns.
    pub smooth_s: f64,
    /// Rigid groups whose speeds are looked at; the usual ones by role when empty. How the body travels is looked at in any case.
    pub groups: Vec<GivenGroup>,
}

impl Default for SegmentConfig {
    fn default() -> Self {
        Self {
            method: SegmentMethod::default(),
            // Of 0.6, 0.75 and 0.8 that which meets most labels of 20 takes (docs/results/perform.md).
            turn: 0.8,
            // As long as a simple reaction: a body still for that long begins another movement.
            pause_s: 0.2,
            // Hands and head of a standing person sway with 1 to 3 cm/s; what creeps is still to the eye.
            quiet_m_s: 0.12,
            // Swept from 0.1 to 0.5 in docs/results/perform.md.
            rest: 0.2,
            // Voluntary movements of hand and foot last 0.3 s and more; what is shorter and slow is a correction.
            duration_s: 0.5,
            peak_m_s: 0.3,
            longest_s: None,
            merge_s: 0.1,
            // Takes jitter above 10 Hz; a bell of 0.3 s keeps nine tenths of its peak.
            smooth_s: 0.1,
            groups: Vec::new(),
        }
    }
}

/// Bells shorter than this, seconds, are glitches: no voluntary movement is.
pub const SHORTEST_BELL_S: f64 = 0.1;

/// Why a clip cannot be cut.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SegmentError {
    /// A setting is not usable.
    #[error("{name} is {value}, expected {expected}")]
    Config {
        /// The field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What would do.
        expected: &'static str,
    },
    /// Hips and limbs are not known, so nothing can be seen from them.
    #[error("the skeleton has no {missing}")]
    Body {
        /// What was looked for.
        missing: &'static str,
    },
    /// A movement needs a rest, a peak and a rest.
    #[error("a motion of {frames} frames is too short to cut, expected at least 3")]
    TooShort {
        /// Frames there are.
        frames: usize,
    },
    /// A group has none of the body's joints, or the name of another.
    #[error("the group {group} has no joint that is watched here, or its name is taken")]
    Group {
        /// The group as given.
        group: String,
    },
    /// Glitches could not be looked for.
    #[error(transparent)]
    Despike(DespikeError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<DespikeError> for SegmentError {
    fn from(error: DespikeError) -> Self {
        match error {
            DespikeError::Cancelled(stop) => Self::Cancelled(stop),
            error => Self::Despike(error),
        }
    }
}

impl SegmentConfig {
    fn check(&self) -> Result<(), SegmentError> {
        let within = |name, value: f64, low: f64, high: f64, expected| {
            if value >= low && value <= high {
                Ok(())
            } else {
                Err(SegmentError::Config { name, value, expected })
            }
        };
        within("turn", self.turn, 0.05, 0.95, "a share of the peaks from 0.05 to 0.95")?;
        within("rest", self.rest, 0.0, 0.95, "a share of the peak from 0 to 0.95")?;
        within("duration_s", self.duration_s, 0.0, 1e6, "seconds, 0 or more")?;
        within("pause_s", self.pause_s, 0.0, 1e6, "seconds, 0 or more")?;
        within("peak_m_s", self.peak_m_s, 0.0, 1e6, "metres per second, 0 or more")?;
        within("quiet_m_s", self.quiet_m_s, 0.0, 1e6, "metres per second, 0 or more")?;
        within("merge_s", self.merge_s, 0.0, 10.0, "seconds from 0 to 10")?;
        within("smooth_s", self.smooth_s, 0.0, 10.0, "seconds from 0 to 10")?;
        let longest = self.longest_s.unwrap_or(1.0);
        within("longest_s", longest, SHORTEST_BELL_S, f64::MAX, "seconds, 0.1 or more")
    }
}

#[cfg(test)]
mod tests;
