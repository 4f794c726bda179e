//! `perform run` with a live input or output.

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ugoki::Progress;
use ugoki::live::StreamFrame;
use ugoki::live::sockets::{Sender, TimedPoses};
use ugoki::live::{LiveConfig, LiveEvent, run_live, send_clip};
use ugoki::math::quantile;
use ugoki::perform::{Frame, LossChange, LossTracker, Model, RunConfig};
use ugoki::skeleton::Role;
use ugoki_db::default_skeleton;

use super::Proxy;
use super::{Run, RunFrame, RunReport};
use crate::record::unrecorded;
use crate::{Error, Host, live, stem};

/// Frames per second of a recording, and of a performer before the first frames arrive: what VMC senders use.
const LIVE_FPS: f64 = 60.0;
/// Most frames that are reported and delays that are kept: an hour. A performance that is sent on continues after it.
const MAX_FRAMES: usize = 216_000;
/// Most notes about tracking during a performance.
const MAX_NOTES: usize = 50;
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
        let (clip, _, report) = self.perform_file(config, host, progress)?;
        let clip = live::in_t_pose(clip, &self.model, host, progress)?;
        let sender = live::open_sender(&self.output, to)?;
        send_clip(&sender, &clip, 0..clip.num_frames(), false, &mut || live::tick(progress))
            .map_err(|error| live::unsent(&self.output, &error))?;
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
            if live::reaches(to, from) {
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
        let mut performance = LivePerformance::new(self, sender, host.model(&self.model)?, config)?;
        let receiver = live::open_receiver(&self.input, from, self.buffer_ms)?;
        host.note(&format!("listening at {}; Ctrl-C ends it", receiver.address()));
        let mut two_bodies = false;
        run_live(&receiver, LiveConfig { silence_s, ..LiveConfig::default() }, &mut |event| {
            let LiveEvent::Item(arrived, seconds) = event else { return Ok(live::tick(progress)) };
            if !two_bodies && receiver.counts().0.other_bodies > 0 {
                two_bodies = true;
                host.note("two programs send a body; the one that sends more of it is performed");
            }
            performance.perform(&arrived.frame, seconds, arrived.at, host)
        })?;
        let (counts, dropped) = receiver.counts();
        host.note(&format!(
            "{} frames received; {} unusable packets or messages, {} late, {} restarts of the sender, {dropped} dropped, \
             {} unusable frames, {} of another program's body",
            counts.frames,
            counts.refused,
            counts.reordered,
            counts.restarts,
            performance.proxy.unusable(),
            counts.other_bodies
        ));
        performance.finish(host)
    }
}

/// A running live performance, and what is known of it so far.
pub(super) struct LivePerformance<'a> {
    run: &'a Run,
    proxy: Proxy,
    /// Where the actor goes; to a file if none.
    sender: Option<Sender>,
    max_frames: usize,
    frames: Vec<RunFrame>,
    /// Frames after those that are reported.
    unreported: usize,
    poses: TimedPoses,
    /// From arrival to sending; the newest ones.
    delays_ms: Vec<f64>,
    num_delays: usize,
    lost: usize,
    /// How many of them came before anything was seen.
    lost_first: usize,
    mirrored: usize,
    missing: Vec<Role>,
    losses: LossTracker,
    num_loss_notes: usize,
    has_unusable: bool,
}

impl<'a> LivePerformance<'a> {
    pub(super) fn new(
        run: &'a Run,
        sender: Option<Sender>,
        model: Arc<Model>,
        config: RunConfig,
    ) -> Result<Self, Error> {
        let proxy = Proxy::build(model, &default_skeleton(), LIVE_FPS, config)
            .map_err(|error| Error::refused(error.to_string()).in_file(&run.model))?;
        Ok(Self {
            run,
            proxy,
            sender,
            max_frames: MAX_FRAMES,
            frames: Vec::new(),
            unreported: 0,
            poses: TimedPoses::default(),
            delays_ms: Vec::new(),
            num_delays: 0,
            lost: 0,
            lost_first: 0,
            mirrored: 0,
            missing: Vec::new(),
            losses: LossTracker::default(),
            num_loss_notes: 0,
            has_unusable: false,
        })
    }

    /// Takes a frame of the performer and sends or keeps the actor's; breaks when a file is full.
    pub(super) fn perform(
        &mut self,
        frame: &StreamFrame,
        seconds: f64,
        arrived: Instant,
        host: &mut dyn Host,
    ) -> Result<ControlFlow<()>, Error> {
        let (packets, found) = self.proxy.frame(frame, seconds);
        if let Some(sender) = &self.sender {
            sender.send(&packets).map_err(|error| live::unsent(&self.run.output, &error))?;
            if frame.moved {
                self.add_delay(arrived.elapsed());
            }
        }
        Ok(self.add(frame, found, host))
    }

    fn add_delay(&mut self, delay: Duration) {
        let ms = delay.as_secs_f64() * 1000.0;
        match self.delays_ms.get_mut(self.num_delays % self.max_frames) {
            Some(oldest) => *oldest = ms,
            None => self.delays_ms.push(ms),
        }
        self.num_delays += 1;
    }

