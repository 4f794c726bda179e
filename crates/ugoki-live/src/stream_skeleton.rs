//! The skeleton of a stream: bones at the translations they are sent with.

use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Joint, Role, Skeleton, SkeletonError};

use super::names::is_body;
use super::{Bone, StreamFrame};

/// Nearest roles above a role, best first: VRM's tree.
fn above(role: Role) -> &'static [Role] {
    use Role::*;
    match role {
        Hips => &[],
        Spine | LeftUpperLeg | RightUpperLeg => &[Hips],
        Chest => &[Spine, Hips],
        UpperChest => &[Chest, Spine, Hips],
        Neck | LeftShoulder | RightShoulder => &[UpperChest, Chest, Spine, Hips],
        Head => &[Neck, UpperChest, Chest, Spine, Hips],
        LeftEye | RightEye | Jaw => &[Head],
        LeftUpperArm => &[LeftShoulder, UpperChest, Chest, Spine, Hips],
        RightUpperArm => &[RightShoulder, UpperChest, Chest, Spine, Hips],
        LeftLowerArm => &[LeftUpperArm],
        RightLowerArm => &[RightUpperArm],
        LeftHand => &[LeftLowerArm],
        RightHand => &[RightLowerArm],
        LeftLowerLeg => &[LeftUpperLeg],
        RightLowerLeg => &[RightUpperLeg],
        LeftFoot => &[LeftLowerLeg],
        RightFoot => &[RightLowerLeg],
        LeftToes => &[LeftFoot],
        RightToes => &[RightFoot],
        LeftThumbProximal => &[LeftThumbMetacarpal, LeftHand],
        LeftThumbDistal => &[LeftThumbProximal, LeftThumbMetacarpal, LeftHand],
        LeftIndexIntermediate => &[LeftIndexProximal, LeftHand],
        LeftIndexDistal => &[LeftIndexIntermediate, LeftIndexProximal, LeftHand],
        LeftMiddleIntermediate => &[LeftMiddleProximal, LeftHand],
        LeftMiddleDistal => &[LeftMiddleIntermediate, LeftMiddleProximal, LeftHand],
        LeftRingIntermediate => &[LeftRingProximal, LeftHand],
        LeftRingDistal => &[LeftRingIntermediate, LeftRingProximal, LeftHand],
        LeftLittleIntermediate => &[LeftLittleProximal, LeftHand],
        LeftLittleDistal => &[LeftLittleIntermediate, LeftLittleProximal, LeftHand],
        RightThumbProximal => &[RightThumbMetacarpal, RightHand],
        RightThumbDistal => &[RightThumbProximal, RightThumbMetacarpal, RightHand],
        RightIndexIntermediate => &[RightIndexProximal, RightHand],
        RightIndexDistal => &[RightIndexIntermediate, RightIndexProximal, RightHand],
        RightMiddleIntermediate => &[RightMiddleProximal, RightHand],
        RightMiddleDistal => &[RightMiddleIntermediate, RightMiddleProximal, RightHand],
        RightRingIntermediate => &[RightRingProximal, RightHand],
        RightRingDistal => &[RightRingIntermediate, RightRingProximal, RightHand],
        RightLittleIntermediate => &[RightLittleProximal, RightHand],
        RightLittleDistal => &[RightLittleIntermediate, RightLittleProximal, RightHand],
        LeftThumbMetacarpal | LeftIndexProximal | LeftMiddleProximal | LeftRingProximal
        | LeftLittleProximal => &[LeftHand],
        RightThumbMetacarpal | RightIndexProximal | RightMiddleProximal | RightRingProximal
        | RightLittleProximal => &[RightHand],
    }
}

fn sends(frame: &StreamFrame, role: Role) -> bool {
    frame.bones.get(role.index()).is_some_and(Option::is_some)
}

/// Whether a stream's hips are known; those of a body that is known without them are made up.
pub(super) fn sends_hips(frame: &StreamFrame) -> bool {
    sends(frame, Role::Hips)
}

