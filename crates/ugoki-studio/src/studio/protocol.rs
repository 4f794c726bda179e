//! What a page and the server say to each other: intents, answers and the small binary frames of poses.
//!
//! `web/src/protocol.ts` is generated from this file: `UGOKI_WRITE=1 cargo test -p ugoki-studio --test it protocol`.
//! Text messages are JSON with the kind in `intent` or `answer`; binary messages are [`Poses`]. A page never names a
//! file: clips are `#name` in the database of the studio, and `@` is the motion that the step before made.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ugoki_verbs::Request;

/// Goes up with every change that an older page would not understand.
pub const VERSION: u32 = 3;

/// The motion that the step before made, or the document's clip for the first step.
pub const BEFORE: &str = "@";

/// A request of a page. `number` comes back with the answer. Fields that an intent does not have are refused by name,
/// so intents without fields have braces too: serde ignores what comes with a plain variant.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "intent", rename_all = "kebab-case", deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "one message at a time; a box would only complicate it")]
pub enum Intent {
    /// The first word of a page.
    Hello {
        /// The protocol it speaks.
        version: u32,
    },
    /// The document on stage, computed.
    Show {
        /// Comes back with the stage.
        number: u32,
        /// Frame whose poses are wanted first.
        frame: u32,
    },
    /// Another document. While something is dragged it is only shown to this page; committed, it can be undone.
    Edit {
        /// Comes back with the stage.
        number: u32,
        /// Frame whose poses are wanted first.
        frame: u32,
        /// The document as it is to be.
        document: Document,
        /// Whether it stays.
        commit: bool,
        /// What was done, for the menu.
        label: String,
    },
    /// Takes the last change back.
    Undo {},
    /// Makes the change again that was taken back last.
    Redo {},
    /// Poses of a motion, at most [`MOST_POSES`] of them.
    Poses {
        /// Which motion.
        stream: u32,
        /// First frame.
        from: u32,
        /// How many.
        count: u32,
    },
    /// One joint's turning over time, of a motion and of another to compare.
    Curves {
        /// Which motion.
        stream: u32,
        /// The other one.
        other: Option<u32>,
        /// Which joint.
        joint: u32,
    },
    /// How fast the parts of the body go.
    Speeds {
        /// Which motion.
        stream: u32,
    },
    /// How the moments of the clips of the document's blend correspond.
    Registration {},
    /// A job's report alone, on the motion that the tool in use works on.
    Ask {
        /// Comes back with the report.
        number: u32,
        /// The job; its input is `@`.
        request: Request,
    },
    /// Keeps what is on stage in the database.
    Save {
        /// Under this name, made unique.
        name: String,
    },
    /// Keeps a motion that poses can be asked of, such as a performance that was composed, in the database.
    Keep {
        /// Which motion.
        stream: u32,
        /// Under this name, made unique.
        name: String,
    },
    /// Keeps every piece between the document's cuts in the database.
    SavePieces {
        /// Names of the pieces, in order.
        names: Vec<String>,
    },
    /// Throws a clip out of the database.
    Remove {
        /// Its name.
        clip: String,
    },
    /// Puts tags on a clip and takes others off.
    Tag {
        /// Its name.
        clip: String,
        /// Tags to put on.
        add: Vec<String>,
        /// Tags to take off.
        remove: Vec<String>,
    },
    /// Takes uploaded files into the database.
    Import {
        /// Comes back with what was taken in.
        number: u32,
        /// Names under which they were uploaded.
        files: Vec<String>,
    },
    /// What is on stage as a file.
    Export {
        /// Comes back with the file.
        number: u32,
        /// Ending of the file: `bvh`, `glb`, `vrma`, `gif`, `png`.
        format: String,
    },
    /// The command lines that make the same file as an export.
    Commands {
        /// Ending of the file: `bvh`, `glb`, `vrma`, `gif`, `png`.
        format: String,
    },
    /// Stops the work that goes on for this page.
    Stop {},
    /// Listens for a performer that sends VMC.
    Listen {
        /// The UDP port.
        port: u16,
        /// Whether other devices than this machine may send.
        everywhere: bool,
    },
    /// Stops listening to the performer.
    Silence {},
    /// Writes down what the performer does from now on, and keeps it in the database.
    Record {
        /// Under this name, made unique.
        name: String,
        /// For so long; until the next `finish` at most.
        seconds: f32,
    },
    /// Ends what is being written down.
    Finish {},
    /// Lets the performer drive what the document learned, or no more.
    Drive {
        /// Whether to.
        on: bool,
    },
}

