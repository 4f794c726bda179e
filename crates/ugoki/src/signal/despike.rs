//! Glitches of one to three frames taken out of rotations and paths before anything is smoothed.
//!
//! A glitch goes out and comes back faster than the body around it moves. With aᵢ the motion left of a gap and
//! bᵢ the motion right of it, a frame inside is a glitch when it lies far from what the left side would go on
//! to, far from what the right side comes from, and far from the way between: fast strokes and hard stops
//! agree with one side at least. "Far" is an acceleration, so the rate of the clip does not matter: above
//! what bodies reach at all, and above a multiple of what this joint does in the fifth of a second around.
//!
//! Rotations are compared as rotation vectors relative to the last good frame, so the frame of reference does
//! not matter either. What is found is replaced by the way between its good neighbours.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::joints::{align_track_signs, for_each_joint};
use crate::clip::{Clip, VectorTrack};
use crate::math::{angle_between64, exp64, log64};
use crate::{Cancelled, Progress};

/// Rounds of finding and mending; each round leaves fewer, and more than three were never needed on captures.
const MAX_ROUNDS: usize = 8;
/// Half the neighbourhood whose accelerations are the measure, seconds: shorter than a stroke.
const AROUND_S: f64 = 0.1;
/// The neighbourhood has at least this many frames on either side, so that a median means something.
const MIN_AROUND: usize = 5;

/// What counts as a glitch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DespikeConfig {
    /// Longest glitch, frames: 1 to 3.
    pub max_frames: usize,
    /// Smallest glitch of a rotation: its height in degrees times the squared rate, degrees per second squared.
    pub rotation_deg_s2: f64,
    /// Smallest glitch of a path: its height in metres times the squared rate, metres per second squared.
    pub path_m_s2: f64,
    /// How many times the median acceleration around it a glitch must reach.
    pub ratio: f64,
}

impl Default for DespikeConfig {
    /// Chosen on captures and checked on others: `docs/results/signal.md`.
    fn default() -> Self {
        Self { max_frames: 3, rotation_deg_s2: 20_000.0, path_m_s2: 100.0, ratio: 6.0 }
    }
}

/// What was mended on one joint.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DespikedJoint {
    /// The joint.
    pub joint: String,
    /// Frames whose rotation was replaced, in order, counted with an added T-pose.
    pub frames: Vec<usize>,
    /// The largest turn, degrees.
    pub largest_deg: f64,
    /// Frames whose position was replaced.
    pub path_frames: Vec<usize>,
    /// The largest shift, metres.
    pub largest_m: f64,
}

/// What was mended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DespikeReport {
    /// Joints with a glitch, in joint order.
    pub joints: Vec<DespikedJoint>,
    /// Frames of motion in which anything changed.
    pub frames_changed: usize,
    /// Joint-frames changed, rotations and positions together.
    pub values_changed: usize,
}

/// A motion without glitches.
#[derive(Debug, Clone, PartialEq)]
pub struct Despiked {
    /// The result; what was no glitch keeps its bits.
    pub clip: Clip,
    /// What was mended.
    pub report: DespikeReport,
}

