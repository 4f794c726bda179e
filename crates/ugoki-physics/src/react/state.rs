//! What a simulation consists of: its setup, what lasts from step to step, and what each stage of a step fills in.
//!
//! ```text
//! Setup        target, laden body, configuration        never changes in a run
//! Motion       where the body is and how it stands      changed by `integrate` and `judge`
//! Memory       what the controller remembers            changed by `control` and the rollouts
//! Observation  H, bias, contacts                        `observe`, in every step
//! Plan         accelerations and torques                `control`, in every step
//! Response     velocities, passive torques              `integrate`, in every step
//! Record       peaks and sums                           until a frame is reported
//! ```

use std::sync::Arc;

use super::blocks::Block;
use super::complementarity::Boxed;
use super::config::Config;
use super::force_distribution::ForceDistribution;
use super::ground::Anchor;
use super::lcp_dense::Dense;
use super::memory::Memory;
use super::parts::{Basis, Members};
use super::report::{Corrections, ForceSum, Peak};
use super::rows::{Kind, MAX_ROWS, Rows};
use super::soles::Bump;
use super::target::Target;
use crate::dynamics::{Body, BodyState, Factors, JointKind, Kinematics, MassMatrix, Workspace};

/// What does not change in a run.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    pub(super) target: Arc<Target>,
    pub(super) config: Config,
    /// With loads.
    pub(super) body: Body,
    pub(super) members: Members,
    pub(super) weight: f64,
    /// Whether the body carries anything.
    pub(super) loaded: bool,
    /// Passive damping of each degree of freedom.
    pub(super) damping: Vec<f64>,
}

/// Damping of a joint that does not move as wanted, as seconds of its strength: at 10 rad/s off it gives a fifth of it.
///
/// Muscle resists fast motion; without it a light link under a clamped torque would shake at the step's rate.
const DAMPING_S: f64 = 0.02;
/// How much more than the target's own load a joint may give where that is near or over its strength.
pub(super) const HEADROOM: f64 = 1.25;
/// Least damping, N·m·s/rad, for joints without strength.
const MIN_DAMPING: f64 = 0.05;

impl Setup {
    pub(super) fn new(target: Arc<Target>, config: &Config, body: Body, loaded: bool) -> Self {
        let mut damping = vec![0.0; body.num_dofs()];
        for link in body.links().iter().skip(1) {
            let s = link.strength.negative.max(link.strength.positive);
            let most = if link.joint == JointKind::Hinge { s.x } else { s.max_element() };
            damping[link.dofs()].fill((DAMPING_S * most).max(MIN_DAMPING));
        }
        Self {
            members: Members::new(&body),
            weight: body.mass() * body.gravity().length(),
            loaded,
            damping,
            config: config.clone(),
            target,
            body,
        }
    }

    /// Allowed load of a joint: above 1 where the target itself needs full strength, so that it can still be followed.
    pub(super) fn most_load(&self, step: usize, link: usize) -> f64 {
        let own = if self.config.strict { 0.0 } else { self.target.load_around(step, link) };
        (HEADROOM * own).max(1.0)
    }
}

/// Whether balance is lost.
#[derive(Debug, Clone, Default)]
pub(super) struct Fall {
    /// When balance was lost.
    pub(super) at_s: Option<f64>,
    /// Seconds since.
    pub(super) since_s: f64,
    /// How long other links than the feet have pressed on the ground, s.
    pub(super) leaning_s: f64,
}

/// The capture's residual fades out over this time, s.
const FADE_S: f64 = 0.2;

impl Fall {
    pub(super) fn is_falling(&self) -> bool {
        self.at_s.is_some()
    }

    /// Fraction of the target's residual that still acts.
    pub(super) fn residual_weight(&self) -> f64 {
        if self.is_falling() { (1.0 - self.since_s / FADE_S).max(0.0) } else { 1.0 }
    }
}

/// Where the body is and how it stands.
#[derive(Debug, Clone)]
pub(super) struct Motion {
    pub(super) state: BodyState,
    pub(super) step: usize,
    pub(super) anchors: [Anchor; 2],
    /// Fixed boxes that feet may stand on.
    pub(super) blocks: Vec<Block>,
    /// Where the target is seen from the planted feet.
    pub(super) frame: Anchor,
    pub(super) fall: Fall,
    /// Whether anything acts on the body that the target does not know of.
    pub(super) disturbed: bool,
    /// Impulses that wait for the next step, generalized.
    pub(super) blow: Vec<f64>,
}

impl Motion {
    /// The body on the target's first pose.
    pub(super) fn new(setup: &Setup) -> Self {
        let target = &setup.target;
        let mut state = BodyState::rest(&setup.body);
        state.q.copy_from_slice(target.q(0));
        state.qd.copy_from_slice(target.qd(0));
        Self {
            state,
            step: 0,
            anchors: target.schedule[0].map(|parts| Anchor { set: parts != 0, ..Anchor::NONE }),
            blocks: Vec::new(),
            frame: Anchor::NONE,
            fall: Fall::default(),
            disturbed: setup.loaded,
            blow: vec![0.0; setup.body.num_dofs()],
        }
    }

    /// Seconds from the clip's first row.
    pub(super) fn time_s(&self, target: &Target) -> f64 {
        target.start_s() + self.step as f64 * target.dt
    }

    /// What of each foot the target plants, less the feet that step by themselves.
    pub(super) fn schedule(&self, target: &Target, memory: &Memory) -> [u8; 2] {
        let mut out = target.schedule[self.step];
        for (parts, swing) in out.iter_mut().zip(&memory.steps.swing) {
            if swing.own && swing.left_s > 0.0 {
                *parts = 0;
            }
        }
        out
    }
}

