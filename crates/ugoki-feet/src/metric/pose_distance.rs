//! Distance between point clouds after the best shift and turn on the ground \[kovar2002\].

use glam::{DQuat, DVec3, Vec3};

/// A turn about the vertical, then a shift on the ground.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GroundAlignment {
    /// Turn about +Y, radians.
    pub yaw_rad: f64,
    /// Shift along x, metres.
    pub x: f64,
    /// Shift along z, metres.
    pub z: f64,
}

impl GroundAlignment {
    /// Where a point goes.
    #[must_use]
    pub fn apply(&self, p: DVec3) -> DVec3 {
        DQuat::from_rotation_y(self.yaw_rad) * p + DVec3::new(self.x, 0.0, self.z)
    }
}

/// Weighted root mean square distance, metres, between points `a` and `b` with `b` aligned to `a` on the ground.
///
/// Points may come from one pose or from a window of poses one after another; `weights` are at least 0. With no
/// weight at all the distance is 0. The alignment minimises Σ wᵢ‖aᵢ − (R_y(θ)·bᵢ + (x, 0, z))‖² in closed form.
///
/// # Panics
/// If the three slices differ in length.
#[must_use]
pub fn pose_distance(a: &[Vec3], b: &[Vec3], weights: &[f64]) -> (f64, GroundAlignment) {
    assert!(a.len() == b.len() && a.len() == weights.len(), "as many points and weights on both sides");
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return (0.0, GroundAlignment::default());
    }
    let centre =
        |points: &[Vec3]| points.iter().zip(weights).map(|(p, &w)| p.as_dvec3() * w).sum::<DVec3>() / total;
    let (ca, cb) = (centre(a), centre(b));
    // About the centres the best turn is the angle of Σ w (b × a, b · a) in the ground plane.
    let (mut sine, mut cosine) = (0.0, 0.0);
    for ((p, q), &w) in a.iter().zip(b).zip(weights) {
        let (p, q) = (p.as_dvec3() - ca, q.as_dvec3() - cb);
        sine += w * (p.x * q.z - p.z * q.x);
        cosine += w * (p.x * q.x + p.z * q.z);
    }
    let yaw_rad = if sine == 0.0 && cosine == 0.0 { 0.0 } else { sine.atan2(cosine) };
    let turned = DQuat::from_rotation_y(yaw_rad) * cb;
    let best = GroundAlignment { yaw_rad, x: ca.x - turned.x, z: ca.z - turned.z };
    // Equal clouds are equal, whatever rounding the alignment brings.
    if a == b {
        return (0.0, GroundAlignment::default());
    }
    let sum: f64 = (a.iter().zip(b).zip(weights))
        .map(|((p, q), &w)| w * (p.as_dvec3() - best.apply(q.as_dvec3())).length_squared())
        .sum();
    ((sum / total).sqrt(), best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cloud() -> impl Strategy<Value = Vec<Vec3>> {
        prop::collection::vec(prop::array::uniform3(-1.0..1.0_f32).prop_map(Vec3::from_array), 3..20)
    }

    proptest! {
        #[test]
        fn place_and_heading_do_not_matter(a in cloud(), yaw in -3.0..3.0_f32, x in -5.0..5.0_f32, z in -5.0..5.0_f32) {
            let b: Vec<Vec3> = a.iter().map(|p| glam::Quat::from_rotation_y(yaw) * *p + Vec3::new(x, 0.0, z)).collect();
            let (distance, _) = pose_distance(&a, &b, &vec![1.0; a.len()]);
            // 1e-5 m: f32 points five metres away.
            prop_assert!(distance < 1e-5, "{distance}");
        }

        #[test]
        fn it_is_symmetric_and_no_nearby_alignment_is_better(a in cloud(), seed in 0u64..1000, d in -0.1..0.1_f64) {
            let mut random = ugoki_base::math::Random::new(seed);
            let b: Vec<Vec3> = a.iter().map(|p| *p + Vec3::splat(random.uniform() as f32)).collect();
            let weights: Vec<f64> = a.iter().map(|_| random.uniform() + 0.1).collect();
            let (distance, best) = pose_distance(&a, &b, &weights);
            prop_assert!((distance - pose_distance(&b, &a, &weights).0).abs() < 1e-9);
            let total: f64 = weights.iter().sum();
            for other in [
                GroundAlignment { yaw_rad: best.yaw_rad + d, ..best },
                GroundAlignment { x: best.x + d, ..best },
                GroundAlignment { z: best.z + d, ..best },
            ] {
                let sum: f64 = (a.iter().zip(&b).zip(&weights))
                    .map(|((p, q), w)| w * (p.as_dvec3() - other.apply(q.as_dvec3())).length_squared())
                    .sum();
                prop_assert!((sum / total).sqrt() >= distance - 1e-9);
            }
        }
    }

    #[test]
    fn a_higher_copy_is_as_far_as_it_is_high() {
        let a = [Vec3::ZERO, Vec3::X, Vec3::Z];
        let b = a.map(|p| p + Vec3::Y * 0.5);
        assert!((pose_distance(&a, &b, &[1.0, 2.0, 3.0]).0 - 0.5).abs() < 1e-7);
        assert_eq!(pose_distance(&a, &a, &[1.0; 3]).0, 0.0);
        assert_eq!(pose_distance(&[], &[], &[]).0, 0.0);
    }
}
