//! Where a body stands on the ground and which way it faces, and moving whole clips there.

use glam::{Quat, Vec3};

use crate::clip::Clip;
use crate::math::swing_twist;
use crate::skeleton::{Role, Skeleton};

/// A turn about the vertical and a shift along the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GroundMove {
    /// Turn about +Y, radians, about the world's origin and before the shift.
    pub(super) yaw: f64,
    /// Shift; y is 0.
    pub(super) shift: Vec3,
}

/// The turn of `q` about the vertical, radians in (−π, π].
pub(super) fn heading(q: Quat) -> f64 {
    let (_, twist) = swing_twist(q, Vec3::Y);
    2.0 * f64::from(twist.y).atan2(f64::from(twist.w))
}

/// The joint a body's place and heading are read from: the hips, or joint 0 where they are not known.
pub(super) fn hips(skeleton: &Skeleton) -> usize {
    skeleton.find(Role::Hips).unwrap_or(0)
}

/// Where the hips are in the world and their heading.
pub(super) fn stance(clip: &Clip, frame: usize) -> (Vec3, f64) {
    let hips = hips(clip.skeleton());
    if hips == 0 {
        return (clip.root().get(frame), heading(clip.rotation(0, frame)));
    }
    let pose = clip.model_pose(frame);
    (pose.positions[hips], heading(pose.rotations[hips]))
}

/// `angle` brought to (−π, π].
pub(super) fn wrapped(angle: f64) -> f64 {
    let turned = angle.rem_euclid(std::f64::consts::TAU);
    if turned > std::f64::consts::PI { turned - std::f64::consts::TAU } else { turned }
}

/// Weighted mean of headings: the angle from which the weighted differences cancel, found from `start`.
pub(super) fn mean_heading(headings: &[f64], weights: &[f64], start: usize) -> f64 {
    let mut mean = headings[start];
    for _ in 0..32 {
        let step: f64 = headings.iter().zip(weights).map(|(h, w)| w * wrapped(h - mean)).sum();
        mean += step;
        // Differences are linear away from ±180°, so the second step is zero but for rounding.
        if step.abs() < 1e-12 {
            break;
        }
    }
    wrapped(mean)
}

impl GroundMove {
    /// The move that brings a body at `place` with heading `from` to `target` with heading `to`.
    pub(super) fn between(place: Vec3, from: f64, target: Vec3, to: f64) -> Self {
        let yaw = wrapped(to - from);
        let turned = Quat::from_rotation_y(yaw as f32) * place;
        Self { yaw, shift: Vec3::new(target.x - turned.x, 0.0, target.z - turned.z) }
    }

    /// Whether it moves nothing.
    pub(super) fn is_identity(&self) -> bool {
        self.yaw == 0.0 && self.shift == Vec3::ZERO
    }

    /// Moves every frame of `clip`.
    pub(super) fn apply(&self, clip: &mut Clip) {
        if self.is_identity() {
            return;
        }
        let turn = Quat::from_rotation_y(self.yaw as f32);
        for frame in 0..clip.num_frames() {
            let p = turn * clip.root().get(frame) + self.shift;
            clip.root_mut().set(frame, p);
        }
        // Every root joint stands in the world; joint 0 is the one that travels.
        for joint in 0..clip.num_joints() {
            if clip.skeleton().parent(joint).is_none() {
                for frame in 0..clip.num_frames() {
                    let q = (turn * clip.rotation(joint, frame)).normalize();
                    clip.set_rotation(joint, frame, q);
                }
            }
        }
        clip.align_signs();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_mean_of_two_headings_lies_between_them(a in -3.1..3.1_f64, d in -3.0..3.0_f64, w in 0.0..1.0_f64) {
            let mean = mean_heading(&[a, wrapped(a + d)], &[1.0 - w, w], usize::from(w > 0.5));
            prop_assert!(wrapped(mean - a - w * d).abs() < 1e-9);
        }

        #[test]
        fn heading_follows_turns_about_the_vertical(a in -1.4..1.4_f32, lean in -0.5..0.5_f32, yaw in -1.4..1.4_f32) {
            let q = Quat::from_rotation_y(a) * Quat::from_rotation_x(lean);
            let turned = Quat::from_rotation_y(yaw) * q;
            prop_assert!(wrapped(heading(turned) - heading(q) - f64::from(yaw)).abs() < 1e-5);
        }
    }
}
