//! What can go wrong with a database, in words a user can act on. The path is added by the caller.

use rusqlite::ErrorCode;
use ugoki_base::skeleton::Role;
use ugoki_files::system_message;

/// Why a database cannot be used as asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// There is no such file.
    #[error("no such database")]
    Missing,
    /// A file of that name is there already.
    #[error("the file exists already")]
    Exists,
    /// The file is empty.
    #[error("the file is empty, expected a motion database")]
    Empty,
    /// Not SQLite at all.
    #[error("not a motion database; the file begins with {found}")]
    NotADatabase {
        /// The first bytes, readable.
        found: String,
    },
    /// SQLite, but of another program.
    #[error("an SQLite database of another program (application id {found:#010x}), not a motion database")]
    OtherProgram {
        /// The application id found.
        found: u32,
    },
    /// Made by a newer Ugoki.
    #[error("the database has version {found}, this program knows versions up to {known}")]
    Newer {
        /// The version found.
        found: i64,
        /// The newest version this program knows.
        known: i64,
    },
    /// An older database that must be brought up to date but may not be written.
    #[error("the database has the old version {found} and cannot be written to bring it to version {known}")]
    Older {
        /// The version found.
        found: i64,
        /// The version needed.
        known: i64,
    },
    /// The file ends too early.
    #[error("the file is cut off: {found} of {wanted} bytes are there")]
    Truncated {
        /// Bytes found.
        found: u64,
        /// Bytes the header promises.
        wanted: u64,
    },
    /// SQLite found contradictions, or a blob does not decode.
    #[error("the database is damaged: {detail}")]
    Damaged {
        /// What was found.
        detail: String,
    },
    /// The location is not writable.
    #[error("the database cannot be written: {detail}")]
    ReadOnly {
        /// What the system says.
        detail: String,
    },
    /// The disk is full.
    #[error("the disk is full")]
    Full,
    /// Another program is writing and does not end.
    #[error("another program is writing to the database")]
    Busy,
    /// The system could not read or write the file.
    #[error("the system cannot read or write the database: {detail}")]
    Disk {
        /// What it says.
        detail: String,
    },
    /// What was derived from a clip is not as it was written; its source may be.
    #[error("the form of clip {name:?} on the database's skeleton is damaged: {detail}")]
    DamagedForm {
        /// The clip.
        name: String,
        /// What was found.
        detail: String,
    },
    /// The system refuses.
    #[error("{detail}")]
    Io {
        /// What the system says.
        detail: String,
    },
    /// A folder.
    #[error("is a folder, expected a motion database")]
    Folder,
    /// No clip has this name or number.
    #[error("no clip is called {name:?}")]
    UnknownClip {
        /// What was asked for.
        name: String,
        /// Names like it, nearest first.
        near: Vec<String>,
    },
    /// Two clips cannot have one name.
    #[error("another clip is called {name:?}")]
    Name {
        /// The name.
        name: String,
    },
    /// A pattern or filter that fits no clip.
    #[error("no clip fits {what}")]
    NothingFits {
        /// The pattern or filter.
        what: String,
    },
    /// The clip has no form on the database's skeleton.
    #[error("clip {name:?} is kept only on its own skeleton: {reason}")]
    Underived {
        /// The clip.
        name: String,
        /// Why it could not be brought onto the database's skeleton.
        reason: String,
    },
    /// A database where a motion file is expected.
    #[error("is a motion database, expected motion files")]
    IsDatabase,
    /// The built-in database, where one is changed or made.
    #[error("is the built-in database, which is only read")]
    BuiltIn,
    /// A new database whose name has another ending.
    #[error("the name of a new database ends in .ugoki, or its clips could not be named")]
    Ending {
        /// A name that does.
        better: String,
    },
    /// A database where a clip of it is expected.
    #[error("is a database, name a clip in it")]
    NoClipNamed {
        /// Names of some of its clips.
        examples: Vec<String>,
    },
    /// A tag that cannot be kept.
    #[error(
        "{tag:?} is not a tag, expected a word without spaces and commas, at most 64 characters, that does not begin with ! or -"
    )]
    Tag {
        /// The text given.
        tag: String,
    },
    /// A skeleton that a database cannot have.
    #[error("the skeleton has no joint with the role {role}")]
    Skeleton {
        /// The role that is missing.
        role: Role,
    },
    /// A skeleton that does not stand in its rest pose.
    #[error("its rest pose is no standing body, so no motion could be moved onto it")]
    NoStance,
    /// A skeleton that clips cannot be moved onto.
    #[error("clips cannot be moved onto this skeleton: {reason}")]
    Target {
        /// Why.
        reason: String,
    },
    /// The rate or file that a database cannot have.
    #[error("{detail}")]
    Unfit {
        /// What is wrong.
        detail: String,
    },
    /// SQLite says something else.
    #[error("SQLite: {detail}")]
    Sql {
        /// Its message.
        detail: String,
    },
    /// The label map that the user named cannot be used.
    #[error("{file}: {detail}")]
    Labels {
        /// The label map.
        file: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The skeleton file that the user named cannot be opened.
    #[error("{file}: {detail}")]
    SkeletonFile {
        /// The skeleton file.
        file: String,
        /// What the system says.
        detail: String,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Missing => "make one first".to_owned(),
            Self::Exists => "choose another name, or add to it".to_owned(),
            Self::Empty | Self::NotADatabase { .. } | Self::OtherProgram { .. } => {
                "name a .ugoki file".to_owned()
            }
            Self::Newer { .. } => "use a newer ugoki".to_owned(),
            Self::Older { .. } => "copy it to a folder that you may write to and open it there".to_owned(),
            Self::Truncated { .. } | Self::Damaged { .. } => {
                "take a copy from before, or rescue it with `sqlite3 FILE .recover`".to_owned()
            }
            Self::ReadOnly { .. } => {
                "check the rights of the file and its folder, or work on a copy".to_owned()
            }
            Self::Full => "make room and run the same command again; what was finished is kept".to_owned(),
            Self::Disk { .. } => {
                "look whether the disk is full, a limit for the size of files is met (`ulimit -f`) or the medium fails; what \
                 was finished is kept, and the same command goes on from there"
                    .to_owned()
            }
            Self::DamagedForm { .. } => {
                "repair the database: it is made again from the clip as it came".to_owned()
            }
            Self::Busy => "wait until it has ended and try again".to_owned(),
            Self::UnknownClip { near, .. } if !near.is_empty() => format!("did you mean {}?", near.join(", ")),
            Self::NoStance | Self::Target { .. } => {
                "give a file of that body whose rest pose stands, such as one in T-pose".to_owned()
            }
            Self::Skeleton { .. } => "a database needs a human body with arms and legs".to_owned(),
            Self::Folder => "name a .ugoki file in it".to_owned(),
            Self::IsDatabase => {
                "export its clips to a folder, and add that folder".to_owned()
            }
            Self::Underived { .. } => "export it as it came".to_owned(),
            Self::BuiltIn => "give the name of a file of your own, such as moves.ugoki".to_owned(),
            Self::Ending { better } => format!("call it {better}"),
            Self::NoClipNamed { examples } if examples.is_empty() => "it is empty: add motion".to_owned(),
            Self::NoClipNamed { examples } => format!("for example {}", examples.join(", ")),
            Self::SkeletonFile { .. } => "check the name".to_owned(),
            _ => return None,
        })
    }

    /// A blob that does not decode.
    pub(crate) fn damaged(detail: impl Into<String>) -> Self {
        Self::Damaged { detail: detail.into() }
    }

    /// What the system says about a file.
    pub(crate) fn io(error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        let detail = system_message(error);
        match error.kind() {
            ErrorKind::NotFound => Self::Missing,
            ErrorKind::AlreadyExists => Self::Exists,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::Full,
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { detail },
            _ => Self::Io { detail },
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let detail = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { detail },
            Some(ErrorCode::NotADatabase) => {
                Self::Damaged { detail: "its header or encryption is not SQLite's".to_owned() }
            }
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                Self::ReadOnly { detail }
            }
            Some(ErrorCode::SystemIoFailure) => Self::Disk { detail },
            _ => match error {
                // A row that is not as the schema promises: the file was changed by something else.
                rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::QueryReturnedNoRows => Self::Damaged { detail },
                rusqlite::Error::Utf8Error(..) => {
                    Self::Damaged { detail: "a text in it is no text (not UTF-8)".to_owned() }
                }
                _ => Self::Sql { detail },
            },
        }
    }
}

impl From<ugoki_base::Cancelled> for Error {
    fn from(_: ugoki_base::Cancelled) -> Self {
        Self::Cancelled
    }
}
