//! The paper's controller as published \[oshita2001\]: joint load, then balance; arms, then back, then the lower body.
//!
//! Every step, and from that step's torques alone. A joint that carries more than it does comfortably, and more than
//! the undisturbed target has it carry, is relieved by the smallest Δq̈ of a part of the body that takes the excess off
//! its torque: (H_{s,part} − J_{c,s}ᵀ ∂f_c/∂q̈_part) Δq̈ = −excess, f_c the ground's forces, which change as well. What
//! one part cannot give within its bounds is asked of the next. Then the same parts bring the ZMP back into the support
//! polygon (`Controller::balance`). There is no plan over time, no rollout and no step: `docs/methods/react.md` says
//! what that cannot do.

use super::bounds::{reach_into, soften_range};
use super::controller::Controller;
use super::parts::{MAX_UNKNOWNS, PARTS, Part, solve_small};
use crate::dynamics::{load, set_vec3, vec3_at};

/// What an unknown at its bound costs, as part of a joint's strength left unrelieved. With 0.02 bodies under 5 and 8 kg
/// swung their arms into their bounds for the last newton-metre and most fell. Only 0.02 and 0.2 were compared, on two squats.
const EFFORT: f64 = 0.2;
/// Acceleration of the differences, rad/s².
const DIFFERENCE: f64 = 1e-4;
/// Most joints that are relieved at once.
const MAX_JOINTS: usize = 16;

impl Controller<'_> {
    /// Adds the paper's corrections to the requested accelerations.
    pub(super) fn correct_as_published(&mut self) {
        self.plan.added.copy_from_slice(&self.plan.qdd);
        reach_into(&self.setup.body, &self.seen.h, self.setup.config.max_acceleration, &mut self.plan.reach);
        if self.setup.loaded {
            self.relieve_joints();
        }
        self.balance();
        self.keep_corrections();
    }

    /// Relieves strained joints by arms, back and lower body.
    ///
    /// The load is what the body takes for the target's own accelerations. What tracking adds to return to the target
    /// does not count: relieved as well, it would be undone, and no deviation would be large enough.
    fn relieve_joints(&mut self) {
        self.plan.tracked.copy_from_slice(&self.plan.qdd);
        self.setup.target.acceleration_into(self.motion.step, &mut self.plan.qdd);
        let force = self.motion.frame.turn * vec3_at(&self.plan.qdd, 0);
        set_vec3(&mut self.plan.qdd, 0, force);
        self.keep_hold();
        for part in PARTS {
            if !self.relieve_by(part) {
                break;
            }
        }
        std::mem::swap(&mut self.plan.qdd, &mut self.plan.tracked);
        for &link in self.setup.members.arm_links.iter().chain(&self.setup.members.back_links) {
            soften_range(self.setup.body.link(link), &self.motion.state, &mut self.plan.qdd);
        }
    }

    /// Relieves strained joints by one part; `false` when there are none.
    fn relieve_by(&mut self, part: Part) -> bool {
        self.plan_torques();
        let strained = self.strained();
        if strained.count == 0 {
            return false;
        }
        let answers = self.answers(part, &strained);
        let (setup, plan) = (self.setup, &mut *self.plan);
        let n = plan.basis.len;
        // min Σ (a x + over)² + EFFORT² Σ (x / reach)².
        let mut m = [0.0; MAX_UNKNOWNS * MAX_UNKNOWNS];
        let mut x = [0.0; MAX_UNKNOWNS];
        for (a, &(index, over)) in answers.iter().zip(strained.joints()) {
            // A part's own joints are its means, not its end.
            if setup.members.is_of(part, index) {
                continue;
            }
            for i in 0..n {
                for j in 0..=i {
                    m[i * MAX_UNKNOWNS + j] += a[i] * a[j];
                }
                x[i] -= a[i] * over;
            }
        }
        for (k, reach) in plan.basis.reach[..n].iter().enumerate() {
            m[k * MAX_UNKNOWNS + k] += (EFFORT / reach).powi(2);
        }
        solve_small(&mut m, &mut x, n);
        for (x, &reach) in x.iter_mut().zip(&plan.basis.reach[..n]) {
            *x = if x.is_finite() { x.clamp(-reach, reach) } else { 0.0 };
        }
        plan.basis.add(&x, &mut plan.qdd);
        plan.basis.add(&x, &mut plan.tracked);
        true
    }

    /// Joints that carry more than is comfortable and more than the undisturbed target has them carry.
    fn strained(&self) -> Strained {
        let mut out = Strained { list: [(0, 0.0); MAX_JOINTS], count: 0 };
        let own = self.setup.target.load(self.motion.step);
        for (index, link) in self.setup.body.links().iter().enumerate().skip(1) {
            let over = load(link, &self.plan.tau) - own[index].max(self.setup.config.comfort);
            if over > 0.0 && out.count < MAX_JOINTS {
                out.list[out.count] = (index, over);
                out.count += 1;
            }
        }
        out
    }

    /// How the load of each strained joint answers to each unknown of a part, which is set up in `plan.basis`.
    fn answers(&mut self, part: Part, strained: &Strained) -> [[f64; MAX_UNKNOWNS]; MAX_JOINTS] {
        let (setup, seen, plan) = (self.setup, &mut *self.seen, &mut *self.plan);
        plan.basis.fill(part, &setup.members, &seen.rows, &seen.factors, &mut seen.problem, &plan.reach);
        let mut out = [[0.0; MAX_UNKNOWNS]; MAX_JOINTS];
        for k in 0..plan.basis.len {
            plan.basis.weigh_into(k, &seen.h, &mut plan.scratch);
            let wrench = std::array::from_fn(|i| plan.scratch[i]);
            plan.distribution.answer(&wrench, &mut plan.row_scratch);
            for i in 0..seen.rows.len() {
                if plan.row_scratch[i] != 0.0 {
                    seen.rows.add_row(i, -plan.row_scratch[i], &mut plan.scratch);
                }
            }
            for (out, &(index, _)) in out.iter_mut().zip(strained.joints()) {
                let link = setup.body.link(index);
                for dof in link.dofs() {
                    plan.base[dof] = plan.tau[dof] + DIFFERENCE * plan.scratch[dof];
                }
                out[k] = (load(link, &plan.base) - load(link, &plan.tau)) / DIFFERENCE;
            }
        }
        out
    }
}

/// Strained joints: link, and load beyond what it carries well.
struct Strained {
    list: [(usize, f64); MAX_JOINTS],
    count: usize,
}

impl Strained {
    fn joints(&self) -> &[(usize, f64)] {
        &self.list[..self.count]
    }
}

#[cfg(test)]
mod tests;
