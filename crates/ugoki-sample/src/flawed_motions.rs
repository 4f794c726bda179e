//! Motions to try repairs on, made from the sample's walk, and a body of other proportions.

use std::sync::Arc;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::math::{Random, exp};
use ugoki_base::skeleton::{Role, Skeleton};

use super::body::skeleton;
use super::motions::clip;
use super::take::FPS;

/// The walk with skating feet, as careless retargeting leaves it: it travels 8 % too far for its steps, over a floor that
/// rises by 2 %.
#[must_use]
pub fn skating_walk() -> Option<Clip> {
    let mut skating = clip("walk")?;
    for frame in 0..skating.num_frames() {
        let mut p = skating.root().get(frame);
        p.y += 0.02 * p.z;
        p.z *= 1.08;
        skating.root_mut().set(frame, p);
    }
    skating.name = "skating".to_owned();
    Some(skating)
}

/// The walk with jitter of two degrees on every joint, as cheap capture has it, and one glitch of the left hand.
#[must_use]
pub fn noisy_walk() -> Option<Clip> {
    let mut noisy = clip("walk")?;
    let mut random = Random::new(0);
    for joint in 0..noisy.num_joints() {
        for frame in 0..noisy.num_frames() {
            let jitter = Vec3::from_array(std::array::from_fn(|_| 0.02 * random.normal() as f32));
            noisy.set_rotation(joint, frame, noisy.rotation(joint, frame) * exp(jitter));
        }
    }
    if let Some(hand) = noisy.skeleton().find(Role::LeftHand) {
        noisy.set_rotation(hand, 100, noisy.rotation(hand, 100) * exp(Vec3::X));
    }
    noisy.align_signs();
    Some(noisy)
}

/// A child's proportions against the sample actor's: limbs of 0.62, trunk of 0.72, the head's joint of 0.9.
const CHILD: [(&[Role], f32); 3] = [
    (
        &[
            Role::LeftLowerLeg,
            Role::LeftFoot,
            Role::RightLowerLeg,
            Role::RightFoot,
            Role::LeftLowerArm,
            Role::LeftHand,
            Role::RightLowerArm,
            Role::RightHand,
            Role::LeftToes,
            Role::RightToes,
        ],
        0.62,
    ),
    (
        &[
            Role::Spine,
            Role::Chest,
            Role::UpperChest,
            Role::Neck,
            Role::LeftShoulder,
            Role::RightShoulder,
            Role::LeftUpperArm,
            Role::RightUpperArm,
            Role::LeftUpperLeg,
            Role::RightUpperLeg,
        ],
        0.72,
    ),
    (&[Role::Head], 0.9),
];

/// One frame of a standing child: the sample's skeleton with a child's proportions.
#[must_use]
pub fn child() -> Option<Clip> {
    let mut standing = Clip::at_rest(child_skeleton(&skeleton()), FPS, 1).ok()?;
    standing.name = "child".to_owned();
    Some(standing)
}

fn child_skeleton(skeleton: &Arc<Skeleton>) -> Arc<Skeleton> {
    let mut joints = skeleton.joints().to_vec();
    for joint in &mut joints {
        let factor = |(roles, factor): &(&[Role], f32)| {
            joint.role.filter(|role| roles.contains(role)).map(|_| *factor)
        };
        let factor = CHILD.iter().find_map(factor).unwrap_or(0.62);
        joint.offset *= factor;
        for tip in &mut joint.tips {
            // The head keeps most of its size.
            *tip *= if joint.role == Some(Role::Head) { 0.9 } else { factor };
        }
    }
    // The same tree with other lengths builds as the first did.
    Skeleton::build(joints).unwrap_or_else(|_| Arc::clone(skeleton))
}
