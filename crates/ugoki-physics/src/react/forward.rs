//! From wanted accelerations to torques within strength, and from torques to what really happens.

use super::complementarity::{FEW_GUESSES, GUESSES, Place};
use super::ground::{Scene, release};
use super::parts::{MAX_UNKNOWNS, solve_small};
use super::rows::Kind;
use super::simulation::Simulation;
use crate::dynamics::{MassMatrix, dot, load, move_by};

/// Speeds beyond these are cut, so that no blow leads to numbers without end: rad/s of joints, m/s of the root.
const MAX_RATE: f64 = 60.0;
const MAX_SPEED: f64 = 40.0;
/// How much more than the target's own load a joint may give where that is near or over its strength.
pub(super) const HEADROOM: f64 = 1.25;
/// Greatest power of the muscles of a falling body, W: twice what a sprinter's legs give.
const MUSCLE_W: f64 = 2000.0;
/// How much firmer than its damping a joint holds on to its planned motion when others are at full strength, and how
/// often more such joints are looked for: a tenth of a radian a second off, and a tenth of its strength is given.
const FIRM: f64 = 50.0;
const BRACE_ROUNDS: usize = 6;
/// Most rounds of friction after the first; two or three are usual, and a foot that is about to slip while it comes
/// down takes more.
pub(super) const ROUNDS: usize = 20;

impl Simulation {
    /// Torques for the accelerations wanted: the ground's forces shared out, the root left to what they give.
    pub(super) fn give_torques(&mut self) {
        let given = self.h.multiply_root(&self.qdd);
        let wanted = std::array::from_fn(|k| given[k] + self.bias[k] - self.residual[k]);
        self.distribution.solve(&self.rows, self.config.friction, &wanted);
        self.free_root();
        self.h.multiply_into(&self.qdd, &mut self.tau);
        for (t, b) in self.tau.iter_mut().zip(&self.bias) {
            *t += b;
        }
        for i in 0..self.rows.len() {
            let f = self.distribution.force[i];
            if f != 0.0 {
                self.rows.add_row(i, -f, &mut self.tau);
            }
        }
        self.tau[..6].fill(0.0);
        self.cut.fill(false);
        for (index, link) in self.body.links().iter().enumerate().skip(1) {
            let now = load(link, &self.tau);
            if now > 1.0 {
                let most = self.most_load(index);
                if now <= most {
                    continue;
                }
                self.cut[index] = true;
                for t in &mut self.tau[link.dofs()] {
                    *t *= most / now;
                }
            }
        }
        let dt = self.target.dt;
        for ((w, v), a) in self.wanted_qd.iter_mut().zip(&self.state.qd).zip(&self.qdd) {
            *w = v + dt * a;
        }
    }

    /// Allowed load of a joint: above 1 where the target itself needs full strength, so that it can still be followed.
    fn most_load(&self, link: usize) -> f64 {
        let own = if self.config.strict { 0.0 } else { self.target.load_around(self.step, link) };
        (HEADROOM * own).max(1.0)
    }

    /// The root's acceleration under the ground's forces, with the joints' as wanted: H_rr q̈_r = f − bias − H_rj q̈_j.
    fn free_root(&mut self) {
        let mut right = [0.0; MAX_UNKNOWNS];
        for ((right, residual), bias) in right.iter_mut().zip(&self.residual).zip(&self.bias) {
            *right = residual - bias;
        }
        for i in 0..self.rows.len() {
            let f = self.distribution.force[i];
            for (r, j) in right[..6].iter_mut().zip(self.rows.jacobian(i)) {
                *r += f * j;
            }
        }
        for dof in 6..self.qdd.len() {
            let row = self.h.lower_row(dof);
            for (right, h) in right[..6].iter_mut().zip(row) {
                *right -= h * self.qdd[dof];
            }
        }
        let mut m = [0.0; MAX_UNKNOWNS * MAX_UNKNOWNS];
        for i in 0..6 {
            m[i * MAX_UNKNOWNS..i * MAX_UNKNOWNS + i + 1].copy_from_slice(self.h.lower_row(i));
        }
        solve_small(&mut m, &mut right, 6);
        self.qdd[..6].copy_from_slice(&right[..6]);
    }

    /// What the torques, gravity, the ground and the blows really do, and one step of it.
    pub(super) fn advance(&mut self) {
        let dt = self.target.dt;
        let struck = self.blow.iter().any(|&b| b != 0.0);
        self.struck |= struck;
        self.stiff.copy_from_slice(&self.damping);
        if self.cut.iter().any(|&cut| cut) {
            self.brace();
        } else {
            self.respond(dt);
        }
        self.blow.fill(0.0);
        if self.scratch.iter().any(|v| !v.is_finite()) {
            // Nothing known leads here; a body that stops is better than one that is nowhere.
            self.scratch.fill(0.0);
        }
        for (k, v) in self.scratch.iter_mut().enumerate() {
            let most = if k < 3 { MAX_SPEED } else { MAX_RATE };
            *v = v.clamp(-most, most);
        }
        if self.fall.is_falling() && !struck {
            self.lose_energy(dt);
        }
        for k in 6..self.torque.len() {
            self.torque[k] = self.damping[k] * (self.wanted_qd[k] - self.scratch[k]);
        }
        self.keep_peaks(dt);
        self.keep_forces(dt);
        self.state.qd.copy_from_slice(&self.scratch);
        move_by(&self.body, &mut self.state.q, &self.state.qd, dt);
    }

