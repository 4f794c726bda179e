//! Dynamic control: relieving strained joints and keeping balance, by arms, then back, then the lower body.
//!
//! Both act only where the environment makes things worse than the undisturbed target has them by itself: a joint is
//! relieved of what exceeds both its comfort and the target's own load at this time, and the ZMP is brought back where
//! it is nearer to the border than both the margin and the target's own.

use glam::{DVec2, DVec3};

use super::bounds::{reach_into, soften_range};
use super::ground::bearing;
use super::load_policy::Care;
use super::parts::{MAX_UNKNOWNS, PARTS, Part};
use super::simulation::Simulation;
use super::target::{FLIGHT, flat, wrench};
use crate::dynamics::{SupportPolygon, Wrench, difference_into, set_vec3, vec3_at, zmp};

/// Margins this near to their bound count as within it, m. Far above rounding.
const MARGIN_CLOSE: f64 = 1e-4;
/// A part gives nothing more in a direction in which it is off its target by this much, radians.
const ARMS_ROOM: f64 = 1.0;
const BACK_ROOM: f64 = 0.35;
/// After a correction arms and back come back without haste for this long, s; after one for balance all joints do.
pub(super) const SLOW_S: f64 = 0.3;
/// How far ahead its swing counts, s.
const LEAD_S: f64 = 0.1;
/// A target that lacks this much ground (0 to 1) is only followed.
pub(super) const MUCH_SLACK: f64 = 0.5;
/// Greatest acceleration with which the pelvis gives way, m/s².
const MAX_GIVE: f64 = 15.0;
/// Bisection steps for the fraction of the return that the ground can give: resolution one sixty-fourth.
const HALVINGS: usize = 6;

impl Simulation {
    /// Adds the corrections to the wanted accelerations.
    pub(super) fn control(&mut self) {
        self.added.copy_from_slice(&self.qdd);
        self.tracked.copy_from_slice(&self.qdd);
        difference_into(&self.body, self.target.q(self.step), &self.state.q, &mut self.off);
        reach_into(&self.body, &self.h, self.config.max_acceleration, &mut self.reach);
        self.lead_feet();
        self.swing_legs();
        if self.steps_out() {
            self.slow_s = SLOW_S;
        }
        let ground = self.target.slack[self.step] < MUCH_SLACK;
        // Nor is a body eased that is losing balance.
        let care = self.care_now();
        if self.loaded && care != Care::Nothing {
            self.relieve(ground && self.slow_s == 0.0);
        }
        // A body that takes a recovery step is caught by the step; arms that swing then are missing later. Where the
        // target itself has no ground to spare there is nothing to hold.
        if ground && !self.steps_out() && matches!(care, Care::All | Care::Balance) {
            self.slow_return();
            self.balance();
            self.swing_legs();
        }
        // A body at the target needs no catching, and would deviate by giving way.
        if self.may_be_caught() && self.astray > 0.0 {
            self.give_way();
        }
        for (added, now) in self.added.iter_mut().zip(&self.qdd) {
            *added = now - *added;
        }
        let size =
            |dofs: &[usize], added: &[f64]| dofs.iter().map(|&d| added[d] * added[d]).sum::<f64>().sqrt();
        self.corrections.arms = size(&self.members.arms, &self.added);
        self.corrections.back = size(&self.members.back, &self.added);
        self.corrections.lower = size(&self.members.legs, &self.added);
    }

    /// Adds the part's correction within its bounds: reach, and softly the ends of ranges.
    fn apply(&mut self, part: Part, x: &mut [f64; MAX_UNKNOWNS]) {
        for (x, &reach) in x.iter_mut().zip(&self.basis.reach[..self.basis.len]) {
            *x = if x.is_finite() { x.clamp(-reach, reach) } else { 0.0 };
        }
        self.fade(part, x);
        self.basis.add(x, &mut self.qdd);
        let links = match part {
            Part::Arms => &self.members.arm_links,
            Part::Back => &self.members.back_links,
            Part::Lower => return,
        };
        for &link in links {
            soften_range(self.body.link(link), &self.state, &mut self.qdd);
        }
    }

    /// Takes back from the correction what leads farther from the target than the part has room for.
    fn fade(&self, part: Part, x: &mut [f64; MAX_UNKNOWNS]) {
        let (dofs, room) = match part {
            Part::Arms => (&self.members.arms, ARMS_ROOM),
            Part::Back => (&self.members.back, BACK_ROOM),
            Part::Lower => return,
        };
        for (x, &dof) in x.iter_mut().zip(dofs) {
            // Where it will be in a moment counts: what swings that way already has less room.
            let off = self.off[dof] + LEAD_S * (self.state.qd[dof] - self.target.qd(self.step)[dof]);
            if off * *x > 0.0 {
                *x *= (1.0 - off.abs() / room).max(0.0);
            }
        }
    }

