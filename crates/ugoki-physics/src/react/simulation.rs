//! The simulated body, one step at a time.
//!
//! ```text
//! assemble   H, bias, contacts near the ground and how they answer
//! plan       tracking → planted feet hold → relief and balance → torques within strength        (`control`)
//! advance    forward dynamics with contacts that only push and rub                              (`forward`)
//! judge      whether balance is lost                                                            (`fall`)
//! ```

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::blocks::Block;
use super::complementarity::{Boxed, Place};
use super::config::{Config, MAX_IMPULSE_N_S, ReactError};
use super::environment::{Environment, Touch};
use super::fall::Fall;
use super::force_distribution::ForceDistribution;
use super::ground::{Anchor, Scene, assist_rows, find_rows};
use super::lcp_dense::Dense;
use super::load_policy::Care;
use super::parts::{Basis, Members};
use super::relief::Relief;
use super::report::{Corrections, ForceSum, Peak};
use super::rollout::{Answer, Foresight};
use super::rows::{Kind, MAX_ROWS, Row, Rows};
use super::soles::Bump;
use super::stepping::Steps;
use super::target::Target;
use super::tracking::{Pace, track_into};
use crate::dynamics::{
    Body, BodyState, Factors, JointKind, Kinematics, Load, MassMatrix, PointForce, Workspace,
    add_generalized, crba_placed_into, kinematics_into, rnea_into, set_vec3, vec3_at,
};

/// A body following its target through whatever happens.
#[derive(Debug, Clone)]
pub struct Simulation {
    pub(super) target: Arc<Target>,
    pub(super) config: Config,
    /// With loads.
    pub(super) body: Body,
    pub(super) state: BodyState,
    pub(super) step: usize,
    pub(super) anchors: [Anchor; 2],
    /// Fixed boxes that feet may stand on.
    pub(super) blocks: Vec<Block>,
    /// Where the target is seen from the planted feet.
    pub(super) frame: Anchor,
    pub(super) fall: Fall,
    /// Feet that are led.
    pub(super) steps: Steps,
    pub(super) members: Members,
    pub(super) weight: f64,
    /// Whether anything acts on the body that the target does not know of.
    pub(super) disturbed: bool,
    /// Whether it carries anything; blows pass, and what they leave is the tracking's.
    pub(super) loaded: bool,
    /// Seconds for which the ground has bounded, and for which arms return slowly after relief.
    pub(super) slow_s: f64,
    pub(super) arms_slow_s: f64,
    /// Where the arms go under what is carried, and the weight with which it acts, 0 to 1.
    pub(super) relief: Relief,
    pub(super) relief_weight: f64,
    /// What the loads ask for, and whether something has struck since.
    pub(super) care: Care,
    pub(super) was_struck: bool,
    /// How blows are answered, and what came of looking ahead.
    pub(super) answer: Answer,
    pub(super) foresight: Foresight,
    /// Impulses that wait for the next step, generalized.
    pub(super) blow: Vec<f64>,
    // What the last step did.
    pub(super) corrections: Corrections,
    /// Accelerations that the controller added.
    pub(super) added: Vec<f64>,
    /// Passive torques in the last step: against fast motion and the ends of ranges.
    pub(super) torque: Vec<f64>,
    /// The largest at each link's joint in the steps of the frame.
    pub(super) peaks: Vec<Peak>,
    /// Joints whose torque was cut in the last step.
    pub(super) cut: Vec<bool>,
    /// Balls that may touch the ground, hands as the target holds them now.
    pub(super) bumps: Vec<Bump>,
    /// How far the body is from where the target has it, 0 to 1; 0 while it is there.
    pub(super) astray: f64,
    pub(super) foot_force: [ForceSum; 2],
    pub(super) other_force: ForceSum,
    /// Force and moment about the root of the ground, summed over the steps of a frame.
    pub(super) summed_steps: usize,
    /// Whether something hit the body in the steps of the frame.
    pub(super) struck: bool,
    pub(super) residual: [f64; 6],
    // Scratch.
    pub(super) workspace: Workspace,
    pub(super) target_state: BodyState,
    pub(super) target_kinematics: Kinematics,
    /// The target as it moves now.
    pub(super) target_now: Kinematics,
    pub(super) h: MassMatrix,
    pub(super) damped: MassMatrix,
    pub(super) factors: Factors,
    pub(super) damping: Vec<f64>,
    /// The damping of this step: firmer where others give all they have.
    pub(super) stiff: Vec<f64>,
    pub(super) rows: Rows,
    pub(super) problem: Boxed<Dense>,
    pub(super) distribution: ForceDistribution,
    pub(super) basis: Basis,
    pub(super) bias: Vec<f64>,
    pub(super) qdd: Vec<f64>,
    pub(super) tau: Vec<f64>,
    pub(super) wanted_qd: Vec<f64>,
    /// Accelerations of tracking alone, feet held.
    pub(super) tracked: Vec<f64>,
    pub(super) reach: Vec<f64>,
    pub(super) scratch: Vec<f64>,
    /// Scratch of the controller: accelerations before relief, and how far each joint is off its target.
    pub(super) base: Vec<f64>,
    pub(super) off: Vec<f64>,
    pub(super) row_scratch: Vec<f64>,
    /// Generalized forces of contacts, and what they do.
    pub(super) force: Vec<f64>,
    zeros: Vec<f64>,
    /// Whether the planted feet's rows are factored.
    held: bool,
}

