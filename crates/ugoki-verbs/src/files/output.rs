//! Writing files without half-written results.

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, IsTerminal as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ugoki_db::system_message;

use crate::Error;

/// Refuses an empty name, which would otherwise mean the folder that the program runs in.
pub(super) fn check_name(name: &str) -> Result<(), Error> {
    match name {
        "" => Err(Error::refused("the name of the output is empty")
            .hint("name a file or folder; the one you are in is called .")),
        _ => Ok(()),
    }
}

/// Refuses a file in a folder that does not exist, before any work is done for it.
pub(super) fn check_folder(name: &str) -> Result<(), Error> {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    match folder.metadata() {
        Ok(data) if !data.is_dir() => {
            Err(Error::refused("its folder is a file").hint("name a folder that exists").in_file(name))
        }
        Err(_) if !folder.as_os_str().is_empty() => {
            Err(Error::refused("its folder does not exist").hint("create the folder first").in_file(name))
        }
        _ => Ok(()),
    }
}

/// Writes all of `bytes` or nothing: to a new file in the same folder, which then takes the target's name. `-` is standard
/// output.
pub(super) fn write(name: &str, bytes: &[u8]) -> Result<(), Error> {
    check_name(name)?;
    if name == "-" {
        if std::io::stdout().is_terminal() && std::str::from_utf8(bytes).is_err() {
            return Err(Error::refused("a terminal cannot show binary files")
                .hint("redirect the output to a file, or name the file"));
        }
        let mut out = std::io::stdout().lock();
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(with_advice(&error).in_file("standard output"))
            }
            _ => Ok(()),
        };
    }
    // A link stays a link: what it points to is replaced.
    let resolved = fs::canonicalize(name).unwrap_or_else(|_| PathBuf::from(name));
    let target = resolved.as_path();
    if target.is_dir() {
        return Err(Error::refused("is a folder, expected a file name")
            .hint("name a file in it")
            .in_file(name));
    }
    match fs::metadata(target) {
        // A device or a pipe takes the bytes; it is not replaced by a file.
        Ok(data) if !data.is_file() => {
            let written =
                fs::OpenOptions::new().write(true).open(target).and_then(|mut to| to.write_all(bytes));
            return written.map_err(|error| with_advice(&error).in_file(name));
        }
        Ok(data) if data.permissions().readonly() => {
            return Err(Error::refused("is read-only")
                .hint("make it writable, or name another")
                .in_file(name));
        }
        Err(_) if target.is_symlink() => {
            return Err(Error::refused("is a link to a file that does not exist")
                .hint("remove the link, or name another")
                .in_file(name));
        }
        _ => {}
    }
    let folder = target.parent().unwrap_or(Path::new(""));
    remove_leftovers(folder);
    ugoki_db::replace_file(target, bytes).map_err(|error| match check_folder(name) {
        Err(refused) => refused,
        Ok(()) => with_advice(&error).in_file(name),
    })
}

/// Refuses a name at which no file can be written, by what the system says when one is made there.
pub(super) fn check_writable(name: &str) -> Result<(), Error> {
    check_name(name)?;
    check_folder(name)?;
    let resolved = fs::canonicalize(name).unwrap_or_else(|_| PathBuf::from(name));
    match fs::metadata(&resolved) {
        Ok(data) if data.is_dir() => {
            Err(Error::refused("is a folder, expected a file name").hint("name a file in it").in_file(name))
        }
        Ok(data) if data.is_file() && data.permissions().readonly() => {
            Err(Error::refused("is read-only").hint("make it writable, or name another").in_file(name))
        }
        // Standard output, devices and pipes take what comes.
        Ok(data) if !data.is_file() => Ok(()),
        _ if name == "-" => Ok(()),
        _ => ugoki_db::check_writable(&resolved).map_err(|error| with_advice(&error).in_file(name)),
    }
}

/// Where a recording to `name` is kept while it goes on. BVH grows row by row, so a BVH file is its own journal; other formats
/// have one next to them, under a name that no earlier one has.
pub(super) fn journal(name: &str) -> Option<String> {
    if name == "-" || fs::metadata(name).is_ok_and(|data| !data.is_file()) {
        return None;
    }
    if crate::host::extension(name).as_deref() == Some("bvh") {
        return Some(name.to_owned());
    }
    let numbered = |number: u32| match number {
        1 => format!("{name}.part.bvh"),
        number => format!("{name}.part-{number}.bvh"),
    };
    (1..1000).map(numbered).find(|journal| !Path::new(journal).exists())
}

/// Appends to a file, then overwrites the bytes at `at`, each on the disk before the next step.
pub(super) fn append(name: &str, bytes: &[u8], at: u64, over: &[u8]) -> Result<(), Error> {
    let appended = fs::OpenOptions::new().write(true).open(name).and_then(|mut file| {
        file.seek(SeekFrom::End(0))?;
        file.write_all(bytes)?;
        file.sync_data()?;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(over)?;
        file.sync_data()
    });
    appended.map_err(|error| with_advice(&error).in_file(name))
}

/// Makes a folder to write into; one that exists is kept.
pub(super) fn create_folder(name: &str) -> Result<(), Error> {
    check_name(name)?;
    if name == "-" || Path::new(name).is_file() {
        let what = if name == "-" { "standard output is one file" } else { "is a file" };
        return Err(Error::refused(what).hint("name a folder to write into").in_file(name));
    }
    fs::create_dir_all(name).map_err(|error| {
        Error::refused(system_message(&error))
            .hint("name one in a folder that you may write to")
            .in_file(name)
    })
}

/// Removes a file; folders and files that are gone are left alone.
pub(super) fn remove(name: &str) -> Result<(), Error> {
    if !Path::new(name).is_file() {
        return Ok(());
    }
    fs::remove_file(name).map_err(|error| with_advice(&error).in_file(name))
}

/// Removes temporary files of killed runs; once for each folder that this run writes to.
fn remove_leftovers(folder: &Path) {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if DONE.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        ugoki_db::remove_leftovers(folder);
    }
}

/// Why nothing can be written there, with what to do about it.
fn with_advice(error: &std::io::Error) -> Error {
    Error::refused(system_message(error)).hint(match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room, or write somewhere else",
        ErrorKind::FileTooLarge => {
            "raise the limit for the size of files (`ulimit -f`), or write less at once"
        }
        ErrorKind::InvalidFilename => "give a shorter name",
        _ => "check the rights of the folder, or write somewhere else",
    })
}
