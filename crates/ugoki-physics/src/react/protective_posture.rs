//! How the body falls.
//!
//! A falling body no longer follows the target: it goes to a protective posture (arms forward and bent, hips and knees
//! flexed, chin down) with part of its strength, under gravity, with every link stopped by the ground. What the
//! capture's own error had supplied fades out.

use ugoki_base::math::log64;
use ugoki_base::skeleton::Role;

use super::controller::Controller;
use crate::dynamics::{Limits, load, quat_at, set_vec3, vec3_at};

/// Time in which the protective posture is sought, s, and fraction of strength given to it.
const BRACE_S: f64 = 0.35;
const BRACE: f64 = 0.6;
/// Arms are quicker, s: from the loss of balance to the ground it is half a second.
const ARMS_S: f64 = 0.2;
/// After this long, s, bracing eases over as long again to this fraction: a body that lies does not continue crawling.
const EASE_S: f64 = 0.8;
const AT_REST: f64 = 0.05;

impl Controller<'_> {
    /// Torques towards the protective posture.
    pub(super) fn protect(&mut self) {
        self.plan.tau.fill(0.0);
        self.plan.cut.fill(false);
        self.plan.distribution.force.fill(0.0);
        let ease = (2.0 - self.motion.fall.since_s / EASE_S).clamp(AT_REST, 1.0);
        for (index, link) in self.setup.body.links().iter().enumerate().skip(1) {
            let (c, d) = (link.coordinate, link.dof);
            let arm = self.setup.members.arm_links.contains(&index);
            let back = 1.0 / if arm { ARMS_S } else { BRACE_S };
            match &link.limits {
                Limits::Free => {}
                Limits::Hinge { low, high } => {
                    let goal = hinge_goal(link.role).clamp(*low, *high);
                    let e = self.motion.state.q[c] - goal;
                    self.plan.qdd[d] = -6.0 * e * back * back - 4.0 * self.motion.state.qd[d] * back;
                    self.plan.tau[d] = self.seen.h.at(d, d) * self.plan.qdd[d];
                }
                Limits::Ball(range) => {
                    // The middle of the range: arms and thighs forward and half raised, all else neutral.
                    let phi = log64(quat_at(&self.motion.state.q, c).conjugate() * range.centre);
                    let a = phi * (6.0 * back * back) - vec3_at(&self.motion.state.qd, d) * (4.0 * back);
                    set_vec3(&mut self.plan.qdd, d, a);
                    for k in 0..3 {
                        self.plan.tau[d + k] = self.seen.h.at(d + k, d + k) * a[k];
                    }
                }
            }
            let now = load(self.setup.body.link(index), &self.plan.tau);
            // An arm that still points up when all is over comes down by its weight.
            let most = if arm {
                BRACE * (2.0 - self.motion.fall.since_s / EASE_S).clamp(0.0, 1.0)
            } else {
                BRACE * ease
            };
            if now > most {
                for t in &mut self.plan.tau[link.dofs()] {
                    *t *= most / now;
                }
            }
        }
        // Damping against all motion of the joints, not against a plan; but arms that come up to catch the body are not
        // held back.
        self.plan.wanted_qd.fill(0.0);
        if self.motion.fall.since_s < EASE_S {
            let dt = self.setup.target.dt;
            for &dof in &self.setup.members.arms {
                self.plan.wanted_qd[dof] = self.motion.state.qd[dof] + dt * self.plan.qdd[dof];
            }
        }
    }
}

/// Angle of a hinge when bracing, rad: knees and elbows half bent, toes straight.
fn hinge_goal(role: Role) -> f64 {
    match role {
        Role::LeftLowerLeg | Role::RightLowerLeg => 0.9,
        Role::LeftLowerArm | Role::RightLowerArm => 1.0,
        _ => 0.0,
    }
}
