//! A stream kept as a clip.

use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki::clip::{Clip, ClipError};
use ugoki::live::{StreamFrame, skeleton_of, stream_pose_into};
use ugoki::pose::Pose;
use ugoki::skeleton::SkeletonError;

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
    /// The rate is impossible.
    #[error(transparent)]
    Rate(ClipError),
}

/// Collects frames and their times.
#[derive(Debug, Default)]
pub struct Recorder {
    frames: Vec<(f64, StreamFrame)>,
}

impl Recorder {
    /// Keeps a frame that arrived at `seconds` if a bone came with it; `false` when there is no more room. The sender's own time is used where it
    /// goes on from the frame before, the arrival otherwise.
    pub fn push(&mut self, seconds: f64, frame: StreamFrame) -> bool {
        if self.frames.len() >= MOST {
            return false;
        }
        if !frame.moved {
            return true;
        }
        let time = match (self.frames.last(), frame.time) {
            (Some((before, last)), Some(now)) => {
                let step = last.time.map(|then| f64::from(now) - f64::from(then));
                // A step that is no step of a stream is a new start.
                step.filter(|step| *step > 0.0 && *step < 1.0)
                    .map_or(seconds.max(before + 1e-3), |s| before + s)
            }
            (Some((before, _)), None) => seconds.max(before + 1e-3),
            (None, _) => seconds,
        };
        self.frames.push((time, frame));
        true
    }

    /// How many frames there are.
    #[must_use]
    pub fn num_frames(&self) -> usize {
        self.frames.len()
    }

    /// Everything so far at a fixed rate: rotations and root between frames on the straight way from one to the next, so that lost
    /// frames are bridged.
    ///
    /// # Errors
    /// When nothing came, the stream has no hips, or the rate is impossible.
    pub fn clip(&self, fps: f64) -> Result<Clip, RecordError> {
        let (Some((first, _)), Some((last, newest))) = (self.frames.first(), self.frames.last()) else {
            return Err(RecordError::Nothing);
        };
        // Bones keep their last value, so the newest frame knows every bone that was ever sent.
        let skeleton = skeleton_of(newest).map_err(RecordError::Body)?;
        let mut pose = Pose::rest(&skeleton);
        let poses: Vec<Pose> = self
            .frames
            .iter()
            .map(|(_, frame)| {
                stream_pose_into(&skeleton, frame, &mut pose);
                pose.clone()
            })
            .collect();
        let count = ((last - first) * fps + 1e-6).floor();
        if !(fps > 0.0 && count.is_finite()) {
            return Err(RecordError::Rate(ClipError::Rate { fps }));
        }
        let mut out = Vec::with_capacity(count as usize + 1);
        let mut at = 0;
        for number in 0..=count as usize {
            let time = first + number as f64 / fps;
            while at + 1 < self.frames.len() && self.frames[at + 1].0 <= time {
                at += 1;
            }
            let next = (at + 1).min(poses.len() - 1);
            let span = self.frames[next].0 - self.frames[at].0;
            let t = if span > 0.0 { ((time - self.frames[at].0) / span) as f32 } else { 0.0 };
            out.push(between(&poses[at], &poses[next], t));
        }
        Clip::from_poses(Arc::clone(&skeleton), fps, &out).map_err(RecordError::Rate)
    }
}

fn between(a: &Pose, b: &Pose, t: f32) -> Pose {
    let turn = |(a, b): (&Quat, &Quat)| a.slerp(if a.dot(*b) < 0.0 { -*b } else { *b }, t).normalize();
    let root: Vec3 = a.root.lerp(b.root, t);
    Pose {
        root,
        rotations: a.rotations.iter().zip(&b.rotations).map(turn).collect(),
        translations: Vec::new(),
    }
}
