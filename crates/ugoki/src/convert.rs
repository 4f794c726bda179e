//! Conversion of a motion that was read into the bytes of a file: other skeleton, changes of frames, size and axes, marks.
//!
//! ```
//! # #[cfg(feature = "sample")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ugoki::convert::{Conversion, convert};
//! use ugoki::formats::{Format, LengthScale, Marks, Read};
//! use ugoki::prelude::no_progress;
//!
//! let walk = ugoki::sample::clip("walk").ok_or("no such motion")?;
//! let frames = walk.num_frames();
//! let half = Conversion { scale: LengthScale::Factor(0.5), ..Conversion::default() };
//! let made = convert(Read::from_clip(walk, Marks::default()), Format::Glb, &half, &mut no_progress())?;
//! assert_eq!(made.frames, frames);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "sample"))]
//! # fn main() {}
//! ```

use serde::Serialize;
use ugoki_base::Progress;
use ugoki_base::clip::{Clip, ClipChange, ClipError, Span, TimeError, UpAxis};
use ugoki_base::markers::MarkersError;
use ugoki_feet::contact::{ContactConfig, find_contacts};
use ugoki_formats::{
    self as formats, Finding, Format, LengthScale, LengthUnit, Marks, Read, ReadMarkers, Reading,
    T_POSE_LEFT_OUT, Tpose, WriteError, WriteOptions,
};
use ugoki_motion::retarget::{RetargetConfig, RetargetError, RetargetReport, retarget_onto};

/// What a conversion changes; the default changes nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conversion<'a> {
    /// Moves the motion onto the skeleton of this one; a file of its format is written in its unit, axes and channels.
    pub target: Option<&'a Read>,
    /// Lets the feet slide that stand, when the motion moves onto another skeleton.
    pub free_feet: bool,
    /// Whether an added T-pose in front stays. Until the motion is on its skeleton it shows how the body stands.
    pub tpose: Tpose,
    /// Keeps this interval alone.
    pub trim: Option<Span>,
    /// Changes of frames; its `trim` is not used.
    pub change: ClipChange,
    /// How long lengths are written.
    pub scale: LengthScale,
    /// Unit of [`LengthScale::Auto`].
    pub unit: LengthUnit,
    /// Which way is up, if not as in the source.
    pub up: Option<UpAxis>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Converted {
    /// The file.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// Its format.
    pub format: Format,
    /// Frames written.
    pub frames: usize,
    /// Frames per second written.
    pub fps: f64,
    /// Metres per unit written.
    pub unit_metres: f64,
    /// How the motion was moved onto another skeleton, if it was.
    pub retarget: Option<RetargetReport>,
    /// What reading found.
    pub read: Vec<Finding>,
    /// What writing lost or had to change.
    pub written: Vec<Finding>,
}

