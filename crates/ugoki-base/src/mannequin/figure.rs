//! A body as solids: built once from the skeleton, placed for every pose.
//!
//! Parts that have a role get a body's volume, in fractions of its stature; every other joint is drawn as a
//! thin tapered capsule from its parent. So a human looks like one, a horse still looks like a horse,
//! and a skeleton with half of its roles is drawn half and half. `human` chooses the parts.

use glam::Vec3;

use super::human::human_parts;
use super::part::{Flat, Part, Place, side_of};
use crate::skeleton::{Role, Side, Skeleton};

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
