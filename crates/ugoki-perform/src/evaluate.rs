//! How well motions are followed when the truth is known: the same motion on other bones, slower, faster, smaller, shaken, with
//! a pause, and all of it together.

use std::fmt;

use glam::{Quat, Vec3};
use serde::Serialize;
use ugoki_base::clip::{Clip, ClipError};
use ugoki_base::math::{Random, quantile};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton, SkeletonError};
use ugoki_base::{Progress, report};
use ugoki_motion::segment::{BodyPoints, Observer};

use crate::amplitude::{Base, with_amplitude};
use crate::{Model, PerformError, RunConfig, Runner};

/// A frame is right when what is shown is this near to the performer's time, seconds.
pub const RIGHT_S: f64 = 0.1;
/// What is shown jumps when its time changes by this much more or less than the performer's, seconds.
pub const JUMP_S: f64 = 0.2;
/// Mean speed of the points, leg lengths per second, from which a performer moves.
const MOVING: f32 = 0.1;
/// Standard deviation of every joint's rotation vector in the noisy performances, radians: 1.5 cm at a hand.
const NOISE_RAD: f64 = 0.02;
/// Length of the pause in the middle, seconds.
const PAUSE_S: f64 = 1.0;
/// Period with which the rate goes from 0.6 to 1.5 and back when everything is together, seconds.
const WARP_S: f64 = 4.0;
const SEED: u64 = 23;

/// How a performance differs from the actor's motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Other bones alone; all others have them too.
    Unchanged,
    /// At 0.6 of the rate.
    Slow,
    /// At 1.5 times the rate.
    Fast,
    /// A pause of a second in the middle.
    Pause,
    /// At 60 % of the amplitude, about the mean pose.
    Amplitude60,
    /// At 40 %.
    Amplitude40,
    /// At 60 % about the first pose.
    First60,
    /// At 40 % about the first pose.
    First40,
    /// Joints that shake by 0.02 rad.
    Noise,
    /// A rate that goes from 0.6 to 1.5 and back, 60 % of the amplitude, noise and a pause.
    All,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Change {
    /// Every change.
    pub const ALL: [Self; 10] = [
        Self::Unchanged,
        Self::Slow,
        Self::Fast,
        Self::Pause,
        Self::Amplitude60,
        Self::Amplitude40,
        Self::First60,
        Self::First40,
        Self::Noise,
        Self::All,
    ];

    /// `amplitude-60`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Slow => "slow",
            Self::Fast => "fast",
            Self::Pause => "pause",
            Self::Amplitude60 => "amplitude-60",
            Self::Amplitude40 => "amplitude-40",
            Self::First60 => "first-60",
            Self::First40 => "first-40",
            Self::Noise => "noise",
            Self::All => "all",
        }
    }
}

/// A performance whose truth is known.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The performance.
    pub clip: Clip,
    /// For every frame the actor's time, seconds from the first frame of the motion.
    pub truth: Vec<f64>,
    /// Frames in which the performer moves.
    pub moving: Vec<bool>,
}

/// Lengths of bones by role, as multiples: short legs, long arms, a longer trunk.
fn on_other_bones(clip: &Clip) -> Result<Clip, ClipError> {
    let factor = |role: Role| match role.name() {
        name if name.contains("Leg") || name.contains("Foot") || name.contains("Toes") => 0.85,
        name if name.contains("Arm") || name.contains("Hand") => 1.15,
        _ => 1.1,
    };
    let joints = clip.skeleton().joints().iter().map(|joint| {
        let mut joint = joint.clone();
        joint.offset *= joint.role.map_or(1.0, factor);
        joint
    });
    let skeleton =
        Skeleton::build(joints.collect()).map_err(|_: SkeletonError| ClipError::Rate { fps: clip.fps() });
    let root = clip.root().iter().map(|p| p * 0.85).collect();
    let mut out = Clip::from_tracks(skeleton?, clip.fps(), root, clip.rotations().clone(), Vec::new())?;
    out.name.clone_from(&clip.name);
    Ok(out)
}

