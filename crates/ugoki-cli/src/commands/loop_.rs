//! `ugoki loop`

use std::process::ExitCode;

use ugoki::edit::{CycleConfig, CycleError};
use ugoki_verbs::loop_::{Request, run as close};
use ugoki_verbs::{Error, Span};

use super::splice::FeetWord;
use super::{reading, say};
use crate::failure::Failure;
use crate::files;
use crate::interrupt::Bar;

/// Finds the best cycle of a motion and closes it without a seam
///
/// Of a walk or run that is one stride; of other motions the longest stretch that comes back to how it began. A walk that
/// is repeated walks on. Ends with 1 when nothing in the motion comes back.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ugoki loop walk.bvh cycle.glb\n  ugoki loop walk.bvh far.bvh --cycles 5\n  \
                        ugoki loop walk.bvh cycle.bvh --range 33f:173f --in-place"
)]
pub(super) struct Words {
    /// Motion file
    input: String,

    /// File to write, or - for standard output
    output: String,

    /// The cycle: its first moment, and the one that should look like it
    #[arg(long, value_name = "A:B")]
    range: Option<Span>,

    /// The cycle that covers most of the motion, also of a walk
    #[arg(long, conflicts_with = "range")]
    longest: bool,

    /// How many repeats to write
    #[arg(long, value_name = "N", default_value_t = 1)]
    cycles: usize,

    /// How long the seam is spread: half at the end of the cycle, half at its start
    #[arg(long, value_name = "SECONDS", default_value_t = CycleConfig::default().blend_s, allow_hyphen_values = true)]
    blend: f64,

    /// Take the travel out, as on a treadmill
    #[arg(long)]
    in_place: bool,

    /// Hold all feet that stand, or only those that stand at the seam
    #[arg(long, value_enum, default_value = "all")]
    feet: FeetWord,

    #[command(flatten)]
    reading: reading::Words,
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            input: self.input.clone(),
            output: self.output.clone(),
            range: self.range,
            longest: self.longest,
            cycles: self.cycles,
            blend_s: self.blend,
            in_place: self.in_place,
            feet: self.feet.into(),
            reading: self.reading.reading(),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    files::check_output(&request.output, json)?;
    files::check_not_input(&request.output, [request.input.as_str()])?;
    let read = files::motion(&request.input, &request.reading)?;
    let bar = Bar::start("looping");
    let done = match close(request, &read.clip, &mut |share| bar.step(share)) {
        Ok(done) => done,
        Err(error @ Error::Loop(CycleError::Open { .. } | CycleError::Still)) => {
            drop(bar);
            Failure::of_job(&request.input, &error).print(json);
            return Ok(ExitCode::from(1));
        }
        Err(error) => return Err(Failure::of_job(&request.input, &error)),
    };
    drop(bar);
    let frames = 0..done.clip.num_frames();
    files::write_motion_with(
        &request.output,
        &done.clip,
        &read,
        done.contacts.map(|found| found.feet),
        Some(frames),
    )?;
    say(&done.report, json);
    Ok(ExitCode::SUCCESS)
}
