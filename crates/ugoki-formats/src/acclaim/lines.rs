//! Lines of an Acclaim file, their words and numbers.

use crate::text::{Slow, is_space, slow};

/// One line that is neither blank nor a comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Number from 1.
    pub number: u32,
    /// The whole line, without its end.
    text: &'a [u8],
}

/// The lines that say something; those that start with `#` are comments.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = Line<'_>> {
    text.split(|&b| b == b'\n')
        .zip(1u32..)
        .map(|(text, number)| Line { number, text })
        .filter(|line| line.words().next().is_some_and(|word| word[0] != b'#'))
}

impl<'a> Line<'a> {
    /// The words, in order.
    pub(super) fn words(self) -> impl Iterator<Item = &'a [u8]> {
        self.text.split(|&b| is_space(b)).filter(|word| !word.is_empty())
    }

    /// Byte of a word of this line in the line, from 1.
    pub(super) fn column(self, word: &[u8]) -> u32 {
        let at = (word.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        u32::try_from(at + 1).unwrap_or(u32::MAX)
    }
}

/// What a word is as a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Is(f64),
    /// NaN, infinity or beyond [`MAX_VALUE`].
    Beyond,
    /// No number.
    No,
}

/// Numbers beyond this, in any unit, are no positions and no angles.
pub(super) const MAX_VALUE: f64 = 1e12;

pub(super) fn number(word: &[u8]) -> Number {
    match slow(word, 0, word.len()) {
        Slow::Number { value, end, .. } if end == word.len() => {
            if value.abs() <= MAX_VALUE {
                Number::Is(value)
            } else {
                Number::Beyond
            }
        }
        Slow::NotFinite => Number::Beyond,
        _ => Number::No,
    }
}

/// A name as text; bytes that are no UTF-8 and control characters are replaced.
pub(super) fn name(word: &[u8]) -> String {
    String::from_utf8_lossy(word).replace(|c: char| c.is_control(), "_")
}
