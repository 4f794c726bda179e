//! The least turn that takes directions onto others.

use glam::{Mat3, Quat, Vec3};

/// Lengths under this, metres, have no direction.
const NO_LENGTH: f32 = 1e-6;

/// Steps of the fit of several directions; each squares the error of a moderate turn.
const STEPS: usize = 4;

/// Rotation that takes every `from` nearest to its `to`: exactly, in direction, for one pair; in the sense of least squares for
/// several. Vectors without length count for nothing.
pub(super) fn fit<I: Iterator<Item = (Vec3, Vec3)> + Clone>(pairs: &I) -> Quat {
    let useful = || pairs.clone().filter(|(from, to)| from.length() > NO_LENGTH && to.length() > NO_LENGTH);
    let Some((from, to)) = useful().max_by(|a, b| a.0.length_squared().total_cmp(&b.0.length_squared()))
    else {
        return Quat::IDENTITY;
    };
    // The longest pair first: near enough for the steps that follow.
    let mut turn = Quat::from_rotation_arc(from.normalize(), to.normalize());
    if useful().count() == 1 {
        return turn;
    }
    for _ in 0..STEPS {
        // Gauss–Newton on Σ |to − turn·from|²: Σ (|a|²I − a aᵀ) ω = Σ a × b.
        let mut matrix = Mat3::ZERO;
        let mut wanted = Vec3::ZERO;
        for (from, to) in useful() {
            let a = turn * from;
            let b = to * (from.length() / to.length());
            matrix += Mat3::from_diagonal(Vec3::splat(a.length_squared())) - outer(a);
            wanted += a.cross(b);
        }
        let determinant = matrix.determinant();
        let scale = (matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z) / 3.0;
        if determinant <= 1e-4 * scale * scale * scale {
            // All along one line: the twist about it is free.
            return turn;
        }
        turn = (Quat::from_scaled_axis(matrix.inverse() * wanted) * turn).normalize();
    }
    turn
}

fn outer(a: Vec3) -> Mat3 {
    Mat3::from_cols(a * a.x, a * a.y, a * a.z)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0..1.0_f32).prop_map(Vec3::from_array)
    }

    proptest! {
        #[test]
        fn a_turn_is_found_again(points in prop::collection::vec(vector(), 1..5), axis in vector(), angle in -2.5..2.5_f32) {
            prop_assume!(axis.length() > 0.1 && points.iter().all(|p| p.length() > 0.1));
            let turn = Quat::from_axis_angle(axis.normalize(), angle);
            let found = fit(&points.iter().map(|&p| (p, turn * p)));
            for p in &points {
                // Points near one line fix the turn about it badly: 2 % of a length is the worst seen there.
                prop_assert!((found * *p).distance(turn * *p) < 0.02, "{found} {turn}");
            }
        }
    }

    #[test]
    fn nothing_to_turn_is_no_turn() {
        assert_eq!(fit(&[].into_iter()), Quat::IDENTITY);
        assert_eq!(fit(&[(Vec3::ZERO, Vec3::X)].into_iter()), Quat::IDENTITY);
    }
}