/// The motion done with a change.
///
/// # Errors
/// When the clip cannot be put together.
pub fn trial(actor: &Clip, change: Change) -> Result<Trial, ClipError> {
    let frames = actor.motion_frames();
    let (first, fps) = (frames.start as f64, actor.fps());
    let seconds = (frames.len().saturating_sub(1)) as f64 / fps;
    let pause = matches!(change, Change::Pause | Change::All);
    let mut truth = Vec::new();
    let (mut time, mut paused) = (0.0, 0.0);
    while time <= seconds + 1e-9 {
        truth.push(time);
        let rate = match change {
            Change::Slow => 0.6,
            Change::Fast => 1.5,
            Change::All => {
                let phase = (truth.len() as f64 / fps / WARP_S * std::f64::consts::TAU).sin();
                (0.6_f64 * 1.5).sqrt() * (1.5_f64 / 0.6).powf(0.5 * phase)
            }
            _ => 1.0,
        };
        if pause && time >= 0.5 * seconds && paused < PAUSE_S {
            paused += 1.0 / fps;
        } else {
            time += rate / fps;
        }
    }
    let shape = match change {
        Change::Amplitude60 | Change::All => with_amplitude(actor, 0.6, Base::Mean),
        Change::Amplitude40 => with_amplitude(actor, 0.4, Base::Mean),
        Change::First60 => with_amplitude(actor, 0.6, Base::First),
        Change::First40 => with_amplitude(actor, 0.4, Base::First),
        _ => actor.clone(),
    };
    let times: Vec<f64> = truth.iter().map(|t| first + t * fps).collect();
    let mut clip = on_other_bones(&shape.at_frames(&times, fps))?;
    clip.tpose_frame = false;
    if matches!(change, Change::Noise | Change::All) {
        let mut random = Random::new(SEED);
        for frame in 0..clip.num_frames() {
            for joint in 0..clip.num_joints() {
                let mut draw = || (NOISE_RAD * random.normal()) as f32;
                let turn = Quat::from_scaled_axis(Vec3::new(draw(), draw(), draw()));
                clip.set_rotation(joint, frame, (clip.rotation(joint, frame) * turn).normalize());
            }
        }
    }
    clip.name = format!("{}-{}", actor.name, change.name());
    let moving = moving(actor, &truth);
    Ok(Trial { clip, truth, moving })
}

/// Whether the performer moves at each of these times of the actor.
fn moving(actor: &Clip, truth: &[f64]) -> Vec<bool> {
    let Ok(observer) = Observer::build(actor.skeleton()) else { return vec![false; truth.len()] };
    let points = BodyPoints::watch(&observer, actor).scaled(1.0 / observer.leg_metres());
    let (last, fps) = (points.num_frames() - 1, actor.fps());
    let speed = |time: f64| {
        let back = (fps / 15.0).round().max(1.0) as usize;
        let at = ((time * fps).round() as usize).min(last);
        let (from, to) = (at.saturating_sub(back), (at + back).min(last));
        let apart = points.frame(from).iter().zip(points.frame(to)).map(|(a, b)| a.distance(*b));
        apart.sum::<f32>() / points.num_points() as f32 * (fps / (to - from).max(1) as f64) as f32
    };
    let rate = |i: usize| {
        let (from, to) = (i.saturating_sub(1), (i + 1).min(truth.len() - 1));
        ((truth[to] - truth[from]) * fps / (to - from).max(1) as f64) as f32
    };
    (0..truth.len()).map(|i| speed(truth[i]) * rate(i) >= MOVING).collect()
}

/// How well a performance was followed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Score {
    /// Frames in which the performer moves.
    pub moving: usize,
    /// Those in which what is shown is right.
    pub right: usize,
    /// Jumps of what is shown.
    pub jumps: usize,
    /// Length of the performance, seconds.
    pub seconds: f64,
}

impl Score {
    /// Compares the actor's time that is shown, seconds, or that nothing of the motion is, with the truth; what is shown is
    /// `late_s` later on purpose.
    #[must_use]
    pub fn new(trial: &Trial, shown: &[Option<f64>], late_s: f64) -> Self {
        let mut score = Self { seconds: trial.truth.len() as f64 / trial.clip.fps(), ..Self::default() };
        let mut before: Option<(f64, f64)> = None;
        let late = (late_s * trial.clip.fps()).round() as usize;
        let shown = &shown[late.min(shown.len())..];
        for ((truth, moving), shown) in trial.truth.iter().zip(&trial.moving).zip(shown) {
            if *moving && truth.is_finite() {
                score.moving += 1;
                score.right += usize::from(shown.is_some_and(|shown| (shown - truth).abs() <= RIGHT_S));
            }
            if let Some(shown) = *shown {
                let jumped = before.is_some_and(|(t, s)| (shown - s - (truth - t)).abs() > JUMP_S);
                score.jumps += usize::from(jumped);
                before = Some((*truth, shown));
            }
        }
        score
    }

