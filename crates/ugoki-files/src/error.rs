//! What is wrong with a file.

use std::io::{Error, ErrorKind};

use ugoki_formats::Format;

/// What is wrong with a file, and which.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {fault}")]
pub struct FileError {
    /// The file as named.
    pub file: String,
    /// What is wrong.
    pub fault: FileFault,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// The caller asked to stop.
    #[error("cancelled")]
    Stopped,
    /// There are more bytes than the caller allows.
    #[error("larger than the {most} bytes that may be read")]
    TooLarge {
        /// What the caller allows.
        most: u64,
    },
    /// The system refuses to read it.
    #[error("{}", system_message(.0))]
    Unreadable(#[source] Error),
    /// Its name has other bytes than UTF-8, so that it is not found.
    #[error("its name is not valid UTF-8")]
    NameNotUtf8,
    /// It is not text.
    #[error("is not text, expected {expected}")]
    NotText {
        /// What it should hold.
        expected: String,
    },
    /// It is a folder where a motion file is read.
    #[error("is a folder, expected a motion file")]
    NoFileToRead,
    /// It is a folder where a file is written.
    #[error("is a folder, expected a file name")]
    NoFileToWrite,
    /// The folder has no motion files.
    #[error("has no motion files in it")]
    NoMotionFiles,
    /// The pattern of names is not valid.
    #[error("{0}")]
    Pattern(#[source] glob::PatternError),
    /// The pattern of names matches nothing.
    #[error("matches no file")]
    NoMatch,
    /// The name of an output is empty, which would mean the folder that the program runs in.
    #[error("the name of the output is empty")]
    EmptyName,
    /// Its folder does not exist.
    #[error("its folder does not exist")]
    NoFolder,
    /// Its folder is a file.
    #[error("its folder is a file")]
    FolderIsFile,
    /// It is a file where a folder is written to.
    #[error("is a file")]
    IsFile,
    /// Standard output where a folder is written to.
    #[error("standard output is one file")]
    StandardOutput,
    /// Standard output is a terminal, and the bytes are no text.
    #[error("a terminal cannot show binary files")]
    Terminal,
    /// It may not be changed.
    #[error("is read-only")]
    ReadOnly,
    /// It is a link that leads nowhere.
    #[error("is a link to a file that does not exist")]
    DanglingLink,
    /// The system refuses to write it.
    #[error("{}", system_message(.0))]
    Unwritable(#[source] Error),
    /// The system refuses to make the folder.
    #[error("{}", system_message(.0))]
    NoNewFolder(#[source] Error),
}

impl FileFault {
    /// The same about a file.
    #[must_use]
    pub fn in_file(self, file: &str) -> FileError {
        FileError { file: file.to_owned(), fault: self }
    }

    /// Whether no single file is to blame.
    #[must_use]
    pub fn is_about_no_file(&self) -> bool {
        matches!(self, Self::Stopped | Self::EmptyName | Self::Terminal)
    }

    /// What to do about it, if anything is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Stopped | Self::TooLarge { .. } | Self::Pattern(_) | Self::NoMatch => return None,
            Self::Unreadable(error) => match error.kind() {
                ErrorKind::NotFound => "check the name and the folder it is in",
                _ => "check that the file may be read",
            },
            Self::NameNotUtf8 => "rename the file",
            Self::NotText { .. } => "name another file, or save it as UTF-8",
            Self::NoFileToRead | Self::NoFileToWrite => "name a file in it",
            Self::NoMotionFiles => {
                let endings = Format::all().filter(|format| format.is_read()).map(Format::extension);
                let endings: Vec<String> = endings.map(|ending| format!(".{ending}")).collect();
                return Some(format!("looked for {}", endings.join(", ")));
            }
            Self::EmptyName => "name a file or folder; the one you are in is called .",
            Self::NoFolder => "create the folder first",
            Self::FolderIsFile => "name a folder that exists",
            Self::IsFile | Self::StandardOutput => "name a folder to write into",
            Self::Terminal => "redirect the output to a file, or name the file",
            Self::ReadOnly => "make it writable, or name another",
            Self::DanglingLink => "remove the link, or name another",
            Self::NoNewFolder(_) => "name one in a folder that you may write to",
            Self::Unwritable(error) => match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room, or write somewhere else",
                ErrorKind::FileTooLarge => {
                    "raise the limit for the size of files (`ulimit -f`), or write less at once"
                }
                ErrorKind::InvalidFilename => "give a shorter name",
                _ => "check the rights of the folder, or write somewhere else",
            },
        };
        Some(text.to_owned())
    }
}

/// What the system says about a file, without its number and in lower case.
#[must_use]
pub fn system_message(error: &Error) -> String {
    let text = error.to_string();
    let Some(code) = error.raw_os_error() else { return text };
    text.strip_suffix(&format!(" (os error {code})")).unwrap_or(&text).to_lowercase()
}
