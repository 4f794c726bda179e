//! What the verbs of the database report: the `--json` documents.

use std::fmt;

use serde::{Deserialize, Serialize};
use ugoki_formats::{Format, Problem, Reading};

use crate::Error;

/// How two clips are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sameness {
    /// Their files have the same bytes.
    SameBytes,
    /// Their motion is the same within 0.6°.
    SameMotion,
}

/// A clip whose motion was there before.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Duplicate {
    /// The clip that was added.
    pub clip: String,
    /// The clip that was there.
    pub of: String,
    /// How they are alike.
    pub how: Sameness,
}

/// A file that was taken in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Added {
    /// The file.
    pub file: String,
    /// Names of its clips.
    pub clips: Vec<String>,
    /// Whether clips of an earlier import of this file were replaced.
    pub replaced: bool,
    /// Why clips are kept only on their own skeleton; empty when all could be brought onto the database's.
    pub underived: Vec<ClipNote>,
    /// What to look at in clips that were brought onto the database's skeleton.
    pub warnings: Vec<ClipNote>,
}

/// A remark about one clip; `clip: note` in documents.
#[derive(Debug, Clone, PartialEq)]
pub struct ClipNote {
    /// Name of the clip.
    pub clip: String,
    /// The remark.
    pub note: String,
}

impl fmt::Display for ClipNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.clip, self.note)
    }
}

impl Serialize for ClipNote {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A file that could not be used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Skipped {
    /// What is wrong and what to do.
    #[serde(flatten)]
    pub problem: Problem,
    /// Whether it was found unusable at an earlier time and has not changed.
    pub known: bool,
    /// Whether the user named it itself, not a folder that it lies in.
    pub named: bool,
    /// The error behind the problem, where it is one of the database's.
    #[serde(skip)]
    pub cause: Option<Error>,
}

/// Files that needed no work, by why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Passed {
    /// In the database and not changed.
    pub unchanged: usize,
    /// In the database under another path that is gone.
    pub moved: usize,
    /// Thrown out earlier; naming the file itself takes it in again.
    pub removed: usize,
    /// Takes thrown out earlier of files that are in the database; naming the file itself takes them in again.
    pub removed_takes: usize,
}

/// What `db add` did.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct AddReport {
    /// The database.
    pub database: String,
    /// Files taken in.
    pub added: Vec<Added>,
    /// Files that needed no work.
    pub passed: Passed,
    /// Unchanged files whose clips got tags or a licence that they did not have.
    pub relabelled: usize,
    /// Files that could not be used, and why.
    pub skipped: Vec<Skipped>,
    /// Files that are no motion files, by their names' endings.
    pub ignored: Vec<String>,
    /// Clips whose motion was there before.
    pub duplicates: Vec<Duplicate>,
    /// Derived forms that were made again because this program makes better ones.
    pub renewed: usize,
    /// Whether the user stopped it; what is listed is in the database.
    pub stopped: bool,
}

/// One line of `db list`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClipRow {
    /// Its number; never used for another clip.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Length of the motion.
    pub seconds: f64,
    /// Frames that other verbs see.
    pub frames: usize,
    /// Frames per second that other verbs see.
    pub fps: f64,
    /// The user's and the automatic tags, sorted.
    pub tags: Vec<String>,
    /// The file it comes from; `None` for clips made by the program.
    pub source: Option<String>,
    /// Mean speed of the hips over the ground, m/s; `None` for what is no human.
    pub speed_m_s: Option<f64>,
    /// The clip with the same motion that was there before.
    pub duplicate_of: Option<String>,
    /// Whether it has a form on the database's skeleton.
    pub derived: bool,
}

/// What the automatic tags are judged by; `docs/formats/database.md` defines each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measures {
    /// Mean speed of the hips over the ground, m/s.
    pub speed_m_s: f64,
    /// Its 95th percentile, m/s.
    pub peak_m_s: f64,
    /// Length of the hips' way over the ground, metres.
    pub path_m: f64,
    /// Turn from the first to the last frame, degrees, to the left positive.
    pub turn_deg: f64,
    /// Largest turn to the left between any two moments, degrees.
    pub left_deg: f64,
    /// Largest turn to the right between any two moments, degrees.
    pub right_deg: f64,
    /// Hips at the end over hips at the beginning, metres.
    pub rise_m: f64,
    /// Steps: a foot set down at another place.
    pub steps: usize,
    /// Intervals in which no foot stands.
    pub flights: usize,
}

/// What was odd about a file when it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptFinding {
    /// Line in the file.
    pub line: Option<u32>,
    /// `info`, `warning` or `error`.
    pub severity: String,
    /// Stable name.
    pub code: String,
    /// What was found.
    pub message: String,
    /// What was assumed.
    pub assumed: Option<String>,
}

