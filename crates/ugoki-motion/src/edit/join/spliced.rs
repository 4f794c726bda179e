//! How clips are joined and what came of it.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_feet::contact::Contacts;

use super::{FeetAt, SeamBody, SeamStep, SourceBody};
use crate::edit::GroundFrame;

/// How clips are joined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpliceConfig {
    /// How long a seam is spread, seconds: half before it, half after.
    pub blend_s: f64,
    /// Most that may be cut off each side of a seam where the clips meet better there, seconds; 0 joins end to start exactly.
    pub trim_s: f64,
    /// Which standing feet are held.
    pub feet: FeetAt,
}

impl Default for SpliceConfig {
    /// 0.6 s over each seam, found within the last and first half second; swept in `docs/results/segments.md`.
    fn default() -> Self {
        Self { blend_s: 0.6, trim_s: 0.5, feet: FeetAt::All }
    }
}

/// One clip's part in the result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SplicedClip {
    /// Its name.
    pub name: String,
    /// First frame of the result that is its.
    pub start: usize,
    /// How many frames of the result are its.
    pub frames: usize,
    /// Seconds cut off at its start and end.
    pub trimmed_s: [f64; 2],
    /// Where it was put.
    #[serde(skip)]
    pub placement: GroundFrame,
    /// Its frames that are used, counted as in the clip.
    #[serde(skip)]
    pub source: Range<usize>,
    /// Turn about the vertical it got, degrees.
    pub turn_deg: f32,
    /// Shift it got, metres: x, y, z.
    pub shift_m: [f32; 3],
    /// Whether its rate was changed.
    pub resampled: bool,
    /// Of a clip that was inserted from a database: its first moment that is used and the one after the last, seconds.
    pub inserted: Option<[f64; 2]>,
}

/// Where two clips meet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Seam {
    /// The first frame after it in the result.
    pub frame: usize,
    /// Its time in the result, seconds.
    pub at_s: f64,
    /// The step over it had the clips only been put one after the other.
    pub before: SeamStep,
    /// The step over it in the result.
    pub after: SeamStep,
    /// What it demands of the body.
    pub body: SeamBody,
    /// How many times more than the clips ever do it asks of the legs; as [`Spliced::strain`].
    pub strain: f64,
}

/// Clips as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Spliced {
    /// The result, on the first clip's skeleton at its rate, without added T-poses.
    pub clip: Clip,
    /// The sources' contacts, carried along; `None` without legs.
    pub contacts: Option<Contacts>,
    /// What became of every clip, in order.
    pub clips: Vec<SplicedClip>,
    /// One fewer than clips.
    pub seams: Vec<Seam>,
    /// What changes from frame to frame in the sources: 99 % of their steps stay under it.
    pub ordinary: SeamStep,
    /// What bodies do in the sources, as they were captured.
    pub sources: SourceBody,
    /// Frames that may differ from their sources in their places.
    pub edited: Vec<Range<usize>>,
    /// Largest shift of the hips for feet that stand, metres.
    pub hips_m: f64,
    /// Contact labels of the sources that were not kept because the foot slides on purpose.
    pub slides: usize,
    /// Frames in which the hips of a clip jumped away and back over standing feet, put between their neighbours.
    pub mended: usize,
    /// How many times more than the clips ever do the result asks of the legs, of knees' speed or of room between them; up to 1 it does
    /// not show.
    pub strain: f64,
}

impl Spliced {
    /// How many times as large as ordinary the largest seam is, in the respect in which it is largest.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.seams.iter().map(|seam| seam.after.over(&self.ordinary)).fold(0.0, f64::max)
    }
}
