//! A body as solids: built once from the skeleton, placed for every pose.
//!
//! Parts that have a role get a body's volume, in shares of its stature; every other joint is drawn as a
//! thin tapered capsule from its parent. So a human looks like one, a horse still looks like a horse,
//! and a skeleton with half of its roles is drawn half and half. `human` chooses the parts.

use glam::Vec3;

use super::human::human_parts;
use crate::pose::ModelPose;
use crate::skeleton::{Role, Side, Skeleton};

/// A place on the body: on the way from one joint to another, plus an offset that turns with the first.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The joint that it starts from and turns with.
    pub joint: usize,
    /// The joint towards which it lies.
    pub toward: usize,
    /// Part of the way from `joint` to `toward`, 0 to 1.
    pub share: f32,
    /// Offset in the frame of `joint`, metres.
    pub offset: Vec3,
}

impl Place {
    /// At a joint.
    #[must_use]
    pub fn at(joint: usize) -> Self {
        Self { joint, toward: joint, share: 0.0, offset: Vec3::ZERO }
    }

    /// `share` of the way from `joint` to `toward`.
    #[must_use]
    pub fn between(joint: usize, toward: usize, share: f32) -> Self {
        Self { joint, toward, share, offset: Vec3::ZERO }
    }

    /// `offset` metres away in the joint's frame.
    #[must_use]
    pub fn off(joint: usize, offset: Vec3) -> Self {
        Self { offset, ..Self::at(joint) }
    }

    /// The place in a pose, metres.
    #[must_use]
    pub fn find(&self, pose: &ModelPose) -> Vec3 {
        pose.positions[self.joint].lerp(pose.positions[self.toward], self.share)
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

/// The parts of a body.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The solids, in no particular order.
    pub parts: Vec<Part>,
}

impl Figure {
    /// Chooses the parts of this skeleton; `stature` in metres.
    #[must_use]
    pub fn build(skeleton: &Skeleton, stature: f32) -> Self {
        let (mut parts, mut covered) = human_parts(skeleton, stature);
        for (covered, hidden) in covered.iter_mut().zip(inside_trunk(skeleton, stature)) {
            *covered |= hidden;
        }
        skeleton.expressions().for_each(|joint| covered[joint] = true);
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let side = side_of(skeleton, index);
            if let Some(parent) = joint.parent
                && !covered[index]
            {
                parts.push(thin(Place::at(parent), Place::at(index), joint.offset, stature, side));
            }
            // The tips of a joint that a part draws are inside that part.
            if !covered[index] {
                for &tip in &joint.tips {
                    parts.push(thin(Place::at(index), Place::off(index, tip), tip, stature, side));
                }
            }
        }
        if parts.is_empty() {
            // A lone joint is a ball.
            let radius = 0.05;
            let (a, b) = (Place::at(0), Place::at(0));
            parts.push(Part { a, b, ra: radius, rb: radius, flat: Flat::Round, side: None });
        }
        Self { parts }
    }
}

/// Which joints are short helpers on the trunk (breasts, belly, breath): without a role, with nothing that has one
/// below them, and ending near the trunk's own joint. The trunk's volume is drawn from the roles; these would stick
/// out of it as pins. Long ones, like tails and wings, are part of the body's shape.
fn inside_trunk(skeleton: &Skeleton, stature: f32) -> Vec<bool> {
    /// Helpers reach less far than this from the trunk, statures: the trunk is about 0.1 deep from the spine.
    const REACH: f32 = 0.14;
    let joints = skeleton.joints();
    let trunk = |role: Role| matches!(role, Role::Spine | Role::Chest | Role::UpperChest);
    // Length of the longest way down from each joint, its own offset included, and whether a role is met on it.
    let mut reach: Vec<f32> = vec![0.0; joints.len()];
    let mut known: Vec<bool> = joints.iter().map(|joint| joint.role.is_some()).collect();
    for (index, joint) in joints.iter().enumerate().rev() {
        let tip = joint.tips.iter().map(|tip| tip.length()).fold(0.0, f32::max);
        reach[index] = reach[index].max(tip) + joint.offset.length();
        if let Some(parent) = joint.parent {
            reach[parent] = reach[parent].max(reach[index]);
            known[parent] |= known[index];
        }
    }
    let mut hidden = vec![false; joints.len()];
    for (index, joint) in joints.iter().enumerate() {
        if let Some(parent) = joint.parent {
            let helper =
                joints[parent].role.is_some_and(trunk) && !known[index] && reach[index] < REACH * stature;
            hidden[index] = hidden[parent] || helper;
        }
    }
    hidden
}

/// A tapered capsule that shows which end is the parent's.
fn thin(a: Place, b: Place, offset: Vec3, stature: f32, side: Option<Side>) -> Part {
    /// Radius relative to length, and its bounds in statures: fingers stay visible, long bones stay thin.
    const SLENDER: f32 = 0.09;
    let radius = (SLENDER * offset.length() / stature).clamp(0.0055, 0.020);
    Part { a, b, ra: radius * 1.2, rb: radius * 0.75, flat: Flat::Round, side }
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
