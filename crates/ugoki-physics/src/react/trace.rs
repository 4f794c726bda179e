//! A reaction's report read back from its JSON document: the parts that are drawn.

use std::collections::BTreeMap;

use serde::Deserialize;
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;

use super::world::{Place, Thing};

/// The drawn parts of a [`super::ReactionReport`] and the names of its motions.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ReactionTrace {
    /// The motion that was followed, as it was named.
    pub input: String,
    /// The resulting motion, as it was named; may be empty.
    #[serde(default)]
    pub output: String,
    /// Height of the ground, m.
    #[serde(default)]
    pub floor_m: f64,
    /// The bodies of the scene file.
    #[serde(default)]
    pub bodies: Vec<Thing>,
    /// One per frame of motion.
    pub frames: Vec<TraceFrame>,
}

/// One frame of a [`ReactionTrace`].
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TraceFrame {
    /// Seconds from the first row.
    pub t: f64,
    /// Zero-moment point, (x, z) in m; none in flight.
    #[serde(default)]
    pub zmp: Option<[f64; 2]>,
    /// Support polygon, (x, z) in m.
    #[serde(default)]
    pub polygon: Vec<[f64; 2]>,
    /// Corrections of the joints' accelerations, rad/s².
    #[serde(default)]
    pub correction_axes: BTreeMap<Role, [f64; 3]>,
    /// Where the bodies of the scene are; none before they are thrown.
    #[serde(default)]
    pub bodies: Vec<Option<Place>>,
}

/// Why a report cannot be drawn on a motion.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The document is not the report of a reaction.
    #[error(transparent)]
    Form(#[from] serde_json::Error),
    /// It is about another motion.
    #[error(
        "the report has {reported} frames of {reported_s:.4} s, the motion has {frames} of {frame_s:.4} s"
    )]
    Frames {
        /// Frames of the report.
        reported: usize,
        /// Their length, seconds.
        reported_s: f64,
        /// Frames of the motion.
        frames: usize,
        /// Their length, seconds.
        frame_s: f64,
        /// The motion that the report is about; may be empty.
        output: String,
    },
}

impl ReactionTrace {
    /// Reads the JSON document of a report.
    ///
    /// # Errors
    /// When it is something else.
    pub fn from_json(text: &str) -> Result<Self, TraceError> {
        Ok(serde_json::from_str(text)?)
    }

    /// Refuses a report with other frames than `clip`: it is about another motion.
    ///
    /// # Errors
    /// When they do not fit.
    pub fn check(&self, clip: &Clip) -> Result<(), TraceError> {
        let (reported, frames) = (self.frames.len(), clip.motion_frames().len());
        let frame_s = 1.0 / clip.fps();
        let reported_s = self.frames.windows(2).next().map_or(frame_s, |pair| pair[1].t - pair[0].t);
        if reported == frames && (reported_s * clip.fps() - 1.0).abs() < 0.01 {
            return Ok(());
        }
        Err(TraceError::Frames { reported, reported_s, frames, frame_s, output: self.output.clone() })
    }
}
