//! The T-pose of a skeleton, whatever its rest pose is.
//!
//! VRM requires a body that faces +Z with its arms along X, its legs along −Y, its feet parallel on Y = 0. Every
//! joint gets a turn T from its own rest to that pose: the trunk is put upright and to face +Z as a whole,
//! limbs are swung the shortest way onto their axes, everything else follows its parent. With offsets T(parent)·o
//! as the new skeleton, a world rotation R of the old one is R·T⁻¹ of the new one, and no joint moves.
//! Rest poses that are no body (all offsets along the bones' own axes) show one only in motion: then the turns start
//! from the clip's first frame.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics};
use ugoki_base::skeleton::{Joint, Role, Side, Skeleton, body_height, facing, is_t_pose, up_direction};

/// A skeleton in T-pose.
pub(super) struct TPose {
    /// The same joints with offsets in T-pose, soles on y = 0, hips above the origin.
    pub(super) skeleton: Arc<Skeleton>,
    /// How far every joint turns from its rest to the T-pose, in world axes.
    pub(super) turns: Vec<Quat>,
}

/// A rest pose leaning less than this, degrees, stands: trunks of upright bodies are not exactly upright.
const LEAN_DEGREES: f64 = 30.0;

/// Facings within this of +Z, degrees, are +Z: left and right never match exactly.
const FACING_DEGREES: f64 = 2.0;

/// A foot steeper than this (fraction of its length that is level) does not show its pitch.
const LEVEL_FRACTION: f64 = 0.3;

/// Ankle to toe joint where the rest does not tell it: 30 degrees down.
const FOOT_DIRECTION: DVec3 = DVec3::new(0.0, -0.5, 0.866_025_403_784_438_6);

/// Height of the ankle above the sole as a fraction of stature (Drillis & Contini).
const ANKLE_FRACTION: f64 = 0.039;

/// The T-pose of the clip's skeleton, from its rest pose, or from the first frame where only that shows a body.
pub(super) fn from_clip(clip: &Clip) -> TPose {
    let skeleton = clip.skeleton();
    let from_rest = from_pose(skeleton, &forward_kinematics(skeleton, &Pose::rest(skeleton)));
    if clip.num_frames() == 0 || stands(&from_rest) {
        return from_rest;
    }
    Some(from_pose(skeleton, &clip.model_pose(0))).filter(stands).unwrap_or(from_rest)
}

/// The T-pose estimated from the rest pose alone.
pub(super) fn from_rest(skeleton: &Skeleton) -> Option<TPose> {
    Some(from_pose(skeleton, &forward_kinematics(skeleton, &Pose::rest(skeleton)))).filter(stands)
}

fn stands(pose: &TPose) -> bool {
    is_t_pose(&pose.skeleton, &pose.skeleton.rest_positions())
}

fn from_pose(skeleton: &Skeleton, pose: &ModelPose) -> TPose {
    let upright = upright(skeleton, &pose.positions);
    // How far each joint turns from the pose, then from its rest.
    let mut turns: Vec<DQuat> = Vec::with_capacity(skeleton.num_joints());
    for joint in 0..skeleton.num_joints() {
        let inherited = skeleton.parent(joint).map_or(upright, |parent| turns[parent]);
        turns.push(turn(skeleton, pose, joint, upright, inherited));
    }
    for (turn, posed) in turns.iter_mut().zip(&pose.rotations) {
        *turn = (*turn * posed.as_dquat()).normalize();
    }
    let mut joints: Vec<Joint> = skeleton.joints().to_vec();
    let mut places: Vec<DVec3> = Vec::with_capacity(joints.len());
    let mut lowest = f64::INFINITY;
    for (index, joint) in joints.iter_mut().enumerate() {
        let above = joint.parent.map_or(upright, |parent| turns[parent]);
        let offset = above * joint.offset.as_dvec3();
        joint.offset = offset.as_vec3();
        places.push(joint.parent.map_or(DVec3::ZERO, |parent| places[parent]) + offset);
        lowest = lowest.min(places[index].y);
        for tip in &mut joint.tips {
            let turned = turns[index] * tip.as_dvec3();
            lowest = lowest.min(places[index].y + turned.y);
            *tip = turned.as_vec3();
        }
    }
    // Without toes the ankle is the lowest point, and stands above the sole.
    let bare = |foot: Role| {
        skeleton.find(foot).is_some_and(|j| skeleton.children(j).is_empty() && joints[j].tips.is_empty())
    };
    if bare(Role::LeftFoot) && bare(Role::RightFoot) {
        lowest -= ANKLE_FRACTION * body_height(skeleton).map_or(0.0, f64::from);
    }
    let hips = places[skeleton.find(Role::Hips).unwrap_or(0)];
    let shift = DVec3::new(-hips.x, -lowest, -hips.z).as_vec3();
    for joint in joints.iter_mut().filter(|joint| joint.parent.is_none()) {
        joint.offset += shift;
    }
    // The tree and the roles are those of a skeleton that was built.
    let skeleton = Skeleton::build(joints).unwrap_or_else(|error| unreachable!("{error}"));
    TPose { skeleton, turns: turns.into_iter().map(DQuat::as_quat).collect() }
}

