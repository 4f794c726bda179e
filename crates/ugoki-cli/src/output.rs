//! Printing reports.

use std::io::Write;

use serde::Serialize;

/// Prints one JSON document and a line end. Numbers that are not finite become `null`.
pub(crate) fn json(document: &impl Serialize) {
    match serde_json::to_string_pretty(document) {
        Ok(text) => line(&text),
        // Reports are plain structs with string keys; this cannot happen.
        Err(error) => eprintln!("ugoki: cannot write the report as JSON: {error}"),
    }
}

/// Prints one line on stdout; a closed pipe is not an error.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Prints a note on stderr.
pub(crate) fn note(text: &str) {
    eprintln!("{text}");
}
