//! `ugoki plant`

use std::process::ExitCode;

use ugoki_verbs::plant::{Request, run as plant};

use super::{one_clip, reading};
use crate::failure::Failure;

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
    one_clip(&request.input, &request.output, &request.reading, json, "planting", |clip, progress| {
        plant(request, clip, progress)
    })
}
