//! Content hashes.

use sha2::{Digest, Sha256};

/// SHA-256, as `sha256sum` prints it.
pub(crate) type Hash = [u8; 32];

/// The hash of these bytes.
pub(crate) fn sha256(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

/// As `sha256sum` prints it.
pub(crate) fn hex(hash: &[u8]) -> String {
    use std::fmt::Write as _;
    hash.iter().fold(String::with_capacity(2 * hash.len()), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
