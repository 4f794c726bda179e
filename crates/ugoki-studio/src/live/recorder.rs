//! A stream kept as a clip.

use std::sync::Arc;

use glam::Quat;
use ugoki::clip::{Clip, ClipError};
use ugoki::live::{StreamFrame, skeleton_of, stream_pose_into};
use ugoki::pose::Pose;
use ugoki::skeleton::{Skeleton, SkeletonError};

/// Most frames that are kept: an hour at 60 per second.
const MOST: usize = 216_000;

/// Why there is no clip.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RecordError {
    /// Nothing came.
    #[error("no frames came; start the sender and let it send to this port")]
    Nothing,
    /// The stream never named hips.
    #[error("the stream has no hips: {0}")]
    Body(SkeletonError),
    /// The stream has no bones.
    #[error(
        "the stream has no bones, only {count} trackers, of which a motion file has no place; let the sender send bones \
         (VMC's Bone/Pos), or perform with the trackers live"
    )]
    Trackers {
        /// How many.
        count: usize,
    },
    /// The rate is impossible.
    #[error(transparent)]
    Rate(ClipError),
}

/// A stream's time: the sender's own where it goes on from the frame before, the arrival otherwise.
#[derive(Debug, Clone, Copy, Default)]
pub struct StreamClock {
    now: Option<(f64, Option<f32>)>,
    /// Frames in a row at one time of the sender.
    same: usize,
}

/// Least step of a stream's time, seconds, where the sender says none: frames that arrive together are not at one time.
const LEAST_STEP_S: f64 = 1e-3;
/// Frames that a sender may have at one time: a frame that came in parts. One whose time stands longer tells none.
const MOST_AT_ONCE: usize = 3;
/// A step of the sender's time that is longer is none of a stream but a new start, seconds.
const LONGEST_STEP_S: f64 = 1.0;

impl StreamClock {
    /// The time of a frame that arrived at `seconds` and, where it says so, was made at `sent` of the sender's clock.
    pub fn tick(&mut self, seconds: f64, sent: Option<f32>) -> f64 {
        let time = match self.now {
            None => seconds,
            Some((before, last)) => {
                let step = last.zip(sent).map(|(then, now)| f64::from(now) - f64::from(then));
                self.same = if sent.is_some() && last == sent { self.same + 1 } else { 0 };
                let least = if self.same <= MOST_AT_ONCE { 0.0 } else { f64::MIN_POSITIVE };
                let step = step.filter(|step| (least..LONGEST_STEP_S).contains(step));
                step.map_or(seconds.max(before + LEAST_STEP_S), |step| before + step)
            }
        };
        self.now = Some((time, sent));
        time
    }
}

/// Poses of one skeleton and their times.
#[derive(Debug, Default)]
pub struct TimedPoses {
    poses: Vec<(f64, Pose)>,
}

impl TimedPoses {
    /// Keeps a pose at `seconds`; `false` when there is no more room: an hour at 60 per second.
    pub fn push(&mut self, seconds: f64, pose: &Pose) -> bool {
        if self.poses.len() >= MOST {
            return false;
        }
        self.poses.push((seconds, pose.clone()));
        true
    }

    /// How many poses there are.
    #[must_use]
    pub fn num_poses(&self) -> usize {
        self.poses.len()
    }

    /// Everything so far at a fixed rate: rotations and root between poses on the straight way from one to the next, so that
    /// lost frames are bridged.
    ///
    /// # Errors
    /// When there is nothing or the rate is impossible.
    pub fn clip(&self, skeleton: &Arc<Skeleton>, fps: f64) -> Result<Clip, RecordError> {
        let (Some((first, _)), Some((last, _))) = (self.poses.first(), self.poses.last()) else {
            return Err(RecordError::Nothing);
        };
        let count = ((last - first) * fps + 1e-6).floor();
        if !(fps > 0.0 && count.is_finite()) {
            return Err(RecordError::Rate(ClipError::Rate { fps }));
        }
        let mut out = Vec::with_capacity((count as usize).min(4 * MOST) + 1);
        let mut at = 0;
        for number in 0..=count as usize {
            let time = first + number as f64 / fps;
            while at + 1 < self.poses.len() && self.poses[at + 1].0 <= time {
                at += 1;
            }
            let (a, b) = (&self.poses[at], &self.poses[(at + 1).min(self.poses.len() - 1)]);
            let span = b.0 - a.0;
            let t = if span > 0.0 { ((time - a.0) / span) as f32 } else { 0.0 };
            out.push(between(&a.1, &b.1, t));
        }
        Clip::from_poses(Arc::clone(skeleton), fps, &out).map_err(RecordError::Rate)
    }
}

