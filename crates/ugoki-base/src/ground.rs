//! Where a body stands on the ground and which way it faces: the only heading, and the only rigid move over the ground.
//!
//! A heading is the turn about the vertical that is nearest to the rotation of the body: the twist about +Y of the frame that hips, shoulders
//! and trunk span. Hips and shoulders count together, so that their swing against each other in gait cancels. Only joint positions
//! count, so local axes and the rest pose do not matter. A body turned over by 120° or more has no heading.

use std::f64::consts::{PI, TAU};

use glam::{Quat, Vec3};

use crate::math::swing_twist;
use crate::pose::ModelPose;
use crate::skeleton::{Skeleton, body_axes};

/// A rigid move over the ground: a turn about the vertical through the origin, then a shift. Also a place on the ground with a heading.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GroundFrame {
    /// Turn to the left, radians.
    pub yaw: f32,
    /// Shift, metres.
    pub shift: Vec3,
}

impl GroundFrame {
    /// The move that leaves everything in its place.
    pub const HERE: Self = Self { yaw: 0.0, shift: Vec3::ZERO };

    /// The move that turns by `yaw` about the point `from` and takes it to `to`.
    #[must_use]
    pub fn carrying(from: Vec3, to: Vec3, yaw: f32) -> Self {
        Self { yaw, shift: to - Quat::from_rotation_y(yaw) * from }
    }

    /// Where a point goes.
    #[must_use]
    pub fn point(&self, p: Vec3) -> Vec3 {
        Quat::from_rotation_y(self.yaw) * p + self.shift
    }

    /// This move after `first`.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        Self { yaw: self.yaw + first.yaw, shift: self.point(first.shift) }
    }

    /// The move back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let back = Quat::from_rotation_y(-self.yaw);
        Self { yaw: -self.yaw, shift: -(back * self.shift) }
    }

    /// What a world rotation becomes.
    #[must_use]
    pub fn rotation(&self, q: Quat) -> Quat {
        Quat::from_rotation_y(self.yaw) * q
    }
}

/// `angle` brought to (−π, π].
#[must_use]
pub fn wrap_angle(angle: f64) -> f64 {
    let turned = angle.rem_euclid(TAU);
    if turned > PI { turned - TAU } else { turned }
}

/// Squared length of the twist, as a quaternion, under which a rotation has no heading: turned over by 120° or more.
const NO_HEADING: f32 = 0.25;

/// Angle about the vertical that a body faces, radians from +Z to the left; `None` when it lies on its side, stands on its head or has neither
/// hips nor shoulders.
#[must_use]
pub fn heading(skeleton: &Skeleton, positions: &[Vec3]) -> Option<f64> {
    let [left, _, front] = body_axes(skeleton, positions)?;
    let (sine, cosine) = (front.x - left.z, left.x + front.z);
    (0.5 * sine.hypot(cosine) >= NO_HEADING).then(|| f64::from(sine).atan2(f64::from(cosine)))
}

/// [`heading`], or the turn of the root joint about the vertical for bodies without hips and shoulders.
pub(crate) fn pose_heading(skeleton: &Skeleton, model: &ModelPose) -> Option<f64> {
    if body_axes(skeleton, &model.positions).is_some() {
        return heading(skeleton, &model.positions);
    }
    let (_, twist) = swing_twist(model.rotations[0], Vec3::Y);
    Some(2.0 * f64::from(twist.y).atan2(f64::from(twist.w)))
}

/// Heading of every frame, radians, without jumps by whole turns. Between frames that have one it goes on evenly; before the first and after
/// the last it stays.
#[must_use]
pub fn headings<'a>(skeleton: &Skeleton, poses: impl IntoIterator<Item = &'a ModelPose>) -> Vec<f64> {
    unwrapped(poses.into_iter().map(|pose| pose_heading(skeleton, pose)))
}

pub(crate) fn unwrapped(found: impl Iterator<Item = Option<f64>>) -> Vec<f64> {
    let mut angles: Vec<f64> = Vec::new();
    let mut last: Option<(usize, f64)> = None;
    for (frame, found) in found.enumerate() {
        let before = last.map(|(_, angle)| angle);
        angles.push(before.unwrap_or(0.0));
        let Some(angle) = found else { continue };
        let angle = before.map_or(angle, |before| before + wrap_angle(angle - before));
        let (from, start) = last.map_or((0, angle), |(from, start)| (from, start));
        let steps = (frame - from).max(1) as f64;
        for (at, value) in angles.iter_mut().enumerate().skip(from) {
            *value = start + (angle - start) * (at - from) as f64 / steps;
        }
        angles[frame] = angle;
        last = Some((frame, angle));
    }
    angles
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn wrapped_angles_are_the_same_turn(angle in -50.0..50.0_f64) {
            let wrapped = wrap_angle(angle);
            prop_assert!(wrapped > -PI && wrapped <= PI);
            prop_assert!((wrapped - angle).sin().abs() < 1e-9 && (wrapped - angle).cos() > 0.99);
        }

        #[test]
        fn unknown_headings_are_filled_evenly_and_turns_are_counted(step in -2.0..2.0_f64, gap in 1_usize..8) {
            let known = |frame: usize| frame.is_multiple_of(gap + 1);
            let n = 5 * (gap + 1) + 1;
            let step = step / (gap + 1) as f64;
            let found = unwrapped((0..n).map(|frame| known(frame).then(|| wrap_angle(step * frame as f64))));
            for (frame, angle) in found.iter().enumerate() {
                prop_assert!((angle - step * frame as f64).abs() < 1e-9, "{} {} {}", frame, angle, step);
            }
        }

        #[test]
        fn a_move_carries_its_point(yaw in -3.0..3.0_f32, from in prop::array::uniform3(-5.0..5.0_f32), to in prop::array::uniform3(-5.0..5.0_f32)) {
            let (from, to) = (Vec3::from(from), Vec3::from(to));
            let carried = GroundFrame::carrying(from, to, yaw).point(from);
            // f32 metres of some metres.
            prop_assert!(carried.distance(to) < 5e-6);
        }
    }
}