    /// A step in which some joints give all they have: the others hold on to what they were to do, as far as their
    /// strength goes.
    ///
    /// Left with the torques of a plan that cannot be, the light pelvis between a hip that was cut and a back that was
    /// not was thrown round at 18 rad/s. A joint that is not cut gives the torque that makes it move as planned next to
    /// those that are; one for which that is too much is cut as well, and all are tried again.
    fn brace(&mut self) {
        let dt = self.target.dt;
        for round in 0..=BRACE_ROUNDS {
            for (index, link) in self.body.links().iter().enumerate().skip(1) {
                let firm = !self.cut[index] && round < BRACE_ROUNDS;
                for dof in link.dofs() {
                    self.stiff[dof] = self.damping[dof] * if firm { FIRM } else { 1.0 };
                }
            }
            self.damped.copy_from(&self.h);
            for (dof, d) in self.stiff.iter().enumerate() {
                self.damped.add_to_diagonal(dof, d * dt);
            }
            self.factors.factor(&self.damped);
            self.rows.respond(&self.factors, &mut self.problem);
            self.respond(dt);
            if !self.cut_more() {
                break;
            }
        }
    }

    /// Adds to the muscles' torques what holding on took. Joints for which that is too much are cut, and joints that
    /// were cut but move farther than planned, because others gave way, hold on again. Whether there are any of either.
    fn cut_more(&mut self) -> bool {
        let mut changed = false;
        self.base.copy_from_slice(&self.tau);
        for k in 6..self.tau.len() {
            let firm = self.stiff[k] - self.damping[k];
            self.base[k] += firm * (self.wanted_qd[k] - self.scratch[k]);
        }
        for (index, link) in self.body.links().iter().enumerate().skip(1) {
            if self.cut[index] {
                let short: f64 =
                    link.dofs().map(|k| self.tau[k] * (self.wanted_qd[k] - self.scratch[k])).sum();
                self.cut[index] = short >= 0.0;
                changed |= short < 0.0;
                continue;
            }
            let (now, most) = (load(link, &self.base), self.most_load(index));
            if now > most {
                changed = true;
                self.cut[index] = true;
                for dof in link.dofs() {
                    self.tau[dof] = self.base[dof] * most / now;
                }
            }
        }
        if !changed {
            self.tau.copy_from_slice(&self.base);
        }
        changed
    }

    /// Velocities after the step under the torques as they are, into `scratch`.
    fn respond(&mut self, dt: f64) {
        for k in 0..self.scratch.len() {
            let force = if k < 6 {
                self.residual[k]
            } else {
                self.tau[k] + self.stiff[k] * (self.wanted_qd[k] - self.state.qd[k])
            };
            self.scratch[k] = dt * (force - self.bias[k]) + self.blow[k];
        }
        self.factors.solve(&mut self.scratch);
        for (x, v) in self.scratch.iter_mut().zip(&self.state.qd) {
            *x += v;
        }
        self.solve_contacts(dt);
        self.force.fill(0.0);
        self.rows.add_force(&self.problem.x, &mut self.force);
        self.factors.solve(&mut self.force);
        for (v, f) in self.scratch.iter_mut().zip(&self.force) {
            *v += f;
        }
    }

    /// Slows a falling body that gained more energy in this step than gravity and its muscles can have given it.
    ///
    /// Limbs that hit the ground at 60 rad/s turn by half a radian in a step, for which no first-order step is right.
    fn lose_energy(&mut self, dt: f64) {
        let kinetic = |h: &MassMatrix, v: &[f64], out: &mut [f64]| {
            h.multiply_into(v, out);
            0.5 * dot(v, out)
        };
        let before = kinetic(&self.h, &self.state.qd, &mut self.base);
        let after = kinetic(&self.h, &self.scratch, &mut self.base);
        let fastest = self.workspace.kinematics().link(0).velocity.lin.length().max(1.0);
        let most = before + dt * (self.weight * fastest + MUSCLE_W);
        if after > most {
            let slower = (most / after).sqrt();
            self.scratch.iter_mut().for_each(|v| *v *= slower);
        }
    }

