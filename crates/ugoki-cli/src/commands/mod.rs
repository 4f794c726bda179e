//! The verbs. Each file holds one: its words, how they become a request, and how its report reads.

mod blend;
mod check;
mod compare;
mod compose;
mod convert;
mod db;
mod demo;
mod equalize;
mod filter;
mod info;
mod loop_;
mod network;
mod perform;
mod perform_live;
mod perform_rows;
mod plant;
mod react;
mod reading;
mod render;
mod segment;
mod splice;
mod stream;
mod studio;
mod walk;

use std::fmt::Display;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde::Serialize;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::formats::{Finding, Severity};
use ugoki_verbs::{Reading, Request};

use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::{files, output};

/// Turns captured human motion into new motion.
#[derive(Debug, Parser)]
#[command(name = "ugoki", version, about, max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// Print the report as one JSON document on stdout and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Info(info::Words),
    Check(check::Words),
    Convert(convert::Words),
    Plant(plant::Words),
    Compare(compare::Words),
    Render(render::Words),
    Filter(filter::Words),
    Equalize(equalize::Words),
    Blend(blend::Words),
    Loop(loop_::Words),
    Splice(splice::Words),
    Segment(segment::Words),
    Perform(perform::Words),
    Stream(stream::StreamWords),
    Record(stream::RecordWords),
    React(react::Words),
    Walk(walk::Words),
    Network(network::Words),
    Compose(Box<compose::Words>),
    Db(db::Words),
    Studio(studio::Words),
    Demo(demo::Words),
}

impl Verb {
    fn request(&self) -> Result<Request, Failure> {
        Ok(match self {
            Self::Info(words) => Request::Info(words.request()),
            Self::Check(words) => Request::Check(words.request()),
            Self::Convert(words) => Request::Convert(words.request()?),
            Self::Plant(words) => Request::Plant(words.request()),
            Self::Compare(words) => Request::Compare(words.request()),
            Self::Render(words) => Request::Render(words.request()),
            Self::Filter(words) => Request::Filter(words.request()),
            Self::Equalize(words) => Request::Equalize(words.request()),
            Self::Blend(words) => Request::Blend(words.request()),
            Self::Loop(words) => Request::Loop(words.request()),
            Self::Splice(words) => Request::Splice(words.request()),
            Self::Segment(words) => Request::Segment(words.request()),
            Self::Perform(words) => Request::Perform(words.request()),
            Self::Stream(words) => Request::Stream(words.request()),
            Self::Record(words) => Request::Record(words.request()),
            Self::React(words) => Request::React(words.request()),
            Self::Walk(words) => Request::Walk(words.request()),
            Self::Network(words) => Request::Network(words.request()),
            Self::Compose(words) => Request::Compose(words.request()),
            Self::Db(words) => Request::Db(words.request()),
            Self::Studio(words) => Request::Studio(words.request()),
            Self::Demo(words) => Request::Demo(words.request()),
        })
    }
}

/// Does what the words ask and says how it ended.
pub(crate) fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let Cli { json, verb } = cli;
    match verb.request()? {
        Request::Info(request) => info::run(&request, json),
        Request::Check(request) => check::run(&request, json),
        Request::Convert(request) => convert::run(&request, json),
        Request::Plant(request) => plant::run(&request, json),
        Request::Compare(request) => compare::run(&request, json),
        Request::Render(request) => render::run(&request, json),
        Request::Filter(request) => filter::run(&request, json),
        Request::Equalize(request) => equalize::run(&request, json),
        Request::Blend(request) => blend::run(&request, json),
        Request::Loop(request) => loop_::run(&request, json),
        Request::Splice(request) => splice::run(&request, json),
        Request::Segment(request) => segment::run(&request, json),
        Request::Perform(request) => perform::run(&request, json),
        Request::Stream(request) => stream::stream(&request, json),
        Request::Record(request) => stream::record(&request, json),
        Request::React(request) => react::run(&request, json),
        Request::Walk(request) => walk::run(&request, json),
        Request::Network(request) => network::run(&request, json),
        Request::Compose(request) => compose::run(&request, json),
        Request::Db(request) => db::run(&request, json),
        Request::Studio(request) => studio::run(&request, json),
        Request::Demo(request) => demo::run(&request, json),
    }
}

/// One motion in, one motion out: reads, runs the job under a progress bar, writes, and says what was done.
fn one_clip<R: Display + Serialize>(
    input: &str,
    output: &str,
    reading: &Reading,
    json: bool,
    label: &str,
    job: impl FnOnce(&Clip, Progress<'_>) -> Result<(Clip, R), ugoki_verbs::Error>,
) -> Result<ExitCode, Failure> {
    files::check_output(output, json)?;
    let read = files::motion(input, reading)?;
    let bar = Bar::start(label);
    let (clip, report) =
        job(&read.clip, &mut |share| bar.step(share)).map_err(|error| Failure::of_job(input, &error))?;
    drop(bar);
    tell_findings(input, &read.findings);
    files::write_motion(output, &clip, &read)?;
    say(&report, json);
    Ok(ExitCode::SUCCESS)
}

/// What was odd about a file, on stderr: what damages the motion in full, the rest by number.
fn tell_findings(file: &str, findings: &[Finding]) {
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
        let line = finding.line.map_or_else(String::new, |line| format!("line {line}: "));
        output::note(&format!("{file}: {line}{} [{}]", finding.message, finding.code));
    }
    match findings.iter().filter(|finding| finding.severity == Severity::Warning).count() {
        0 => {}
        1 => output::note(&format!("{file}: 1 warning; `ugoki check {file}` shows it")),
        count => output::note(&format!("{file}: {count} warnings; `ugoki check {file}` lists them")),
    }
}

/// The report of a job that wrote a motion: as JSON on stdout, or as text on stderr.
fn say<R: Display + Serialize>(report: &R, json: bool) {
    if json {
        output::json(report);
    } else {
        output::note(&report.to_string());
    }
}

#[cfg(test)]
mod tests;
