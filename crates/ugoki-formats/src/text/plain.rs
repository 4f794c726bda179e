//! Repairs of any text that keep every byte in its place, so that lines and columns stay the file's own.
//!
//! Byte order marks are skipped, NUL bytes become blanks and bare carriage returns become line ends. Only UTF-16
//! is rewritten, where lines still agree.

use std::borrow::Cow;

use super::line_of;
use crate::{Findings, Severity, counted};

/// The file as plain bytes; borrowed unless something had to be repaired.
pub(crate) fn plain<'a>(bytes: &'a [u8], findings: &mut Findings) -> Cow<'a, [u8]> {
    let mut text = decode(bytes, findings);
    if contains(&text, 0) {
        let text = text.to_mut();
        if let Some(first) = text.iter().position(|&b| b == 0) {
            let count = text.iter().filter(|&&b| b == 0).count();
            let line = Some(line_of(text, first));
            findings.note(
                Severity::Warning,
                line,
                "nul-bytes",
                counted(count, "NUL byte", "NUL bytes"),
                "blanks",
            );
            text.iter_mut().filter(|b| **b == 0).for_each(|b| *b = b' ');
        }
    }
    if !text.contains(&b'\n') && text.contains(&b'\r') {
        findings.info(Some(1), "line-ends", "lines end in CR alone");
        text.to_mut().iter_mut().filter(|b| **b == b'\r').for_each(|b| *b = b'\n');
    }
    text
}

/// Whether `byte` occurs; loops over arrays of bytes are made sixteen wide.
pub(crate) fn contains(bytes: &[u8], byte: u8) -> bool {
    let (blocks, rest) = bytes.as_chunks::<256>();
    let in_block = |block: &[u8; 256]| {
        let mut found = [0u8; 32];
        for part in block.as_chunks::<32>().0 {
            for (found, &x) in found.iter_mut().zip(part) {
                *found |= u8::from(x == byte);
            }
        }
        found != [0; 32]
    };
    blocks.iter().any(in_block) || rest.contains(&byte)
}

/// Byte order marks and UTF-16.
fn decode<'a>(bytes: &'a [u8], findings: &mut Findings) -> Cow<'a, [u8]> {
    let big = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => {
            findings.info(Some(1), "bom", "the file starts with a UTF-8 byte order mark");
            return Cow::Borrowed(rest);
        }
        [0xfe, 0xff, ..] | [0, b'H' | b'R' | b'h' | b'r', 0, _, ..] => true,
        [0xff, 0xfe, ..] | [b'H' | b'R' | b'h' | b'r', 0, _, 0, ..] => false,
        _ => return Cow::Borrowed(bytes),
    };
    let order = if big { "big" } else { "little" };
    findings.info(Some(1), "utf-16", format!("the file is UTF-16, {order} endian, not plain text"));
    let units = bytes.chunks_exact(2).map(|pair| {
        let pair = [pair[0], pair[1]];
        if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    });
    let mut text = String::with_capacity(bytes.len() / 2);
    text.extend(char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).filter(|&c| c != '\u{feff}'));
    Cow::Owned(text.into_bytes())
}
