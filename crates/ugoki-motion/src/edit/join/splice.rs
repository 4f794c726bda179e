//! Clips one after another as one motion: the entry points.

use ugoki_base::Progress;
use ugoki_base::clip::Clip;

use super::bridge::bridged;
use super::piece::{Labels, Prepared};
use super::search::Search;
use super::{SpliceConfig, SpliceError, Spliced};

/// Clips that may be joined, so that reports stay readable and memory bounded by what was read.
pub const MAX_CLIPS: usize = 10_000;

/// Joins clips end to start on the ground: each is turned and shifted to meet the one before, the frames on both sides of
/// each seam are bent to meet in place and velocity, and feet that stand stay.
///
/// A seam that stays larger than what is ordinary in the clips, or at which knees snap or legs meet, is tried with longer windows
/// and other cuts, and the try that shows least is kept: a foot in full swing needs longer to stop. So is one at which the hips accelerate
/// beyond [`super::SourceBody::hips_limit_m_s2`].
///
/// # Errors
/// When there are no clips, skeletons differ, a clip has no motion, a time is not one, or the caller stops.
pub fn splice(
    clips: &[&Clip],
    config: &SpliceConfig,
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    splice_from(clips, clips, &[], config, progress)
}

/// [`splice`] of clips that were moved onto one skeleton, with the motions as they were `captured`: what a body may be asked for is measured
/// in those, since what retargeting did to legs is no excuse.
///
/// Where the hips would accelerate beyond the limit, a part of 0.2 to 1.5 s of one of the `database`'s clips that leads from one clip to the next
/// is inserted, if that shows less. Parts are found by body features and joined like all clips.
///
/// # Errors
/// As [`splice`].
pub fn splice_from(
    clips: &[&Clip],
    captured: &[&Clip],
    database: &[Clip],
    config: &SpliceConfig,
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    check(clips, config)?;
    let prepared = Prepared::new(clips, None, config.feet, &mut |part| progress(0.2 * part))?;
    let search = Search::new(&prepared, captured, config);
    let plain = search.best(true, &mut |part| progress(0.2 + 0.3 * part))?;
    bridged(plain, &search, database, &mut |part| progress(0.5 + 0.5 * part))
}

/// [`splice`] of pieces whose standing feet are known: a short piece does not tell what [`super::standing_labels`] of the whole clip does.
/// `labels` are one per piece. Every seam is made as asked for: the pieces were cut by a search of their own.
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
    let prepared = Prepared::new(clips, Some(labels), config.feet, &mut |part| progress(0.3 * part))?;
    Search::new(&prepared, clips, config).best(false, &mut |part| progress(0.3 + 0.7 * part))
}

/// Refuses clips that cannot be joined.
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
