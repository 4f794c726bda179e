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
                    Error::Read(error) => advised(error),
                    // The report names the file, but not the database that a clip was looked for in.
                    _ if host.clip_reference(name).is_some() => Finding::unreadable(problem.to_string()),
                    _ => Finding::unreadable(match problem.hint {
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

/// Whether a file can be used, and its findings in the order of the file.
fn from_opened(opened: Opened) -> (bool, Vec<Finding>) {
    match opened {
        Opened::Motion(mut read) => {
            // Stable: findings without a line keep their order at the end.
            read.findings.sort_by_key(|finding| finding.line.unwrap_or(u32::MAX));
            (read.clip.num_frames() > 0, read.findings)
        }
        Opened::Markers(read, error) => {
            let summary = read.summary();
            let mut findings = read.findings;
            findings.extend([summary, Finding { code: "unsolved", ..advised(&error) }]);
            (false, findings)
        }
    }
}

/// The finding about a file that cannot be read, with what to do about it.
fn advised(error: &ReadError) -> Finding {
    let mut finding = Finding::from(error);
    if let Some(hint) = crate::advice::read(error) {
        finding.message = format!("{}; {hint}", finding.message);
    }
    finding
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
            write!(f, "\n  {:<8} {finding}", finding.severity.name())?;
        }
        Ok(())
    }
}
