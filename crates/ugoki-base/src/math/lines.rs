//! How near two lines of finite length come to each other.

use glam::Vec3;

/// Lengths squared under this are points, m².
const POINT: f32 = 1e-12;

/// Distance of two lines of finite length, each given by its ends: the nearest points of both endless lines, brought
/// back onto the lines' ends where they lie beyond \[ericson2005, §5.1.9\].
#[must_use]
pub fn lines_apart(one: [Vec3; 2], other: [Vec3; 2]) -> f32 {
    let [p, q] = nearest_points(one, other);
    p.distance(q)
}

/// The nearest points of two lines of finite length: on the first, and on the second.
#[must_use]
pub fn nearest_points([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> [Vec3; 2] {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, vv, uv, uw, vw) = (u.length_squared(), v.length_squared(), u.dot(v), u.dot(w), v.dot(w));
    let ratio = |part: f32, whole: f32| if whole > POINT { (part / whole).clamp(0.0, 1.0) } else { 0.0 };
    // Where the first line is nearest to the endless second; any point of it when they are parallel.
    let s = ratio(uv * vw - vv * uw, uu * vv - uv * uv);
    let t = ratio(uv * s + vw, vv);
    // The second may have been cut at an end: then the first is nearest to that.
    let s = ratio(uv * t - uw, uu);
    [a + u * s, c + v * t]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line() -> impl Strategy<Value = [Vec3; 2]> {
        prop::array::uniform2(prop::array::uniform3(-1.0..1.0_f32).prop_map(Vec3::from_array))
    }

    proptest! {
        /// No two points of a fine grid on both are nearer, and the nearest of them is nearly as near.
        #[test]
        fn no_points_of_the_lines_are_nearer(one in line(), other in line()) {
            let apart = lines_apart(one, other);
            let at = |[a, b]: [Vec3; 2], i: u8| a.lerp(b, f32::from(i) / 100.0);
            let mut least = f32::INFINITY;
            for i in 0..=100 {
                for k in 0..=100 {
                    least = least.min(at(one, i).distance(at(other, k)));
                }
            }
            // The grid's points are at most 17 mm from any point of lines up to 3.5 m long.
            prop_assert!(apart <= least + 1e-5 && least <= apart + 0.036, "{} against {}", apart, least);
            prop_assert!((lines_apart(other, one) - apart).abs() < 1e-4);
        }
    }

    #[test]
    fn crossing_lines_touch_and_parallel_ones_and_points_keep_their_distance() {
        assert!(lines_apart([Vec3::NEG_X, Vec3::X], [Vec3::NEG_Z, Vec3::Z]) < 1e-6);
        let parallel = lines_apart([Vec3::ZERO, Vec3::Y], [Vec3::X * 0.1, Vec3::new(0.1, 1.0, 0.0)]);
        assert!((parallel - 0.1).abs() < 1e-6, "{parallel}");
        let apart = lines_apart([Vec3::ZERO, Vec3::Y], [Vec3::Y * 3.0, Vec3::Y * 4.0]);
        assert!((apart - 2.0).abs() < 1e-6, "{apart}");
        let points = lines_apart([Vec3::ZERO; 2], [Vec3::X; 2]);
        assert!((points - 1.0).abs() < 1e-6, "{points}");
    }
}
