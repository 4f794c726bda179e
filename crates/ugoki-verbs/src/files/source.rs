//! Names turned into bytes, texts, motions and markers.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use ugoki::formats::{self, Companion, Format, Read, ReadError, ReadMarkers, ReadOptions};

use super::database;
use crate::error::InFile as _;
use crate::host::{Budget, Opened, extension, stem};
use crate::{Error, Reading};

/// How often a read that waits looks whether the user asked to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Bytes of a file, or of standard input for `-`; refused beyond `memory_bytes`.
pub(super) fn bytes(name: &str, memory_bytes: u64, stopped: &dyn Fn() -> bool) -> Result<Vec<u8>, Error> {
    if Path::new(name).is_dir() {
        return Err(Error::refused("is a folder, expected a motion file")
            .hint("name a file in it")
            .in_file(name));
    }
    let most = memory_bytes.min(ugoki_db::LARGEST_FILE);
    let read = match name {
        "-" => unless_stopped(move || ugoki_db::read_stream(std::io::stdin().lock(), most), stopped)?,
        _ if Path::new(name).metadata().is_ok_and(|data| !data.is_file()) => {
            let path = PathBuf::from(name);
            unless_stopped(move || ugoki_db::read_file(&path, most), stopped)?
        }
        _ => ugoki_db::read_file(Path::new(name), most),
    };
    let shown = if name == "-" { "standard input" } else { name };
    read.map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => Error::TooLarge { memory_bytes: most }.in_file(shown),
        ErrorKind::NotFound if name.contains(char::REPLACEMENT_CHARACTER) => {
            Error::refused("its name is not valid UTF-8").hint("rename the file").in_file(shown)
        }
        _ => Error::from(error).in_file(shown),
    })
}

/// Reads from a pipe or a terminal, which may never answer, until the user asks to stop. The thread that still waits then ends with
/// the program.
fn unless_stopped<T: Send + 'static>(
    read: impl FnOnce() -> T + Send + 'static,
    stopped: &dyn Fn() -> bool,
) -> Result<T, Error> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(read()));
    loop {
        match receiver.recv_timeout(LOOK_EVERY) {
            Ok(found) => return Ok(found),
            Err(RecvTimeoutError::Timeout) if !stopped() => {}
            Err(_) => return Err(Error::Cancelled),
        }
    }
}

