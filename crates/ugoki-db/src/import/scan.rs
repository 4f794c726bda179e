//! Which files there are: names, and folders all the way down.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ugoki_files::system_message;
use ugoki_formats as formats;
use ugoki_formats::Format;

use super::places::Stat;
use crate::{Database, Error};

/// A file to look at.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Absolute, without links.
    pub(crate) path: PathBuf,
    /// As the user would name it.
    pub(crate) shown: String,
    /// The folder that was searched, or the file's own: licences are looked for up to here.
    pub(crate) top: PathBuf,
    /// Whether the user named the file itself.
    pub(crate) named: bool,
    pub(crate) stat: Stat,
}

/// Everything below the names given.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// In the order of the names, each folder sorted; every file once.
    pub(crate) found: Vec<Found>,
    /// Files that are no motion files, as the user would name them.
    pub(crate) ignored: Vec<String>,
    /// What could not be looked at, and why.
    pub(crate) unreadable: Vec<(String, Error)>,
    seen: BTreeSet<PathBuf>,
}

/// Looks at names and folders. The database itself is never an input.
pub(crate) fn scan(names: &[PathBuf], database: &Path) -> Scan {
    let mut scan = Scan::default();
    scan.seen.insert(database.to_owned());
    for name in names {
        let shown = name.to_string_lossy().into_owned();
        match name.canonicalize() {
            Ok(path) if path.is_dir() => scan.folder(&path, &shown, &path),
            Ok(path) => {
                let top = path.parent().map(Path::to_owned).unwrap_or_default();
                scan.file(path, shown, &top, true);
            }
            Err(error) => scan.unreadable.push((shown, missing(&error))),
        }
    }
    scan
}

fn missing(error: &std::io::Error) -> Error {
    Error::Io { detail: system_message(error) }
}

impl Scan {
    fn folder(&mut self, folder: &Path, shown: &str, top: &Path) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.unreadable.push((shown.to_owned(), missing(&error))),
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            // Hidden files are other programs' business, and half-written ones of our own.
            if name.starts_with('.') || is_database(&name) {
                continue;
            }
            let shown = format!("{}/{name}", shown.trim_end_matches('/'));
            let is_link = path.symlink_metadata().is_ok_and(|data| data.file_type().is_symlink());
            if path.is_dir() {
                // Links to folders may lead in circles.
                if !is_link {
                    self.folder(&path, &shown, top);
                }
            } else if path.is_file() && (is_motion(&name) || is_unnamed_motion(&path)) {
                match path.canonicalize() {
                    Ok(path) => self.file(path, shown, top, false),
                    Err(error) => self.unreadable.push((shown, missing(&error))),
                }
            } else {
                self.ignored.push(shown);
            }
        }
    }

    fn file(&mut self, path: PathBuf, shown: String, top: &Path, named: bool) {
        if !self.seen.insert(path.clone()) {
            return;
        }
        if !path.is_file() {
            // A pipe would be waited for without end.
            let detail = "is no ordinary file".to_owned();
            return self.unreadable.push((shown, Error::Io { detail }));
        }
        if named && Database::looks_like(&path) {
            return self.unreadable.push((shown, Error::IsDatabase));
        }
        match Stat::read(&path) {
            Ok(stat) => self.found.push(Found { path, shown, top: top.to_owned(), named, stat }),
            Err(error) => self.unreadable.push((shown, error)),
        }
    }
}

/// Whether a file found in a folder is a database or a journal of one, which are no inputs.
fn is_database(name: &str) -> bool {
    [".ugoki", ".ugoki-wal", ".ugoki-shm"].iter().any(|ending| name.ends_with(ending))
}

/// Bytes of a file without ending that are looked at: every format shows itself in its first lines.
const HEAD: u64 = 1 << 16;

/// Whether a file without ending holds motion, by its content.
fn is_unnamed_motion(path: &Path) -> bool {
    use std::io::Read as _;
    if path.extension().is_some() {
        return false;
    }
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && formats::detect(&head, None).is_some_and(Format::is_read)
}

/// Whether a file found in a folder may hold motion, by its ending.
fn is_motion(name: &str) -> bool {
    let ending = Path::new(name).extension().map(|ending| ending.to_string_lossy().into_owned());
    ending.and_then(|ending| Format::from_extension(&ending)).is_some_and(Format::is_read)
}