/// Why glitches cannot be looked for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DespikeError {
    /// A threshold is not usable.
    #[error("{name} is {value}, expected {expected}")]
    Config {
        /// The field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What would do.
        expected: &'static str,
    },
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Replaces glitches of every joint's rotation and of all paths. An added T-pose stays and has no part.
///
/// # Errors
/// When the configuration is not usable or the caller stops.
pub fn despike(
    clip: &Clip,
    config: &DespikeConfig,
    progress: Progress<'_>,
) -> Result<Despiked, DespikeError> {
    check(config)?;
    let motion = clip.motion_frames();
    let square = clip.fps() * clip.fps();
    let mut result = clip.clone();
    let limit = config.rotation_deg_s2.to_radians() / square;
    let turned = for_each_joint(result.rotations_mut(), progress, |joint, mut out| {
        let track = clip.rotations().track(joint).part(motion.clone());
        let mut samples: Vec<DQuat> = (0..track.len()).map(|frame| track.get(frame).as_dquat()).collect();
        let found = mend(&mut samples, clip.fps(), limit, config);
        let [x, y, z, w] = out.each_mut().map(|values| &mut values[motion.clone()]);
        for &frame in &found {
            [x[frame], y[frame], z[frame], w[frame]] = samples[frame].as_quat().normalize().to_array();
        }
        if !found.is_empty() {
            align_track_signs(out);
        }
        let largest = found.iter().map(|&f| angle_between64(samples[f], track.get(f).as_dquat()));
        let largest = largest.fold(0.0, f64::max).to_degrees();
        (found, largest)
    })?;
    let limit = config.path_m_s2 / square;
    let path = |track: &mut VectorTrack| {
        let before: Vec<DVec3> = motion.clone().map(|frame| track.get(frame).as_dvec3()).collect();
        let mut samples = before.clone();
        let found = mend(&mut samples, clip.fps(), limit, config);
        for &frame in &found {
            track.set(motion.start + frame, samples[frame].as_vec3());
        }
        let largest = found.iter().map(|&f| samples[f].distance(before[f])).fold(0.0, f64::max);
        (found, largest)
    };
    let mut shifted = vec![(Vec::new(), 0.0); clip.num_joints()];
    shifted[0] = path(result.root_mut());
    for translation in result.translations_mut() {
        shifted[translation.joint] = path(&mut translation.track);
    }
    let mut changed = vec![false; motion.len()];
    let mut joints = Vec::new();
    for (joint, ((frames, largest_deg), (path_frames, largest_m))) in
        turned.into_iter().zip(shifted).enumerate()
    {
        frames.iter().chain(&path_frames).for_each(|&frame| changed[frame] = true);
        if !frames.is_empty() || !path_frames.is_empty() {
            let counted = |frames: Vec<usize>| frames.into_iter().map(|f| f + motion.start).collect();
            joints.push(DespikedJoint {
                joint: clip.skeleton().joint(joint).name.clone(),
                frames: counted(frames),
                largest_deg,
                path_frames: counted(path_frames),
                largest_m,
            });
        }
    }
    let report = DespikeReport {
        frames_changed: changed.iter().filter(|&&c| c).count(),
        values_changed: joints.iter().map(|j| j.frames.len() + j.path_frames.len()).sum(),
        joints,
    };
    Ok(Despiked { clip: result, report })
}

fn check(config: &DespikeConfig) -> Result<(), DespikeError> {
    if !(1..=3).contains(&config.max_frames) {
        let value = config.max_frames as f64;
        return Err(DespikeError::Config { name: "the longest glitch", value, expected: "1 to 3 frames" });
    }
    let positive = [
        ("the smallest glitch of a rotation", config.rotation_deg_s2, "degrees per second squared above 0"),
        ("the smallest glitch of a path", config.path_m_s2, "metres per second squared above 0"),
        ("the ratio to the motion around", config.ratio, "a number above 0"),
    ];
    for (name, value, expected) in positive {
        if !(value.is_finite() && value > 0.0) {
            return Err(DespikeError::Config { name, value, expected });
        }
    }
    Ok(())
}

/// What glitches are looked for in: rotations, or points.
trait Sample: Copy {
    /// The way from `self` to `other`.
    fn to(self, other: Self) -> DVec3;
    /// `t` of the way from `self` to `other`, the curve going on as `before` and `after` tell.
    fn between(self, other: Self, before: Self, after: Self, t: f64) -> Self;
}

impl Sample for DVec3 {
    fn to(self, other: Self) -> DVec3 {
        other - self
    }
    fn between(self, other: Self, _: Self, _: Self, t: f64) -> Self {
        self.lerp(other, t)
    }
}

impl Sample for DQuat {
    fn to(self, other: Self) -> DVec3 {
        log64(self.conjugate() * other)
    }
    fn between(self, other: Self, _: Self, _: Self, t: f64) -> Self {
        (self * exp64(self.to(other) * t)).normalize()
    }
}

