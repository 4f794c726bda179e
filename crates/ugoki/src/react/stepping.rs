//! Stepping motions keep their balance with the next step, not with the ZMP.
//!
//! In single support the ZMP of a walk lies near the border of one foot and moments about it decide little; where
//! the foot in the air comes down decides all. Its landing is shifted by how far the extrapolated centre of mass \[hof2008\],
//! ξ = c + ċ/ω₀ with ω₀² = g/h, is off the target's. The body then walks on beside its target.

use glam::DVec3;

use super::parts::{MAX_UNKNOWNS, solve_small};
use super::simulation::Simulation;
use crate::dynamics::{centroid, dot, point_jacobian_into};

/// A foot that comes down within this time is placed, s.
const AHEAD_S: f64 = 0.6;
/// Shortest time in which its way is changed, s.
const LEAST_S: f64 = 0.1;
/// Farthest shift of a step, share of the stature.
const FARTHEST: f64 = 0.25;
/// Greatest change of the foot's acceleration, m/s².
const MOST: f64 = 60.0;
/// Degrees of freedom of hip and knee, which carry the foot.
const SWING_DOFS: usize = 4;

impl Simulation {
    /// Moves the foot that will come down next; `false` when none will.
    pub(super) fn place_step(&mut self) -> bool {
        let lands = self.target.lands_in[self.step];
        let Some(foot) = (0..2).filter(|&f| lands[f] < AHEAD_S).min_by(|&a, &b| lands[a].total_cmp(&lands[b]))
        else {
            return false;
        };
        let (here, there) = (self.workspace.kinematics(), &self.target_kinematics);
        let (now, wanted) = (centroid(&self.body, here), centroid(&self.target.body, there));
        let ground = self.target.floor.height_at(now.com.x, now.com.z);
        let height = (now.com.y - ground).max(0.3 * self.body.stature());
        let omega = (self.body.gravity().length() / height).sqrt();
        let mut shift = now.com - self.frame.place(wanted.com)
            + (now.velocity - self.frame.turn * wanted.velocity) / omega;
        shift.y = 0.0;
        let shift = shift.clamp_length_max(FARTHEST * self.body.stature());
        let link = self.target.soles[foot].foot;
        let (at, goal) = (here.link(link), there.link(link));
        let off = at.position - self.frame.place(goal.position);
        // The target's foot moves as it will in this step; its speed now is needed too.
        let speed = goal.velocity.lin;
        point_jacobian_into(&self.body, there, link, DVec3::ZERO, &mut self.wrench_response);
        let n = self.body.num_dofs();
        let qd = self.target.qd(self.step);
        let before: [f64; 3] = std::array::from_fn(|k| dot(&self.wrench_response[k * n..(k + 1) * n], qd));
        let rate = at.velocity.lin - self.frame.turn * DVec3::from_array(before);
        let t = lands[foot].max(LEAST_S);
        let turn = (shift - off) * (6.0 / (t * t)) - rate * (4.0 / t);
        self.steer(link, speed, rate, turn);
        true
    }

    /// Changes hip and knee so that the foot's deviation accelerates by `turn` over the ground.
    fn steer(&mut self, link: usize, goal_speed: DVec3, rate: DVec3, turn: DVec3) {
        let n = self.body.num_dofs();
        let dt = self.target.dt;
        let knee = self.body.link(link).parent.unwrap_or(0);
        let hip = self.body.link(knee).parent.unwrap_or(0);
        let kinematics = self.workspace.kinematics();
        point_jacobian_into(&self.body, kinematics, link, DVec3::ZERO, &mut self.wrench_response);
        for ((w, v), a) in self.wanted_qd.iter_mut().zip(&self.state.qd).zip(&self.qdd) {
            *w = v + dt * a;
        }
        let goal_speed = self.frame.turn * goal_speed;
        let mut right = [0.0; MAX_UNKNOWNS];
        for (r, axis) in [0, 2].into_iter().enumerate() {
            let row = &self.wrench_response[axis * n..(axis + 1) * n];
            let planned = (dot(row, &self.wanted_qd) - goal_speed[axis] - rate[axis]) / dt;
            right[r] = (turn[axis] - planned).clamp(-MOST, MOST);
        }
        let dofs = || self.body.link(hip).dofs().chain(self.body.link(knee).dofs()).take(SWING_DOFS);
        let entry = |axis: usize, dof: usize| self.wrench_response[axis * n + dof];
        let mut m = [0.0; MAX_UNKNOWNS * MAX_UNKNOWNS];
        for (i, a) in [0, 2].into_iter().enumerate() {
            for (j, b) in [0, 2].into_iter().enumerate().take(i + 1) {
                m[i * MAX_UNKNOWNS + j] = dofs().map(|d| entry(a, d) * entry(b, d)).sum();
            }
            // A straight leg cannot be made longer; a hundredth of a square leg length keeps it calm.
            m[i * MAX_UNKNOWNS + i] += 0.01;
        }
        solve_small(&mut m, &mut right, 2);
        for dof in self.body.link(hip).dofs().chain(self.body.link(knee).dofs()) {
            self.qdd[dof] += self.wrench_response[dof] * right[0] + self.wrench_response[2 * n + dof] * right[1];
        }
    }
}
