//! Errors as the user sees them: one line on stderr, or one JSON document on stdout.

use std::fmt::Display;
use std::process::ExitCode;

use clap::error::ErrorKind;
use serde::Serialize;
use ugoki::formats::{ReadError, WriteError};

/// Something that ends the program with exit code 2.
#[derive(Debug, Serialize)]
pub(crate) struct Failure(ugoki_verbs::Problem);

impl Failure {
    /// An error that no file is to blame for.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(ugoki_verbs::Problem { file: None, line: None, message: message.into(), hint: None })
    }

    /// An error about a file.
    pub(crate) fn of_file(file: &str, message: &dyn Display) -> Self {
        let mut failure = Self::new(message.to_string());
        failure.0.file = Some(file.to_owned());
        failure
    }

    /// A file that could not be read as motion.
    pub(crate) fn of_reading(file: &str, error: &ReadError) -> Self {
        let mut failure = Self::of_file(file, error);
        failure.0.line = error.line();
        failure.0.hint = error.hint().map(ToOwned::to_owned);
        failure
    }

    /// A motion that could not be written as the file's format.
    pub(crate) fn of_writing(file: &str, error: &WriteError) -> Self {
        let mut failure = Self::of_file(file, error);
        failure.0.hint = error.hint().map(ToOwned::to_owned);
        failure
    }

    /// A job that could not be done on a file.
    pub(crate) fn of_job(file: &str, error: &ugoki_verbs::Error) -> Self {
        if let ugoki_verbs::Error::Write(error) = error {
            return Self::of_writing(file, error);
        }
        let mut failure = Self::advised(&error.to_string());
        failure.0.file = Some(file.to_owned());
        failure
    }

    /// From the library's "what was found; what to do": the advice becomes the hint.
    pub(crate) fn advised(message: &str) -> Self {
        match message.split_once("; ") {
            Some((found, advice)) => Self::new(found).hint(advice),
            None => Self::new(message),
        }
    }

    /// File, message and hint in one line.
    pub(crate) fn message(&self) -> String {
        self.one_line()
    }

    /// What went wrong.
    pub(crate) fn problem(self) -> ugoki_verbs::Problem {
        self.0
    }

    /// With the line of the file.
    pub(crate) fn line(mut self, line: Option<u32>) -> Self {
        self.0.line = line;
        self
    }

    /// With what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
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
            crate::output::note(&format!("ugoki: {}", self.one_line()));
        }
        ExitCode::from(2)
    }

    fn one_line(&self) -> String {
        let mut line = String::new();
        if let Some(file) = &self.0.file {
            line.push_str(file);
            line.push_str(": ");
        }
        line.push_str(&self.0.message);
        if let Some(hint) = &self.0.hint {
            line.push_str("; ");
            line.push_str(hint);
        }
        line.replace('\n', " ")
    }
}

impl From<ugoki_verbs::Problem> for Failure {
    fn from(problem: ugoki_verbs::Problem) -> Self {
        Self(problem)
    }
}

/// A command line that clap refused, or its help and version texts.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let shows_help =
        !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if shows_help {
        // Nobody is left to tell when the terminal is gone.
        let _ = error.print();
        return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
    }
    let text = error.render().to_string();
    // The complaint is everything before the usage, on one line.
    let complaint: Vec<&str> = text
        .lines()
        .take_while(|line| !line.starts_with("Usage:"))
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("For more information"))
        .collect();
    let message = complaint.join(" ");
    let wants_json = std::env::args_os().any(|word| word == "--json");
    let failure = Failure::advised(message.trim_start_matches("error: "));
    // What an option's own parser advises says more than the help would.
    let advised = failure.0.hint.is_some();
    let failure = if advised { failure } else { failure.hint("run with --help to see what is possible") };
    failure.print(wants_json)
}
