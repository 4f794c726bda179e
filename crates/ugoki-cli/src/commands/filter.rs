//! `ugoki filter`

use std::process::ExitCode;

use clap::ValueEnum;
use ugoki::job::filter::{Request, run as smooth};
use ugoki::signal::{Edge, FilterConfig, KernelShape, Method};

use super::{one_clip, reading};
use crate::failure::Failure;

/// Removes jitter from rotations and paths, without the artefacts of smoothing angles or quaternions
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki filter noisy.bvh clean.bvh --kernel gauss:2.5\n  \
                        ugoki filter noisy.bvh clean.bvh --despike --kernel savgol:11,3")]
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
    one_clip(&request.input, &request.output, &request.reading, json, "filtering", |clip, progress| {
        smooth(request, clip, progress)
    })
}
