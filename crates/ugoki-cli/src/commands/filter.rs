//! `ugoki filter`

use std::process::ExitCode;

use clap::ValueEnum;
use ugoki::clip::UpAxis;
use ugoki::formats::{self, Format, ReadMarkers, WriteOptions};
use ugoki::signal::{Edge, FilterConfig, KernelShape, Method};
use ugoki_verbs::filter::{Request, run as smooth, run_markers as smooth_markers};

use super::{one_clip, reading, say, tell_findings};
use crate::failure::Failure;
use crate::files;
use crate::interrupt::Bar;

/// Removes jitter from rotations and paths, without the artefacts of smoothing angles or quaternions
///
/// Markers in a C3D or TRC file stay markers when the output is a TRC file.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki filter noisy.bvh clean.bvh --kernel gauss:2.5\n  \
                        ugoki filter noisy.bvh clean.bvh --despike --kernel savgol:11,3\n  \
                        ugoki filter session.c3d clean.trc --kernel gauss:2")]
pub(super) struct Words {
    /// Motion file, or - for standard input
    input: String,

    /// File to write, or - for standard output
    output: String,

    /// box:TAPS, gauss:SIGMA_FRAMES, binomial:TAPS, savgol:TAPS,DEGREE or taps:W,W,W
    #[arg(long)]
    kernel: Option<KernelShape>,

    /// How rotations are combined; the raw ones show what goes wrong without care for signs
    #[arg(long, value_enum, default_value = "exact")]
    method: MethodWord,

    /// What happens where the kernel reaches over an end
    #[arg(long, value_enum, default_value = "reflect")]
    edge: EdgeWord,

    /// First remove glitches of up to a tenth of a second, and say which
    #[arg(long)]
    despike: bool,

    #[command(flatten)]
    reading: reading::Words,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodWord {
    Exact,
    Expmap,
    Qlerp,
    Leeshin,
    QlerpRaw,
    LogRaw,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EdgeWord {
    Copy,
    Reflect,
    Clamp,
    Truncate,
}

impl Words {
    pub(super) fn request(&self) -> Request {
        let method = match self.method {
            MethodWord::Exact => Method::Exact,
            MethodWord::Expmap => Method::Expmap,
            MethodWord::Qlerp => Method::Qlerp,
            MethodWord::Leeshin => Method::Leeshin,
            MethodWord::QlerpRaw => Method::QlerpRaw,
            MethodWord::LogRaw => Method::LogRaw,
        };
        let edge = match self.edge {
            EdgeWord::Copy => Edge::Copy,
            EdgeWord::Reflect => Edge::Reflect,
            EdgeWord::Clamp => Edge::Clamp,
            EdgeWord::Truncate => Edge::Truncate,
        };
        Request {
            input: self.input.clone(),
            output: self.output.clone(),
            kernel: self.kernel.clone(),
            config: FilterConfig { method, edge },
            despike: self.despike,
            reading: self.reading.reading(),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    // Points go to points, whether or not a body could be solved from them.
    if files::extension(&request.output).as_deref() == Some("trc")
        && let Some(read) = files::markers(&request.input, &request.reading)?
    {
        return markers(request, &read, json);
    }
    one_clip(&request.input, &request.output, &request.reading, json, "filtering", |clip, progress| {
        smooth(request, clip, progress)
    })
}

fn markers(request: &Request, read: &ReadMarkers, json: bool) -> Result<ExitCode, Failure> {
    let bar = Bar::start("filtering");
    let (points, report) = smooth_markers(request, &read.markers, &mut |share| bar.step(share))
        .map_err(|error| Failure::of_job(&request.input, &error))?;
    drop(bar);
    tell_findings(&request.input, &read.findings);
    // As in the file where the format stays, else as is usual.
    let same = read.format == Format::Trc;
    let unit = if same { read.unit_metres } else { Format::Trc.usual_unit_metres() };
    let up = if same { read.up } else { UpAxis::Y };
    let options = WriteOptions { up: Some(up), unit_metres: Some(unit), ..WriteOptions::default() };
    let written = formats::write_markers(&points, Format::Trc, &options)
        .map_err(|error| Failure::of_writing(&request.output, &error))?;
    tell_findings(&request.output, &written.findings);
    files::write(&request.output, &written.bytes)?;
    say(&report, json);
    Ok(ExitCode::SUCCESS)
}
