//! `ugoki stream` and `ugoki record`

use std::process::ExitCode;
use std::time::{Duration, Instant};

use ugoki::clip::{Clip, UpAxis};
use ugoki::formats::{self, WriteOptions};
use ugoki::live::encode_frame;
use ugoki_db::default_skeleton;
use ugoki_studio::live::{Receiver, Recorder, Sender, wait_until};
use ugoki_verbs::stream::{Record, RecordReport, Stream, StreamReport};

use super::{reading, say};
use crate::failure::Failure;
use crate::interrupt::stopped;
use crate::{files, live, output};

/// Plays a motion as a live stream for tools that listen to the VMC protocol
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ugoki stream dance.bvh --output vmc:127.0.0.1:39539 --loop")]
pub(super) struct StreamWords {
    /// Motion file, or - for standard input
    input: String,

    /// Where to: vmc:HOST:PORT, or vmc:PORT on this machine
    #[arg(long, value_name = "vmc:HOST:PORT")]
    output: String,

    /// Begin again at the end, until Ctrl-C
    #[arg(long = "loop")]
    repeat: bool,

    #[command(flatten)]
    reading: reading::Words,
}

/// Keeps a live stream of the VMC protocol as a motion file
///
/// Ends with Ctrl-C, after --seconds, or when the sender has been silent for --silence seconds.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ugoki record --input vmc:39539 -o take.bvh --seconds 30")]
pub(super) struct RecordWords {
    /// Where from: vmc:PORT on this machine, or vmc:HOST:PORT to listen on the network
    #[arg(long, value_name = "vmc:PORT")]
    input: String,

    /// Motion file to write
    #[arg(short, long, value_name = "FILE")]
    output: String,

    /// Frames per second of the file
    #[arg(long, default_value_t = 60.0)]
    fps: f64,

    /// Stop after so many seconds of motion
    #[arg(long)]
    seconds: Option<f64>,

    /// Stop when nothing came for so many seconds, counted from the first frame
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    silence: f64,

    /// Hold packets back so long that those which come in disorder are put in order
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=2000))]
    buffer: u32,
}

impl StreamWords {
    pub(super) fn request(&self) -> Stream {
        Stream {
            input: self.input.clone(),
            output: self.output.clone(),
            repeat: self.repeat,
            reading: self.reading.reading(),
        }
    }
}

impl RecordWords {
    pub(super) fn request(&self) -> Record {
        Record {
            input: self.input.clone(),
            output: self.output.clone(),
            fps: self.fps,
            seconds: self.seconds,
            silence: self.silence,
            buffer_ms: self.buffer,
        }
    }
}

pub(super) fn stream(request: &Stream, json: bool) -> Result<ExitCode, Failure> {
    let to = live::place("--output", &request.output)?;
    let read = files::motion(&request.input, &request.reading)?;
    let clip = live::in_t_pose(&read.clip, &request.input)?;
    let sender = Sender::open(to).map_err(|error| Failure::of_file(&request.output, &error))?;
    let frames = clip.motion_frames();
    let start = Instant::now();
    let mut sent = 0;
    'playing: loop {
        for frame in frames.clone() {
            let due = Duration::from_secs_f64(sent as f64 / clip.fps());
            if !wait_until(start + due, &stopped) {
                break 'playing;
            }
            let packets = encode_frame(clip.skeleton(), &clip.pose(frame), due.as_secs_f32());
            sender.send(&packets).map_err(|error| Failure::of_file(&request.output, &error))?;
            sent += 1;
        }
        if !request.repeat || frames.is_empty() {
            break;
        }
    }
    let report = StreamReport {
        input: request.input.clone(),
        output: request.output.clone(),
        frames: sent,
        seconds: start.elapsed().as_secs_f64(),
    };
    say(&report, json);
    Ok(ExitCode::from(u8::from(sent == 0)))
}

pub(super) fn record(request: &Record, json: bool) -> Result<ExitCode, Failure> {
    files::check_output(&request.output, json)?;
    live::check_rate(request.fps)?;
    let from = live::place("--input", &request.input)?;
    let delay = Duration::from_millis(u64::from(request.buffer_ms));
    let receiver =
        Receiver::open_buffered(from, delay).map_err(|error| live::taken(&request.input, &error))?;
    output::note(&format!("listening at {}; Ctrl-C ends the recording", receiver.address()));
    let mut recorder = Recorder::default();
    let mut start: Option<Instant> = None;
    let mut heard = Instant::now();
    while !stopped() {
        if let Some(arrived) = receiver.next(Duration::from_millis(100)) {
            let begun = *start.get_or_insert(arrived.at);
            heard = arrived.at;
            let seconds = arrived.at.duration_since(begun).as_secs_f64();
            if !recorder.push(seconds, arrived.frame) {
                output::note("an hour is full; what comes now is not kept");
                break;
            }
            if request.seconds.is_some_and(|most| seconds >= most) {
                break;
            }
        } else if start.is_some() && heard.elapsed().as_secs_f64() > request.silence {
            break;
        }
    }
    let stream = receiver.counts().0;
    let clip = recorder
        .clip(request.fps, &default_skeleton())
        .map_err(|error| Failure::advised(&error.to_string()))?;
    write(&request.output, &clip)?;
    let report = RecordReport {
        input: request.input.clone(),
        output: request.output.clone(),
        frames: clip.num_frames(),
        seconds: clip.seconds(),
        stream,
        losses: recorder.losses(),
    };
    say(&report, json);
    Ok(ExitCode::SUCCESS)
}

/// Writes a motion that came from no file: Y up, in the format's usual unit. What Ctrl-C ended is still written.
pub(super) fn write(name: &str, clip: &Clip) -> Result<(), Failure> {
    let format = files::format_to_write(name)?;
    let options = WriteOptions {
        up: Some(UpAxis::Y),
        unit_metres: Some(format.usual_unit_metres()),
        ..WriteOptions::default()
    };
    let written = formats::write(clip, format, &options, &mut |_| std::ops::ControlFlow::Continue(()))
        .map_err(|error| Failure::of_writing(name, &error))?;
    for finding in &written.findings {
        output::note(&format!("{name}: {} [{}]", finding.message, finding.code));
    }
    files::write_always(name, &written.bytes)
}

/// The skeleton of the database is the one that streams have.
#[cfg(test)]
mod tests {
    use ugoki::skeleton::is_t_pose;
    use ugoki_db::default_skeleton;

    #[test]
    fn streams_are_in_t_pose() {
        let skeleton = default_skeleton();
        assert!(is_t_pose(&skeleton, &skeleton.rest_positions()));
    }
}
