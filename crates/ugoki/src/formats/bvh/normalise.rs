//! Repairs that keep every byte in its place, so that lines and columns stay the file's own.
//!
//! Byte order marks are skipped, NUL bytes become blanks, bare carriage returns become line ends and
//! commas in numbers become dots or blanks. Only UTF-16 is rewritten, where lines still agree.

use std::borrow::Cow;

use super::lex::{line_of, word_is};
use crate::formats::{Findings, Severity, counted};

/// The file as plain bytes; borrowed unless something had to be repaired.
pub(super) fn normalise<'a>(bytes: &'a [u8], findings: &mut Findings) -> Cow<'a, [u8]> {
    let mut text = decode(bytes, findings);
    if contains_any(&text, [0, b',']) {
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
        repair_commas(text, findings);
    }
    if !text.contains(&b'\n') && text.contains(&b'\r') {
        findings.info(Some(1), "line-ends", "lines end in CR alone");
        text.to_mut().iter_mut().filter(|b| **b == b'\r').for_each(|b| *b = b'\n');
    }
    text
}

/// Whether one of these two bytes occurs; loops over arrays of bytes are made sixteen wide.
fn contains_any(bytes: &[u8], [a, b]: [u8; 2]) -> bool {
    let (blocks, rest) = bytes.as_chunks::<256>();
    let in_block = |block: &[u8; 256]| {
        let mut found = [0u8; 32];
        for part in block.as_chunks::<32>().0 {
            for (found, &x) in found.iter_mut().zip(part) {
                *found |= u8::from(x == a) | u8::from(x == b);
            }
        }
        found != [0; 32]
    };
    blocks.iter().any(in_block) || rest.iter().any(|&x| x == a || x == b)
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

/// Commas inside and after numbers, on lines that hold no name.
fn repair_commas(text: &mut [u8], findings: &mut Findings) {
    let decimal = commas_are_decimal(text);
    let mut first = None;
    let mut count = 0usize;
    let mut names = false;
    let mut line_start = true;
    for i in 0..text.len() {
        if line_start && !text[i].is_ascii_whitespace() {
            names = word_is(&text[i..], b"ROOT") || word_is(&text[i..], b"JOINT");
            line_start = false;
        }
        line_start |= text[i] == b'\n';
        if text[i] != b',' || names || i == 0 || !matches!(text[i - 1], b'0'..=b'9' | b'.' | b' ') {
            continue;
        }
        let before_digit = text.get(i + 1).is_some_and(u8::is_ascii_digit);
        first.get_or_insert(i);
        count += 1;
        text[i] = if decimal && before_digit { b'.' } else { b' ' };
    }
    let Some(first) = first else { return };
    let line = Some(line_of(text, first));
    if decimal {
        let message = counted(count, "number has a decimal comma", "numbers have a decimal comma");
        findings.note(Severity::Warning, line, "decimal-comma", message, "the comma is a decimal point");
    } else {
        let message = counted(count, "number is followed by a comma", "numbers are separated by commas");
        findings.note(Severity::Warning, line, "comma-separated", message, "the comma is a blank");
    }
}

/// Whether commas stand for decimal points: not when the motion has real points, and not when one word
/// holds two of them.
fn commas_are_decimal(text: &[u8]) -> bool {
    let motion = text.windows(6).position(|w| w.eq_ignore_ascii_case(b"motion")).unwrap_or(0);
    let rows = text[motion..].split(|&b| b == b'\n').skip(3);
    for line in rows.take(64) {
        if line.contains(&b'.') {
            return false;
        }
        for word in line.split(u8::is_ascii_whitespace) {
            let mut commas = 0;
            for &b in word {
                match b {
                    b',' => commas += 1,
                    b'-' | b'+' => commas = 0,
                    _ => {}
                }
                if commas > 1 {
                    return false;
                }
            }
        }
    }
    true
}