/// Collects frames and their times.
#[derive(Debug, Default)]
pub struct Recorder {
    clock: StreamClock,
    frames: Vec<(f64, StreamFrame)>,
}

impl Recorder {
    /// Keeps a frame that arrived at `seconds` if a bone came with it; `false` when there is no more room.
    pub fn push(&mut self, seconds: f64, frame: StreamFrame) -> bool {
        if self.frames.len() >= MOST {
            return false;
        }
        if frame.moved {
            self.frames.push((self.clock.tick(seconds, frame.time), frame));
        }
        true
    }

    /// How many frames there are.
    #[must_use]
    pub fn num_frames(&self) -> usize {
        self.frames.len()
    }

    /// Everything so far at a fixed rate, lost frames and bones bridged; bones sent without translations as long as those of
    /// `like`.
    ///
    /// # Errors
    /// When nothing came, the stream has no hips, or the rate is impossible.
    pub fn clip(&self, fps: f64, like: &Skeleton) -> Result<Clip, RecordError> {
        let Some((_, newest)) = self.frames.last() else { return Err(RecordError::Nothing) };
        // Bones keep their last value, so the newest frame knows every bone that was ever sent.
        let skeleton = match skeleton_of(newest, like) {
            Ok(skeleton) => skeleton,
            Err(_) if newest.bones.iter().all(Option::is_none) => {
                return Err(RecordError::Trackers { count: newest.trackers.len() });
            }
            Err(error) => return Err(RecordError::Body(error)),
        };
        let mut pose = Pose::rest(&skeleton);
        let mut poses = TimedPoses::default();
        for (time, frame) in &self.frames {
            stream_pose_into(&skeleton, frame, &mut pose);
            poses.push(*time, &pose);
        }
        for joint in 0..skeleton.num_joints() {
            let Some(role) = skeleton.joint(joint).role else { continue };
            bridge(&mut poses.poses, joint, |frame| self.frames[frame].1.fresh[role.index()]);
        }
        poses.clip(&skeleton, fps)
    }
}

/// Longest time, seconds, over which a joint that did not come is taken to have moved evenly: loss. For longer it was not sent
/// because it did not move, and is kept.
const LONGEST_BRIDGE_S: f64 = 0.25;

/// Puts a joint, in frames without it, on the way between those with it before and after. Left where it was, it would stand still
/// while the others move and catch up at once.
fn bridge(poses: &mut [(f64, Pose)], joint: usize, came: impl Fn(usize) -> bool) {
    let mut before: Option<usize> = None;
    for after in (0..poses.len()).filter(|frame| came(*frame)) {
        let start = before.replace(after);
        let Some(start) = start.filter(|start| poses[after].0 - poses[*start].0 <= LONGEST_BRIDGE_S) else {
            continue;
        };
        let ((from, a), (to, b)) = (poses[start].clone(), poses[after].clone());
        for (time, pose) in &mut poses[start + 1..after] {
            let t = if to > from { ((*time - from) / (to - from)) as f32 } else { 0.0 };
            pose.rotations[joint] = turned(a.rotations[joint], b.rotations[joint], t);
            if joint == 0 {
                pose.root = a.root.lerp(b.root, t);
            }
        }
    }
}

fn turned(a: Quat, b: Quat, t: f32) -> Quat {
    a.slerp(if a.dot(b) < 0.0 { -b } else { b }, t).normalize()
}

fn between(a: &Pose, b: &Pose, t: f32) -> Pose {
    Pose {
        root: a.root.lerp(b.root, t),
        rotations: a.rotations.iter().zip(&b.rotations).map(|(a, b)| turned(*a, *b, t)).collect(),
        translations: Vec::new(),
    }
}
