//! Reading files that may be larger than memory.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// No motion file is larger, bytes: an hour of a hundred markers at 1 kHz as text takes 3 GB, of a body at 120 Hz 0.4 GB.
pub const LARGEST_FILE: u64 = 1 << 30;

/// The bytes of a file of at most `most` bytes.
///
/// # Errors
/// When it cannot be read; `FileTooLarge` when there are more bytes, as a device has.
pub fn read_file(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = File::open(path)?;
    let expected = file.metadata()?.len();
    read_within(file, expected, most)
}

/// The bytes of a stream, as [`read_file`].
pub(crate) fn read_stream(stream: impl Read, most: u64) -> Result<Vec<u8>> {
    read_within(stream, 0, most)
}

fn read_within(stream: impl Read, expected: u64, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if expected <= most {
        bytes.reserve_exact(expected as usize);
        stream.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if expected > most || bytes.len() as u64 > most {
        let message = match most {
            LARGEST_FILE => "larger than 1 GiB, which no motion file is; cut the take into parts".to_owned(),
            most => format!("larger than {most} bytes"),
        };
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_read_whole_and_what_goes_on_is_refused() {
        assert_eq!(read_within(&b"motion"[..], 6, 6).unwrap(), b"motion");
        let endless = read_within(std::io::repeat(0), 0, 1000).unwrap_err();
        assert!(endless.kind() == ErrorKind::FileTooLarge && endless.to_string().contains("1000 bytes"));
        assert_eq!(read_within(&b""[..], 2000, 1000).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
