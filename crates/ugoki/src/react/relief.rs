//! Relief: arms swing so that joints strained by a carried load carry less.
//!
//! Judged in three steps: which joints carry more than they and the target do well; what the arms' weight and their swing do to each;
//! the smallest swing that relieves them, the same with both arms where the load sits in the middle.

use glam::DVec3;

use super::control::SLOW_S;
use super::horizon::RANGE_S;
use super::parts::{MAX_UNKNOWNS, Part, solve_small};
use super::simulation::Simulation;
use crate::dynamics::{dot, load, set_vec3, vec3_at};
use crate::skeleton::Role;

/// Loads this near to their bound count as within it, shares of strength. Far above rounding.
const LOAD_CLOSE: f64 = 1e-3;
/// A correction at its greatest costs as much as this share of a joint's strength left unrelieved.
///
/// With 0.03 the arms of a man who stands still under 30 kg went 6 cm farther for 1 % of his ankles' strength.
const ARMS_EFFORT: f64 = 0.05;
/// The same for arms that move unlike each other under a load in the middle.
const UNEVEN_EFFORT: f64 = 1.0;
/// Share of its strength by which a joint may exceed what it carries well before the arms move for it.
const DEAD_ZONE: f64 = 0.01;
/// Time in which the arms take up a new relief, s: quicker, they follow every sway of millimetres; slower, they come late for a squat.
const SWING_S: f64 = 0.2;
/// Displacement, rad, that tracking makes of a steady 1 rad/s²: T²/6 with the longest T.
const SETTLED: f64 = RANGE_S[1] * RANGE_S[1] / 6.0;
/// How much more a joint that must not be loaded further counts than one to be relieved, and how often such joints are looked for.
const GUARD: f64 = 1e3;
const GUARD_ROUNDS: usize = 4;
/// Swings smaller than this, rad/s², are none.
const STILL: f64 = 1e-6;
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
    /// How a wrench that the root needs changes it through the ground.
    through: [f64; 6],
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
    /// Relieves the joints of what a carried load adds to the target's own.
    ///
    /// Judged without the way back to the target: returning may take all strength, and relief that fed on the deviation it
    /// makes would run away.
    pub(super) fn relieve_all(&mut self) {
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
                self.rows.add_row(i, -f, &mut self.tau);
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
        let strained = strains.iter().any(|strain| strain.now > strain.well + DEAD_ZONE);
        if !strained {
            self.relief = (self.relief - self.target.dt / SLOW_S).max(0.0);
        }
        let moving = self.swing.iter().any(|x| x.abs() > STILL);
        if self.members.arms.is_empty() || !strained && !moving {
            return;
        }
        let Self { basis, members, rows, factors, problem, reach, .. } = self;
        basis.fill(Part::Arms, members, rows, factors, problem, reach);
        let n = self.basis.len;
        let standing = self.share.prepare();
        self.basis.weigh(&self.h);
        for strain in strains.iter_mut() {
            strain.through = if standing { self.load_through(strain) } else { [0.0; 6] };
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
        for _ in 0..if strained { GUARD_ROUNDS } else { 0 } {
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
        if strained {
            self.relief = (self.relief + self.target.dt / SLOW_S).min(1.0);
            x.iter_mut().for_each(|x| *x *= self.relief);
        }
        let rate = (self.target.dt / SWING_S).min(1.0);
        for ((x, swing), reach) in x.iter_mut().zip(&mut self.swing).zip(&self.basis.reach) {
            let wanted = if x.is_finite() { x.clamp(-reach, *reach) } else { 0.0 };
            *swing += rate * (wanted - *swing);
            *x = *swing;
        }
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
                (1.0, (strain.unrelieved - strain.well - DEAD_ZONE).max(0.0))
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
        if self.even_load {
            self.keep_even(&mut m);
        }
        solve_small(&mut m, x, n);
    }

    /// World axis of a degree of freedom of a link.
    fn axis(&self, link: usize, dof: usize) -> DVec3 {
        let (link, pose) = (self.body.link(link), self.workspace.kinematics().link(link));
        if link.num_dofs() == 1 { pose.matrix * link.axis } else { pose.matrix.col(dof - link.dof) }
    }

    /// Adds to `m` what it costs that one arm turns otherwise than the other's mirror image: both joints of the pair turned
    /// by ω and ω', the difference is ω' less ω half a turn about the line through the shoulders.
    fn keep_even(&self, m: &mut [f64; MAX_UNKNOWNS * MAX_UNKNOWNS]) {
        let links = &self.members.arm_links;
        if links.len() != 4 {
            return;
        }
        let place = |link: usize| self.workspace.kinematics().link(link).position;
        let across = (place(links[0]) - place(links[2])).normalize_or(DVec3::X);
        let mut columns = [[DVec3::ZERO; 2]; MAX_UNKNOWNS];
        for (column, &dof) in columns.iter_mut().zip(&self.members.arms) {
            let Some(k) = links.iter().position(|&l| self.body.link(l).dofs().contains(&dof)) else {
                continue;
            };
            let axis = self.axis(links[k], dof);
            column[k % 2] = if k < 2 { across * (2.0 * axis.dot(across)) - axis } else { -axis };
        }
        let n = self.basis.len;
        let reach = self.basis.reach[..n].iter().copied().fold(f64::INFINITY, f64::min);
        let weight = (UNEVEN_EFFORT / reach).powi(2);
        for i in 0..n {
            for j in 0..=i {
                let same = columns[i][0].dot(columns[j][0]) + columns[i][1].dot(columns[j][1]);
                m[i * MAX_UNKNOWNS + j] += weight * same;
            }
        }
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
            let axis = self.axis(index, dof);
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

    /// How a wrench at the root changes the load of a strained joint through the ground: d·J_cᵀ ∂f_c/∂w.
    fn load_through(&self, strain: &Strain) -> [f64; 6] {
        let dofs = self.body.link(strain.link).dofs();
        self.share.response_of(|row| {
            let own = &self.rows.jacobian(row)[dofs.clone()];
            strain.direction.iter().zip(own).map(|(d, j)| d * j).sum()
        })
    }

    /// How unknown `k` of the basis changes the load of a strained joint: d·(H z − J_cᵀ ∂f_c/∂w (H z)_root).
    fn load_change(&self, strain: &Strain, k: usize) -> f64 {
        let hz = self.basis.hz(k);
        let own = &hz[self.body.link(strain.link).dofs()];
        let at_once: f64 = strain.direction.iter().zip(own).map(|(d, h)| d * h).sum();
        at_once - dot(&strain.through, &hz[..6])
    }

    /// Lets relief fade where there is none to give.
    pub(super) fn rest_arms(&mut self) {
        self.relief = (self.relief - self.target.dt / SLOW_S).max(0.0);
        let rate = (self.target.dt / SWING_S).min(1.0);
        self.swing.iter_mut().for_each(|x| *x -= rate * *x);
    }
}
