//! Where every link is and how it moves, in world axes.

use glam::{DMat3, DQuat, DVec3};

use super::body::{Body, JointKind, Link};
use super::spatial::Motion;
use super::state::{BodyState, hinge_rotation, quat_at, vec3_at};

/// One link in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkPose {
    /// Orientation, `world_from_link`.
    pub rotation: DQuat,
    /// The same as a matrix.
    pub matrix: DMat3,
    /// Origin in the world, m.
    pub position: DVec3,
    /// From the parent's origin to this one, world axes, m; for the root, its position.
    pub arm: DVec3,
    /// Velocity at the origin, world axes.
    pub velocity: Motion,
    /// The joint's own part of the angular velocity, world axes.
    pub joint_rate: DVec3,
}

impl LinkPose {
    const REST: Self = Self {
        rotation: DQuat::IDENTITY,
        matrix: DMat3::IDENTITY,
        position: DVec3::ZERO,
        arm: DVec3::ZERO,
        velocity: Motion::ZERO,
        joint_rate: DVec3::ZERO,
    };

    /// World position of `point`, given in the link's frame, m.
    #[must_use]
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.position + self.matrix * point
    }

    /// World velocity of `point`, given in the link's frame, m/s.
    #[must_use]
    pub fn point_velocity(&self, point: DVec3) -> DVec3 {
        self.velocity.shifted(self.matrix * point).lin
    }
}

/// All links in the world; made once per body, filled every step.
#[derive(Debug, Clone, PartialEq)]
pub struct Kinematics {
    pub(super) links: Vec<LinkPose>,
}

impl Kinematics {
    /// Room for `body`.
    #[must_use]
    pub fn new(body: &Body) -> Self {
        Self { links: vec![LinkPose::REST; body.links().len()] }
    }

    /// One link.
    #[must_use]
    pub fn link(&self, link: usize) -> &LinkPose {
        &self.links[link]
    }

    /// All links in the body's order.
    #[must_use]
    pub fn links(&self) -> &[LinkPose] {
        &self.links
    }
}

/// Rotation of the joint and its rate in the child's axes.
#[inline]
fn joint(link: &Link, state: &BodyState) -> (DQuat, DVec3) {
    match link.joint {
        JointKind::Free => (quat_at(&state.q, 3), vec3_at(&state.qd, 3)),
        JointKind::Ball => (quat_at(&state.q, link.coordinate), vec3_at(&state.qd, link.dof)),
        JointKind::Hinge => {
            (hinge_rotation(link.axis, state.q[link.coordinate]), link.axis * state.qd[link.dof])
        }
    }
}

/// Pose and velocity of the root.
#[inline]
pub(super) fn place_root(body: &Body, state: &BodyState) -> LinkPose {
    let (rotation, rate) = joint(&body.links[0], state);
    let matrix = DMat3::from_quat(rotation);
    let position = vec3_at(&state.q, 0);
    let joint_rate = matrix * rate;
    let velocity = Motion { ang: joint_rate, lin: vec3_at(&state.qd, 0) };
    LinkPose { rotation, matrix, position, arm: position, velocity, joint_rate }
}

/// Pose and velocity of a link from its parent's.
#[inline]
pub(super) fn place(link: &Link, parent: &LinkPose, state: &BodyState) -> LinkPose {
    let (turn, rate) = joint(link, state);
    let rotation = parent.rotation * turn;
    let matrix = DMat3::from_quat(rotation);
    let arm = parent.matrix * link.offset;
    let joint_rate = matrix * rate;
    let mut velocity = parent.velocity.shifted(arm);
    velocity.ang += joint_rate;
    LinkPose { rotation, matrix, position: parent.position + arm, arm, velocity, joint_rate }
}

/// Places and moves every link.
pub fn kinematics_into(body: &Body, state: &BodyState, out: &mut Kinematics) {
    out.links[0] = place_root(body, state);
    for (i, link) in body.links.iter().enumerate().skip(1) {
        let parent = out.links[link.parent.unwrap_or(0)];
        out.links[i] = place(link, &parent, state);
    }
}
