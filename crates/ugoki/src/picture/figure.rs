//! A body as solids: built once from the skeleton, placed for every pose.
//!
//! Parts that have a role get a body's volume, in shares of its stature; every other joint is drawn as a
//! thin tapered capsule from its parent. So a human looks like one, a horse still looks like a horse,
//! and a skeleton with half of its roles is drawn half and half. `human` chooses the parts.

use glam::Vec3;

use super::human::human_parts;
use super::solid::{Solid, Tone};
use super::stage::Stage;
use crate::pose::ModelPose;
use crate::skeleton::{Role, Side, Skeleton};

/// A place on the body: on the way from one joint to another, plus an offset that turns with the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) joint: usize,
    pub(super) toward: usize,
    pub(super) share: f32,
    pub(super) offset: Vec3,
}

impl Place {
    pub(super) fn at(joint: usize) -> Self {
        Self { joint, toward: joint, share: 0.0, offset: Vec3::ZERO }
    }

    /// `share` of the way from `joint` to `toward`.
    pub(super) fn between(joint: usize, toward: usize, share: f32) -> Self {
        Self { joint, toward, share, offset: Vec3::ZERO }
    }

    /// `offset` metres away in the joint's frame.
    pub(super) fn off(joint: usize, offset: Vec3) -> Self {
        Self { offset, ..Self::at(joint) }
    }

    pub(super) fn find(&self, pose: &ModelPose) -> Vec3 {
        pose.positions[self.joint].lerp(pose.positions[self.toward], self.share)
            + pose.rotations[self.joint] * self.offset
    }
}

/// How a part is flattened.
#[derive(Debug, Clone, Copy)]
pub(super) enum Flat {
    Round,
    /// Front to back: at right angles to the part and to the line between two joints.
    Depth {
        from: usize,
        to: usize,
        thickness: f32,
    },
    /// Along an axis of a joint's frame.
    Local {
        joint: usize,
        axis: Vec3,
        thickness: f32,
    },
}

/// One solid of the body; radii in statures.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) a: Place,
    pub(super) b: Place,
    pub(super) ra: f32,
    pub(super) rb: f32,
    pub(super) flat: Flat,
    pub(super) tone: Tone,
}

/// The parts of a body.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    pub(super) parts: Vec<Part>,
}

impl Figure {
    /// Chooses the parts of this skeleton; `stature` in metres.
    pub(super) fn build(skeleton: &Skeleton, stature: f32) -> Self {
        let (mut parts, mut covered) = human_parts(skeleton, stature);
        for (covered, hidden) in covered.iter_mut().zip(inside_trunk(skeleton, stature)) {
            *covered |= hidden;
        }
        skeleton.expressions().for_each(|joint| covered[joint] = true);
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let tone = tone_of(skeleton, index);
            if let Some(parent) = joint.parent
                && !covered[index]
            {
                parts.push(thin(Place::at(parent), Place::at(index), joint.offset, stature, tone));
            }
            // The tips of a joint that a part draws are inside that part.
            if !covered[index] {
                for &tip in &joint.tips {
                    parts.push(thin(Place::at(index), Place::off(index, tip), tip, stature, tone));
                }
            }
        }
        if parts.is_empty() {
            // A lone joint is a ball.
            let radius = 0.05;
            let (a, b) = (Place::at(0), Place::at(0));
            parts.push(Part { a, b, ra: radius, rb: radius, flat: Flat::Round, tone: Tone::Middle });
        }
        Self { parts }
    }

    /// Places the parts in a pose, in the stage's units. Parts at places that are not finite are left out.
    pub(super) fn solids_into(&self, pose: &ModelPose, stage: &Stage, out: &mut Vec<Solid>) {
        for part in &self.parts {
            let (a, b) = (stage.unit(part.a.find(pose)), stage.unit(part.b.find(pose)));
            let (flat_axis, flat) = match part.flat {
                Flat::Round => (Vec3::Z, 1.0),
                Flat::Depth { from, to, thickness } => {
                    let across = stage.unit(pose.positions[to]) - stage.unit(pose.positions[from]);
                    let axis = (b - a).cross(across);
                    // Two joints in one place or in line give no direction; then the part is round.
                    axis.try_normalize().map_or((Vec3::Z, 1.0), |axis| (axis, thickness))
                }
                Flat::Local { joint, axis, thickness } => (pose.rotations[joint] * axis, thickness),
            };
            let solid = Solid { a, b, ra: part.ra, rb: part.rb, flat_axis, flat, tone: part.tone };
            if solid.is_finite() && flat_axis.is_finite() {
                out.push(solid);
            }
        }
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
fn thin(a: Place, b: Place, offset: Vec3, stature: f32, tone: Tone) -> Part {
    /// Radius relative to length, and its bounds in statures: fingers stay visible, long bones stay thin.
    const SLENDER: f32 = 0.09;
    let radius = (SLENDER * offset.length() / stature).clamp(0.0055, 0.020);
    Part { a, b, ra: radius * 1.2, rb: radius * 0.75, flat: Flat::Round, tone }
}

/// The colour of a joint: the side of the nearest role at or above it.
pub(super) fn tone_of(skeleton: &Skeleton, joint: usize) -> Tone {
    let mut at = Some(joint);
    while let Some(j) = at {
        if let Some(role) = skeleton.joint(j).role {
            return match role.side() {
                Some(Side::Left) => Tone::Left,
                Some(Side::Right) => Tone::Right,
                None => Tone::Middle,
            };
        }
        at = skeleton.parent(j);
    }
    Tone::Middle
}
