//! Files that grow while a recording goes on.

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::temporary_files::try_new_file;
use crate::{FileError, FileFault, check_folder, check_name};

/// Refuses a name at which no file can be written, by what the system says when one is made there.
///
/// # Errors
/// When no file can be made there.
pub fn check_writable(name: &str) -> Result<(), FileError> {
    check_name(name)?;
    check_folder(name)?;
    let resolved = fs::canonicalize(name).unwrap_or_else(|_| PathBuf::from(name));
    match fs::metadata(&resolved) {
        Ok(data) if data.is_dir() => Err(FileFault::NoFileToWrite.in_file(name)),
        Ok(data) if data.is_file() && data.permissions().readonly() => Err(FileFault::ReadOnly.in_file(name)),
        // Standard output, devices and pipes take what comes.
        Ok(data) if !data.is_file() => Ok(()),
        _ if name == "-" => Ok(()),
        _ => try_new_file(&resolved).map_err(|error| FileFault::Unwritable(error).in_file(name)),
    }
}

/// Where a recording to `name` is kept while it goes on. BVH grows row by row, so a BVH file is its own journal; other formats
/// have one next to them, under a name that no earlier one has. `None` for what is no file.
#[must_use]
pub fn journal_path(name: &str) -> Option<String> {
    if name == "-" || fs::metadata(name).is_ok_and(|data| !data.is_file()) {
        return None;
    }
    if Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bvh")) {
        return Some(name.to_owned());
    }
    let numbered = |number: u32| match number {
        1 => format!("{name}.part.bvh"),
        number => format!("{name}.part-{number}.bvh"),
    };
    (1..1000).map(numbered).find(|journal| !Path::new(journal).exists())
}

/// Appends to a file, then overwrites the bytes at `at`, each on the disk before the next step.
///
/// # Errors
/// When the system refuses.
pub fn append(name: &str, bytes: &[u8], at: u64, over: &[u8]) -> Result<(), FileError> {
    let appended = fs::OpenOptions::new().write(true).open(name).and_then(|mut file| {
        file.seek(SeekFrom::End(0))?;
        file.write_all(bytes)?;
        file.sync_data()?;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(over)?;
        file.sync_data()
    });
    appended.map_err(|error| FileFault::Unwritable(error).in_file(name))
}
