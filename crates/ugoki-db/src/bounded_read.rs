//! Reading files that may be larger than memory.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// No motion file is larger, bytes: an hour of a hundred markers at 1 kHz as text takes 3 GB, of a body at 120 Hz 0.4
/// GB.
const LARGEST: u64 = 1 << 30;

/// The bytes of a motion file.
///
/// # Errors
/// When it cannot be read, or goes on beyond 1 GiB, as a device does.
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    let file = File::open(path)?;
    let stated = file.metadata()?.len();
    read_within(file, stated, LARGEST)
}

/// The bytes of a stream, as [`read_file`].
///
/// # Errors
/// As [`read_file`].
pub fn read_stream(stream: impl Read) -> Result<Vec<u8>> {
    read_within(stream, 0, LARGEST)
}

fn read_within(stream: impl Read, stated: u64, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if stated <= most {
        bytes.reserve_exact(stated as usize);
        stream.take(most + 1).read_to_end(&mut bytes)?;
    }
    if stated > most || bytes.len() as u64 > most {
        let message = "larger than 1 GiB, which no motion file is; cut the take into parts";
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
        assert!(endless.kind() == ErrorKind::FileTooLarge && endless.to_string().contains("cut the take"));
        assert_eq!(read_within(&b""[..], 2000, 1000).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
