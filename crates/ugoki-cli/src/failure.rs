//! Errors as the user sees them: one line on stderr, or one JSON document on stdout.

use std::fmt::Display;
use std::process::ExitCode;

use serde::Serialize;
use ugoki::formats::ReadError;
use ugoki::job;

/// Something that ends the program with exit code 2.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    file: Option<String>,
    line: Option<u32>,
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// An error that no file is to blame for.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { file: None, line: None, message: message.into(), hint: None }
    }

    /// An error about a file.
    pub(crate) fn of_file(file: &str, message: &dyn Display) -> Self {
        Self { file: Some(file.to_owned()), ..Self::new(message.to_string()) }
    }

    /// A file that could not be read as motion.
    pub(crate) fn of_reading(file: &str, error: &ReadError) -> Self {
        let hint = error.hint().map(ToOwned::to_owned);
        Self { line: error.line(), hint, ..Self::of_file(file, error) }
    }

    /// A job that could not be done on a file.
    pub(crate) fn of_job(file: &str, error: &job::Error) -> Self {
        Self::of_file(file, error)
    }

    /// With what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says it, and gives exit code 2.
    pub(crate) fn print(&self, json: bool) -> ExitCode {
        #[derive(Serialize)]
        struct Document<'a> {
            error: &'a Failure,
        }
        if json {
            crate::output::json(&Document { error: self });
        } else {
            eprintln!("ugoki: {}", self.one_line());
        }
        ExitCode::from(2)
    }

    fn one_line(&self) -> String {
        let mut line = String::new();
        if let Some(file) = &self.file {
            line.push_str(file);
            line.push_str(": ");
        }
        line.push_str(&self.message);
        if let Some(hint) = &self.hint {
            line.push_str("; ");
            line.push_str(hint);
        }
        line.replace('\n', " ")
    }
}

/// A command line that clap refused, or its help and version texts.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().any(|word| word == "--json");
    if error.use_stderr() && wants_json {
        let text = error.render().to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        return Failure::new(message).hint("run `ugoki --help`").print(true);
    }
    // Nobody is left to tell when the terminal is gone.
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}
