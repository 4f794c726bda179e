//! Speeds of groups: smoothed paths, then central differences.

use glam::{DVec3, Vec3};

use super::{BodyPoints, Group};

/// Distance from the trunk's axis to a shoulder, metres: how far turning round moves a body's side.
const TURNING_RADIUS: f64 = 0.2;

/// Smoothed path of a group, seen from the hips; for travel the hips over the ground.
pub(super) fn path(points: &BodyPoints, group: &Group, fps: f64, smooth_s: f64) -> Vec<DVec3> {
    let raw: Vec<DVec3> = (0..points.num_frames())
        .map(|frame| {
            let p = match group.points.is_empty() {
                true => points.hips[frame] * Vec3::new(1.0, 0.0, 1.0),
                false => group.middle(points.frame(frame)),
            };
            p.as_dvec3()
        })
        .collect();
    moving_average(&raw, half_width(fps, smooth_s))
}

/// Speed of a group in every frame, metres per second. Travel adds what turning round moves a shoulder.
pub(super) fn speeds(points: &BodyPoints, group: &Group, fps: f64, smooth_s: f64) -> Vec<f64> {
    let way = rates(&path(points, group, fps, smooth_s), fps);
    if !group.points.is_empty() {
        return way;
    }
    let turned: Vec<DVec3> =
        points.headings.iter().map(|&a| DVec3::new(f64::from(a) * TURNING_RADIUS, 0.0, 0.0)).collect();
    let turns = rates(&moving_average(&turned, half_width(fps, smooth_s)), fps);
    way.iter().zip(&turns).map(|(a, b)| a.hypot(*b)).collect()
}

fn half_width(fps: f64, smooth_s: f64) -> usize {
    (0.5 * smooth_s * fps).round() as usize
}

/// Mean of each sample and its neighbours up to `half` away; near an end, of as many as there are on both sides, so
/// that a straight path stays where it is.
fn moving_average(path: &[DVec3], half: usize) -> Vec<DVec3> {
    let n = path.len();
    let mut sums = Vec::with_capacity(n + 1);
    let origin = path.first().copied().unwrap_or(DVec3::ZERO);
    let mut sum = DVec3::ZERO;
    sums.push(sum);
    for p in path {
        sum += *p - origin;
        sums.push(sum);
    }
    (0..n)
        .map(|i| {
            let reach = half.min(i).min(n - 1 - i);
            origin + (sums[i + reach + 1] - sums[i - reach]) / (2 * reach + 1) as f64
        })
        .collect()
}

/// Lengths of central differences, per second; one-sided at the ends.
fn rates(path: &[DVec3], fps: f64) -> Vec<f64> {
    let last = path.len().saturating_sub(1);
    (0..path.len())
        .map(|i| {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(last));
            path[b].distance(path[a]) * fps / (b - a).max(1) as f64
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_steady_path_keeps_its_place_and_speed(half in 0_usize..9, n in 3_usize..40, v in -3.0..3.0_f64) {
            let path: Vec<DVec3> = (0..n).map(|i| DVec3::new(v * i as f64, 1.0, -2.0)).collect();
            let smooth = moving_average(&path, half);
            for (a, b) in path.iter().zip(&smooth) {
                prop_assert!(a.distance(*b) < 1e-9);
            }
            for speed in rates(&smooth, 30.0) {
                prop_assert!((speed - v.abs() * 30.0).abs() < 1e-6);
            }
        }
    }
}