/// Where a clip comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileRow {
    /// Path relative to the database's folder.
    pub path: String,
    /// SHA-256 of its content.
    pub sha256: String,
    /// What it is.
    pub format: Option<Format>,
    /// How the user wanted it read.
    pub options: Reading,
    /// Its licence: name of the file it was read from, or `given`.
    pub licence: Option<String>,
    /// The licence's text.
    pub licence_text: Option<String>,
    /// What was odd about it.
    pub findings: Vec<KeptFinding>,
}

/// Where contacts come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ContactsFrom {
    /// The file marks them.
    Given,
    /// The program found them in the motion.
    Found,
}

/// When the feet stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ContactsRow {
    /// Where they come from.
    pub from: ContactsFrom,
    /// Stands of the left foot, on heel or toe.
    pub left: usize,
    /// Stands of the right foot.
    pub right: usize,
}

/// Everything about one clip.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClipDetails {
    /// As `db list` has it.
    #[serde(flatten)]
    pub row: ClipRow,
    /// Tags that the user gave.
    pub user_tags: Vec<String>,
    /// Tags that the program gave.
    pub automatic_tags: Vec<String>,
    /// Index in its file, from 0.
    pub take: usize,
    /// Frames of the clip as it came in, an added T-pose counted.
    pub source_frames: usize,
    /// Frames per second of the clip as it came in.
    pub source_fps: f64,
    /// Joints of its own skeleton.
    pub source_joints: usize,
    /// Whether it came with an added T-pose as its first frame.
    pub tpose_frame: bool,
    /// Why it has no form on the database's skeleton.
    pub underived: Option<String>,
    /// Bytes of the lossless form.
    pub source_bytes: usize,
    /// Bytes of the derived form.
    pub derived_bytes: Option<usize>,
    /// Frames of the motion that form a loop, from the first to the one after the last.
    pub loop_frames: Option<[usize; 2]>,
    /// When its feet stand; `None` for what is no human.
    pub contacts: Option<ContactsRow>,
    /// What the automatic tags are judged by.
    pub measures: Option<Measures>,
    /// Where it comes from; `None` for clips made by the program.
    pub file: Option<FileRow>,
}

/// Everything about a database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatabaseDetails {
    /// Version of its tables.
    pub version: i64,
    /// Version of the program that made it.
    pub program: String,
    /// Frames per second of derived clips.
    pub fps: f64,
    /// Joints of its skeleton.
    pub joints: usize,
    /// Clips in it.
    pub clips: usize,
    /// Clips kept only on their own skeleton.
    pub underived: usize,
    /// Length of all clips together.
    pub seconds: f64,
    /// Files that were looked at.
    pub files: usize,
    /// Files of these that could not be used.
    pub refused: usize,
    /// Different skeletons.
    pub skeletons: usize,
    /// Size on disk.
    pub bytes: u64,
    /// Every tag with the number of clips that have it, most frequent first.
    pub tags: Vec<(String, usize)>,
}

/// A clip and the user's tags it has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaggedClip {
    /// The clip.
    pub name: String,
    /// The user's tags, sorted.
    pub tags: Vec<String>,
}

/// What `db remove` did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RemoveReport {
    /// Clips that are gone.
    pub removed: Vec<String>,
    /// Performance models that were learned from them and are gone too.
    pub models: Vec<String>,
    /// Size on disk before.
    pub bytes_before: u64,
    /// Size on disk after.
    pub bytes_after: u64,
}

/// What `db check` found about one clip.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedClip {
    /// The clip.
    pub name: String,
    /// What is wrong.
    pub message: String,
    /// Whether [`crate::Database::repair`] makes it again from the clip as it came.
    #[serde(skip)]
    pub repairable: bool,
}

/// What `db check` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckReport {
    /// Whether everything that was looked at is sound; forms counted in `outdated` were not.
    pub sound: bool,
    /// What SQLite says about its own structure; empty when sound.
    pub structure: Vec<String>,
    /// Clips whose source was decoded.
    pub clips: usize,
    /// Derived forms that were decoded and compared with their source.
    pub derived: usize,
    /// Things built from clips (networks, performance models) that were decoded.
    pub built: usize,
    /// Clips that do not decode, or whose derived form is further from the source than promised.
    pub broken: Vec<CheckedClip>,
    /// Derived forms made by an older program; `db add` makes them again.
    pub outdated: usize,
    /// Clips whose derived form was made again before the check.
    pub repaired: Vec<String>,
    /// Largest error of a derived form at 3 cm off a joint, millimetres.
    pub largest_error_mm: f64,
    /// The clip with that error.
    pub worst: Option<String>,
}
