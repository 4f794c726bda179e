//! Printing.

use std::io::{ErrorKind, Write};
use std::process::exit;

use crate::interrupt;

/// Prints one line on stdout. A closed pipe is not an error; a full disk ends the program, and so does Ctrl-C while the other
/// end of a pipe does not read.
pub(crate) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    interrupt::end_at_once(true);
    let printed = writeln!(out, "{text}").and_then(|()| out.flush());
    interrupt::end_at_once(false);
    if let Err(error) = printed
        && error.kind() != ErrorKind::BrokenPipe
    {
        note(&format!("ugoki: standard output: {}", ugoki_files::system_message(&error)));
        exit(2);
    }
}

/// Prints a note on stderr; a closed stderr is not an error.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
