//! Reading files and standard input.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::bounded_read::{LARGEST_FILE, read_file, read_stream};
use crate::{FileError, FileFault};

/// How often a read that waits looks whether the caller asked to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Bytes of a file, or of standard input for `-`: at most `most_bytes`, and at most [`LARGEST_FILE`].
///
/// # Errors
/// When it cannot be read, is larger, or the caller asks to stop.
pub fn read_whole(name: &str, most_bytes: u64, stopped: &dyn Fn() -> bool) -> Result<Vec<u8>, FileError> {
    let shown = if name == "-" { "standard input" } else { name };
    if Path::new(name).is_dir() {
        return Err(FileFault::NoFileToRead.in_file(name));
    }
    let most = most_bytes.min(LARGEST_FILE);
    let read = match name {
        "-" => unless_stopped(move || read_stream(io::stdin().lock(), most), stopped),
        _ if Path::new(name).metadata().is_ok_and(|data| !data.is_file()) => {
            let path = PathBuf::from(name);
            unless_stopped(move || read_file(&path, most), stopped)
        }
        _ => Some(read_file(Path::new(name), most)),
    };
    let read = read.ok_or_else(|| FileFault::Stopped.in_file(shown))?;
    read.map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => FileFault::TooLarge { most }.in_file(shown),
        ErrorKind::NotFound if name.contains(char::REPLACEMENT_CHARACTER) => {
            FileFault::NameNotUtf8.in_file(shown)
        }
        _ => FileFault::Unreadable(error).in_file(shown),
    })
}

/// A text, as [`read_whole`]; `expected` says what it should hold.
///
/// # Errors
/// As [`read_whole`], and when it is not UTF-8.
pub fn read_text(
    name: &str,
    expected: &str,
    most_bytes: u64,
    stopped: &dyn Fn() -> bool,
) -> Result<String, FileError> {
    let bytes = read_whole(name, most_bytes, stopped)?;
    String::from_utf8(bytes).map_err(|_| FileFault::NotText { expected: expected.to_owned() }.in_file(name))
}

/// Lines of a file, or of standard input for `-`, as they arrive.
///
/// # Errors
/// When the file cannot be opened.
pub fn open_lines(name: &str) -> Result<Box<dyn BufRead + Send>, FileError> {
    if name == "-" {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(name).map_err(|error| FileFault::Unreadable(error).in_file(name))?;
    Ok(Box::new(BufReader::new(file)))
}

/// Reads from a pipe or a terminal, which may never answer, until the caller asks to stop: then `None`. The thread that still
/// waits ends with the program.
fn unless_stopped<T: Send + 'static>(
    read: impl FnOnce() -> T + Send + 'static,
    stopped: &dyn Fn() -> bool,
) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(read()));
    loop {
        match receiver.recv_timeout(LOOK_EVERY) {
            Ok(found) => return Some(found),
            Err(RecvTimeoutError::Timeout) if !stopped() => {}
            Err(_) => return None,
        }
    }
}
