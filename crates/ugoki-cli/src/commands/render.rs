//! `ugoki render`

use std::process::ExitCode;

use clap::ValueEnum;
use ugoki::clip::Clip;
use ugoki::picture::Forces;
use ugoki::picture::View;
use ugoki_verbs::Span;
use ugoki_verbs::render::{ForceReport, Request, run_with as draw};

use super::reading;
use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::{files, output};

/// Draws a motion: contact sheet (.png), vector drawing (.svg) or animation (.gif)
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ugoki render walk.bvh walk.png --frames 8\n  ugoki render kick.bvh kick.gif --view side --size 480x360"
)]
pub(super) struct Words {
    /// Motion file, or - for standard input
    input: String,

    /// Picture to write: .png, .svg or .gif
    output: String,

    /// How many poses to show
    #[arg(long, value_name = "N")]
    frames: Option<usize>,

    /// Width, or width and height, in pixels
    #[arg(long, value_name = "W[xH]", value_parser = size)]
    size: Option<(u32, u32)>,

    /// From where it is seen
    #[arg(long, value_enum, default_value = "three-quarter")]
    view: ViewWord,

    /// Draw corrections, ZMP and support polygon of a report that `react --report` wrote
    #[arg(long, value_name = "REPORT.json")]
    forces: Option<String>,

    /// With --forces: the motion that was followed, drawn in grey; the report's input when not given
    #[arg(long, value_name = "FILE", requires = "forces")]
    target: Option<String>,

    /// Only this stretch: seconds, or frames with an f
    #[arg(long, value_name = "A:B")]
    trim: Option<Span>,

    #[command(flatten)]
    reading: reading::Words,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ViewWord {
    Front,
    Side,
    ThreeQuarter,
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let (width, height) = text.split_once('x').unwrap_or((text, "0"));
    match (width.parse(), height.parse()) {
        (Ok(width), Ok(height)) if width > 0 => Ok((width, height)),
        _ => Err("expected a width like 1200 or a size like 1200x800".to_owned()),
    }
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            input: self.input.clone(),
            output: self.output.clone(),
            frames: self.frames,
            size: self.size,
            view: match self.view {
                ViewWord::Front => View::Front,
                ViewWord::Side => View::Side,
                ViewWord::ThreeQuarter => View::ThreeQuarter,
            },
            forces: self.forces.clone(),
            target: self.target.clone(),
            trim: self.trim,
            reading: self.reading.reading(),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    let read = files::motion(&request.input, &request.reading)?;
    let forces = request.forces.as_deref().map(|name| forces(name, request, &read.clip)).transpose()?;
    let bar = Bar::start("drawing");
    let (bytes, report) = draw(request, &read.clip, forces, &mut |share| bar.step(share))
        .map_err(|error| Failure::of_job(&request.input, &error))?;
    drop(bar);
    files::write(&request.output, &bytes)?;
    if json {
        output::json(&report);
    } else {
        output::note(&format!("{} → {}: {} kB", report.input, report.output, report.bytes.div_ceil(1000)));
    }
    Ok(ExitCode::SUCCESS)
}

/// The report of a reaction, with the motion that was followed where it can still be found.
fn forces(name: &str, request: &Request, clip: &Clip) -> Result<Forces, Failure> {
    let bytes = files::bytes(name)?;
    let refused = |error: ugoki_verbs::Error| Failure::of_job(name, &error);
    let report = ForceReport::from_json(&String::from_utf8_lossy(&bytes)).map_err(refused)?;
    report.check(clip).map_err(refused)?;
    if !report.output.is_empty() && files::stem(&report.output) != files::stem(&request.input) {
        output::note(&format!("{name} tells of {}, not of {}", report.output, request.input));
    }
    let target = match &request.target {
        Some(target) => Some(files::motion(target, &request.reading)?.clip),
        None if report.input == "-" => None,
        None => match files::motion(&report.input, &request.reading) {
            Ok(read) => Some(read.clip),
            Err(_) => {
                output::note(&format!(
                    "{}: not found, drawn without the target; name it with --target",
                    report.input
                ));
                None
            }
        },
    };
    Ok(report.forces(clip, target))
}
