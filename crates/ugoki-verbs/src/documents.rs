//! Files that users write by hand: TOML, or JSON where the text starts with a brace.

use serde::de::DeserializeOwned;

/// What is wrong with a document, and the line, counted from 1, where it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentError {
    pub(crate) line: Option<u32>,
    pub(crate) message: String,
}

/// Reads a document in either format.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, DocumentError> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| DocumentError {
            line: u32::try_from(error.line()).ok().filter(|&line| line > 0),
            message: error.to_string(),
        });
    }
    parse_toml(text)
}

/// Reads a TOML document.
pub(crate) fn parse_toml<T: DeserializeOwned>(text: &str) -> Result<T, DocumentError> {
    toml::from_str(text).map_err(|error| {
        let line = |start: usize| text[..start.min(text.len())].matches('\n').count() + 1;
        let line = error.span().and_then(|span| u32::try_from(line(span.start)).ok());
        DocumentError { line, message: error.message().to_owned() }
    })
}
