//! `ugoki perform run` where a side is live.

use std::cmp::Ordering;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ugoki::live::{StreamFrame, encode_frame};
use ugoki::perform::Frame;
use ugoki::skeleton::Role;
use ugoki_db::default_skeleton;
use ugoki_studio::live::{Proxy, Receiver, Sender, TimedPoses, wait_until};
use ugoki_verbs::losses::{LossChange, Losses};
use ugoki_verbs::perform::{Run, RunFrame, RunReport, run as play};

use super::{perform_rows, say, stream};
use crate::failure::Failure;
use crate::interrupt::stopped;
use crate::{files, live, models, output};

/// Rate of a file and what a live performer is taken to have until frames come, per second: what VMC senders use.
pub(super) const LIVE_FPS: f64 = 60.0;
/// Frames that are reported, delays that are kept: an hour. A performance that is sent on goes on after it.
const MOST: usize = 216_000;
/// Losses and their ends that are told while a performance goes on.
const MOST_NOTES: usize = 50;
/// A live performance written to a file ends when nothing came for so long.
const SILENCE: Duration = Duration::from_secs(5);

pub(super) fn run(request: &Run, json: bool) -> Result<ExitCode, Failure> {
    match request.input.as_str() {
        "-" => perform_rows::run(request, json),
        input if live::is_live(input) => from_stream(request, json),
        _ => from_file(request, json),
    }
}

/// A performance in a file, sent live at its own pace.
fn from_file(request: &Run, json: bool) -> Result<ExitCode, Failure> {
    let to = live::place("--output", &request.output)?;
    let model = models::read(&request.model)?;
    let read = files::motion(&request.input, &request.reading)?;
    super::tell_findings(&request.input, &read.findings);
    let go_on = &mut |_| std::ops::ControlFlow::Continue(());
    let (clip, report) = play(request, &model, &read.clip, &read.marks.gaps, go_on)
        .map_err(|error| Failure::of_job(&request.input, &error))?;
    let clip = live::in_t_pose(&clip, &request.model)?;
    let sender = Sender::open(to).map_err(|error| Failure::of_file(&request.output, &error))?;
    let start = Instant::now();
    for frame in 0..clip.num_frames() {
        let due = Duration::from_secs_f64(frame as f64 / clip.fps());
        if !wait_until(start + due, &stopped) {
            break;
        }
        let packets = encode_frame(clip.skeleton(), &clip.pose(frame), due.as_secs_f32());
        sender.send(&packets).map_err(|error| Failure::of_file(&request.output, &error))?;
    }
    say(&report, json);
    Ok(ExitCode::SUCCESS)
}

/// A live performance, sent on or written down, until Ctrl-C; to a file also until the sender falls silent.
fn from_stream(request: &Run, json: bool) -> Result<ExitCode, Failure> {
    let from = live::place("--input", &request.input)?;
    let sender = match live::is_live(&request.output) {
        true => {
            let to = live::place("--output", &request.output)?;
            if live::reaches(to, from) {
                let found = format!("--output: {} is where the performance is listened for", request.output);
                return Err(
                    Failure::new(found).hint("send to another port, or what is sent is performed again")
                );
            }
            Some(Sender::open(to).map_err(|error| Failure::of_file(&request.output, &error))?)
        }
        false => {
            files::check_output(&request.output, json)?;
            None
        }
    };
    let model = models::read(&request.model)?;
    let refused = |error: ugoki_studio::live::ProxyError| Failure::of_file(&request.model, &error);
    let mut proxy =
        Proxy::build(model, &default_skeleton(), LIVE_FPS, request.recognition).map_err(refused)?;
    let delay = Duration::from_millis(u64::from(request.buffer_ms));
    let receiver =
        Receiver::open_buffered(from, delay).map_err(|error| live::taken(&request.input, &error))?;
    output::note(&format!("listening at {}; Ctrl-C ends it", receiver.address()));
    let mut told = Told::default();
    let mut start: Option<Instant> = None;
    let mut heard = Instant::now();
    let mut two_bodies = false;
    while !stopped() {
        let Some(arrived) = receiver.next(Duration::from_millis(100)) else {
            if sender.is_none() && start.is_some() && heard.elapsed() > SILENCE {
                break;
            }
            continue;
        };
        heard = arrived.at;
        let t = arrived.at.duration_since(*start.get_or_insert(arrived.at)).as_secs_f64();
        let (packets, found) = proxy.frame(&arrived.frame, t);
        if let Some(sender) = &sender {
            sender.send(&packets).map_err(|error| Failure::of_file(&request.output, &error))?;
            if arrived.frame.moved {
                told.delayed(arrived.at.elapsed());
            }
        }
        if !two_bodies && receiver.counts().0.other_bodies > 0 {
            two_bodies = true;
            output::note("two programs send a body; the one that sends more of it is performed");
        }
        if !told.take(&proxy, &arrived.frame, found, sender.is_none()) {
            output::note("an hour is full; the performance ends here");
            break;
        }
    }
    let (counts, dropped) = receiver.counts();
    output::note(&format!(
        "{} frames came; {} packets or messages of no use, {} late, {} new starts, {dropped} not taken in time, {} bodies of no use, {} of another program's body",
        counts.frames,
        counts.refused,
        counts.reordered,
        counts.restarts,
        proxy.unusable(),
        counts.other_bodies
    ));
    told.finish(request, &proxy, json)
}

