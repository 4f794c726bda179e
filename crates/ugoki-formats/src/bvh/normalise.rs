//! Repairs that keep every byte in its place, so that lines and columns stay the file's own.
//!
//! After the repairs of any text, commas in numbers become dots or blanks.

use std::borrow::Cow;

use crate::text::{contains, line_of, plain, word_is};
use crate::{Findings, Severity, counted};

/// The file as plain bytes; borrowed unless something had to be repaired.
pub(super) fn normalise<'a>(bytes: &'a [u8], findings: &mut Findings) -> Cow<'a, [u8]> {
    let mut text = plain(bytes, findings);
    if contains(&text, b',') {
        repair_commas(text.to_mut(), findings);
    }
    text
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
