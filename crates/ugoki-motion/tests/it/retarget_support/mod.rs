//! Bodies with other rest poses, lengths and joints, made from the sample actor.

#![allow(dead_code, reason = "each test file uses a part")]

use std::sync::Arc;
use ugoki_base::no_progress;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics};
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_motion::retarget::{RetargetConfig, Retargeted, retarget};
use ugoki_sample as sample;

pub(crate) fn moved(clip: &Clip, target: &Arc<Skeleton>, config: &RetargetConfig) -> Retargeted {
    retarget(clip, target, config, &mut no_progress()).unwrap()
}

/// Without floor and contacts: every pose by itself.
pub(crate) fn bare() -> RetargetConfig {
    RetargetConfig { hold_feet: false, find_floor: false, ..RetargetConfig::default() }
}

/// The skeleton whose rest pose is `skeleton` with these joints turned (in the parent's frame), and the rotations of its
/// joints in the old world: `old_world = new_world * turn`.
pub(crate) fn with_rest(skeleton: &Skeleton, turns: &[(Role, Quat)]) -> (Arc<Skeleton>, Vec<Quat>) {
    let mut pose = Pose::rest(skeleton);
    for &(role, q) in turns {
        if let Some(joint) = skeleton.find(role) {
            pose.rotations[joint] = q;
        }
    }
    let world = forward_kinematics(skeleton, &pose).rotations;
    let mut joints = skeleton.joints().to_vec();
    for (index, joint) in joints.iter_mut().enumerate() {
        if let Some(parent) = joint.parent {
            joint.offset = world[parent] * joint.offset;
        }
        for tip in &mut joint.tips {
            *tip = world[index] * *tip;
        }
    }
    (Skeleton::build(joints).unwrap(), world)
}

/// The skeleton with the lengths of some joints multiplied.
pub(crate) fn with_lengths(skeleton: &Skeleton, factors: &[(Role, f32)]) -> Arc<Skeleton> {
    let mut joints = skeleton.joints().to_vec();
    for &(role, factor) in factors {
        for role in [role, role.mirrored()] {
            if let Some(joint) = skeleton.find(role) {
                joints[joint].offset *= factor;
            }
            if role == role.mirrored() {
                break;
            }
        }
    }
    Skeleton::build(joints).unwrap()
}

/// The skeleton without the joints of these roles: what hung from them hangs from their parents.
pub(crate) fn without(skeleton: &Skeleton, roles: &[Role]) -> Arc<Skeleton> {
    let mut joints = Vec::new();
    let mut places: Vec<(usize, Vec3)> = Vec::new();
    for joint in skeleton.joints() {
        let (parent, offset) = match joint.parent {
            Some(parent) => (Some(places[parent].0), places[parent].1 + joint.offset),
            None => (None, joint.offset),
        };
        if joint.role.is_some_and(|role| roles.contains(&role)) {
            places.push((parent.unwrap(), offset));
            continue;
        }
        places.push((joints.len(), Vec3::ZERO));
        let mut joint = joint.clone();
        (joint.parent, joint.offset) = (parent, offset);
        joints.push(joint);
    }
    Skeleton::build(joints).unwrap()
}

/// Arms of a rest pose that hang by `down` and point to the front by `forward`, radians.
pub(crate) fn arm_turns(down: f32, forward: f32) -> [(Role, Quat); 2] {
    let q = |side: f32| Quat::from_rotation_y(-side * forward) * Quat::from_rotation_z(-side * down);
    [(Role::LeftUpperArm, q(1.0)), (Role::RightUpperArm, q(-1.0))]
}

/// Legs of a rest pose that stand apart, radians each.
pub(crate) fn leg_turns(apart: f32) -> [(Role, Quat); 2] {
    [(Role::LeftUpperLeg, Quat::from_rotation_z(apart)), (Role::RightUpperLeg, Quat::from_rotation_z(-apart))]
}

pub(crate) const BONES: [[Role; 2]; 8] = [
    [Role::LeftUpperArm, Role::LeftLowerArm],
    [Role::LeftLowerArm, Role::LeftHand],
    [Role::RightUpperArm, Role::RightLowerArm],
    [Role::RightLowerArm, Role::RightHand],
    [Role::LeftUpperLeg, Role::LeftLowerLeg],
    [Role::LeftLowerLeg, Role::LeftFoot],
    [Role::RightUpperLeg, Role::RightLowerLeg],
    [Role::RightLowerLeg, Role::RightFoot],
];

