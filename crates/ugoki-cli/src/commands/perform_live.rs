//! `ugoki perform run` where a side is live.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use ugoki::clip::Clip;
use ugoki::job::perform::{Run, RunFrame, RunReport, run as play};
use ugoki::live::encode_frame;
use ugoki::pose::Pose;
use ugoki_db::default_skeleton;
use ugoki_studio::live::{Proxy, Receiver, Sender, wait_until};

use super::{say, stream};
use crate::failure::Failure;
use crate::interrupt::stopped;
use crate::{files, live, models, output};

/// Rate that a live performer is taken to have, frames per second: what VMC senders use.
const LIVE_FPS: f64 = 60.0;
/// Frames that are reported and, to a file, written: an hour.
const MOST: usize = 216_000;
/// A live performance written to a file ends when nothing came for so long.
const SILENCE: Duration = Duration::from_secs(5);

pub(super) fn run(request: &Run, json: bool) -> Result<ExitCode, Failure> {
    if live::is_live(&request.input) { from_stream(request, json) } else { from_file(request, json) }
}

/// A performance in a file, sent live at its own pace.
fn from_file(request: &Run, json: bool) -> Result<ExitCode, Failure> {
    let to = live::place("--output", &request.output)?;
    let model = models::read(&request.model)?;
    let read = files::motion(&request.input, &request.reading)?;
    let (clip, report) = play(request, &model, &read.clip, &mut |_| std::ops::ControlFlow::Continue(()))
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
    let sender = match live::is_live(&request.output) {
        true => {
            let to = live::place("--output", &request.output)?;
            Some(Sender::open(to).map_err(|error| Failure::of_file(&request.output, &error))?)
        }
        false => {
            files::check_output(&request.output, json)?;
            None
        }
    };
    let from = live::place("--input", &request.input)?;
    let model = models::read(&request.model)?;
    let refused = |error: ugoki_studio::live::ProxyError| Failure::of_file(&request.model, &error);
    let mut proxy =
        Proxy::build(model, &default_skeleton(), LIVE_FPS, request.recognition).map_err(refused)?;
    let receiver = Receiver::open(from).map_err(|error| live::taken(&request.input, &error))?;
    output::note(&format!("listening at {}; Ctrl-C ends it", receiver.address()));
    let mut told = Told::default();
    let mut start: Option<Instant> = None;
    let mut heard = Instant::now();
    while !stopped() {
        let Some(arrived) = receiver.next(Duration::from_millis(100)) else {
            if sender.is_none() && start.is_some() && heard.elapsed() > SILENCE {
                break;
            }
            continue;
        };
        heard = arrived.at;
        let t = arrived.at.duration_since(*start.get_or_insert(arrived.at)).as_secs_f64();
        let (packets, found) = proxy.frame(&arrived.frame, t as f32).map_err(refused)?;
        if let Some(sender) = &sender {
            sender.send(&packets).map_err(|error| Failure::of_file(&request.output, &error))?;
            if arrived.frame.moved {
                told.delays_ms.push(arrived.at.elapsed().as_secs_f64() * 1000.0);
            }
        }
        if let Some(frame) = found {
            let motion = &proxy.model().motions[frame.motion];
            told.frames.push(RunFrame {
                t,
                motion: motion.name().to_owned(),
                piece: motion.pieces[frame.piece].name.clone(),
                estimate: frame.estimate,
                actor_frame: frame.actor_frame,
                confidence: frame.confidence,
            });
            if sender.is_none() {
                told.poses.push(proxy.pose().clone());
            }
        } else if arrived.frame.moved {
            told.lost += 1;
        }
        if told.frames.len() >= MOST {
            output::note("an hour is full; the performance ends here");
            break;
        }
    }
    told.finish(request, &proxy, &receiver, json)
}

/// What a live performance leaves.
#[derive(Default)]
struct Told {
    frames: Vec<RunFrame>,
    poses: Vec<Pose>,
    delays_ms: Vec<f64>,
    lost: usize,
}

impl Told {
    fn finish(
        self,
        request: &Run,
        proxy: &Proxy,
        receiver: &Receiver,
        json: bool,
    ) -> Result<ExitCode, Failure> {
        let (counts, dropped) = receiver.counts();
        output::note(&format!(
            "{} frames came; {} packets or messages of no use, {} late, {} new starts, {dropped} not taken in time",
            counts.frames, counts.refused, counts.reordered, counts.restarts
        ));
        if let (Some(median), Some(p99)) = (quantile(&self.delays_ms, 0.5), quantile(&self.delays_ms, 0.99)) {
            output::note(&format!("from in to out: median {median:.3} ms, 99 % within {p99:.3} ms"));
        }
        if self.frames.is_empty() {
            return Err(Failure::of_file(&request.input, &"no frame of a body came")
                .hint("start the sender and let it send to this port"));
        }
        if !self.poses.is_empty() {
            let rate = |e| Failure::of_file(&request.output, &e);
            let mut clip = Clip::from_poses(proxy.skeleton().clone(), LIVE_FPS, &self.poses)
                .map_err(|e: ugoki::clip::ClipError| rate(e))?;
            clip.name = files::stem(&request.output);
            stream::write(&request.output, &clip)?;
        }
        let report = RunReport {
            input: request.input.clone(),
            output: request.output.clone(),
            frames: self.frames,
            lost: self.lost,
        };
        say(&report, json);
        Ok(ExitCode::SUCCESS)
    }
}

fn quantile(values: &[f64], p: f64) -> Option<f64> {
    ugoki::math::quantile(values, p)
}
