//! Printing reports.

use std::io::{ErrorKind, Write};
use std::process::exit;

use serde::Serialize;

/// Prints one JSON document and a line end. Numbers that are not finite become `null`.
pub(crate) fn json(document: &impl Serialize) {
    match serde_json::to_string_pretty(document) {
        Ok(text) => line(&text),
        // Reports are plain structs with string keys; this cannot happen.
        Err(error) => note(&format!("ugoki: cannot write the report as JSON: {error}")),
    }
}

/// Prints a report, as JSON or as text.
pub(crate) fn report(report: &(impl Serialize + std::fmt::Display), as_json: bool) {
    if as_json {
        json(report);
    } else {
        line(&report.to_string());
    }
}

/// Prints one line on stdout. A closed pipe is not an error; a full disk ends the program.
pub(crate) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = writeln!(out, "{text}").and_then(|()| out.flush())
        && error.kind() != ErrorKind::BrokenPipe
    {
        note(&format!("ugoki: standard output: {error}"));
        exit(2);
    }
}

/// Prints a note on stderr. Nobody is left to tell when that is closed.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