    /// Keeps what was done with a frame.
    fn add(&mut self, frame: &StreamFrame, found: Option<Frame>, host: &mut dyn Host) -> ControlFlow<()> {
        if self.missing != self.proxy.missing() {
            self.missing = self.proxy.missing().to_vec();
            match self.missing.is_empty() {
                true => host.note("the performer has all the model's joints"),
                false => {
                    host.note(&format!("the performer has no {}; continuing without", names(&self.missing)));
                }
            }
        }
        if self.proxy.unusable() > 0 && !self.has_unusable {
            self.has_unusable = true;
            host.note("a body came without hips or any joint of the model; waiting for them");
        }
        let t = self.proxy.time().unwrap_or(0.0);
        let change = self.losses.update(t, self.proxy.lost());
        self.note_losses(t, &change, host);
        let is_shown = match found {
            Some(found) => {
                self.mirrored += usize::from(found.mirrored);
                match self.frames.len() < self.max_frames {
                    true => self.frames.push(RunFrame::new(self.proxy.model(), &found, t)),
                    false => self.unreported += 1,
                }
                true
            }
            None => {
                self.lost += usize::from(frame.moved || self.proxy.held());
                self.lost_first += usize::from(frame.moved && self.frames.is_empty());
                self.proxy.held()
            }
        };
        if self.sender.is_none() && is_shown && !self.poses.push(t, self.proxy.pose()) {
            host.note("one hour is recorded; the performance ends here");
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Notes which joints are lost and which are seen again, up to a number of notes.
    fn note_losses(&mut self, t: f64, change: &LossChange, host: &mut dyn Host) {
        let lost = (!change.lost.is_empty())
            .then(|| format!("{t:.2} s: tracking lost for {}; continuing without", names(&change.lost)));
        let back =
            (!change.back.is_empty()).then(|| format!("{t:.2} s: seen again: {}", names(&change.back)));
        for line in lost.into_iter().chain(back) {
            self.num_loss_notes += 1;
            match self.num_loss_notes.cmp(&MAX_NOTES) {
                Ordering::Less => host.note(&line),
                Ordering::Equal => host.note(&format!("{line}; more of this is in the report only")),
                Ordering::Greater => {}
            }
        }
    }

    /// Writes the file, if there is one, and reports.
    pub(super) fn finish(self, host: &mut dyn Host) -> Result<RunReport, Error> {
        let Run { input, output, .. } = self.run;
        if let (Some(median), Some(p99)) = (quantile(&self.delays_ms, 0.5), quantile(&self.delays_ms, 0.99)) {
            host.note(&format!("from in to out: median {median:.3} ms, 99 % within {p99:.3} ms"));
        }
        if self.frames.is_empty() {
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
        if self.unreported > 0 {
            host.note(&format!(
                "the first {} frames are reported; {} came after them",
                self.max_frames, self.unreported
            ));
        }
        if self.poses.num_poses() > 0 {
            let clip = self.poses.clip(self.proxy.skeleton(), LIVE_FPS);
            let mut clip = clip.map_err(|error| unrecorded(error).in_file(output))?;
            clip.name = stem(output);
            host.write_recording(output, &clip)?;
            host.note(&format!("{output}: {} frames, {LIVE_FPS} per second", clip.num_frames()));
        }
        Ok(RunReport {
            input: input.clone(),
            output: output.clone(),
            frames: self.frames,
            lost: self.lost,
            lost_first: self.lost_first,
            missing: self.missing.iter().map(|role| role.name().to_owned()).collect(),
            losses: self.losses.finish(),
            mirrored: self.mirrored,
        })
    }
}

fn names(roles: &[Role]) -> String {
    roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use clap::{Args as _, Command, FromArgMatches as _};
    use ugoki::live::{Assembler, encode_frame};
    use ugoki::perform::{Imitation, LearnConfig, learn};
    use ugoki::sample;

    use super::*;
    use crate::FileHost;

    #[test]
    fn a_performance_that_is_sent_on_continues_when_the_report_is_full() {
        let clip = sample::clip("punch").unwrap();
        let imitation = Imitation { actor: &clip, performer: &clip };
        let go_on = &mut |_| ControlFlow::Continue(());
        let (model, _) = learn(&[imitation], &LearnConfig::default(), go_on).unwrap();
        let words = ["run", "m.ugoki", "--input=vmc:39540", "--output=vmc:39541"];
        let matches = Run::augment_args(Command::new("run")).get_matches_from(words);
        let run = Run::from_arg_matches(&matches).unwrap();
        let (note, stopped) = (&mut |_: &str| {}, &|| false);
        let host = &mut FileHost::new(note, stopped);
        let sender = Sender::open((Ipv4Addr::LOCALHOST, 9).into()).unwrap();
        let performance =
            LivePerformance::new(&run, Some(sender), model.into(), RunConfig::default()).unwrap();
        // An hour, fast forward: room for 50 frames instead of 216 000.
        let mut performance = LivePerformance { max_frames: 50, ..performance };
        let mut assembler = Assembler::default();
        for number in 0..200 {
            let pose = clip.pose(number % clip.num_frames());
            let packets = encode_frame(clip.skeleton(), &pose, number as f32 / 60.0);
            let whole = packets.iter().flat_map(|packet| assembler.packet(packet)).last();
            let frame = assembler.finish().or(whole).expect("a frame");
            let (packets, found) = performance.proxy.frame(&frame, number as f64 / 60.0);
            assert!(!packets.is_empty() && found.is_some(), "frame {number} is sent");
            performance.add_delay(Duration::from_millis(number as u64));
            assert!(performance.add(&frame, found, host).is_continue());
        }
        assert_eq!((performance.frames.len(), performance.delays_ms.len()), (50, 50));
        assert_eq!(50 + performance.unreported, assembler.counts().frames as usize);
        // The newest delays are kept.
        assert!(performance.delays_ms.iter().all(|&ms| ms >= 149.0), "{:?}", performance.delays_ms);
    }
}
