//! The floor as a plane under the contacts, or a level one where they stand on steps.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use ugoki_base::math::{median, quantile};

use super::feet::REFERENCE_LEG_M;
use super::paths::SOLE_M;

/// Where the ground is: y = height + slope·(x − origin.x, z − origin.z), metres.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Floor {
    /// x and z of the point about which the floor tilts: the middle of the contacts.
    pub origin: [f64; 2],
    /// Height at the origin, metres.
    pub height: f64,
    /// Rise per metre along x and z; 0 for a level floor.
    pub slope: [f64; 2],
    /// How high toe points stand above the ground when planted, metres: joints lie inside the foot.
    pub toe_clearance_m: f64,
}

impl Floor {
    /// Height of the ground at a place, metres.
    #[must_use]
    pub fn height_at(&self, x: f64, z: f64) -> f64 {
        self.height + self.slope[0] * (x - self.origin[0]) + self.slope[1] * (z - self.origin[1])
    }
}

/// One place where a toe stood.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Support {
    /// Mean place of the toe point, metres; y its median height.
    pub point: DVec3,
    /// How long it stood.
    pub seconds: f64,
    /// Which foot stood there: 0 the left, 1 the right.
    pub foot: usize,
}

/// Longest standing that counts, seconds: one long stance must not outvote a walk.
const MAX_WEIGHT_S: f64 = 0.5;
/// Steepest tilt taken for an error of the capture, rise per metre; CMU's worst is 0.027, ramps for
/// wheelchairs begin at 0.05.
const MAX_SLOPE: f64 = 0.04;
/// Supports this near the plane fit it, metres for a leg of 0.85 m; feet repeat within 1 to 2 cm.
const INLIER_M: f64 = 0.025;
/// Fraction of supports (by time) that must fit a tilted plane; stairs fit none.
const MIN_INLIERS: f64 = 0.8;
/// Rise over the whole extent that makes a tilt worth removing, metres: below, it is within the feet's own spread.
const MIN_RISE_M: f64 = 0.015;
/// Standard deviation of tilts expected before looking, rise per metre: holds the slope where supports crowd.
const PRIOR_SLOPE: f64 = 0.02;
/// Standard deviation of the height difference between the two toe points in their feet, metres.
const PRIOR_FEET_M: f64 = 0.01;
/// Toe points up to this above y = 0 stand on a floor that the file puts at 0, metres; CMU's are at 0.02 to 0.06.
const TRUSTED_M: [f64; 2] = [-0.01, 0.065];

/// The floor under these supports; `fallback_m` is the toe height to use when there are none.
///
/// The file's y = 0 is trusted as the ground when toes stand just above it; otherwise the ground lies
/// 2 cm under the toe points. A tilt is kept only when nearly all supports agree on one gentle plane. Heights of a capture with a factor of
/// `noise` agree less and tell less of a tilt.
#[must_use]
pub fn estimate_floor(supports: &[Support], fallback_m: f64, leg_m: f64, noise: f64) -> Floor {
    let scale = leg_m / REFERENCE_LEG_M;
    let weights: Vec<f64> = supports.iter().map(|s| s.seconds.min(MAX_WEIGHT_S)).collect();
    let total: f64 = weights.iter().sum();
    if supports.is_empty() || total <= 0.0 {
        return over_ground([0.0; 2], fallback_m, [0.0; 2], scale);
    }
    let centre = supports.iter().zip(&weights).map(|(s, &w)| s.point * w).sum::<DVec3>() / total;
    let origin = [centre.x, centre.z];
    let inlier_m = INLIER_M * scale * noise;
    let [a, b, c, feet] = fit_plane(supports, &weights, centre, inlier_m);
    let residual = |s: &Support| {
        s.point.y - (a + b * (s.point.x - centre.x) + c * (s.point.z - centre.z) + feet * side(s))
    };
    let inliers: f64 =
        supports.iter().zip(&weights).filter(|(s, _)| residual(s).abs() <= inlier_m).map(|(_, &w)| w).sum();
    let rises: Vec<f64> =
        supports.iter().map(|s| b * (s.point.x - centre.x) + c * (s.point.z - centre.z)).collect();
    let rise = quantile(&rises, 1.0).unwrap_or(0.0) - quantile(&rises, 0.0).unwrap_or(0.0);
    let tilted =
        b.hypot(c) <= MAX_SLOPE && inliers >= MIN_INLIERS * total && rise > MIN_RISE_M * scale * noise;
    if tilted {
        return over_ground(origin, a, [b, c], scale);
    }
    over_ground(origin, main_level(supports, &weights, inlier_m), [0.0; 2], scale)
}

