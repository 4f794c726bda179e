//! `check`: every oddity of files, with its line and what was assumed.

use serde::{Deserialize, Serialize};

use super::{Arguments, Reading, reading_arguments};
use ugoki::formats::{Finding, Read, ReadError, ReadMarkers, Severity};

/// Ask what is odd about files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Motion files, folders or patterns.
    pub files: Vec<String>,
    /// How to read them.
    #[serde(default)]
    pub reading: Reading,
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let arguments = reading_arguments(&self.reading, Arguments::new("check"));
        self.files.iter().fold(arguments, |arguments, file| arguments.file(file)).finish()
    }
}

/// What is odd about all files.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct Report {
    /// One entry per file.
    pub files: Vec<FileReport>,
}

/// What is odd about one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileReport {
    /// The file as named.
    pub file: String,
    /// Whether a clip with at least one frame could be read.
    pub usable: bool,
    /// Everything odd, in the order of the file.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether every file can be used.
    #[must_use]
    pub fn all_usable(&self) -> bool {
        self.files.iter().all(|file| file.usable)
    }
}

/// The findings of one file, read or refused.
#[must_use]
pub fn run(file: &str, read: Result<Read, ReadError>) -> FileReport {
    let (usable, mut findings) = match read {
        Ok(read) => (read.clip.num_frames() > 0, read.findings),
        Err(error) => (false, vec![refusal(&error)]),
    };
    // Stable: findings without a line keep their order at the end.
    findings.sort_by_key(|finding| finding.line.unwrap_or(u32::MAX));
    FileReport { file: file.to_owned(), usable, findings }
}

/// The findings of a marker file whose markers are no person we know: what is in it, and why that is no motion.
#[must_use]
pub fn of_markers(file: &str, read: ReadMarkers, error: &ReadError) -> FileReport {
    let markers = &read.markers;
    let (count, frames, fps) = (markers.labels().len(), markers.num_frames(), markers.fps());
    let found = Finding {
        line: None,
        severity: Severity::Info,
        code: "markers",
        message: format!("{count} markers in {frames} frames at {fps} per second"),
        assumed: None,
    };
    let mut findings = read.findings;
    findings.extend([found, Finding { code: "unsolved", ..refusal(error) }]);
    FileReport { file: file.to_owned(), usable: false, findings }
}

/// The report of a file that could not even be opened.
#[must_use]
pub fn missing(file: &str, message: &str) -> FileReport {
    let finding = Finding {
        line: None,
        severity: Severity::Error,
        code: "unreadable",
        message: message.to_owned(),
        assumed: None,
    };
    FileReport { file: file.to_owned(), usable: false, findings: vec![finding] }
}

fn refusal(error: &ReadError) -> Finding {
    let text = error.to_string();
    // The line has a field of its own.
    let prefix = error.line().map_or_else(String::new, |line| format!("line {line}"));
    let text =
        text.strip_prefix(&prefix).map_or(text.as_str(), |rest| rest.trim_start_matches([',', ':', ' ']));
    Finding {
        line: error.line(),
        severity: Severity::Error,
        code: "unreadable",
        message: match error.hint() {
            Some(hint) => format!("{text}; {hint}"),
            None => text.to_owned(),
        },
        assumed: None,
    }
}
