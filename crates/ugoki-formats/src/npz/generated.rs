//! Arrays of motion generators: world positions and rotations of all joints, and no skeleton.

use glam::{DQuat, DVec3};
use ugoki_base::skeleton::Joint;

use super::archive::malformed;
use super::array_motion::{ArrayMotion, Arrays, rotation, skeleton, vectors};
use crate::ReadError;

/// Joints of Kimodo's skeleton SOMA-30 in their order, each with its parent; the file does not name them.
const SOMA: [(&str, Option<usize>); 30] = [
    ("Hips", None),
    ("Spine1", Some(0)),
    ("Spine2", Some(1)),
    ("Chest", Some(2)),
    ("Neck1", Some(3)),
    ("Neck2", Some(4)),
    ("Head", Some(5)),
    ("Jaw", Some(6)),
    ("LeftEye", Some(6)),
    ("RightEye", Some(6)),
    ("LeftShoulder", Some(3)),
    ("LeftArm", Some(10)),
    ("LeftForeArm", Some(11)),
    ("LeftHand", Some(12)),
    ("LeftHandThumbEnd", Some(13)),
    ("LeftHandMiddleEnd", Some(13)),
    ("RightShoulder", Some(3)),
    ("RightArm", Some(16)),
    ("RightForeArm", Some(17)),
    ("RightHand", Some(18)),
    ("RightHandThumbEnd", Some(19)),
    ("RightHandMiddleEnd", Some(19)),
    ("LeftLeg", Some(0)),
    ("LeftShin", Some(22)),
    ("LeftFoot", Some(23)),
    ("LeftToeBase", Some(24)),
    ("RightLeg", Some(0)),
    ("RightShin", Some(26)),
    ("RightFoot", Some(27)),
    ("RightToeBase", Some(28)),
];

/// Arrays with `posed_joints` and `global_rot_mats`. Offsets are the medians of those in the frames.
pub(super) fn motion(arrays: &Arrays<'_>) -> Result<ArrayMotion, ReadError> {
    let [num_frames, count] = {
        let shape = &arrays.shaped("posed_joints", &[0, 0, 3])?.shape;
        [shape[0], shape[1]]
    };
    let places = vectors(&arrays.numbers("posed_joints", &[num_frames, count, 3])?);
    let matrices = arrays.numbers("global_rot_mats", &[num_frames, count, 3, 3])?;
    let world: Vec<DQuat> = matrices.chunks_exact(9).map(rotation).collect();
    let mut joints = joints(arrays, count)?;
    let mut local = Vec::with_capacity(world.len());
    for frame in 0..num_frames {
        for (joint, node) in joints.iter().enumerate() {
            let turn = world[frame * count + joint];
            local.push(node.parent.map_or(turn, |parent| world[frame * count + parent].inverse() * turn));
        }
    }
    for (joint, node) in joints.iter_mut().enumerate() {
        let Some(parent) = node.parent else { continue };
        let offset = |frame: usize| {
            let [here, from] = [joint, parent].map(|joint| frame * count + joint);
            world[from].inverse() * (places[here] - places[from])
        };
        let offsets: Vec<DVec3> = (0..num_frames).map(offset).collect();
        let median = |axis: usize| {
            let mut values: Vec<f64> = offsets.iter().map(|offset| offset[axis]).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(0.0)
        };
        node.offset = DVec3::new(median(0), median(1), median(2)).as_vec3();
    }
    let root = (0..num_frames).map(|frame| places[frame * count]).collect();
    Ok(ArrayMotion { joints, num_frames, root, local, moved: Vec::new() })
}

/// The joints that the arrays name, or those of SOMA-30.
fn joints(arrays: &Arrays<'_>, count: usize) -> Result<Vec<Joint>, ReadError> {
    if arrays.get("names").is_some() {
        return skeleton(arrays, count, &vec![DVec3::ZERO; count]);
    }
    if count != SOMA.len() {
        return Err(malformed(format!(
            "{count} joints without names, expected the {} of SOMA-30 or the arrays \"names\" and \"parents\"",
            SOMA.len()
        )));
    }
    Ok(SOMA.iter().map(|(name, parent)| Joint::new(*name, *parent, glam::Vec3::ZERO)).collect())
}
