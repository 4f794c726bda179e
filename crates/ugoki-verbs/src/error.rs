//! What goes wrong in a verb. Library errors keep their type; words about options are added here.

use ugoki::Cancelled;
use ugoki::clip::ClipError;
use ugoki::compose::{ComposeError, RenderError};
use ugoki::contact::ContactError;
use ugoki::edit::{CycleError, SpliceError, WalkError};
use ugoki::formats::{Problem, ReadError, WriteError};
use ugoki::limb::PlantError;
use ugoki::markers::MarkersError;
use ugoki::metric::CompareError;
use ugoki::network::NetworkError;
use ugoki::perform::PerformError;
use ugoki::picture::PictureError;
use ugoki::react::ReactError;
use ugoki::retarget::RetargetError;
use ugoki::segment::SegmentError;
use ugoki::signal::{BlendError, DespikeError, EqualizeError, FilterError, KernelError};

use crate::TimeError;
use crate::outcome::Outcome;

/// Why a verb did not finish.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// An error about a file.
    #[error("{file}: {source}")]
    InFile {
        /// The file as named.
        file: String,
        /// The line in it, where known.
        line: Option<u32>,
        /// What is wrong.
        source: Box<Error>,
    },
    /// An option cannot be used as given.
    #[error("{option}: {message}")]
    Option {
        /// The option as typed, such as `--kernel`.
        option: &'static str,
        /// What is wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The request cannot be carried out.
    #[error("{message}")]
    Refused {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// A time or range does not fit the clip.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// The file cannot be read as motion.
    #[error(transparent)]
    Read(ReadError),
    /// The motion cannot be written in the format.
    #[error(transparent)]
    Write(WriteError),
    /// The clip cannot be changed as asked.
    #[error(transparent)]
    Clip(ClipError),
    /// The markers cannot be changed as asked.
    #[error(transparent)]
    Markers(#[from] MarkersError),
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
    /// The motions cannot be blended.
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
    /// The motion cannot be cut.
    #[error(transparent)]
    Segment(SegmentError),
    /// The performance cannot be learned or run.
    #[error(transparent)]
    Perform(PerformError),
    /// There is no network.
    #[error(transparent)]
    Network(NetworkError),
    /// The timeline cannot be filled.
    #[error(transparent)]
    Compose(ComposeError),
    /// The candidate cannot be rendered.
    #[error(transparent)]
    Render(RenderError),
    /// The plan cannot be walked.
    #[error(transparent)]
    Walk(WalkError),
    /// The body cannot react.
    #[error(transparent)]
    React(ReactError),
    /// The database cannot be used.
    #[error(transparent)]
    Database(ugoki_db::Error),
}

impl Error {
    /// A request that cannot be carried out; add what to do with [`Error::hint`].
    #[must_use]
    pub fn refused(message: impl Into<String>) -> Self {
        Self::Refused { message: message.into(), hint: None }
    }

    /// An option that cannot be used as given; add what to do with [`Error::hint`].
    #[must_use]
    pub fn option(option: &'static str, message: impl Into<String>) -> Self {
        Self::Option { option, message: message.into(), hint: None }
    }

    /// With what to do about it. Library errors bring their own.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        match &mut self {
            Self::Option { hint, .. } | Self::Refused { hint, .. } => *hint = Some(text.into()),
            _ => {}
        }
        self
    }

    /// The same about a file; a file that is named already stays.
    #[must_use]
    pub fn in_file(self, file: &str) -> Self {
        self.at_line(file, None)
    }

    /// The same about a line of a file; a file that is named already stays.
    #[must_use]
    pub fn at_line(self, file: &str, line: Option<u32>) -> Self {
        match self {
            Self::Cancelled | Self::InFile { .. } => self,
            source => {
                let line = line.or(match &source {
                    Self::Read(error) => error.line(),
                    _ => None,
                });
                Self::InFile { file: file.to_owned(), line, source: Box::new(source) }
            }
        }
    }

    /// The error without the file that it is about.
    #[must_use]
    pub fn root(&self) -> &Self {
        match self {
            Self::InFile { source, .. } => source.root(),
            error => error,
        }
    }

    /// How the program ends: a search that found nothing is no failure.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self.root() {
            Self::Loop(CycleError::Open { .. } | CycleError::Still)
            | Self::Walk(WalkError::NoGait { .. } | WalkError::OnTiptoe { .. }) => Outcome::NothingFound,
            _ => Outcome::Failed,
        }
    }

    /// As reports and `{"error": …}` documents have it.
    #[must_use]
    pub fn problem(&self) -> Problem {
        let (file, line) = match self {
            Self::InFile { file, line, .. } => (Some(file.clone()), *line),
            _ => (None, None),
        };
        Problem { file, line, message: self.root().to_string(), hint: self.advice() }
    }
}

impl From<Cancelled> for Error {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// Library errors become verbs' errors, but a request to stop is always [`Error::Cancelled`].
macro_rules! from_errors {
    ($($source:ty: $cancelled:pat => $variant:ident,)*) => {
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
    PerformError: PerformError::Cancelled(_) => Perform,
    NetworkError: NetworkError::Cancelled(_) => Network,
    ComposeError: ComposeError::Cancelled(_) => Compose,
    ReactError: ReactError::Cancelled(_) => React,
    ugoki_db::Error: ugoki_db::Error::Cancelled => Database,
}

impl From<PlantError> for Error {
    fn from(error: PlantError) -> Self {
        match error {
            PlantError::Cancelled(_) => Self::Cancelled,
            PlantError::Contact(error) => Self::Contact(error),
        }
    }
}

impl From<RenderError> for Error {
    fn from(error: RenderError) -> Self {
        match error {
            RenderError::Cancelled(_) => Self::Cancelled,
            RenderError::Splice(error) => error.into(),
            error => Self::Render(error),
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}
