//! What torques, gravity, the ground and blows really do in one step.

use super::complementarity::{FEW_GUESSES, FRICTION_ROUNDS, GUESSES, Place};
use super::ground::{Scene, release};
use super::memory::Memory;
use super::rows::Kind;
use super::state::{Motion, Observation, Plan, Record, Response, Setup};
use crate::dynamics::{MassMatrix, dot, load, move_by};

/// Speeds beyond these are cut, so that no blow leads to numbers without end: rad/s of joints, m/s of the root.
const MAX_RATE: f64 = 60.0;
const MAX_SPEED: f64 = 40.0;
/// Greatest power of the muscles of a falling body, W: twice what a sprinter's legs give.
const MUSCLE_W: f64 = 2000.0;
/// How much firmer than its damping a joint holds on to its planned motion when others are at full strength, and how
/// often more such joints are looked for: a tenth of a radian a second off, and a tenth of its strength is given.
const FIRM: f64 = 50.0;
const BRACE_ROUNDS: usize = 6;

/// The integration of one step.
struct Integrator<'a> {
    setup: &'a Setup,
    motion: &'a mut Motion,
    seen: &'a mut Observation,
    plan: &'a mut Plan,
    response: &'a mut Response,
    record: &'a mut Record,
}

/// Moves the body by one step under the torques of `plan`, gravity, the ground and the blows.
pub(super) fn integrate(
    setup: &Setup,
    motion: &mut Motion,
    memory: &Memory,
    seen: &mut Observation,
    plan: &mut Plan,
    response: &mut Response,
    record: &mut Record,
) {
    let schedule = motion.schedule(&setup.target, memory);
    Integrator { setup, motion, seen, plan, response, record }.advance(schedule);
}

