//! Dynamic control: relieving strained joints and keeping balance, by arms, then back, then the lower body.
//!
//! Both act only where the environment makes things worse than the undisturbed target has them by itself: a joint is
//! relieved of what exceeds both its comfort and the target's own load at this time, and the ZMP is brought back where
//! it is nearer to the border than both the margin and the target's own.

use glam::DVec3;

use super::balance::MARGIN_CLOSE;
use super::bounds::{reach_into, soften_range};
use super::config::Control;
use super::controller::{Controller, SLOW_S};
use super::ground::bearing;
use super::horizon::RANGE_S;
use super::memory::{Care, Memory};
use super::parts::MAX_UNKNOWNS;
use super::report::Corrections;
use super::state::{Motion, Observation, Plan, Setup};
use super::target::{FLIGHT, MUCH_SLACK, flat, wrench};
use super::tracking::{Pace, track_into};
use crate::dynamics::{Wrench, difference_into, set_vec3, vec3_at, zmp};

/// Greatest acceleration with which the pelvis gives way, m/s².
const MAX_GIVE: f64 = 15.0;
/// Displacements of the arms smaller than this, rad, are none.
const STILL: f64 = 1e-6;
/// Bisection steps for the fraction of the return that the ground can give: resolution one sixty-fourth.
const HALVINGS: usize = 6;

/// Accelerations and torques that the controller requests in this step.
pub(super) fn control(
    setup: &Setup,
    motion: &Motion,
    memory: &mut Memory,
    seen: &mut Observation,
    plan: &mut Plan,
) {
    Controller { setup, motion, memory, seen, plan }.request();
}

