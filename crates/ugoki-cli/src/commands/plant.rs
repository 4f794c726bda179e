//! `ugoki plant`

use std::process::ExitCode;

use ugoki::formats;
use ugoki::formats::bvh::WriteOptions;
use ugoki::job::plant::{Request, run as plant};

use super::convert::check_format;
use super::reading;
use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::{files, output};

/// Removes foot skate and levels the floor
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ugoki plant walk.bvh planted.bvh")]
pub(super) struct Words {
    /// Motion file, or - for standard input
    input: String,

    /// File to write, or - for standard output
    output: String,

    #[command(flatten)]
    reading: reading::Words,
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request { input: self.input.clone(), output: self.output.clone(), reading: self.reading.reading() }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    check_format(&request.output)?;
    let read = files::motion(&request.input, &request.reading)?;
    let bar = Bar::start("planting");
    let (clip, report) = plant(request, &read.clip, &mut |share| bar.step(share))
        .map_err(|error| Failure::of_job(&request.input, &error))?;
    drop(bar);
    let options =
        WriteOptions { up: Some(read.up), unit_metres: Some(read.unit_metres), ..WriteOptions::default() };
    files::write(&request.output, &formats::bvh::write(&clip, &options).bytes)?;
    if json && request.output != "-" {
        output::json(&report);
    } else {
        output::note(&report.to_string());
    }
    Ok(ExitCode::SUCCESS)
}