/// Damping of a joint that does not move as wanted, as seconds of its strength: at 10 rad/s off it gives a fifth of it.
///
/// Muscle resists fast motion; without it a light link under a clamped torque would shake at the step's rate.
const DAMPING_S: f64 = 0.02;
/// Least damping, N·m·s/rad, for joints without strength.
const MIN_DAMPING: f64 = 0.05;
/// A hinge with less room than this, radians, gets a row that stops it at the end.
const LIMIT_NEAR: f64 = 0.1;
/// Fraction of an exceeded range that one step corrects, and the greatest rate, rad/s.
const LIMIT_BACK: f64 = 0.2;
const LIMIT_BACK_RATE: f64 = 2.0;
/// The view of the target moves to newly planted feet within this time, s.
const FRAME_S: f64 = 0.2;

impl Simulation {
    /// The body of `target` with `loads` welded on, at the target's first pose.
    ///
    /// # Errors
    /// When a setting or a load makes no sense.
    pub fn new(target: Arc<Target>, config: &Config, loads: &[Load]) -> Result<Self, ReactError> {
        config.check()?;
        let body = target.body.with_loads(&target.skeleton, loads)?;
        let n = body.num_dofs();
        let mut state = BodyState::rest(&body);
        state.q.copy_from_slice(target.q(0));
        state.qd.copy_from_slice(target.qd(0));
        let mut damping = vec![0.0; n];
        for link in body.links().iter().skip(1) {
            let s = link.strength.negative.max(link.strength.positive);
            let most = if link.joint == JointKind::Hinge { s.x } else { s.max_element() };
            damping[link.dofs()].fill((DAMPING_S * most).max(MIN_DAMPING));
        }
        let loaded = loads.iter().any(|load| load.mass_kg > 0.0);
        Ok(Self {
            members: Members::new(&body),
            weight: body.mass() * body.gravity().length(),
            anchors: target.schedule[0].map(|parts| Anchor { set: parts != 0, ..Anchor::NONE }),
            blocks: Vec::new(),
            frame: Anchor::NONE,
            fall: Fall::default(),
            steps: Steps::default(),
            step: 0,
            slow_s: 0.0,
            arms_slow_s: 0.0,
            relief: Relief::default(),
            relief_weight: 0.0,
            care: Care::All,
            was_struck: false,
            answer: Answer::USUAL,
            foresight: Foresight::NONE,
            disturbed: loaded,
            loaded,
            blow: vec![0.0; n],
            corrections: Corrections::default(),
            added: vec![0.0; n],
            torque: vec![0.0; n],
            peaks: vec![Peak::default(); body.links().len()],
            cut: vec![false; body.links().len()],
            bumps: target.bumps.clone(),
            astray: 0.0,
            foot_force: [ForceSum::default(); 2],
            other_force: ForceSum::default(),
            summed_steps: 0,
            struck: false,
            residual: [0.0; 6],
            workspace: Workspace::new(&body),
            target_state: state.clone(),
            target_kinematics: Kinematics::new(&body),
            target_now: Kinematics::new(&body),
            h: MassMatrix::new(&body),
            damped: MassMatrix::new(&body),
            factors: Factors::new(&body),
            stiff: damping.clone(),
            damping,
            rows: Rows::new(&body),
            problem: Boxed::new(MAX_ROWS),
            distribution: ForceDistribution::new(),
            basis: Basis::new(&body),
            bias: vec![0.0; n],
            qdd: vec![0.0; n],
            tau: vec![0.0; n],
            wanted_qd: vec![0.0; n],
            tracked: vec![0.0; n],
            reach: vec![0.0; n],
            scratch: vec![0.0; n],
            base: vec![0.0; n],
            off: vec![0.0; n],
            row_scratch: vec![0.0; 2 * MAX_ROWS],
            force: vec![0.0; n],
            zeros: vec![0.0; n],
            held: false,
            config: config.clone(),
            state,
            body,
            target,
        })
    }

