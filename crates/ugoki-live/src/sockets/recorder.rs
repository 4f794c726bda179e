//! A stream kept as a clip.

use std::sync::Arc;

use glam::Quat;
use ugoki_base::clip::{Clip, ClipError};
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Role, Skeleton, SkeletonError};
use ugoki_base::tracking_loss::{Loss, MAX_LOSSES};

use crate::{StreamFrame, skeleton_of, stream_pose_into};

/// Most frames that are kept: an hour at 60 per second.
const MOST: usize = 216_000;

/// Why there is no clip.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RecordError {
    /// Nothing came.
    #[error("no frames came")]
    Nothing,
    /// The stream never named hips.
    #[error("the stream has no hips: {0}")]
    Body(SkeletonError),
    /// The stream has no bones.
    #[error("the stream has no bones, only {count} trackers, which a motion file cannot hold")]
    Trackers {
        /// How many.
        count: usize,
    },
    /// The rate is impossible.
    #[error(transparent)]
    Rate(ClipError),
}

impl RecordError {
    /// What to do about it, if anything is known.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Nothing => Some("start the sender and let it send to this port"),
            Self::Trackers { .. } => {
                Some("let the sender send bones (VMC's Bone/Pos), or perform with the trackers live")
            }
            Self::Body(_) | Self::Rate(_) => None,
        }
    }
}

/// A stream's time: the sender's own where it goes on from the frame before, the arrival otherwise.
#[derive(Debug, Clone, Copy, Default)]
pub struct StreamClock {
    now: Option<(f64, Option<f32>)>,
    /// Frames in a row at one time of the sender.
    same: usize,
}

