//! Rows of angles to tracks, in Ugoki's axes.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use ugoki_base::clip::{Clip, OffsetMode, RotationTracks, Translation, UpAxis, VectorTrack};
use ugoki_base::skeleton::{Joint, Role, Skeleton};

use super::amc::first_columns;
use super::bone::Dof;
use super::tree::AsfJoint;
use crate::axes;

/// How a file's numbers are meant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Means {
    pub unit_metres: f64,
    pub up: UpAxis,
    pub offset: OffsetMode,
    /// Radians per unit of angle in the motion.
    pub radians: f64,
}

/// The joints in metres and Ugoki's axes.
pub(super) fn joints(joints: &[AsfJoint], means: Means) -> Vec<Joint> {
    let metres = |v: DVec3| axes::from_file(v * means.unit_metres, means.up).as_vec3();
    let joint = |joint: &AsfJoint| Joint {
        tips: joint.tip.iter().map(|tip| metres(*tip)).collect(),
        ..Joint::new(joint.name.clone(), joint.parent, metres(joint.offset))
    };
    joints.iter().map(joint).collect()
}

/// The skeleton of these joints with their roles.
pub(super) fn skeleton(file: &[AsfJoint], roles: &[Option<Role>], means: Means) -> Arc<Skeleton> {
    let mut joints = joints(file, means);
    for (joint, role) in joints.iter_mut().zip(roles) {
        joint.role = *role;
    }
    match Skeleton::build(joints) {
        Ok(skeleton) => skeleton,
        // Parents stand earlier by construction, numbers were bounded, roles are given once.
        Err(error) => unreachable!("{error}"),
    }
}

/// The clip of these rows.
pub(super) fn clip(file: &[AsfJoint], skeleton: Arc<Skeleton>, rows: &[f64], fps: f64, means: Means) -> Clip {
    let (columns, width) = first_columns(file);
    let num_frames = rows.len().checked_div(width).unwrap_or(0);
    let mut rotations = RotationTracks::identity(file.len(), num_frames);
    let mut root = VectorTrack::constant(skeleton.joint(0).offset, num_frames);
    let mut translations = Vec::new();
    for (index, (joint, &column)) in file.iter().zip(&columns).enumerate() {
        let values = |frame: usize| &rows[frame * width + column..][..joint.dofs.len()];
        if joint.dofs.iter().any(|dof| matches!(dof, Dof::Rotate(_))) {
            for frame in 0..num_frames {
                let q = rotation(joint, values(frame), means.radians);
                rotations.set(index, frame, axes::rotation_from_file(q, means.up).as_quat());
            }
        }
        if joint.dofs.iter().any(|dof| matches!(dof, Dof::Move(_))) {
            let place = |frame: usize| {
                let p = position(joint, values(frame), index == 0, means.offset);
                axes::from_file(p * means.unit_metres, means.up).as_vec3()
            };
            let track: VectorTrack = (0..num_frames).map(place).collect();
            if index == 0 {
                root = track;
            } else {
                translations.push(Translation { joint: index, track });
            }
        }
    }
    match Clip::from_tracks(skeleton, fps, root, rotations, translations) {
        Ok(mut clip) => {
            clip.align_signs();
            clip
        }
        // Rates were checked before.
        Err(error) => unreachable!("{error}"),
    }
}

/// `C·M·C⁻¹`, the rotation relative to the parent in the file's axes.
fn rotation(joint: &AsfJoint, values: &[f64], radians: f64) -> DQuat {
    let mut turn = DQuat::IDENTITY;
    for (dof, value) in joint.dofs.iter().zip(values) {
        if let Dof::Rotate(axis) = dof {
            // A turn beyond a million times round is rounding noise; the remainder is exact.
            turn = axis.rotation((value * radians) % std::f64::consts::TAU) * turn;
        }
    }
    (joint.frame * turn * joint.frame.conjugate()).normalize()
}

/// Place in the parent's frame, file units: the root's values are its place in the world.
fn position(joint: &AsfJoint, values: &[f64], is_root: bool, offset: OffsetMode) -> DVec3 {
    let mut moved = DVec3::ZERO;
    for (dof, value) in joint.dofs.iter().zip(values) {
        if let Dof::Move(axis) = dof {
            moved += axis.unit() * *value;
        }
    }
    match (is_root, offset) {
        (true, OffsetMode::Replace) => moved,
        (true, OffsetMode::Add) => joint.offset + moved,
        (false, _) => joint.offset + joint.frame * moved,
    }
}
