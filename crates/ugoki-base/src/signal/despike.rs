//! Glitches taken out of rotations and paths before anything is smoothed.
//!
//! A glitch jumps out and jumps back within a tenth of a second, farther than this joint goes out and back in that time, and
//! by many times what it does around ([`super::glitch`]). Rotations are compared as rotation vectors
//! relative to the last good frame, so the frame of reference does not matter; thresholds are the joint's own accelerations
//! and times, so the rate of the clip does not matter either. A glitch is replaced whole or left whole.

use glam::{DQuat, DVec3};
use serde::Serialize;

use super::glitch::{DespikeConfig, Limits, mend};
use super::joints::{align_track_signs, for_each_joint};
use crate::clip::{Clip, VectorTrack};
use crate::math::angle_between64;
use crate::{Cancelled, Progress};

/// What was mended on one joint.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DespikedJoint {
    /// The joint.
    pub joint: String,
    /// Frames whose rotation was replaced, in order, counted with an added T-pose.
    pub frames: Vec<usize>,
    /// The largest turn, degrees.
    pub largest_deg: f64,
    /// Frames whose position was replaced.
    pub path_frames: Vec<usize>,
    /// The largest shift, metres.
    pub largest_m: f64,
}

/// What was mended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DespikeReport {
    /// Joints with a glitch, in joint order.
    pub joints: Vec<DespikedJoint>,
    /// Frames of motion in which anything changed.
    pub frames_changed: usize,
    /// Joint-frames changed, rotations and positions together.
    pub values_changed: usize,
}

/// A motion without glitches.
#[derive(Debug, Clone, PartialEq)]
pub struct Despiked {
    /// The result; what was no glitch keeps its bits.
    pub clip: Clip,
    /// What was mended.
    pub report: DespikeReport,
}

/// Why glitches cannot be looked for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DespikeError {
    /// A threshold is not usable.
    #[error("{name} is {value}, expected {expected}")]
    Config {
        /// The field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What would do.
        expected: &'static str,
    },
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Replaces glitches of every joint's rotation and of all paths. An added T-pose stays and has no part.
///
/// # Errors
/// When the configuration is not usable or the caller stops.
pub fn despike(
    clip: &Clip,
    config: &DespikeConfig,
    progress: Progress<'_>,
) -> Result<Despiked, DespikeError> {
    check(config)?;
    let motion = clip.motion_frames();
    let mut result = clip.clone();
    let turned = for_each_joint(result.rotations_mut(), progress, |joint, mut out| {
        let track = clip.rotations().track(joint).part(motion.clone());
        let mut samples: Vec<DQuat> = (0..track.len()).map(|frame| track.get(frame).as_dquat()).collect();
        let limits = Limits::for_rotations(&samples, clip.fps(), config);
        let found = mend(&mut samples, &limits);
        let [x, y, z, w] = out.each_mut().map(|values| &mut values[motion.clone()]);
        for &frame in &found {
            [x[frame], y[frame], z[frame], w[frame]] = samples[frame].as_quat().normalize().to_array();
        }
        if !found.is_empty() {
            align_track_signs(out);
        }
        let largest = found.iter().map(|&f| angle_between64(samples[f], track.get(f).as_dquat()));
        let largest = largest.fold(0.0, f64::max).to_degrees();
        (found, largest)
    })?;
    let path = |track: &mut VectorTrack| {
        let before: Vec<DVec3> = motion.clone().map(|frame| track.get(frame).as_dvec3()).collect();
        let mut samples = before.clone();
        let limits = Limits::for_path(&samples, clip.fps(), config);
        let found = mend(&mut samples, &limits);
        for &frame in &found {
            track.set(motion.start + frame, samples[frame].as_vec3());
        }
        let largest = found.iter().map(|&f| samples[f].distance(before[f])).fold(0.0, f64::max);
        (found, largest)
    };
    let mut shifted = vec![(Vec::new(), 0.0); clip.num_joints()];
    shifted[0] = path(result.root_mut());
    for translation in result.translations_mut() {
        shifted[translation.joint] = path(&mut translation.track);
    }
    let mut changed = vec![false; motion.len()];
    let mut joints = Vec::new();
    for (joint, ((frames, largest_deg), (path_frames, largest_m))) in
        turned.into_iter().zip(shifted).enumerate()
    {
        frames.iter().chain(&path_frames).for_each(|&frame| changed[frame] = true);
        if !frames.is_empty() || !path_frames.is_empty() {
            let counted = |frames: Vec<usize>| frames.into_iter().map(|f| f + motion.start).collect();
            joints.push(DespikedJoint {
                joint: clip.skeleton().joint(joint).name.clone(),
                frames: counted(frames),
                largest_deg,
                path_frames: counted(path_frames),
                largest_m,
            });
        }
    }
    let report = DespikeReport {
        frames_changed: changed.iter().filter(|&&c| c).count(),
        values_changed: joints.iter().map(|j| j.frames.len() + j.path_frames.len()).sum(),
        joints,
    };
    Ok(Despiked { clip: result, report })
}

/// The frames of one joint's rotations that [`despike`] replaces, in order: what a glitch is, wherever one is looked for.
#[must_use]
pub fn rotation_glitches(rotations: &[DQuat], fps: f64, config: &DespikeConfig) -> Vec<usize> {
    let limits = Limits::for_rotations(rotations, fps, config);
    mend(&mut rotations.to_vec(), &limits)
}

/// The frames of a path, metres, that [`despike`] replaces, in order.
#[must_use]
pub fn path_glitches(path: &[DVec3], fps: f64, config: &DespikeConfig) -> Vec<usize> {
    let limits = Limits::for_path(path, fps, config);
    mend(&mut path.to_vec(), &limits)
}

fn check(config: &DespikeConfig) -> Result<(), DespikeError> {
    if !(0.0..=0.25).contains(&config.max_s) {
        let value = config.max_s;
        return Err(DespikeError::Config {
            name: "the longest glitch",
            value,
            expected: "0 to 0.25 seconds",
        });
    }
    let positive = [
        ("the smallest glitch of a rotation", config.rotation_deg, "degrees above 0"),
        ("the smallest glitch of a path", config.path_m, "metres above 0"),
        ("the ratio to the motion around", config.ratio, "a number above 0"),
    ];
    for (name, value, expected) in positive {
        if !(value.is_finite() && value > 0.0) {
            return Err(DespikeError::Config { name, value, expected });
        }
    }
    Ok(())
}
