//! What reading a motion file takes and gives: options, companions, the motion and its marks.

use std::ops::Range;

use ugoki_base::clip::{Clip, OffsetMode, UpAxis};
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::markers::{LabelMap, Markers};
use ugoki_base::skeleton::body_height;

use super::{Finding, Format};

/// What the user knows better than the file; the default guesses everything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadOptions {
    /// What position channels mean for a joint that also has an offset; `None` replaces it, unless that
    /// would put a whole body into one point.
    pub offset: Option<OffsetMode>,
    /// Which way is up in the file; `None` looks at the body.
    pub up: Option<UpAxis>,
    /// Metres per unit of length in the file; `None` guesses from the body's height.
    pub unit_metres: Option<f64>,
    /// Frames per second of a file that does not say it, or at which curves without a rate are sampled.
    pub fps: Option<f64>,
    /// Which motion of a file with several: its name, or its number from 0; `None` takes the first.
    pub take: Option<String>,
    /// What the markers of a marker file are; `None` goes by names that are common.
    pub labels: Option<LabelMap>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The motion; it carries the file's own numbers as its source where the format keeps them.
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
    /// Names of all motions in the file, in file order; empty when the format holds exactly one.
    pub takes: Vec<String>,
    /// The points that the motion was solved from, for marker files.
    pub markers: Option<Markers>,
    /// What the file says about the motion's frames.
    pub marks: Marks,
}

impl Read {
    /// A clip that no file was read for, such as one of a database, as readers give it.
    #[must_use]
    pub fn from_clip(clip: Clip, marks: Marks) -> Self {
        Self {
            format: Format::Database,
            findings: Vec::new(),
            unit_metres: 1.0,
            unit_name: "m".to_owned(),
            height_metres: body_height(clip.skeleton()).map(f64::from),
            up: UpAxis::Y,
            frame_time: 1.0 / clip.fps(),
            takes: Vec::new(),
            markers: None,
            marks,
            clip,
        }
    }
}

/// What a file says about frames of its motion; only formats with room for it do, and what they lack.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marks {
    /// When heels and toes of the left and the right foot stand.
    pub contacts: Option<[FootContacts; 2]>,
    /// Frames that form a loop.
    pub loop_frames: Option<Range<usize>>,
    /// Intervals in which a joint has no valid numbers and repeats the frame before; reported for BVH files.
    pub gaps: Vec<Gap>,
}

/// Frames in which it is not known how a joint is turned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The joint.
    pub joint: usize,
    /// Frames of the clip.
    pub frames: Range<usize>,
}

impl Marks {
    /// The tag of a clip that is a loop from its first to its last frame.
    pub const LOOP_TAG: &'static str = "loop";

    /// The marks of the same motion with its first frame gone.
    #[must_use]
    pub fn without_first_frame(self) -> Self {
        let shifted = |range: Range<usize>| {
            Some(range.start.saturating_sub(1)..range.end.saturating_sub(1)).filter(|range| !range.is_empty())
        };
        let all = |ranges: Vec<Range<usize>>| ranges.into_iter().filter_map(shifted).collect();
        let feet = |feet: [FootContacts; 2]| {
            feet.map(|foot| FootContacts { heel: all(foot.heel), toe: all(foot.toe) })
        };
        let gap = |gap: Gap| Some(Gap { joint: gap.joint, frames: shifted(gap.frames)? });
        Self {
            contacts: self.contacts.map(feet),
            loop_frames: self.loop_frames.and_then(shifted),
            gaps: self.gaps.into_iter().filter_map(gap).collect(),
        }
    }

    /// The loop that is marked, else the whole motion of a clip that is tagged as one.
    #[must_use]
    pub fn loop_of(&self, clip: &Clip) -> Option<Range<usize>> {
        let tagged = clip.tags.iter().any(|tag| tag == Self::LOOP_TAG);
        self.loop_frames
            .clone()
            .or_else(|| Some(clip.motion_frames()).filter(|all| tagged && !all.is_empty()))
    }
}

/// A second file that the one being read depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Companion<'a> {
    /// A file of this relative name, such as a glTF buffer.
    Named(&'a str),
    /// The skeleton that a motion file without one belongs to, such as AMC's ASF.
    Skeleton,
}

/// Gives the bytes of a companion, or `None` when there is none. The caller decides where to look and must
/// not leave the file's own folder.
pub type Fetch<'a> = &'a mut dyn FnMut(Companion<'_>) -> Option<Vec<u8>>;
