//! The shape of a foot, from ankle and toes to the floor.

use glam::{DMat3, DQuat, DVec3};

use super::anatomy::FORWARD;
use super::anthropometry::{
    ANKLE_HEIGHT, FOOT_BREADTH, HEEL_BREADTH, HEEL_TO_ANKLE, TIP_BREADTH, TOE_HEIGHT,
};

/// Tips nearer to the ankle than this fraction of the usual foot's length are not the end of the toes.
const SHORT_TIP: f64 = 0.4;

/// A foot in the rest pose; points are rest positions on the sole, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FootShape {
    /// Columns: the foot's left, up and forward.
    pub(super) basis: DMat3,
    /// Hindmost point of the sole, on its middle line.
    pub(super) heel: DVec3,
    /// Under the toes' joints.
    pub(super) ball: DVec3,
    /// Foremost point.
    pub(super) tip: DVec3,
    /// Ankle above the sole.
    pub(super) height: f64,
    /// Corners at heel, ball and tip: left and right of each.
    pub(super) corners: [[DVec3; 2]; 3],
}

/// The shape of the foot below `ankle`; `level` turns the rest pose so that the sole lies flat.
///
/// `toes` is the toes' joint and `tip` an end site beyond it, where known; `length` is the usual foot's.
pub(super) fn foot_shape(
    level: DQuat,
    ankle: DVec3,
    toes: Option<DVec3>,
    tip: Option<DVec3>,
    length: f64,
    stature: f64,
) -> FootShape {
    // In level axes, from the ankle.
    let from_ankle = |p: DVec3| level * (p - ankle);
    let flat = |v: DVec3| DVec3::new(v.x, 0.0, v.z);
    let far = |v: &DVec3| flat(*v).length() > SHORT_TIP * length;
    let tip = tip.map(from_ankle).filter(far);
    let toes = toes.map(from_ankle);
    let forward = toes.or(tip).map_or(FORWARD, |v| flat(v).normalize_or(FORWARD));
    let reach = tip.map_or((1.0 - HEEL_TO_ANKLE) * length, |v| v.dot(forward));
    // De Leva gives no ball; the toes' joint lies at about 72 % of the foot's length.
    let ball = toes.map_or(reach - 0.28 * length, |v| v.dot(forward)).min(reach);
    let back = HEEL_TO_ANKLE / (1.0 - HEEL_TO_ANKLE) * reach;
    // The sole is under the ankle, under the toes' joint with their flesh, and not above the tip.
    let height = [Some(ANKLE_HEIGHT * stature), toes.map(|v| TOE_HEIGHT * stature - v.y), tip.map(|v| -v.y)]
        .into_iter()
        .flatten()
        .fold(0.0, f64::max);
    let left = DVec3::Y.cross(forward);
    let rest = level.conjugate();
    let point =
        |along: f64, across: f64| ankle + rest * (forward * along + left * across - DVec3::Y * height);
    let half = 0.5 * FOOT_BREADTH * stature;
    let pair = |along: f64, breadth: f64| [point(along, half * breadth), point(along, -half * breadth)];
    FootShape {
        basis: DMat3::from_cols(rest * left, rest * DVec3::Y, rest * forward),
        heel: point(-back, 0.0),
        ball: point(ball, 0.0),
        tip: point(reach, 0.0),
        height,
        corners: [pair(-back, HEEL_BREADTH), pair(ball, 1.0), pair(reach, TIP_BREADTH)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_foot_has_a_flat_sole_of_human_size() {
        let ankle = DVec3::new(0.1, 0.08, 0.0);
        let shape = foot_shape(
            DQuat::IDENTITY,
            ankle,
            Some(DVec3::new(0.1, 0.02, 0.13)),
            Some(DVec3::new(0.1, 0.01, 0.19)),
            0.25,
            1.7,
        );
        for p in shape.corners.concat() {
            assert!(p.y.abs() < 2e-3 && (p.x - 0.1).abs() < 0.06, "{p}");
        }
        let length = shape.tip.z - shape.heel.z;
        assert!((0.24..0.27).contains(&length), "{length}");
    }

    #[test]
    fn a_foot_rolled_with_its_leg_has_a_sole_at_right_angles_to_the_leg() {
        let roll = DQuat::from_rotation_z(0.35);
        let ankle = DVec3::new(0.4, 0.1, 0.0);
        let level_toes = DVec3::new(0.0, -0.04, 0.12);
        let shape = foot_shape(roll.conjugate(), ankle, Some(ankle + roll * level_toes), None, 0.25, 1.7);
        assert!((shape.basis.y_axis - roll * DVec3::Y).length() < 1e-12);
        assert!((shape.basis.z_axis - DVec3::Z).length() < 1e-12);
    }
}
