//! The target: a captured motion as the body's coordinates, velocities, torques and contacts at every step.
//!
//! Built once per clip and never changed; any number of simulations may follow it.

use std::sync::Arc;

use glam::{DQuat, DVec2, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::signal::{DespikeConfig, FilterConfig, Kernel, KernelShape, despike, filter};
use ugoki_base::skeleton::Skeleton;
use ugoki_base::{Progress, report};
use ugoki_feet::contact::{Contacts, Floor, find_contacts};

use super::config::{Config, Event, MAX_STEPS, ReactError};
use super::fit::fit;
use super::hands::{Tip, tips};
use super::horizon::horizons;
use super::report::FitReport;
use super::sampling::sample;
use super::soles::{Bump, HEEL, Sole, TOE, bumps, soles};
use super::target_dynamics::own_dynamics;
use crate::dynamics::{Body, BodyConfig, Kinematics, Wrench, measured_axes, vec3_at};

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

/// Frames below which a clip is a picture, not a motion.
const MIN_FRAMES: usize = 3;
/// σ of a Gaussian, s, times the frequency at which it passes 1/√2, Hz: √(ln 2) / 2π.
const GAUSS: f64 = 0.132_505;
/// Room around the target's own angles, radians: 2°.
const RANGE_SLACK: f64 = 0.035;
/// Captured loads of feet and toes jump from frame to frame: those within this time count, s.
const AROUND_S: f64 = 0.05;
/// Less than this fraction of the weight on the ground is flight.
pub(super) const FLIGHT: f64 = 0.05;

impl Target {
    /// Makes `clip` a target for the body that `config` describes.
    ///
    /// # Errors
    /// When the skeleton has no legs, the clip is too short, too long or not finite, a setting makes no sense, or the
    /// caller stops.
    pub fn build(clip: &Clip, config: &Config, progress: Progress<'_>) -> Result<Self, ReactError> {
        config.check()?;
        let motion = clip.motion_frames();
        // Loads are the simulation's; the target is the bare body's.
        let bare = BodyConfig { loads: Vec::new(), ..config.body.clone() };
        let plain = Body::build(clip.skeleton(), &bare)?;
        if motion.len() < MIN_FRAMES {
            return Err(ReactError::TooShort { frames: motion.len(), least: MIN_FRAMES });
        }
        if let Some(frame) = motion.clone().find(|&frame| !finite(clip, frame)) {
            return Err(ReactError::NotFinite { frame });
        }
        let substeps = (config.rate_hz / clip.fps() - 1e-6).ceil().max(1.0) as usize;
        let num_steps = (motion.len() - 1).saturating_mul(substeps);
        if num_steps > MAX_STEPS {
            return Err(ReactError::TooLong { steps: num_steps, max: MAX_STEPS });
        }
        report(progress, 0.0)?;
        let (clip, mended) = smoothed(clip, config, progress)?;
        report(progress, 0.3)?;
        let contacts = find_contacts(&clip, &config.contacts)?;
        let body = with_measured_axes(&plain, &clip, &bare)?;
        let fitted = fit(&body, &clip);
        let body = body.with_ranges_for(&fitted.q, RANGE_SLACK);
        report(progress, 0.5)?;
        let steps = sample(&body, &fitted.q, clip.fps(), substeps);
        let horizon = horizons(&body, &steps.q, &steps.qd, steps.dt);
        let schedule: Vec<[u8; 2]> =
            (0..=num_steps).map(|step| planted(&contacts, motion.start, step, substeps)).collect();
        let tips = tips(&body, &clip, &fitted.beyond);
        let mut target = Self {
            skeleton: clip.skeleton().clone(),
            soles: soles(&body),
            bumps: bumps(&body, &tips),
            tips,
            substeps,
            dt: steps.dt,
            num_steps,
            q: steps.q,
            qd: steps.qd,
            tau: Vec::new(),
            load: Vec::new(),
            horizon,
            margin: Vec::new(),
            zmp: Vec::new(),
            slack: Vec::new(),
            schedule,
            floor: contacts.floor,
            beyond: fitted.beyond,
            fit: FitReport { mended, ..fitted.report },
            first_frame: motion.start,
            body,
            clip,
        };
        own_dynamics(&mut target, config.friction, progress)?;
        Ok(target)
    }

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

    pub(super) fn horizon(&self, step: usize) -> &[f32] {
        let n = self.body.links().len();
        &self.horizon[step * n..(step + 1) * n]
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

fn finite(clip: &Clip, frame: usize) -> bool {
    (0..clip.num_joints())
        .all(|joint| clip.rotation(joint, frame).is_finite() && clip.local_position(joint, frame).is_finite())
}

/// The clip without glitches, low-passed.
fn smoothed(clip: &Clip, config: &Config, progress: Progress<'_>) -> Result<(Clip, usize), ReactError> {
    let mut mended = 0;
    let mut clip = clip.clone();
    if config.despike && clip.motion_frames().len() > 8 {
        let done = despike(&clip, &DespikeConfig::default(), progress)?;
        (clip, mended) = (done.clip, done.report.values_changed);
    }
    let sigma = GAUSS / config.smooth_hz * clip.fps();
    // Under a third of a frame a Gaussian is a single tap.
    if sigma > 0.3 {
        let kernel = Kernel::build(&KernelShape::Gauss(sigma))?;
        if kernel.taps().len() <= clip.motion_frames().len() {
            clip = filter(&clip, &kernel, FilterConfig::default(), progress)?.clip;
        }
    }
    Ok((clip, mended))
}

/// The body with hinges about the axes that the clip really uses.
fn with_measured_axes(plain: &Body, clip: &Clip, config: &BodyConfig) -> Result<Body, ReactError> {
    let mut config = config.clone();
    for (role, axis) in measured_axes(plain, clip) {
        let link = config.links.entry(role).or_default();
        link.axis.get_or_insert(axis.to_array());
    }
    Ok(Body::build(clip.skeleton(), &config)?)
}

/// What of each foot stands at a step.
fn planted(contacts: &Contacts, first_frame: usize, step: usize, substeps: usize) -> [u8; 2] {
    let frame = first_frame as f64 + step as f64 / substeps as f64;
    std::array::from_fn(|side| {
        let within = |ranges: &[std::ops::Range<usize>]| {
            ranges.iter().any(|r| frame >= r.start as f64 - 0.5 && frame < r.end as f64 - 0.5)
        };
        let foot = &contacts.feet[side];
        u8::from(within(&foot.heel)) * HEEL + u8::from(within(&foot.toe)) * TOE
    })
}

/// Distance in the ground plane.
pub(super) fn flat(v: DVec3) -> DVec2 {
    DVec2::new(v.x, v.z)
}

#[cfg(test)]
mod tests;
