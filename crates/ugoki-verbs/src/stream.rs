//! `stream`: plays a clip as a live stream.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::live::send_clip;
use ugoki::signal::{OneEuroConfig, OneEuroReport, one_euro};

use crate::{Error, Host, Outcome, Reading, Verb, live};

/// Plays a motion as a live stream for tools that listen to the VMC protocol
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki stream dance.bvh --output vmc:127.0.0.1:39539 --loop")]
pub struct Stream {
    /// Motion file, or - for standard input
    pub input: String,

    /// Where to: vmc:HOST:PORT, or vmc:PORT on this machine
    #[arg(short, long, value_name = "vmc:HOST:PORT")]
    pub output: String,

    /// Begin again at the end, until Ctrl-C
    #[arg(long = "loop")]
    pub repeat: bool,

    /// Smooth as a One-Euro filter does live: cut-off at rest, and its rise per radian per second, in hertz, such as 1,0.5
    #[arg(long, value_name = "CUTOFF_HZ,BETA")]
    #[schemars(with = "Option<String>")]
    pub one_euro: Option<OneEuroConfig>,

    /// How to read the input.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// What was sent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The motion as named.
    pub input: String,
    /// Where it went.
    pub output: String,
    /// Frames sent.
    pub frames: usize,
    /// How long it took, seconds.
    pub seconds: f64,
    /// What smoothing did.
    pub smoothed: Option<OneEuroReport>,
}

impl Verb for Stream {
    type Report = Report;

    const ACTIVITY: &'static str = "streaming";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Report, Error> {
        let to = live::address("--output", &self.output, host)?;
        let read = host.motion(&self.input, &self.reading)?;
        let (clip, smoothed) = match &self.one_euro {
            Some(config) => {
                let (clip, report) = one_euro(&read.clip, config, false, progress)?;
                (clip, Some(report))
            }
            None => (read.clip, None),
        };
        let clip = live::in_t_pose(clip, &self.input, host, progress)?;
        let sender = live::open_sender(&self.output, to)?;
        let sent = send_clip(&sender, &clip, clip.motion_frames(), self.repeat, &mut || live::tick(progress))
            .map_err(|error| Error::Socket(error).in_file(&self.output))?;
        let (input, output) = (self.input.clone(), self.output.clone());
        Ok(Report { input, output, frames: sent.frames, seconds: sent.seconds, smoothed })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, output, frames, seconds, smoothed } = self;
        write!(f, "{input} → {output}: {frames} frames in {seconds:.2} s")?;
        smoothed.iter().try_for_each(|smoothed| write!(f, "\n{smoothed}"))
    }
}

impl crate::Report for Report {
    fn outcome(&self) -> Outcome {
        if self.frames == 0 { Outcome::NothingFound } else { Outcome::Done }
    }
}
