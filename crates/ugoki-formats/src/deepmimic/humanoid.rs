//! The humanoid of DeepMimic: 15 bodies, dimensions of its `humanoid3d.txt` in metres.
//!
//! PyBullet's `humanoid.urdf` is the same tree four times as large, which a test checks against the file.

use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Joint, Role, Skeleton};

/// How many numbers a joint takes in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// A quaternion: w, x, y, z.
    Ball,
    /// One angle about +Z, radians.
    Hinge,
    /// Nothing.
    Fixed,
}

/// Name, parent, place in the parent's frame (the file's axes), how it turns, role, tips.
type Body = (&'static str, Option<usize>, [f32; 3], Turn, Role, &'static [[f32; 3]]);

/// Toe and heel of the foot's box, 0.177 m long and 0.055 m high around (0.045, −0.0225, 0).
const FOOT: &[[f32; 3]] = &[[0.1335, -0.05, 0.0], [-0.0435, -0.05, 0.0]];
/// The far side of the hand's ball of 0.04 m.
const HAND: &[[f32; 3]] = &[[0.0, -0.04, 0.0]];
/// The crown: the head's ball of 0.1025 m around 0.175 m above the neck.
const HEAD: &[[f32; 3]] = &[[0.0, 0.2775, 0.0]];

/// The bodies in the order of the row.
const BODIES: [Body; 15] = [
    ("root", None, [0.0, 0.0, 0.0], Turn::Ball, Role::Hips, &[]),
    ("chest", Some(0), [0.0, 0.236151, 0.0], Turn::Ball, Role::Spine, &[]),
    ("neck", Some(1), [0.0, 0.223894, 0.0], Turn::Ball, Role::Head, HEAD),
    ("right_hip", Some(0), [0.0, 0.0, 0.084887], Turn::Ball, Role::RightUpperLeg, &[]),
    ("right_knee", Some(3), [0.0, -0.421546, 0.0], Turn::Hinge, Role::RightLowerLeg, &[]),
    ("right_ankle", Some(4), [0.0, -0.40987, 0.0], Turn::Ball, Role::RightFoot, FOOT),
    ("right_shoulder", Some(1), [-0.02405, 0.2435, 0.18311], Turn::Ball, Role::RightUpperArm, &[]),
    ("right_elbow", Some(6), [0.0, -0.274788, 0.0], Turn::Hinge, Role::RightLowerArm, &[]),
    ("right_wrist", Some(7), [0.0, -0.258947, 0.0], Turn::Fixed, Role::RightHand, HAND),
    ("left_hip", Some(0), [0.0, 0.0, -0.084887], Turn::Ball, Role::LeftUpperLeg, &[]),
    ("left_knee", Some(9), [0.0, -0.421546, 0.0], Turn::Hinge, Role::LeftLowerLeg, &[]),
    ("left_ankle", Some(10), [0.0, -0.40987, 0.0], Turn::Ball, Role::LeftFoot, FOOT),
    ("left_shoulder", Some(1), [-0.02405, 0.2435, -0.18311], Turn::Ball, Role::LeftUpperArm, &[]),
    ("left_elbow", Some(12), [0.0, -0.274788, 0.0], Turn::Hinge, Role::LeftLowerArm, &[]),
    ("left_wrist", Some(13), [0.0, -0.258947, 0.0], Turn::Fixed, Role::LeftHand, HAND),
];

/// Numbers of a row: the frame's duration, the root's place, and the turns.
pub(super) const ROW: usize = 44;

/// Height of the root above the soles, metres: both leg bones and the ankle's 0.05.
const STANDING: f32 = 0.421546 + 0.40987 + 0.05;

/// A vector of the file in Ugoki's axes: forward +X becomes +Z, right +Z becomes −X. Nothing is rounded.
fn turn([x, y, z]: [f32; 3]) -> Vec3 {
    Vec3::new(-z, y, x)
}

