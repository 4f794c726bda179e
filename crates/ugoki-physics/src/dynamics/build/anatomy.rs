//! Which way a body bends, read off its rest pose.
//!
//! A rest pose faces +Z with +Y up, but may be a T-pose, an A-pose, arms hanging, or CMU's with the legs swung apart
//! and the feet rolled with them. So a hinge's axis is not a world axis: it is at right angles to the limb as it lies
//! and to the way the body faces. A knee bends backward and an elbow forward about `limb × forward` up to sign,
//! wherever the limb points; only an arm that itself points forward needs another rule, and then the elbow lifts the
//! hand.

use glam::{DMat3, DQuat, DVec3};
use ugoki_base::skeleton::Side;

/// The way a skeleton faces in rest.
pub(super) const FORWARD: DVec3 = DVec3::Z;

/// A limb bent in rest by more than this, radians (10°), shows its own plane of bending; less is modelling noise.
const BENT: f64 = 0.175;
/// Cosine above which the plane so shown is believed: within 45° of what anatomy says.
const AGREES: f64 = 0.707;
/// Sine of the angle between limb and facing below which facing cannot tell the axis (12°).
const ALONG: f64 = 0.2;
/// Legs apart by more than this, radians (10°), from hip to ankle are swung as a whole, feet with them; rigs that
/// stand with flat feet keep them closer.
const SWUNG: f64 = 0.175;

/// A hinge as the rest pose has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hinge {
    /// Unit axis; turning the lower part about it by a positive angle flexes.
    pub(super) axis: DVec3,
    /// How far it is flexed in rest, radians.
    pub(super) rest: f64,
}

/// The knee between `thigh` and `shank` (rest directions, any length).
pub(super) fn knee(thigh: DVec3, shank: DVec3) -> Hinge {
    let limb = thigh.normalize() + shank.normalize();
    let axis = FORWARD.cross(limb);
    let axis = if axis.length() > ALONG * limb.length() { axis.normalize() } else { DVec3::X };
    bent(thigh, shank, axis)
}

/// The elbow between `upper` and `lower` (rest directions, any length).
pub(super) fn elbow(upper: DVec3, lower: DVec3) -> Hinge {
    let limb = upper.normalize() + lower.normalize();
    let axis = limb.cross(FORWARD);
    let axis = if axis.length() > ALONG * limb.length() {
        axis.normalize()
    } else {
        limb.cross(DVec3::Y).normalize_or(DVec3::X)
    };
    bent(upper, lower, axis)
}

/// Takes the plane of a limb that is clearly bent the way `axis` bends it.
fn bent(upper: DVec3, lower: DVec3, axis: DVec3) -> Hinge {
    let (a, b) = (upper.normalize(), lower.normalize());
    let shown = a.cross(b);
    let angle = shown.length().atan2(a.dot(b));
    let own = shown.normalize_or(axis);
    let axis = if angle > BENT && own.dot(axis) > AGREES { own } else { axis };
    // The flexion that the rest pose already has about this axis.
    let across = |v: DVec3| v - axis * v.dot(axis);
    let (a, b) = (across(a), across(b));
    Hinge { axis, rest: a.cross(b).dot(axis).atan2(a.dot(b)) }
}

/// The rotation about +Z that levels a leg from `hip` to `ankle`: identity unless the leg is swung out.
pub(super) fn level_leg(hip: DVec3, ankle: DVec3) -> DQuat {
    let d = ankle - hip;
    // From the frontal projection of the leg to straight down.
    let out = d.x.atan2(-d.y);
    if out.abs() > SWUNG { DQuat::from_rotation_z(-out) } else { DQuat::IDENTITY }
}

/// Columns: axes of flexion, abduction and internal rotation of a limb that hangs down, in the frame `basis`
/// whose columns are left, up, forward. A thigh and an arm flex forward; an ankle "flexes" its toes up and
/// "abducts" its sole outward.
pub(super) fn limb_axes(side: Side, basis: &DMat3) -> DMat3 {
    let s = if side == Side::Left { 1.0 } else { -1.0 };
    DMat3::from_cols(-basis.x_axis, basis.z_axis * s, basis.y_axis * -s)
}

/// Columns: axes of bending forward, bending to the left and turning to the left of the spine.
pub(super) fn spine_axes() -> DMat3 {
    DMat3::from_cols(DVec3::X, DVec3::NEG_Z, DVec3::Y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the end of a limb goes when its hinge bends by 90°.
    fn bend(hinge: Hinge, lower: DVec3) -> DVec3 {
        DQuat::from_axis_angle(hinge.axis, std::f64::consts::FRAC_PI_2) * lower
    }

    #[test]
    fn knees_bend_backward_and_elbows_forward_in_every_usual_rest() {
        let down = DVec3::NEG_Y;
        assert!((bend(knee(down, down), down) - DVec3::NEG_Z).length() < 1e-12);
        // CMU: legs 20° apart.
        let spread = DVec3::new(0.34, -0.94, 0.0).normalize();
        assert!((bend(knee(spread, spread), spread) - DVec3::NEG_Z).length() < 1e-12);
        for arm in
            [DVec3::X, DVec3::NEG_X, DVec3::NEG_Y, DVec3::new(0.7, -0.7, 0.1), DVec3::new(-0.5, -0.8, -0.1)]
        {
            let to = bend(elbow(arm, arm), arm.normalize());
            assert!(to.z > 0.95, "an arm along {arm} bends towards {to}");
        }
        // Arms held forward bend upward.
        assert!(bend(elbow(DVec3::Z, DVec3::Z), DVec3::Z).y > 0.95);
    }

    #[test]
    fn a_bent_rest_shows_its_own_plane_and_angle() {
        // A knee bent by 30° that points 20° outward.
        let turn = DQuat::from_rotation_y(0.35);
        let shank = turn * (DQuat::from_rotation_x(0.5) * DVec3::NEG_Y);
        let hinge = knee(DVec3::NEG_Y, shank);
        assert!((hinge.axis - turn * DVec3::X).length() < 1e-9 && (hinge.rest - 0.5).abs() < 1e-9);
        // One degree the wrong way is noise: the axis stays, the angle is reported.
        let hinge = knee(DVec3::NEG_Y, DQuat::from_rotation_x(-0.017) * DVec3::NEG_Y);
        assert!((hinge.axis - DVec3::X).length() < 1e-3 && (hinge.rest + 0.017).abs() < 1e-9);
    }

    #[test]
    fn swung_legs_are_levelled_and_standing_ones_left_alone() {
        let hip = DVec3::new(0.1, 1.0, 0.0);
        assert_eq!(level_leg(hip, DVec3::new(0.15, 0.1, 0.02)), DQuat::IDENTITY);
        let ankle = hip + DVec3::new(0.34, -0.94, 0.0);
        let level = level_leg(hip, ankle) * (ankle - hip).normalize();
        assert!((level - DVec3::NEG_Y).length() < 1e-2, "{level}");
    }
}