/// Arms and legs: a head alone is a face's, not a body.
fn is_limb(role: Role) -> bool {
    let name = role.name();
    is_body(role) && ["Arm", "Hand", "Leg", "Foot"].iter().any(|part| name.contains(part))
}

/// A translation shorter than this, metres, is none: no bone is.
const NO_TRANSLATION: f32 = 1e-4;

/// The skeleton of a frame's bones, each at the translation it was sent with; bones above which something is missing
/// hang from the next one that is there, and what has nothing above it is left out. Senders of rotations only send no
/// translations: those bones are as long as those of `like`, a body in T-pose. Senders that know limbs but no hips, as
/// of an upper body, have the hips of `like`, upright.
///
/// # Errors
/// When neither the hips nor a limb were sent.
pub fn skeleton_of(frame: &StreamFrame, like: &Skeleton) -> Result<Arc<Skeleton>, SkeletonError> {
    let rest = like.rest_positions();
    let usual = |role: Role, parent: Role| {
        Some(rest[like.find(role)?] - rest[like.find(parent).or_else(|| like.find(Role::Hips))?])
    };
    let mut joints: Vec<Joint> = Vec::new();
    let mut placed: Vec<Option<usize>> = vec![None; Role::ALL.len()];
    if !sends_hips(frame) && Role::ALL.iter().any(|&role| is_limb(role) && sends(frame, role)) {
        let mut hips =
            Joint::new(Role::Hips.name(), None, like.find(Role::Hips).map_or(Vec3::Y, |at| rest[at]));
        hips.role = Some(Role::Hips);
        placed[Role::Hips.index()] = Some(0);
        joints.push(hips);
    }
    // Parents come before children in the order of roles but for eyes and jaw, which hang from the head before them.
    for &role in Role::ALL {
        let Some(bone) = frame.bones.get(role.index()).copied().flatten() else { continue };
        let parent = above(role).iter().find_map(|up| placed[up.index()]);
        if parent.is_none() && role != Role::Hips {
            continue;
        }
        let offset = match parent {
            None => Vec3::ZERO,
            Some(_) if bone.position.length() >= NO_TRANSLATION => bone.position,
            Some(parent) => joints[parent].role.and_then(|up| usual(role, up)).unwrap_or(bone.position),
        };
        let mut joint = Joint::new(role.name(), parent, offset);
        joint.role = Some(role);
        placed[role.index()] = Some(joints.len());
        joints.push(joint);
    }
    Skeleton::build(joints)
}

/// A frame as a pose of the skeleton that [`skeleton_of`] gave for an earlier frame of the stream. Bones that are
/// missing stay as they are in `pose`.
pub fn stream_pose_into(skeleton: &Skeleton, frame: &StreamFrame, pose: &mut Pose) {
    for joint in 0..skeleton.num_joints() {
        let bone =
            skeleton.joint(joint).role.and_then(|role| frame.bones.get(role.index()).copied().flatten());
        // Hips that are made up go with the root.
        let upright = || Bone { position: skeleton.joint(0).offset, rotation: Quat::IDENTITY };
        let Some(bone) = bone.or_else(|| (joint == 0).then(upright)) else { continue };
        if joint == 0 {
            let root = frame.root.unwrap_or(Bone { position: Vec3::ZERO, rotation: Quat::IDENTITY });
            pose.root = root.rotation * bone.position + root.position;
            pose.rotations[0] = (root.rotation * bone.rotation).normalize();
        } else {
            pose.rotations[joint] = bone.rotation;
        }
    }
}

/// The same with bones that did not come with this frame as rotations that are not finite: nothing below them is seen.
/// Hips that are made up are always there.
pub fn seen_pose_into(skeleton: &Skeleton, frame: &StreamFrame, pose: &mut Pose) {
    stream_pose_into(skeleton, frame, pose);
    for joint in 0..skeleton.num_joints() {
        let came = skeleton.joint(joint).role.is_none_or(|role| frame.fresh[role.index()]);
        if !came && (joint > 0 || sends_hips(frame)) {
            pose.rotations[joint] = Quat::from_xyzw(f32::NAN, f32::NAN, f32::NAN, f32::NAN);
        }
    }
}
