//! The body of pictures as solids bound to joints, for building meshes.

use glam::{Quat, Vec3};

use super::figure::Figure;
use super::part::{Flat, Place};
use crate::pose::ModelPose;
use crate::skeleton::{Side, Skeleton, body_height};

/// A rounded cone of a body at rest, metres, and the joints that its two ends turn with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannequinPart {
    /// One end.
    pub a: Vec3,
    /// The other end.
    pub b: Vec3,
    /// Radius at `a`.
    pub ra: f32,
    /// Radius at `b`.
    pub rb: f32,
    /// Unit axis along which it is flattened.
    pub flat_axis: Vec3,
    /// Thickness along `flat_axis` relative to the radius.
    pub flat: f32,
    /// Side of the body, `None` on the midline.
    pub side: Option<Side>,
    /// The joint that `a` turns with.
    pub joint_a: usize,
    /// The joint that `b` turns with.
    pub joint_b: usize,
}

/// Ends nearer than this fraction to a joint belong to that joint's mover, others to what both joints hang on.
const NEAR: f32 = 0.25;

/// The body that pictures show, at rest.
#[must_use]
pub fn mannequin(skeleton: &Skeleton) -> Vec<MannequinPart> {
    let positions = skeleton.rest_positions();
    let extent = positions.iter().map(|p| p.distance(positions[0])).fold(0.0, f32::max);
    let stature = body_height(skeleton).unwrap_or(extent).max(f32::MIN_POSITIVE);
    let rotations = vec![Quat::IDENTITY; positions.len()];
    let rest = ModelPose { positions, rotations };
    let figure = Figure::build(skeleton, stature);
    figure
        .parts
        .iter()
        .map(|part| {
            let (a, b) = (part.a.find(&rest), part.b.find(&rest));
            let (flat_axis, flat) = match part.flat {
                Flat::Round => (Vec3::Z, 1.0),
                Flat::Depth { from, to, thickness } => {
                    let axis = (b - a).cross(rest.positions[to] - rest.positions[from]);
                    axis.try_normalize().map_or((Vec3::Z, 1.0), |axis| (axis, thickness))
                }
                Flat::Local { axis, thickness, .. } => (axis, thickness),
            };
            MannequinPart {
                a,
                b,
                ra: part.ra * stature,
                rb: part.rb * stature,
                flat_axis,
                flat,
                side: part.side,
                joint_a: carrier(skeleton, &part.a, &part.b),
                joint_b: carrier(skeleton, &part.b, &part.a),
            }
        })
        .collect()
}

/// The joint that an end turns with.
fn carrier(skeleton: &Skeleton, end: &Place, other: &Place) -> usize {
    let mover = |joint: usize| skeleton.parent(joint).unwrap_or(joint);
    if end.offset != Vec3::ZERO {
        return end.joint;
    }
    if end.joint == end.toward {
        // A part that leads away from its joint turns with it; one that leads up to it hangs on the parent.
        let leads_away =
            skeleton.is_below(other.joint, end.joint) && skeleton.is_below(other.toward, end.joint);
        return if leads_away { end.joint } else { mover(end.joint) };
    }
    if end.fraction < NEAR {
        mover(end.joint)
    } else if end.fraction > 1.0 - NEAR {
        mover(end.toward)
    } else {
        // Both joints' positions hang on the movers; the lowest joint above both carries what lies between.
        let mut at = mover(end.joint);
        while !skeleton.is_below(mover(end.toward), at) {
            match skeleton.parent(at) {
                Some(parent) => at = parent,
                None => return at,
            }
        }
        at
    }
}