    /// One step of [`Target::step_s`] seconds; nothing happens after the target's last.
    ///
    /// `environment` is asked after the body was placed and before it moves.
    pub fn step(&mut self, environment: Option<Environment<'_>>) {
        if self.is_done() {
            return;
        }
        self.assemble();
        if let Some(environment) = environment {
            environment(&mut Touch { simulation: self });
        }
        self.plan();
        self.advance();
        self.judge();
        self.step += 1;
    }

    /// Whether the target is at its end.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.step >= self.target.num_steps
    }

    /// Steps made.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.step
    }

    /// Seconds from the clip's first row.
    #[must_use]
    pub fn time_s(&self) -> f64 {
        self.target.start_s() + self.step as f64 * self.target.dt
    }

    /// The body with its loads.
    #[must_use]
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Coordinates and velocities.
    #[must_use]
    pub fn state(&self) -> &BodyState {
        &self.state
    }

    /// The target.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// When balance was lost, seconds from the clip's first row.
    #[must_use]
    pub fn fell_at_s(&self) -> Option<f64> {
        self.fall.at_s
    }

    /// Hits `link` at `point` (link frame, m) with `impulse` (world axes, N·s); it acts in the next step.
    ///
    /// Larger impulses than [`MAX_IMPULSE_N_S`] are cut to it; what is not finite is ignored.
    pub fn apply_impulse(&mut self, link: usize, point: DVec3, impulse: DVec3) {
        kinematics_into(&self.body, &self.state, self.workspace.kinematics_mut());
        self.apply_impulse_placed(link, point, impulse);
    }

    /// The same, with the links placed already.
    pub(super) fn apply_impulse_placed(&mut self, link: usize, point: DVec3, impulse: DVec3) {
        if link >= self.body.links().len() || !(point.is_finite() && impulse.is_finite()) {
            return;
        }
        self.disturbed |= impulse != DVec3::ZERO;
        self.was_struck |= impulse != DVec3::ZERO;
        let impulse = impulse.clamp_length_max(MAX_IMPULSE_N_S);
        self.foresight.news_n_s += impulse.length();
        let force = PointForce::new(link, point, impulse);
        add_generalized(&self.body, self.workspace.kinematics(), &[force], &mut self.blow);
    }

    /// Places body and target and finds the contacts.
    fn assemble(&mut self) {
        let schedule = self.schedule();
        let Self { body, state, workspace, target, target_state, target_kinematics, bumps, .. } = self;
        for bump in bumps.iter_mut() {
            if let Some(tip) = bump.tip {
                bump.point = target.tips[tip].at(self.step, target.substeps);
            }
        }
        target_state.q.copy_from_slice(target.q(self.step));
        target_state.qd.copy_from_slice(target.qd(self.step + 1));
        kinematics_into(body, target_state, target_kinematics);
        for (sole, parts) in target.soles.iter().zip(target.schedule[self.step]) {
            if parts != 0 && !self.blocks.is_empty() {
                let stands = sole.middle(target_kinematics);
                self.blocks.retain(|block| !block.swallows(stands));
            }
        }
        rnea_into(body, state, &self.zeros, &[], workspace, &mut self.bias);
        crba_placed_into(body, workspace, &mut self.h);
        self.damped.copy_from(&self.h);
        for (dof, d) in self.damping.iter().enumerate() {
            self.damped.add_to_diagonal(dof, d * target.dt);
        }
        self.factors.factor(&self.damped);
        let scene = Scene {
            body,
            here: workspace.kinematics(),
            target: target_kinematics,
            soles: &target.soles,
            bumps,
            schedule,
            floor: &target.floor,
            blocks: &self.blocks,
            dt: target.dt,
            falling: self.fall.is_falling(),
        };
        find_rows(&scene, &mut self.anchors, &mut self.rows);
        if !self.fall.is_falling() {
            assist_rows(&scene, target.slack[self.step], self.weight, &mut self.rows);
        }
        self.limit_rows();
        self.rows.respond(&self.factors, &mut self.problem);
        self.see_target();
    }

    /// Rows of joints at the ends of their ranges.
    fn limit_rows(&mut self) {
        for link in self.body.links() {
            let Some((along, angle)) = super::bounds::beyond_range(link, &self.state, LIMIT_NEAR) else {
                continue;
            };
            if !self.rows.has_room(1) {
                return;
            }
            let dt = self.target.dt;
            // Away from the end: at least this fast.
            let speed = if angle > 0.0 { (angle * LIMIT_BACK / dt).min(LIMIT_BACK_RATE) } else { angle / dt };
            let row = Row {
                kind: Kind::Limit,
                group: 0,
                at: DVec3::ZERO,
                bears: DVec3::ZERO,
                along: DVec3::ZERO,
                speed,
                carries: false,
                cost: 1.0,
                bound: 0.0,
            };
            let entries = (-along).to_array();
            self.rows.push_joint(link.dof, &entries[..link.num_dofs()], row);
        }
    }

    /// Moves the view of the target towards the planted feet, and turns the residual with it.
    fn see_target(&mut self) {
        let (mut shift, mut turn, mut count) = (DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), 0.0);
        for anchor in self.anchors.iter().filter(|anchor| anchor.set) {
            shift += anchor.shift;
            turn += if anchor.turn.w < 0.0 { -anchor.turn } else { anchor.turn };
            count += 1.0;
        }
        if count > 0.0 {
            let rate = (self.target.dt / FRAME_S).min(1.0);
            self.frame.shift = self.frame.shift.lerp(shift / count, rate);
            self.frame.turn = (self.frame.turn * (1.0 - rate) + turn * (rate / count)).normalize();
        }
        let own = self.target.tau(self.step);
        let fade = self.fall.residual_weight();
        let force = self.frame.turn * vec3_at(own, 0) * fade;
        set_vec3(&mut self.residual, 0, force);
        set_vec3(&mut self.residual, 3, vec3_at(own, 3) * fade);
    }

    /// Accelerations and torques that the controller requests.
    fn plan(&mut self) {
        self.corrections = Corrections::default();
        self.added.fill(0.0);
        if self.fall.is_falling() {
            self.plan_fall();
            return;
        }
        let tracking = self.config.tracking;
        self.slow_s = (self.slow_s - self.target.dt).max(0.0);
        self.arms_slow_s = (self.arms_slow_s - self.target.dt).max(0.0);
        // Arms that relieve return slowly; a body losing balance needs them at once.
        let relieving = self.arms_slow_s > 0.0 && self.slow_s == 0.0;
        let slow: &[bool] = if relieving { &self.members.is_arm } else { &[] };
        // A body near the target has time; a quick return would demand more of the ground than it saves.
        let pace = Pace { slow, bounded: if self.slow_s > 0.0 { self.astray } else { 0.0 } };
        track_into(&self.target, self.step, tracking, &self.frame, pace, &self.state, &mut self.qdd);
        // Undisturbed, the target's own angles are all within range, however fast it comes near an end.
        if self.disturbed {
            for link in self.body.links() {
                super::bounds::soften_range(link, &self.state, &mut self.qdd);
            }
        }
        self.hold();
        self.distribution.begin(&self.rows);
        if self.config.control && self.disturbed {
            self.control();
        }
        self.give_torques();
    }

    /// Brings the wanted accelerations to what planted feet allow, by the smallest change in the metric of H.
    pub(super) fn hold(&mut self) {
        for (place, row) in self.problem.place.iter_mut().zip(&self.rows.list) {
            *place = if row.holds() { Place::Free } else { Place::Low };
        }
        self.held = self.rows.list.iter().any(Row::holds) && self.problem.factor_free();
        self.keep_hold();
    }

    /// The same again in the same step.
    pub(super) fn keep_hold(&mut self) {
        if !self.held {
            return;
        }
        let dt = self.target.dt;
        let Self { rows, problem, factors, qdd, state, row_scratch, force, .. } = self;
        for (i, row) in rows.list.iter().enumerate() {
            row_scratch[i] = 0.0;
            if row.holds() {
                row_scratch[i] = (row.speed - rows.motion(i, &state.qd)) / dt - rows.motion(i, qdd);
            }
        }
        problem.solve_held(row_scratch);
        force.fill(0.0);
        rows.add_force(row_scratch, force);
        factors.solve(force);
        for (q, f) in qdd.iter_mut().zip(force.iter()) {
            *q += f;
        }
    }
}