    /// The ground's wrench that the accelerations wanted need, without what the target's residual gives.
    fn needed_wrench(&self) -> Wrench {
        let given = self.h.multiply_root(&self.qdd);
        let root: [f64; 6] = std::array::from_fn(|k| given[k] + self.bias[k] - self.residual[k]);
        wrench(self.workspace.kinematics(), &root)
    }

    /// The target's own ZMP, seen from the planted feet.
    pub(super) fn own_zmp(&self) -> DVec2 {
        let zmp = self.target.zmp[self.step];
        flat(self.frame.place(DVec3::new(zmp.x, 0.0, zmp.y)))
    }

    /// How far weak toes are relied on: fully by a body at the target.
    fn trust(&self) -> f64 {
        1.0 - self.astray
    }

    /// Whether the ground can give the wrench.
    fn ground_gives(&self, need: &Wrench, polygon: &SupportPolygon, ground: f64, margin: f64) -> bool {
        let point = zmp(need, ground, FLIGHT * self.weight);
        point.is_none_or(|point| polygon.margin(flat(point)) >= margin - MARGIN_CLOSE)
    }

    /// Returns to the target no faster than the ground can give, while the body is where the target has it.
    ///
    /// The pace of the return is the controller's own choice: arms are not swung, and nothing gives way, for a return
    /// that is possible without them at a slower pace. A body far from the target needs all of it.
    fn slow_return(&mut self) {
        if self.astray >= 1.0 {
            return;
        }
        let own = self.own_zmp();
        let (polygon, ground) = bearing(&self.rows, own, self.trust());
        let margin = self.config.margin_m.min(polygon.margin(own)).max(0.0);
        let all = self.needed_wrench();
        if polygon.corners().is_empty() || self.ground_gives(&all, &polygon, ground, margin) {
            return;
        }
        // What the way back adds to the target's own accelerations.
        std::mem::swap(&mut self.qdd, &mut self.scratch);
        self.target.acceleration_into(self.step, &mut self.qdd);
        let force = self.frame.turn * vec3_at(&self.qdd, 0);
        set_vec3(&mut self.qdd, 0, force);
        self.keep_hold();
        for (b, (t, q)) in self.base.iter_mut().zip(self.tracked.iter().zip(&self.qdd)) {
            *b = t - q;
        }
        std::mem::swap(&mut self.qdd, &mut self.scratch);
        let back = wrench(self.workspace.kinematics(), &self.h.multiply_root(&self.base));
        let without = |part: f64| Wrench {
            at: all.at,
            force: all.force - back.force * part,
            moment: all.moment - back.moment * part,
        };
        let (mut gives, mut not) = (1.0, 0.0);
        if self.ground_gives(&without(1.0), &polygon, ground, margin) {
            for _ in 0..HALVINGS {
                let middle = 0.5 * (gives + not);
                let enough = self.ground_gives(&without(middle), &polygon, ground, margin);
                *(if enough { &mut gives } else { &mut not }) = middle;
            }
        }
        let part = gives * (1.0 - self.astray);
        for (q, b) in self.qdd.iter_mut().zip(&self.base) {
            *q -= part * b;
        }
    }

    /// Brings the ZMP back where it leaves the support polygon less its margin.
    fn balance(&mut self) {
        let own = self.own_zmp();
        let (polygon, ground) = bearing(&self.rows, own, self.trust());
        let margin = self.config.margin_m.min(polygon.margin(own)).max(0.0);
        let mut inner = None;
        for part in PARTS {
            let need = self.needed_wrench();
            let Some(point) = zmp(&need, ground, FLIGHT * self.weight) else { break };
            if polygon.corners().is_empty() || polygon.margin(flat(point)) >= margin - MARGIN_CLOSE {
                break;
            }
            let inner = inner.get_or_insert_with(|| polygon.shrunk(margin));
            let Some(goal) = inner.nearest(flat(point)) else { break };
            self.slow_s = SLOW_S;
            self.shift_zmp(part, &need, DVec3::new(goal.x, ground, goal.y));
        }
    }

