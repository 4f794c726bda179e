//! How far points near joints move: the measure of the packed form.

use glam::{DQuat, DVec3, Quat};

use crate::pose::Pose;
use crate::skeleton::Skeleton;

/// The bound, metres.
pub(super) const MAX_ERROR_M: f64 = 1e-4;
/// How far off a joint points are looked at, metres: about the skin over a forearm.
pub(super) const SHELL_M: f64 = 0.03;

/// A joint in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Placed {
    pub(super) position: DVec3,
    pub(super) rotation: DQuat,
}

impl Placed {
    /// A child of `parent` (a root: of the world) with this local position and rotation.
    pub(super) fn below(parent: Option<&Self>, position: DVec3, rotation: DQuat) -> Self {
        match parent {
            None => Self { position, rotation },
            Some(parent) => Self {
                position: parent.position + parent.rotation * position,
                rotation: parent.rotation * rotation,
            },
        }
    }

    /// Bound on how far a point within [`SHELL_M`] of the joint moves, metres: the joint's own way and the chord of the
    /// turn. Met where the two have one direction.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        let turn = self.rotation.conjugate() * other.rotation;
        let chord = 2.0 * DVec3::new(turn.x, turn.y, turn.z).length();
        (self.position - other.position).length() + SHELL_M * chord
    }
}

/// A rotation of a clip as a unit quaternion.
pub(super) fn unit(q: Quat) -> DQuat {
    q.as_dquat().normalize()
}

/// Forward kinematics in f64, so that far from the origin poses and not roundings are compared.
pub(super) fn place_into(skeleton: &Skeleton, pose: &Pose, out: &mut Vec<Placed>) {
    out.clear();
    let mut moved = pose.translations.iter().peekable();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let position = if index == 0 {
            pose.root
        } else {
            moved.next_if(|(j, _)| *j == index).map_or(joint.offset, |(_, position)| *position)
        };
        // A weight stands for itself: its error is that of no joint above.
        let parent = joint.parent.filter(|_| !joint.is_expression).map(|parent| out[parent]);
        out.push(Placed::below(parent.as_ref(), position.as_dvec3(), unit(pose.rotations[index])));
    }
}

/// The largest distance between a point up to 3 cm off a joint in one pose and in the other, metres: a bound met
/// where a joint moves the way its turn moves the point. Computed in f64.
#[must_use]
pub fn shell_error(skeleton: &Skeleton, a: &Pose, b: &Pose) -> f64 {
    let (mut placed_a, mut placed_b) = (Vec::new(), Vec::new());
    place_into(skeleton, a, &mut placed_a);
    place_into(skeleton, b, &mut placed_b);
    placed_a.iter().zip(&placed_b).map(|(a, b)| a.distance(b)).fold(0.0, f64::max)
}
