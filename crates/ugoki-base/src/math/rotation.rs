//! Logarithm, exponential, distance and swing–twist of rotations.
//!
//! The logarithm of a unit quaternion is its rotation vector: axis times angle, angle in [0, π].
//! Both directions stay accurate at angle 0 (series) and at π (`atan2` of the vector part's length,
//! never `acos` of `w`, whose slope is infinite at ±1).

use glam::{DQuat, DVec3, Quat, Vec3};

/// Half-angle sine below which `log` uses its series: the relative error of the first omitted
/// term, s²/6, is then under one f64 unit in the last place.
const SMALL_SINE: f64 = 1e-8;

/// Rotation vector (radians, length in [0, π]) of unit `q`; `q` and `−q` give the same vector.
#[must_use]
pub fn log64(q: DQuat) -> DVec3 {
    let v = DVec3::new(q.x, q.y, q.z);
    let sine = v.length();
    if sine < SMALL_SINE {
        // angle/sine → 2/|w| with the sign of w; near ±1 the quotient is 2.
        return v * (2.0 / q.w);
    }
    let half = sine.atan2(q.w.abs());
    let signed = if q.w < 0.0 { -2.0 * half } else { 2.0 * half };
    v * (signed / sine)
}

/// Unit quaternion of rotation vector `v` (radians, any length).
#[must_use]
pub fn exp64(v: DVec3) -> DQuat {
    let angle = v.length();
    let half = 0.5 * angle;
    // sin(half)/angle, by its series where the quotient would lose digits.
    let k = if angle < 1e-4 { 0.5 - angle * angle / 48.0 } else { half.sin() / angle };
    DQuat::from_xyzw(v.x * k, v.y * k, v.z * k, half.cos())
}

/// [`log64`] for single precision; the work is done in f64, so the result is correct to f32.
#[must_use]
pub fn log(q: Quat) -> Vec3 {
    log64(q.as_dquat()).as_vec3()
}

/// [`exp64`] for single precision.
#[must_use]
pub fn exp(v: Vec3) -> Quat {
    exp64(v.as_dvec3()).as_quat()
}

/// Angle of the rotation from `a` to `b` in radians, [0, π]; accurate at both ends.
#[must_use]
pub fn angle_between64(a: DQuat, b: DQuat) -> f64 {
    let d = a.conjugate() * b;
    2.0 * DVec3::new(d.x, d.y, d.z).length().atan2(d.w.abs())
}

/// [`angle_between64`] for single precision; exactly 0 for equal bits and for `q` against `−q`.
#[must_use]
pub fn angle_between(a: Quat, b: Quat) -> f32 {
    if a == b || a == -b {
        return 0.0;
    }
    angle_between64(a.as_dquat(), b.as_dquat()) as f32
}

/// `q` or `−q`, whichever lies in the hemisphere of `reference`; `q` itself when they are at right angles.
#[must_use]
pub fn align_sign(q: Quat, reference: Quat) -> Quat {
    if q.dot(reference) < 0.0 { -q } else { q }
}

/// The shortest way from `a` to `b`, at constant speed; exactly `a` at 0 and `±b` at 1.
#[must_use]
pub fn slerp(a: Quat, b: Quat, t: f32) -> Quat {
    let b = align_sign(b, a);
    if t <= 0.0 || a == b {
        return a;
    }
    if t >= 1.0 {
        return b;
    }
    let delta = log64(a.as_dquat().conjugate() * b.as_dquat());
    (a.as_dquat() * exp64(delta * f64::from(t))).as_quat().normalize()
}

/// Splits `q` into `swing * twist`: the twist turns about unit `axis`, the swing about a line at right angles to it.
///
/// A swing of exactly half a turn leaves the twist free; it is then the identity.
#[must_use]
pub fn swing_twist(q: Quat, axis: Vec3) -> (Quat, Quat) {
    let along = Vec3::new(q.x, q.y, q.z).dot(axis);
    let norm = (along * along + q.w * q.w).sqrt();
    if norm < 1e-7 {
        return (q, Quat::IDENTITY);
    }
    let v = axis * (along / norm);
    let twist = Quat::from_xyzw(v.x, v.y, v.z, q.w / norm);
    ((q * twist.conjugate()).normalize(), twist)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rotation_vector() -> impl Strategy<Value = DVec3> {
        // Angles over many magnitudes, from 1e-12 to π, about any axis.
        (-12.0..0.4971_f64, -1.0..1.0_f64, 0.0..std::f64::consts::TAU).prop_map(|(exponent, z, turn)| {
            let r = (1.0 - z * z).sqrt();
            DVec3::new(r * turn.cos(), r * turn.sin(), z) * 10f64.powf(exponent)
        })
    }

    proptest! {
        #[test]
        fn log_undoes_exp(v in rotation_vector()) {
            let back = log64(exp64(v));
            // Relative 1e-12: both directions lose at most a few units in the last place.
            prop_assert!((back - v).length() <= 1e-12 * v.length().max(1e-12), "{v} came back as {back}");
        }

        #[test]
        fn log_ignores_the_sign_of_the_quaternion(v in rotation_vector()) {
            let q = exp64(v);
            prop_assert!((log64(q) - log64(-q)).length() <= 1e-12);
        }

        #[test]
        fn angle_between_is_the_length_of_the_log(a in rotation_vector(), b in rotation_vector()) {
            let (p, q) = (exp64(a), exp64(b));
            let angle = angle_between64(p, q);
            prop_assert!((angle - log64(p.conjugate() * q).length()).abs() < 1e-12);
        }

        #[test]
        fn slerp_moves_at_constant_speed(a in rotation_vector(), b in rotation_vector(), t in 0.0..1.0_f32) {
            let (p, q) = (exp64(a).as_quat(), exp64(b).as_quat());
            let whole = angle_between(p, q);
            // 1e-6 rad: the f32 quaternions themselves carry 1e-7 each.
            prop_assert!((angle_between(p, slerp(p, q, t)) - t * whole).abs() < 2e-6);
        }

        #[test]
        fn swing_times_twist_is_the_rotation(a in rotation_vector(), b in rotation_vector()) {
            prop_assume!(b.length() > 1e-3);
            let q = exp64(a).as_quat();
            let axis = b.normalize().as_vec3();
            let (swing, twist) = swing_twist(q, axis);
            prop_assert!(angle_between(swing * twist, q) < 1e-6);
            // The twist has no component across the axis, the swing none along it.
            prop_assert!(Vec3::new(twist.x, twist.y, twist.z).cross(axis).length() < 1e-6);
            prop_assert!(Vec3::new(swing.x, swing.y, swing.z).dot(axis).abs() < 1e-5);
        }
    }

    #[test]
    fn half_turns_have_a_log_of_length_pi() {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(0.6, 0.0, 0.8)] {
            let v = log64(DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0));
            assert!((v.length() - std::f64::consts::PI).abs() < 1e-15, "{v}");
        }
        assert_eq!(log64(DQuat::IDENTITY), DVec3::ZERO);
        assert_eq!(log64(-DQuat::IDENTITY), DVec3::ZERO);
    }
}
