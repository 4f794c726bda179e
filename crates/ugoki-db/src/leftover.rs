//! Files that are written under another name first, and what a killed process leaves of them.
//!
//! A temporary file is called `.NAME.PROCESS.ugoki-part` beside the file that it becomes. The next run that writes there
//! removes those whose process is gone, with the journals that SQLite keeps beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Ending of temporary files; nobody else's files end so.
const ENDING: &str = ".ugoki-part";
/// A temporary file that was written to within this time is left alone: its process may run on another machine that shares
/// the folder, and none is written for so long without a pause.
const QUIET: Duration = Duration::from_secs(60);
/// Where processes cannot be looked up, a temporary file older than this is nobody's.
const OLD: Duration = Duration::from_secs(3600);

/// A name beside `path` that no other process uses.
#[must_use]
pub fn temporary_beside(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}{ENDING}", std::process::id()))
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

/// The process that a temporary file, or a journal beside one, belongs to.
fn process_of(name: &str) -> Option<u32> {
    let name = ["-wal", "-shm", "-journal"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let (_, process) = name.strip_prefix('.')?.strip_suffix(ENDING)?.rsplit_once('.')?;
    process.parse().ok()
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
    fn only_our_own_temporary_files_of_dead_processes_go() {
        let folder = tempfile::tempdir().unwrap();
        // No system counts so far.
        let dead = u32::MAX;
        let ours = std::process::id();
        let fresh = format!(".b.ugoki.{dead}.ugoki-part");
        let gone = [format!(".a.ugoki.{dead}.ugoki-part"), format!(".a.ugoki.{dead}.ugoki-part-wal")];
        let stay = [
            format!(".a.ugoki.{ours}.ugoki-part"),
            format!(".a.ugoki.{dead}.part"),
            format!("a.{dead}.ugoki-part"),
            ".a.ugoki.x.ugoki-part".to_owned(),
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
            process_of(&temporary_beside(Path::new("x/a.ugoki")).file_name().unwrap().to_string_lossy()),
            Some(ours)
        );
    }
}
