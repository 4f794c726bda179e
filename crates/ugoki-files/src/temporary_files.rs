//! Files that are written under another name first, and what a killed process leaves of them.
//!
//! A temporary file is called `.NAME.PROCESS.RANDOM.ugoki-part`, in the folder of the file that it becomes. The next
//! run that writes there removes those whose process is gone, with the journals that SQLite keeps next to them.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Ending of temporary files; no other program's files end so.
const ENDING: &str = ".ugoki-part";
/// A temporary file that was written to within this time is left alone: its process may run on another machine with
/// access to the folder, and none is written for so long without a pause.
const QUIET: Duration = Duration::from_secs(60);
/// Where processes cannot be looked up, a temporary file older than this has no process any more.
const OLD: Duration = Duration::from_secs(3600);

/// Most bytes of a file's own name in the name of its temporary file: with what is added, and with the journals of a database, 255 suffice.
const LONGEST_STEM: usize = 180;

/// A name in the folder of `path` that no other process uses or can predict.
#[must_use]
pub fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // File systems take names of 255 bytes; a long one keeps its start here.
    let cut = name.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let name = &name[..cut.take_while(|end| *end <= LONGEST_STEM).last().unwrap_or(0)];
    // A system without a random source still gets names of its own by process.
    let random = getrandom::u64().unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.{random:016x}{ENDING}", std::process::id()))
}

/// Replaces the contents of a file, or makes it: all of `bytes` or nothing, also when the system stops. The temporary
/// file is created exclusively and reaches the disk before it takes the target's name. Permissions of an existing file
/// stay.
///
/// # Errors
/// When the folder cannot be written; the target is then as it was.
pub fn replace_file(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary_path(target);
    let written = write_new(&temporary, target, bytes).and_then(|()| fs::rename(&temporary, target));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written?;
    sync_folder(target);
    Ok(())
}

/// Makes sure that a file can be made in the folder of `target`, by making one and removing it.
pub(crate) fn try_new_file(target: &Path) -> io::Result<()> {
    let temporary = temporary_path(target);
    let written = File::options().write(true).create_new(true).open(&temporary).and_then(|mut file| {
        // A full disk takes a name but no bytes.
        file.write_all(&[0; 4096])?;
        file.sync_all()
    });
    let _ = fs::remove_file(&temporary);
    written
}

fn write_new(temporary: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).open(temporary)?;
    file.write_all(bytes)?;
    if let Ok(data) = fs::metadata(target) {
        file.set_permissions(data.permissions())?;
    }
    file.sync_all()
}

/// Makes a rename reach the disk, where folders can be synchronised.
fn sync_folder(target: &Path) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix)
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}

/// Removes temporary files in `folder` whose process is gone; what cannot be removed stays.
pub fn remove_leftovers(folder: &Path) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(process) = process_of(&name)
            && is_gone(process, &entry.path())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The process that a temporary file, or a journal of one, belongs to.
fn process_of(name: &str) -> Option<u32> {
    let name = ["-wal", "-shm", "-journal"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let mut parts = name.strip_prefix('.')?.strip_suffix(ENDING)?.rsplit('.');
    let random = parts.next().filter(|part| part.len() == 16 && part.bytes().all(|b| b.is_ascii_hexdigit()));
    random.and(parts.next())?.parse().ok()
}

fn is_gone(process: u32, path: &Path) -> bool {
    if process == std::process::id() {
        return false;
    }
    let modified = path.metadata().and_then(|data| data.modified()).ok();
    let Some(age) = modified.and_then(|time| time.elapsed().ok()) else { return false };
    let processes = Path::new("/proc");
    match processes.join("self").exists() {
        true => age > QUIET && !processes.join(process.to_string()).exists(),
        false => age > OLD,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_as_long_as_file_systems_take_is_written() {
        let folder = tempfile::tempdir().unwrap();
        for letter in ["a", "動"] {
            let target = folder.path().join(letter.repeat(255 / letter.len()));
            replace_file(&target, b"once").unwrap();
            replace_file(&target, b"twice").unwrap();
            assert_eq!(fs::read(&target).unwrap(), b"twice");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn only_our_own_temporary_files_of_dead_processes_go() {
        let folder = tempfile::tempdir().unwrap();
        // No system counts so far.
        let dead = u32::MAX;
        let ours = std::process::id();
        let random = "0123456789abcdef";
        let fresh = format!(".b.ugoki.{dead}.{random}.ugoki-part");
        let gone = ["", "-wal"].map(|end| format!(".a.ugoki.{dead}.{random}.ugoki-part{end}"));
        let stay = [
            format!(".a.ugoki.{ours}.{random}.ugoki-part"),
            format!(".a.ugoki.{dead}.{random}.part"),
            format!("a.{dead}.{random}.ugoki-part"),
            format!(".a.ugoki.{dead}.random.ugoki-part"),
            format!(".a.ugoki.x.{random}.ugoki-part"),
            "a.ugoki".to_owned(),
        ];
        let hours_ago = std::time::SystemTime::now() - 2 * OLD;
        for name in gone.iter().chain(&stay).chain([&fresh]) {
            fs::write(folder.path().join(name), "x").unwrap();
            let file = fs::File::options().append(true).open(folder.path().join(name)).unwrap();
            if *name != fresh {
                file.set_modified(hours_ago).unwrap();
            }
        }
        remove_leftovers(folder.path());
        assert!(gone.iter().all(|name| !folder.path().join(name).exists()));
        assert!(stay.iter().chain([&fresh]).all(|name| folder.path().join(name).exists()));
        assert_eq!(
            process_of(&temporary_path(Path::new("x/a.ugoki")).file_name().unwrap().to_string_lossy()),
            Some(ours)
        );
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.bvh");
        replace_file(&target, b"first").unwrap();
        replace_file(&target, b"second").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(replace_file(&folder.path().join("missing/a.bvh"), b"x").is_err());
        assert_ne!(temporary_path(&target), temporary_path(&target), "names cannot be predicted");
    }
}