impl Integrator<'_> {
    /// What the torques, gravity, the ground and the blows really do, and one step of it.
    fn advance(&mut self, schedule: [u8; 2]) {
        let dt = self.setup.target.dt;
        let struck = self.motion.blow.iter().any(|&b| b != 0.0);
        self.record.struck |= struck;
        self.response.stiff.copy_from_slice(&self.setup.damping);
        if self.plan.cut.iter().any(|&cut| cut) {
            self.brace();
        } else {
            self.respond(dt);
        }
        self.motion.blow.fill(0.0);
        if self.response.qd.iter().any(|v| !v.is_finite()) {
            // Nothing known leads here; a body that stops is better than one that is nowhere.
            self.response.qd.fill(0.0);
        }
        for (k, v) in self.response.qd.iter_mut().enumerate() {
            let most = if k < 3 { MAX_SPEED } else { MAX_RATE };
            *v = v.clamp(-most, most);
        }
        if self.motion.fall.is_falling() && !struck {
            self.lose_energy(dt);
        }
        for k in 6..self.response.passive.len() {
            self.response.passive[k] = self.setup.damping[k] * (self.plan.wanted_qd[k] - self.response.qd[k]);
        }
        self.keep_peaks(dt);
        self.keep_forces(dt, schedule);
        self.motion.state.qd.copy_from_slice(&self.response.qd);
        move_by(&self.setup.body, &mut self.motion.state.q, &self.motion.state.qd, dt);
    }

    /// A step in which some joints give all they have: the others hold on to what they were to do, as far as their
    /// strength goes.
    ///
    /// Left with the torques of a plan that cannot be, the light pelvis between a hip that was cut and a back that was
    /// not was thrown round at 18 rad/s. A joint that is not cut gives the torque that makes it move as planned next to
    /// those that are; one for which that is too much is cut as well, and all are tried again.
    fn brace(&mut self) {
        let dt = self.setup.target.dt;
        for round in 0..=BRACE_ROUNDS {
            for (index, link) in self.setup.body.links().iter().enumerate().skip(1) {
                let firm = !self.plan.cut[index] && round < BRACE_ROUNDS;
                for dof in link.dofs() {
                    self.response.stiff[dof] = self.setup.damping[dof] * if firm { FIRM } else { 1.0 };
                }
            }
            self.seen.damped.copy_from(&self.seen.h);
            for (dof, d) in self.response.stiff.iter().enumerate() {
                self.seen.damped.add_to_diagonal(dof, d * dt);
            }
            self.seen.factors.factor(&self.seen.damped);
            self.seen.rows.respond(&self.seen.factors, &mut self.seen.problem);
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
        self.response.base.copy_from_slice(&self.plan.tau);
        for k in 6..self.plan.tau.len() {
            let firm = self.response.stiff[k] - self.setup.damping[k];
            self.response.base[k] += firm * (self.plan.wanted_qd[k] - self.response.qd[k]);
        }
        for (index, link) in self.setup.body.links().iter().enumerate().skip(1) {
            if self.plan.cut[index] {
                let short: f64 = link
                    .dofs()
                    .map(|k| self.plan.tau[k] * (self.plan.wanted_qd[k] - self.response.qd[k]))
                    .sum();
                self.plan.cut[index] = short >= 0.0;
                changed |= short < 0.0;
                continue;
            }
            let (now, most) =
                (load(link, &self.response.base), self.setup.most_load(self.motion.step, index));
            if now > most {
                changed = true;
                self.plan.cut[index] = true;
                for dof in link.dofs() {
                    self.plan.tau[dof] = self.response.base[dof] * most / now;
                }
            }
        }
        if !changed {
            self.plan.tau.copy_from_slice(&self.response.base);
        }
        changed
    }

    /// Velocities after the step under the torques as they are, into `scratch`.
    fn respond(&mut self, dt: f64) {
        for k in 0..self.response.qd.len() {
            let force = if k < 6 {
                self.seen.residual[k]
            } else {
                self.plan.tau[k] + self.response.stiff[k] * (self.plan.wanted_qd[k] - self.motion.state.qd[k])
            };
            self.response.qd[k] = dt * (force - self.seen.bias[k]) + self.motion.blow[k];
        }
        self.seen.factors.solve(&mut self.response.qd);
        for (x, v) in self.response.qd.iter_mut().zip(&self.motion.state.qd) {
            *x += v;
        }
        self.solve_contacts(dt);
        self.response.force.fill(0.0);
        self.seen.rows.add_force(&self.seen.problem.x, &mut self.response.force);
        self.seen.factors.solve(&mut self.response.force);
        for (v, f) in self.response.qd.iter_mut().zip(&self.response.force) {
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
        let before = kinetic(&self.seen.h, &self.motion.state.qd, &mut self.response.base);
        let after = kinetic(&self.seen.h, &self.response.qd, &mut self.response.base);
        let fastest = self.seen.workspace.kinematics().link(0).velocity.lin.length().max(1.0);
        let most = before + dt * (self.setup.weight * fastest + MUSCLE_W);
        if after > most {
            let slower = (most / after).sqrt();
            self.response.qd.iter_mut().for_each(|v| *v *= slower);
        }
    }

    /// Contact impulses under which nothing sinks, nothing is pulled and friction stays in its cone.
    fn solve_contacts(&mut self, dt: f64) {
        let Observation { rows, problem, .. } = &mut *self.seen;
        let Plan { distribution, wanted_qd, .. } = &*self.plan;
        let (config, fall, qd) = (&self.setup.config, &self.motion.fall, &self.response.qd);
        for (i, row) in rows.list.iter().enumerate() {
            let speed = match row.kind {
                Kind::Assist => rows.motion(i, wanted_qd),
                _ => row.speed,
            };
            problem.b[i] = rows.motion(i, qd) - speed;
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
        let (guesses, rounds) = if fall.is_falling() { (FEW_GUESSES, 1) } else { (GUESSES, FRICTION_ROUNDS) };
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
        for (i, row) in self.seen.rows.list.iter().enumerate() {
            let x = self.seen.problem.x[i] / dt;
            if row.kind == Kind::Limit && x != 0.0 {
                for (t, j) in self.response.passive.iter_mut().zip(self.seen.rows.jacobian(i)) {
                    *t += x * j;
                }
            }
        }
        let size = |torque: &[f64]| torque.iter().map(|t| t * t).sum::<f64>().sqrt();
        let cut = self.plan.cut.iter().zip(&mut self.record.peaks);
        for (link, (cut, peak)) in self.setup.body.links().iter().zip(cut).skip(1) {
            peak.torque = peak.torque.max(size(&self.plan.tau[link.dofs()]));
            peak.load = peak.load.max(load(link, &self.plan.tau));
            peak.passive = peak.passive.max(size(&self.response.passive[link.dofs()]));
            peak.clamped |= *cut;
        }
    }

    /// Sums the ground's forces for the report, and lets feet that slip stand where they slip to.
    fn keep_forces(&mut self, dt: f64, schedule: [u8; 2]) {
        self.record.summed_steps += 1;
        let mut slipped = [false; 2];
        for (i, row) in self.seen.rows.list.iter().enumerate() {
            if matches!(row.kind, Kind::Spin | Kind::Limit | Kind::Assist) {
                continue;
            }
            let force = row.along * (self.seen.problem.x[i] / dt);
            let group = &self.seen.rows.groups[row.group];
            match group.foot {
                Some(foot) => self.record.foot_force[foot].add(force, row.at),
                None => self.record.other_force.add(force, row.at),
            }
            if let Some(foot) = group.foot
                && row.kind == Kind::Slide
                && self.seen.problem.place[i] != Place::Free
            {
                slipped[foot] = true;
            }
        }
        let scene = Scene {
            body: &self.setup.body,
            here: self.seen.workspace.kinematics(),
            target: &self.seen.target_kinematics,
            soles: &self.setup.target.soles,
            bumps: &[],
            schedule,
            floor: &self.setup.target.floor,
            blocks: &self.motion.blocks,
            dt,
            falling: false,
        };
        for (foot, anchor) in self.motion.anchors.iter_mut().enumerate() {
            if slipped[foot] && anchor.set {
                release(&scene, foot, anchor);
            }
        }
    }
}
