//! The rotation-vector chart about the current orientation: R(ψ) = R_now · exp(ψ).
//!
//! A target at ψ = φ with angular velocity ω and acceleration ω̇ (its own axes) has, in the chart,
//! φ̇ = J_r⁻¹(φ) ω and φ̈ = J_r⁻¹(φ)(ω̇ − J̇_r φ̇), with the right Jacobian J_r = 1 − a[φ] + b[φ]²,
//! a = (1 − cos θ)/θ², b = (θ − sin θ)/θ³, θ = |φ|. At ψ = 0 acceleration in the chart is angular acceleration.

use glam::{DMat3, DVec3};

/// Under this angle, rad, quotients are replaced by their series; the first term left out is then under 1e-13.
const SMALL: f64 = 1e-3;

fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

/// a, b, a′/θ and b′/θ.
fn coefficients(angle: f64) -> [f64; 4] {
    let square = angle * angle;
    if angle < SMALL {
        return [
            0.5 - square / 24.0,
            1.0 / 6.0 - square / 120.0,
            -1.0 / 12.0 + square / 180.0,
            -1.0 / 60.0 + square / 1260.0,
        ];
    }
    let (sine, cosine) = angle.sin_cos();
    let a = (1.0 - cosine) / square;
    let b = (angle - sine) / (square * angle);
    let da = (angle * sine - 2.0 * (1.0 - cosine)) / (square * square);
    let db = (angle * (1.0 - cosine) - 3.0 * (angle - sine)) / (square * square * angle);
    [a, b, da, db]
}

/// J_r(φ).
pub(super) fn right_jacobian(phi: DVec3) -> DMat3 {
    let [a, b, _, _] = coefficients(phi.length());
    let cross = cross_matrix(phi);
    DMat3::IDENTITY - cross * a + cross * cross * b
}

/// Velocity and acceleration in the chart of a target at `phi` with these in its own axes.
pub(super) fn in_chart(phi: DVec3, omega: DVec3, omega_dot: DVec3) -> (DVec3, DVec3) {
    let inverse = right_jacobian(phi).inverse();
    let v = inverse * omega;
    let [_, b, da, db] = coefficients(phi.length());
    let along = phi.dot(v);
    let turn = phi.cross(v);
    let change = turn * (-da * along) + phi.cross(turn) * (db * along) + v.cross(turn) * b;
    (v, inverse * (omega_dot - change))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ugoki_base::math::{exp64, log64};

    fn vector(size: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn chart_motion_matches_central_differences(phi in vector(1.5), omega in vector(3.0), rate in vector(5.0)) {
            // A target that turns with ω(t) = ω + ω̇ t in its own axes, by the fourth-order Magnus step.
            let (h, start) = (1e-3, exp64(phi));
            let at = |t: f64| {
                let mean = omega * t + rate * (0.5 * t * t);
                let skew = omega.cross(rate) * (-t * t * t / 12.0);
                log64(start * exp64(mean - skew))
            };
            let (v, a) = in_chart(phi, omega, rate);
            let numeric_v = (at(h) - at(-h)) / (2.0 * h);
            let numeric_a = (at(h) - at(0.0) * 2.0 + at(-h)) / (h * h);
            // Differences of second order with h = 1e-3: third and fourth derivatives are some hundreds.
            prop_assert!((v - numeric_v).length() < 1e-3 * (1.0 + v.length()), "{v} {numeric_v}");
            prop_assert!((a - numeric_a).length() < 2e-3 * (1.0 + a.length() + v.length_squared()), "{a} {numeric_a}");
        }

        #[test]
        fn series_and_formula_meet(direction in vector(1.0)) {
            prop_assume!(direction.length() > 0.1);
            let unit = direction.normalize();
            let (below, above) = (right_jacobian(unit * (SMALL * 0.9999)), right_jacobian(unit * (SMALL * 1.0001)));
            prop_assert!((0..3).all(|k| (below.col(k) - above.col(k)).length() < 1e-6));
        }
    }
}