impl Intent {
    /// The number that comes back with the answer, if the intent has one.
    #[must_use]
    pub fn number(&self) -> Option<u32> {
        match self {
            Self::Show { number, .. }
            | Self::Edit { number, .. }
            | Self::Ask { number, .. }
            | Self::Import { number, .. }
            | Self::Export { number, .. } => Some(*number),
            _ => None,
        }
    }

    /// The number in the text of an intent that cannot be read.
    #[must_use]
    pub fn number_in(text: &str) -> Option<u32> {
        #[derive(Deserialize)]
        struct Numbered {
            number: u32,
        }
        serde_json::from_str::<Numbered>(text).ok().map(|numbered| numbered.number)
    }
}

/// What the server says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "one message at a time; a box would only complicate it")]
pub enum Answer {
    /// The first word of the server.
    Welcome {
        /// The protocol it speaks.
        version: u32,
        /// Name of the database.
        database: String,
    },
    /// All clips of the database.
    Clips {
        /// In the order they were added.
        clips: Vec<ClipRow>,
    },
    /// The document changed.
    Document {
        /// Number of the edit that this page made; null when it was not this page.
        number: Option<u32>,
        /// As it is now.
        document: Document,
        /// What undoing would take back.
        undo: Option<String>,
        /// What redoing would make again.
        redo: Option<String>,
    },
    /// What is on stage.
    Stage {
        /// Of the intent.
        number: u32,
        /// The motion.
        motion: Motion,
        /// The motion as it is before the tool in use works on it.
        ghost: Option<Motion>,
        /// The reports of the steps, as `--json` gives them, but for numbers of every frame.
        reports: Vec<Value>,
        /// What acts on the body, frame by frame, when it reacts.
        reaction: Option<Reaction>,
        /// Performances to choose from, best first, when the document composes.
        candidates: Vec<Candidate>,
        /// Why a step could not be done; what is on stage is the motion before it.
        problem: Option<Problem>,
    },
    /// How far the work for this page is.
    Progress {
        /// Of the intent.
        number: u32,
        /// 0 to 1.
        part: f32,
    },
    /// A performance that was found while others are still made.
    Found {
        /// Of the intent.
        number: u32,
        /// Its place, from 0; the best is first.
        place: u32,
        /// How many are searched for; fewer are offered where they look alike.
        count: u32,
        /// The performance.
        candidate: Candidate,
    },
    /// The bodies of a live performance; poses of both come by themselves.
    Live {
        /// Where the performer's packets are waited for; null when they are not.
        address: Option<String>,
        /// The performer, as far as one was heard.
        performer: Option<Motion>,
        /// The actor that the performer drives.
        actor: Option<Motion>,
    },
    /// What is known of a live performance, some times a second.
    Pulse {
        /// Frames that came in the last second.
        fps: f32,
        /// Seconds that were written down so far; null when nothing is.
        recorded_s: Option<f32>,
        /// What was recognised last.
        recognised: Option<Recognised>,
        /// Milliseconds from the arrival of a frame to its pose being sent to this page, the longest of late.
        delay_ms: f32,
    },
    /// A performance was written down.
    Recorded {
        /// Name of the clip in the database.
        clip: String,
    },
    /// One joint's turning: rotation vectors in degrees.
    Curves {
        /// Which motion.
        stream: u32,
        /// Which joint.
        joint: u32,
        /// Frames from one value to the next.
        stride: u32,
        /// x, y and z of the motion.
        after: [Vec<f32>; 3],
        /// Of the other motion.
        before: Option<[Vec<f32>; 3]>,
    },
    /// How fast the parts of the body go.
    Speeds {
        /// Which motion.
        stream: u32,
        /// Frames from one value to the next.
        stride: u32,
        /// First frame that has a value.
        first: u32,
        /// Groups of joints, those that cut first.
        groups: Vec<Speed>,
        /// Simple movements that were found.
        bells: Vec<Bell>,
    },
    /// Moments of the first clip of a blend and of the others that correspond.
    Registration {
        /// One for each of the others, in order.
        curves: Vec<Registration>,
    },
    /// A job's report.
    Report {
        /// Of the intent.
        number: u32,
        /// As `--json` gives it.
        report: Value,
    },
    /// Clips were kept.
    Saved {
        /// Their names.
        names: Vec<String>,
    },
    /// Files were taken in.
    Imported {
        /// Of the intent.
        number: u32,
        /// Names of the new clips.
        clips: Vec<String>,
        /// Files that could not be used.
        problems: Vec<Problem>,
    },
    /// A file to fetch.
    Exported {
        /// Of the intent.
        number: u32,
        /// Name for the file.
        name: String,
        /// Where it is, from the root of this server.
        path: String,
        /// Its size.
        bytes: u32,
    },
    /// The command lines that make the same file as an export.
    Commands {
        /// Ending of the file.
        format: String,
        /// To be run in order.
        lines: Vec<String>,
    },
    /// An intent could not be done.
    Refused {
        /// Of the intent, if it had one.
        number: Option<u32>,
        /// Why.
        problem: Problem,
    },
}

