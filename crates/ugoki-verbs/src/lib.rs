//! One verb each: a [`Request`] that is also the command line and the studio's message, a report that
//! *is* the `--json` document, and one function on clips that joins the modules above.
//!
//! ```text
//! argv ──┐                                        ┌─► text
//!        ├─► Request ─► run(request, clips, …) ─► Report ─► --json, studio
//! JSON ──┘
//! ```
//!
//! Jobs read no files: the caller turns names into bytes and [`ugoki::formats`] turns bytes into clips.

pub mod blend;
pub mod check;
pub mod compare;
pub mod compose;
pub mod convert;
pub mod db;
pub mod demo;
pub mod equalize;
pub mod filter;
pub mod held;
pub mod info;
pub mod loop_;
pub mod losses;
pub mod network;
pub mod perform;
pub mod plant;
pub mod react;
pub mod render;
pub mod segment;
pub mod splice;
pub mod stream;
pub mod studio;
pub mod walk;

mod arguments;
mod plots;
mod reading_words;
mod seams;
mod time;

use serde::{Deserialize, Serialize};

use ugoki::Progress;
use ugoki::clip::{Clip, ClipError};
use ugoki::contact::ContactError;
use ugoki::edit::{CycleError, SpliceError, WalkError};
use ugoki::formats::WriteError;
use ugoki::limb::PlantError;
use ugoki::markers::MarkersError;
use ugoki::metric::CompareError;
use ugoki::perform::PerformError;
use ugoki::picture::PictureError;
use ugoki::retarget::{
    RetargetConfig, RetargetError, Retargeted, Stance, Whose, build_retarget, retarget_with,
};
use ugoki::segment::SegmentError;
use ugoki::signal::{BlendError, DespikeError, EqualizeError, FilterError, KernelError};

pub use arguments::Arguments;
pub use plots::check_plot_name;
pub use reading_words::{reading_arguments, up_name};
pub use time::{Span, Time, TimeError};
pub use ugoki::formats::{Problem, Reading, Tpose};

/// Everything a user can ask for, by verb.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
pub enum Request {
    /// What is in a file.
    Info(info::Request),
    /// What is odd about files.
    Check(check::Request),
    /// From one form to another.
    Convert(convert::Request),
    /// Removes foot skate and levels the floor.
    Plant(plant::Request),
    /// How far two motions are apart.
    Compare(compare::Request),
    /// Pictures of a motion.
    Render(render::Request),
    /// Removes jitter.
    Filter(filter::Request),
    /// Makes a motion calmer or more nervous.
    Equalize(equalize::Request),
    /// Mixes motions.
    Blend(blend::Request),
    /// One cycle of a motion, closed.
    Loop(loop_::Request),
    /// Motions one after another.
    Splice(splice::Request),
    /// Cuts a take into simple movements.
    Segment(segment::Request),
    /// An expert's motion driven by a performer's.
    Perform(perform::Request),
    /// Plays a clip as a live stream.
    Stream(stream::Stream),
    /// Keeps a live stream as a clip.
    Record(stream::Record),
    /// Answers to loads and pushes.
    React(react::Request),
    /// Footsteps in, motion out.
    Walk(walk::Request),
    /// Which motion may follow which.
    Network(network::Request),
    /// Long motions from key motions.
    Compose(compose::Request),
    /// The motion database.
    Db(db::Request),
    /// Everything visible in a browser.
    Studio(studio::Request),
    /// One example of each capability.
    Demo(demo::Request),
}

impl Request {
    /// The command line that asks for the same, without the program's name; it parses back to this request.
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        match self {
            Self::Info(request) => request.command_line(),
            Self::Check(request) => request.command_line(),
            Self::Convert(request) => request.command_line(),
            Self::Plant(request) => request.command_line(),
            Self::Compare(request) => request.command_line(),
            Self::Render(request) => request.command_line(),
            Self::Filter(request) => request.command_line(),
            Self::Equalize(request) => request.command_line(),
            Self::Blend(request) => request.command_line(),
            Self::Loop(request) => request.command_line(),
            Self::Splice(request) => request.command_line(),
            Self::Segment(request) => request.command_line(),
            Self::Perform(request) => request.command_line(),
            Self::Stream(request) => request.command_line(),
            Self::Record(request) => request.command_line(),
            Self::React(request) => request.command_line(),
            Self::Walk(request) => request.command_line(),
            Self::Network(request) => request.command_line(),
            Self::Compose(request) => request.command_line(),
            Self::Db(request) => request.command_line(),
            Self::Studio(request) => request.command_line(),
            Self::Demo(request) => request.command_line(),
        }
    }
}

