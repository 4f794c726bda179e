//! Keeping balance by arms, then back, then the lower body, each with the least weighted Δq̈.

use glam::{DVec2, DVec3};

use super::bounds::soften_range;
use super::config::Control;
use super::controller::{Controller, SLOW_S};
use super::ground::bearing;
use super::parts::{MAX_UNKNOWNS, PARTS, Part};
use super::target::{FLIGHT, flat, wrench};
use crate::dynamics::{SupportPolygon, Wrench, zmp};

/// Margins this near to their bound count as within it, m. Far above rounding.
pub(super) const MARGIN_CLOSE: f64 = 1e-4;
/// A part gives nothing more in a direction in which it is off its target by this much, radians.
const ARMS_ROOM: f64 = 1.0;
const BACK_ROOM: f64 = 0.35;
/// How far ahead its swing counts, s.
const LEAD_S: f64 = 0.1;

impl Controller<'_> {
    /// Adds the part's correction within its bounds: reach, and softly the ends of ranges.
    pub(super) fn apply(&mut self, part: Part, x: &mut [f64; MAX_UNKNOWNS]) {
        for (x, &reach) in x.iter_mut().zip(&self.plan.basis.reach[..self.plan.basis.len]) {
            *x = if x.is_finite() { x.clamp(-reach, reach) } else { 0.0 };
        }
        if self.setup.config.control == Control::On {
            self.fade(part, x);
        }
        self.plan.basis.add(x, &mut self.plan.qdd);
        let links = match part {
            Part::Arms => &self.setup.members.arm_links,
            Part::Back => &self.setup.members.back_links,
            Part::Lower => return,
        };
        for &link in links {
            soften_range(self.setup.body.link(link), &self.motion.state, &mut self.plan.qdd);
        }
    }

    /// Takes back from the correction what leads farther from the target than the part has room for.
    fn fade(&self, part: Part, x: &mut [f64; MAX_UNKNOWNS]) {
        let (dofs, room) = match part {
            Part::Arms => (&self.setup.members.arms, ARMS_ROOM),
            Part::Back => (&self.setup.members.back, BACK_ROOM),
            Part::Lower => return,
        };
        for (x, &dof) in x.iter_mut().zip(dofs) {
            // Where it will be in a moment counts: what swings that way already has less room.
            let off = self.plan.off[dof]
                + LEAD_S * (self.motion.state.qd[dof] - self.setup.target.qd(self.motion.step)[dof]);
            if off * *x > 0.0 {
                *x *= (1.0 - off.abs() / room).max(0.0);
            }
        }
    }

    /// The ground's wrench that the accelerations wanted need, without what the target's residual gives.
    pub(super) fn needed_wrench(&self) -> Wrench {
        let given = self.seen.h.multiply_root(&self.plan.qdd);
        let root: [f64; 6] = std::array::from_fn(|k| given[k] + self.seen.bias[k] - self.seen.residual[k]);
        wrench(self.seen.workspace.kinematics(), &root)
    }

    /// The target's own ZMP, seen from the planted feet.
    pub(super) fn own_zmp(&self) -> DVec2 {
        let zmp = self.setup.target.zmp[self.motion.step];
        flat(self.motion.frame.place(DVec3::new(zmp.x, 0.0, zmp.y)))
    }

    /// How far weak toes are relied on: fully by a body at the target.
    pub(super) fn trust(&self) -> f64 {
        1.0 - self.memory.astray
    }

    /// Whether the ground can give the wrench.
    pub(super) fn ground_gives(
        &self,
        need: &Wrench,
        polygon: &SupportPolygon,
        ground: f64,
        margin: f64,
    ) -> bool {
        let point = zmp(need, ground, FLIGHT * self.setup.weight);
        point.is_none_or(|point| polygon.margin(flat(point)) >= margin - MARGIN_CLOSE)
    }

    /// Brings the ZMP back where it leaves the support polygon less its margin.
    pub(super) fn balance(&mut self) {
        let own = self.own_zmp();
        let (polygon, ground) = bearing(&self.seen.rows, own, self.trust());
        let margin = self.setup.config.margin_m.min(polygon.margin(own)).max(0.0);
        let mut inner = None;
        for part in PARTS {
            let need = self.needed_wrench();
            let Some(point) = zmp(&need, ground, FLIGHT * self.setup.weight) else { break };
            if polygon.corners().is_empty() || polygon.margin(flat(point)) >= margin - MARGIN_CLOSE {
                break;
            }
            let inner = inner.get_or_insert_with(|| polygon.shrunk(margin));
            let Some(goal) = inner.nearest(flat(point)) else { break };
            self.memory.slow_s = SLOW_S;
            self.shift_zmp(part, &need, DVec3::new(goal.x, ground, goal.y));
        }
    }

    /// The least weighted Δq̈ of `part` with which the ground's moment about `goal` has no horizontal part.
    fn shift_zmp(&mut self, part: Part, need: &Wrench, goal: DVec3) {
        self.plan.basis.fill(
            part,
            &self.setup.members,
            &self.seen.rows,
            &self.seen.factors,
            &mut self.seen.problem,
            &self.plan.reach,
        );
        self.plan.basis.weigh_root(&self.seen.h);
        let n = self.plan.basis.len;
        if n == 0 {
            return;
        }
        let moment = need.moment_about(goal);
        let kinematics = self.seen.workspace.kinematics();
        let changes: [DVec3; MAX_UNKNOWNS] = std::array::from_fn(|k| {
            if k < n { wrench(kinematics, self.plan.basis.hz(k)).moment_about(goal) } else { DVec3::ZERO }
        });
        let rows = [changes.map(|change| change.x), changes.map(|change| change.z)];
        // x = −W⁻¹ Bᵀ (B W⁻¹ Bᵀ)⁻¹ m with W⁻¹ = reach².
        let weighted = |a: usize, b: usize| -> f64 {
            (0..n).map(|k| rows[a][k] * rows[b][k] * self.plan.basis.reach[k].powi(2)).sum()
        };
        let (xx, xz, zz) = (weighted(0, 0), weighted(0, 1), weighted(1, 1));
        // A part that can turn the body about one axis only must not be asked for the other.
        let ridge = 1e-6 * (xx + zz) + f64::MIN_POSITIVE;
        let (xx, zz) = (xx + ridge, zz + ridge);
        let determinant = xx * zz - xz * xz;
        let (a, b) =
            (-(zz * moment.x - xz * moment.z) / determinant, -(xx * moment.z - xz * moment.x) / determinant);
        let mut x: [f64; MAX_UNKNOWNS] = std::array::from_fn(|k| {
            if k < n { (rows[0][k] * a + rows[1][k] * b) * self.plan.basis.reach[k].powi(2) } else { 0.0 }
        });
        self.apply(part, &mut x);
    }
}
