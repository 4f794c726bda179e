//! Which file a name means, whatever links lead to it.

use std::path::{Path, PathBuf};

/// Where a result of this name goes, through all links; the file need not exist yet.
#[must_use]
pub fn place(name: &str) -> PathBuf {
    let path = Path::new(name);
    if let Ok(place) = path.canonicalize() {
        return place;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    path.file_name().map_or_else(|| path.to_owned(), |file| folder.join(file))
}

/// The identity of a file that exists: symbolic and hard links to it have the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileId(Id);

#[cfg(unix)]
type Id = (u64, u64);
#[cfg(not(unix))]
type Id = std::path::PathBuf;

impl FileId {
    /// Of a file that is read; `-` is standard input, which may be a file.
    #[must_use]
    pub fn from_input(name: &str) -> Option<Self> {
        #[cfg(unix)]
        if name == "-" {
            return Self::from_stream(&std::io::stdin());
        }
        Self::from_name(name)
    }

    /// Of a file that is written; `-` is standard output, which may be a file.
    #[must_use]
    pub fn from_output(name: &str) -> Option<Self> {
        #[cfg(unix)]
        if name == "-" {
            return Self::from_stream(&std::io::stdout());
        }
        Self::from_name(name)
    }

    #[cfg(unix)]
    fn from_stream(stream: &impl std::os::fd::AsFd) -> Option<Self> {
        let file = std::fs::File::from(stream.as_fd().try_clone_to_owned().ok()?);
        let data = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Self::from_metadata("-", &data)
    }

    /// Of a named file; `None` for standard streams, folders and names without a file.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let data = std::fs::metadata(name).ok().filter(|data| name != "-" && data.is_file())?;
        Self::from_metadata(name, &data)
    }

    #[cfg(unix)]
    fn from_metadata(_: &str, data: &std::fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        Some(Self((data.dev(), data.ino())))
    }

    #[cfg(not(unix))]
    fn from_metadata(name: &str, _: &std::fs::Metadata) -> Option<Self> {
        std::fs::canonicalize(name).ok().map(Self)
    }
}
