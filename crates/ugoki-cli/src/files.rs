//! Files in and out: standard streams, folders and patterns, and writing without half-written results.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ugoki::clip::{Clip, UpAxis};
use ugoki::contact::FootContacts;
use ugoki::formats::parse_label_map;
use ugoki::formats::{
    self, Companion, Format, Read, ReadError, ReadMarkers, ReadOptions, WriteError, WriteOptions,
};
use ugoki_verbs::Reading;

use crate::failure::Failure;
use crate::{database, interrupt, output};

/// Bytes of a file, or of standard input for `-`.
pub(crate) fn bytes(name: &str) -> Result<Vec<u8>, Failure> {
    if name == "-" {
        let read = ugoki_db::read_stream(std::io::stdin().lock());
        return read.map_err(|error| Failure::of_file("standard input", &error));
    }
    if Path::new(name).is_dir() {
        return Err(Failure::of_file(name, &"is a folder, expected a motion file").hint("name a file in it"));
    }
    ugoki_db::read_file(Path::new(name)).map_err(|error| {
        let hint = match error.kind() {
            std::io::ErrorKind::FileTooLarge => return Failure::advised(&format!("{name}: {error}")),
            std::io::ErrorKind::NotFound => "check the name and the folder it is in",
            _ => "check that the file may be read",
        };
        Failure::of_file(name, &plain(&error)).hint(hint)
    })
}

/// A motion file read as the user asked.
pub(crate) fn motion(name: &str, reading: &Reading) -> Result<Read, Failure> {
    match open(name, reading)? {
        Opened::Motion(read) => Ok(*read),
        Opened::Markers(_, error) => Err(Failure::of_reading(name, &error)),
    }
}

/// What a file gave: a motion, or markers and why they are no motion.
pub(crate) enum Opened {
    Motion(Box<Read>),
    Markers(Box<ReadMarkers>, ReadError),
}

/// A file read as the user asked; markers that no motion comes of are still something to look at.
pub(crate) fn open(name: &str, reading: &Reading) -> Result<Opened, Failure> {
    if let Some((database, clip)) = database::reference(name) {
        return database::motion(database, clip, reading).map(|read| Opened::Motion(Box::new(read)));
    }
    let bytes = bytes(name)?;
    let options = options(reading)?;
    match parse(name, &bytes, reading, &options) {
        Ok(mut read) => {
            read.clip.name = stem(name);
            reading.apply_to(&mut read);
            Ok(Opened::Motion(Box::new(read)))
        }
        Err(error) => match formats::read_markers(&bytes, extension(name).as_deref(), &options) {
            Ok(markers) => Ok(Opened::Markers(Box::new(markers), error)),
            Err(_) => Err(Failure::of_reading(name, &error)),
        },
    }
}

/// The points of a marker file; `None` when the file holds none.
pub(crate) fn markers(name: &str, reading: &Reading) -> Result<Option<ReadMarkers>, Failure> {
    let format = extension(name).and_then(|ending| Format::from_extension(&ending));
    if name == "-"
        || database::reference(name).is_some()
        || !matches!(format, Some(Format::C3d | Format::Trc))
    {
        return Ok(None);
    }
    let read = formats::read_markers(&bytes(name)?, extension(name).as_deref(), &options(reading)?);
    read.map(Some).map_err(|error| Failure::of_reading(name, &error))
}

/// The reader's options with the label map that the user named.
pub(crate) fn options(reading: &Reading) -> Result<ReadOptions, Failure> {
    if let Some(file) = &reading.asf {
        // What is named must be there, also for files that need none.
        fs::File::open(file).map_err(|error| {
            Failure::of_file(file, &format!("{} (named by --asf)", plain(&error))).hint("check the name")
        })?;
    }
    let labels = match &reading.markers {
        None => None,
        Some(file) => {
            let text = fs::read_to_string(file).map_err(|error| Failure::of_file(file, &plain(&error)))?;
            let map =
                parse_label_map(&text).map_err(|error| Failure::of_file(file, &error).line(error.line()))?;
            Some(map)
        }
    };
    Ok(ReadOptions { labels, ..reading.options() })
}

/// The motion in the bytes of a file; what it refers to is looked for beside it.
pub(crate) fn parse(
    name: &str,
    bytes: &[u8],
    reading: &Reading,
    options: &ReadOptions,
) -> Result<Read, ReadError> {
    formats::read_with(bytes, extension(name).as_deref(), options, &mut |companion| {
        beside(name, companion, reading)
    })
}

