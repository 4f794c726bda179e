//! `ugoki segment`

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use ugoki::segment::{GivenGroup, SegmentConfig};
use ugoki_verbs::losses::lines;
use ugoki_verbs::segment::{Request, run as cut};

use super::reading;
use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::{files, output};

/// Cuts a long take into simple movements, each from rest over one peak of speed to rest
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ugoki segment take.bvh -o pieces/\n  ugoki segment take.bvh --plot cuts.svg --rest 0.3"
)]
pub(super) struct Words {
    /// Motion file, or - for standard input
    input: String,

    /// Folder to write one clip per piece into; made if missing
    #[arg(short, long, value_name = "DIR")]
    output: Option<String>,

    /// Draw speeds, bells and cuts
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<String>,

    /// A movement begins and ends below this share of its greatest speed
    #[arg(long, default_value_t = usual().rest)]
    rest: f64,

    /// Shorter movements are dropped if they are also slower than --peak, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = usual().duration_s)]
    duration: f64,

    /// A gap between movements in which the whole body is still is a rest when it is as long as this, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = usual().pause_s)]
    pause: f64,

    /// See --duration, metres per second
    #[arg(long, value_name = "M/S", default_value_t = usual().peak_m_s)]
    peak: f64,

    /// Slower movements are always dropped, metres per second
    #[arg(long, value_name = "M/S", default_value_t = usual().quiet_m_s)]
    quiet: f64,

    /// Longer movements are dropped, seconds
    #[arg(long, value_name = "SECONDS")]
    max: Option<f64>,

    /// Cuts nearer to each other than this become one, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = usual().merge_s)]
    merge: f64,

    /// Width of the moving average over positions, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = usual().smooth_s)]
    smooth: f64,

    /// A rigid group whose speed is looked at, instead of those by role: bat=rightHand,rightLowerArm; may be given several
    /// times
    #[arg(long = "group", value_name = "NAME=ROLE,…")]
    groups: Vec<GivenGroup>,

    #[command(flatten)]
    reading: reading::Words,
}

fn usual() -> SegmentConfig {
    SegmentConfig::default()
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request {
            input: self.input.clone(),
            output: self.output.clone(),
            plot: self.plot.clone(),
            config: SegmentConfig {
                rest: self.rest,
                duration_s: self.duration,
                pause_s: self.pause,
                peak_m_s: self.peak,
                quiet_m_s: self.quiet,
                longest_s: self.max,
                merge_s: self.merge,
                smooth_s: self.smooth,
                groups: self.groups.clone(),
            },
            reading: self.reading.reading(),
        }
    }
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    let read = files::motion(&request.input, &request.reading)?;
    let bar = Bar::start("cutting");
    let mut done = cut(request, &read.clip, &read.marks.gaps, &mut |share| bar.step(share))
        .map_err(|error| Failure::of_job(&request.input, &error))?;
    drop(bar);
    for line in lines(&done.report.losses, "taken to stand still") {
        output::note(&format!("{}: {line}", request.input));
    }
    if let Some(folder) = &request.output {
        if Path::new(folder).is_file() {
            return Err(Failure::of_file(folder, &"is a file; pieces are written into a folder")
                .hint("name a folder: -o pieces/"));
        }
        fs::create_dir_all(folder).map_err(|error| Failure::of_file(folder, &files::plain(&error)))?;
        // Pieces stay in the format they came in where that is written.
        let ending = if read.format.is_written() { read.format.extension() } else { "bvh" };
        for (clip, piece) in done.clips.iter().zip(&mut done.report.pieces) {
            let file = Path::new(folder).join(format!("{}.{ending}", clip.name));
            let file = file.to_string_lossy().into_owned();
            files::write_motion(&file, clip, &read)?;
            piece.file = Some(file);
        }
    }
    if let (Some(file), Some(plot)) = (&request.plot, &done.plot) {
        files::write(file, plot.as_bytes())?;
    }
    output::report(&done.report, json);
    // A take in which nothing moves has no movements.
    let found = done.report.pieces.iter().any(|piece| piece.group.is_some());
    Ok(ExitCode::from(u8::from(!found)))
}
