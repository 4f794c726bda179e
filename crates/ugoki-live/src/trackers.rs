//! Trackers as points of a body: what each is attached to follows from its position when it first arrives.
//!
//! A headset is on the head and controllers are in the hands; the other trackers are distinguished by height and side,
//! so a person that wears them should stand upright at first. They stand in for joints whose bones are not sent. Where
//! no bones are sent at all, headset and waist give the heading, and without a tracker at the waist the hips are below
//! the head.

use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Joint, Role, Skeleton};

use super::stream_skeleton::sends_hips;
use super::vmc::Device;
use super::{StreamFrame, seen_pose_into, skeleton_of};

/// Heights of a standing body as fractions of that of the eyes, 0.936 of the whole \[winter2009, fig. 4.1\]: hips, and
/// legs from hip to ankle.
const HIPS: f32 = 0.566;
const LEG: f32 = 0.525;
/// Neck above the hips, in legs.
const TRUNK: f32 = 0.588;
/// Least height of a head that stands, metres.
const LEAST_HEIGHT: f32 = 0.5;

/// A body some of whose joints are trackers.
#[derive(Debug, Clone)]
pub struct TrackedBody {
    skeleton: Arc<Skeleton>,
    /// Joints that trackers stand in for, and where in the stream's list they are.
    joints: Vec<(usize, usize)>,
    /// Whether other joints are bones.
    has_bones: bool,
    /// Height of the head at first, metres.
    height: f32,
    /// The headset, and a tracker on the hips with how much it is turned against the way one faced at first.
    head: Option<usize>,
    hips: Option<(usize, f32)>,
}

impl TrackedBody {
    /// The body of a frame's bones and of trackers for joints that have none; bones without translations are as long as
    /// those of `like`. `None` when no tracker adds anything.
    #[must_use]
    pub fn build(frame: &StreamFrame, like: &Skeleton) -> Option<Self> {
        // Trackers are in the world; bones are there only where the hips are.
        let bones = sends_hips(frame).then(|| skeleton_of(frame, like).ok()).flatten();
        let head = frame.trackers.iter().position(|(device, ..)| *device == Device::Headset);
        let highest = || frame.trackers.iter().map(|(.., bone)| bone.position.y).fold(0.0, f32::max);
        let height = head.map_or_else(highest, |head| frame.trackers[head].2.position.y);
        if height.is_nan() || height < LEAST_HEIGHT {
            return None;
        }
        let yaw = head.map_or(0.0, |head| yaw(frame.trackers[head].2.rotation));
        let middle = head.map_or_else(|| mean(frame), |head| frame.trackers[head].2.position);
        let mut worn: Vec<(Role, usize)> = Vec::new();
        for (number, (device, _, bone)) in frame.trackers.iter().enumerate() {
            let away = Quat::from_rotation_y(-yaw) * (bone.position - middle);
            let role = place_of(*device, bone.position.y / height, away.x);
            let free = |role: &Role| {
                let sent = bones.as_ref().is_some_and(|bones| bones.find(*role).is_some());
                !sent && worn.iter().all(|(other, _)| other != role)
            };
            worn.extend(role.filter(free).map(|role| (role, number)));
        }
        let hips = worn.iter().find(|(role, _)| *role == Role::Hips).map(|&(_, number)| number);
        let hips = hips.map(|number| (number, yaw_between(frame.trackers[number].2.rotation, yaw)));
        let limbs = worn.iter().filter(|(role, _)| *role != Role::Hips);
        if limbs.clone().count() == 0 {
            return None;
        }
        let mut joints: Vec<Joint> = match &bones {
            Some(bones) => (0..bones.num_joints()).map(|joint| bones.joint(joint).clone()).collect(),
            None => vec![joint(Role::Hips, None, Vec3::ZERO)],
        };
        let mut tracked = Vec::new();
        for &(role, number) in limbs {
            // Leg length is estimated from a trunk of usual length.
            let offset = if role == Role::Head { Vec3::Y * TRUNK * LEG * height } else { Vec3::Y };
            tracked.push((joints.len(), number));
            joints.push(joint(role, Some(0), offset));
        }
        let skeleton = Skeleton::build(joints).ok()?;
        Some(Self { skeleton, joints: tracked, has_bones: bones.is_some(), height, head, hips })
    }