/// Why a motion cannot be converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The interval does not fit the motion.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// A rate or factor does not fit the motion, or the caller stops.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// A rate does not fit the markers.
    #[error(transparent)]
    Markers(#[from] MarkersError),
    /// The motion cannot be moved onto the skeleton, or the caller stops.
    #[error(transparent)]
    Retarget(#[from] RetargetError),
    /// The motion cannot be written in the format, or the caller stops.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Converts a motion into a file of `format`. `read` still has its added T-pose.
///
/// # Errors
/// When an interval, rate or factor does not fit the motion, the skeletons have too little in common, the format cannot hold it,
/// or the caller stops.
pub fn convert(
    read: Read,
    format: Format,
    to: &Conversion<'_>,
    progress: Progress<'_>,
) -> Result<Converted, ConvertError> {
    let Changed { clip, options, unit_metres, retarget, read } = change(read, format, to, progress)?;
    let written = formats::write(&clip, format, &options, &mut |part| progress(0.6 + 0.4 * part))?;
    let left_out = written.findings.iter().any(|finding| finding.code == T_POSE_LEFT_OUT);
    Ok(Converted {
        bytes: written.bytes,
        format,
        frames: clip.num_frames() - usize::from(left_out),
        fps: clip.fps(),
        unit_metres,
        retarget,
        read,
        written: written.findings,
    })
}

/// A motion as it would be written.
#[derive(Debug, Clone)]
pub struct Changed {
    /// The motion.
    pub clip: Clip,
    /// How it is written.
    pub options: WriteOptions,
    /// Metres per unit written.
    pub unit_metres: f64,
    /// How the motion was moved onto another skeleton, if it was.
    pub retarget: Option<RetargetReport>,
    /// What reading found.
    pub read: Vec<Finding>,
}

/// [`convert`] without writing, for those that keep motions as they are.
///
/// # Errors
/// As [`convert`].
pub fn change(
    mut read: Read,
    format: Format,
    to: &Conversion<'_>,
    progress: Progress<'_>,
) -> Result<Changed, ConvertError> {
    let like = to.target.unwrap_or(&read);
    let mut options = to.options(format, (like.format, like.unit_metres, like.up));
    options.keep_reference = to.tpose == Tpose::Keep;
    let (layout, body) = (like.clip.source().cloned(), like.clip.skeleton().clone());
    let mut retarget = None;
    if let Some(target) = to.target {
        let config = RetargetConfig { hold_feet: !to.free_feet, ..RetargetConfig::default() };
        let moved = retarget_onto(&read.clip, &target.clip, &config, &mut |part| progress(0.4 * part))?;
        read.clip = moved.clip;
        retarget = Some(moved.report);
    }
    Reading { tpose: to.tpose, ..Reading::default() }.apply_to(&mut read);
    let was = read.marks.loop_of(&read.clip);
    let trim = to.trim.map(|span| span.frames(&read.clip)).transpose()?;
    let change = ClipChange { trim, ..to.change.clone() };
    let mut clip = if change == ClipChange::default() {
        // Saves a copy of a long capture.
        options.loop_frames.clone_from(&was);
        read.clip
    } else {
        let clip = change.apply(&read.clip, &mut |part| progress(0.4 + 0.2 * part))?;
        options.loop_frames = was.as_ref().and_then(|was| change.range_after(was, &read.clip, &clip));
        clip
    };
    if was.is_some() && options.loop_frames.is_none() {
        clip.tags.retain(|tag| tag != Marks::LOOP_TAG);
    }
    if let (Format::Bvh, Some(layout)) = (format, layout) {
        clip.keep_channels(&body, &layout);
    }
    if format.holds_contacts() {
        // The file's own contacts stay as long as nothing moves.
        let kept = read.marks.contacts.filter(|_| to.changes_nothing());
        let found = || Some(find_contacts(&clip, &ContactConfig::default()).ok()?.feet);
        options.contacts = kept.or_else(found);
    }
    let unit_metres = options.unit_metres.unwrap_or(read.unit_metres);
    Ok(Changed { clip, options, unit_metres, retarget, read: read.findings })
}

/// Converts markers into a marker file of `format`: points stay points. Only rate, size and axes can change.
///
/// # Errors
/// When the rate does not fit or the format holds no markers.
pub fn convert_markers(
    read: &ReadMarkers,
    format: Format,
    to: &Conversion<'_>,
) -> Result<Converted, ConvertError> {
    let options = to.options(format, (read.format, read.unit_metres, read.up));
    let resampled = to.change.fps.map(|fps| read.markers.resampled(fps)).transpose()?;
    let markers = resampled.as_ref().unwrap_or(&read.markers);
    let written = formats::write_markers(markers, format, &options)?;
    Ok(Converted {
        bytes: written.bytes,
        format,
        frames: markers.num_frames(),
        fps: markers.fps(),
        unit_metres: options.unit_metres.unwrap_or(read.unit_metres),
        retarget: None,
        read: read.findings.clone(),
        written: written.findings,
    })
}

impl Conversion<'_> {
    /// Unit and up axis of the source when the format is the same, else the format's usual ones; then what is asked for.
    fn options(&self, format: Format, source: (Format, f64, UpAxis)) -> WriteOptions {
        let mut options = WriteOptions::like(format, source);
        options.unit_metres = match self.scale {
            LengthScale::Factor(factor) => options.unit_metres.map(|unit| unit / factor),
            LengthScale::Auto => Some(self.unit.metres()),
        };
        options.up = self.up.or(options.up);
        options
    }

    fn changes_nothing(&self) -> bool {
        *self == Self { tpose: self.tpose, ..Self::default() }
    }
}