/// What the body and the target are like at the beginning of a step.
#[derive(Debug, Clone)]
pub(super) struct Observation {
    pub(super) workspace: Workspace,
    pub(super) target_state: BodyState,
    pub(super) target_kinematics: Kinematics,
    /// The target as it moves now.
    pub(super) target_now: Kinematics,
    /// Balls that may touch the ground, hands as the target holds them now.
    pub(super) bumps: Vec<Bump>,
    pub(super) h: MassMatrix,
    /// H with the damping of the joints, factored.
    pub(super) damped: MassMatrix,
    pub(super) factors: Factors,
    pub(super) bias: Vec<f64>,
    pub(super) rows: Rows,
    pub(super) problem: Boxed<Dense>,
    /// The target's residual wrench as it acts now.
    pub(super) residual: [f64; 6],
    pub(super) zeros: Vec<f64>,
}

impl Observation {
    pub(super) fn new(setup: &Setup) -> Self {
        let body = &setup.body;
        Self {
            workspace: Workspace::new(body),
            target_state: BodyState::rest(body),
            target_kinematics: Kinematics::new(body),
            target_now: Kinematics::new(body),
            bumps: setup.target.bumps.clone(),
            h: MassMatrix::new(body),
            damped: MassMatrix::new(body),
            factors: Factors::new(body),
            bias: vec![0.0; body.num_dofs()],
            rows: Rows::new(body),
            problem: Boxed::new(MAX_ROWS),
            residual: [0.0; 6],
            zeros: vec![0.0; body.num_dofs()],
        }
    }

    /// Force and moment about the root that the ground gave in the last step, as a generalized force.
    pub(super) fn ground_wrench(&self, dt: f64) -> [f64; 6] {
        self.root_forces(dt, |kind| !matches!(kind, Kind::Assist | Kind::Limit))
    }

    /// The same for what no ground gave: the target's own residual and what was added to it.
    pub(super) fn residual_wrench(&self, dt: f64) -> [f64; 6] {
        let more = self.root_forces(dt, |kind| kind == Kind::Assist);
        std::array::from_fn(|k| self.residual[k] + more[k])
    }

    fn root_forces(&self, dt: f64, which: impl Fn(Kind) -> bool) -> [f64; 6] {
        let mut out = [0.0; 6];
        for (i, _) in self.rows.list.iter().enumerate().filter(|(_, row)| which(row.kind)) {
            let x = self.problem.x[i] / dt;
            for (o, j) in out.iter_mut().zip(self.rows.jacobian(i)) {
                *o += x * j;
            }
        }
        out
    }
}

/// What the controller requests.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) qdd: Vec<f64>,
    pub(super) tau: Vec<f64>,
    pub(super) wanted_qd: Vec<f64>,
    /// Joints whose torque was cut.
    pub(super) cut: Vec<bool>,
    /// Forces of the ground that belong to it.
    pub(super) distribution: ForceDistribution,
    pub(super) corrections: Corrections,
    /// Accelerations that the controller added.
    pub(super) added: Vec<f64>,
    /// Accelerations of tracking alone, feet held.
    pub(super) tracked: Vec<f64>,
    /// Greatest acceleration of each degree of freedom.
    pub(super) reach: Vec<f64>,
    /// How far each joint is off its target.
    pub(super) off: Vec<f64>,
    /// Motions of the part that corrects.
    pub(super) basis: Basis,
    /// Whether the planted feet's rows are factored.
    pub(super) held: bool,
    pub(super) scratch: Vec<f64>,
    pub(super) base: Vec<f64>,
    pub(super) force: Vec<f64>,
    pub(super) row_scratch: Vec<f64>,
}

impl Plan {
    pub(super) fn new(setup: &Setup) -> Self {
        let n = setup.body.num_dofs();
        let zeros = || vec![0.0; n];
        Self {
            qdd: zeros(),
            tau: zeros(),
            wanted_qd: zeros(),
            cut: vec![false; setup.body.links().len()],
            distribution: ForceDistribution::new(),
            corrections: Corrections::default(),
            added: zeros(),
            tracked: zeros(),
            reach: zeros(),
            off: zeros(),
            basis: Basis::new(&setup.body),
            held: false,
            scratch: zeros(),
            base: zeros(),
            force: zeros(),
            row_scratch: vec![0.0; 2 * MAX_ROWS],
        }
    }
}

/// What the torques, gravity, the ground and the blows really do.
#[derive(Debug, Clone)]
pub(super) struct Response {
    /// Velocities after the step.
    pub(super) qd: Vec<f64>,
    /// Passive torques: against fast motion and the ends of ranges.
    pub(super) passive: Vec<f64>,
    /// The damping of this step: firmer where others give all they have.
    pub(super) stiff: Vec<f64>,
    pub(super) base: Vec<f64>,
    /// Generalized forces of contacts, and what they do.
    pub(super) force: Vec<f64>,
}

impl Response {
    pub(super) fn new(setup: &Setup) -> Self {
        let zeros = || vec![0.0; setup.body.num_dofs()];
        Self { qd: zeros(), passive: zeros(), stiff: setup.damping.clone(), base: zeros(), force: zeros() }
    }
}

/// What is kept until a frame is reported.
#[derive(Debug, Clone)]
pub(super) struct Record {
    /// The largest at each link's joint.
    pub(super) peaks: Vec<Peak>,
    pub(super) foot_force: [ForceSum; 2],
    pub(super) other_force: ForceSum,
    pub(super) summed_steps: usize,
    /// Whether something hit the body.
    pub(super) struck: bool,
}

impl Record {
    pub(super) fn new(body: &Body) -> Self {
        Self {
            peaks: vec![Peak::default(); body.links().len()],
            foot_force: Default::default(),
            other_force: ForceSum::default(),
            summed_steps: 0,
            struck: false,
        }
    }
}
