//! Unity's axes: left-handed, Y up, a character faces +Z and has its left at −X. Mirroring X gives ours and back.

use glam::{Quat, Vec3};

/// A position in the other handedness.
pub(super) fn flip_position(p: Vec3) -> Vec3 {
    Vec3::new(-p.x, p.y, p.z)
}

/// A rotation in the other handedness: the axis is mirrored and the sense of turning reversed.
pub(super) fn flip_rotation(q: Quat) -> Quat {
    Quat::from_xyzw(q.x, -q.y, -q.z, q.w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn flipping_commutes_with_turning_and_undoes_itself(
            x in -3.0..3.0_f32, y in -3.0..3.0_f32, z in -3.0..3.0_f32,
            a in -3.0..3.0_f32, b in -3.0..3.0_f32, c in -3.0..3.0_f32,
        ) {
            let (q, p) = (Quat::from_scaled_axis(Vec3::new(x, y, z)), Vec3::new(a, b, c));
            let (there, again) = (flip_rotation(q) * flip_position(p), flip_position(q * p));
            prop_assert!(there.distance(again) < 1e-4);
            prop_assert_eq!(flip_rotation(flip_rotation(q)), q);
            prop_assert_eq!(flip_position(flip_position(p)), p);
        }
    }
}