/// Least step of a stream's time, seconds, where the sender gives none: frames that arrive together differ in time.
const LEAST_STEP_S: f64 = 1e-3;
/// Frames that a sender may give one time: a frame that came in parts. A clock that stands longer is ignored.
const MOST_AT_ONCE: usize = 3;
/// A longer step of the sender's time is a restart, seconds.
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

    /// Everything so far at a fixed rate: rotations and root between poses on the straight way from one to the next, so
    /// that lost frames are bridged.
    ///
    /// # Errors
    /// When there is nothing or the rate is impossible.
    pub fn clip(&self, skeleton: &Arc<Skeleton>, fps: f64) -> Result<Clip, RecordError> {
        let (Some((first, _)), Some((last, _))) = (self.poses.first(), self.poses.last()) else {
            return Err(RecordError::Nothing);
        };
        self.clip_between(*first, [0, num_frames(last - first, fps)?], skeleton, fps)
    }

    /// Frames of a clip that begins at `begin` seconds, from one number to another.
    fn clip_between(
        &self,
        begin: f64,
        [from, to]: [usize; 2],
        skeleton: &Arc<Skeleton>,
        fps: f64,
    ) -> Result<Clip, RecordError> {
        if self.poses.is_empty() {
            return Err(RecordError::Nothing);
        }
        let mut out = Vec::with_capacity(to.saturating_sub(from).min(4 * MOST));
        let mut at = 0;
        for number in from..to {
            let time = begin + number as f64 / fps;
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

/// How many frames a clip of this length has.
fn num_frames(seconds: f64, fps: f64) -> Result<usize, RecordError> {
    let last = (seconds * fps + 1e-6).floor();
    if fps > 0.0 && last.is_finite() {
        return Ok(last as usize + 1);
    }
    Err(RecordError::Rate(ClipError::Rate { fps }))
}

/// Collects frames and their times.
#[derive(Debug, Default)]
pub struct Recorder {
    clock: StreamClock,
    frames: Vec<(f64, StreamFrame)>,
    /// Eyes and fingers that came without a body since the last frame with one.
    apart: Vec<bool>,
}

impl Recorder {
    /// Keeps a frame that arrived at `seconds` if a bone came with it; `false` when there is no more room.
    pub fn push(&mut self, seconds: f64, mut frame: StreamFrame) -> bool {
        if self.frames.len() >= MOST {
            return false;
        }
        self.apart.resize(frame.fresh.len(), false);
        frame.fresh.iter_mut().zip(&self.apart).for_each(|(fresh, apart)| *fresh |= apart);
        if frame.moved {
            self.apart.fill(false);
            self.frames.push((self.clock.tick(seconds, frame.time), frame));
        } else {
            self.apart = frame.fresh;
        }
        true
    }

    /// How many frames there are.
    #[must_use]
    pub fn num_frames(&self) -> usize {
        self.frames.len()
    }

    /// Everything so far at a fixed rate, lost frames and bones bridged; bones sent without translations as long as
    /// those of `like`. A bone that has not come yet is as it is when it comes first: nothing else is known of it.
    ///
    /// # Errors
    /// When nothing came, the stream has no hips, or the rate is impossible.
    pub fn clip(&self, fps: f64, like: &Skeleton) -> Result<Clip, RecordError> {
        let Some((_, newest)) = self.frames.last() else { return Err(RecordError::Nothing) };
        // A sender that restarts forgets its bones; the recording does not.
        let (mut now, mut last) = (newest.clone(), newest.clone());
        self.frames.iter().rev().for_each(|(_, frame)| take(&mut now, frame));
        self.frames.iter().for_each(|(_, frame)| take(&mut last, frame));
        let skeleton = skeleton_or_reason(&last, like)?;
        poses(&self.frames, now, &skeleton).clip(&skeleton, fps)
    }

    /// Bones that came so far, by role.
    pub fn bones(&self) -> impl Iterator<Item = bool> + '_ {
        let came = |role: usize| {
            self.frames.last().is_some_and(|(_, frame)| frame.bones.get(role).is_some_and(Option::is_some))
        };
        (0..Role::ALL.len()).map(came)
    }

    /// The body of the newest frame.
    ///
    /// # Errors
    /// When nothing came or the stream has no hips.
    pub fn skeleton(&self, like: &Skeleton) -> Result<Arc<Skeleton>, RecordError> {
        let (_, newest) = self.frames.last().ok_or(RecordError::Nothing)?;
        skeleton_or_reason(newest, like)
    }

    /// Frames of [`Self::clip`] from number `from` on, on a skeleton that was known before; for them to be kept while the recording
    /// goes on. Costs no more the longer it lasts. Empty when there are none yet.
    ///
    /// # Errors
    /// When nothing came or the rate is impossible.
    pub fn newest(&self, skeleton: &Arc<Skeleton>, fps: f64, from: usize) -> Result<Clip, RecordError> {
        let (Some((begin, _)), Some((end, newest))) = (self.frames.first(), self.frames.last()) else {
            return Err(RecordError::Nothing);
        };
        let to = num_frames(end - begin, fps)?;
        // What is bridged before them, and the frame between two of which the first lies.
        let since = begin + from as f64 / fps - LONGEST_BRIDGE_S;
        let first = self.frames.partition_point(|(time, _)| *time < since).saturating_sub(1);
        poses(&self.frames[first..], newest.clone(), skeleton).clip_between(*begin, [from, to], skeleton, fps)
    }

    /// Bones that did not come for longer than is bridged, in seconds from the first frame: what [`Self::clip`] has of
    /// them there is where they were, or will be, seen.
    #[must_use]
    pub fn losses(&self) -> Vec<Loss> {
        let (Some((begin, _)), Some((end, _))) = (self.frames.first(), self.frames.last()) else {
            return Vec::new();
        };
        let mut losses = Vec::new();
        for &role in Role::ALL {
            if !self.frames.iter().any(|(_, frame)| frame.bones[role.index()].is_some()) {
                continue;
            }
            let mut lose = |from: f64, to: f64, back: bool| {
                if to - from > LONGEST_BRIDGE_S {
                    losses.push(Loss { joint: role.name().to_owned(), from, to: back.then_some(to) });
                }
            };
            let mut from = 0.0;
            for (time, _) in self.frames.iter().filter(|(_, frame)| frame.fresh[role.index()]) {
                lose(from, time - begin, true);
                from = time - begin;
            }
            lose(from, end - begin, false);
        }
        losses.sort_by(|a, b| a.from.total_cmp(&b.from));
        losses.truncate(MAX_LOSSES);
        losses
    }
}

fn skeleton_or_reason(frame: &StreamFrame, like: &Skeleton) -> Result<Arc<Skeleton>, RecordError> {
    skeleton_of(frame, like).map_err(|error| match frame.bones.iter().all(Option::is_none) {
        true => RecordError::Trackers { count: frame.trackers.len() },
        false => RecordError::Body(error),
    })
}

/// Poses of frames, bones that did not come bridged; `known` is what is known of those that have not come yet.
fn poses(frames: &[(f64, StreamFrame)], mut known: StreamFrame, skeleton: &Arc<Skeleton>) -> TimedPoses {
    let mut pose = Pose::rest(skeleton);
    let mut poses = TimedPoses::default();
    for (time, frame) in frames {
        take(&mut known, frame);
        stream_pose_into(skeleton, &known, &mut pose);
        poses.push(*time, &pose);
    }
    for joint in 0..skeleton.num_joints() {
        let Some(role) = skeleton.joint(joint).role else { continue };
        bridge(&mut poses.poses, joint, |frame| frames[frame].1.fresh[role.index()]);
    }
    poses
}

/// Makes what is known of a body what a frame knows of it.
fn take(known: &mut StreamFrame, frame: &StreamFrame) {
    for (known, bone) in known.bones.iter_mut().zip(&frame.bones) {
        *known = bone.or(*known);
    }
    known.root = frame.root.or(known.root);
}

/// Longest time, seconds, over which a joint that did not come is taken to have moved evenly: loss. For longer it was
/// not sent because it did not move, and is kept.
const LONGEST_BRIDGE_S: f64 = 0.25;

/// Interpolates a joint, in frames without it, between the frames with it before and after. Left where it was, it would
/// stand still while the others move and catch up at once.
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