/// Puts the ground at 0 or at the clearance under the toes' level.
fn over_ground(origin: [f64; 2], toe_level: f64, slope: [f64; 2], scale: f64) -> Floor {
    let trusted = (TRUSTED_M[0] * scale..=TRUSTED_M[1] * scale).contains(&toe_level);
    let height = if trusted { 0.0 } else { toe_level - SOLE_M * scale };
    Floor { origin, height, slope, toe_clearance_m: toe_level - height }
}

/// ½ for the left foot, −½ for the right.
fn side(support: &Support) -> f64 {
    if support.foot == 0 { 0.5 } else { -0.5 }
}

/// a, b, c, d of y = a + b·(x − x₀) + c·(z − z₀) ± d/2 by reweighted least squares with Tukey's biweight.
///
/// d is how much higher the left toe point lies in its foot than the right one: without it the two tracks of a
/// straight walk, a hand apart, would read a few millimetres of it as a tilt to the side. b, c and d are held by ridges.
fn fit_plane(supports: &[Support], weights: &[f64], centre: DVec3, inlier_m: f64) -> [f64; 4] {
    let heights: Vec<f64> = supports.iter().map(|s| s.point.y).collect();
    let mut plane = [median(&heights).unwrap_or(0.0), 0.0, 0.0, 0.0];
    // A plain least-squares start sees the tilt that a biweight about the median would cut off.
    for step in 0..20 {
        let mut normal = [[0.0; 5]; 4];
        for (s, &w) in supports.iter().zip(weights) {
            let row = [1.0, s.point.x - centre.x, s.point.z - centre.z, side(s)];
            let r = s.point.y - row.iter().zip(&plane).map(|(x, p)| x * p).sum::<f64>();
            let u = r / (2.0 * inlier_m);
            let robust = if step == 0 { 1.0 } else { (1.0 - u * u).max(0.0).powi(2) };
            for (i, equation) in normal.iter_mut().enumerate() {
                for j in 0..4 {
                    equation[j] += w * robust * row[i] * row[j];
                }
                equation[4] += w * robust * row[i] * s.point.y;
            }
        }
        // Ridges: the variance of one short stance's height, (inlier_m/2)² over 0.1 s, against that of each unknown.
        let noise = 0.1 * (0.5 * inlier_m).powi(2);
        normal[1][1] += noise / PRIOR_SLOPE.powi(2);
        normal[2][2] += noise / PRIOR_SLOPE.powi(2);
        normal[3][3] += noise / PRIOR_FEET_M.powi(2);
        let Some(next) = solve4(normal) else { break };
        plane = next;
    }
    plane
}

/// Solves four equations (coefficients, then the right side) by elimination; `None` when they are singular.
fn solve4(mut m: [[f64; 5]; 4]) -> Option<[f64; 4]> {
    for i in 0..4 {
        let pivot = (i..4).max_by(|&a, &b| m[a][i].abs().total_cmp(&m[b][i].abs()))?;
        m.swap(i, pivot);
        if m[i][i].abs() < 1e-12 {
            return None;
        }
        let above = m[i];
        for (_, row) in m.iter_mut().enumerate().filter(|(row, _)| *row != i) {
            let factor = row[i] / above[i];
            for (x, y) in row.iter_mut().zip(above).skip(i) {
                *x -= factor * y;
            }
        }
    }
    Some(std::array::from_fn(|i| m[i][4] / m[i][i]))
}

