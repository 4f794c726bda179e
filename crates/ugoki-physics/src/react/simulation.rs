//! The simulated body, one step at a time.
//!
//! ```text
//! observe    H, bias, contacts near the ground and how they answer
//! control    tracking → planted feet hold → relief and balance → torques within strength
//! integrate  forward dynamics with contacts that only push and rub
//! judge      whether balance is lost
//! ```

use std::sync::Arc;

use glam::DVec3;

use super::config::{Config, ReactError};
use super::control::control;
use super::environment::{Environment, Touch};
use super::integrate::integrate;
use super::judge::judge;
use super::memory::Memory;
use super::observe::observe;
use super::state::{Motion, Observation, Plan, Record, Response, Setup};
use super::target::Target;
use crate::dynamics::{Body, BodyState, Load, kinematics_into, vec3_at};

/// A body following its target through whatever happens.
#[derive(Debug, Clone)]
pub struct Simulation {
    pub(super) setup: Setup,
    pub(super) motion: Motion,
    pub(super) memory: Memory,
    pub(super) seen: Observation,
    pub(super) plan: Plan,
    response: Response,
    pub(super) record: Record,
}

impl Simulation {
    /// The body of `target` with `loads` welded on, at the target's first pose.
    ///
    /// # Errors
    /// When a setting or a load makes no sense.
    pub fn new(target: Arc<Target>, config: &Config, loads: &[Load]) -> Result<Self, ReactError> {
        config.check()?;
        let body = target.body.with_loads(&target.skeleton, loads)?;
        let loaded = loads.iter().any(|load| load.mass_kg > 0.0);
        let setup = Setup::new(target, config, body, loaded);
        Ok(Self {
            motion: Motion::new(&setup),
            memory: Memory::default(),
            seen: Observation::new(&setup),
            plan: Plan::new(&setup),
            response: Response::new(&setup),
            record: Record::new(&setup.body),
            setup,
        })
    }

    /// One step of [`Target::step_s`] seconds; nothing happens after the target's last.
    ///
    /// `environment` is asked after the body was placed and before it moves.
    pub fn step(&mut self, environment: Option<Environment<'_>>) {
        if self.is_done() {
            return;
        }
        let Self { setup, motion, memory, seen, plan, response, record } = self;
        observe(setup, motion, memory, seen);
        if let Some(environment) = environment {
            environment(&mut Touch { setup, motion, memory, seen, plan });
        }
        control(setup, motion, memory, seen, plan);
        integrate(setup, motion, memory, seen, plan, response, record);
        judge(setup, motion, seen);
        motion.step += 1;
    }

    /// Whether the target is at its end.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.motion.step >= self.setup.target.num_steps
    }

    /// Steps made.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.motion.step
    }

    /// Seconds from the clip's first row.
    #[must_use]
    pub fn time_s(&self) -> f64 {
        self.motion.time_s(&self.setup.target)
    }

    /// The body with its loads.
    #[must_use]
    pub fn body(&self) -> &Body {
        &self.setup.body
    }

    /// Coordinates and velocities.
    #[must_use]
    pub fn state(&self) -> &BodyState {
        &self.motion.state
    }

    /// The target.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.setup.target
    }

    /// When balance was lost, seconds from the clip's first row.
    #[must_use]
    pub fn fell_at_s(&self) -> Option<f64> {
        self.motion.fall.at_s
    }

    /// Hits `link` at `point` (link frame, m) with `impulse` (world axes, N·s); it acts in the next step.
    ///
    /// Larger impulses than [`super::MAX_IMPULSE_N_S`] are cut to it; what is not finite is ignored.
    pub fn apply_impulse(&mut self, link: usize, point: DVec3, impulse: DVec3) {
        let Self { setup, motion, memory, seen, plan, .. } = self;
        kinematics_into(&setup.body, &motion.state, seen.workspace.kinematics_mut());
        Touch { setup, motion, memory, seen, plan }.strike(link, point, impulse);
    }

    /// World axes of what was added at each joint, rad/s².
    pub(super) fn correction_axis(&self, link: usize) -> DVec3 {
        let l = self.setup.body.link(link);
        let pose = self.seen.workspace.kinematics().link(link);
        match l.num_dofs() {
            1 => pose.matrix * (l.axis * self.plan.added[l.dof]),
            3 => pose.matrix * vec3_at(&self.plan.added, l.dof),
            _ => pose.matrix * vec3_at(&self.plan.added, 3),
        }
    }
}
