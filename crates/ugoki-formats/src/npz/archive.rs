//! The arrays of an archive that numpy wrote: zip entries, stored or deflated, and the `.npy` headers in them.

use std::borrow::Cow;

use super::inflate::inflate;
use crate::ReadError;

/// Hint for archives that cannot be read.
const HINT: &str = "write the arrays again with numpy.savez";

/// Bytes at the end of an archive in which its directory is looked for: a record of 22 and a comment.
const END_BYTES: usize = 22 + 65_535;

/// Most entries that are looked at.
const MAX_ENTRIES: usize = 1000;

/// One array: its numpy type, its shape and its bytes.
#[derive(Debug)]
pub(super) struct Array<'a> {
    pub(super) name: String,
    kind: String,
    pub(super) shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
    /// Where the numbers begin in `bytes`.
    start: usize,
}

/// Whether the bytes start like a zip archive with an array.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") && {
        let name_bytes = number(bytes, 26, 2).unwrap_or(0);
        bytes.get(30..30 + name_bytes).is_some_and(|name| name.ends_with(b".npy"))
    }
}

pub(super) fn malformed(message: String) -> ReadError {
    ReadError::Malformed { line: None, message, hint: HINT }
}

/// All arrays of numbers or names; what they take together is bounded by `max_bytes`.
pub(super) fn arrays(bytes: &[u8], max_bytes: usize) -> Result<Vec<Array<'_>>, ReadError> {
    let broken = || malformed("the archive's directory is broken or missing".to_owned());
    let tail = bytes.len().saturating_sub(END_BYTES);
    let end = bytes[tail..].windows(4).rposition(|w| w == b"PK\x05\x06").ok_or_else(broken)? + tail;
    let count = number(bytes, end + 10, 2).ok_or_else(broken)?;
    let mut at = number(bytes, end + 16, 4).ok_or_else(broken)?;
    let mut left = max_bytes;
    let mut found = Vec::new();
    for _ in 0..count.min(MAX_ENTRIES) {
        let field = |offset: usize, size: usize| number(bytes, at + offset, size);
        let header = bytes.get(at..at + 4).filter(|mark| *mark == b"PK\x01\x02");
        header.ok_or_else(broken)?;
        let [method, packed, name_len] = [(10, 2), (20, 4), (28, 2)].map(|(o, s)| field(o, s).unwrap_or(0));
        let skipped = field(30, 2).unwrap_or(0) + field(32, 2).unwrap_or(0);
        let local = field(42, 4).ok_or_else(broken)?;
        let name = bytes.get(at + 46..at + 46 + name_len).ok_or_else(broken)?;
        let name = String::from_utf8_lossy(name).into_owned();
        // The local header may have other extra fields than the directory.
        let before = number(bytes, local + 26, 2).zip(number(bytes, local + 28, 2)).ok_or_else(broken)?;
        let start = local + 30 + before.0 + before.1;
        let content = bytes.get(start..start.saturating_add(packed)).ok_or_else(broken)?;
        at += 46 + name_len + skipped;
        let Some(name) = name.strip_suffix(".npy") else { continue };
        let content = match method {
            0 => Cow::Borrowed(content),
            8 => Cow::Owned(inflate(content, left).ok_or_else(|| {
                malformed(format!(
                    "the array {name:?} is broken, or larger than a file of this size can mean"
                ))
            })?),
            _ => {
                return Err(malformed(format!(
                    "the array {name:?} is compressed by method {method}, expected 0 or 8"
                )));
            }
        };
        left = left.saturating_sub(content.len());
        found.push(Array::parse(name, content)?);
    }
    Ok(found)
}

fn number(bytes: &[u8], at: usize, size: usize) -> Option<usize> {
    let field = bytes.get(at..at.checked_add(size)?)?;
    Some(field.iter().rev().fold(0, |n, &b| n << 8 | usize::from(b)))
}

