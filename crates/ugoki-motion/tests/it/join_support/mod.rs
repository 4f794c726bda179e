//! What the laws of joining and looping measure.

#![allow(dead_code, reason = "every test file uses its own part")]

use std::ops::Range;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{angle_between, lines_apart};
use ugoki_base::pose::{ModelPose, Pose};
use ugoki_base::skeleton::{Joint, Skeleton};
use ugoki_feet::contact::{Contacts, find_feet};

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

/// What eyes see of legs: of the whole motion the most or least.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Legs {
    /// Largest way of a knee, in one frame, against the line from its hip to its ankle, mm.
    pub(crate) leap_mm: f32,
    /// How often a knee leaps by over 8 mm from one side of that line to the other.
    pub(crate) flips: usize,
    /// Fastest bending of a knee, degrees per second.
    pub(crate) knee_deg_s: f32,
    /// Nearest that shins and feet of the two legs come to each other, mm between their middle lines.
    pub(crate) apart_mm: f32,
}

pub(crate) fn legs(clip: &Clip) -> Legs {
    let feet = find_feet(clip.skeleton()).unwrap();
    let mut seen = Legs { leap_mm: 0.0, flips: 0, knee_deg_s: 0.0, apart_mm: f32::INFINITY };
    let mut before: Option<[(Vec3, f32); 2]> = None;
    for frame in clip.motion_frames() {
        let pose = clip.model_pose(frame);
        let now = feet.feet.each_ref().map(|foot| {
            let [hip, knee, ankle] = [foot.upper, foot.lower, foot.ankle].map(|joint| pose.positions[joint]);
            let line = (ankle - hip).normalize();
            let (thigh, shin) = (knee - hip, ankle - knee);
            (1e3 * (thigh - line * thigh.dot(line)), thigh.angle_between(shin).to_degrees())
        });
        if let Some(before) = before {
            for ((way, bend), (way_before, bend_before)) in now.into_iter().zip(before) {
                let leap = way.distance(way_before);
                seen.leap_mm = seen.leap_mm.max(leap);
                seen.flips += usize::from(leap > 8.0 && way.dot(way_before) < 0.0);
                seen.knee_deg_s = seen.knee_deg_s.max((bend - bend_before).abs() * clip.fps() as f32);
            }
        }
        before = Some(now);
        let lines = feet.feet.each_ref().map(|foot| {
            let [knee, ankle] = [foot.lower, foot.ankle].map(|joint| pose.positions[joint]);
            [[knee, ankle], [ankle, foot.toe.position(&pose)]]
        });
        for left in lines[0] {
            seen.apart_mm =
                lines[1].iter().map(|&right| 1e3 * lines_apart(left, right)).fold(seen.apart_mm, f32::min);
        }
    }
    seen
}

/// Legs of a result against those of the captures it was made of, by the measures of eyes.
pub(crate) fn legs_as_captured(name: &str, result: &Clip, captured: &[&Clip]) {
    let (now, own) = (legs(result), captured.iter().map(|clip| legs(clip)));
    let own = own
        .reduce(|a, b| Legs {
            leap_mm: a.leap_mm.max(b.leap_mm),
            flips: a.flips + b.flips,
            knee_deg_s: a.knee_deg_s.max(b.knee_deg_s),
            apart_mm: a.apart_mm.min(b.apart_mm),
        })
        .unwrap();
    assert!(now.flips <= own.flips && now.leap_mm <= own.leap_mm + 5.0, "{name}: {now:?}, captured {own:?}");
    // 150°/s are 1.2° from frame to frame, which no one sees.
    assert!(now.knee_deg_s <= (1.3 * own.knee_deg_s).max(150.0), "{name}: {now:?}, captured {own:?}");
    // Nearer than 4 cm shins and feet are in each other.
    assert!(now.apart_mm >= own.apart_mm.min(40.0) - 1.0, "{name}: {now:?}, captured {own:?}");
}
