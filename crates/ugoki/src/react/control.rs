//! Dynamic control: relieving strained joints and keeping balance, by arms, then back, then the lower body.
//!
//! Both act only where the environment makes things worse than the undisturbed target has them by itself: a joint is
//! relieved of what exceeds both its comfort and the target's own load at this time, and the ZMP is brought back where it is
//! nearer to the border than both the margin and the target's own.

use glam::{DVec2, DVec3};

use super::bounds::{reach_into, soften_range};
use super::ground::bearing;
use super::horizon::RANGE_S;
use super::parts::{MAX_UNKNOWNS, PARTS, Part, solve_small};
use super::simulation::Simulation;
use super::target::{FLIGHT, flat, wrench};
use crate::dynamics::{Wrench, difference_into, dot, load, set_vec3, vec3_at, zmp};
use crate::skeleton::Role;

/// Loads and margins this near to their bound count as within it: shares of strength, m. Far above rounding.
const LOAD_CLOSE: f64 = 1e-3;
const MARGIN_CLOSE: f64 = 1e-4;
/// A correction at its greatest costs as much as this share of a joint's strength left unrelieved.
const ARMS_EFFORT: f64 = 0.03;
/// A part gives nothing more in a direction in which it is off its target by this much, radians.
const ARMS_ROOM: f64 = 1.0;
const BACK_ROOM: f64 = 0.35;
/// After a correction arms and back come back without haste for this long, s; after one for balance all joints do.
const SLOW_S: f64 = 0.3;
/// How far ahead its swing counts, s.
const LEAD_S: f64 = 0.1;
/// A target that lacks this much ground (0 to 1) is only followed.
const MUCH_SLACK: f64 = 0.5;
/// Greatest acceleration with which the pelvis gives way, m/s².
const MAX_GIVE: f64 = 15.0;
/// Displacement, rad, that tracking makes of a steady 1 rad/s²: T²/6 with the longest T.
const SETTLED: f64 = RANGE_S[1] * RANGE_S[1] / 6.0;
/// How much more a joint that must not be loaded further counts than one to be relieved, and how often such joints are looked for.
const GUARD: f64 = 1e3;
const GUARD_ROUNDS: usize = 4;
/// Joints that are relieved at once; a body has 14.
const MAX_STRAINED: usize = 14;

/// A joint that carries too much.
#[derive(Debug, Clone, Copy, Default)]
struct Strain {
    link: usize,
    /// Row that gives the change of its load: unit direction of the torque over its strength that way.
    direction: [f64; 3],
    /// Its load now, and what it carries well: its comfort or the target's own.
    now: f64,
    well: f64,
    /// How the arms' unknowns change its load, and what it would be with the arms on their target.
    row: [f64; MAX_UNKNOWNS],
    unrelieved: f64,
    /// How their accelerations change it at once, and what the way back to the target does so now.
    swing: [f64; MAX_UNKNOWNS],
    back: f64,
    /// Whether it is kept from more than it carries well.
    guarded: bool,
}

