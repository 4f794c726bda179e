//! A placement with its turn at hand, for use in every frame.

use glam::{Quat, Vec3};

use crate::edit::Placement;

/// A turn about the vertical, then a shift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// Radians to the left; counts whole turns.
    pub(super) yaw: f32,
    turn: Quat,
    pub(super) shift: Vec3,
}

impl From<Placement> for Place {
    fn from(placement: Placement) -> Self {
        let Placement { yaw, shift } = placement;
        Self { yaw, turn: Quat::from_rotation_y(yaw), shift }
    }
}

impl Place {
    /// The move that turns by `yaw` about the point `from` and takes it to `to`.
    pub(super) fn carrying(from: Vec3, to: Vec3, yaw: f32) -> Self {
        Placement::carrying(from, to, yaw).into()
    }

    #[inline]
    pub(super) fn point(&self, p: Vec3) -> Vec3 {
        self.turn * p + self.shift
    }

    #[inline]
    pub(super) fn rotation(&self, q: Quat) -> Quat {
        self.turn * q
    }
}