/// The tools of the right pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// Filters and bands.
    #[default]
    Clean,
    /// Several motions mixed.
    Blend,
    /// Cut into pieces.
    Segment,
    /// Hands and feet put elsewhere at the end of a segment.
    Edit,
    /// Footsteps.
    Walk,
    /// Key motions over time, and what lies between them.
    Compose,
    /// Loads and pushes.
    React,
    /// An actor driven by a performer.
    Perform,
    /// Files of what is on stage.
    Export,
}

/// What is on stage, and how it was made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The tool in use.
    pub tool: Tool,
    /// Name of the clip that the first step works on.
    pub clip: Option<String>,
    /// What is done to it, in order.
    pub steps: Vec<Request>,
    /// Texts of the files that steps name, such as footsteps.
    pub files: BTreeMap<String, String>,
    /// Frames at which the motion is cut.
    pub cuts: Vec<u32>,
    /// Which of the composed performances is on stage, from 0.
    #[serde(default)]
    pub pick: u32,
}

/// A clip of the database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClipRow {
    /// Its name.
    pub name: String,
    /// Length of the motion.
    pub seconds: f32,
    /// Tags, sorted.
    pub tags: Vec<String>,
    /// The file it comes from, if any.
    pub source: Option<String>,
    /// Whether it can be shown.
    pub usable: bool,
}

/// A motion that poses can be asked of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Motion {
    /// Its number, for asking.
    pub stream: u32,
    /// Its name.
    pub name: String,
    /// Frames per second.
    pub fps: f32,
    /// How many frames.
    pub frames: u32,
    /// Its joints, parents first.
    pub joints: Vec<Joint>,
    /// Way of the hips over the ground: x, y, z in metres.
    pub path: Vec<[f32; 3]>,
    /// Height of the floor, metres.
    pub floor: f32,
    /// When and where feet stand.
    pub footprints: Vec<Footprint>,
}

/// A joint as it is drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// Its parent.
    pub parent: Option<u32>,
    /// What it is on a human.
    pub role: Option<String>,
    /// Ends of the body below it, in its frame, metres.
    pub tips: Vec<[f32; 3]>,
    /// Its place in the rest pose, metres.
    pub rest: [f32; 3],
}

/// A foot that stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Footprint {
    /// Whether it is the left one.
    pub left: bool,
    /// First frame.
    pub start: u32,
    /// Frame after the last.
    pub end: u32,
    /// The ankle over the ground in the middle of it: x, y, z in metres.
    pub at: [f32; 3],
    /// Ankle to toe, degrees from +Z to the left.
    pub heading_deg: f32,
    /// From ankle to toe, metres.
    pub length: f32,
}

