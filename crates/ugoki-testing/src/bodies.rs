//! Bodies and motions for the tests of `signal`.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{Random, exp};
use ugoki_base::skeleton::{Joint, Role, Skeleton};

/// Never stops.
pub fn quiet(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Hips, spine, head, arms and legs of a person 1.7 m tall.
pub fn body() -> Arc<Skeleton> {
    let parts: [(Role, Option<usize>, [f32; 3]); 14] = [
        (Role::Hips, None, [0.0, 0.9, 0.0]),
        (Role::Spine, Some(0), [0.0, 0.12, 0.0]),
        (Role::Chest, Some(1), [0.0, 0.2, 0.0]),
        (Role::Head, Some(2), [0.0, 0.3, 0.0]),
        (Role::LeftUpperArm, Some(2), [0.18, 0.15, 0.0]),
        (Role::LeftLowerArm, Some(4), [0.28, 0.0, 0.0]),
        (Role::RightUpperArm, Some(2), [-0.18, 0.15, 0.0]),
        (Role::RightLowerArm, Some(6), [-0.28, 0.0, 0.0]),
        (Role::LeftUpperLeg, Some(0), [0.09, -0.05, 0.0]),
        (Role::LeftLowerLeg, Some(8), [0.0, -0.42, 0.0]),
        (Role::LeftFoot, Some(9), [0.0, -0.38, 0.0]),
        (Role::RightUpperLeg, Some(0), [-0.09, -0.05, 0.0]),
        (Role::RightLowerLeg, Some(11), [0.0, -0.42, 0.0]),
        (Role::RightFoot, Some(12), [0.0, -0.38, 0.0]),
    ];
    let joints = parts
        .iter()
        .map(|&(role, parent, offset)| Joint {
            role: Some(role),
            ..Joint::new(role.name(), parent, Vec3::from_array(offset))
        })
        .collect();
    Skeleton::build(joints).unwrap()
}

/// Every joint wanders; `speed` is about the turn per frame, radians, and never over four times that.
pub fn wandering_clip(seed: u64, frames: usize, speed: f32) -> Clip {
    let mut clip = Clip::at_rest(body(), 60.0, frames).unwrap();
    let mut random = Random::new(seed);
    let mut draw = || Vec3::from_array(std::array::from_fn(|_| random.normal() as f32));
    for joint in 0..clip.num_joints() {
        let (mut q, mut v) = (exp(draw() * 0.3), Vec3::ZERO);
        for frame in 0..frames {
            v = (v * 0.9 + draw() * (0.3 * speed)).clamp_length_max(4.0 * speed);
            q = (q * exp(v)).normalize();
            clip.set_rotation(joint, frame, q);
        }
    }
    let (mut p, mut v) = (Vec3::Y * 0.9, Vec3::ZERO);
    for frame in 0..frames {
        v = v * 0.95 + draw() * 0.002;
        p += v;
        clip.root_mut().set(frame, p);
    }
    clip.align_signs();
    clip
}

/// Every rotation q becomes a·q·b.
pub fn turned_clip(clip: &Clip, a: Quat, b: Quat) -> Clip {
    let mut turned = clip.clone();
    for joint in 0..clip.num_joints() {
        for frame in 0..clip.num_frames() {
            turned.set_rotation(joint, frame, (a * clip.rotation(joint, frame) * b).normalize());
        }
    }
    turned
}
