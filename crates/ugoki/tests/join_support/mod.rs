//! What the laws of joining and looping measure.

#![allow(dead_code, reason = "every test file uses its own part")]

use std::ops::Range;

use glam::{Quat, Vec3};
use ugoki::clip::Clip;
use ugoki::contact::{Contacts, find_feet};
use ugoki::math::angle_between;
use ugoki::pose::{ModelPose, Pose};
use ugoki::skeleton::{Joint, Skeleton};

/// Largest distance between equal joints, metres, and angle between equal rotations, radians.
pub(crate) fn apart(a: &Clip, b: &Clip) -> (f32, f32) {
    assert_eq!(a.num_frames(), b.num_frames());
    let (mut distance, mut angle) = (0.0_f32, 0.0_f32);
    for frame in 0..a.num_frames() {
        let (p, q) = (a.model_pose(frame), b.model_pose(frame));
        for joint in 0..a.num_joints() {
            distance = distance.max(p.positions[joint].distance(q.positions[joint]));
            angle = angle.max(angle_between(a.rotation(joint, frame), b.rotation(joint, frame)));
        }
    }
    (distance, angle)
}

pub(crate) fn finite(clip: &Clip) -> bool {
    (0..clip.num_frames()).all(|frame| {
        let pose = clip.pose(frame);
        pose.root.is_finite() && pose.rotations.iter().all(|q| q.is_finite() && q.is_normalized())
    })
}

/// Largest deviation of a bone from its length in rest, metres.
pub(crate) fn stretch(clip: &Clip) -> f32 {
    let skeleton = clip.skeleton();
    let mut worst = 0.0_f32;
    for frame in 0..clip.num_frames() {
        let pose = clip.model_pose(frame);
        for joint in 0..skeleton.num_joints() {
            let Some(parent) = skeleton.parent(joint) else { continue };
            let length = pose.positions[joint].distance(pose.positions[parent]);
            worst = worst.max((length - skeleton.joint(joint).offset.length()).abs());
        }
    }
    worst
}

/// Farthest of a labelled heel or toe from where its label began, millimetres.
pub(crate) fn slip_mm(clip: &Clip, contacts: &Contacts) -> f32 {
    let feet = find_feet(clip.skeleton()).unwrap();
    let poses = clip.model_poses();
    let mut worst = 0.0_f32;
    for (foot, labels) in feet.feet.iter().zip(&contacts.feet) {
        let mut check = |list: &[Range<usize>], point: &dyn Fn(&ModelPose) -> Vec3| {
            for range in list {
                let first = point(&poses[range.start]);
                worst = poses[range.clone()].iter().map(|p| point(p).distance(first)).fold(worst, f32::max);
            }
        };
        check(&labels.heel, &|pose| pose.positions[foot.ankle]);
        check(&labels.toe, &|pose| foot.toe.position(pose));
    }
    1e3 * worst
}

/// An arm that swings, on a body of three joints.
pub(crate) fn legless(frames: usize) -> Clip {
    let joints = vec![
        Joint::new("shoulder", None, Vec3::Y),
        Joint::new("elbow", Some(0), Vec3::X * 0.3),
        Joint::new("hand", Some(1), Vec3::X * 0.3),
    ];
    let skeleton = Skeleton::build(joints).unwrap();
    let poses: Vec<Pose> = (0..frames)
        .map(|frame| {
            let mut pose = Pose::rest(&skeleton);
            let t = frame as f32 / 20.0 * std::f32::consts::TAU;
            pose.rotations[0] = Quat::from_rotation_z(0.5 * t.sin());
            pose.rotations[1] = Quat::from_rotation_y(0.4 + 0.4 * t.cos());
            pose
        })
        .collect();
    Clip::from_poses(skeleton, 30.0, &poses).unwrap()
}

/// The whole motion turned about the origin.
pub(crate) fn turned(clip: &Clip, turn: Quat) -> Clip {
    let mut out = clip.clone();
    for frame in 0..clip.num_frames() {
        out.root_mut().set(frame, turn * clip.root().get(frame));
        out.set_rotation(0, frame, turn * clip.rotation(0, frame));
    }
    out
}
