//! Smooth curves over what is needed.

use glam::DVec3;

/// Mean over ±`half` frames weighted by a raised cosine; frames beyond the ends repeat the end.
pub(super) fn smoothed(curve: &[DVec3], half: usize) -> Vec<DVec3> {
    let weights: Vec<f64> =
        (0..=half).map(|i| 0.5 + 0.5 * (std::f64::consts::PI * i as f64 / (half + 1) as f64).cos()).collect();
    let total = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
    let last = curve.len().saturating_sub(1);
    (0..curve.len())
        .map(|frame| {
            let mut sum = curve[frame] * weights[0];
            for (i, &w) in weights.iter().enumerate().skip(1) {
                sum += (curve[frame.saturating_sub(i)] + curve[(frame + i).min(last)]) * w;
            }
            sum / total
        })
        .collect()
}

/// A smooth curve nowhere below `needed`: its running maximum over ±`half` frames, then `smoothed` as widely.
pub fn smooth_above(needed: &[f64], half: usize) -> Vec<f64> {
    let last = needed.len().saturating_sub(1);
    let highest: Vec<DVec3> = (0..needed.len())
        .map(|frame| {
            let window = &needed[frame.saturating_sub(half)..=(frame + half).min(last)];
            DVec3::Y * window.iter().fold(0.0, |a: f64, &b| a.max(b))
        })
        .collect();
    smoothed(&highest, half).iter().map(|v| v.y).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Nowhere below what is needed, nowhere above its largest value, and nothing far from where something is needed.
        #[test]
        fn a_curve_above_is_just_above(needed in prop::collection::vec(0.0..1.0_f64, 1..60), half in 1usize..8) {
            let above = smooth_above(&needed, half);
            let most = needed.iter().copied().fold(0.0, f64::max);
            prop_assert!(above.iter().zip(&needed).all(|(a, n)| *a >= n - 1e-12 && *a <= most + 1e-12));
        }
    }
}
