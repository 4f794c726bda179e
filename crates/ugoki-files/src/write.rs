//! Writing files without half-written results.

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::{FileError, FileFault, replace_file};

/// Refuses an empty name, which would otherwise mean the folder that the program runs in.
///
/// # Errors
/// When the name is empty.
pub fn check_name(name: &str) -> Result<(), FileError> {
    if name.is_empty() { Err(FileFault::EmptyName.in_file(name)) } else { Ok(()) }
}

/// Refuses a file in a folder that does not exist, before any work is done for it.
///
/// # Errors
/// When there is no such folder.
pub fn check_folder(name: &str) -> Result<(), FileError> {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    match folder.metadata() {
        Ok(data) if !data.is_dir() => Err(FileFault::FolderIsFile.in_file(name)),
        Err(_) if !folder.as_os_str().is_empty() => Err(FileFault::NoFolder.in_file(name)),
        _ => Ok(()),
    }
}

/// Writes all of `bytes` or nothing: to a new file in the same folder, which then takes the target's name. `-` is standard
/// output.
///
/// # Errors
/// When the file cannot be written; it is then as it was.
pub fn write_whole(name: &str, bytes: &[u8]) -> Result<(), FileError> {
    check_name(name)?;
    if name == "-" {
        return write_to_standard_output(bytes);
    }
    // A link stays a link: what it points to is replaced.
    let resolved = fs::canonicalize(name).unwrap_or_else(|_| PathBuf::from(name));
    let target = resolved.as_path();
    let unwritable = |error| FileFault::Unwritable(error).in_file(name);
    match fs::metadata(target) {
        Ok(data) if data.is_dir() => return Err(FileFault::NoFileToWrite.in_file(name)),
        // A device or a pipe takes the bytes; it is not replaced by a file.
        Ok(data) if !data.is_file() => {
            let file = fs::OpenOptions::new().write(true).open(target);
            return file.and_then(|mut to| to.write_all(bytes)).map_err(unwritable);
        }
        Ok(data) if data.permissions().readonly() => return Err(FileFault::ReadOnly.in_file(name)),
        Err(_) if target.is_symlink() => return Err(FileFault::DanglingLink.in_file(name)),
        _ => {}
    }
    remove_leftovers_once(target.parent().unwrap_or(Path::new("")));
    replace_file(target, bytes).map_err(|error| match check_folder(name) {
        Err(refused) => refused,
        Ok(()) => unwritable(error),
    })
}

fn write_to_standard_output(bytes: &[u8]) -> Result<(), FileError> {
    if std::io::stdout().is_terminal() && std::str::from_utf8(bytes).is_err() {
        return Err(FileFault::Terminal.in_file("standard output"));
    }
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(FileFault::Unwritable(error).in_file("standard output"))
        }
        _ => Ok(()),
    }
}

/// Makes a folder to write into; one that exists is kept.
///
/// # Errors
/// When it cannot be made.
pub fn create_folder(name: &str) -> Result<(), FileError> {
    check_name(name)?;
    match name {
        "-" => Err(FileFault::StandardOutput.in_file(name)),
        _ if Path::new(name).is_file() => Err(FileFault::IsFile.in_file(name)),
        _ => fs::create_dir_all(name).map_err(|error| FileFault::NoNewFolder(error).in_file(name)),
    }
}

/// Removes a file; folders and files that are gone are left alone.
///
/// # Errors
/// When the system refuses.
pub fn remove_file(name: &str) -> Result<(), FileError> {
    if !Path::new(name).is_file() {
        return Ok(());
    }
    fs::remove_file(name).map_err(|error| FileFault::Unwritable(error).in_file(name))
}

/// Removes temporary files of killed runs; once for each folder that this process writes to.
fn remove_leftovers_once(folder: &Path) {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if DONE.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        crate::remove_leftovers(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let name = |file: &str| folder.path().join(file).to_string_lossy().into_owned();
        let fault = |file: &str| write_whole(&name(file), b"new").unwrap_err().fault;
        fs::write(name("kept.bvh"), "old").unwrap();
        let mut rights = fs::metadata(name("kept.bvh")).unwrap().permissions();
        rights.set_readonly(true);
        fs::set_permissions(name("kept.bvh"), rights).unwrap();
        assert!(matches!(fault("kept.bvh"), FileFault::ReadOnly));
        assert_eq!(fs::read(name("kept.bvh")).unwrap(), b"old");
        assert!(matches!(fault("none/a.bvh"), FileFault::NoFolder));
        assert!(matches!(fault("kept.bvh/a.bvh"), FileFault::FolderIsFile));
        fs::create_dir(name("inside")).unwrap();
        assert!(matches!(fault("inside"), FileFault::NoFileToWrite));
        assert!(matches!(write_whole("", b"").unwrap_err().fault, FileFault::EmptyName));
        assert!(matches!(create_folder(&name("kept.bvh")).unwrap_err().fault, FileFault::IsFile));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("nowhere", name("link.bvh")).unwrap();
            assert!(matches!(fault("link.bvh"), FileFault::DanglingLink));
            // A link stays a link.
            fs::write(name("target.bvh"), "old").unwrap();
            std::os::unix::fs::symlink("target.bvh", name("good.bvh")).unwrap();
            write_whole(&name("good.bvh"), b"new").unwrap();
            assert!(Path::new(&name("good.bvh")).is_symlink());
            assert_eq!(fs::read(name("target.bvh")).unwrap(), b"new");
        }
    }
}