/// What a live performance leaves.
pub(super) struct Told {
    /// Frames that are reported at most.
    most: usize,
    frames: Vec<RunFrame>,
    /// Frames after those that are reported.
    more: usize,
    poses: TimedPoses,
    delays_ms: Vec<f64>,
    delays: usize,
    lost: usize,
    /// How many of them came before anything was seen.
    lost_first: usize,
    mirrored: usize,
    missing: Vec<Role>,
    losses: Losses,
    /// How often a loss or its end was told.
    told_losses: usize,
    /// Whether a body came that cannot be used.
    unusable: bool,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            most: MOST,
            frames: Vec::new(),
            more: 0,
            poses: TimedPoses::default(),
            delays_ms: Vec::new(),
            delays: 0,
            lost: 0,
            lost_first: 0,
            mirrored: 0,
            missing: Vec::new(),
            losses: Losses::default(),
            told_losses: 0,
            unusable: false,
        }
    }
}

impl Told {
    pub(super) fn delayed(&mut self, delay: Duration) {
        let ms = delay.as_secs_f64() * 1000.0;
        match self.delays_ms.get_mut(self.delays % self.most) {
            Some(place) => *place = ms,
            None => self.delays_ms.push(ms),
        }
        self.delays += 1;
    }

    /// Takes what was done with a frame; `false` when a file has no more room.
    pub(super) fn take(
        &mut self,
        proxy: &Proxy,
        frame: &StreamFrame,
        found: Option<Frame>,
        to_file: bool,
    ) -> bool {
        if self.missing != proxy.missing() {
            self.missing = proxy.missing().to_vec();
            let names: Vec<&str> = self.missing.iter().map(|role| role.name()).collect();
            match names.is_empty() {
                true => output::note("the performer has all the model's joints"),
                false => output::note(&format!("the performer has no {}; done without", names.join(", "))),
            }
        }
        if proxy.unusable() > 0 && !self.unusable {
            self.unusable = true;
            output::note("a body came without hips or any joint of the model; it is waited for");
        }
        let t = proxy.time().unwrap_or(0.0);
        let change = self.losses.take(t, proxy.lost());
        self.tell_losses(t, &change);
        let Some(found) = found else {
            self.lost += usize::from(frame.moved || proxy.held());
            self.lost_first += usize::from(frame.moved && self.frames.is_empty());
            return !(to_file && proxy.held()) || self.poses.push(t, proxy.pose());
        };
        self.mirrored += usize::from(found.mirrored);
        match self.frames.len() < self.most {
            true => self.frames.push(RunFrame::of(proxy.model(), &found, t)),
            false => self.more += 1,
        }
        !to_file || self.poses.push(t, proxy.pose())
    }

