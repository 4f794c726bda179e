//! `ugoki equalize`

use std::process::ExitCode;

use ugoki::signal::Part;
use ugoki_verbs::equalize::{Request, run as equalize};

use super::{one_clip, reading};
use crate::failure::Failure;

/// Makes a motion calmer or more nervous: gains on its frequency bands
///
/// Where the legs change, the body goes as far as its steps then carry it, and standing feet stay. The first and the last
/// pose are those of the source.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki equalize walk.bvh calm.bvh --gains 1,1,1,0.5,0.2\n  \
                        ugoki equalize walk.bvh nervous.bvh --gains 1,1,1,1,2 --part upper")]
pub(super) struct Words {
    /// Motion file, or - for standard input
    input: String,

    /// File to write, or - for standard output
    output: String,

    /// One gain per band, lowest frequency first; bands without one keep gain 1
    #[arg(long, value_delimiter = ',', required = true, allow_hyphen_values = true, value_name = "G,G,…", value_parser = gain)]
    gains: Vec<f64>,

    /// Only this part: upper, lower, torso, head, left-arm, right-arm, left-leg or right-leg
    #[arg(long)]
    part: Option<Part>,

    #[command(flatten)]
    reading: reading::Words,
}

/// A gain as typed.
fn gain(word: &str) -> Result<f64, String> {
    word.trim().parse().map_err(|_| format!("{word:?} is not a gain; give numbers such as 1,1,0.5"))
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            input: self.input.clone(),
            output: self.output.clone(),
            gains: self.gains.clone(),
            part: self.part,
            reading: self.reading.reading(),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    one_clip(&request.input, &request.output, &request.reading, json, "equalising", |clip, progress| {
        equalize(request, clip, progress)
    })
}
