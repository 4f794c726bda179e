//! `perform run` with a live input or output.

use std::ops::ControlFlow;
use std::time::Instant;

use ugoki::Progress;
use ugoki::formats::bvh::RowReader;
use ugoki::live::sockets::{Sender, reaches};
use ugoki::live::{Assembler, LineSource, LiveConfig, LiveEvent, StreamFrame, run_live, send_clip};
use ugoki::perform::RunConfig;
use ugoki::perform::live::LivePerformance;
use ugoki_db::default_skeleton;
use ugoki_files::FileFault;

use super::{Run, RunReport};
use crate::error::InFile as _;
use crate::motion_verb::Job;
use crate::{Error, Host, live, stem};

/// Frames per second of a recording, and of a performer before the first frames arrive: what VMC senders use.
const LIVE_FPS: f64 = 60.0;
/// A live performance to a file ends when nothing arrived for so long, seconds.
const SILENCE_S: f64 = 5.0;

impl Run {
    /// A performance in a file, sent live at its own pace.
    pub(super) fn send_performance(
        &self,
        config: RunConfig,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<RunReport, Error> {
        let to = live::address("--output", &self.output, host)?;
        let mut job = Job { input: &self.input, output: &self.output, host, progress };
        let (clip, _, report) = self.perform_file(config, &mut job)?;
        let Job { host, progress, .. } = job;
        let clip = live::in_t_pose(clip, &self.model, host, progress)?;
        let sender = live::open_sender(&self.output, to)?;
        send_clip(&sender, &clip, 0..clip.num_frames(), false, &mut || live::tick(progress))
            .map_err(|error| Error::Socket(error).in_file(&self.output))?;
        Ok(report)
    }

    /// A live performance, sent on or written to a file, until the user stops; to a file also until the sender is silent.
    pub(super) fn perform_stream(
        &self,
        config: RunConfig,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<RunReport, Error> {
        let from = live::address("--input", &self.input, host)?;
        let sender = if live::is_live(&self.output) {
            let to = live::address("--output", &self.output, host)?;
            if reaches(to, from) {
                let message = format!("{} is the address that the performance is received at", self.output);
                return Err(Error::option("--output", message)
                    .hint("send to another port, or what is sent is performed again"));
            }
            Some(live::open_sender(&self.output, to)?)
        } else {
            host.check_outputs(&[&self.model], &[&self.output])?;
            host.check_format(&self.output)?;
            None
        };
        let silence_s = if sender.is_some() { f64::INFINITY } else { SILENCE_S };
        let mut session = Session::open(self, sender, config, host)?;
        let receiver = live::open_receiver(&self.input, from, self.buffer_ms)?;
        host.note(&format!("listening at {}; Ctrl-C ends it", receiver.address()));
        let mut two_bodies = false;
        run_live(&receiver, LiveConfig { silence_s, ..LiveConfig::default() }, &mut |event| {
            let LiveEvent::Item(arrived, seconds) = event else { return Ok(live::tick(progress)) };
            if !two_bodies && receiver.counts().0.other_bodies > 0 {
                two_bodies = true;
                host.note("two programs send a body; the one that sends more of it is performed");
            }
            session.perform(&arrived.frame, seconds, arrived.at, host)
        })?;
        let (counts, dropped) = receiver.counts();
        host.note(&format!(
            "{} frames received; {} unusable packets or messages, {} late, {} restarts of the sender, {dropped} dropped, \
             {} unusable frames, {} of another program's body",
            counts.frames,
            counts.refused,
            counts.reordered,
            counts.restarts,
            session.performance.unusable(),
            counts.other_bodies
        ));
        session.finish(host)
    }

    /// Rows of a BVH on standard input, performed and sent as they come.
    pub(super) fn perform_rows(
        &self,
        config: RunConfig,
        host: &mut dyn Host,
        progress: Progress<'_>,
    ) -> Result<RunReport, Error> {
        let to = live::address("--output", &self.output, host)?;
        let sender = live::open_sender(&self.output, to)?;
        let mut session = Session::open(self, Some(sender), config, host)?;
        let lines = LineSource::open(host.lines(&self.input)?);
        let (mut rows, mut assembler) = (RowReader::new(self.reading.options()), Assembler::default());
        let mut number = 0_u32;
        run_live(lines, LiveConfig::default(), &mut |event| {
            let LiveEvent::Item(line, _) = event else { return Ok(live::tick(progress)) };
            let arrived = Instant::now();
            let line = line.map_err(|error| FileFault::Unreadable(error).in_file(&self.input))?;
            let row = rows.line(&line).in_file(&self.input)?;
            let Some(row) = row else { return Ok(ControlFlow::Continue(())) };
            let seconds = f64::from(number) / row.clip.fps();
            number += 1;
            let pose = row.clip.pose(0);
            match assembler.pose(row.clip.skeleton(), &pose, seconds as f32, &|role| row.has(role)) {
                Some(frame) => session.perform(&frame, seconds, arrived, host),
                None => Ok(ControlFlow::Continue(())),
            }
        })?;
        if !rows.has_header() {
            return Err(Error::refused(
                "frames on standard input are BVH, a hierarchy and then a row per frame",
            )
            .hint("give other formats as a file: --input FILE")
            .in_file(&self.input));
        }
        host.note(&format!("{number} rows received"));
        if rows.num_refused() > 0 {
            host.note(&format!("{} more rows are too short or not numbers; not used", rows.num_refused()));
        }
        session.finish(host)
    }
}

/// A running live performance with the socket that the actor is sent through; to a file if none.
struct Session<'a> {
    run: &'a Run,
    sender: Option<Sender>,
    performance: LivePerformance,
}

impl<'a> Session<'a> {
    fn open(
        run: &'a Run,
        sender: Option<Sender>,
        config: RunConfig,
        host: &mut dyn Host,
    ) -> Result<Self, Error> {
        let model = host.model(&run.model)?;
        let performance =
            LivePerformance::build(model, &default_skeleton(), LIVE_FPS, config, sender.is_none())
                .map_err(|error| Error::refused(error.to_string()).in_file(&run.model))?;
        Ok(Self { run, sender, performance })
    }