/// Mean height of the supports within `band` of the height that most standing time is near; lowest of equals.
fn main_level(supports: &[Support], weights: &[f64], band: f64) -> f64 {
    let near = |y: f64| {
        let (mut weight, mut sum) = (0.0, 0.0);
        for (s, &w) in supports.iter().zip(weights) {
            if (s.point.y - y).abs() <= band {
                weight += w;
                sum += w * s.point.y;
            }
        }
        (weight, sum / weight)
    };
    let mut best = (0.0, 0.0);
    for s in supports {
        let (weight, level) = near(s.point.y);
        if weight > best.0 + 1e-9 || (weight > best.0 - 1e-9 && level < best.1) {
            best = (weight, level);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn supports(height: impl Fn(f64, f64) -> f64) -> Vec<Support> {
        (0..14)
            .map(|i| {
                let (x, z) = (if i % 2 == 0 { 0.1 } else { -0.1 }, f64::from(i) * 0.35);
                Support { point: DVec3::new(x, height(x, z), z), seconds: 0.6, foot: i as usize % 2 }
            })
            .collect()
    }

    proptest! {
        #[test]
        fn a_gentle_tilt_is_recovered(slope in 0.008..0.035_f64, height in -0.2..0.2_f64) {
            let floor = estimate_floor(&supports(|_, z| height + slope * (z - 2.275)), 0.0, 0.85, 1.0);
            // The ridge pulls by about the prior's weight: under 3 % with supports over 4.5 m.
            prop_assert!((floor.slope[1] / slope - 1.0).abs() < 0.03, "{floor:?}");
            prop_assert!((floor.height + floor.toe_clearance_m - height).abs() < 1e-6);
        }

        #[test]
        fn one_wild_support_changes_little(at in 0usize..14, off in 0.1..0.5_f64) {
            let mut with = supports(|_, z| 0.03 + 0.02 * z);
            with[at].point.y += off;
            let floor = estimate_floor(&with, 0.0, 0.85, 1.0);
            prop_assert!((floor.slope[1] - 0.02).abs() < 0.002, "{floor:?}");
        }
    }

    #[test]
    fn feet_of_different_height_are_no_tilt() {
        let floor = estimate_floor(&supports(|x, _| if x > 0.0 { 0.045 } else { 0.035 }), 0.0, 0.85, 1.0);
        assert_eq!(floor.slope, [0.0; 2], "{floor:?}");
        let floor =
            estimate_floor(&supports(|x, z| 0.02 * z + if x > 0.0 { 0.01 } else { 0.0 }), 0.0, 0.85, 1.0);
        // The priors divide 10 mm over 0.2 m out as (0.2·0.02)² to 0.01²: 14 % of it, 0.007, goes to the slope.
        assert!((floor.slope[1] - 0.02).abs() < 1e-3 && floor.slope[0].abs() < 0.008, "{floor:?}");
    }

    #[test]
    fn stairs_and_ramps_are_kept_and_their_main_level_is_the_floor() {
        let stairs = supports(|_, z| 0.03 + 0.17 * (z / 0.7).floor());
        let ramp = supports(|_, z| 0.03 + 0.1 * z);
        for list in [stairs, ramp] {
            assert_eq!(estimate_floor(&list, 0.0, 0.85, 1.0).slope, [0.0; 2]);
        }
        let ledge = supports(|_, z| if z < 1.0 { 0.25 } else { 0.04 });
        let floor = estimate_floor(&ledge, 0.0, 0.85, 1.0);
        assert!((floor.toe_clearance_m - 0.04).abs() < 1e-9 && floor.height == 0.0, "{floor:?}");
    }

    #[test]
    fn a_floor_far_from_zero_lies_under_the_toes() {
        let floor = estimate_floor(&supports(|_, _| -0.9), 0.0, 0.85, 1.0);
        assert!((floor.height + 0.92).abs() < 1e-9, "{floor:?}");
        let none = estimate_floor(&[], 0.5, 0.85, 1.0);
        assert!((none.height_at(3.0, 4.0) - 0.48).abs() < 1e-9);
    }
}
