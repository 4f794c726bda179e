//! Files in folders and by pattern.

use std::fs;
use std::path::{Path, PathBuf};

use ugoki_formats::Format;

use crate::{FileError, FileFault};

/// The motion files below a folder, all the way down, each folder sorted; without those in the folder `except`, which is
/// canonical. Links to folders are not followed, as they may lead in circles.
///
/// # Errors
/// When a folder cannot be read.
pub fn motion_files(folder: &Path, except: Option<&Path>) -> Result<Vec<String>, FileError> {
    let mut files = Vec::new();
    collect(folder, except, &mut files)?;
    Ok(files)
}

fn collect(folder: &Path, except: Option<&Path>, files: &mut Vec<String>) -> Result<(), FileError> {
    if except.is_some() && fs::canonicalize(folder).ok().as_deref() == except {
        return Ok(());
    }
    let unreadable = |error| FileFault::Unreadable(error).in_file(&folder.to_string_lossy());
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let is_link = path.symlink_metadata().is_ok_and(|data| data.file_type().is_symlink());
        if path.is_dir() && !is_link {
            collect(&path, except, files)?;
        } else if path.is_file() {
            let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned());
            if ending.and_then(|ending| Format::from_extension(&ending)).is_some_and(Format::is_read) {
                files.push(path.to_string_lossy().into_owned());
            }
        }
    }
    Ok(())
}

/// Whether a name is a pattern that several files may match.
#[must_use]
pub fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// The paths that match a pattern, at least one.
///
/// # Errors
/// When the pattern is not valid or matches nothing.
pub fn matching_paths(pattern: &str, is_wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, FileError> {
    let matches = glob::glob(pattern).map_err(|error| FileFault::Pattern(error).in_file(pattern))?;
    let paths: Vec<PathBuf> = matches.flatten().filter(|path| is_wanted(path)).collect();
    if paths.is_empty() { Err(FileFault::NoMatch.in_file(pattern)) } else { Ok(paths) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_searched_all_the_way_down_without_results_and_links() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        for name in ["b", "out"] {
            fs::create_dir(place(name)).unwrap();
        }
        for name in ["b/z.bvh", "b/a.GLB", "a.bvh", "out/a.bvh", "notes.md"] {
            fs::write(place(name), "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), place("b/circle")).unwrap();
        let out = place("out").canonicalize().unwrap();
        let found = motion_files(folder.path(), Some(&out)).unwrap();
        let expected = ["a.bvh", "b/a.GLB", "b/z.bvh"].map(|name| place(name).to_string_lossy().into_owned());
        assert_eq!(found, expected);
        let pattern = place("*.bvh").to_string_lossy().into_owned();
        assert_eq!(matching_paths(&pattern, Path::is_file).unwrap(), [place("a.bvh")]);
        let none = matching_paths(&place("*.amc").to_string_lossy(), Path::is_file).unwrap_err();
        assert!(matches!(none.fault, FileFault::NoMatch));
    }
}
