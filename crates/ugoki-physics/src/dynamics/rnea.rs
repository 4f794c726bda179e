//! Recursive Newton–Euler: the joint torques of a motion, `tau = H(q) q̈ + C(q, q̇) − Σ Jᵀ f` \[featherstone2008, §5.3\].
//!
//! Outward over the links velocities and accelerations, inward the forces that cause them. World axes with the origin at
//! each link's joint, so links differ by a shift only. Gravity enters as an upward acceleration of the root.

use super::body::{Body, JointKind};
use super::force::{PointForce, joint_force};
use super::kinematics::{LinkPose, place, place_root};
use super::spatial::Motion;
use super::state::{BodyState, vec3_at};
use super::workspace::Workspace;

/// Torques that give the accelerations `qdd` under `forces` and gravity.
///
/// The first six are the force and moment that the world must apply to the root.
///
/// # Panics
/// If a slice does not have [`Body::num_dofs`] entries.
pub fn rnea_into(
    body: &Body,
    state: &BodyState,
    qdd: &[f64],
    forces: &[PointForce],
    workspace: &mut Workspace,
    tau: &mut [f64],
) {
    let n = body.num_dofs();
    assert!(qdd.len() == n && tau.len() == n, "one acceleration and one torque per degree of freedom");
    let Workspace { kinematics, links: scratch } = workspace;
    let poses = &mut kinematics.links[..];
    for (i, link) in body.links.iter().enumerate() {
        let (pose, a) = match link.parent {
            None => (place_root(body, state), None),
            Some(parent) => (place(link, &poses[parent], state), Some(scratch[parent].a)),
        };
        let a = match a {
            None => root_acceleration(body, &pose, qdd),
            Some(above) => {
                let mut a = above.shifted(pose.arm) + velocity_product(&pose);
                a.ang += match link.joint {
                    JointKind::Hinge => pose.matrix * (link.axis * qdd[link.dof]),
                    _ => pose.matrix * vec3_at(qdd, link.dof),
                };
                a
            }
        };
        let inertia = link.inertia.rotated(&pose.matrix);
        scratch[i].a = a;
        scratch[i].f = inertia.mul(a) + pose.velocity.cross_force(inertia.mul(pose.velocity));
        poses[i] = pose;
    }
    for force in forces {
        let f = force.spatial(kinematics);
        scratch[force.link].f -= f;
    }
    for (i, link) in body.links.iter().enumerate().rev() {
        let f = scratch[i].f;
        let pose = &kinematics.links[i];
        joint_force(link, pose, f, &mut tau[link.dof..]);
        if let Some(parent) = link.parent {
            scratch[parent].f += f.shifted_back(pose.arm);
        }
    }
}

/// Spatial acceleration of the root, gravity included as its opposite.
#[inline]
pub(super) fn root_acceleration(body: &Body, pose: &LinkPose, qdd: &[f64]) -> Motion {
    // The spatial acceleration of a point is its ordinary one less ω × v.
    let lin = vec3_at(qdd, 0) - pose.velocity.ang.cross(pose.velocity.lin) - body.gravity;
    Motion { ang: pose.matrix * vec3_at(qdd, 3), lin }
}

/// `v × S q̇`: what the joint's rate adds to the acceleration because its axes move with the link.
#[inline]
pub(super) fn velocity_product(pose: &LinkPose) -> Motion {
    Motion { ang: pose.velocity.ang.cross(pose.joint_rate), lin: pose.velocity.lin.cross(pose.joint_rate) }
}
