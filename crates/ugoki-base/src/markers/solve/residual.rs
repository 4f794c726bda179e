//! How far the markers are from the body they gave.

use glam::DVec3;

use super::cloud::Cloud;
use super::frame::median_point;
use crate::clip::Clip;
use crate::markers::landmark::{Landmark, Part, Place};
use crate::skeleton::{Role, Side, Skeleton};

/// The markers of one joint: each sits where it sits in the median, and strays from there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupResidual {
    /// The joint that carries them.
    pub role: Role,
    /// How many markers.
    pub markers: usize,
    /// Root mean square of their straying over all frames in which they and the joint are seen, metres.
    pub rms_m: f64,
    /// The most, metres.
    pub max_m: f64,
}

/// Measures every group, in the order of roles.
pub(super) fn measure(seen: &Cloud, clip: &Clip, shown: &[Vec<bool>]) -> Vec<GroupResidual> {
    let poses = clip.model_poses();
    let mut groups: Vec<(Role, Vec<f64>, usize)> = Vec::new();
    for track in &seen.tracks {
        let Some((joint, role)) = carrier(clip.skeleton(), track.landmark) else { continue };
        let local: Vec<DVec3> = track
            .path
            .iter()
            .zip(&poses)
            .zip(&shown[joint])
            .filter(|(_, shown)| **shown)
            .filter_map(|((p, pose), _)| {
                let p = (*p)?;
                Some(pose.rotations[joint].as_dquat().conjugate() * (p - pose.positions[joint].as_dvec3()))
            })
            .collect();
        let Some(seat) = median_point(local.iter().copied()) else { continue };
        let strays = local.iter().map(|p| p.distance(seat));
        match groups.iter_mut().find(|(known, ..)| *known == role) {
            Some((_, all, count)) => {
                all.extend(strays);
                *count += 1;
            }
            None => groups.push((role, strays.collect(), 1)),
        }
    }
    groups.sort_by_key(|(role, ..)| *role);
    let group = |(role, strays, markers): &(Role, Vec<f64>, usize)| GroupResidual {
        role: *role,
        markers: *markers,
        rms_m: (strays.iter().map(|d| d * d).sum::<f64>() / strays.len() as f64).sqrt(),
        max_m: strays.iter().copied().fold(0.0, f64::max),
    };
    groups.iter().map(group).collect()
}

/// The joint that carries a landmark: its own, or the nearest above it that the skeleton has.
fn carrier(skeleton: &Skeleton, landmark: Landmark) -> Option<(usize, Role)> {
    let left = landmark.side == Some(Side::Left);
    let pick = |l: Role, r: Role| if left { l } else { r };
    let part = match landmark.place {
        // Pose estimators' toes and heels and joint centres are points, not skin: still on their part.
        Place::NeckCentre => Part::Chest,
        place => place.part(),
    };
    let roles: &[Role] = &match part {
        Part::Pelvis => vec![Role::Hips],
        Part::Chest => vec![Role::Chest, Role::Hips],
        Part::Head => vec![Role::Head, Role::Neck, Role::Chest],
        Part::Shoulder => vec![pick(Role::LeftShoulder, Role::RightShoulder), Role::Chest],
        Part::UpperArm => vec![pick(Role::LeftUpperArm, Role::RightUpperArm)],
        Part::LowerArm => vec![pick(Role::LeftLowerArm, Role::RightLowerArm)],
        Part::Hand => vec![pick(Role::LeftHand, Role::RightHand)],
        Part::UpperLeg => vec![pick(Role::LeftUpperLeg, Role::RightUpperLeg)],
        Part::LowerLeg => vec![pick(Role::LeftLowerLeg, Role::RightLowerLeg)],
        Part::Foot => vec![pick(Role::LeftFoot, Role::RightFoot)],
    };
    roles.iter().find_map(|&role| Some((skeleton.find(role)?, role)))
}
