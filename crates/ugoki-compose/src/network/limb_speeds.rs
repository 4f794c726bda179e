//! How fast arms and legs move: the energy of a motion as people see it, wherever it travels.

use std::ops::Range;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;

use super::heading::yaw;

/// Ends of the arms and of the legs.
const ENDS: [[Role; 2]; 2] = [[Role::LeftHand, Role::RightHand], [Role::LeftFoot, Role::RightFoot]];

/// Speeds of the ends of arms and legs in every frame of a clip.
#[derive(Debug, Clone, PartialEq)]
pub struct LimbSpeeds {
    /// Sum over the frames before, of arms and legs, m/s.
    sums: Vec<[f64; 2]>,
}

impl LimbSpeeds {
    /// Measures a clip: places seen from the hips with their heading removed, from one frame to the next.
    #[must_use]
    pub fn measure(clip: &Clip) -> Self {
        let skeleton = clip.skeleton();
        let hips = skeleton.find(Role::Hips).unwrap_or(0);
        let joints = ENDS.map(|roles| roles.map(|role| skeleton.find(role)));
        let mut sums = Vec::with_capacity(clip.num_frames() + 1);
        let mut sum = [0.0_f64; 2];
        let mut before: Option<[[Vec3; 2]; 2]> = None;
        for frame in 0..clip.num_frames() {
            let pose = clip.model_pose(frame);
            let heading = yaw(pose.rotations[hips]).conjugate();
            let here = joints.map(|pair| {
                pair.map(|joint| {
                    joint.map_or(Vec3::ZERO, |j| heading * (pose.positions[j] - pose.positions[hips]))
                })
            });
            if let Some(before) = before {
                for (sum, (now, then)) in sum.iter_mut().zip(here.iter().zip(&before)) {
                    let way: f32 = now.iter().zip(then).map(|(a, b)| a.distance(*b)).sum();
                    *sum += 0.5 * f64::from(way) * clip.fps();
                }
            }
            // The speed of a frame is that of the step to it; the first frame's is the second's.
            sums.push(sum);
            before = Some(here);
        }
        Self { sums }
    }

    /// Means over frames; 0 of a single one.
    #[must_use]
    pub fn mean(&self, frames: Range<usize>) -> [f32; 2] {
        let steps = frames.len().saturating_sub(1);
        let (Some(first), Some(last)) =
            (self.sums.get(frames.start), self.sums.get(frames.end.wrapping_sub(1)))
        else {
            return [0.0; 2];
        };
        std::array::from_fn(|limb| ((last[limb] - first[limb]) / steps.max(1) as f64) as f32)
    }
}
