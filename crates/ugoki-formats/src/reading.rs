//! What a user may say about how files are to be read; the same for every verb.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use ugoki_base::clip::{Clip, OffsetMode, UpAxis};

use super::{Read, ReadOptions};

/// What becomes of an added T-pose in frame 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tpose {
    /// It stays frame 0; analysis leaves it out.
    #[default]
    Keep,
    /// It is removed after reading.
    Drop,
}

/// How files are read: what the reader would otherwise guess.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// Whether position channels replace a joint's offset or add to it; found from the file when absent.
    pub offset: Option<OffsetMode>,
    /// Which way is up in the file; guessed when absent.
    pub source_up: Option<UpAxis>,
    /// Metres per unit of the file; guessed from the body's height when absent.
    pub source_unit: Option<f64>,
    /// Frames per second of files that do not say it, such as AMC, or at which curves are sampled.
    pub source_fps: Option<f64>,
    /// Which motion of a file with several: its name, or its number from 0; the first when absent.
    pub take: Option<String>,
    /// The ASF file of an AMC; looked for beside it when absent.
    pub asf: Option<String>,
    /// A label map for marker files: what their markers are; common names when absent.
    pub markers: Option<String>,
    /// What becomes of an added T-pose.
    pub tpose: Tpose,
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

    /// Drops the added T-pose if the user asked for it.
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

    /// The same, but that an added T-pose stays: for deeds that need to know how the body stands and drop it afterwards.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self { tpose: Tpose::Keep, ..self.clone() }
    }

    /// What is left of a clip whose T-pose is to go.
    fn without_tpose(&self, clip: &Clip) -> Option<Clip> {
        // The range is not empty, so trimming cannot fail.
        let gone = self.tpose == Tpose::Drop && clip.tpose_frame && clip.num_frames() > 1;
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