/// How fast one part of the body goes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Speed {
    /// Which part.
    pub name: String,
    /// Metres per second.
    pub values: Vec<f32>,
}

/// A simple movement of one group of joints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bell {
    /// Name of the group.
    pub group: String,
    /// First frame.
    pub start: u32,
    /// Frame of the greatest speed.
    pub peak: u32,
    /// Frame after the last.
    pub end: u32,
    /// The greatest speed, metres per second.
    pub peak_m_s: f32,
}

/// Which moments of two clips correspond.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Registration {
    /// The other clip.
    pub name: String,
    /// Length of the first clip and of the other, seconds.
    pub seconds: [f32; 2],
    /// Moments of the first clip and of the other, seconds.
    pub points: Vec<[f32; 2]>,
}

/// What acts on a body that reacts, one value per frame of the motion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reaction {
    /// Whether the body stands as its target does at the end.
    pub recovered: bool,
    /// When balance was lost for good, seconds.
    pub fell_at_s: Option<f32>,
    /// First frame that has values.
    pub first: u32,
    /// Zero-moment point from inside the support polygon's border, metres; negative outside.
    pub margin_m: Vec<Option<f32>>,
    /// Zero-moment point: x, z in metres.
    pub zmp: Vec<Option<[f32; 2]>>,
    /// Corners of the support polygon: x, z in metres.
    pub polygon: Vec<Vec<[f32; 2]>>,
    /// Where each thrown body is: x, y, z in metres; null before it appears.
    pub bodies: Vec<Vec<Option<[f32; 3]>>>,
    /// Joints that have a load.
    pub joints: Vec<u32>,
    /// Fraction of its strength that each of them gives.
    pub load: Vec<Vec<f32>>,
    /// What the controller adds at each of them, world axes, rad/s².
    pub corrections: Vec<Vec<[f32; 3]>>,
}

/// A performance that was composed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// Its motion.
    pub motion: Motion,
    /// What it is made of, as `--json` gives it.
    pub report: Value,
}

/// What a live performance was taken for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recognised {
    /// The motion.
    pub motion: String,
    /// The piece of it.
    pub piece: String,
    /// How sure, 0 to 1.
    pub confidence: f32,
    /// Whether it is near anything that was imitated.
    pub known: bool,
    /// Frame of the actor that is shown.
    pub frame: u32,
}

/// What went wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Problem {
    /// The file or clip to blame.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// The step of the document to blame, from 0.
    pub step: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Largest file that may be uploaded, bytes: ten hours of a body at 30 frames a second as BVH text are 1 GB, ten
/// minutes of the densest captures 60 MB.
pub const MOST_UPLOAD: usize = 67_108_864;

/// Most poses of one binary message: what loopback carries in a few milliseconds.
pub const MOST_POSES: u32 = 64;

/// Bytes before the first pose of a binary message.
pub const HEADER_BYTES: usize = 16;

/// Numbers of one joint in a pose: position x, y, z in metres, rotation x, y, z, w.
pub const JOINT_FLOATS: usize = 7;

/// Poses of a motion in world axes: the binary message. Little endian; after the header, for every frame, for every
/// joint, [`JOINT_FLOATS`] numbers of 32 bits.
#[derive(Debug, Clone, PartialEq)]
pub struct Poses {
    /// Which motion.
    pub stream: u32,
    /// First frame.
    pub first: u32,
    /// How many joints.
    pub joints: u16,
    /// Positions and rotations.
    pub values: Vec<f32>,
}

impl Problem {
    /// Something that went wrong with no file to blame.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { file: None, line: None, step: None, message: message.into(), hint: None }
    }

    /// With what to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl From<ugoki_verbs::Problem> for Problem {
    fn from(problem: ugoki_verbs::Problem) -> Self {
        let ugoki_verbs::Problem { file, line, message, hint } = problem;
        Self { file, line, step: None, message, hint }
    }
}
