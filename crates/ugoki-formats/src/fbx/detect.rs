//! Recognises FBX files by their first bytes.

use crate::text::word_is;

/// Bytes looked at for the first word of a text file; comments may stand before it.
const LOOK_BYTES: usize = 4096;

/// Whether the bytes start like an FBX file, binary or text.
#[must_use]
pub fn looks_like(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LOOK_BYTES)];
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let mut lines = start.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_start);
    let first = lines.find(|line| !line.is_empty() && line[0] != b';').unwrap_or_default();
    start.starts_with(b"Kaydara FBX Binary") || word_is(first, b"FBXHeaderExtension")
}