impl Controller<'_> {
    /// Tracking, planted feet, corrections, torques.
    fn request(&mut self) {
        self.plan.corrections = Corrections::default();
        self.plan.added.fill(0.0);
        if self.motion.fall.is_falling() {
            self.protect();
            return;
        }
        let tracking = self.setup.config.tracking;
        self.memory.slow_s = (self.memory.slow_s - self.setup.target.dt).max(0.0);
        self.memory.arms_slow_s = (self.memory.arms_slow_s - self.setup.target.dt).max(0.0);
        // Arms that relieve return slowly; a body losing balance needs them at once.
        let relieving = self.memory.arms_slow_s > 0.0 && self.memory.slow_s == 0.0;
        let slow: &[bool] = if relieving { &self.setup.members.is_arm } else { &[] };
        // A body near the target has time; a quick return would demand more of the ground than it saves.
        let pace = Pace { slow, bounded: if self.memory.slow_s > 0.0 { self.memory.astray } else { 0.0 } };
        track_into(
            &self.setup.target,
            self.motion.step,
            tracking,
            &self.motion.frame,
            pace,
            &self.motion.state,
            &mut self.plan.qdd,
        );
        // Undisturbed, the target's own angles are all within range, however fast it comes near an end.
        if self.motion.disturbed {
            for link in self.setup.body.links() {
                soften_range(link, &self.motion.state, &mut self.plan.qdd);
            }
        }
        self.hold();
        self.plan.distribution.begin(&self.seen.rows);
        if self.motion.disturbed {
            match self.setup.config.control {
                Control::Off => {}
                Control::Paper => self.correct_as_published(),
                Control::On => self.correct(),
            }
        }
        self.give_torques();
    }

    /// Adds the corrections to the wanted accelerations.
    fn correct(&mut self) {
        self.plan.added.copy_from_slice(&self.plan.qdd);
        self.plan.tracked.copy_from_slice(&self.plan.qdd);
        difference_into(
            &self.setup.body,
            self.setup.target.q(self.motion.step),
            &self.motion.state.q,
            &mut self.plan.off,
        );
        reach_into(&self.setup.body, &self.seen.h, self.setup.config.max_acceleration, &mut self.plan.reach);
        self.lead_feet();
        self.swing_legs();
        if self.steps_out() {
            self.memory.slow_s = SLOW_S;
        }
        let ground = self.setup.target.slack[self.motion.step] < MUCH_SLACK;
        // Nor is a body eased that is losing balance.
        let care = self.care_now();
        if self.setup.loaded && care != Care::Nothing {
            self.relieve(ground && self.memory.slow_s == 0.0);
        }
        // A body that takes a recovery step is caught by the step; arms that swing then are missing later. Where the
        // target itself has no ground to spare there is nothing to hold.
        if ground && !self.steps_out() && matches!(care, Care::All | Care::Balance) {
            self.slow_return();
            self.balance();
            self.swing_legs();
        }
        // A body at the target needs no catching, and would deviate by giving way.
        if self.may_be_caught() && self.memory.astray > 0.0 {
            self.give_way();
        }
        self.keep_corrections();
    }

    /// Returns to the target no faster than the ground can give, while the body is where the target has it.
    ///
    /// The pace of the return is the controller's own choice: arms are not swung, and nothing gives way, for a return
    /// that is possible without them at a slower pace. A body far from the target needs all of it.
    fn slow_return(&mut self) {
        if self.memory.astray >= 1.0 {
            return;
        }
        let own = self.own_zmp();
        let (polygon, ground) = bearing(&self.seen.rows, own, self.trust());
        let margin = self.setup.config.margin_m.min(polygon.margin(own)).max(0.0);
        let all = self.needed_wrench();
        if polygon.corners().is_empty() || self.ground_gives(&all, &polygon, ground, margin) {
            return;
        }
        // What the way back adds to the target's own accelerations.
        std::mem::swap(&mut self.plan.qdd, &mut self.plan.scratch);
        self.setup.target.acceleration_into(self.motion.step, &mut self.plan.qdd);
        let force = self.motion.frame.turn * vec3_at(&self.plan.qdd, 0);
        set_vec3(&mut self.plan.qdd, 0, force);
        self.keep_hold();
        for (b, (t, q)) in self.plan.base.iter_mut().zip(self.plan.tracked.iter().zip(&self.plan.qdd)) {
            *b = t - q;
        }
        std::mem::swap(&mut self.plan.qdd, &mut self.plan.scratch);
        let back = wrench(self.seen.workspace.kinematics(), &self.seen.h.multiply_root(&self.plan.base));
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
        let part = gives * (1.0 - self.memory.astray);
        for (q, b) in self.plan.qdd.iter_mut().zip(&self.plan.base) {
            *q -= part * b;
        }
    }

    /// Lets the pelvis go where the ground cannot hold it.
    ///
    /// What is left of a ZMP outside its polygon would turn the whole body over the edge of its feet. A body that moves
    /// off upright instead, as an inverted pendulum does, keeps its feet flat and can be caught by a step.
    fn give_way(&mut self) {
        for _ in 0..2 {
            let own = self.own_zmp();
            let (polygon, ground) = bearing(&self.seen.rows, own, self.trust());
            let need = self.needed_wrench();
            let Some(point) = zmp(&need, ground, FLIGHT * self.setup.weight) else { return };
            let margin = self.setup.config.margin_m.min(polygon.margin(own)).max(0.0);
            if polygon.corners().is_empty() || polygon.margin(flat(point)) >= margin - MARGIN_CLOSE {
                return;
            }
            let Some(goal) = polygon.shrunk(margin).nearest(flat(point)) else { return };
            let goal = DVec3::new(goal.x, ground, goal.y);
            self.memory.slow_s = SLOW_S;
            let moment = need.moment_about(goal);
            self.plan.basis.len = 2;
            for (k, along) in [DVec3::X, DVec3::Z].into_iter().enumerate() {
                let mut z = std::mem::take(&mut self.plan.scratch);
                self.carry_pelvis_into(along, &mut z);
                self.plan.basis.z_mut(k).copy_from_slice(&z);
                self.plan.scratch = z;
            }
            self.plan.basis.weigh_root(&self.seen.h);
            let kinematics = self.seen.workspace.kinematics();
            let [a, b] = [0, 1].map(|k| wrench(kinematics, self.plan.basis.hz(k)).moment_about(goal));
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
            self.plan.basis.add(&x, &mut self.plan.qdd);
            self.swing_legs();
        }
    }

    /// Leads the arms where they relieve; `acts` is false while balance is fought for, and then relief fades.
    pub(super) fn relieve(&mut self, acts: bool) {
        let dt = self.setup.target.dt;
        let change = dt / SLOW_S;
        self.memory.relief_weight =
            (self.memory.relief_weight + if acts { change } else { -change }).clamp(0.0, 1.0);
        if self.memory.relief_weight == 0.0 {
            return;
        }
        let [place, rate, bend] = self.memory.relief.at(self.motion.step, dt);
        if place.iter().all(|x| x.abs() < STILL) {
            return;
        }
        self.memory.arms_slow_s = SLOW_S;
        let t = RANGE_S[1];
        for (k, &dof) in self.setup.members.arms.iter().enumerate().take(MAX_UNKNOWNS) {
            let x = bend[k] + rate[k] * (4.0 / t) + place[k] * (6.0 / (t * t));
            let reach = self.plan.reach[dof];
            self.plan.qdd[dof] += (self.memory.relief_weight * x).clamp(-reach, reach);
        }
        for &link in &self.setup.members.arm_links {
            soften_range(self.setup.body.link(link), &self.motion.state, &mut self.plan.qdd);
        }
    }
}