/// Replaces glitches in `samples`; gives their frames in order. `limit` is the smallest height, radians or metres.
fn mend<S: Sample>(samples: &mut [S], fps: f64, limit: f64, config: &DespikeConfig) -> Vec<usize> {
    let n = samples.len();
    let mut found = Vec::new();
    if n < 5 {
        return found;
    }
    let around = ((AROUND_S * fps).round() as usize).max(MIN_AROUND);
    let mut steps: Vec<DVec3> = samples.windows(2).map(|pair| pair[0].to(pair[1])).collect();
    for _ in 0..MAX_ROUNDS {
        let mut candidates: Vec<(f64, usize, usize)> = Vec::new();
        for start in 2..n - 2 {
            for len in 1..=config.max_frames.min(n.saturating_sub(start + 2)) {
                if let Some(height) = height(samples, &steps, start, len, limit) {
                    let usual = usual(&steps, start, len, around);
                    if height > config.ratio * usual {
                        // Of two readings of the same frames the shorter one that explains as much is right.
                        candidates.push((height / len as f64, start, len));
                        break;
                    }
                }
            }
        }
        if candidates.is_empty() {
            break;
        }
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut taken = vec![false; n];
        for (_, start, len) in candidates {
            // Neighbours that were themselves in doubt wait for the next round.
            if taken[start - 2..start + len + 2].contains(&true) {
                continue;
            }
            let (a, b) = (samples[start - 1], samples[start + len]);
            let (before, after) = (samples[start - 2], samples[(start + len + 1).min(n - 1)]);
            for i in 0..len {
                samples[start + i] = a.between(b, before, after, (i + 1) as f64 / (len + 1) as f64);
                taken[start + i] = true;
                found.push(start + i);
            }
            for i in start - 1..start + len {
                steps[i] = samples[i].to(samples[i + 1]);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// How far all of the frames lie from everything that could explain them; nothing when under `limit`.
fn height<S: Sample>(samples: &[S], steps: &[DVec3], start: usize, len: usize, limit: f64) -> Option<f64> {
    let (a, b) = (start - 1, start + len);
    // Both jumps must break with the motion outside: cheap, and rules nearly everything out.
    if (steps[a] - steps[a - 1]).length() < limit || (steps[b - 1] - steps[b]).length() < limit {
        return None;
    }
    let whole = samples[a].to(samples[b]);
    let mut least = f64::INFINITY;
    for i in 1..=len {
        let at = samples[a].to(samples[a + i]);
        let left = steps[a - 1] * i as f64;
        let right = whole - steps[b] * (len + 1 - i) as f64;
        let middle = whole * (i as f64 / (len + 1) as f64);
        least = least.min((at - left).length()).min((at - right).length()).min((at - middle).length());
    }
    // And it must come back: to within half its height of where some pace between those outside would have led.
    let (slow, fast) = (steps[a - 1] * (len + 1) as f64, steps[b] * (len + 1) as f64);
    let range = fast - slow;
    let share = ((whole - slow).dot(range) / range.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let astray = (whole - slow - range * share).length();
    (least >= limit && astray < 0.5 * least).then_some(least)
}

/// The median change of step before or after the frames, whichever is larger, leaving out what they touch.
fn usual(steps: &[DVec3], start: usize, len: usize, around: usize) -> f64 {
    let median = |range: std::ops::Range<usize>| -> f64 {
        let mut changes: Vec<f64> = range.map(|i| (steps[i] - steps[i - 1]).length()).collect();
        if changes.is_empty() {
            return 0.0;
        }
        let middle = changes.len() / 2;
        *changes.select_nth_unstable_by(middle, f64::total_cmp).1
    };
    let before = start.saturating_sub(around + 2).max(1)..start.saturating_sub(2).max(1);
    let end = (start + len + 2).min(steps.len());
    median(before).max(median(end..(end + around).min(steps.len())))
}
