//! `record`: keeps a live stream as a clip.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::clip::Clip;
use ugoki::formats::{Format, WriteOptions};
use ugoki::live::Counts;
use ugoki::live::sockets::Recorder;
use ugoki::live::{LiveConfig, LiveEvent, run_live};
use ugoki::perform::Loss;
use ugoki::skeleton::Skeleton;
use ugoki::{Progress, no_progress};
use ugoki_db::default_skeleton;

use crate::losses::write_losses;
use crate::{Error, Host, Verb, live};

/// Keeps a live stream of the VMC protocol as a motion file
///
/// Ends with Ctrl-C, after --seconds, or when the sender has been silent for --silence seconds. Every half second is written to the
/// disk at once: a BVH that was cut off by a crash opens with what came until then; next to a file of another format there is
/// FILE.part.bvh meanwhile.
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
        host.check_writable(&self.output)?;
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
        let mut journal = host.journal(&self.output).map(Journal::new);
        let config = LiveConfig { silence_s: self.silence, ..LiveConfig::default() };
        run_live(&receiver, config, &mut |event| {
            let LiveEvent::Item(arrived, seconds) = event else { return Ok(live::tick(progress)) };
            if !recorder.push(seconds, arrived.frame) {
                host.note("one hour is recorded; later frames are not kept");
                return Ok(ControlFlow::Break(()));
            }
            if let Some(journal) = &mut journal {
                journal.keep(&recorder, seconds, self.fps, host);
            }
            let is_over = self.seconds.is_some_and(|most| seconds >= most);
            Ok::<_, Error>(if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        let stream = receiver.counts().0;
        let clip = recorder.clip(self.fps, &default_skeleton())?;
        host.write_recording(&self.output, &clip)?;
        if let Some(journal) = journal.filter(|journal| journal.frames > 0 && journal.name != self.output) {
            host.remove(&journal.name)?;
        }
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

/// Time between two writings of the journal, seconds: with what one takes, less than a second is lost.
const JOURNAL_S: f64 = 0.5;
/// What a BVH has before its number of frames.
const FRAMES: &[u8] = b"Frames: ";
/// Digits of that number in a journal, so that it can be overwritten.
const DIGITS: usize = 8;

/// A recording on disk while it goes on: BVH that grows by rows.
struct Journal {
    name: String,
    /// Bones of its body, by role.
    bones: Vec<bool>,
    skeleton: Option<Arc<Skeleton>>,
    /// Its text before the rows, and where in it the number of frames is.
    header: Vec<u8>,
    count_at: usize,
    /// Frames written.
    frames: usize,
    /// When it is written next; never again after it failed.
    due: f64,
}

impl Journal {
    fn new(name: String) -> Self {
        let (bones, header) = (Vec::new(), Vec::new());
        Self { name, bones, skeleton: None, header, count_at: 0, frames: 0, due: 0.0 }
    }

    /// Writes what came since the last time, when it is time.
    fn keep(&mut self, recorder: &Recorder, seconds: f64, fps: f64, host: &mut dyn Host) {
        if seconds < self.due {
            return;
        }
        self.due = seconds + JOURNAL_S;
        if let Err(error) = self.write(recorder, fps, host) {
            self.due = f64::INFINITY;
            host.note(&format!("{}: what is recorded is only kept in memory: {error}", self.name));
        }
    }

    fn write(&mut self, recorder: &Recorder, fps: f64, host: &mut dyn Host) -> Result<(), Error> {
        let is_same_body = recorder.bones().eq(self.bones.iter().copied());
        let skeleton = match self.skeleton.clone().filter(|_| is_same_body) {
            Some(skeleton) => skeleton,
            // The body is not known yet, or has more bones than it had.
            None => {
                let Ok(skeleton) = recorder.skeleton(&default_skeleton()) else { return Ok(()) };
                (self.bones, self.frames) = (recorder.bones().collect(), 0);
                self.skeleton.insert(skeleton).clone()
            }
        };
        let clip = recorder.newest(&skeleton, fps, self.frames)?;
        if clip.num_frames() == 0 {
            return Ok(());
        }
        let (header, count_at, rows) = bvh_parts(&clip)?;
        let frames = self.frames + clip.num_frames();
        let count = format!("{frames:<DIGITS$}");
        if self.frames > 0 && header == self.header {
            host.append_journal(&self.name, &rows, self.count_at as u64, count.as_bytes())?;
        } else {
            let (rows, frames) = match self.frames {
                0 => (rows, frames),
                _ => {
                    let all = recorder.newest(&skeleton, fps, 0)?;
                    (bvh_parts(&all)?.2, all.num_frames())
                }
            };
            (self.header, self.count_at) = (header, count_at);
            let mut file = self.header.clone();
            file[count_at..count_at + DIGITS].copy_from_slice(format!("{frames:<DIGITS$}").as_bytes());
            file.extend(rows);
            host.begin_journal(&self.name, &file)?;
        }
        self.frames = frames;
        Ok(())
    }
}

/// A clip as BVH: the text up to the rows with room for the number of frames, where that is, and the rows.
fn bvh_parts(clip: &Clip) -> Result<(Vec<u8>, usize, Vec<u8>), Error> {
    let options = WriteOptions::usual(Format::Bvh);
    let bytes = ugoki::formats::write(clip, Format::Bvh, &options, &mut no_progress())?.bytes;
    let after = |from: usize, what: &[u8]| {
        let found = bytes[from..].windows(what.len()).position(|part| part == what);
        found.map(|at| from + at + what.len())
    };
    let count_at = after(0, b"MOTION").and_then(|at| after(at, FRAMES)).unwrap_or(bytes.len());
    let count_end = after(count_at, b"\n").unwrap_or(bytes.len());
    let rows_at = after(count_end, b"\n").unwrap_or(bytes.len());
    let room = [b' '; DIGITS];
    let header = [&bytes[..count_at], &room[..], b"\n", &bytes[count_end..rows_at]].concat();
    Ok((header, count_at, bytes[rows_at..].to_vec()))
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
