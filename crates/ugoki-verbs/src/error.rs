//! What goes wrong in a verb. Library errors keep their type; words about options are added here.

use ugoki::Cancelled;
use ugoki::clip::ClipError;
use ugoki::compose::{ComposeError, RenderError};
use ugoki::contact::ContactError;
use ugoki::convert::ConvertError;
use ugoki::edit::{CycleError, EditError, SpliceError, WalkError};
use ugoki::feet::PlantError;
use ugoki::formats::{FootstepsError, LabelMapError, Problem, ReadError, WriteError};
use ugoki::live::sockets::RecordError;
use ugoki::markers::MarkersError;
use ugoki::metric::CompareError;
use ugoki::network::NetworkError;
use ugoki::perform::PerformError;
use ugoki::picture::PictureError;
use ugoki::react::ReactError;
use ugoki::retarget::RetargetError;
use ugoki::segment::SegmentError;
use ugoki::signal::{BlendError, DespikeError, EqualizeError, FilterError, KernelError};

use ugoki_db::{CatalogueError, ModelError};
use ugoki_files::{FileError, FileFault};

use crate::TimeError;
use crate::outcome::Outcome;
use crate::request_error::RequestError;

/// Declares [`Error`]. Library errors keep their type, but one that means that the caller stopped becomes [`Error::Cancelled`].
macro_rules! errors {
    ($($variant:ident($source:ty) $(unless $cancelled:pat)? => $doc:literal;)*) => {
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
            /// There are more bytes than a job may read.
            #[error("larger than the {memory_bytes} bytes that the job may read")]
            TooLarge {
                /// What the job may read.
                memory_bytes: u64,
            },
            /// The result would take more memory than a job may.
            #[error("{frames} frames of {joints} joints would take about {bytes} bytes, more than the {memory_bytes} that the job may use")]
            ResultTooLarge {
                /// Frames of the result.
                frames: u64,
                /// Its joints.
                joints: usize,
                /// About what making it takes.
                bytes: u64,
                /// What the job may use.
                memory_bytes: u64,
            },
            /// The database has no clips for a network.
            #[error("{}", if *unusable { "none of its clips is on the database's skeleton" } else { "has no clips" })]
            NoClips {
                /// Whether there are clips that cannot be used.
                unusable: bool,
            },
            /// A file cannot be read or written.
            #[error(transparent)]
            File(FileFault),
            /// The system refuses a socket.
            #[error("{}", ugoki_files::system_message(.0))]
            Socket(std::io::Error),
            /// The model of a performance cannot be used.
            #[error(transparent)]
            Model(ModelError),
            /// The kernel cannot be used.
            #[error("--kernel: {0}")]
            Kernel(#[from] KernelError),
            /// The candidate cannot be rendered.
            #[error(transparent)]
            Render(RenderError),
            $(
                #[doc = $doc]
                #[error(transparent)]
                $variant($source),
            )*
        }

        $(impl From<$source> for Error {
            fn from(error: $source) -> Self {
                $(if let $cancelled = error {
                    return Self::Cancelled;
                })?
                Self::$variant(error)
            }
        })*
    };
}

errors! {
    Json(serde_json::Error) => "A report cannot be written.";
    LabelMap(LabelMapError) => "The map of marker labels cannot be used.";
    Footsteps(FootstepsError) => "The footsteps cannot be used.";
    Record(RecordError) => "No motion came of the stream.";
    Request(RequestError) => "The request cannot be used.";
    Time(TimeError) => "A time or range does not fit the clip.";
    Read(ReadError) => "The file cannot be read as motion.";
    Write(WriteError) unless WriteError::Cancelled(_) => "The motion cannot be written in the format.";
    Clip(ClipError) unless ClipError::Cancelled(_) => "The clip cannot be changed as asked.";
    Markers(MarkersError) => "The markers cannot be changed as asked.";
    Contact(ContactError) => "The feet cannot be found.";
    Picture(PictureError) unless PictureError::Cancelled => "The picture cannot be drawn.";
    Compare(CompareError) unless CompareError::Cancelled(_) => "The motions have nothing in common.";
    Filter(FilterError) unless FilterError::Cancelled(_) => "The motion cannot be filtered.";
    Despike(DespikeError) unless DespikeError::Cancelled(_) => "Glitches cannot be looked for.";
    Equalize(EqualizeError) unless EqualizeError::Cancelled(_) => "The motion cannot be split into bands.";
    Blend(BlendError) unless BlendError::Cancelled(_) => "The motions cannot be blended.";
    Splice(SpliceError) unless SpliceError::Cancelled(_) => "The motions cannot be joined.";
    Loop(CycleError) unless CycleError::Cancelled(_) => "The motion cannot be looped.";
    Edit(EditError) unless EditError::Cancelled(_) => "The segment cannot be edited.";
    Retarget(RetargetError) unless RetargetError::Cancelled(_) => "The motion cannot be moved onto the skeleton.";
    Segment(SegmentError) unless SegmentError::Cancelled(_) => "The motion cannot be cut.";
    Perform(PerformError) unless PerformError::Cancelled(_) => "The performance cannot be learned or run.";
    Network(NetworkError) unless NetworkError::Cancelled(_) => "There is no network.";
    Compose(ComposeError) unless ComposeError::Cancelled(_) => "The timeline cannot be filled.";
    Walk(WalkError) unless WalkError::Cancelled(_) => "The plan cannot be walked.";
    React(ReactError) unless ReactError::Cancelled(_) => "The body cannot react.";
    Database(ugoki_db::Error) unless ugoki_db::Error::Cancelled => "The database cannot be used.";
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
                    Self::LabelMap(error) => error.line(),
                    Self::Footsteps(
                        FootstepsError::Form { line, .. } | FootstepsError::Step { line, .. },
                    ) => *line,
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

/// Says which file the error of a result is about.
pub(crate) trait InFile<T> {
    /// As [`Error::in_file`].
    fn in_file(self, file: &str) -> Result<T, Error>;
}

impl<T, E: Into<Error>> InFile<T> for Result<T, E> {
    fn in_file(self, file: &str) -> Result<T, Error> {
        self.map_err(|error| error.into().in_file(file))
    }
}

impl From<CatalogueError> for Error {
    fn from(error: CatalogueError) -> Self {
        match error {
            CatalogueError::Database(error) => error.into(),
            CatalogueError::Network(error) => error.into(),
            CatalogueError::NoClips { unusable } => Self::NoClips { unusable },
        }
    }
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Database(error) => error.into(),
            error => Self::Model(error),
        }
    }
}

impl From<FileError> for Error {
    fn from(FileError { file, fault }: FileError) -> Self {
        let is_about_file = !fault.is_about_no_file();
        let error = match fault {
            FileFault::Stopped => Self::Cancelled,
            FileFault::TooLarge { most } => Self::TooLarge { memory_bytes: most },
            fault => Self::File(fault),
        };
        if is_about_file { error.in_file(&file) } else { error }
    }
}

impl From<Cancelled> for Error {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl From<ConvertError> for Error {
    fn from(error: ConvertError) -> Self {
        match error {
            ConvertError::Time(error) => error.into(),
            ConvertError::Clip(error) => error.into(),
            ConvertError::Markers(error) => error.into(),
            ConvertError::Retarget(error) => error.into(),
            ConvertError::Write(error) => error.into(),
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

impl From<RenderError> for Error {
    fn from(error: RenderError) -> Self {
        match error {
            RenderError::Cancelled(_) => Self::Cancelled,
            RenderError::Splice(error) => error.into(),
            error => Self::Render(error),
        }
    }
}
