//! `ugoki render`

use std::process::ExitCode;

use clap::ValueEnum;
use ugoki::job::Span;
use ugoki::job::render::{Request, run as draw};
use ugoki::picture::View;

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
            trim: self.trim,
            reading: self.reading.reading(),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    let read = files::motion(&request.input, &request.reading)?;
    let bar = Bar::start("drawing");
    let (bytes, report) = draw(request, &read.clip, &mut |share| bar.step(share))
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
