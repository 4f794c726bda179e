//! A whole clip: target, simulation, events, and what came of it.

use std::sync::Arc;

use glam::{DQuat, DVec2, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::angle_between64;
use ugoki_base::pose::Pose;
use ugoki_base::{Progress, report};

use super::audit::audit;
use super::config::{Config, Event, Push, ReactError, check_events};
use super::environment::Environment;
use super::ground::pressed;
use super::report::{Frame, Outcome, Peak, Reaction, joint_error};
use super::simulation::Simulation;
use super::target::{FLIGHT, MUCH_SLACK, Target, flat, wrench};
use crate::dynamics::{
    Kinematics, Load, difference_into, kinematics_into, quat_at, vec3_at, write_rotations, zmp,
};

/// How near to the target a body that follows it is at the end: root mean square over the joints, degrees.
const FOLLOWS_DEG: f64 = 5.0;
/// And one that is back on it: of its place, m, and of its direction.
const PLACE_M: f64 = 0.05;
const DIRECTION_DEG: f64 = 5.0;

/// The reaction of the body in `clip` to `events`; see [`Config`] for what can be chosen.
///
/// # Errors
/// When the skeleton has no legs, the clip is too short or not finite, a setting or event makes no sense, or the
/// caller stops.
pub fn react(
    clip: &Clip,
    config: &Config,
    events: &[Event],
    environment: Option<Environment<'_>>,
    progress: Progress<'_>,
) -> Result<Reaction, ReactError> {
    check_events(events)?;
    let target = {
        let mut part = |fraction: f32| progress(0.4 * fraction);
        Arc::new(Target::build(clip, config, &mut part)?)
    };
    react_to(&target, config, events, environment, progress)
}

/// [`react`] on a target built before.
///
/// # Errors
/// As [`react`].
pub fn react_to(
    target: &Arc<Target>,
    config: &Config,
    events: &[Event],
    mut environment: Option<Environment<'_>>,
    progress: Progress<'_>,
) -> Result<Reaction, ReactError> {
    check_events(events)?;
    let mut loads: Vec<Load> = config.body.loads.clone();
    let mut pushes: Vec<(usize, DVec3, Push)> = Vec::new();
    for event in events {
        match event {
            Event::Load(load) => loads.push(*load),
            Event::Push(push) => {
                let (link, at) = place_of(target, push)?;
                pushes.push((link, at, *push));
            }
        }
    }
    let mut simulation = Simulation::new(target.clone(), config, &loads)?;
    simulation.prepare(progress)?;
    let mut out = Writer::new(target);
    out.write(&mut simulation);
    out.extrapolate_first_frame(&simulation);
    for frame in 1..=target.num_steps / target.substeps {
        let so_far = 0.4 + 0.6 * frame as f32 * target.substeps as f32 / target.num_steps as f32;
        if frame % 16 == 0 {
            report(progress, so_far)?;
        }
        for _ in 0..target.substeps {
            for (link, at, push) in &pushes {
                let impulse = impulse_in_step(push, simulation.time_s(), target.dt);
                if impulse != DVec3::ZERO {
                    simulation.apply_impulse(*link, *at, impulse);
                }
            }
            simulation.foresee(&mut |_| progress(so_far))?;
            match &mut environment {
                Some(environment) => simulation.step(Some(&mut **environment)),
                None => simulation.step(None),
            }
        }
        out.write(&mut simulation);
    }
    Ok(out.finish(&simulation))
}

/// Link and place of the joint that a push hits.
fn place_of(target: &Target, push: &Push) -> Result<(usize, DVec3), ReactError> {
    let joint =
        (target.skeleton.find(push.role)).ok_or(crate::dynamics::BodyError::Nowhere { role: push.role })?;
    Ok(target.body.place_of_joint(joint))
}

/// The part of a push that falls into the step that starts at `time`.
fn impulse_in_step(push: &Push, time: f64, dt: f64) -> DVec3 {
    let whole = DVec3::from_array(push.impulse_n_s);
    // Half a step of grace, so that a time on a step's border is not lost to rounding.
    let now = time + 0.5 * dt;
    if push.seconds <= dt {
        let hit = now >= push.at_s && now < push.at_s + dt;
        return if hit { whole } else { DVec3::ZERO };
    }
    let overlap = (time + dt).min(push.at_s + push.seconds) - time.max(push.at_s);
    whole * (overlap.max(0.0) / push.seconds)
}

/// Collects frames.
struct Writer {
    clip: Clip,
    frames: Vec<Frame>,
    kinematics: Kinematics,
    pose: Pose,
    world: Vec<DQuat>,
    off: Vec<f64>,
}

impl Writer {
    fn new(target: &Target) -> Self {
        Self {
            clip: target.clip.clone(),
            frames: Vec::with_capacity(target.num_steps / target.substeps + 1),
            kinematics: Kinematics::new(&target.body),
            pose: Pose::rest(&target.skeleton),
            world: Vec::with_capacity(target.skeleton.num_joints()),
            off: vec![0.0; target.body.num_dofs()],
        }
    }

    fn write(&mut self, simulation: &mut Simulation) {
        let frame = self.frames.len();
        let row = simulation.setup.target.first_frame + frame;
        kinematics_into(&simulation.setup.body, &simulation.motion.state, &mut self.kinematics);
        simulation.place(frame, &self.kinematics, &mut self.pose, &mut self.world);
        self.clip.set_pose(row, &self.pose);
        let frame = simulation.report(&self.kinematics, &mut self.off);
        self.frames.push(frame);
    }

    /// Gives the first frame, before which nothing was, the forces and torques of the step that follows if nothing
    /// happens.
    fn extrapolate_first_frame(&mut self, simulation: &Simulation) {
        let mut ahead = simulation.clone();
        ahead.step(None);
        let kinematics = ahead.seen.workspace.kinematics().clone();
        let next = ahead.report(&kinematics, &mut self.off);
        if let Some(first) = self.frames.first_mut() {
            let Frame { t, tracking_error_deg, root_error_m, world_offset_m, .. } = *first;
            *first = Frame { t, tracking_error_deg, root_error_m, world_offset_m, ..next };
        }
    }

    fn finish(mut self, simulation: &Simulation) -> Reaction {
        let target = &simulation.setup.target;
        self.clip.align_signs();
        self.clip.set_source(None);
        audit(simulation, &self.clip, &mut self.frames);
        let outcome = outcome(simulation, self.frames.last());
        Reaction {
            clip: self.clip,
            target: target.clip.clone(),
            frames: self.frames,
            links: target.body.links().iter().map(|link| link.role.to_string()).collect(),
            outcome,
            weight_n: simulation.setup.weight,
            fell_at_s: simulation.motion.fall.at_s,
            fit: target.fit.clone(),
        }
    }
}

/// How a reaction with this last frame ends.
fn outcome(simulation: &Simulation, last: Option<&Frame>) -> Outcome {
    if simulation.fell_at_s().is_some() {
        return Outcome::Fell;
    }
    let stands = |frame: &&Frame| frame.margin_m.is_none_or(|margin| margin > -1e-3);
    let Some(last) = last.filter(stands).filter(|frame| frame.tracking_error_deg < FOLLOWS_DEG) else {
        return Outcome::OffTarget;
    };
    let (target, motion) = (&simulation.setup.target, &simulation.motion);
    let goal = quat_at(target.q(motion.step.min(target.num_steps)), 3);
    let turned = angle_between64(quat_at(&motion.state.q, 3), goal).to_degrees();
    if last.world_offset_m < PLACE_M && turned < DIRECTION_DEG {
        Outcome::Recovered
    } else {
        Outcome::Displaced
    }
}

impl Simulation {
    /// The pose of the frame that the body is in.
    pub fn pose_into(&self, pose: &mut Pose) {
        let mut kinematics = Kinematics::new(&self.setup.body);
        kinematics_into(&self.setup.body, &self.motion.state, &mut kinematics);
        self.place(self.motion.step / self.setup.target.substeps, &kinematics, pose, &mut Vec::new());
    }

    /// The pose of a frame whose links are placed; joints that the body lacks are as in the target.
    fn place(&self, frame: usize, kinematics: &Kinematics, pose: &mut Pose, world: &mut Vec<DQuat>) {
        let target = &self.setup.target;
        target.clip.pose_into(target.first_frame + frame, pose);
        let beyond = target.beyond(frame);
        let rotation = |link: usize| kinematics.link(link).rotation * beyond[link];
        write_rotations(
            &self.setup.body,
            rotation,
            kinematics.link(0).position,
            &target.skeleton,
            pose,
            world,
        );
    }

    /// The report of the frame that the body is in, and a fresh start for its sums.
    fn report(&mut self, kinematics: &Kinematics, off: &mut [f64]) -> Frame {
        let target = self.setup.target.clone();
        let step = self.motion.step.min(target.num_steps);
        difference_into(&self.setup.body, target.q(step), &self.motion.state.q, off);
        let frame = &self.motion.frame;
        let place = frame.place(vec3_at(target.q(step), 0));
        let links = self.setup.body.links();
        let ground = self.seen.ground_wrench(target.dt);
        let (polygon, height) = pressed(&self.seen.rows, &self.seen.problem.x);
        let point =
            zmp(&wrench(self.seen.workspace.kinematics(), &ground), height, FLIGHT * self.setup.weight)
                .filter(|_| !polygon.corners().is_empty());
        let residual = wrench(self.seen.workspace.kinematics(), &self.seen.residual_wrench(target.dt));
        let steps = self.record.summed_steps;
        // Of the same steps as the loads.
        let own = |link: usize| {
            (step.saturating_sub(steps.max(1))..step.max(1))
                .map(|step| target.load(step)[link])
                .fold(0.0, f64::max)
        };
        let frame = Frame {
            t: self.time_s(),
            tracking_error_deg: joint_error(&self.setup.body, off).to_degrees(),
            root_error_m: kinematics.link(0).position.distance(place),
            world_offset_m: kinematics.link(0).position.distance(vec3_at(target.q(step), 0)),
            torque_n_m: self.record.peaks.iter().map(|peak| peak.torque).collect(),
            load: self.record.peaks.iter().map(|peak| peak.load).collect(),
            passive_torque_n_m: self.record.peaks.iter().map(|peak| peak.passive).collect(),
            clamped: self.record.peaks.iter().map(|peak| peak.clamped).collect(),
            target_load: (0..links.len()).map(own).collect(),
            zmp_m: point.map(|p| flat(p).to_array()),
            margin_m: point.map(|p| polygon.margin(DVec2::new(p.x, p.z))),
            polygon_m: polygon.corners().iter().map(DVec2::to_array).collect(),
            corrections: self.plan.corrections,
            correction_axes: (0..links.len()).map(|l| self.correction_axis(l).to_array()).collect(),
            feet: [self.record.foot_force[0].mean(steps), self.record.foot_force[1].mean(steps)],
            other_ground_force_n: self.record.other_force.mean(steps).force_n,
            residual_force_n: residual.force.to_array(),
            residual_moment_n_m: residual.moment.to_array(),
            flagged: target.slack[step] >= MUCH_SLACK,
            falling: self.motion.fall.at_s.is_some(),
            struck: std::mem::take(&mut self.record.struck),
            impossible: Vec::new(),
        };
        self.record.peaks.fill(Peak::default());
        self.record.foot_force = Default::default();
        self.record.other_force = Default::default();
        self.record.summed_steps = 0;
        frame
    }
}
