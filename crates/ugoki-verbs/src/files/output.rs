//! Writing files without half-written results.

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::Error;

/// Writes all of `bytes` or nothing: to a new file in the same folder, which then takes the target's name. `-` is standard
/// output.
pub(super) fn write(name: &str, bytes: &[u8]) -> Result<(), Error> {
    if name == "-" {
        if std::io::stdout().is_terminal() && std::str::from_utf8(bytes).is_err() {
            return Err(Error::refused("a terminal cannot show binary files")
                .hint("redirect the output to a file, or name the file"));
        }
        let mut out = std::io::stdout().lock();
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Error::refused(plain(&error)).in_file("standard output"))
            }
            _ => Ok(()),
        };
    }
    // A link stays a link: what it points to is replaced.
    let resolved = fs::canonicalize(name).unwrap_or_else(|_| PathBuf::from(name));
    let target = resolved.as_path();
    if target.is_dir() {
        return Err(Error::refused("is a folder, expected a file name").in_file(name));
    }
    let folder = target.parent().unwrap_or(Path::new(""));
    remove_leftovers(folder);
    ugoki_db::replace_file(target, bytes).map_err(|error| {
        let error = match !folder.as_os_str().is_empty() && !folder.is_dir() {
            true => Error::refused("its folder does not exist").hint("create the folder first"),
            false => with_advice(&error),
        };
        error.in_file(name)
    })
}

/// Makes a folder to write into; one that exists is kept.
pub(super) fn create_folder(name: &str) -> Result<(), Error> {
    if Path::new(name).is_file() {
        return Err(Error::refused("is a file").hint("name a folder to write into").in_file(name));
    }
    fs::create_dir_all(name).map_err(|error| {
        Error::refused(plain(&error)).hint("name one in a folder that you may write to").in_file(name)
    })
}

/// Removes a file; folders and files that are gone are left alone.
pub(super) fn remove(name: &str) -> Result<(), Error> {
    if !Path::new(name).is_file() {
        return Ok(());
    }
    fs::remove_file(name).map_err(|error| Error::refused(plain(&error)).in_file(name))
}

/// Removes temporary files of killed runs; once for each folder that this run writes to.
fn remove_leftovers(folder: &Path) {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if DONE.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        ugoki_db::remove_leftovers(folder);
    }
}

/// An error of the system with what to do about it.
fn with_advice(error: &std::io::Error) -> Error {
    let refused = Error::refused(plain(error));
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            refused.hint("check the rights of the folder, or write somewhere else")
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            refused.hint("make room, or write somewhere else")
        }
        ErrorKind::FileTooLarge => {
            refused.hint("raise the limit for the size of files (`ulimit -f`), or write less at once")
        }
        _ => refused,
    }
}

/// The system's message without its number.
pub(crate) fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}
