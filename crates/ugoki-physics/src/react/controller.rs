//! The controller of one step: what it sees, what it remembers, what it requests; and torques for accelerations.

use super::complementarity::Place;
use super::memory::{Care, Memory};
use super::parts::{MAX_UNKNOWNS, solve_small};
use super::report::Corrections;
use super::rows::Row;
use super::state::{Motion, Observation, Plan, Setup};
use crate::dynamics::load;

/// After a correction arms and back come back without haste for this long, s; after one for balance all joints do.
pub(super) const SLOW_S: f64 = 0.3;

/// The controller at work on one step.
pub(super) struct Controller<'a> {
    pub(super) setup: &'a Setup,
    pub(super) motion: &'a Motion,
    pub(super) memory: &'a mut Memory,
    pub(super) seen: &'a mut Observation,
    pub(super) plan: &'a mut Plan,
}

impl Controller<'_> {
    /// What is done now.
    pub(super) fn care_now(&self) -> Care {
        self.memory.care_now(self.motion.step, self.setup.target.dt)
    }

    /// Brings the wanted accelerations to what planted feet allow, by the smallest change in the metric of H.
    pub(super) fn hold(&mut self) {
        for (place, row) in self.seen.problem.place.iter_mut().zip(&self.seen.rows.list) {
            *place = if row.holds() { Place::Free } else { Place::Low };
        }
        self.plan.held = self.seen.rows.list.iter().any(Row::holds) && self.seen.problem.factor_free();
        self.keep_hold();
    }

    /// The same again in the same step.
    pub(super) fn keep_hold(&mut self) {
        if !self.plan.held {
            return;
        }
        let dt = self.setup.target.dt;
        let Observation { rows, problem, factors, .. } = &mut *self.seen;
        let Plan { qdd, row_scratch, force, .. } = &mut *self.plan;
        let state = &self.motion.state;
        for (i, row) in rows.list.iter().enumerate() {
            row_scratch[i] = 0.0;
            if row.holds() {
                row_scratch[i] = (row.speed - rows.motion(i, &state.qd)) / dt - rows.motion(i, qdd);
            }
        }
        problem.solve_held(row_scratch);
        force.fill(0.0);
        rows.add_force(row_scratch, force);
        factors.solve(force);
        for (q, f) in qdd.iter_mut().zip(force.iter()) {
            *q += f;
        }
    }

    /// Torques for the accelerations requested: the ground's forces shared out, the root left to what they give.
    pub(super) fn give_torques(&mut self) {
        self.distribute_ground();
        self.free_root();
        self.find_torques();
        self.plan.tau[..6].fill(0.0);
        self.plan.cut.fill(false);
        for (index, link) in self.setup.body.links().iter().enumerate().skip(1) {
            let now = load(link, &self.plan.tau);
            if now > 1.0 {
                let most = self.setup.most_load(self.motion.step, index);
                if now <= most {
                    continue;
                }
                self.plan.cut[index] = true;
                for t in &mut self.plan.tau[link.dofs()] {
                    *t *= most / now;
                }
            }
        }
        let dt = self.setup.target.dt;
        for ((w, v), a) in self.plan.wanted_qd.iter_mut().zip(&self.motion.state.qd).zip(&self.plan.qdd) {
            *w = v + dt * a;
        }
    }

    /// The ground's forces for the accelerations requested.
    fn distribute_ground(&mut self) {
        let given = self.seen.h.multiply_root(&self.plan.qdd);
        let wanted = std::array::from_fn(|k| given[k] + self.seen.bias[k] - self.seen.residual[k]);
        self.plan.distribution.solve(&self.seen.rows, self.setup.config.friction, &wanted);
    }

    /// H q̈ + bias − Jᵀf.
    fn find_torques(&mut self) {
        self.seen.h.multiply_into(&self.plan.qdd, &mut self.plan.tau);
        for (t, b) in self.plan.tau.iter_mut().zip(&self.seen.bias) {
            *t += b;
        }
        for i in 0..self.seen.rows.len() {
            let f = self.plan.distribution.force[i];
            if f != 0.0 {
                self.seen.rows.add_row(i, -f, &mut self.plan.tau);
            }
        }
    }

    /// Torques of the accelerations as they are requested so far.
    pub(super) fn plan_torques(&mut self) {
        self.distribute_ground();
        self.find_torques();
    }

    /// Keeps for the report what was added to the accelerations in `plan.added`.
    pub(super) fn keep_corrections(&mut self) {
        for (added, now) in self.plan.added.iter_mut().zip(&self.plan.qdd) {
            *added = now - *added;
        }
        let added = &self.plan.added;
        let size = |dofs: &[usize]| dofs.iter().map(|&d| added[d] * added[d]).sum::<f64>().sqrt();
        let members = &self.setup.members;
        self.plan.corrections =
            Corrections { arms: size(&members.arms), back: size(&members.back), lower: size(&members.legs) };
    }

    /// The root's acceleration under the ground's forces, with the joints' as wanted: H_rr q̈_r = f − bias − H_rj q̈_j.
    fn free_root(&mut self) {
        let mut right = [0.0; MAX_UNKNOWNS];
        for ((right, residual), bias) in right.iter_mut().zip(&self.seen.residual).zip(&self.seen.bias) {
            *right = residual - bias;
        }
        for i in 0..self.seen.rows.len() {
            let f = self.plan.distribution.force[i];
            for (r, j) in right[..6].iter_mut().zip(self.seen.rows.jacobian(i)) {
                *r += f * j;
            }
        }
        for dof in 6..self.plan.qdd.len() {
            let row = self.seen.h.lower_row(dof);
            for (right, h) in right[..6].iter_mut().zip(row) {
                *right -= h * self.plan.qdd[dof];
            }
        }
        let mut m = [0.0; MAX_UNKNOWNS * MAX_UNKNOWNS];
        for i in 0..6 {
            m[i * MAX_UNKNOWNS..i * MAX_UNKNOWNS + i + 1].copy_from_slice(self.seen.h.lower_row(i));
        }
        solve_small(&mut m, &mut right, 6);
        self.plan.qdd[..6].copy_from_slice(&right[..6]);
    }
}
