//! The parts of contacts in which a foot truly stands.

use glam::DVec3;
use ugoki_base::clip::Clip;
use ugoki_base::math::mean_of;
use ugoki_base::pose::ModelPose;

use super::glitch::glitches;
use super::targets::{FootPath, Limits, find_targets};
use crate::contact::{ContactError, Contacts, Foot, find_feet};

/// The parts of `contacts` in which ankles and toes of `clip` truly stand: not landing, not rolling off.
///
/// # Errors
/// When the legs are not known by role.
pub fn standing_contacts(clip: &Clip, contacts: &Contacts) -> Result<Contacts, ContactError> {
    let feet = find_feet(clip.skeleton())?;
    let poses = clip.model_poses();
    let scale = feet.scale();
    let noise = contacts.noise;
    let limits = Limits { snap_m: 0.0, slide_m: f64::INFINITY, scale, noise, whole: false, toe_m: None };
    let mut standing = contacts.clone();
    for (foot, found) in feet.feet.iter().zip(&mut standing.feet) {
        let path = foot_path(&poses, foot, clip.fps(), scale);
        *found = find_targets(&path, None, found, clip.fps(), &limits).standing;
    }
    Ok(standing)
}

/// Ankle and toe of a foot in every pose.
pub(super) fn foot_path(poses: &[ModelPose], foot: &Foot, fps: f64, scale: f64) -> FootPath {
    let ankle: Vec<DVec3> = poses.iter().map(|pose| pose.positions[foot.ankle].as_dvec3()).collect();
    let toe: Vec<DVec3> = poses.iter().map(|pose| foot.toe.position(pose).as_dvec3()).collect();
    // As posed, not as at rest: files may move the toe joint.
    let lengths: Vec<f64> = ankle.iter().zip(&toe).map(|(a, t)| (*t - *a).length()).collect();
    let mut glitch = glitches(&ankle, fps, scale);
    for (glitch, toe) in glitch.iter_mut().zip(glitches(&toe, fps, scale)) {
        *glitch |= toe;
    }
    FootPath { ankle, toe, glitch, length: mean_of(&lengths), start: 0 }
}
