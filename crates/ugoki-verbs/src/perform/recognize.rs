//! `perform recognize`

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::perform::{RecognizedClip, recognize_clip};

use super::Recognition;
use crate::error::InFile as _;
use crate::losses::{joint_gaps, write_losses};
use crate::words::plural;
use crate::{Error, Host, Reading, Report, Stream, Verb};

/// Says which motion a performance is, frame by frame
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki perform recognize moves.ugoki --input take.bvh --method paper")]
pub struct Recognize {
    /// Model that `learn` wrote; moves.ugoki#kick for one motion of it
    pub model: String,

    /// Performance: a motion file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub input: String,

    /// How pieces are recognised.
    #[command(flatten)]
    #[serde(flatten)]
    pub recognition: Recognition,

    /// How to read the performance.
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: Reading,
}

/// Which motions a performance is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecognizeReport {
    /// The performance as named.
    pub input: String,
    /// Frames, changes of motion and joints that were not seen.
    #[serde(flatten)]
    pub recognized: RecognizedClip,
}

impl Verb for Recognize {
    type Report = RecognizeReport;

    const ACTIVITY: &'static str = "recognising";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<RecognizeReport, Error> {
        let model = host.model(&self.model)?;
        let read = host.motion(&self.input, &self.reading)?;
        let gaps = joint_gaps(&read.marks.gaps);
        let recognized = (self.recognition.config())
            .and_then(|config| Ok(recognize_clip(&model, &read.clip, &gaps, config, progress)?))
            .in_file(&self.input)?;
        Ok(RecognizeReport { input: self.input.clone(), recognized })
    }
}

impl Report for RecognizeReport {
    const STREAM: Stream = Stream::Result;
}

impl fmt::Display for RecognizeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RecognizedClip { frames, switches, losses } = &self.recognized;
        let count = frames.len();
        write!(f, "{}: {count} {}", self.input, plural(count, "frame"))?;
        let name = |motion: Option<&str>| motion.unwrap_or("nothing that was learned").to_owned();
        if let Some(first) = frames.first() {
            write!(f, "\n  {:>7.2} s  {}", first.t, name(first.known_motion()))?;
        }
        for switch in switches {
            write!(f, "\n  {:>7.2} s  {}", switch.t, name(switch.to.as_deref()))?;
        }
        write_losses(f, losses, "continued without")
    }
}
