//! What each joint can do: ranges of motion and greatest torques, one table with sources.
//!
//! Ranges are the American Academy of Orthopaedic Surgeons' \[aaos1965\]. Torques are what healthy young adults reach
//! by will, without regard to angle and speed: flexion and extension of hip, knee and ankle are per body weight times
//! stature (the C1 of \[anderson2007, table 3\]); the others are per kilogram \[harbo2012, vasavada2001,
//! holzbaur2007\]. `docs/methods/dynamics.md` lists every number with its source.

use ugoki_base::skeleton::Role;

/// Torque one way, relative to the body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Torque {
    /// Fraction of body weight (N) times stature (m).
    WeightHeight(f64),
    /// N·m per kg of body mass.
    PerKg(f64),
}

impl Torque {
    /// N·m on a body of `mass` kg and `stature` m under standard gravity.
    #[must_use]
    pub(super) fn newton_metres(self, mass: f64, stature: f64) -> f64 {
        match self {
            Self::WeightHeight(fraction) => fraction * mass * STANDARD_GRAVITY * stature,
            Self::PerKg(torque) => torque * mass,
        }
    }
}

/// m/s², by definition.
pub const STANDARD_GRAVITY: f64 = 9.806_65;

/// One anatomical direction pair of a joint: how far (degrees) and how strongly each way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Way {
    /// Degrees against and along the direction named by the column.
    pub(super) degrees: [f64; 2],
    /// Torques against and along it.
    pub(super) torque: [Torque; 2],
}

const fn way(low: f64, high: f64, negative: Torque, positive: Torque) -> Way {
    Way { degrees: [low, high], torque: [negative, positive] }
}

/// A ball joint's three ways: flexion, abduction (spine: bending to the left), internal rotation (spine: turning to
/// the left).
pub(super) type BallRow = [Way; 3];

use Torque::{PerKg, WeightHeight};

const BACK: BallRow = [
    way(-25.0, 80.0, PerKg(3.0), PerKg(2.2)),
    way(-35.0, 35.0, PerKg(1.75), PerKg(1.75)),
    way(-45.0, 45.0, PerKg(1.25), PerKg(1.25)),
];
const NECK: BallRow = [
    way(-45.0, 45.0, PerKg(0.70), PerKg(0.40)),
    way(-45.0, 45.0, PerKg(0.48), PerKg(0.48)),
    way(-60.0, 60.0, PerKg(0.20), PerKg(0.20)),
];
/// Flexion −60 to 180, abduction −45 to 180: held about their middle, see [`centre_deg`]. Rotation is −90
/// to 70 at any height of the arm, but the arm's neutral itself turns by up to 50° against a twist carried along the
/// shortest swing (Codman's paradox); the interval holds both.
const SHOULDER: BallRow = [
    way(-60.0, 180.0, PerKg(1.25), PerKg(1.0)),
    way(-45.0, 180.0, PerKg(1.07), PerKg(0.84)),
    way(-110.0, 110.0, PerKg(0.4), PerKg(0.6)),
];
/// A straight leg spreads by 45°, a bent one, as in a squat or sitting cross-legged, until the thigh points to the
/// side and turns outward: 100° of abduction and 70° of outward rotation, about the half raised thigh, hold both.
const HIP: BallRow = [
    way(-30.0, 130.0, WeightHeight(0.161), WeightHeight(0.113)),
    way(-30.0, 100.0, PerKg(1.08), PerKg(1.29)),
    way(-70.0, 45.0, PerKg(0.66), PerKg(0.72)),
];
/// Dorsiflexion, eversion, turning the toes in. Free feet rise by 20°, under the body's weight ankles bend
/// by 40° (weight-bearing lunge \[bennell1998\]).
const ANKLE: BallRow = [
    way(-50.0, 40.0, WeightHeight(0.095), WeightHeight(0.033)),
    way(-35.0, 15.0, PerKg(0.46), PerKg(0.42)),
    way(-20.0, 20.0, PerKg(0.3), PerKg(0.3)),
];

/// 10° of overextension are normal; by will a knee bends 135°, under the body's weight in a deep squat
/// 160° \[hemmerich2006\].
const KNEE: Way = way(-10.0, 160.0, WeightHeight(0.163), WeightHeight(0.087));
const ELBOW: Way = way(0.0, 150.0, PerKg(0.61), PerKg(0.67));
/// Toes upward is positive. The flexors give at most 14.2 N·m \[goldmann2012\], 0.18 N·m/kg on a man of 79 kg; the
/// extensors' third of that is an estimate.
const TOES: Way = way(-45.0, 70.0, PerKg(0.18), PerKg(0.06));

/// The middle of a ball joint's range, degrees of flexion and abduction from neutral.
///
/// An arm held forward and out, a thigh half raised: measured from there no reachable direction comes near half a turn,
/// where angles would be ambiguous, and an ellipse fits what a limb reaches.
pub(super) fn centre_deg(role: Role) -> [f64; 2] {
    match role {
        Role::LeftUpperArm | Role::RightUpperArm => [60.0, 55.0],
        Role::LeftUpperLeg | Role::RightUpperLeg => [50.0, 25.0],
        _ => [0.0, 0.0],
    }
}

/// A ball joint's row by the role of its link; `None` for other roles.
#[must_use]
pub(super) fn ball_row(role: Role) -> Option<&'static BallRow> {
    Some(match role {
        Role::Spine => &BACK,
        Role::Neck => &NECK,
        Role::LeftUpperArm | Role::RightUpperArm => &SHOULDER,
        Role::LeftUpperLeg | Role::RightUpperLeg => &HIP,
        Role::LeftFoot | Role::RightFoot => &ANKLE,
        _ => return None,
    })
}

/// A hinge's row by the role of its link; `None` for other roles.
#[must_use]
pub(super) fn hinge_row(role: Role) -> Option<&'static Way> {
    Some(match role {
        Role::LeftLowerLeg | Role::RightLowerLeg => &KNEE,
        Role::LeftLowerArm | Role::RightLowerArm => &ELBOW,
        Role::LeftToes | Role::RightToes => &TOES,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legs_are_as_strong_as_measured() {
        // [anderson2007]: hip extension of a 70 kg, 1.75 m man is 0.161 · 70 · 9.81 · 1.75 = 193 N·m.
        let torque = HIP[0].torque[0].newton_metres(70.0, 1.75);
        assert!((torque - 193.4).abs() < 0.5, "{torque}");
    }

    #[test]
    fn every_range_holds_the_neutral_pose() {
        for &role in Role::ALL {
            let ways = ball_row(role).map_or(Vec::new(), |row| row.to_vec());
            for way in ways.iter().chain(hinge_row(role)) {
                assert!(way.degrees[0] <= 0.0 && way.degrees[1] > 0.0, "{role}");
                assert!(way.torque.iter().all(|t| t.newton_metres(65.0, 1.7) > 0.0), "{role}");
            }
        }
    }
}