impl Simulation {
    /// Adds the corrections to the wanted accelerations.
    pub(super) fn control(&mut self) {
        self.added.copy_from_slice(&self.qdd);
        difference_into(&self.body, self.target.q(self.step), &self.state.q, &mut self.off);
        reach_into(&self.body, &self.h, self.config.max_acceleration, &mut self.reach);
        self.lead_feet();
        self.swing_legs();
        if self.steps_out() {
            self.slow_s = SLOW_S;
        }
        let ground = self.target.slack[self.step] < MUCH_SLACK;
        // Nor is anybody eased who fights for balance.
        if self.loaded && ground && self.slow_s == 0.0 {
            self.relieve_all();
        } else {
            self.relief = (self.relief - self.target.dt / SLOW_S).max(0.0);
        }
        // Who steps out is caught by the step; arms that swing then are missing later. Where the target itself has no ground
        // to spare there is nothing to hold.
        if ground && !self.steps_out() {
            self.balance();
            self.swing_legs();
        }
        if self.may_be_caught() {
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

    /// Relieves the joints of what a carried load adds to the target's own.
    ///
    /// Judged without the way back to the target: returning may take all strength, and relief that fed on the deviation it
    /// makes would run away.
    fn relieve_all(&mut self) {
        self.scratch.copy_from_slice(&self.qdd);
        self.target.acceleration_into(self.step, &mut self.qdd);
        let force = self.frame.turn * vec3_at(&self.qdd, 0);
        set_vec3(&mut self.qdd, 0, force);
        self.keep_hold();
        self.base.copy_from_slice(&self.qdd);
        if self.demand() {
            self.relieve();
            self.arms_slow_s = SLOW_S;
        }
        for ((q, s), b) in self.qdd.iter_mut().zip(&self.scratch).zip(&self.base) {
            *q += s - b;
        }
    }

    /// Torques of the accelerations wanted, with the ground's forces shared out. `false` without ground to stand on.
    fn demand(&mut self) -> bool {
        self.h.multiply_into(&self.qdd, &mut self.tau);
        for (t, b) in self.tau.iter_mut().zip(&self.bias) {
            *t += b;
        }
        let wanted = std::array::from_fn(|k| self.tau[k] - self.residual[k]);
        self.share.solve(&self.rows, self.config.friction, &wanted);
        let mut any = false;
        for i in 0..self.rows.len() {
            let f = self.share.force[i];
            if f != 0.0 {
                any = true;
                for (t, j) in self.tau.iter_mut().zip(self.rows.jacobian(i)) {
                    *t -= f * j;
                }
            }
        }
        any
    }

    /// All joints but toes and arms, with what they carry and what they carry well.
    fn strains(&self, out: &mut [Strain; MAX_STRAINED]) -> usize {
        let own = self.target.load(self.step);
        let mut count = 0;
        for (index, (link, own)) in self.body.links().iter().zip(own).enumerate().skip(1) {
            // Toes only give way; arms are what relieves.
            let spared = matches!(link.role, Role::LeftToes | Role::RightToes);
            if spared || self.members.arm_links.contains(&index) || count == MAX_STRAINED {
                continue;
            }
            let now = load(link, &self.tau);
            let well = own.max(self.config.comfort) + LOAD_CLOSE;
            if !(now.is_finite() && now > 0.0) {
                continue;
            }
            let mut direction = [0.0; 3];
            let own_tau = &self.tau[link.dofs()];
            let size = own_tau.iter().map(|t| t * t).sum::<f64>().sqrt();
            for (d, t) in direction.iter_mut().zip(own_tau) {
                // Unit direction t/|t| over the strength that way |t|/now.
                *d = t * now / (size * size);
            }
            out[count] = Strain { link: index, direction, now, well, ..Strain::default() };
            count += 1;
        }
        count
    }

    /// The smallest weighted Δq̈ of the arms against the strains: min |B x + e|² + |S (x + b)|² + ρ² Σ (xₖ/reachₖ)².
    ///
    /// B is what the arms' weight does where the correction leads them, S what their accelerations do at once, x + b with the way
    /// back to the target: arms that stop just when the back is loaded most would load it further.
    /// Joints that are well count with nothing to be relieved of, and none that would be well with the arms on their target may
    /// come to carry more than its comfort and the target's own load. Strained ones are traded against each other.
    /// Arms only: a back or leg that gives way carries more, not less. What is beyond strength they yield to anyway, when
    /// torques are clamped.
    fn relieve(&mut self) {
        let mut strains = [Strain::default(); MAX_STRAINED];
        let count = self.strains(&mut strains);
        let strains = &mut strains[..count];
        if self.members.arms.is_empty() || strains.iter().all(|strain| strain.now <= strain.well) {
            self.relief = (self.relief - self.target.dt / SLOW_S).max(0.0);
            return;
        }
        let Self { basis, members, rows, factors, problem, reach, .. } = self;
        basis.fill(Part::Arms, members, rows, factors, problem, reach);
        let n = self.basis.len;
        self.wrench_responses();
        self.basis.weigh(&self.h);
        for strain in strains.iter_mut() {
            for k in 0..n {
                let dof = self.members.arms[k];
                strain.swing[k] = self.load_change(strain, k);
                strain.back += strain.swing[k] * (self.scratch[dof] - self.base[dof]);
            }
        }
        self.weigh_arms();
        for strain in strains.iter_mut() {
            strain.unrelieved = strain.now;
            for k in 0..n {
                strain.row[k] = self.load_change(strain, k);
                strain.unrelieved -= strain.row[k] * self.off[self.members.arms[k]] / SETTLED;
            }
        }
        let mut x = [0.0; MAX_UNKNOWNS];
        for _ in 0..GUARD_ROUNDS {
            self.least_swing(strains, &mut x);
            let mut more = false;
            for strain in strains.iter_mut().filter(|strain| !strain.guarded) {
                let settled = strain.unrelieved + dot(&strain.row[..n], &x[..n]);
                strain.guarded = strain.unrelieved <= strain.well && settled > strain.well + LOAD_CLOSE;
                more |= strain.guarded;
            }
            if !more {
                break;
            }
        }
        // Arms thrown up at once would load by their inertia what their weight is to relieve.
        self.relief = (self.relief + self.target.dt / SLOW_S).min(1.0);
        x.iter_mut().for_each(|x| *x *= self.relief);
        self.apply(Part::Arms, &mut x);
    }

    /// The arms' accelerations that relieve the strains best for their size.
    fn least_swing(&self, strains: &[Strain], x: &mut [f64; MAX_UNKNOWNS]) {
        let n = self.basis.len;
        let mut m = [0.0; MAX_UNKNOWNS * MAX_UNKNOWNS];
        x.fill(0.0);
        for strain in strains {
            let (weight, aim) = if strain.guarded {
                (GUARD, GUARD * (strain.unrelieved - strain.well))
            } else {
                (1.0, (strain.now - strain.well).max(0.0))
            };
            for i in 0..n {
                for j in 0..=i {
                    m[i * MAX_UNKNOWNS + j] +=
                        weight * strain.row[i] * strain.row[j] + strain.swing[i] * strain.swing[j];
                }
                x[i] -= strain.row[i] * aim + strain.swing[i] * strain.back;
            }
        }
        for k in 0..n {
            m[k * MAX_UNKNOWNS + k] += (ARMS_EFFORT / self.basis.reach[k]).powi(2);
        }
        solve_small(&mut m, x, n);
    }

    /// Puts into the basis what the arms' weight does where a lasting correction leads them.
    ///
    /// Tracking turns a steady Δq̈ into a steady Δq = Δq̈ T²/6 without acceleration, so not H but gravity tells what it
    /// relieves: turning a limb with first moment h about a by δ changes the moment of its weight by (a × h) × g δ.
    fn weigh_arms(&mut self) {
        let poses = self.workspace.kinematics();
        for (k, &dof) in self.members.arms.iter().enumerate().take(self.basis.len) {
            let Some(index) =
                self.members.arm_links.iter().copied().find(|&l| self.body.link(l).dofs().contains(&dof))
            else {
                continue;
            };
            let (link, pose) = (self.body.link(index), poses.link(index));
            let axis = match link.num_dofs() {
                1 => pose.matrix * link.axis,
                _ => pose.matrix.col(dof - link.dof),
            };
            let mut h = DVec3::ZERO;
            for (other, body) in self.body.links().iter().enumerate() {
                if other == index || body.parent == Some(index) {
                    let there = poses.link(other);
                    h += there.matrix * body.inertia.h + (there.position - pose.position) * body.inertia.mass;
                }
            }
            let needed = -axis.cross(h).cross(self.body.gravity()) * SETTLED;
            let out = self.basis.hz_mut(k);
            out.fill(0.0);
            let mut at = link.parent;
            while let Some(above) = at {
                let (link, pose) = (self.body.link(above), poses.link(above));
                let own = pose.matrix.transpose() * needed;
                match link.num_dofs() {
                    1 => out[link.dof] = link.axis.dot(own),
                    3 => set_vec3(out, link.dof, own),
                    _ => set_vec3(out, 3, own),
                }
                at = link.parent;
            }
        }
    }

    /// ∂τ/∂w of the sharing: how a wrench at the root loads each joint through the ground, negative.
    fn wrench_responses(&mut self) {
        let n = self.body.num_dofs();
        if !self.share.prepare() {
            self.wrench_response.fill(0.0);
            return;
        }
        let (scratch, out) = self.row_scratch.split_at_mut(super::rows::MAX_ROWS);
        for k in 0..6 {
            self.share.response_into(&self.rows, k, scratch, out);
            let response = &mut self.wrench_response[k * n..(k + 1) * n];
            response.fill(0.0);
            for (i, &f) in out[..self.rows.len()].iter().enumerate() {
                if f != 0.0 {
                    for (r, j) in response.iter_mut().zip(self.rows.jacobian(i)) {
                        *r += f * j;
                    }
                }
            }
        }
    }

    /// How unknown `k` of the basis changes the load of a strained joint: d·(H z − J_cᵀ ∂f_c/∂w (H z)_root).
    fn load_change(&self, strain: &Strain, k: usize) -> f64 {
        let n = self.body.num_dofs();
        let hz = self.basis.hz(k);
        let link = self.body.link(strain.link);
        let mut sum = 0.0;
        for (d, dof) in strain.direction.iter().zip(link.dofs()) {
            let through: f64 = (0..6).map(|r| self.wrench_response[r * n + dof] * hz[r]).sum();
            sum += d * (hz[dof] - through);
        }
        sum
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
    fn needed_wrench(&mut self) -> Wrench {
        self.h.multiply_into(&self.qdd, &mut self.tau);
        let root: [f64; 6] = std::array::from_fn(|k| self.tau[k] + self.bias[k] - self.residual[k]);
        wrench(self.workspace.kinematics(), &root)
    }

    /// The target's own ZMP, seen from the planted feet.
    pub(super) fn own_zmp(&self) -> DVec2 {
        let zmp = self.target.zmp[self.step];
        flat(self.frame.place(DVec3::new(zmp.x, 0.0, zmp.y)))
    }

    /// Brings the ZMP back where it leaves the support polygon less its margin.
    fn balance(&mut self) {
        let own = self.own_zmp();
        let (polygon, ground) = bearing(&self.rows, own);
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
    /// What is left of a ZMP outside its polygon would turn the whole body over the edge of its feet. A body that moves off upright instead,
    /// as an inverted pendulum does, keeps its feet flat and can be caught by a step.
    fn give_way(&mut self) {
        for _ in 0..2 {
            let own = self.own_zmp();
            let (polygon, ground) = bearing(&self.rows, own);
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
            self.basis.weigh(&self.h);
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
        self.basis.weigh(&self.h);
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
