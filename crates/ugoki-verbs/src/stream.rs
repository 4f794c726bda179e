//! `stream` and `record`: clips as live streams and live streams as clips. The sockets are the caller's.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::losses::{Loss, write_losses};
use super::{Arguments, Reading, reading_arguments};
use ugoki::live::Counts;

/// Ask for a clip to be played as a live stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// The motion file.
    pub input: String,
    /// Where to: `vmc:HOST:PORT`.
    pub output: String,
    /// Whether to begin again at the end, until told to stop.
    #[serde(default)]
    pub repeat: bool,
    /// How to read the file.
    #[serde(default)]
    pub reading: Reading,
}

impl Stream {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        reading_arguments(&self.reading, Arguments::new("stream"))
            .option("output", Some(&self.output))
            .flag("loop", self.repeat)
            .file(&self.input)
            .finish()
    }
}

/// Ask for a live stream to be kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Where from: `vmc:PORT`.
    pub input: String,
    /// The file to write.
    pub output: String,
    /// Frames per second of the file.
    pub fps: f64,
    /// Stop after so many seconds of motion; until told to stop when absent.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// Stop when nothing came for so many seconds.
    pub silence: f64,
    /// Milliseconds by which packets are held back, so that those in disorder are put in order.
    #[serde(default)]
    pub buffer_ms: u32,
}

impl Record {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        Arguments::new("record")
            .option("input", Some(&self.input))
            .option("output", Some(&self.output))
            .option("fps", Some(self.fps))
            .option("seconds", self.seconds)
            .option("silence", Some(self.silence))
            .option("buffer", (self.buffer_ms > 0).then_some(self.buffer_ms))
            .finish()
    }
}

/// What was sent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamReport {
    /// The motion as named.
    pub input: String,
    /// Where it went.
    pub output: String,
    /// Frames sent.
    pub frames: usize,
    /// How long it took, seconds.
    pub seconds: f64,
}

/// What was received.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordReport {
    /// Where it came from.
    pub input: String,
    /// The file written.
    pub output: String,
    /// Frames of the file.
    pub frames: usize,
    /// Length of the file, seconds.
    pub seconds: f64,
    /// What happened to the stream.
    pub stream: Counts,
    /// Joints that did not come for a while; what the file has of them there is filled in.
    pub losses: Vec<Loss>,
}

impl fmt::Display for StreamReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, output, frames, seconds } = self;
        write!(f, "{input} → {output}: {frames} frames in {seconds:.2} s")
    }
}

impl fmt::Display for RecordReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, output, frames, seconds, stream, losses } = self;
        write!(f, "{input} → {output}: {frames} frames, {seconds:.2} s")?;
        if stream.refused + stream.reordered + stream.restarts > 0 {
            write!(
                f,
                "\n  {} packets or messages of no use, {} late, {} new starts of the sender",
                stream.refused, stream.reordered, stream.restarts
            )?;
        }
        if stream.other_bodies > 0 {
            write!(f, "\n  {} frames of a body came from another program; not used", stream.other_bodies)?;
        }
        write_losses(f, losses, "filled in")
    }
}