    /// Contact impulses under which nothing sinks, nothing is pulled and friction stays in its cone.
    fn solve_contacts(&mut self, dt: f64) {
        let Self { rows, problem, distribution, scratch, config, wanted_qd, fall, .. } = self;
        for (i, row) in rows.list.iter().enumerate() {
            let speed = match row.kind {
                Kind::Assist => rows.motion(i, wanted_qd),
                _ => row.speed,
            };
            problem.b[i] = rows.motion(i, scratch) - speed;
            let guess = distribution.force[i] * dt;
            problem.x[i] = if row.carries { guess } else { 0.0 };
            match row.kind {
                Kind::Normal | Kind::Limit => {
                    (problem.low[i], problem.high[i]) = (0.0, f64::INFINITY);
                    let pushed = if row.carries { guess > 0.0 } else { problem.b[i] < 0.0 };
                    problem.place[i] = if pushed { Place::Free } else { Place::Low };
                }
                Kind::Assist => {
                    (problem.low[i], problem.high[i]) = (-row.bound * dt, row.bound * dt);
                    problem.place[i] = Place::Free;
                }
                Kind::Slide | Kind::Spin => {
                    (problem.low[i], problem.high[i]) = (f64::NEG_INFINITY, f64::INFINITY);
                    problem.place[i] = Place::Free;
                }
            }
        }
        if rows.len() == 0 {
            return;
        }
        rows.bound_friction(config.friction, problem);
        let (guesses, rounds) = if fall.is_falling() { (FEW_GUESSES, 1) } else { (GUESSES, ROUNDS) };
        problem.solve(guesses);
        for _ in 0..rounds {
            if !rows.bound_friction(config.friction, problem) {
                break;
            }
            problem.solve(guesses);
        }
    }

    /// Keeps the frame's largest torques of muscles, and of passive torques against fast motion and the ends of ranges.
    fn keep_peaks(&mut self, dt: f64) {
        for (i, row) in self.rows.list.iter().enumerate() {
            let x = self.problem.x[i] / dt;
            if row.kind == Kind::Limit && x != 0.0 {
                for (t, j) in self.torque.iter_mut().zip(self.rows.jacobian(i)) {
                    *t += x * j;
                }
            }
        }
        let size = |torque: &[f64]| torque.iter().map(|t| t * t).sum::<f64>().sqrt();
        let cut = self.cut.iter().zip(&mut self.peaks);
        for (link, (cut, peak)) in self.body.links().iter().zip(cut).skip(1) {
            peak.torque = peak.torque.max(size(&self.tau[link.dofs()]));
            peak.load = peak.load.max(load(link, &self.tau));
            peak.passive = peak.passive.max(size(&self.torque[link.dofs()]));
            peak.clamped |= *cut;
        }
    }

    /// Sums the ground's forces for the report, and lets feet that slip stand where they slip to.
    fn keep_forces(&mut self, dt: f64) {
        self.summed_steps += 1;
        let mut slipped = [false; 2];
        for (i, row) in self.rows.list.iter().enumerate() {
            if matches!(row.kind, Kind::Spin | Kind::Limit | Kind::Assist) {
                continue;
            }
            let force = row.along * (self.problem.x[i] / dt);
            let group = &self.rows.groups[row.group];
            match group.foot {
                Some(foot) => self.foot_force[foot].add(force, row.at),
                None => self.other_force.add(force, row.at),
            }
            if let Some(foot) = group.foot
                && row.kind == Kind::Slide
                && self.problem.place[i] != Place::Free
            {
                slipped[foot] = true;
            }
        }
        let schedule = self.schedule();
        let scene = Scene {
            body: &self.body,
            here: self.workspace.kinematics(),
            target: &self.target_kinematics,
            soles: &self.target.soles,
            bumps: &[],
            schedule,
            floor: &self.target.floor,
            blocks: &self.blocks,
            dt,
            falling: false,
        };
        for (foot, anchor) in self.anchors.iter_mut().enumerate() {
            if slipped[foot] && anchor.set {
                release(&scene, foot, anchor);
            }
        }
    }

    /// Force and moment about the root that the ground gave in the last step, as a generalized force.
    pub(super) fn ground_wrench(&self) -> [f64; 6] {
        self.root_forces(|kind| !matches!(kind, Kind::Assist | Kind::Limit))
    }

    /// The same for what no ground gave: the target's own residual and what was added to it.
    pub(super) fn residual_wrench(&self) -> [f64; 6] {
        let more = self.root_forces(|kind| kind == Kind::Assist);
        std::array::from_fn(|k| self.residual[k] + more[k])
    }

    fn root_forces(&self, which: impl Fn(Kind) -> bool) -> [f64; 6] {
        let mut out = [0.0; 6];
        for (i, _) in self.rows.list.iter().enumerate().filter(|(_, row)| which(row.kind)) {
            let x = self.problem.x[i] / self.target.dt;
            for (o, j) in out.iter_mut().zip(self.rows.jacobian(i)) {
                *o += x * j;
            }
        }
        out
    }
}
