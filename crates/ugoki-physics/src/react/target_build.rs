//! Building a target: glitches mended, low-passed, fitted to the body, sampled at the simulation's steps.

use ugoki_base::clip::Clip;
use ugoki_base::signal::{DespikeConfig, FilterConfig, Kernel, KernelShape, despike, filter};
use ugoki_base::{Progress, report};
use ugoki_feet::contact::{Contacts, find_contacts};

use super::config::{Config, MAX_STEPS, ReactError};
use super::fit::fit;
use super::hands::tips;
use super::horizon::horizons;
use super::report::FitReport;
use super::sampling::sample;
use super::soles::{HEEL, TOE, bumps, soles};
use super::target::Target;
use super::target_dynamics::own_dynamics;
use crate::dynamics::{Body, BodyConfig, measured_axes};

/// Frames below which a clip is a picture, not a motion.
const MIN_FRAMES: usize = 3;
/// σ of a Gaussian, s, times the frequency at which it passes 1/√2, Hz: √(ln 2) / 2π.
const GAUSS: f64 = 0.132_505;
/// Room around the target's own angles, radians: 2°.
const RANGE_SLACK: f64 = 0.035;

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

#[cfg(test)]
mod tests;
