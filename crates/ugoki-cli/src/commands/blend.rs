//! `ugoki blend`

use std::process::ExitCode;

use clap::ValueEnum;
use ugoki::clip::Clip;
use ugoki::retarget::{Stance, Whose};
use ugoki::signal::TimeAlign;
use ugoki_verbs::Error;
use ugoki_verbs::blend::{Request, Weights, run as blend};

use super::{reading, say, tell_findings};
use crate::failure::Failure;
use crate::files;
use crate::interrupt::Bar;

/// Mixes any number of motions into one
///
/// Motions on another skeleton are moved onto the first one's. All are aligned in time and on the ground first; what has no counterpart at their ends is left out, and feet that
/// all of them plant stay where they are.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki blend walk.bvh run.bvh -o jog.bvh --weights 2,1\n  \
                        ugoki blend walk.bvh run.bvh -o speed-up.bvh --weights 0:1/3:0,0:0/3:1")]
pub(super) struct Words {
    /// Motion files; skeleton and rate are the first one's
    #[arg(required = true)]
    inputs: Vec<String>,

    /// File to write, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: String,

    /// One weight per motion, or keys TIME:WEIGHT/TIME:WEIGHT in seconds, or frames with an f [default: equal]
    #[arg(long, allow_hyphen_values = true, value_name = "W,W,…")]
    weights: Option<Weights>,

    /// Match moments, places and planted feet first, or mix frame by frame as they are, up to the end of the shortest
    #[arg(long, value_enum, default_value = "time")]
    align: AlignWord,

    /// Refuse motions of another rate or skeleton instead of adapting them
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    reading: reading::Words,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum AlignWord {
    Time,
    None,
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            inputs: self.inputs.clone(),
            output: self.output.clone(),
            weights: self.weights.clone(),
            align: match self.align {
                AlignWord::Time => TimeAlign::Time,
                AlignWord::None => TimeAlign::None,
            },
            strict: self.strict,
            reading: self.reading.reading(),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    files::check_output(&request.output, json)?;
    if request.inputs.iter().filter(|name| *name == "-").count() > 1 {
        return Err(
            Failure::new("standard input can be read only once").hint("name a file for every motion but one")
        );
    }
    let reads = request
        .inputs
        .iter()
        .map(|name| files::motion(name, &request.reading.whole()))
        .collect::<Result<Vec<_>, _>>()?;
    let clips: Vec<&Clip> = reads.iter().map(|read| &read.clip).collect();
    let bar = Bar::start("blending");
    let (clip, report) = blend(request, &clips, &mut |share| bar.step(share))
        .map_err(|error| fault(request, &clips, &error))?;
    drop(bar);
    for (name, read) in request.inputs.iter().zip(&reads) {
        tell_findings(name, &read.findings);
    }
    let first = reads.first().ok_or_else(|| Failure::new("no motions to blend"))?;
    files::write_motion(&request.output, &clip, first)?;
    say(&report, json);
    Ok(ExitCode::SUCCESS)
}

/// The failure with the file to blame, if one is.
fn fault(request: &Request, clips: &[&Clip], error: &Error) -> Failure {
    let clip = match error {
        Error::Blend(error) => error.clip(),
        // All are moved onto the first one's skeleton.
        Error::Retarget(error) if error.whose() == Some(Whose::Target) => Some(0),
        Error::Retarget(_) => {
            let others = clips.iter().enumerate().skip(1);
            let unknown = others.clone().find(|(_, clip)| Stance::from_clip(clip).is_err());
            unknown.or_else(|| others.clone().last()).map(|(index, _)| index)
        }
        _ => None,
    };
    match clip.and_then(|clip| request.inputs.get(clip)) {
        Some(file) => Failure::of_job(file, error),
        None => Failure::advised(&error.to_string()),
    }
}
