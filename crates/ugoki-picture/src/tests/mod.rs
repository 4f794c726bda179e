//! Properties of pictures, bad input and cancellation, on bodies made in code.

mod bad_input;
mod ground;
mod properties;

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Joint, Role, Side, Skeleton};

use super::FootMark;
use super::config::PictureConfig;

/// A person of 1.75 m in T-pose; fingers when wanted.
fn person(fingers: bool) -> Arc<Skeleton> {
    let mut joints: Vec<Joint> = Vec::new();
    let mut add = |role: Role, parent: Option<Role>, x: f32, y: f32, z: f32| {
        let parent = parent.and_then(|p| joints.iter().position(|j| j.role == Some(p)));
        let mut joint = Joint::new(role.name(), parent, Vec3::new(x, y, z));
        joint.role = Some(role);
        joints.push(joint);
    };
    add(Role::Hips, None, 0.0, 0.95, 0.0);
    add(Role::Spine, Some(Role::Hips), 0.0, 0.10, 0.0);
    add(Role::Chest, Some(Role::Spine), 0.0, 0.15, 0.0);
    add(Role::Neck, Some(Role::Chest), 0.0, 0.25, 0.0);
    add(Role::Head, Some(Role::Neck), 0.0, 0.10, 0.02);
    for side in [1.0, -1.0] {
        let on = |left: Role| if side > 0.0 { left } else { left.mirrored() };
        add(on(Role::LeftUpperLeg), Some(Role::Hips), 0.09 * side, -0.06, 0.0);
        add(on(Role::LeftLowerLeg), Some(on(Role::LeftUpperLeg)), 0.0, -0.42, 0.0);
        add(on(Role::LeftFoot), Some(on(Role::LeftLowerLeg)), 0.0, -0.40, -0.02);
        add(on(Role::LeftToes), Some(on(Role::LeftFoot)), 0.0, -0.05, 0.15);
        add(on(Role::LeftUpperArm), Some(Role::Chest), 0.18 * side, 0.20, 0.0);
        add(on(Role::LeftLowerArm), Some(on(Role::LeftUpperArm)), 0.28 * side, 0.0, 0.0);
        add(on(Role::LeftHand), Some(on(Role::LeftLowerArm)), 0.25 * side, 0.0, 0.0);
        if fingers {
            for (i, first) in [
                Role::LeftIndexProximal,
                Role::LeftMiddleProximal,
                Role::LeftRingProximal,
                Role::LeftLittleProximal,
            ]
            .into_iter()
            .enumerate()
            {
                add(on(first), Some(on(Role::LeftHand)), 0.09 * side, 0.0, 0.03 - 0.02 * i as f32);
                let next = Role::ALL[first.index() + 1];
                add(on(next), Some(on(first)), 0.04 * side, 0.0, 0.0);
            }
        }
    }
    Skeleton::build(joints).unwrap()
}

/// The person walks ahead and waves the left arm.
fn walk(num_frames: usize) -> Clip {
    let skeleton = person(false);
    let poses: Vec<Pose> = (0..num_frames)
        .map(|frame| {
            let t = frame as f32 / 30.0;
            let mut pose = Pose::rest(&skeleton);
            pose.root += Vec3::Z * (1.3 * t);
            let swing = (6.0 * t).sin();
            let mut turn = |role: Role, q: Quat| pose.rotations[skeleton.find(role).unwrap()] = q;
            turn(Role::LeftUpperLeg, Quat::from_rotation_x(0.5 * swing));
            turn(Role::RightUpperLeg, Quat::from_rotation_x(-0.5 * swing));
            turn(Role::RightUpperArm, Quat::from_rotation_z(1.3) * Quat::from_rotation_y(0.4 * swing));
            turn(Role::LeftUpperArm, Quat::from_rotation_z(0.9 + 0.3 * swing));
            turn(Role::Chest, Quat::from_rotation_y(0.2));
            pose
        })
        .collect();
    let mut clip = Clip::from_poses(skeleton, 30.0, &poses).unwrap();
    clip.name = "walk & wave".into();
    clip
}

/// The clip in a mirror in the plane x = 0: left joints become right ones.
fn mirrored(clip: &Clip) -> Clip {
    let joints = clip.skeleton().joints().iter().map(|joint| Joint {
        offset: joint.offset * Vec3::new(-1.0, 1.0, 1.0),
        role: joint.role.map(Role::mirrored),
        ..joint.clone()
    });
    let skeleton = Skeleton::build(joints.collect()).unwrap();
    let poses: Vec<Pose> = (0..clip.num_frames())
        .map(|frame| {
            let mut pose = clip.pose(frame);
            pose.root.x = -pose.root.x;
            for q in &mut pose.rotations {
                *q = Quat::from_xyzw(q.x, -q.y, -q.z, q.w);
            }
            pose
        })
        .collect();
    Clip::from_poses(skeleton, clip.fps(), &poses).unwrap()
}

fn footprint(side: Side, z: f32) -> FootMark {
    let x = if side == Side::Left { 0.09 } else { -0.09 };
    FootMark { frames: 3..9, position: Vec3::new(x, 0.07, z), height: 0.0, heading: Vec3::Z, side }
}

fn small() -> PictureConfig {
    PictureConfig { width: 320, height: 200, frames: Some(3), ..PictureConfig::default() }
}

fn go_on() -> impl FnMut(f32) -> ControlFlow<()> {
    |_| ControlFlow::Continue(())
}
