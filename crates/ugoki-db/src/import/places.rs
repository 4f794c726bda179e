//! Where files are: as the database remembers it, and a cheap check for changes.

use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::Error;

/// What the file system says without reading the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) size: u64,
    /// Nanoseconds since 1970; 0 where the file system does not know.
    pub(crate) modified_ns: i64,
}

impl Stat {
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let data = path.metadata().map_err(|error| Error::io(&error))?;
        let modified_ns = data
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .and_then(|since| i64::try_from(since.as_nanos()).ok())
            .unwrap_or(0);
        Ok(Self { size: data.len(), modified_ns })
    }
}

/// `path` as seen from `folder`, both absolute and without links: with forward slashes, so that a database and its
/// files can move together, to another system too. What has no common root stays absolute.
pub(crate) fn relative(path: &Path, folder: &Path) -> String {
    let (mut path_parts, mut folder_parts) = (path.components().peekable(), folder.components().peekable());
    if path_parts.peek() != folder_parts.peek() {
        return path.to_string_lossy().into_owned();
    }
    while path_parts.peek().is_some() && path_parts.peek() == folder_parts.peek() {
        path_parts.next();
        folder_parts.next();
    }
    let up = folder_parts.filter(|part| matches!(part, Component::Normal(_))).map(|_| "..".to_owned());
    let down = path_parts.map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// The file a remembered path names, seen from `folder`.
pub(crate) fn resolve(remembered: &str, folder: &Path) -> PathBuf {
    folder.join(remembered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_relative_to_the_database() {
        let relative = |path: &str| relative(Path::new(path), Path::new("/home/a/moves"));
        assert_eq!(relative("/home/a/moves/x.bvh"), "x.bvh");
        assert_eq!(relative("/home/a/cmu/16/x.bvh"), "../cmu/16/x.bvh");
        assert_eq!(relative("/data/x.bvh"), "../../../data/x.bvh");
        assert_eq!(
            resolve("../cmu/x.bvh", Path::new("/home/a/moves")),
            Path::new("/home/a/moves/../cmu/x.bvh")
        );
    }
}