/// The turn of the whole body that makes it stand and face +Z.
fn upright(skeleton: &Skeleton, places: &[Vec3]) -> DQuat {
    let directions = facing(skeleton, places).zip(up_direction(skeleton, places));
    let Some((ahead, up)) = directions.map(|(a, b)| (a.as_dvec3(), b.as_dvec3())) else {
        return DQuat::IDENTITY;
    };
    if up.angle_between(DVec3::Y).to_degrees() > LEAN_DEGREES {
        let left = up.cross(ahead).normalize_or(DVec3::X);
        let body = DMat3::from_cols(left, up, left.cross(up));
        return DQuat::from_mat3(&body).conjugate();
    }
    let yaw = ahead.x.atan2(ahead.z);
    if yaw.abs().to_degrees() < FACING_DEGREES { DQuat::IDENTITY } else { DQuat::from_rotation_y(-yaw) }
}

fn turn(skeleton: &Skeleton, pose: &ModelPose, joint: usize, upright: DQuat, inherited: DQuat) -> DQuat {
    let Some(role) = skeleton.joint(joint).role else { return inherited };
    let here = pose.positions[joint].as_dvec3();
    let toward = |next: Option<DVec3>, target: DVec3, base: DQuat| match next {
        Some(next) => match (base * (next - here)).try_normalize() {
            Some(direction) => DQuat::from_rotation_arc(direction, target) * base,
            None => base,
        },
        None => base,
    };
    let at = |role: Role| skeleton.find(role).map(|other| pose.positions[other].as_dvec3());
    let on = |left: Role| at(if role.side() == Some(Side::Right) { left.mirrored() } else { left });
    let out = if role.side() == Some(Side::Right) { DVec3::NEG_X } else { DVec3::X };
    let left = if role.side() == Some(Side::Right) { role.mirrored() } else { role };
    match left {
        Role::LeftUpperArm => toward(on(Role::LeftLowerArm), out, inherited),
        Role::LeftLowerArm => toward(on(Role::LeftHand), out, inherited),
        Role::LeftHand => {
            toward(on(Role::LeftMiddleProximal).or_else(|| reach(skeleton, pose, joint)), out, inherited)
        }
        Role::LeftUpperLeg => toward(on(Role::LeftLowerLeg), DVec3::NEG_Y, inherited),
        Role::LeftLowerLeg => toward(on(Role::LeftFoot), DVec3::NEG_Y, inherited),
        Role::LeftFoot => {
            let next = on(Role::LeftToes).or_else(|| reach(skeleton, pose, joint));
            let Some(direction) = next.and_then(|next| (upright * (next - here)).try_normalize()) else {
                return upright;
            };
            let level = direction.x.hypot(direction.z);
            let target = DVec3::new(0.0, direction.y, level);
            toward(next, if level > LEVEL_FRACTION { target } else { FOOT_DIRECTION }, upright)
        }
        _ if is_finger(left) => toward(reach(skeleton, pose, joint), out, inherited),
        _ if left.name().starts_with("leftThumb") || left == Role::LeftToes => inherited,
        // Trunk, head and shoulders stand as they do in the pose.
        _ => upright,
    }
}

fn is_finger(left: Role) -> bool {
    ["leftIndex", "leftMiddle", "leftRing", "leftLittle"].iter().any(|finger| left.name().starts_with(finger))
}

/// Where a joint leads to: the middle of its children, else its tip.
fn reach(skeleton: &Skeleton, pose: &ModelPose, joint: usize) -> Option<DVec3> {
    let thumb = |j: usize| skeleton.joint(j).role.is_some_and(|role| role.name().contains("Thumb"));
    let children: Vec<usize> = skeleton.children(joint).iter().copied().filter(|&j| !thumb(j)).collect();
    if !children.is_empty() {
        return Some(
            children.iter().map(|&j| pose.positions[j].as_dvec3()).sum::<DVec3>() / children.len() as f64,
        );
    }
    skeleton.joint(joint).tips.first().map(|&tip| pose.point(joint, tip).as_dvec3())
}
