//! `check`: validates files.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::formats::{Finding, ReadError, Severity};

use crate::words::plural;
use crate::{Error, Host, Opened, Outcome, Reading, Stream, Verb};

/// Validates motion files and explains every problem: line, severity and what was assumed
///
/// Exit code 1 when a file cannot be used.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki check walk.bvh\n  ugoki check captures/ --strict --json")]
pub struct Check {
    /// Motion files, folders or patterns
    #[arg(required = true)]
    pub files: Vec<String>,

    /// Exit code 1 also when a file that can be used has a problem of severity error
    #[arg(long)]
    pub strict: bool,

    /// How to read them.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// The findings of all files.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct Report {
    /// One entry per file.
    pub files: Vec<FileReport>,
    #[serde(skip)]
    strict: bool,
}

/// The findings of one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileReport {
    /// The file as named.
    pub file: String,
    /// Whether a clip with at least one frame could be read.
    pub usable: bool,
    /// Every finding, in the order of the file.
    pub findings: Vec<Finding>,
}

impl Verb for Check {
    type Report = Report;

    const ACTIVITY: &'static str = "checking";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Report, Error> {
        let names = host.expand(&self.files, None)?;
        let mut files = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            ugoki::report(progress, index as f32 / names.len() as f32)?;
            files.push(self.one(name, host)?);
        }
        Ok(Report { files, strict: self.strict })
    }
}

impl Check {
    fn one(&self, name: &str, host: &mut dyn Host) -> Result<FileReport, Error> {
        let (usable, findings) = match host.open(name, &self.reading) {
            Ok(opened) => from_opened(opened),
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => {
                let problem = error.problem();
                if problem.file.is_some()
                    && [&self.reading.asf, &self.reading.markers].contains(&&problem.file)
                {
                    // The fault of an option, not of the files.
                    return Err(error);
                }
                let finding = match error.root() {
                    Error::Read(error) => refusal(error),
                    // The report names the file, but not the database that a clip was looked for in.
                    _ if host.clip_reference(name).is_some() => unreadable(problem.to_string()),
                    _ => unreadable(match problem.hint {
                        Some(hint) => format!("{}; {hint}", problem.message),
                        None => problem.message,
                    }),
                };
                (false, vec![finding])
            }
        };
        Ok(FileReport { file: name.to_owned(), usable, findings })
    }
}

/// Whether a file can be used, and its findings.
pub(crate) fn from_opened(opened: Opened) -> (bool, Vec<Finding>) {
    match opened {
        Opened::Motion(mut read) => {
            // Stable: findings without a line keep their order at the end.
            read.findings.sort_by_key(|finding| finding.line.unwrap_or(u32::MAX));
            (read.clip.num_frames() > 0, read.findings)
        }
        Opened::Markers(read, error) => {
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
            findings.extend([found, Finding { code: "unsolved", ..refusal(&error) }]);
            (false, findings)
        }
    }
}

fn unreadable(message: String) -> Finding {
    Finding { line: None, severity: Severity::Error, code: "unreadable", message, assumed: None }
}

fn refusal(error: &ReadError) -> Finding {
    let text = error.to_string();
    // The line has a field of its own.
    let prefix = error.line().map_or_else(String::new, |line| format!("line {line}"));
    let text =
        text.strip_prefix(&prefix).map_or(text.as_str(), |rest| rest.trim_start_matches([',', ':', ' ']));
    let message =
        crate::advice::read(error).map_or_else(|| text.to_owned(), |hint| format!("{text}; {hint}"));
    Finding { line: error.line(), ..unreadable(message) }
}

impl FileReport {
    fn errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error).count()
    }
}

impl crate::Report for Report {
    const STREAM: Stream = Stream::Result;

    fn outcome(&self) -> Outcome {
        match self.files.iter().all(|file| file.usable && !(self.strict && file.errors() > 0)) {
            true => Outcome::Done,
            false => Outcome::NothingFound,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, file) in self.files.iter().enumerate() {
            write!(f, "{}{file}", if index == 0 { "" } else { "\n" })?;
        }
        if self.files.len() > 1 {
            let usable = self.files.iter().filter(|file| file.usable).count();
            write!(f, "\n{usable} of {} files can be used", self.files.len())?;
        }
        Ok(())
    }
}

impl fmt::Display for FileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.usable, self.errors()) {
            (false, _) => write!(f, "{}: cannot be used", self.file)?,
            (true, 0) => write!(f, "{}: ok", self.file)?,
            (true, count) => {
                write!(f, "{}: can be used, but has {count} {}", self.file, plural(count, "error"))?;
            }
        }
        for finding in &self.findings {
            let severity = match finding.severity {
                Severity::Info => "info",
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            write!(f, "\n  {severity:<8} {}", explained(finding))?;
        }
        Ok(())
    }
}

/// Line, message, assumption and code of a finding.
pub(crate) fn explained(finding: &Finding) -> String {
    let line = finding.line.map_or_else(String::new, |line| format!("line {line}: "));
    let assumed = finding.assumed.as_ref().map_or_else(String::new, |text| format!("; assumed: {text}"));
    format!("{line}{}{assumed} [{}]", finding.message, finding.code)
}
