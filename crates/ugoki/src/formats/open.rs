//! Recognising a file and reading it, whatever it is.

use serde::Serialize;

use super::error::excerpt;
use super::{Finding, ReadError, bvh};
use crate::clip::{Clip, OffsetMode, UpAxis};

/// A motion file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Biovision hierarchy: text, one tree and one table of angles.
    Bvh,
}

impl Format {
    /// Every format that is read.
    pub const ALL: &[Self] = &[Self::Bvh];

    /// The usual ending of file names, without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Bvh => "bvh",
        }
    }

    /// The name users know: `BVH`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bvh => "BVH",
        }
    }

    /// The format of this file extension, without the dot, in any capitals.
    #[must_use]
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.trim_start_matches('.');
        Self::ALL.iter().copied().find(|format| format.extension().eq_ignore_ascii_case(extension))
    }
}

/// What the user knows better than the file; the default guesses everything.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReadOptions {
    /// What position channels mean for a joint that also has an offset; `None` replaces it, unless that
    /// would put a whole body into one point.
    pub offset: Option<OffsetMode>,
    /// Which way is up in the file; `None` looks at the body.
    pub up: Option<UpAxis>,
    /// Metres per unit of length in the file; `None` guesses from the body's height.
    pub unit_metres: Option<f64>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The motion; it carries the file's own numbers as its source.
    pub clip: Clip,
    /// What the file is.
    pub format: Format,
    /// What was odd, in the order of lines.
    pub findings: Vec<Finding>,
    /// Metres per unit of length in the file, guessed or given.
    pub unit_metres: f64,
    /// The unit in words: `cm`, `inch`.
    pub unit_name: String,
    /// Height of the body from its limb lengths, metres; `None` when it is no human body.
    pub height_metres: Option<f64>,
    /// Which way is up in the file.
    pub up: UpAxis,
    /// Seconds per frame as written, before the rate was rounded to a known one.
    pub frame_time: f64,
}

/// What the bytes are: by content, then by extension.
#[must_use]
pub fn detect(bytes: &[u8], extension: Option<&str>) -> Option<Format> {
    if bvh::looks_like(bytes) {
        return Some(Format::Bvh);
    }
    extension.and_then(Format::from_extension)
}

/// Reads a motion file of any known format.
///
/// # Errors
/// When the format is unknown or nothing in the file can be used.
pub fn read(bytes: &[u8], extension: Option<&str>, options: &ReadOptions) -> Result<Read, ReadError> {
    match detect(bytes, extension) {
        Some(Format::Bvh) => bvh::read(bytes, options),
        None if bytes.iter().all(u8::is_ascii_whitespace) => Err(ReadError::Empty),
        None => Err(ReadError::UnknownFormat { found: excerpt(bytes) }),
    }
}
