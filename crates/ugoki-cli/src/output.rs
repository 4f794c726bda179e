//! Printing.

use std::io::{ErrorKind, Write};
use std::process::exit;

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

/// Prints a note on stderr; a closed stderr is not an error.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
