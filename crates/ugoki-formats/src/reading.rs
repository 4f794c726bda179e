//! What a user may say about how files are to be read; the same for every verb.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use ugoki_base::clip::{Clip, OffsetMode, UpAxis};

use super::{Read, ReadOptions};

/// What becomes of an added T-pose in frame 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum Tpose {
    /// It stays frame 0 and analysis leaves it out; files that play are written without it.
    #[default]
    Auto,
    /// It stays frame 0, in every file that is written too.
    Keep,
    /// The first frame is removed after reading, recognised or not.
    Drop,
}

/// How files are read: what the reader would otherwise guess.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::Args, schemars::JsonSchema))]
#[cfg_attr(feature = "options", command(next_help_heading = "Reading"), group(skip))]
#[serde(default, deny_unknown_fields)]
pub struct Reading {
    /// Whether position channels replace a joint's offset or add to it (default: replace, unless that would put the whole
    /// body into one point)
    #[cfg_attr(feature = "options", arg(long, value_enum))]
    pub offset: Option<OffsetMode>,

    /// Which way is up in the file (default: found from the body)
    #[cfg_attr(feature = "options", arg(long, value_enum, value_name = "AXIS"))]
    pub source_up: Option<UpAxis>,

    /// Metres per unit of the file, or m, dm, cm, mm, in, ft, cmu (default: guessed from the body's height)
    #[cfg_attr(feature = "options", arg(long, value_name = "UNIT", value_parser = unit))]
    pub source_unit: Option<f64>,

    /// Frames per second of files that do not say it (AMC: 120), or at which curves are sampled (glTF, FBX: the rate of
    /// their keys)
    #[cfg_attr(feature = "options", arg(long, value_name = "FPS", value_parser = rate))]
    pub source_fps: Option<f64>,

    /// Which motion of a file with several: its name, or its number from 0 (default: the first)
    #[cfg_attr(feature = "options", arg(long, value_name = "NAME|N"))]
    pub take: Option<String>,

    /// The ASF file of an AMC (default: the one of its name next to it, up to the underscore), or the rest skeleton of AMASS arrays: the
    /// body model's NPZ, or a motion on that skeleton
    #[cfg_attr(feature = "options", arg(long, value_name = "FILE"))]
    pub asf: Option<String>,

    /// What the markers of a C3D or TRC file are, as TOML (default: names that are common)
    #[cfg_attr(feature = "options", arg(long, value_name = "MAP.toml"))]
    pub markers: Option<String>,

    /// What to do with an added T-pose in frame 0
    #[cfg_attr(feature = "options", arg(long, value_enum, default_value = "auto"))]
    pub tpose: Tpose,
}

#[cfg(feature = "options")]
fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(fps) if fps.is_finite() && fps > 0.0 => Ok(fps),
        _ => Err("expected frames per second above 0".to_owned()),
    }
}

#[cfg(feature = "options")]
fn unit(text: &str) -> Result<f64, String> {
    let metres = match text {
        "m" => 1.0,
        "dm" => 0.1,
        "cm" => 0.01,
        "mm" => 0.001,
        "in" => 0.0254,
        "ft" => 0.3048,
        "cmu" => 0.0254 / 0.45,
        number => number.parse().unwrap_or(f64::NAN),
    };
    if metres.is_finite() && metres > 0.0 {
        return Ok(metres);
    }
    Err("expected metres per unit above 0, or one of m, dm, cm, mm, in, ft, cmu".to_owned())
}

impl Reading {
    /// The reader's options, but for the label map, whose file the caller reads.
    #[must_use]
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            offset: self.offset,
            up: self.source_up,
            unit_metres: self.source_unit,
            fps: self.source_fps,
            take: self.take.clone(),
            labels: None,
        }
    }

    /// Drops the first frame if the user asked for it.
    #[must_use]
    pub fn apply(&self, clip: Clip) -> Clip {
        self.without_tpose(&clip).unwrap_or(clip)
    }

    /// [`Reading::apply`] to a clip that is only lent.
    #[must_use]
    pub fn applied<'a>(&self, clip: &'a Clip) -> Cow<'a, Clip> {
        self.without_tpose(clip).map_or(Cow::Borrowed(clip), Cow::Owned)
    }

    /// [`Reading::apply`] to a file that was read, with its marks.
    pub fn apply_to(&self, read: &mut Read) {
        if let Some(rest) = self.without_tpose(&read.clip) {
            read.clip = rest;
            read.marks = std::mem::take(&mut read.marks).without_first_frame();
        }
    }

    /// The same with the first frame kept, for operations that need to know how the body stands and drop it afterwards.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self { tpose: Tpose::Keep, ..self.clone() }
    }

    /// What is left of a clip whose T-pose is to go.
    fn without_tpose(&self, clip: &Clip) -> Option<Clip> {
        // The range is not empty, so trimming cannot fail.
        let gone = self.tpose == Tpose::Drop && clip.num_frames() > 1;
        gone.then(|| clip.trimmed(1..clip.num_frames()).ok())?
    }
}

/// What went wrong with a file, as reports and `{"error": …}` documents say it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Problem {
    /// The file to blame, if any.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl std::fmt::Display for Problem {
    /// File, message and hint in one line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut line = String::new();
        if let Some(file) = &self.file {
            line.push_str(file);
            line.push_str(": ");
        }
        line.push_str(&self.message);
        if let Some(hint) = &self.hint {
            line.push_str("; ");
            line.push_str(hint);
        }
        f.write_str(&line.replace('\n', " "))
    }
}
