//! Forces from outside on any point of any link.

use glam::DVec3;

use super::body::{Body, JointKind, Link};
use super::kinematics::{Kinematics, LinkPose};
use super::spatial::Force;
use super::state::set_vec3;

/// A force and a couple on a link, in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointForce {
    /// The link.
    pub link: usize,
    /// Where the force acts, in the link's frame, m.
    pub point: DVec3,
    /// Force, N (as an impulse: N·s).
    pub force: DVec3,
    /// Couple, N·m (as an impulse: N·m·s).
    pub moment: DVec3,
}

impl PointForce {
    /// A force without a couple.
    #[must_use]
    pub fn new(link: usize, point: DVec3, force: DVec3) -> Self {
        Self { link, point, force, moment: DVec3::ZERO }
    }

    /// About the link's origin, world axes.
    pub(super) fn spatial(&self, kinematics: &Kinematics) -> Force {
        let mut f = Force::at(kinematics.links[self.link].matrix * self.point, self.force);
        f.ang += self.moment;
        f
    }
}

/// Adds `Jᵀ f` of every force to `tau`: what they do to each degree of freedom of the placed body.
pub fn add_generalized(body: &Body, kinematics: &Kinematics, forces: &[PointForce], tau: &mut [f64]) {
    for force in forces {
        let mut f = force.spatial(kinematics);
        let mut at = Some(force.link);
        while let Some(i) = at {
            let link = &body.links[i];
            let mut own = [0.0; 6];
            joint_force(link, &kinematics.links[i], f, &mut own);
            for (t, o) in tau[link.dof..].iter_mut().zip(&own[..link.num_dofs()]) {
                *t += o;
            }
            f = f.shifted_back(kinematics.links[i].arm);
            at = link.parent;
        }
    }
}

/// The part of `f` along the joint's degrees of freedom, into the first entries of `own`.
#[inline]
pub(super) fn joint_force(link: &Link, pose: &LinkPose, f: Force, own: &mut [f64]) {
    match link.joint {
        JointKind::Free => {
            set_vec3(own, 0, f.lin);
            set_vec3(own, 3, pose.matrix.transpose() * f.ang);
        }
        JointKind::Ball => set_vec3(own, 0, pose.matrix.transpose() * f.ang),
        JointKind::Hinge => own[0] = (pose.matrix * link.axis).dot(f.ang),
    }
}