    /// Ratio of moving frames that are right.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.right as f64 / self.moving.max(1) as f64
    }

    /// Jumps per ten seconds.
    #[must_use]
    pub fn jumps_per_10_s(&self) -> f64 {
        10.0 * self.jumps as f64 / self.seconds.max(1e-9)
    }
}

/// How one motion was followed through one change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialScore {
    /// The motion, or the file.
    pub motion: String,
    /// What was changed.
    pub change: Change,
    /// Frames and jumps.
    #[serde(flatten)]
    pub score: Score,
    /// 99th percentile of the acceleration of hands, feet and head as shown, as a multiple of the actor's at the performer's
    /// rate; none of a motion that does not move.
    pub acceleration: Option<f64>,
}

/// How a model is followed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// Every motion and change.
    pub trials: Vec<TrialScore>,
}

/// Runs every change of every motion of the model, or of `input` alone, through the whole model.
///
/// The truth of a motion is its own time. Of an input it is what is shown for the input as it is: a change must not change it.
///
/// # Errors
/// As [`Runner::build`], and when the caller stops.
pub fn evaluate(
    model: &Model,
    input: Option<&Clip>,
    config: RunConfig,
    progress: Progress<'_>,
) -> Result<Evaluation, PerformError> {
    let mut trials = Vec::new();
    let motions: Vec<(usize, &Clip)> = match input {
        Some(input) => vec![(0, input)],
        None => model.motions.iter().map(|motion| motion.clip.as_ref()).enumerate().collect(),
    };
    let count = (motions.len() * Change::ALL.len()) as f32;
    for (number, clip) in motions {
        // What is shown of the input as it is: motion, time, and the pose, at its own rate.
        let plain = input.map(|_| shown(model, clip, config, progress)).transpose()?;
        for change in Change::ALL {
            let done = trials.len() as f32 / count;
            let mut trial = trial(clip, change)?;
            let run = shown(model, &trial.clip, config, &mut |_| progress(done))?;
            let at = |t: f64| (t * clip.fps()).round() as usize;
            let (times, wanted): (Vec<Option<f64>>, Vec<Pose>) = match &plain {
                Some(plain) => {
                    let last = plain.frames.len() - 1;
                    let meant: Vec<usize> = trial.truth.iter().map(|t| at(*t).min(last)).collect();
                    let times =
                        run.frames.iter().zip(&meant).map(|(own, &at)| match (own, plain.frames[at]) {
                            (Some(own), Some(plain)) => (own.0 == plain.0).then_some(own.1),
                            _ => None,
                        });
                    let times = times.collect();
                    for (truth, at) in trial.truth.iter_mut().zip(&meant) {
                        *truth = plain.frames[*at].map_or(f64::NAN, |(_, time)| time);
                    }
                    (times, meant.iter().map(|&at| plain.poses[at].clone()).collect())
                }
                None => {
                    let own = |found: &Option<(usize, f64)>| {
                        found.filter(|(motion, _)| *motion == number).map(|(_, time)| time)
                    };
                    let first = clip.motion_frames().start;
                    let times = run.frames.iter().map(own).collect();
                    // Between frames, as what is shown is.
                    let frames: Vec<f64> =
                        trial.truth.iter().map(|t| first as f64 + t * clip.fps()).collect();
                    let between = clip.at_frames(&frames, clip.fps());
                    let all = (0..between.num_frames()).map(|frame| between.pose(frame)).collect();
                    (times, all)
                }
            };
            let skeleton = model.motions[number.min(model.motions.len() - 1)].clip.skeleton();
            let (own, actor) =
                (acceleration(skeleton, &run.poses, clip.fps()), acceleration(skeleton, &wanted, clip.fps()));
            trials.push(TrialScore {
                motion: clip.name.clone(),
                change,
                score: Score::new(&trial, &times, f64::from(config.lookahead_s)),
                acceleration: own
                    .zip(actor)
                    .filter(|(_, actor)| *actor > 0.0)
                    .map(|(own, actor)| own / actor),
            });
        }
    }
    report(progress, 1.0)?;
    Ok(Evaluation { trials })
}

