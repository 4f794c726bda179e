//! Files that users write by hand: TOML, or JSON where the text starts with a brace.

use serde::de::DeserializeOwned;
use ugoki::document::{json_place, line_of_offset};

use crate::Error;

/// What is wrong with a document, and the line, counted from 1, where it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentError {
    pub(crate) line: Option<u32>,
    pub(crate) message: String,
}

impl DocumentError {
    /// As an error about a line of the file, with what to do.
    pub(crate) fn in_file(self, file: &str, hint: Option<&str>) -> Error {
        let shown = self.line.map_or_else(String::new, |line| format!("line {line}: "));
        let error = Error::refused(format!("{shown}{}", self.message));
        hint.into_iter().fold(error, Error::hint).at_line(file, self.line)
    }
}

/// Reads a document in either format.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, DocumentError> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| {
            let (line, message) = json_place(&error, error.line(), error.column());
            DocumentError { line, message }
        });
    }
    parse_toml(text)
}

/// Reads a TOML document.
pub(crate) fn parse_toml<T: DeserializeOwned>(text: &str) -> Result<T, DocumentError> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| line_of_offset(text, span.start));
        DocumentError { line, message: error.message().to_owned() }
    })
}
