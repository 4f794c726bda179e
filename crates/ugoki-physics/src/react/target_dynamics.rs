//! What the target itself takes, undisturbed and without loads: torques, what no ground could give, and its ZMP.
//!
//! First the wrench that the ground must give is sought in the contacts as well as they have it; what is missing is the
//! target's residual, and where there is much of it, or none to spare, the target lacks ground. Then the forces are
//! shared out once more just as the simulation does it, with the residual taken off and with assistance where ground is
//! lacking: what no ground can give is not asked of it, or for a last newton feet would press against each other as
//! hard as friction lets them.

use glam::DVec2;
use ugoki_base::{Progress, report};

use super::config::ReactError;
use super::force_distribution::ForceDistribution;
use super::ground::{ASSIST_FORCE, ASSIST_LEVER, Anchor, Scene, assist_rows, find_rows, support};
use super::rows::Rows;
use super::target::{FLIGHT, Target, flat, wrench};
use crate::dynamics::{
    Body, BodyState, Kinematics, Workspace, centroid, kinematics_into, load_into, move_by, rnea_into,
    vec3_at, zmp,
};

/// A residual above this fraction of the weight means that ground is missing.
const RESIDUAL: f64 = 0.01;
/// Lack of ground counts this long before and after, s.
const SLACK_S: f64 = 0.05;

/// The target at one step.
pub(super) struct Own {
    workspace: Workspace,
    moving: Kinematics,
    rows: Rows,
    distribution: ForceDistribution,
    state: BodyState,
    qdd: Vec<f64>,
    /// Inverse dynamics without contacts.
    tau: Vec<f64>,
    weight: f64,
}

/// Fills in what the target takes by itself.
pub(super) fn own_dynamics(
    target: &mut Target,
    friction: f64,
    progress: Progress<'_>,
) -> Result<(), ReactError> {
    let n = target.body.num_dofs();
    let mut own = Own::new(&target.body);
    for step in 0..=target.num_steps {
        if step % 512 == 0 {
            report(progress, 0.5 + 0.25 * step as f32 / (target.num_steps + 1) as f32)?;
        }
        own.place(&target.body, target, step, 0.0, None);
        own.find_residual(target, friction);
    }
    target.slack = widest(&target.slack, (SLACK_S / target.dt).ceil() as usize);
    let mut load = vec![0.0; target.body.links().len()];
    for step in 0..=target.num_steps {
        if step % 512 == 0 {
            report(progress, 0.75 + 0.25 * step as f32 / (target.num_steps + 1) as f32)?;
        }
        own.place(&target.body, target, step, target.slack[step], None);
        let residual: [f64; 6] = std::array::from_fn(|k| target.tau[step * n + k]);
        let wanted = std::array::from_fn(|k| own.tau[k] - residual[k]);
        own.give(friction, &wanted);
        own.tau[..6].copy_from_slice(&residual);
        load_into(&target.body, &own.tau, &mut load);
        target.tau[step * n..(step + 1) * n].copy_from_slice(&own.tau);
        target.load.extend_from_slice(&load);
    }
    Ok(())
}

impl Own {
    pub(super) fn new(body: &Body) -> Self {
        let n = body.num_dofs();
        Self {
            workspace: Workspace::new(body),
            moving: Kinematics::new(body),
            rows: Rows::new(body),
            distribution: ForceDistribution::new(),
            state: BodyState::rest(body),
            qdd: vec![0.0; n],
            tau: vec![0.0; n],
            weight: body.mass() * body.gravity().length(),
        }
    }

    /// Generalized forces as they stand.
    pub(super) fn tau(&self) -> &[f64] {
        &self.tau
    }

    /// Where the links are.
    pub(super) fn kinematics(&self) -> &Kinematics {
        self.workspace.kinematics()
    }

    /// Places `body` on the target, displaced by `shift`, with the contacts that it has and assistance for as much
    /// `slack`.
    pub(super) fn place(
        &mut self,
        body: &Body,
        target: &Target,
        step: usize,
        slack: f64,
        shift: Option<&[f64]>,
    ) {
        self.state.q.copy_from_slice(target.q(step));
        self.state.qd.copy_from_slice(target.qd(step + 1));
        kinematics_into(body, &self.state, &mut self.moving);
        self.state.qd.copy_from_slice(target.qd(step));
        if let Some(shift) = shift {
            move_by(body, &mut self.state.q, shift, 1.0);
        }
        target.acceleration_into(step, &mut self.qdd);
        rnea_into(body, &self.state, &self.qdd, &[], &mut self.workspace, &mut self.tau);
        let scene = Scene {
            body,
            here: self.workspace.kinematics(),
            target: &self.moving,
            soles: &target.soles,
            bumps: &[],
            schedule: target.schedule[step],
            blocks: &[],
            floor: &target.floor,
            dt: target.dt,
            falling: false,
        };
        find_rows(&scene, &mut [Anchor::NONE; 2], &mut self.rows);
        assist_rows(&scene, slack, self.weight, &mut self.rows);
        self.distribution.begin(&self.rows);
    }

    /// Takes the contacts' forces that come nearest to `wanted` off the torques.
    pub(super) fn give(&mut self, friction: f64, wanted: &[f64; 6]) {
        self.distribution.solve(&self.rows, friction, wanted);
        for (i, &f) in self.distribution.force[..self.rows.len()].iter().enumerate() {
            for (t, j) in self.tau.iter_mut().zip(self.rows.jacobian(i)) {
                *t -= f * j;
            }
        }
    }

    /// What no contact can give, the ZMP of what they can, and how much ground is lacking.
    fn find_residual(&mut self, target: &mut Target, friction: f64) {
        let wanted: [f64; 6] = std::array::from_fn(|k| self.tau[k]);
        self.give(friction, &wanted);
        let ground: [f64; 6] = std::array::from_fn(|k| wanted[k] - self.tau[k]);
        target.tau.extend_from_slice(&self.tau);
        let (polygon, height) = support(&self.rows);
        let here = self.workspace.kinematics();
        let point = zmp(&wrench(here, &ground), height, FLIGHT * self.weight);
        let margin = point.map_or(f64::INFINITY, |p| polygon.margin(DVec2::new(p.x, p.z)));
        let com = || centroid(&target.body, here).com;
        target.zmp.push(flat(point.unwrap_or_else(com)));
        target.margin.push(margin);
        let lack = [
            1.0 - margin / ASSIST_LEVER,
            (self.distribution.friction_used(&self.rows, friction) - 0.8) / 0.2,
            vec3_at(&self.tau, 0).length() / (RESIDUAL * self.weight),
            vec3_at(&self.tau, 3).length() / (RESIDUAL * self.weight * ASSIST_LEVER / ASSIST_FORCE),
        ];
        target.slack.push(lack.into_iter().fold(0.0, f64::max).min(1.0));
    }
}

/// Running maximum over `reach` values to either side.
fn widest(values: &[f64], reach: usize) -> Vec<f64> {
    let most = |i: usize| {
        let window = i.saturating_sub(reach)..(i + reach + 1).min(values.len());
        values[window].iter().copied().fold(0.0, f64::max)
    };
    (0..values.len()).map(most).collect()
}