    /// The joints: bones first, then trackers, which hang from the hips.
    #[must_use]
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// Where all joints are in a later frame of the stream; not finite where nothing arrived to determine it. A body
    /// without bones faces +Z.
    pub fn place_into(&self, frame: &StreamFrame, pose: &mut Pose, body: &mut ModelPose) {
        let at = |number: usize| frame.trackers.get(number).map(|(.., bone)| *bone);
        let came = |number: &usize| frame.fresh_trackers.get(*number) == Some(&true);
        if self.has_bones {
            seen_pose_into(&self.skeleton, frame, pose);
            forward_kinematics_into(&self.skeleton, pose, body);
            for &(joint, number) in &self.joints {
                let place = at(number).filter(|_| came(&number)).map(|bone| bone.position);
                body.positions[joint] = place.unwrap_or(Vec3::NAN);
            }
            return;
        }
        forward_kinematics_into(&self.skeleton, pose, body);
        let head = self.head.and_then(at);
        let waist = self.hips.and_then(|(number, off)| Some((at(number)?, off)));
        let facing = match (waist, head) {
            (Some((bone, off)), _) => yaw(bone.rotation) - off,
            (None, Some(bone)) => yaw(bone.rotation),
            (None, None) => 0.0,
        };
        let hips = match (waist, head) {
            (Some((bone, _)), _) => bone.position,
            (None, Some(bone)) => bone.position - Vec3::Y * (1.0 - HIPS) * self.height,
            (None, None) => mean(frame) * Vec3::new(1.0, 0.0, 1.0) + Vec3::Y * HIPS * self.height,
        };
        let back = Quat::from_rotation_y(-facing);
        body.positions[0] = Vec3::Y * hips.y;
        // Everything is seen from the waist, or else from below the head.
        let from = self.hips.map(|(number, _)| number).or(self.head);
        let known = from.is_none_or(|number| came(&number));
        for &(joint, number) in &self.joints {
            let place = at(number).filter(|_| known && came(&number));
            let away = place.map_or(Vec3::NAN, |bone| bone.position - hips);
            body.positions[joint] = back * away + body.positions[0];
        }
    }
}

fn joint(role: Role, parent: Option<usize>, offset: Vec3) -> Joint {
    let mut joint = Joint::new(role.name(), parent, offset);
    joint.role = Some(role);
    joint
}

/// Where a device is worn that is at this fraction of the head's height and so far to the left, metres; `None` where it
/// cannot be determined.
fn place_of(device: Device, height: f32, left: f32) -> Option<Role> {
    let side = |on_left: Role| if left > 0.0 { on_left } else { on_left.mirrored() };
    match (device, height, left.abs()) {
        (Device::Headset, ..) => Some(Role::Head),
        (Device::Controller, ..) => Some(side(Role::LeftHand)),
        (Device::Tracker, ..0.2, _) => Some(side(Role::LeftFoot)),
        (Device::Tracker, 0.2..0.42, _) => Some(side(Role::LeftLowerLeg)),
        // Arms that hang down or are spread.
        (Device::Tracker, 0.42..0.68, ..0.2) => Some(Role::Hips),
        (Device::Tracker, 0.42..0.68, _) | (Device::Tracker, _, 0.55..) => Some(side(Role::LeftHand)),
        (Device::Tracker, 0.68..0.9, ..0.2) => Some(Role::Chest),
        (Device::Tracker, 0.68..1.0, 0.2..0.55) => Some(side(Role::LeftLowerArm)),
        _ => None,
    }
}

/// How far a rotation turns what faces +Z to the left, radians.
fn yaw(rotation: Quat) -> f32 {
    let forward = rotation * Vec3::Z;
    forward.x.atan2(forward.z)
}

fn yaw_between(rotation: Quat, facing: f32) -> f32 {
    yaw(Quat::from_rotation_y(-facing) * rotation)
}

fn mean(frame: &StreamFrame) -> Vec3 {
    let sum: Vec3 = frame.trackers.iter().map(|(.., bone)| bone.position).sum();
    sum / frame.trackers.len().max(1) as f32
}