/// The skeleton, lengths times `unit_metres`.
pub(super) fn skeleton(unit_metres: f64) -> Arc<Skeleton> {
    let unit = unit_metres as f32;
    let joint = |&(name, parent, place, _, role, tips): &Body| {
        let offset = if parent.is_none() { Vec3::Y * STANDING } else { turn(place) };
        let mut joint = Joint::new(name, parent, offset * unit);
        joint.role = Some(role);
        joint.tips = tips.iter().map(|tip| turn(*tip) * unit).collect();
        joint
    };
    match Skeleton::build(BODIES.iter().map(joint).collect()) {
        Ok(skeleton) => skeleton,
        // The table is fixed and tested; the unit is bounded.
        Err(error) => unreachable!("{error}"),
    }
}

/// The pose of one row, and whether a quaternion in it was none.
pub(super) fn pose(row: &[f64; ROW], unit_metres: f64) -> (Pose, bool) {
    let unit = |v: f64| (v * unit_metres) as f32;
    let root = turn([unit(row[1]), unit(row[2]), unit(row[3])]);
    let mut rotations = Vec::with_capacity(BODIES.len());
    let mut sound = true;
    let mut at = 4;
    for (_, _, _, kind, _, _) in &BODIES {
        rotations.push(match kind {
            Turn::Ball => {
                let q = glam::DQuat::from_xyzw(row[at + 1], row[at + 2], row[at + 3], row[at]);
                at += 4;
                let length = q.length();
                sound &= (MIN_LENGTH..MAX_LENGTH).contains(&length);
                let q = if length > 0.0 && length.is_finite() { q / length } else { glam::DQuat::IDENTITY };
                let v = turn([q.x as f32, q.y as f32, q.z as f32]);
                Quat::from_xyzw(v.x, v.y, v.z, q.w as f32)
            }
            Turn::Hinge => {
                let angle = (row[at] % std::f64::consts::TAU) as f32;
                at += 1;
                // The file's +Z is Ugoki's −X.
                Quat::from_rotation_x(-angle)
            }
            Turn::Fixed => Quat::IDENTITY,
        });
    }
    (Pose { root, rotations, translations: Vec::new() }, sound)
}

/// Lengths of quaternions between which only digits were lost.
const MIN_LENGTH: f64 = 0.98;
const MAX_LENGTH: f64 = 1.02;

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_base::skeleton::facing;

    #[test]
    fn the_row_is_filled_exactly() {
        let numbers: usize = BODIES
            .iter()
            .map(|body| match body.3 {
                Turn::Ball => 4,
                Turn::Hinge => 1,
                Turn::Fixed => 0,
            })
            .sum();
        assert_eq!(4 + numbers, ROW);
    }

    #[test]
    fn at_rest_it_stands_facing_forward_with_its_left_at_plus_x() {
        let skeleton = skeleton(1.0);
        let rest = skeleton.rest_positions();
        // The shoulders stand a little behind the hips, so the trunk's own front looks up by some degrees.
        let front = facing(&skeleton, &rest).unwrap();
        assert!(front.x.abs() < 1e-6 && front.z > 0.99, "{front}");
        let foot = skeleton.find(Role::LeftFoot).unwrap();
        assert!(rest[foot].x > 0.08 && (rest[foot].y - 0.05).abs() < 1e-6);
    }

    #[test]
    fn knees_bend_backward_and_elbows_forward() {
        let mut row = [0.0; ROW];
        let mut at = 4;
        for body in &BODIES {
            match body.3 {
                Turn::Ball => {
                    row[at] = 1.0;
                    at += 4;
                }
                // Knees go from −3.14 to 0, elbows from 0 to 3.14.
                Turn::Hinge => {
                    row[at] = if body.0.ends_with("knee") { -0.5 } else { 0.5 };
                    at += 1;
                }
                Turn::Fixed => {}
            }
        }
        let skeleton = skeleton(1.0);
        let (pose, sound) = pose(&row, 1.0);
        assert!(sound);
        let model = ugoki_base::pose::forward_kinematics(&skeleton, &pose);
        let z = |role: Role| model.positions[skeleton.find(role).unwrap()].z;
        assert!(z(Role::LeftFoot) < z(Role::LeftLowerLeg) - 0.1);
        assert!(z(Role::RightHand) > z(Role::RightLowerArm) + 0.1);
    }
}
