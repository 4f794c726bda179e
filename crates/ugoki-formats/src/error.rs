//! Why a file cannot be read at all.

use ugoki_base::clip::ClipError;

use super::Format;

/// A file that gives no motion; anything less is a [`super::Finding`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReadError {
    /// There are no bytes, or only blanks.
    #[error("the file is empty, expected motion data")]
    Empty,
    /// The crate was built without its feature `fbx`.
    #[error("this is an FBX file, and this build has no FBX support (feature `fbx`)")]
    NoFbx,
    /// Neither content nor extension identifies the format.
    #[error("found {found}, expected the start of a known motion format (BVH begins with HIERARCHY)")]
    UnknownFormat {
        /// What the file starts with, shortened.
        found: String,
    },
    /// A BVH file starts with the word HIERARCHY.
    #[error("line {line}, {}", self.message())]
    NotBvh {
        /// Line, from 1.
        line: u32,
        /// Byte in the line, from 1.
        column: u32,
        /// What stands there, shortened.
        found: String,
    },
    /// A skeleton needs at least one joint.
    #[error("line {line}: {}", self.message())]
    NoJoints {
        /// Where the hierarchy ends.
        line: u32,
    },
    /// The header of rows that arrive one by one does not end.
    #[error("no line \"Frame Time\" in the first megabyte")]
    NoFrameTime,
    /// More joints than any body has.
    #[error("line {line}: {}", self.message())]
    TooManyJoints {
        /// The joint that is too many.
        line: u32,
        /// The bound.
        max: usize,
    },
    /// Too many words where numbers belong.
    #[error("line {line}, {}", self.message())]
    NotNumbers {
        /// First line with one.
        line: u32,
        /// Byte in that line, from 1.
        column: u32,
        /// The first such word, shortened.
        found: String,
        /// How many others there are.
        count: usize,
    },
    /// Joints without channels times many short rows: far more memory than the file could mean.
    #[error(
        "{joints} joints in {frames} frames would take {megabytes} MB, expected at most {max_megabytes} MB from a file of this size"
    )]
    TooLarge {
        /// Joints declared.
        joints: usize,
        /// Rows found.
        frames: usize,
        /// What the poses would take.
        megabytes: usize,
        /// The bound for this file.
        max_megabytes: usize,
    },
    /// A skeleton offset beyond all measure.
    #[error("line {line}: {}", self.message())]
    Offset {
        /// Line of the joint.
        line: u32,
        /// Its name.
        joint: String,
        /// The number.
        found: f64,
    },
    /// The format is only written.
    #[error("{} files are written but not read", .format.name())]
    WriteOnly {
        /// The format of the file.
        format: Format,
    },
    /// A file of a known format that is broken or uses what is not read.
    #[error("{message}")]
    Malformed {
        /// Line, from 1, in text.
        line: Option<u32>,
        /// What was found and what was expected, with the place.
        message: String,
        /// What the user may do.
        hint: &'static str,
    },
    /// A line of a known format that is broken.
    #[error("line {line}: {message}")]
    MalformedLine {
        /// Line, from 1.
        line: u32,
        /// What was found and what was expected.
        message: String,
        /// What the user may do.
        hint: &'static str,
    },
    /// An AMC file without its ASF file.
    #[error(
        "the skeleton is missing: looked next to it for the .asf of its own name and of its name up to the first \
         underscore (11.asf for 11_01.amc){}", also(named.as_deref())
    )]
    NoSkeleton {
        /// The ASF file that the first line names, if it names one.
        named: Option<String>,
    },
    /// Rotations of a body model without its rest skeleton.
    #[error("rotations of {joints} joints without a rest skeleton, which the arrays do not have")]
    NoRestPose {
        /// Joints there are.
        joints: usize,
    },
    /// The file with the skeleton cannot be read.
    #[error("in its skeleton file: {error}")]
    SkeletonFile {
        /// What is wrong with it.
        error: Box<ReadError>,
    },
    /// Poses at uneven times would be sampled into too many frames.
    #[error("{frames} frames at {fps} per second, expected at most {max_frames}")]
    TooManyFrames {
        /// Frames that the times give.
        frames: f64,
        /// The rate.
        fps: f64,
        /// The bound for this file.
        max_frames: usize,
    },
    /// Sampled curves would take far more memory than the file could mean.
    #[error(
        "{nodes} moving nodes in {frames} frames would take {megabytes} MB, expected at most {max_megabytes} MB from a file of this size"
    )]
    TooManySamples {
        /// Nodes that move.
        nodes: usize,
        /// Frames at the rate of the file.
        frames: usize,
        /// What the samples would take.
        megabytes: usize,
        /// The bound for this file.
        max_megabytes: usize,
    },
    /// The rate or the length is not that of a clip.
    #[error(transparent)]
    Clip(ClipError),
    /// Markers that no body can be solved from.
    #[error("{message}")]
    Markers {
        /// Which markers are missing.
        message: String,
    },
    /// Another file is needed to read this one.
    #[error("{message}")]
    Companion {
        /// Which file is missing.
        message: String,
        /// What the user may do.
        hint: &'static str,
    },
    /// The file has no motion of that name or number.
    #[error("no motion {wanted:?}, expected one of {known}")]
    Take {
        /// What the caller asked for.
        wanted: String,
        /// The motions there are.
        known: String,
    },
    /// A motion was chosen in a file that holds exactly one.
    #[error("the file holds one motion, so there is no motion {wanted:?} to choose")]
    OneMotion {
        /// What the caller asked for.
        wanted: String,
    },
    /// The caller's unit is not a length.
    #[error("a unit of {found} metres is not possible, expected more than 0")]
    Unit {
        /// The unit given.
        found: f64,
    },
}

