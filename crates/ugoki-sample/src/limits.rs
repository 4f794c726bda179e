//! How far human joints go, and reading a pose in those terms.
//!
//! Ranges are the averages of the American Academy of Orthopaedic Surgeons [aaos1965] as tabled in
//! [norkinwhite2016, appendix B], with two exceptions that loaded or composite joints need: dorsiflexion under body
//! weight reaches 40° in the lunge test [bennell1998], and crossing the arm in front of the body
//! (horizontal adduction, 130° from the side in [norkinwhite2016]) is negative abduction of a flexed arm here.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3, Vec3};
use ugoki_base::math::{log64, swing_twist};
use ugoki_base::pose::Pose;

use super::body::joint;

/// The range of one movement, degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointLimit {
    /// What moves: `elbow flexion`.
    pub movement: &'static str,
    /// Lowest angle, degrees; the opposite movement.
    pub low_deg: f64,
    /// Highest angle, degrees.
    pub high_deg: f64,
}

const fn limit(movement: &'static str, low_deg: f64, high_deg: f64) -> JointLimit {
    JointLimit { movement, low_deg, high_deg }
}

/// The movements that [`joint_angles`] reads, in its order; arms and legs stand once and count for both sides.
pub const JOINT_LIMITS: [JointLimit; 23] = [
    limit("trunk flexion", -25.0, 80.0),
    limit("trunk side bend", -35.0, 35.0),
    limit("trunk rotation", -45.0, 45.0),
    limit("neck flexion", -45.0, 45.0),
    limit("neck side bend", -45.0, 45.0),
    limit("neck rotation", -60.0, 60.0),
    limit("shoulder flexion", -60.0, 180.0),
    limit("shoulder abduction", -45.0, 180.0),
    limit("shoulder internal rotation", -90.0, 70.0),
    limit("elbow flexion", 0.0, 150.0),
    limit("forearm pronation", -80.0, 80.0),
    limit("wrist flexion", -70.0, 80.0),
    limit("wrist radial deviation", -30.0, 20.0),
    limit("hip flexion", -30.0, 120.0),
    limit("hip abduction", -30.0, 45.0),
    limit("hip internal rotation", -45.0, 45.0),
    limit("knee flexion", 0.0, 140.0),
    // The solve leaves the knee a hinge to within f32; anything else would be a broken knee.
    limit("knee off its hinge", -0.5, 0.5),
    limit("ankle dorsiflexion", -50.0, 40.0),
    limit("ankle off its hinge", -35.0, 35.0),
    limit("toe extension", -40.0, 70.0),
    limit("girdle elevation", -10.0, 40.0),
    limit("girdle protraction", -25.0, 30.0),
];

/// Angles of a pose of the sample actor, degrees: index into [`JOINT_LIMITS`] and angle.
///
/// Shoulder and hip are read as a swing from hanging, whose parts are flexion and abduction, after a twist about
/// the limb's length, which is the rotation.
#[must_use]
pub fn joint_angles(pose: &Pose) -> Vec<(usize, f64)> {
    let q = |index: usize| pose.rotations[index].as_dquat();
    let mut out = Vec::with_capacity(40);
    let mut add = |movement: usize, radians: f64| out.push((movement, radians.to_degrees()));
    let trunk = log64(q(joint::SPINE) * q(joint::CHEST) * q(joint::UPPER_CHEST));
    let neck = log64(q(joint::NECK) * q(joint::HEAD));
    for (first, v) in [(0, trunk), (3, neck)] {
        add(first, v.x);
        add(first + 1, -v.z);
        add(first + 2, v.y);
    }
    for (side, (arm, leg)) in joint::ARM.into_iter().zip(joint::LEG).enumerate() {
        // Everything is read as on the left.
        let q = |index: usize| {
            let q = pose.rotations[index].as_dquat();
            if side == 0 { q } else { DQuat::from_xyzw(q.x, -q.y, -q.z, q.w) }
        };
        let hang = DQuat::from_rotation_z(-TAU / 4.0);
        let (swing, twist) = swung(q(arm) * q(arm + 1) * hang.conjugate());
        add(6, -swing.x);
        add(7, swing.z);
        add(8, -twist);
        // The forearm is an elbow turn about −Y after a turn about its length, X.
        let (elbow, pronation) = split(q(arm + 2), DVec3::X);
        add(9, -elbow.y);
        add(10, pronation);
        let wrist = log64(q(arm + 3));
        add(11, -wrist.z);
        add(12, -wrist.y);
        let girdle = log64(q(arm));
        add(21, girdle.z);
        add(22, -girdle.y);
        let (swing, twist) = swung(q(leg));
        add(13, -swing.x);
        add(14, swing.z);
        add(15, -twist);
        let (off, knee) = split(q(leg + 1), DVec3::X);
        add(16, knee);
        add(17, off.length());
        let (off, ankle) = split(q(leg + 2), DVec3::X);
        add(18, -ankle);
        add(19, off.length());
        add(20, -log64(q(leg + 3)).x);
    }
    out
}

/// Swing vector and twist angle about the hanging limb's length (Y), radians.
fn swung(q: DQuat) -> (DVec3, f64) {
    split(q, DVec3::Y)
}

/// `q` as a swing (rotation vector at right angles to `axis`) after a twist (angle about it), radians.
fn split(q: DQuat, axis: DVec3) -> (DVec3, f64) {
    let axis32: Vec3 = axis.as_vec3();
    let (swing, twist) = swing_twist(q.as_quat().normalize(), axis32);
    (log64(swing.as_dquat()), log64(twist.as_dquat()).dot(axis))
}

#[cfg(test)]
mod tests {
    use super::super::pose::{Stage, pose};
    use super::super::posture::{Arm, Leg, Posture};
    use super::*;
    use ugoki_base::skeleton::Side;

    #[test]
    fn authored_angles_are_read_back() {
        let posture = Posture::idle().with(|p| {
            p.torso.bend = 20.0;
            p.arms[1] = Arm {
                flexion: 40.0,
                abduction: 30.0,
                rotation: -25.0,
                elbow: 70.0,
                pronation: 35.0,
                wrist: -12.0,
                ..Arm::default()
            };
            p.legs[0] = Leg {
                free: 1.0,
                hip: 60.0,
                abduction: 15.0,
                rotation: 10.0,
                knee: 80.0,
                ankle: -20.0,
                ..Leg::default()
            };
        });
        let stage = Stage::default();
        let read =
            joint_angles(&pose(&posture, &stage, [stage.stance(Side::Left), stage.stance(Side::Right)]));
        let angle = |movement: &str, side: usize| {
            let hits: Vec<f64> =
                read.iter().filter(|(i, _)| JOINT_LIMITS[*i].movement == movement).map(|(_, a)| *a).collect();
            hits[side.min(hits.len() - 1)]
        };
        for (movement, side, wanted) in [
            ("trunk flexion", 0, 20.0),
            ("shoulder flexion", 1, 40.0),
            ("shoulder abduction", 1, 30.0),
            ("shoulder internal rotation", 1, -25.0),
            ("elbow flexion", 1, 70.0),
            ("forearm pronation", 1, 35.0),
            ("wrist flexion", 1, -12.0),
            ("hip flexion", 0, 60.0),
            ("hip abduction", 0, 15.0),
            ("hip internal rotation", 0, 10.0),
            ("knee flexion", 0, 80.0),
            ("ankle dorsiflexion", 0, -20.0),
        ] {
            // 0.01°: single precision through three joints.
            assert!((angle(movement, side) - wanted).abs() < 0.01, "{movement}: {}", angle(movement, side));
        }
    }
}
