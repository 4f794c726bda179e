//! `ugoki splice`

use std::process::ExitCode;

use clap::ValueEnum;
use ugoki::clip::Clip;
use ugoki::edit::{FeetAt, SpliceConfig};
use ugoki_verbs::Error;
use ugoki_verbs::splice::{Request, run as splice};

use super::{reading, say};
use crate::failure::Failure;
use crate::files;
use crate::interrupt::Bar;

/// Joins motions end to start into one
///
/// Each motion is turned and shifted over the ground to go on where the one before ends. The frames on both sides of a
/// seam are bent to meet in place and velocity, and feet that stand stay where they are. Motions on another skeleton
/// are moved onto the first one's.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki splice walk.bvh stepdown.bvh walk.bvh -o out.bvh\n  \
                        ugoki splice a.bvh b.bvh -o out.glb --blend 0.4 --trim 0")]
pub(super) struct Words {
    /// Motion files in order; skeleton and rate are the first one's
    #[arg(required = true)]
    inputs: Vec<String>,

    /// File to write, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: String,

    /// How long each seam is spread: half before it, half after
    #[arg(long, value_name = "SECONDS", default_value_t = SpliceConfig::default().blend_s, allow_hyphen_values = true)]
    blend: f64,

    /// Most that may be left out on each side of a seam, where the motions meet better there; 0 joins the last frame to
    /// the first
    #[arg(long, value_name = "SECONDS", default_value_t = SpliceConfig::default().trim_s)]
    trim: f64,

    /// Hold all feet that stand, or only those that stand at a seam and leave everything else as captured
    #[arg(long, value_enum, default_value = "all")]
    feet: FeetWord,

    /// Refuse motions of another rate or skeleton instead of adapting them
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    reading: reading::Words,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum FeetWord {
    All,
    Seams,
}

impl From<FeetWord> for FeetAt {
    fn from(word: FeetWord) -> Self {
        match word {
            FeetWord::All => Self::All,
            FeetWord::Seams => Self::Seams,
        }
    }
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            inputs: self.inputs.clone(),
            output: self.output.clone(),
            config: SpliceConfig { blend_s: self.blend, trim_s: self.trim, feet: self.feet.into() },
            strict: self.strict,
            reading: self.reading.reading(),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    files::check_output(&request.output, json)?;
    files::check_not_input(&request.output, request.inputs.iter().map(String::as_str))?;
    let reads = request
        .inputs
        .iter()
        .map(|name| files::motion(name, &request.reading.whole()))
        .collect::<Result<Vec<_>, _>>()?;
    let clips: Vec<&Clip> = reads.iter().map(|read| &read.clip).collect();
    let bar = Bar::start("splicing");
    let done =
        splice(request, &clips, &mut |share| bar.step(share)).map_err(|error| fault(request, &error))?;
    drop(bar);
    let first = reads.first().ok_or_else(|| Failure::new("no motions to join"))?;
    files::write_motion_with(
        &request.output,
        &done.clip,
        first,
        done.contacts.map(|found| found.feet),
        None,
    )?;
    say(&done.report, json);
    Ok(ExitCode::SUCCESS)
}

/// The failure with the file to blame, if one is.
fn fault(request: &Request, error: &Error) -> Failure {
    let clip = if let Error::Splice(error) = error { error.clip() } else { None };
    match clip.and_then(|clip| request.inputs.get(clip)) {
        Some(file) => Failure::of_job(file, error),
        None => Failure::advised(&error.to_string()),
    }
}