/// What to say of a motion without numbers.
const NOTHING_SEEN: &str =
    "nothing of the body is seen in any frame: its numbers are lost or not finite; record it again";

/// Why a job did not finish.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The clip cannot be changed as asked.
    #[error(transparent)]
    Clip(ClipError),
    /// A time or range does not fit the clip.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// The feet cannot be found.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// The picture cannot be drawn.
    #[error(transparent)]
    Picture(PictureError),
    /// The motions have nothing in common.
    #[error(transparent)]
    Compare(CompareError),
    /// The kernel cannot be used.
    #[error("--kernel: {0}")]
    Kernel(#[from] KernelError),
    /// The motion cannot be filtered.
    #[error(transparent)]
    Filter(FilterError),
    /// Glitches cannot be looked for.
    #[error(transparent)]
    Despike(DespikeError),
    /// The motion cannot be split into bands.
    #[error(transparent)]
    Equalize(EqualizeError),
    /// The motions cannot be mixed.
    #[error(transparent)]
    Blend(BlendError),
    /// The motions cannot be joined.
    #[error(transparent)]
    Splice(SpliceError),
    /// The motion cannot be looped.
    #[error(transparent)]
    Loop(CycleError),
    /// The motion cannot be moved onto the skeleton.
    #[error(transparent)]
    Retarget(RetargetError),
    /// The markers cannot be changed as asked.
    #[error(transparent)]
    Markers(#[from] MarkersError),
    /// The motion cannot be cut.
    #[error(transparent)]
    Segment(SegmentError),
    /// The performance cannot be learned or run.
    #[error("{0}")]
    Perform(String),
    /// There is no network.
    #[error("{0}")]
    Network(String),
    /// The timeline cannot be filled.
    #[error(transparent)]
    Compose(ugoki::compose::ComposeError),
    /// The plan cannot be walked.
    #[error(transparent)]
    Walk(WalkError),
    /// The body cannot react.
    #[error("{0}")]
    React(String),
    /// The motion cannot be written in the format.
    #[error(transparent)]
    Write(WriteError),
    /// An option does not make sense.
    #[error("{option}: {message}")]
    Option {
        /// The option as typed.
        option: &'static str,
        /// What is wrong and what to do.
        message: String,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl From<ugoki::Cancelled> for Error {
    fn from(_: ugoki::Cancelled) -> Self {
        Self::Cancelled
    }
}

/// Errors of the modules below become jobs' errors, but a wish to stop is always [`Error::Cancelled`].
macro_rules! from_errors {
    ($($source:ident: $cancelled:pat => $variant:ident,)*) => {
        $(impl From<$source> for Error {
            fn from(error: $source) -> Self {
                match error {
                    $cancelled => Self::Cancelled,
                    error => Self::$variant(error),
                }
            }
        })*
    };
}

from_errors! {
    ClipError: ClipError::Cancelled(_) => Clip,
    PictureError: PictureError::Cancelled => Picture,
    CompareError: CompareError::Cancelled(_) => Compare,
    FilterError: FilterError::Cancelled(_) => Filter,
    DespikeError: DespikeError::Cancelled(_) => Despike,
    EqualizeError: EqualizeError::Cancelled(_) => Equalize,
    BlendError: BlendError::Cancelled(_) => Blend,
    SpliceError: SpliceError::Cancelled(_) => Splice,
    CycleError: CycleError::Cancelled(_) => Loop,
    WriteError: WriteError::Cancelled(_) => Write,
    RetargetError: RetargetError::Cancelled(_) => Retarget,
    SegmentError: SegmentError::Cancelled(_) => Segment,
    WalkError: WalkError::Cancelled(_) => Walk,
}

impl From<PerformError> for Error {
    fn from(error: PerformError) -> Self {
        match error {
            PerformError::Cancelled(_) => Self::Cancelled,
            error => Self::Perform(error.to_string()),
        }
    }
}

impl From<PlantError> for Error {
    fn from(error: PlantError) -> Self {
        match error {
            PlantError::Cancelled(_) => Self::Cancelled,
            PlantError::Contact(error) => Self::Contact(error),
        }
    }
}

/// A clip moved onto the skeleton of `target`, whose motion tells how that body stands.
///
/// # Errors
/// When hips or legs of either are not known, or the caller stops.
pub fn onto(clip: &Clip, target: &Clip, progress: Progress<'_>) -> Result<Retargeted, Error> {
    let map = build_retarget(&Stance::clip(clip, Whose::Source)?, &Stance::clip(target, Whose::Target)?)?;
    Ok(retarget_with(&map, clip, &RetargetConfig::default(), progress)?)
}
