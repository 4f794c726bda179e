//! Clips one after another as one motion.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use ugoki_base::Progress;
use ugoki_base::clip::Clip;
use ugoki_feet::contact::Contacts;

use super::piece::Prepared;
use super::search::Search;
use super::{FeetAt, SeamBody, SeamStep, SourceBody, SpliceError};
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

/// Clips that may be joined, so that reports stay readable and memory bounded by what was read.
pub const MAX_CLIPS: usize = 10_000;

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

/// Joins clips end to start on the ground: each is turned and shifted to meet the one before, the frames on both sides of
/// each seam are bent to meet in place and velocity, and feet that stand stay.
///
/// A seam that stays larger than what is ordinary in the clips, or at which knees snap or legs meet, is tried again with longer windows and more to choose from, and the
/// best try is given: a foot in full swing needs longer to stop. Seams at which the hips accelerate beyond
/// [`SourceBody::hips_limit_m_s2`] are then tried with other cuts and windows, and the one with the least acceleration is kept.
///
/// # Errors
/// When there are no clips, skeletons differ, a clip has no motion, a time is not one, or the caller stops.
pub fn splice(
    clips: &[&Clip],
    config: &SpliceConfig,
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    splice_captured(clips, clips, config, progress)
}

/// What is known of a piece from the whole clip that it was cut from, in frames of the piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    /// Heels and toes that stand.
    pub contacts: Contacts,
    /// Height of the ground that bears the body in every frame, metres; empty where it is not known. Pieces are put on each other's ground exactly.
    pub ground_m: Vec<f32>,
}

/// [`splice`] of pieces whose standing feet are known: a short piece does not tell what [`standing_labels`] of the whole clip does. `labels` are
/// one per piece.
///
/// # Errors
/// As [`splice`].
///
/// # Panics
/// If there are not as many labels as clips.
pub fn splice_labelled(
    clips: &[&Clip],
    labels: &[Option<Labels>],
    config: &SpliceConfig,
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    check(clips, config)?;
    assert_eq!(clips.len(), labels.len(), "labels for every clip");
    splice_best(clips, clips, Some(labels), config, progress)
}

/// [`splice`] of clips that were moved onto one skeleton, with the motions as they were `captured`: what legs may be asked for is measured
/// in those, since what retargeting did to legs is no excuse.
///
/// # Errors
/// As [`splice`].
pub fn splice_captured(
    clips: &[&Clip],
    captured: &[&Clip],
    config: &SpliceConfig,
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    check(clips, config)?;
    splice_best(clips, captured, None, config, progress)
}

fn splice_best(
    clips: &[&Clip],
    captured: &[&Clip],
    labels: Option<&[Option<Labels>]>,
    config: &SpliceConfig,
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    let prepared = Prepared::new(clips, labels, config.feet, &mut |part| progress(0.3 * part))?;
    // Pieces with labels were cut by a search of their own.
    let search = Search::new(&prepared, captured, config);
    search.best(labels.is_none(), &mut |part| progress(0.3 + 0.7 * part))
}

fn check(clips: &[&Clip], config: &SpliceConfig) -> Result<(), SpliceError> {
    if clips.is_empty() || clips.len() > MAX_CLIPS {
        return Err(SpliceError::Count { clips: clips.len(), least: 1, most: MAX_CLIPS });
    }
    for (what, seconds) in [("a blend", config.blend_s), ("a trim", config.trim_s)] {
        if !(seconds.is_finite() && seconds >= 0.0) {
            return Err(SpliceError::Seconds { what, seconds });
        }
    }
    for (index, clip) in clips.iter().enumerate() {
        let name = || clip.name.clone();
        if clip.motion_frames().is_empty() {
            return Err(SpliceError::Empty { clip: index, name: name() });
        }
        if **clip.skeleton() != **clips[0].skeleton() {
            return Err(SpliceError::Skeleton { clip: index, name: name() });
        }
    }
    Ok(())
}