/// Bytes of a file that belongs to `name`: never outside its folder, but for what the user named.
fn beside(name: &str, companion: Companion<'_>, reading: &Reading) -> Option<Vec<u8>> {
    let folder = Path::new(name).parent()?;
    match companion {
        Companion::Named(other) => {
            let other = Path::new(other);
            let inside = other.components().all(|part| matches!(part, std::path::Component::Normal(_)));
            inside.then(|| fs::read(folder.join(other)).ok())?
        }
        Companion::Skeleton => {
            if let Some(file) = &reading.asf {
                return fs::read(file).ok();
            }
            let stem = stem(name);
            let subject = stem.split('_').next().unwrap_or(&stem);
            [stem.as_str(), subject]
                .iter()
                .flat_map(|stem| [format!("{stem}.asf"), format!("{stem}.ASF")])
                .find_map(|file| fs::read(folder.join(file)).ok())
        }
    }
}

/// Lower-case ending of a name.
pub(crate) fn extension(name: &str) -> Option<String> {
    Path::new(name).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase())
}

/// Name without folder and ending.
pub(crate) fn stem(name: &str) -> String {
    if let Some((_, clip)) = database::reference(name).filter(|(_, clip)| !clip.is_empty()) {
        return clip.replace(':', "-");
    }
    match name {
        "-" => "stdin".to_owned(),
        _ => Path::new(name)
            .file_stem()
            .map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned()),
    }
}

/// The motion files behind names, folders (searched all the way down) and patterns, each folder sorted. What lies
/// in the folder `output` is a result and no input.
pub(crate) fn expand(names: &[String], output: Option<&str>) -> Result<Vec<String>, Failure> {
    let output = output.and_then(|folder| fs::canonicalize(folder).ok());
    let mut files = Vec::new();
    for name in names {
        let path = Path::new(name);
        if name == "-" || path.is_file() {
            files.push(name.clone());
        } else if path.is_dir() {
            let before = files.len();
            walk(path, output.as_deref(), &mut files)?;
            if files.len() == before {
                return Err(Failure::of_file(name, &"has no motion files in it")
                    .hint(format!("looked for {}", endings())));
            }
        } else if let Some(clips) = database::matching(name) {
            files.extend(clips?);
        } else if name.contains(['*', '?', '[']) {
            let matches = glob::glob(name).map_err(|error| Failure::of_file(name, &error))?;
            let before = files.len();
            files.extend(
                matches
                    .flatten()
                    .filter(|path| path.is_file())
                    .map(|path| path.to_string_lossy().into_owned()),
            );
            if files.len() == before {
                return Err(Failure::of_file(name, &"matches no file"));
            }
        } else {
            files.push(name.clone());
        }
    }
    Ok(files)
}

fn walk(folder: &Path, output: Option<&Path>, files: &mut Vec<String>) -> Result<(), Failure> {
    if output.is_some() && fs::canonicalize(folder).ok().as_deref() == output {
        return Ok(());
    }
    let name = folder.to_string_lossy();
    let entries = fs::read_dir(folder).map_err(|error| Failure::of_file(&name, &plain(&error)))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let is_link = path.symlink_metadata().is_ok_and(|data| data.file_type().is_symlink());
        if path.is_dir() && !is_link {
            walk(&path, output, files)?;
        } else if path.is_file() {
            let name = path.to_string_lossy().into_owned();
            let format = extension(&name).and_then(|ending| Format::from_extension(&ending));
            if format.is_some_and(Format::is_read) {
                files.push(name);
            }
        }
    }
    Ok(())
}

/// `.bvh`, … : the endings that are read.
pub(crate) fn endings() -> String {
    list(Format::is_read)
}

fn list(which: impl Fn(Format) -> bool) -> String {
    let endings = Format::all().filter(|&format| which(format));
    endings.map(|format| format!(".{}", format.extension())).collect::<Vec<_>>().join(", ")
}

/// Writes all of `bytes` or nothing: to a new file beside the target, which then takes its name. `-` is
/// standard output.
pub(crate) fn write(name: &str, bytes: &[u8]) -> Result<(), Failure> {
    if interrupt::stopped() && name != "-" {
        return Err(Failure::new("cancelled"));
    }
    write_always(name, bytes)
}