impl ReadError {
    /// Line of the trouble, from 1, where there is one.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        match self {
            Self::NotBvh { line, .. }
            | Self::NoJoints { line }
            | Self::TooManyJoints { line, .. }
            | Self::NotNumbers { line, .. }
            | Self::MalformedLine { line, .. }
            | Self::Offset { line, .. } => Some(*line),
            Self::Malformed { line, .. } => *line,
            _ => None,
        }
    }

    /// The text without the line.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::NotBvh { column, found, .. } => {
                format!("column {column}: found {found}, expected HIERARCHY or ROOT")
            }
            Self::NoJoints { .. } => {
                "the hierarchy ends without a joint, expected ROOT and a name".to_owned()
            }
            Self::TooManyJoints { max, .. } => format!("more than {max} joints"),
            Self::NotNumbers { column, found, count, .. } => {
                format!("column {column}: found {found}, expected a number; {count} more like it")
            }
            Self::Offset { joint, found, .. } => {
                format!("joint {joint:?} has an offset of {found} units, expected less than 1e12")
            }
            Self::MalformedLine { message, .. } => message.clone(),
            error => error.to_string(),
        }
    }

    /// Byte in the line, from 1, where known.
    #[must_use]
    pub fn column(&self) -> Option<u32> {
        match self {
            Self::NotBvh { column, .. } | Self::NotNumbers { column, .. } => Some(*column),
            _ => None,
        }
    }

    /// What the user may do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        Some(match self {
            Self::Empty => "export the motion again; the writing program may have stopped early",
            Self::NoFbx => "convert the file to BVH or glTF first",
            Self::UnknownFormat { .. } => "give the file its usual extension, such as .bvh, if it is text",
            Self::NotBvh { .. } => {
                "the file may be compressed or of another format; open it in a text editor"
            }
            Self::NoFrameTime => return None,
            Self::NoJoints { .. } => "the file may be cut off; export it again",
            Self::TooManyJoints { .. } => "the braces may be broken; compare with a file that works",
            Self::NotNumbers { .. } => {
                "look at that line in a text editor; after 'Frame Time:' only numbers belong"
            }
            Self::TooLarge { .. } => "the CHANNELS lines may be missing; compare with a file that works",
            Self::Offset { .. } => "correct the OFFSET in a text editor",
            Self::Malformed { hint, .. }
            | Self::MalformedLine { hint, .. }
            | Self::Companion { hint, .. } => hint,
            Self::WriteOnly { .. } => "read the file it was made from",
            Self::NoSkeleton { .. } => "put the ASF file next to it, or name it",
            Self::NoRestPose { .. } => {
                "add the array J (rest positions of the joints) to the file, or name a file with the skeleton: the body model's NPZ, or a \
                 motion on it"
            }
            Self::SkeletonFile { .. } => "give the right skeleton file",
            Self::TooManyFrames { .. } => {
                "the durations may be in another unit than seconds; or give a lower rate"
            }
            Self::TooManySamples { .. } => "give a lower rate, or name another motion of the file",
            Self::Clip(_) => "give the rate of the file",
            Self::Markers { .. } => {
                "say what the markers are in a label map; docs/methods/markers.md shows how"
            }
            Self::Take { .. } => "name one of them, or give its number from 0",
            Self::OneMotion { .. } => "choose no motion",
            Self::Unit { .. } => "give metres per unit, for example 0.01 for centimetres",
        })
    }
}

/// The file that an AMC file names, as the end of a sentence.
fn also(named: Option<&str>) -> String {
    named.map(|file| format!(", and {file:?}, which its first line names")).unwrap_or_default()
}

/// The start of `bytes` as a quoted word for messages, at most 24 characters, control bytes escaped.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    let line = bytes.split(|&b| b == b'\n' || b == b'\r').next().unwrap_or_default();
    let text = String::from_utf8_lossy(&line[..line.len().min(96)]);
    let mut short: String = text.chars().take(24).collect();
    if text.chars().count() > 24 || line.len() > 96 {
        short.push('…');
    }
    format!("{short:?}")
}