    /// Lets the pelvis go where the ground cannot hold it.
    ///
    /// What is left of a ZMP outside its polygon would turn the whole body over the edge of its feet. A body that moves
    /// off upright instead, as an inverted pendulum does, keeps its feet flat and can be caught by a step.
    fn give_way(&mut self) {
        for _ in 0..2 {
            let own = self.own_zmp();
            let (polygon, ground) = bearing(&self.rows, own, self.trust());
            let need = self.needed_wrench();
            let Some(point) = zmp(&need, ground, FLIGHT * self.weight) else { return };
            let margin = self.config.margin_m.min(polygon.margin(own)).max(0.0);
            if polygon.corners().is_empty() || polygon.margin(flat(point)) >= margin - MARGIN_CLOSE {
                return;
            }
            let Some(goal) = polygon.shrunk(margin).nearest(flat(point)) else { return };
            let goal = DVec3::new(goal.x, ground, goal.y);
            self.slow_s = SLOW_S;
            let moment = need.moment_about(goal);
            self.basis.len = 2;
            for (k, along) in [DVec3::X, DVec3::Z].into_iter().enumerate() {
                let mut z = std::mem::take(&mut self.scratch);
                self.carry_pelvis_into(along, &mut z);
                self.basis.z_mut(k).copy_from_slice(&z);
                self.scratch = z;
            }
            self.basis.weigh_root(&self.h);
            let kinematics = self.workspace.kinematics();
            let [a, b] = [0, 1].map(|k| wrench(kinematics, self.basis.hz(k)).moment_about(goal));
            let determinant = a.x * b.z - b.x * a.z;
            if determinant.abs() < 1e-9 {
                return;
            }
            let mut x = [0.0; MAX_UNKNOWNS];
            x[0] = -(moment.x * b.z - b.x * moment.z) / determinant;
            x[1] = -(a.x * moment.z - moment.x * a.z) / determinant;
            let size = x[0].hypot(x[1]);
            if size > MAX_GIVE {
                x[0] *= MAX_GIVE / size;
                x[1] *= MAX_GIVE / size;
            }
            self.basis.add(&x, &mut self.qdd);
            self.swing_legs();
        }
    }

    /// The least weighted Δq̈ of `part` with which the ground's moment about `goal` has no horizontal part.
    fn shift_zmp(&mut self, part: Part, need: &Wrench, goal: DVec3) {
        self.basis.fill(part, &self.members, &self.rows, &self.factors, &mut self.problem, &self.reach);
        self.basis.weigh_root(&self.h);
        let n = self.basis.len;
        if n == 0 {
            return;
        }
        let moment = need.moment_about(goal);
        let kinematics = self.workspace.kinematics();
        let changes: [DVec3; MAX_UNKNOWNS] = std::array::from_fn(|k| {
            if k < n { wrench(kinematics, self.basis.hz(k)).moment_about(goal) } else { DVec3::ZERO }
        });
        let rows = [changes.map(|change| change.x), changes.map(|change| change.z)];
        // x = −W⁻¹ Bᵀ (B W⁻¹ Bᵀ)⁻¹ m with W⁻¹ = reach².
        let weighted = |a: usize, b: usize| -> f64 {
            (0..n).map(|k| rows[a][k] * rows[b][k] * self.basis.reach[k].powi(2)).sum()
        };
        let (xx, xz, zz) = (weighted(0, 0), weighted(0, 1), weighted(1, 1));
        // A part that can turn the body about one axis only must not be asked for the other.
        let ridge = 1e-6 * (xx + zz) + f64::MIN_POSITIVE;
        let (xx, zz) = (xx + ridge, zz + ridge);
        let determinant = xx * zz - xz * xz;
        let (a, b) =
            (-(zz * moment.x - xz * moment.z) / determinant, -(xx * moment.z - xz * moment.x) / determinant);
        let mut x: [f64; MAX_UNKNOWNS] = std::array::from_fn(|k| {
            if k < n { (rows[0][k] * a + rows[1][k] * b) * self.basis.reach[k].powi(2) } else { 0.0 }
        });
        self.apply(part, &mut x);
    }

    /// World axes of what was added at each joint, rad/s².
    pub(super) fn correction_axis(&self, link: usize) -> DVec3 {
        let l = self.body.link(link);
        let pose = self.workspace.kinematics().link(link);
        match l.num_dofs() {
            1 => pose.matrix * (l.axis * self.added[l.dof]),
            3 => pose.matrix * vec3_at(&self.added, l.dof),
            _ => pose.matrix * vec3_at(&self.added, 3),
        }
    }
}