    /// Says what is no more seen and what is seen again, until that has been said too often.
    fn tell_losses(&mut self, t: f64, change: &LossChange) {
        let names = |roles: &[Role]| roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ");
        let mut lines = Vec::new();
        if !change.lost.is_empty() {
            lines.push(format!("{t:.2} s: no more seen, done without: {}", names(&change.lost)));
        }
        if !change.back.is_empty() {
            lines.push(format!("{t:.2} s: seen again: {}", names(&change.back)));
        }
        for line in lines {
            self.told_losses += 1;
            match self.told_losses.cmp(&MOST_NOTES) {
                Ordering::Less => output::note(&line),
                Ordering::Equal => output::note(&format!("{line}; more of this is in the report only")),
                Ordering::Greater => {}
            }
        }
    }

    pub(super) fn finish(self, request: &Run, proxy: &Proxy, json: bool) -> Result<ExitCode, Failure> {
        if let (Some(median), Some(p99)) = (quantile(&self.delays_ms, 0.5), quantile(&self.delays_ms, 0.99)) {
            output::note(&format!("from in to out: median {median:.3} ms, 99 % within {p99:.3} ms"));
        }
        if self.frames.is_empty() {
            if request.input == "-" {
                let found = "nothing of the body is seen in any row: its numbers are lost or not finite";
                return Err(Failure::of_file("-", &found).hint("record it again"));
            }
            return Err(Failure::of_file(&request.input, &"no frame of a body came")
                .hint("start the sender and let it send to this port"));
        }
        if self.more > 0 {
            output::note(&format!(
                "the first {} frames are reported; {} came after them",
                self.most, self.more
            ));
        }
        if self.poses.num_poses() > 0 {
            let mut clip = self
                .poses
                .clip(proxy.skeleton(), LIVE_FPS)
                .map_err(|error| Failure::of_file(&request.output, &error))?;
            clip.name = files::stem(&request.output);
            stream::write(&request.output, &clip)?;
            let count = clip.num_frames();
            output::note(&format!("{}: {count} frames, {LIVE_FPS} per second", request.output));
        }
        let report = RunReport {
            input: request.input.clone(),
            output: request.output.clone(),
            frames: self.frames,
            lost: self.lost,
            lost_first: self.lost_first,
            missing: self.missing.iter().map(|role| role.name().to_owned()).collect(),
            losses: self.losses.finish(),
            mirrored: self.mirrored,
        };
        say(&report, json);
        Ok(ExitCode::SUCCESS)
    }
}

fn quantile(values: &[f64], p: f64) -> Option<f64> {
    ugoki::math::quantile(values, p)
}

#[cfg(test)]
mod tests {
    use ugoki::live::Assembler;
    use ugoki::perform::{Imitation, LearnConfig, RunConfig, learn};
    use ugoki::sample;

    use super::*;

    #[test]
    fn a_performance_that_is_sent_on_outlives_what_is_kept_of_it() {
        let clip = sample::clip("punch").expect("a sample motion");
        let imitation = Imitation { actor: &clip, performer: &clip };
        let go_on = &mut |_| std::ops::ControlFlow::Continue(());
        let (model, _) = learn(&[imitation], &LearnConfig::default(), go_on).expect("a model");
        let mut proxy =
            Proxy::build(model, &default_skeleton(), LIVE_FPS, RunConfig::default()).expect("a proxy");
        // An hour, fast forward: room for 50 frames instead of 216 000.
        let mut told = Told { most: 50, ..Told::default() };
        let mut assembler = Assembler::default();
        for number in 0..200 {
            let pose = clip.pose(number % clip.num_frames());
            let packets = encode_frame(clip.skeleton(), &pose, number as f32 / 60.0);
            let whole = packets.iter().flat_map(|packet| assembler.packet(packet)).last();
            let frame = assembler.finish().or(whole).expect("a frame");
            let (packets, found) = proxy.frame(&frame, number as f64 / 60.0);
            assert!(!packets.is_empty() && found.is_some(), "frame {number} is sent");
            told.delayed(Duration::from_millis(number as u64));
            assert!(told.take(&proxy, &frame, found, false), "and the performance goes on");
        }
        assert_eq!((told.frames.len(), told.delays_ms.len()), (50, 50));
        assert_eq!(told.frames.len() + told.more, assembler.counts().frames as usize);
        // The newest delays are kept.
        assert!(told.delays_ms.iter().all(|&ms| ms >= 149.0), "{:?}", told.delays_ms);
    }
}