/// Largest angle between the directions of the same bone in two poses, degrees.
pub(crate) fn bones_apart(a: (&Skeleton, &ModelPose), b: (&Skeleton, &ModelPose)) -> f32 {
    let line = |(skeleton, pose): (&Skeleton, &ModelPose), [from, to]: [Role; 2]| {
        pose.positions[skeleton.find(to).unwrap()] - pose.positions[skeleton.find(from).unwrap()]
    };
    let angle = |bone| {
        let (a, b) = (line(a, bone), line(b, bone));
        a.cross(b).length().atan2(a.dot(b)).to_degrees()
    };
    BONES.into_iter().map(angle).fold(0.0, f32::max)
}

/// Random poses on the sample actor; the numbers are taken in turn.
pub(crate) fn random_clip(numbers: &[f32]) -> Clip {
    let skeleton = sample::skeleton();
    let mut numbers = numbers.iter().copied().cycle();
    let mut next = || numbers.next().unwrap();
    let poses: Vec<Pose> = (0..4)
        .map(|_| {
            let mut pose = Pose::rest(&skeleton);
            pose.root += Vec3::new(next(), next(), next());
            for q in &mut pose.rotations {
                *q = Quat::from_xyzw(next(), next(), next(), 1.2).normalize();
            }
            pose
        })
        .collect();
    Clip::from_poses(skeleton, 30.0, &poses).unwrap()
}

/// Largest distance between the joints of two clips on one skeleton, metres.
pub(crate) fn joints_apart(a: &Clip, b: &Clip) -> f32 {
    assert_eq!(a.num_frames(), b.num_frames());
    a.motion_frames()
        .flat_map(|frame| {
            let (p, q) = (a.model_pose(frame).positions, b.model_pose(frame).positions);
            p.into_iter().zip(q).map(|(p, q)| p.distance(q)).collect::<Vec<_>>()
        })
        .fold(0.0, f32::max)
}

/// The same motion on the same body whose rest pose is none: every bone along +X of its own axes, as some exporters
/// write it.
pub(crate) fn without_stance(clip: &Clip) -> Clip {
    let skeleton = clip.skeleton();
    let mut joints = skeleton.joints().to_vec();
    let mut own = vec![Quat::IDENTITY; joints.len()];
    for (index, joint) in joints.iter_mut().enumerate() {
        let next = skeleton.children(index).first().map_or(Vec3::X, |&child| skeleton.joint(child).offset);
        own[index] = Quat::from_rotation_arc(Vec3::X, next.normalize_or(Vec3::X));
        if let Some(parent) = joint.parent {
            joint.offset = own[parent].conjugate() * joint.offset;
        }
        for tip in &mut joint.tips {
            *tip = own[index].conjugate() * *tip;
        }
    }
    let odd = Skeleton::build(joints).unwrap();
    let mut out = Clip::at_rest(odd, clip.fps(), clip.motion_frames().len()).unwrap();
    for (to, frame) in clip.motion_frames().enumerate() {
        let mut pose = clip.pose(frame);
        for (joint, told) in skeleton.joints().iter().enumerate() {
            let above = told.parent.map_or(Quat::IDENTITY, |parent| own[parent]);
            pose.rotations[joint] = above.conjugate() * pose.rotations[joint] * own[joint];
        }
        for (joint, place) in &mut pose.translations {
            if let Some(parent) = skeleton.joint(*joint).parent {
                *place = own[parent].conjugate() * *place;
            }
        }
        out.set_pose(to, &pose);
    }
    out.align_signs();
    out
}

/// How far a joint of two clips on one skeleton is turned apart: median and largest over the frames, degrees.
pub(crate) fn turned_apart(a: &Clip, b: &Clip, role: Role) -> Option<[f32; 2]> {
    let joint = a.skeleton().find(role)?;
    let skip = a.motion_frames().start;
    let mut angles: Vec<f32> = (0..b.motion_frames().len())
        .map(|frame| {
            let (p, q) = (a.model_pose(frame + skip).rotations[joint], b.model_pose(frame).rotations[joint]);
            ugoki_base::math::angle_between(p, q).to_degrees()
        })
        .collect();
    angles.sort_by(f32::total_cmp);
    Some([*angles.get(angles.len() / 2)?, *angles.last()?])
}
