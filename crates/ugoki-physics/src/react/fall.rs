//! When balance is lost, and how the body falls.
//!
//! A falling body no longer follows the target: it goes to a protective posture (arms forward and bent, hips and knees
//! flexed, chin down) with part of its strength, under gravity, with every link stopped by the ground. What the
//! capture's own error had supplied fades out.

use ugoki_base::math::{angle_between64, log64};
use ugoki_base::skeleton::Role;

use super::rows::Kind;
use super::simulation::Simulation;
use super::target::flat;
use crate::dynamics::{Limits, load, quat_at, set_vec3, vec3_at};

/// State of falling.
#[derive(Debug, Clone, Default)]
pub(super) struct Fall {
    /// When balance was lost.
    pub(super) at_s: Option<f64>,
    /// Seconds since.
    since_s: f64,
    /// How long other links than the feet have pressed on the ground, s.
    leaning_s: f64,
}

/// A link other than a foot that bears this fraction of the weight for this long, s, where the target's does not, ends
/// balance.
const LEAN: f64 = 0.05;
const LEAN_S: f64 = 0.03;
/// Pelvis lower than this fraction of its target height, tilted by more than this against the target, rad, or off
/// sideways by more than this fraction of the stature: no body stands like that.
const LOW: f64 = 0.65;
/// Least loss of height that counts, m.
const LOW_M: f64 = 0.1;
const TILT: f64 = 1.05;
const OFF: f64 = 0.30;
/// The capture's residual fades out over this time, s.
const FADE_S: f64 = 0.2;
/// Time in which the protective posture is sought, s, and fraction of strength given to it.
const BRACE_S: f64 = 0.35;
const BRACE: f64 = 0.6;
/// Arms are quicker, s: from the loss of balance to the ground it is half a second.
const ARMS_S: f64 = 0.2;
/// After this long, s, bracing eases over as long again to this fraction: a body that lies does not continue crawling.
const EASE_S: f64 = 0.8;
const AT_REST: f64 = 0.05;

impl Fall {
    pub(super) fn is_falling(&self) -> bool {
        self.at_s.is_some()
    }

    /// Fraction of the target's residual that still acts.
    pub(super) fn residual_weight(&self) -> f64 {
        if self.is_falling() { (1.0 - self.since_s / FADE_S).max(0.0) } else { 1.0 }
    }
}

impl Simulation {
    /// Looks whether balance is lost.
    pub(super) fn judge(&mut self) {
        let dt = self.target.dt;
        if self.fall.is_falling() {
            self.fall.since_s += dt;
            return;
        }
        let mut lean = 0.0;
        for (i, row) in self.rows.list.iter().enumerate() {
            if row.kind == Kind::Normal && self.rows.groups[row.group].foot.is_none() {
                lean += self.problem.x[i] / dt;
            }
        }
        self.fall.leaning_s = if lean > LEAN * self.weight { self.fall.leaning_s + dt } else { 0.0 };
        let (here, there) = (self.workspace.kinematics().link(0), self.target_kinematics.link(0));
        let place = self.frame.place(there.position);
        let floor = self.target.floor.height_at(here.position.x, here.position.z);
        // A target that lies, or is captured under its floor, is low itself.
        let height = (there.position.y - floor).max(0.0);
        let low = place.y - here.position.y > ((1.0 - LOW) * height).max(LOW_M);
        let tilt = angle_between64(here.rotation, self.frame.turn * there.rotation) > TILT;
        let off = flat(here.position).distance(flat(place)) > OFF * self.body.stature();
        // In flight nothing is lost yet: a body in flight comes down somewhere.
        if self.fall.leaning_s > LEAN_S || low || tilt || off {
            self.fall.at_s = Some(self.time_s());
        }
    }

    /// Torques towards the protective posture.
    pub(super) fn plan_fall(&mut self) {
        self.tau.fill(0.0);
        self.cut.fill(false);
        self.distribution.force.fill(0.0);
        let ease = (2.0 - self.fall.since_s / EASE_S).clamp(AT_REST, 1.0);
        for (index, link) in self.body.links().iter().enumerate().skip(1) {
            let (c, d) = (link.coordinate, link.dof);
            let arm = self.members.arm_links.contains(&index);
            let back = 1.0 / if arm { ARMS_S } else { BRACE_S };
            match &link.limits {
                Limits::Free => {}
                Limits::Hinge { low, high } => {
                    let goal = hinge_goal(link.role).clamp(*low, *high);
                    let e = self.state.q[c] - goal;
                    self.qdd[d] = -6.0 * e * back * back - 4.0 * self.state.qd[d] * back;
                    self.tau[d] = self.h.at(d, d) * self.qdd[d];
                }
                Limits::Ball(range) => {
                    // The middle of the range: arms and thighs forward and half raised, all else neutral.
                    let phi = log64(quat_at(&self.state.q, c).conjugate() * range.centre);
                    let a = phi * (6.0 * back * back) - vec3_at(&self.state.qd, d) * (4.0 * back);
                    set_vec3(&mut self.qdd, d, a);
                    for k in 0..3 {
                        self.tau[d + k] = self.h.at(d + k, d + k) * a[k];
                    }
                }
            }
            let now = load(self.body.link(index), &self.tau);
            // An arm that still points up when all is over comes down by its weight.
            let most =
                if arm { BRACE * (2.0 - self.fall.since_s / EASE_S).clamp(0.0, 1.0) } else { BRACE * ease };
            if now > most {
                for t in &mut self.tau[link.dofs()] {
                    *t *= most / now;
                }
            }
        }
        // Damping against all motion of the joints, not against a plan; but arms that come up to catch the body are not
        // held back.
        self.wanted_qd.fill(0.0);
        if self.fall.since_s < EASE_S {
            let dt = self.target.dt;
            for &dof in &self.members.arms {
                self.wanted_qd[dof] = self.state.qd[dof] + dt * self.qdd[dof];
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