/// What was shown of a performance.
struct Run {
    /// Motion and time in it, seconds; none where the performer is shown.
    frames: Vec<Option<(usize, f64)>>,
    poses: Vec<Pose>,
}

fn shown(
    model: &Model,
    input: &Clip,
    config: RunConfig,
    progress: Progress<'_>,
) -> Result<Run, PerformError> {
    let mut runner = Runner::build(model, input.skeleton(), input.fps(), config)?;
    let mut run = Run { frames: Vec::new(), poses: Vec::new() };
    let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
    let (mut local, mut body) = (Pose::rest(input.skeleton()), ModelPose::default());
    for frame in input.motion_frames() {
        if frame % 256 == 0 {
            report(progress, 0.0)?;
        }
        input.pose_into(frame, &mut local);
        forward_kinematics_into(input.skeleton(), &local, &mut body);
        let found = runner.step(model, input.skeleton(), &body, &mut pose);
        run.frames.push(found.filter(|found| found.known).map(|found| {
            let clip = &model.motions[found.motion].clip;
            (found.motion, (found.actor_frame - clip.motion_frames().start) as f64 / clip.fps())
        }));
        run.poses.push(pose.clone());
    }
    Ok(run)
}

/// 99th percentile of the accelerations of hands, feet and head seen from the hips, metres per second squared.
fn acceleration(skeleton: &Skeleton, poses: &[Pose], fps: f64) -> Option<f64> {
    let ends = [Role::LeftHand, Role::RightHand, Role::LeftFoot, Role::RightFoot, Role::Head];
    let ends: Vec<usize> = ends.iter().filter_map(|role| skeleton.find(*role)).collect();
    let mut body = ModelPose::default();
    let mut paths: Vec<Vec<Vec3>> = vec![Vec::new(); ends.len()];
    for pose in poses {
        forward_kinematics_into(skeleton, pose, &mut body);
        for (path, &end) in paths.iter_mut().zip(&ends) {
            path.push(body.positions[end] - body.positions[0]);
        }
    }
    let second = |p: &[Vec3]| f64::from((p[2] - 2.0 * p[1] + p[0]).length()) * fps * fps;
    let all: Vec<f64> = paths.iter().flat_map(|path| path.windows(3).map(second)).collect();
    quantile(&all, 0.99)
}

impl Evaluation {
    /// All trials of a change as one, and the motion that was followed worst.
    #[must_use]
    pub fn total(&self, change: Change) -> Option<(Score, &TrialScore)> {
        let own = || self.trials.iter().filter(|trial| trial.change == change && trial.score.moving > 0);
        let worst = own().min_by(|a, b| a.score.ratio().total_cmp(&b.score.ratio()))?;
        let total = own().fold(Score::default(), |sum, trial| Score {
            moving: sum.moving + trial.score.moving,
            right: sum.right + trial.score.right,
            jumps: sum.jumps + trial.score.jumps,
            seconds: sum.seconds + trial.score.seconds,
        });
        Some((total, worst))
    }
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "change         within 0.1 s  jumps per 10 s  acceleration  worst motion")?;
        for change in Change::ALL {
            let Some((total, worst)) = self.total(change) else { continue };
            let own = self.trials.iter().filter(|trial| trial.change == change);
            let acceleration: Vec<f64> = own.filter_map(|trial| trial.acceleration).collect();
            let median = quantile(&acceleration, 0.5).unwrap_or(0.0);
            let (ratio, jumps) = (100.0 * total.ratio(), total.jumps_per_10_s());
            let lowest = 100.0 * worst.score.ratio();
            write!(
                f,
                "\n{change:<14} {ratio:>10.1} % {jumps:>15.2} {median:>13.2}  {lowest:.0} %: {}",
                worst.motion
            )?;
        }
        Ok(())
    }
}
