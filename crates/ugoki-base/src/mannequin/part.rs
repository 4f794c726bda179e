//! One part of a mannequin: a rounded cone between two places of the body.

use glam::Vec3;

use crate::pose::ModelPose;
use crate::skeleton::{Side, Skeleton};

/// A place on the body: on the line from one joint to another, plus an offset that turns with the first.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The joint that it starts from and turns with.
    pub joint: usize,
    /// The joint towards which it lies.
    pub toward: usize,
    /// Part of the way from `joint` to `toward`, 0 to 1.
    pub fraction: f32,
    /// Offset in the frame of `joint`, metres.
    pub offset: Vec3,
}

impl Place {
    /// At a joint.
    #[must_use]
    pub fn at(joint: usize) -> Self {
        Self { joint, toward: joint, fraction: 0.0, offset: Vec3::ZERO }
    }

    /// `fraction` of the way from `joint` to `toward`.
    #[must_use]
    pub fn between(joint: usize, toward: usize, fraction: f32) -> Self {
        Self { joint, toward, fraction, offset: Vec3::ZERO }
    }

    /// `offset` metres away in the joint's frame.
    #[must_use]
    pub fn off(joint: usize, offset: Vec3) -> Self {
        Self { offset, ..Self::at(joint) }
    }

    /// The place in a pose, metres.
    #[must_use]
    pub fn find(&self, pose: &ModelPose) -> Vec3 {
        pose.positions[self.joint].lerp(pose.positions[self.toward], self.fraction)
            + pose.rotations[self.joint] * self.offset
    }
}

/// How a part is flattened.
#[derive(Debug, Clone, Copy)]
pub enum Flat {
    /// Not flattened.
    Round,
    /// Front to back: at right angles to the part and to the line between two joints.
    Depth {
        /// One end of the line.
        from: usize,
        /// The other end.
        to: usize,
        /// Thickness relative to the radius.
        thickness: f32,
    },
    /// Along an axis of a joint's frame.
    Local {
        /// The joint.
        joint: usize,
        /// Unit axis in its frame.
        axis: Vec3,
        /// Thickness relative to the radius.
        thickness: f32,
    },
}

/// One solid of the body; radii in statures.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// One end.
    pub a: Place,
    /// The other end.
    pub b: Place,
    /// Radius at `a`.
    pub ra: f32,
    /// Radius at `b`.
    pub rb: f32,
    /// How it is flattened.
    pub flat: Flat,
    /// Side of the body, `None` on the midline.
    pub side: Option<Side>,
}

/// The side of a joint: that of the nearest role at or above it.
pub(super) fn side_of(skeleton: &Skeleton, joint: usize) -> Option<Side> {
    let mut at = Some(joint);
    while let Some(j) = at {
        if let Some(role) = skeleton.joint(j).role {
            return role.side();
        }
        at = skeleton.parent(j);
    }
    None
}
