//! Writing a clip as any format.

use std::ops::Range;

use ugoki_base::clip::{Clip, UpAxis};
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::{Cancelled, Progress};

use super::{Finding, Findings, Format, Marks, T_POSE_LEFT_OUT, bvh, csv, gltf, npz, trc};

/// How to write; the default keeps the source's conventions. A format uses what it can hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WriteOptions {
    /// Which way is up in the file; `None` as in the source, else Y. glTF is always Y up.
    pub up: Option<UpAxis>,
    /// Metres per unit of length; `None` as in the source, else the format's usual unit.
    pub unit_metres: Option<f64>,
    /// Decimals of every number in text; `None` writes as many as are needed to read the same number back.
    pub digits: Option<u8>,
    /// Contacts of the left and the right foot, kept where the format has room for them.
    pub contacts: Option<[FootContacts; 2]>,
    /// Frames that form a loop, kept where the format has room for it.
    pub loop_frames: Option<Range<usize>>,
    /// Tags that the program gave, kept next to the clip's own where the format has room for them.
    pub automatic_tags: Vec<String>,
    /// Writes a reference frame in front of the motion also to formats that play.
    pub keep_reference: bool,
}

impl WriteOptions {
    /// Up axis and unit that tools expect of a file of this format.
    #[must_use]
    pub fn usual(format: Format) -> Self {
        Self { up: Some(UpAxis::Y), unit_metres: Some(format.usual_unit_metres()), ..Self::default() }
    }

    /// Options for a motion that came from a file: its unit and up axis if it is of the same format, else the usual
    /// ones.
    #[must_use]
    pub fn like(format: Format, (source, unit_metres, up): (Format, f64, UpAxis)) -> Self {
        if format != source {
            return Self::usual(format);
        }
        Self { up: Some(up), unit_metres: Some(unit_metres), ..Self::default() }
    }
}

/// A written file and what was changed or lost in writing.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The file.
    pub bytes: Vec<u8>,
    /// What differs from the clip or from its source.
    pub findings: Vec<Finding>,
}

/// Why a clip cannot be written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WriteError {
    /// The format is only read.
    #[error("{} files are read but not written", .format.name())]
    ReadOnly {
        /// The format asked for.
        format: Format,
    },
    /// More than the format can hold.
    #[error("{frames} frames of {joints} joints make more than 4 GiB of arrays")]
    TooLarge {
        /// Frames of the clip.
        frames: usize,
        /// Its joints.
        joints: usize,
    },
    /// The clip lacks what the format needs.
    #[error("{message}")]
    Unfit {
        /// What is missing, and for which format.
        message: String,
        /// What the user may do.
        hint: &'static str,
    },
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl WriteError {
    /// What the user may do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::ReadOnly { format: Format::Fbx } => Some(
                "write .glb or .bvh; docs/formats/fbx.md lists the routes from there to FBX, Unity, Unreal and Maya and which \
                 were tested",
            ),
            Self::ReadOnly { .. } => Some("write .bvh or .glb; docs/formats says how to go on from there"),
            Self::Unfit { hint, .. } => Some(hint),
            Self::TooLarge { .. } => Some("cut the clip or lower its rate"),
            Self::Cancelled(_) => None,
        }
    }
}

/// The format of this file extension, if such files are written.
///
/// # Errors
/// Lists the extensions that are.
pub fn written_format(extension: &str) -> Result<Format, String> {
    match Format::from_extension(extension) {
        Some(format) if format.is_written() => Ok(format),
        Some(Format::Fbx) => {
            let error = WriteError::ReadOnly { format: Format::Fbx };
            Err(format!("{error}; {}", error.hint().unwrap_or_default()))
        }
        _ => {
            let written = Format::all().filter(|format| format.is_written());
            let endings: Vec<&str> = written.map(Format::extension).collect();
            Err(format!("expected one of {}", endings.join(", ")))
        }
    }
}

/// Writes `clip` as `format`.
///
/// A reference frame in front of the motion ([`Clip::tpose_frame`]) goes to BVH, whose readers expect it, and to NPZ,
/// which marks it. Other formats are played as they are, so it is left out there unless the options keep it.
///
/// # Errors
/// When the format is not written, the clip lacks what it needs, or the caller stops.
pub fn write(
    clip: &Clip,
    format: Format,
    options: &WriteOptions,
    progress: Progress<'_>,
) -> Result<Written, WriteError> {
    let plays = !matches!(format, Format::Bvh | Format::Npz);
    if plays && clip.tpose_frame && !options.keep_reference && clip.num_frames() > 1 {
        let marks = Marks {
            contacts: options.contacts.clone(),
            loop_frames: options.loop_frames.clone(),
            gaps: Vec::new(),
        };
        let Marks { contacts, loop_frames, .. } = marks.without_first_frame();
        let options = WriteOptions { contacts, loop_frames, ..options.clone() };
        if let Ok(motion) = clip.trimmed(1..clip.num_frames()) {
            let mut written = write_all(&motion, format, &options, progress)?;
            let message = "frame 0, a T-pose added in front of the motion, is left out";
            let mut findings = Findings::default();
            findings.info(None, T_POSE_LEFT_OUT, message);
            written.findings.splice(..0, findings.finish());
            return Ok(written);
        }
    }
    write_all(clip, format, options, progress)
}

/// Writes every frame.
fn write_all(
    clip: &Clip,
    format: Format,
    options: &WriteOptions,
    progress: Progress<'_>,
) -> Result<Written, WriteError> {
    match format {
        Format::Bvh => Ok(bvh::write_with(clip, options, progress)?),
        Format::Glb | Format::Gltf | Format::Vrm | Format::Vrma => {
            gltf::write(clip, format, options, progress)
        }
        Format::Npz => npz::write(clip, options, progress),
        Format::Csv => csv::write(clip, options, progress),
        Format::Trc => Ok(trc::write_clip(clip, options)),
        format => Err(WriteError::ReadOnly { format }),
    }
}
