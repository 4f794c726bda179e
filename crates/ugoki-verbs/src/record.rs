//! `record`: keeps a live stream as a clip.

use std::fmt;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;
use ugoki::live::Counts;
use ugoki::live::sockets::Recorder;
use ugoki::live::{LiveConfig, LiveEvent, run_live};
use ugoki::perform::Loss;
use ugoki_db::default_skeleton;

use crate::losses::write_losses;
use crate::{Error, Host, Verb, live};

/// Keeps a live stream of the VMC protocol as a motion file
///
/// Ends with Ctrl-C, after --seconds, or when the sender has been silent for --silence seconds.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Example:\n  ugoki record --input vmc:39539 -o take.bvh --seconds 30")]
pub struct Record {
    /// Where from: vmc:PORT on this machine, or vmc:HOST:PORT to listen on the network
    #[arg(long, value_name = "vmc:PORT")]
    pub input: String,

    /// Motion file to write
    #[arg(short, long, value_name = "FILE")]
    pub output: String,

    /// Frames per second of the result
    #[arg(long, default_value_t = 60.0, allow_negative_numbers = true)]
    pub fps: f64,

    /// Stop after so many seconds of motion
    #[arg(long, allow_negative_numbers = true)]
    pub seconds: Option<f64>,

    /// Stop when nothing came for so many seconds, counted from the first frame
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, allow_negative_numbers = true)]
    pub silence: f64,

    /// Hold packets back for so long, to put those that arrive out of order into order
    #[arg(long = "buffer", value_name = "MILLISECONDS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=live::MAX_BUFFER_MS))]
    pub buffer_ms: u32,
}

/// What was received.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Where it came from.
    pub input: String,
    /// The file written.
    pub output: String,
    /// Frames of the file.
    pub frames: usize,
    /// Length of the file, seconds.
    pub seconds: f64,
    /// Packets and frames of the stream.
    pub stream: Counts,
    /// Joints that did not come for a while; the file has them filled in.
    pub losses: Vec<Loss>,
}

impl Verb for Record {
    type Report = Report;

    const ACTIVITY: &'static str = "recording";

    fn run(&self, host: &mut dyn Host, progress: Progress<'_>) -> Result<Report, Error> {
        host.check_outputs(&[], &[&self.output])?;
        host.check_format(&self.output)?;
        if !(self.fps.is_finite() && self.fps > 0.0 && self.fps <= 1000.0) {
            return Err(Error::option("--fps", format!("{} frames per second are not possible", self.fps))
                .hint("use a rate up to 1000"));
        }
        for (option, seconds) in [("--seconds", self.seconds), ("--silence", Some(self.silence))] {
            if let Some(seconds) = seconds.filter(|seconds| !(seconds.is_finite() && *seconds >= 0.0)) {
                return Err(Error::option(option, format!("{seconds} s is not a length of time"))
                    .hint("give 0 or more seconds"));
            }
        }
        let from = live::address("--input", &self.input, host)?;
        let receiver = live::open_receiver(&self.input, from, self.buffer_ms)?;
        host.note(&format!("listening at {}; Ctrl-C ends the recording", receiver.address()));
        let mut recorder = Recorder::default();
        let config = LiveConfig { silence_s: self.silence, ..LiveConfig::default() };
        run_live(&receiver, config, &mut |event| {
            let LiveEvent::Item(arrived, seconds) = event else { return Ok(live::tick(progress)) };
            if !recorder.push(seconds, arrived.frame) {
                host.note("one hour is recorded; later frames are not kept");
                return Ok(ControlFlow::Break(()));
            }
            let is_over = self.seconds.is_some_and(|most| seconds >= most);
            Ok::<_, Error>(if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        let stream = receiver.counts().0;
        let clip = recorder.clip(self.fps, &default_skeleton())?;
        host.write_recording(&self.output, &clip)?;
        Ok(Report {
            input: self.input.clone(),
            output: self.output.clone(),
            frames: clip.num_frames(),
            seconds: clip.seconds(),
            stream,
            losses: recorder.losses(),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, output, frames, seconds, stream, losses } = self;
        write!(f, "{input} → {output}: {frames} frames, {seconds:.2} s")?;
        if stream.refused + stream.reordered + stream.restarts > 0 {
            write!(
                f,
                "\n  {} unusable packets or messages, {} late, {} restarts of the sender",
                stream.refused, stream.reordered, stream.restarts
            )?;
        }
        if stream.other_bodies > 0 {
            write!(f, "\n  {} frames of a body came from another program; not used", stream.other_bodies)?;
        }
        write_losses(f, losses, "filled in")
    }
}

impl crate::Report for Report {}
