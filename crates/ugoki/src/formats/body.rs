//! A body looked at before its unit and axes are known: who is sampled, and how far it reaches.

use glam::Vec3;

use crate::skeleton::Skeleton;

/// Frames looked at to see which way is up.
const NUM_SAMPLES: usize = 9;

/// Joints above which nobody looks for a human: ten times the largest rig known.
pub(super) const MAX_BODY_JOINTS: usize = 2000;

/// Frames spread over the motion. An added T-pose in front is not the motion; with one frame there is no choice.
pub(super) fn sample_frames(num_frames: usize) -> Vec<usize> {
    let first = usize::from(num_frames > 1);
    let Some(span) = num_frames.checked_sub(1 + first) else { return Vec::new() };
    let mut frames: Vec<usize> = (0..NUM_SAMPLES).map(|i| first + span * i / (NUM_SAMPLES - 1)).collect();
    frames.dedup();
    frames
}

/// How far joints and end sites come from joint 0, file units.
pub(super) fn reach(file: &Skeleton, samples: &[Vec<Vec3>]) -> Option<f64> {
    let tips = file.joints().iter().flat_map(|joint| &joint.tips).map(|tip| tip.length());
    let joints = samples.iter().flat_map(|positions| positions.iter().map(|p| p.distance(positions[0])));
    joints.chain(tips).reduce(f32::max).map(f64::from)
}
