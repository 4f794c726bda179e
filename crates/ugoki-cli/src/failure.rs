//! Errors as the user sees them: one line on stderr, or one JSON document on stdout.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap::error::ErrorKind;
use ugoki_verbs::{Error, Outcome, Problem, refusal};

use crate::Cli;

/// Something that ends the program.
#[derive(Debug)]
pub(crate) struct Failure {
    problem: Problem,
    code: u8,
}

impl Failure {
    /// An error that no file is to blame for.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        let problem = Problem { file: None, line: None, message: message.into(), hint: None };
        Self { problem, code: 2 }
    }

    /// With what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.problem.hint = Some(hint.into());
        self
    }

    /// Prints it and returns the exit code.
    pub(crate) fn print(&self, json: bool) -> ExitCode {
        let document = serde_json::to_string_pretty(&BTreeMap::from([("error", &self.problem)]));
        match document {
            Ok(text) if json => crate::output::line(&text),
            _ => crate::output::note(&format!("ugoki: {}", self.problem)),
        }
        ExitCode::from(self.code)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = if error.outcome() == Outcome::NothingFound { 1 } else { 2 };
        Self { problem: error.problem(), code }
    }
}

/// A command line that clap refused, or its help and version texts.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let shows_help =
        !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if shows_help {
        // A closed terminal leaves no place to report to.
        let _ = error.print();
        return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
    }
    let json = std::env::args_os().any(|word| word == "--json");
    if let Some(word) = std::env::args_os().find(|word| word.to_str().is_none()) {
        let failure = Failure::new(format!("{}: is not valid UTF-8", word.to_string_lossy()));
        return failure.hint("if it is the name of a file, rename that").print(json);
    }
    // The same words again, parsed without the help flag: its name does not belong to the message.
    let bare = Cli::command().disable_help_flag(true).try_get_matches().err();
    let failure = Failure::new(bare.map_or_else(|| error.to_string(), refusal));
    // The parser of a value says itself what is possible.
    let failure = match error.kind() {
        ErrorKind::ValueValidation => failure,
        _ => failure.hint("run with --help to see what is possible"),
    };
    failure.print(json)
}
