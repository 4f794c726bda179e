//! Arrays of AMASS: axis-angle rotations of an SMPL body and its translation, without a skeleton.
//!
//! The body model may not be passed on, so the rest skeleton comes from the user: from arrays in the file, or from another file. The
//! shape of the body (`betas`) would need the model too and is left out.

use glam::{DQuat, DVec3};
use ugoki_base::clip::UpAxis;
use ugoki_base::skeleton::Joint;

use super::archive::{arrays, looks_like, malformed};
use super::array_motion::{ArrayMotion, Arrays, vectors};
use super::smpl;
use crate::{Companion, Fetch, Findings, ReadError, ReadOptions, Severity};

/// Names of the array with the rate.
pub(super) const RATES: [&str; 2] = ["mocap_framerate", "mocap_frame_rate"];

/// Cosine above which a direction is an axis's.
const ALONG: f64 = 0.7;

/// Whether the arrays are those of AMASS.
pub(super) fn is_amass(arrays: &Arrays<'_>) -> bool {
    arrays.get("poses").is_some() && arrays.get("trans").is_some()
}

/// The motion, +Y up, and which way was up in the file.
pub(super) fn motion(
    arrays: &Arrays<'_>,
    options: &ReadOptions,
    fetch: Fetch<'_>,
    findings: &mut Findings,
) -> Result<(ArrayMotion, UpAxis), ReadError> {
    let [num_frames, numbers] = {
        let shape = &arrays.shaped("poses", &[0, 0])?.shape;
        [shape[0], shape[1]]
    };
    let count = numbers / 3;
    let mut joints = smpl::joints(count);
    if joints.is_empty() || numbers % 3 != 0 {
        let known = smpl::COUNTS.map(|count| (3 * count).to_string()).join(", ");
        return Err(malformed(format!("\"poses\" has {numbers} numbers for each frame, expected {known}")));
    }
    let offsets = match rest(arrays, count)? {
        Some(offsets) => offsets,
        None => given(fetch, count)?,
    };
    for (joint, offset) in joints.iter_mut().zip(&offsets) {
        joint.offset = offset.as_vec3();
    }
    if let Ok(shape) = arrays.numbers("betas", &[0])
        && shape.iter().any(|number| *number != 0.0)
    {
        let message = "the shape of the body is given as numbers of a body model";
        findings.note(
            Severity::Info,
            None,
            "shape-ignored",
            message,
            "the given rest skeleton is used as it is",
        );
    }
    let poses = arrays.numbers("poses", &[num_frames, numbers])?;
    let mut local: Vec<DQuat> =
        poses.chunks_exact(3).map(|v| DQuat::from_scaled_axis(DVec3::from_slice(v))).collect();
    // The body turns about its pelvis, which stands at its rest place plus the translation.
    let root =
        vectors(&arrays.numbers("trans", &[num_frames, 3])?).into_iter().map(|place| place + offsets[0]);
    let mut root: Vec<DVec3> = root.collect();
    let up = options.up.unwrap_or_else(|| standing(&local, &joints));
    if up == UpAxis::Z {
        let turn = DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
        local.iter_mut().step_by(count).for_each(|rotation| *rotation = turn * *rotation);
        root.iter_mut().for_each(|place| *place = turn * *place);
        findings.note(Severity::Info, None, "up-z", "Z is up", "turned so that Y is up");
    }
    Ok((ArrayMotion { joints, num_frames, root, local, moved: Vec::new() }, up))
}

/// Which way bodies stand: along the mean direction of the rest pose's up, which is +Y of the pelvis; Z, as in AMASS, where that
/// shows nothing.
fn standing(local: &[DQuat], joints: &[Joint]) -> UpAxis {
    let up: DVec3 = local.iter().step_by(joints.len()).map(|turn| *turn * DVec3::Y).sum();
    if up.normalize_or_zero().y > ALONG { UpAxis::Y } else { UpAxis::Z }
}

/// Rest offsets from arrays: `offsets`, joint positions `J`, or a body model's regressor and vertices.
fn rest(arrays: &Arrays<'_>, count: usize) -> Result<Option<Vec<DVec3>>, ReadError> {
    if arrays.get("offsets").is_some() {
        return Ok(Some(vectors(&arrays.numbers("offsets", &[count, 3])?)));
    }
    let places = if arrays.get("J").is_some() {
        vectors(&arrays.numbers("J", &[0, 3])?)
    } else if arrays.get("J_regressor").is_some() && arrays.get("v_template").is_some() {
        let vertices = vectors(&arrays.numbers("v_template", &[0, 3])?);
        let weights = arrays.numbers("J_regressor", &[0, vertices.len()])?;
        let place = |row: &[f64]| row.iter().zip(&vertices).map(|(weight, vertex)| *weight * *vertex).sum();
        weights.chunks_exact(vertices.len().max(1)).map(place).collect()
    } else {
        return Ok(None);
    };
    // The hands of SMPL and of SMPL-H are other joints; the body before them is the same.
    if places.len() != count && !(count == 22 && places.len() > count) {
        return Err(malformed(format!("the rest skeleton has {} joints, expected {count}", places.len())));
    }
    let offset =
        |(at, joint): (usize, Joint)| places[at] - joint.parent.map_or(DVec3::ZERO, |parent| places[parent]);
    Ok(Some(smpl::joints(count).into_iter().enumerate().map(offset).collect()))
}

/// Rest offsets from the file that the user names: arrays, or any motion file on that skeleton.
fn given(fetch: Fetch<'_>, count: usize) -> Result<Vec<DVec3>, ReadError> {
    let Some(bytes) = fetch(Companion::Skeleton) else { return Err(ReadError::NoRestPose { joints: count }) };
    let wrong = |error: ReadError| ReadError::SkeletonFile { error: Box::new(error) };
    if looks_like(&bytes) {
        let arrays = Arrays(arrays(&bytes, crate::body::max_pose_bytes(bytes.len())).map_err(wrong)?);
        if let Some(offsets) = rest(&arrays, count).map_err(wrong)? {
            return Ok(offsets);
        }
    }
    let read = crate::read(&bytes, None, &ReadOptions::default()).map_err(wrong)?;
    let skeleton = read.clip.skeleton();
    let of_joint = |joint: Joint| {
        let by_role = joint.role.and_then(|role| skeleton.find(role));
        let found = by_role.or_else(|| skeleton.find_name(&joint.name));
        found.map(|at| skeleton.joint(at).offset.as_dvec3())
    };
    let offsets: Option<Vec<DVec3>> = smpl::joints(count).into_iter().map(of_joint).collect();
    offsets.ok_or_else(|| wrong(malformed(format!("it lacks some of the {count} joints of the body"))))
}
