//! Checks the first bytes of a file before SQLite opens it: most wrong files are recognised here with a clear message.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::schema::APPLICATION_ID;

/// How SQLite files begin.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Length of SQLite's file header, bytes.
const HEADER: usize = 100;

/// Refuses what is no motion database, or one that ends too early.
pub(crate) fn inspect(path: &Path) -> Result<(), Error> {
    let mut file = File::open(path).map_err(|error| Error::io(&error))?;
    let data = file.metadata().map_err(|error| Error::io(&error))?;
    if data.is_dir() {
        return Err(Error::Folder);
    }
    let mut header = Vec::with_capacity(HEADER);
    file.by_ref().take(HEADER as u64).read_to_end(&mut header).map_err(|error| Error::io(&error))?;
    if header.is_empty() {
        return Err(Error::Empty);
    }
    if !header.starts_with(MAGIC) {
        return Err(Error::NotADatabase { found: excerpt(&header) });
    }
    if header.len() < HEADER {
        return Err(Error::Truncated { found: header.len() as u64, wanted: HEADER as u64 });
    }
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    // Places of the header's fields are fixed: https://sqlite.org/fileformat.html
    let found = number(68);
    if found != APPLICATION_ID {
        return Err(Error::OtherProgram { found });
    }
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        page => u64::from(page),
    };
    // While a journal exists next to the file its pages may not be merged yet; then only SQLite can judge.
    let pages_are_valid = number(24) == number(92);
    let wanted = u64::from(number(28)) * page;
    if pages_are_valid && data.len() < wanted && !has_journal(path) {
        return Err(Error::Truncated { found: data.len(), wanted });
    }
    Ok(())
}

/// The journal that SQLite keeps next to a database while it is open or after a crash.
pub(crate) fn journal(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

/// Whether a journal waits to be taken in.
pub(crate) fn has_journal(path: &Path) -> bool {
    journal(path).metadata().is_ok_and(|data| data.len() > 0)
}

/// The first bytes, readable.
fn excerpt(bytes: &[u8]) -> String {
    let text: String = bytes
        .iter()
        .take(16)
        .map(|&byte| if byte.is_ascii_graphic() || byte == b' ' { char::from(byte) } else { '.' })
        .collect();
    format!("{:?}", text.trim_end())
}