/// As `write`, also after Ctrl-C: for recordings, which that ends.
pub(crate) fn write_always(name: &str, bytes: &[u8]) -> Result<(), Failure> {
    if name == "-" {
        let mut out = std::io::stdout().lock();
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Failure::of_file("standard output", &plain(&error)))
            }
            _ => Ok(()),
        };
    }
    // A link stays a link: what it points to is replaced.
    let resolved = fs::canonicalize(name).unwrap_or_else(|_| PathBuf::from(name));
    let target = resolved.as_path();
    if target.is_dir() {
        return Err(Failure::of_file(name, &"is a folder, expected a file name"));
    }
    let temporary = ugoki_db::temporary_beside(target);
    tidy(target.parent().unwrap_or(Path::new("")));
    let keep_mode = || match fs::metadata(target) {
        Ok(data) => fs::set_permissions(&temporary, data.permissions()),
        Err(_) => Ok(()),
    };
    let written =
        fs::write(&temporary, bytes).and_then(|()| keep_mode()).and_then(|()| fs::rename(&temporary, target));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        let missing =
            target.parent().is_some_and(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
        if missing {
            return Failure::of_file(name, &"its folder does not exist").hint("create the folder first");
        }
        let failure = Failure::of_file(name, &plain(&error));
        match advice(&error) {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}

/// Removes what a killed run left half-written in a folder; once for each folder that this run writes to.
fn tidy(folder: &Path) {
    static TIDIED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut tidied = TIDIED.lock().unwrap_or_else(PoisonError::into_inner);
    if tidied.insert(folder.to_owned()) {
        ugoki_db::remove_leftovers(folder);
    }
}

/// Only what can be written may be asked for, and only one thing at a time on standard output.
pub(crate) fn check_output(name: &str, json: bool) -> Result<(), Failure> {
    if name == "-" && json {
        return Err(Failure::new("--json and the output - both want standard output")
            .hint("write the motion to a file"));
    }
    format_to_write(name).map(|_| ())
}

/// Refuses to write a result over one of the motions it is made of.
pub(crate) fn check_not_input<'a>(
    output: &str,
    inputs: impl IntoIterator<Item = &'a str>,
) -> Result<(), Failure> {
    let Ok(there) = fs::canonicalize(output) else { return Ok(()) };
    let is_input = |name: &str| name != "-" && fs::canonicalize(name).is_ok_and(|input| input == there);
    match inputs.into_iter().find(|name| is_input(name)) {
        Some(_) => Err(Failure::of_file(output, &"is both what is read and what is to be written")
            .hint("write the result to another file")),
        None => Ok(()),
    }
}

/// The format that a file of this name is written in; standard output is BVH.
pub(crate) fn format_to_write(name: &str) -> Result<Format, Failure> {
    if name == "-" {
        return Ok(Format::Bvh);
    }
    let format = extension(name).and_then(|ending| Format::from_extension(&ending));
    match format {
        Some(format) if format.is_written() => Ok(format),
        Some(format) => Err(Failure::of_writing(name, &WriteError::ReadOnly { format })),
        None => Err(Failure::of_file(name, &"has an ending that cannot be written")
            .hint(format!("use {}", list(Format::is_written)))),
    }
}

/// Writes a motion made from `read`; in the unit and axes of its file when the format stays.
pub(crate) fn write_motion(name: &str, clip: &Clip, read: &Read) -> Result<(), Failure> {
    write_motion_with(name, clip, read, None, None)
}

/// [`write_motion`] with what is known about the motion, where the format has room for it.
pub(crate) fn write_motion_with(
    name: &str,
    clip: &Clip,
    read: &Read,
    contacts: Option<[FootContacts; 2]>,
    loop_frames: Option<Range<usize>>,
) -> Result<(), Failure> {
    let format = format_to_write(name)?;
    let (up, unit_metres) = match format == read.format {
        true => (read.up, read.unit_metres),
        false => (UpAxis::Y, format.usual_unit_metres()),
    };
    let options = WriteOptions {
        up: Some(up),
        unit_metres: Some(unit_metres),
        contacts,
        loop_frames,
        ..WriteOptions::default()
    };
    let go_on = || match interrupt::stopped() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let written = formats::write(clip, format, &options, &mut |_| go_on())
        .map_err(|error| Failure::of_writing(name, &error))?;
    for finding in &written.findings {
        output::note(&format!("{name}: {} [{}]", finding.message, finding.code));
    }
    write(name, &written.bytes)
}

/// What to do when the system does not let a file be written.
fn advice(error: &std::io::Error) -> Option<&'static str> {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Some("check the rights of the folder, or write somewhere else")
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some("make room, or write somewhere else"),
        ErrorKind::FileTooLarge => {
            Some("raise the limit for the size of files (`ulimit -f`), or write less at once")
        }
        _ => None,
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