    /// Takes a frame of the performer and sends or keeps the actor's; breaks when a file is full.
    fn perform(
        &mut self,
        frame: &StreamFrame,
        seconds: f64,
        arrived: Instant,
        host: &mut dyn Host,
    ) -> Result<ControlFlow<()>, Error> {
        let step = self.performance.frame(frame, seconds);
        if let Some(sender) = &self.sender {
            sender.send(&step.packets).map_err(|error| Error::Socket(error).in_file(&self.run.output))?;
            if frame.moved {
                self.performance.add_delay(arrived.elapsed());
            }
        }
        step.notes.iter().for_each(|note| host.note(&note.to_string()));
        Ok(if step.is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Writes the file, if there is one, and reports.
    fn finish(self, host: &mut dyn Host) -> Result<RunReport, Error> {
        let Run { input, output, .. } = self.run;
        if let Some([median, p99]) = self.performance.delays_ms() {
            host.note(&format!("from in to out: median {median:.3} ms, 99 % within {p99:.3} ms"));
        }
        let [reported, unreported] = self.performance.num_frames();
        if reported == 0 {
            let error = match input.as_str() {
                "-" => Error::refused(
                    "nothing of the body is seen in any row: its numbers are lost or not finite",
                )
                .hint("record it again"),
                _ => Error::refused("no frame of a body came")
                    .hint("start the sender and let it send to this port"),
            };
            return Err(error.in_file(input));
        }
        if unreported > 0 {
            host.note(&format!("the first {reported} frames are reported; {unreported} came after them"));
        }
        let clip = self.performance.clip(LIVE_FPS).in_file(output)?;
        if let Some(mut clip) = clip {
            clip.name = stem(output);
            host.write_recording(output, &clip)?;
            host.note(&format!("{output}: {} frames, {LIVE_FPS} per second", clip.num_frames()));
        }
        let (input, output) = (input.clone(), output.clone());
        Ok(RunReport { input, output, performance: self.performance.finish() })
    }
}