/// Lines of a file, or of standard input for `-`, as they arrive.
pub(super) fn lines(name: &str) -> Result<Box<dyn BufRead + Send>, Error> {
    if name == "-" {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let file = fs::File::open(name).in_file(name)?;
    Ok(Box::new(BufReader::new(file)))
}

/// A text file.
pub(super) fn text(
    name: &str,
    expected: &str,
    memory_bytes: u64,
    stopped: &dyn Fn() -> bool,
) -> Result<String, Error> {
    String::from_utf8(bytes(name, memory_bytes, stopped)?).map_err(|_| {
        Error::refused(format!("is not text, expected {expected}"))
            .hint("name another file, or save it as UTF-8")
            .in_file(name)
    })
}

/// A file read as the user asked; markers that no motion comes of are also accepted.
/// `companions` receives the other files that belong to it.
pub(super) fn open(
    name: &str,
    reading: &Reading,
    budget: &Budget,
    stopped: &dyn Fn() -> bool,
    companions: &mut Vec<String>,
    note: &mut dyn FnMut(&str),
) -> Result<Opened, Error> {
    if let Some((file, clip)) = database::reference(name) {
        let read = database::motion(file, clip, reading, budget, note)?;
        return Ok(Opened::Motion(Box::new(read)));
    }
    let memory_bytes = budget.memory_bytes;
    let bytes = bytes(name, memory_bytes, stopped)?;
    let options = options(reading, memory_bytes, stopped)?;
    match parse(name, &bytes, reading, &options, companions) {
        Ok(mut read) => {
            read.clip.name = stem(name);
            reading.apply_to(&mut read);
            crate::advice::name_options(&mut read.findings);
            Ok(Opened::Motion(Box::new(read)))
        }
        Err(error) => match formats::read_markers(&bytes, extension(name).as_deref(), &options) {
            Ok(markers) => Ok(Opened::Markers(Box::new(markers), error)),
            Err(_) => Err(Error::from(error).in_file(name)),
        },
    }
}

/// The points of a marker file; `None` for other files.
pub(super) fn markers(
    name: &str,
    reading: &Reading,
    memory_bytes: u64,
    stopped: &dyn Fn() -> bool,
) -> Result<Option<ReadMarkers>, Error> {
    let format = extension(name).and_then(|ending| Format::from_extension(&ending));
    let is_marker_file = matches!(format, Some(Format::C3d | Format::Trc));
    if name == "-" || database::reference(name).is_some() || !is_marker_file {
        return Ok(None);
    }
    let (bytes, options) = (bytes(name, memory_bytes, stopped)?, options(reading, memory_bytes, stopped)?);
    formats::read_markers(&bytes, extension(name).as_deref(), &options).map(Some).in_file(name)
}

/// The reader's options with the label map that the user named.
fn options(reading: &Reading, memory_bytes: u64, stopped: &dyn Fn() -> bool) -> Result<ReadOptions, Error> {
    if let Some(file) = &reading.asf {
        // A file that is named must exist, also for inputs that need none.
        fs::File::open(file).map_err(|error| {
            let message = format!("{} (named by --asf)", ugoki_db::system_message(&error));
            Error::refused(message).hint("check the name").in_file(file)
        })?;
    }
    let labels = match &reading.markers {
        None => None,
        Some(file) => {
            let text = text(file, "a label map as TOML", memory_bytes, stopped)?;
            Some(formats::parse_label_map(&text).in_file(file)?)
        }
    };
    Ok(ReadOptions { labels, ..reading.options() })
}

/// The motion in the bytes of a file; files that it refers to are looked for next to it.
fn parse(
    name: &str,
    bytes: &[u8],
    reading: &Reading,
    options: &ReadOptions,
    companions: &mut Vec<String>,
) -> Result<Read, ReadError> {
    formats::read_with(bytes, extension(name).as_deref(), options, &mut |companion| {
        let (file, bytes) = companion_file(name, companion, reading)?;
        companions.push(file.to_string_lossy().into_owned());
        Some(bytes)
    })
}

/// A file that belongs to `name`, with its bytes: never outside its folder, except for files that the user named.
fn companion_file(name: &str, companion: Companion<'_>, reading: &Reading) -> Option<(PathBuf, Vec<u8>)> {
    let folder = Path::new(name).parent()?;
    let read = |file: PathBuf| fs::read(&file).ok().map(|bytes| (file, bytes));
    match companion {
        Companion::Named(other) => {
            let other = Path::new(other);
            let inside = other.components().all(|part| matches!(part, Component::Normal(_)));
            inside.then(|| read(folder.join(other)))?
        }
        Companion::Skeleton => {
            if let Some(file) = &reading.asf {
                return read(PathBuf::from(file));
            }
            let stem = stem(name);
            let subject = stem.split('_').next().unwrap_or(&stem);
            [stem.as_str(), subject]
                .iter()
                .flat_map(|stem| [format!("{stem}.asf"), format!("{stem}.ASF")])
                .find_map(|file| read(folder.join(file)))
        }
    }
}

/// The motion files behind names, folders (searched all the way down) and patterns, each folder sorted.
pub(super) fn expand(
    names: &[String],
    output: Option<&str>,
    note: &mut dyn FnMut(&str),
) -> Result<Vec<String>, Error> {
    let output = output.and_then(|folder| fs::canonicalize(folder).ok());
    let mut files = Vec::new();
    for name in names {
        let path = Path::new(name);
        if name == "-" || path.is_file() {
            files.push(name.clone());
        } else if path.is_dir() {
            let before = files.len();
            // Results of earlier runs are no inputs, unless the folder itself is to be written to.
            let results =
                output.as_deref().filter(|&output| fs::canonicalize(path).ok().as_deref() != Some(output));
            collect(path, results, &mut files)?;
            if files.len() == before {
                let endings = Format::all().filter(|format| format.is_read());
                let endings: Vec<String> = endings.map(|format| format!(".{}", format.extension())).collect();
                return Err(Error::refused("has no motion files in it")
                    .hint(format!("looked for {}", endings.join(", ")))
                    .in_file(name));
            }
        } else if let Some(clips) = database::matching(name, note) {
            files.extend(clips?);
        } else if name.contains(['*', '?', '[']) {
            let paths = matching(name, Path::is_file)?;
            files.extend(paths.into_iter().map(|path| path.to_string_lossy().into_owned()));
        } else {
            files.push(name.clone());
        }
    }
    Ok(files)
}

/// Files and folders to import; patterns are expanded, folders are not.
pub(super) fn import_paths(names: &[String]) -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for name in names {
        match Path::new(name).exists() || !name.contains(['*', '?', '[']) {
            true => paths.push(PathBuf::from(name)),
            false => paths.extend(matching(name, |_| true)?),
        }
    }
    Ok(paths)
}

/// The paths that a pattern matches, at least one.
fn matching(pattern: &str, which: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Error> {
    let matches = glob::glob(pattern).in_file(pattern)?;
    let paths: Vec<PathBuf> = matches.flatten().filter(|path| which(path)).collect();
    match paths.is_empty() {
        true => Err(Error::refused("matches no file").in_file(pattern)),
        false => Ok(paths),
    }
}

/// The databases in a folder, sorted by name.
pub(super) fn databases_in(folder: &str) -> Result<Vec<String>, Error> {
    let entries = fs::read_dir(folder).in_file(folder)?;
    let is_database = |path: &PathBuf| {
        path.is_file() && extension(&path.to_string_lossy()).is_some_and(|ending| ending == "ugoki")
    };
    let paths = entries.flatten().map(|entry| entry.path()).filter(is_database);
    let mut names: Vec<String> = paths.map(|path| path.to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

/// The motion files below a folder.
pub(super) fn files_in(folder: &Path) -> Result<Vec<String>, Error> {
    let mut files = Vec::new();
    collect(folder, None, &mut files)?;
    Ok(files)
}

fn collect(folder: &Path, output: Option<&Path>, files: &mut Vec<String>) -> Result<(), Error> {
    if output.is_some() && fs::canonicalize(folder).ok().as_deref() == output {
        return Ok(());
    }
    let entries = fs::read_dir(folder).in_file(&folder.to_string_lossy())?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let is_link = path.symlink_metadata().is_ok_and(|data| data.file_type().is_symlink());
        if path.is_dir() && !is_link {
            collect(&path, output, files)?;
        } else if path.is_file() {
            let format =
                extension(&path.to_string_lossy()).and_then(|ending| Format::from_extension(&ending));
            if format.is_some_and(Format::is_read) {
                files.push(path.to_string_lossy().into_owned());
            }
        }
    }
    Ok(())
}

/// Whether work goes on.
pub(super) fn flow(stopped: &dyn Fn() -> bool) -> ControlFlow<()> {
    if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