impl<'a> Array<'a> {
    /// A `.npy` file of version 1 to 3.
    pub(super) fn parse(name: &str, bytes: Cow<'a, [u8]>) -> Result<Self, ReadError> {
        let broken = |what: &str| malformed(format!("the array {name:?} {what}"));
        let version = bytes.get(..8).and_then(|start| start.strip_prefix(b"\x93NUMPY")).map(|v| v[0]);
        let size = match version {
            Some(1) => 2,
            Some(2 | 3) => 4,
            _ => return Err(broken("is no .npy file of version 1 to 3")),
        };
        let length = number(&bytes, 8, size).ok_or_else(|| broken("ends in its header"))?;
        let start = 8 + size + length;
        let header = bytes.get(8 + size..start).ok_or_else(|| broken("ends in its header"))?;
        let header = String::from_utf8_lossy(header).into_owned();
        let after = |key: &str| header.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
        let kind = after("descr").and_then(|rest| rest.strip_prefix('\'')?.split_once('\''));
        let kind = kind.ok_or_else(|| broken("has no simple type"))?.0.to_owned();
        if after("fortran_order").is_none_or(|rest| !rest.starts_with("False")) {
            return Err(broken("is in Fortran order, expected C order"));
        }
        let shape = after("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
        let sides = shape.ok_or_else(|| broken("has no shape"))?.0.split(',').map(str::trim);
        let shape: Option<Vec<usize>> =
            sides.filter(|side| !side.is_empty()).map(|side| side.parse().ok()).collect();
        let shape = shape.ok_or_else(|| broken("has no shape"))?;
        let array = Self { name: name.to_owned(), kind, shape, bytes, start };
        let Some(width) = array.width() else { return Ok(array) };
        let wanted = array.shape.iter().try_fold(width, |all, side| all.checked_mul(*side));
        if wanted.is_none_or(|wanted| wanted > array.bytes.len() - start) {
            return Err(broken("has fewer numbers than its shape says"));
        }
        Ok(array)
    }

    /// Bytes of one element; `None` for types that are not read.
    fn width(&self) -> Option<usize> {
        match self.kind.as_str() {
            "<f4" | "<i4" | "<u4" => Some(4),
            "<f8" | "<i8" | "<u8" => Some(8),
            "|b1" | "|u1" | "|i1" => Some(1),
            text => text.strip_prefix("<U")?.parse::<usize>().ok()?.checked_mul(4),
        }
    }

    fn cells(&self) -> Option<impl Iterator<Item = &[u8]>> {
        let width = self.width().filter(|width| *width > 0)?;
        let count: usize = self.shape.iter().product();
        Some(self.bytes[self.start..].chunks_exact(width).take(count))
    }

    /// The elements as numbers; truth values are 0 and 1.
    pub(super) fn numbers(&self) -> Result<Vec<f64>, ReadError> {
        let value = |cell: &[u8]| match (self.kind.as_str(), cell) {
            ("<f4", &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            ("<i4", &[a, b, c, d]) => f64::from(i32::from_le_bytes([a, b, c, d])),
            ("<u4", &[a, b, c, d]) => f64::from(u32::from_le_bytes([a, b, c, d])),
            ("<f8", &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
            ("<i8", &[a, b, c, d, e, f, g, h]) => i64::from_le_bytes([a, b, c, d, e, f, g, h]) as f64,
            ("<u8", &[a, b, c, d, e, f, g, h]) => u64::from_le_bytes([a, b, c, d, e, f, g, h]) as f64,
            ("|i1", &[a]) => f64::from(a.cast_signed()),
            (_, &[a]) => f64::from(a),
            _ => f64::NAN,
        };
        match self.cells() {
            Some(cells) if !self.kind.contains('U') => Ok(cells.map(value).collect()),
            _ => Err(malformed(format!(
                "the array {:?} has the type {}, expected numbers",
                self.name, self.kind
            ))),
        }
    }

    /// The elements as words.
    pub(super) fn words(&self) -> Result<Vec<String>, ReadError> {
        let wrong =
            || malformed(format!("the array {:?} has the type {}, expected words", self.name, self.kind));
        if !self.kind.contains('U') {
            return Err(wrong());
        }
        let character = |b: &[u8]| match *b {
            [a, b, c, d] => {
                char::from_u32(u32::from_le_bytes([a, b, c, d])).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => char::REPLACEMENT_CHARACTER,
        };
        let word = |cell: &[u8]| {
            let text: String = cell.chunks_exact(4).map(character).collect();
            text.trim_end_matches('\0').to_owned()
        };
        let Some(cells) = self.cells() else {
            // Words of no length.
            let count = self.shape.iter().try_fold(1usize, |all, side| all.checked_mul(*side));
            return Ok(vec![String::new(); count.unwrap_or(0).min(self.bytes.len())]);
        };
        Ok(cells.map(word).collect())
    }
}
