//! The target: a captured motion as the body's coordinates, velocities, torques and contacts at every step.
//!
//! Built once per clip and never changed; any number of simulations may follow it.

use std::sync::Arc;

use glam::{DQuat, DVec2, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Skeleton;
use ugoki_feet::contact::Floor;

use super::config::{Config, Event, ReactError};
use super::hands::Tip;
use super::report::FitReport;
use super::soles::{Bump, Sole};
use crate::dynamics::{Body, Kinematics, Wrench, vec3_at};

/// A motion to be followed.
#[derive(Debug, Clone)]
pub struct Target {
    pub(super) skeleton: Arc<Skeleton>,
    pub(super) body: Body,
    /// As followed: smoothed, without glitches.
    pub(super) clip: Clip,
    pub(super) substeps: usize,
    pub(super) dt: f64,
    pub(super) num_steps: usize,
    /// Rows by step: coordinates; velocities (one row more); torques with the ground's forces taken off, the residual
    /// wrench in the root's six.
    pub(super) q: Vec<f64>,
    pub(super) qd: Vec<f64>,
    pub(super) tau: Vec<f64>,
    /// Rows by step, one per link: load, seconds to the next extremum.
    pub(super) load: Vec<f64>,
    pub(super) horizon: Vec<f32>,
    /// How far inside the support polygon the ground's ZMP is, m; infinite where there is none.
    pub(super) margin: Vec<f64>,
    /// The ground's ZMP, or in flight the centre of mass, seen from above, m.
    pub(super) zmp: Vec<DVec2>,
    /// How much the target lacks of ground to stand on, 0 to 1.
    pub(super) slack: Vec<f64>,
    /// What of each foot is planted.
    pub(super) schedule: Vec<[u8; 2]>,
    pub(super) floor: Floor,
    pub(super) beyond: Vec<DQuat>,
    pub(super) soles: [Sole; 2],
    pub(super) bumps: Vec<Bump>,
    pub(super) tips: Vec<Tip>,
    pub(super) fit: FitReport,
    pub(super) first_frame: usize,
}

/// Captured loads of feet and toes jump from frame to frame: those within this time count, s.
const AROUND_S: f64 = 0.05;
/// A target that lacks this much ground (0 to 1) is only followed.
pub(super) const MUCH_SLACK: f64 = 0.5;
/// Less than this fraction of the weight on the ground is flight.
pub(super) const FLIGHT: f64 = 0.05;

impl Target {
    /// The body that follows it: without loads, its ranges wide enough for the target.
    #[must_use]
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The body with the loads of its configuration and of `events` welded on.
    ///
    /// # Errors
    /// When a load is on a joint that the skeleton does not have.
    pub fn loaded_body(&self, config: &Config, events: &[Event]) -> Result<Body, ReactError> {
        let carried = events.iter().filter_map(|event| match event {
            Event::Load(load) => Some(*load),
            Event::Push(_) => None,
        });
        let loads: Vec<_> = config.body.loads.iter().copied().chain(carried).collect();
        Ok(self.body.with_loads(self.clip.skeleton(), &loads)?)
    }

    /// The clip as it is followed: smoothed and without glitches.
    #[must_use]
    pub fn clip(&self) -> &Clip {
        &self.clip
    }

    /// How well the body's joints take the clip's poses.
    #[must_use]
    pub fn fit(&self) -> &FitReport {
        &self.fit
    }

    /// Where the ground is.
    #[must_use]
    pub fn floor(&self) -> &Floor {
        &self.floor
    }

    /// Steps from the first frame of motion to the last.
    #[must_use]
    pub fn num_steps(&self) -> usize {
        self.num_steps
    }

    /// Steps in a frame.
    #[must_use]
    pub fn substeps(&self) -> usize {
        self.substeps
    }

    /// Seconds of a step.
    #[must_use]
    pub fn step_s(&self) -> f64 {
        self.dt
    }

    /// Seconds from the clip's first row to the first frame of motion.
    #[must_use]
    pub fn start_s(&self) -> f64 {
        self.first_frame as f64 / self.clip.fps()
    }

    /// Coordinates at a step.
    #[must_use]
    pub fn q(&self, step: usize) -> &[f64] {
        row(&self.q, self.body.num_coordinates(), step)
    }

    /// Velocities at a step; there is one more row than there are coordinates.
    #[must_use]
    pub fn qd(&self, step: usize) -> &[f64] {
        row(&self.qd, self.body.num_dofs(), step)
    }

    /// Torques of the target itself at a step; the root's six are the wrench that no ground could give.
    #[must_use]
    pub fn tau(&self, step: usize) -> &[f64] {
        row(&self.tau, self.body.num_dofs(), step)
    }

    /// Load of each joint in the target itself.
    #[must_use]
    pub fn load(&self, step: usize) -> &[f64] {
        row(&self.load, self.body.links().len(), step)
    }

    /// The largest load of a joint in the target around a step: captured loads of feet and toes jump from frame to
    /// frame.
    pub(super) fn load_around(&self, step: usize, link: usize) -> f64 {
        let (n, reach) = (self.body.links().len(), (AROUND_S / self.dt).ceil() as usize);
        // The load after the last step belongs to no frame and is not reported.
        let last = self.num_steps.saturating_sub(1).max(step);
        let steps = step.saturating_sub(reach)..=(step + reach).min(last);
        steps.map(|step| self.load[step * n + link]).fold(0.0, f64::max)
    }

    /// Seconds to the next extremum of a link's joint, kept within [0.1, 0.5] s; 0.5 s where none lies ahead.
    pub(super) fn horizon_s(&self, step: usize, link: usize) -> f64 {
        f64::from(self.horizon[step * self.body.links().len() + link])
    }

    pub(super) fn beyond(&self, frame: usize) -> &[DQuat] {
        let n = self.body.links().len();
        &self.beyond[frame * n..(frame + 1) * n]
    }

    pub(super) fn acceleration_into(&self, step: usize, out: &mut [f64]) {
        for ((o, b), a) in out.iter_mut().zip(self.qd(step + 1)).zip(self.qd(step)) {
            *o = (b - a) / self.dt;
        }
    }
}

fn row(values: &[f64], n: usize, row: usize) -> &[f64] {
    &values[row * n..(row + 1) * n]
}

/// A generalized force on the root (force in world axes, moment in root axes) as a wrench.
pub(super) fn wrench(kinematics: &Kinematics, root: &[f64]) -> Wrench {
    let pose = kinematics.link(0);
    Wrench { at: pose.position, force: vec3_at(root, 0), moment: pose.matrix * vec3_at(root, 3) }
}

/// Distance in the ground plane.
pub(super) fn flat(v: DVec3) -> DVec2 {
    DVec2::new(v.x, v.z)
}
