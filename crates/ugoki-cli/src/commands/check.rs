//! `ugoki check`

use std::process::ExitCode;

use ugoki::formats::{self, Severity};
use ugoki_verbs::check::{FileReport, Report, Request, missing, of_markers, run as look};

use super::reading;
use crate::failure::Failure;
use crate::interrupt::{self, Bar};
use crate::{files, output};

/// Lists every oddity of motion files: line, severity and what was assumed
///
/// Exit code 1 when a file cannot be used.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ugoki check walk.bvh\n  ugoki check captures/ --json")]
pub(super) struct Words {
    /// Motion files, folders or patterns
    #[arg(required = true)]
    files: Vec<String>,

    #[command(flatten)]
    reading: reading::Words,
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request { files: self.files.clone(), reading: self.reading.reading() }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    let names = files::expand(&request.files, None)?;
    let options = files::options(&request.reading)?;
    let bar = Bar::start("checking");
    let mut report = Report::default();
    for (index, name) in names.iter().enumerate() {
        if interrupt::stopped() {
            return Err(Failure::new("cancelled"));
        }
        let _ = bar.step(index as f32 / names.len() as f32);
        if crate::database::reference(name).is_some() {
            report.files.push(match files::motion(name, &request.reading) {
                Ok(read) => look(name, Ok(read)),
                Err(failure) => missing(name, &failure.message()),
            });
            continue;
        }
        report.files.push(match files::bytes(name) {
            Ok(bytes) => match files::parse(name, &bytes, &request.reading, &options) {
                Ok(read) => look(name, Ok(read)),
                Err(error) => {
                    match formats::read_markers(&bytes, files::extension(name).as_deref(), &options) {
                        Ok(markers) => of_markers(name, markers, &error),
                        Err(_) => look(name, Err(error)),
                    }
                }
            },
            Err(failure) => missing(name, &failure.problem().message),
        });
    }
    drop(bar);
    if json {
        output::json(&report);
    } else {
        print(&report);
    }
    Ok(ExitCode::from(u8::from(!report.all_usable())))
}

fn print(report: &Report) {
    for file in &report.files {
        print_file(file);
    }
    if report.files.len() > 1 {
        let usable = report.files.iter().filter(|file| file.usable).count();
        output::line(&format!("{usable} of {} files can be used", report.files.len()));
    }
}

fn print_file(file: &FileReport) {
    let verdict = if file.usable { "ok" } else { "cannot be used" };
    output::line(&format!("{}: {verdict}", file.file));
    for finding in &file.findings {
        let severity = match finding.severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let line = finding.line.map_or_else(String::new, |line| format!("line {line}: "));
        let assumed =
            finding.assumed.as_ref().map_or_else(String::new, |assumed| format!("; assumed: {assumed}"));
        output::line(&format!("  {severity:<8} {line}{}{assumed} [{}]", finding.message, finding.code));
    }
}
