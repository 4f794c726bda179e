//! A rigid move over the ground with its turn at hand, for use in every frame.

use glam::{Quat, Vec3, Vec3A};

use super::interpolate::turn_by;
use crate::edit::GroundFrame;

/// A turn about the vertical, then a shift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// Radians to the left; counts whole turns.
    pub(super) yaw: f32,
    turn: Quat,
    pub(super) shift: Vec3A,
}

impl From<GroundFrame> for Place {
    fn from(GroundFrame { yaw, shift }: GroundFrame) -> Self {
        Self { yaw, turn: turn_by(Vec3A::Y * yaw), shift: shift.into() }
    }
}

impl Place {
    /// The move that turns by `yaw` about the point `from` and takes it to `to`.
    pub(super) fn carrying(from: Vec3, to: Vec3, yaw: f32) -> Self {
        let turned = Self::from(GroundFrame { yaw, shift: Vec3::ZERO });
        Self { shift: (to - turned.point(from)).into(), ..turned }
    }

    pub(super) fn point(&self, p: Vec3) -> Vec3 {
        self.carry(p.into()).into()
    }

    #[inline]
    pub(super) fn carry(&self, p: Vec3A) -> Vec3A {
        self.turn * p + self.shift
    }

    #[inline]
    pub(super) fn rotation(&self, q: Quat) -> Quat {
        self.turn * q
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_place_is_its_ground_frame(yaw in -9.0..9.0_f32, p in prop::array::uniform3(-5.0..5.0_f32), shift in prop::array::uniform3(-5.0..5.0_f32)) {
            let (p, frame) = (Vec3::from(p), GroundFrame { yaw, shift: shift.into() });
            let place = Place::from(frame);
            // f32 metres of some metres.
            prop_assert!(place.point(p).distance(frame.point(p)) < 5e-6);
            let q = Quat::from_scaled_axis(p);
            let (found, wanted) = (place.rotation(q), frame.rotation(q));
            prop_assert!((1.0 - found.dot(wanted).abs()) < 1e-6);
            prop_assert!(Place::carrying(p, Vec3::ONE, yaw).point(p).distance(Vec3::ONE) < 5e-6);
        }
    }
}
