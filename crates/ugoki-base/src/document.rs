//! Errors of parsers of text documents (JSON, TOML): the line, and the message without the place.

use std::fmt::{self, Display};

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// The line of an offset in a text, counted from 1.
#[must_use]
pub fn line_of_offset(text: &str, offset: usize) -> u32 {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let breaks = before.iter().filter(|&&byte| byte == b'\n').count();
    u32::try_from(breaks + 1).unwrap_or(u32::MAX)
}

/// The line of a `serde_json` error and its message without the place. `line` and `column` are the error's own: its text
/// ends with them unless the line is 0, which means that there is no place.
///
/// ```
/// use ugoki_base::document::json_place;
///
/// let found = json_place(&"unknown field `a at line b` at line 2 column 7", 2, 7);
/// assert_eq!(found, (Some(2), "unknown field `a at line b`".to_owned()));
/// assert_eq!(json_place(&"expected f32", 0, 0), (None, "expected f32".to_owned()));
/// ```
#[must_use]
pub fn json_place(error: &dyn Display, line: usize, column: usize) -> (Option<u32>, String) {
    let whole = error.to_string();
    let place = if line == 0 { String::new() } else { format!(" at line {line} column {column}") };
    let message = whole.strip_suffix(&place).unwrap_or(&whole).to_owned();
    (u32::try_from(line).ok().filter(|&line| line > 0), message)
}

/// A number of a document; errors call it that instead of by the program's type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(pub f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_f64(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
        Ok(Number(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number(value as f64))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
        Ok(Number(value as f64))
    }
}

/// A field that is a number: `#[serde(deserialize_with = "number")]`.
///
/// # Errors
/// When it is none.
pub fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Number::deserialize(deserializer).map(|number| number.0)
}

/// A field that is a number or absent; it needs `#[serde(default)]` too.
///
/// # Errors
/// When it is something else.
pub fn optional_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(Option::<Number>::deserialize(deserializer)?.map(|number| number.0))
}
