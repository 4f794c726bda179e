//! The weighted intrinsic mean of rotations.
//!
//! The mean `m` minimises Σ wᵢ·angle(m, qᵢ)²: the point at which Σ wᵢ·log(m⁻¹qᵢ) = 0 \[karcher1977\].
//! Starting from the sign-aligned weighted sum of quaternions, `m ← m·exp(Σ wᵢ log(m⁻¹qᵢ))`
//! converges in a few steps whenever the rotations lie in one ball of radius below π/2.

use glam::{DQuat, DVec3, Quat};

use super::{exp64, log64};

/// Step length at which the iteration ends, radians: a few f64 units in the last place.
const CONVERGED_RAD: f64 = 1e-14;
/// More steps than any set inside a half-π ball needs; wider sets may still be moving and are refused.
const MAX_STEPS: usize = 64;

/// Why rotations have no mean.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeanError {
    /// Nothing to average.
    #[error("no rotations to average")]
    Empty,
    /// One weight per rotation is needed.
    #[error("{rotations} rotations but {weights} weights")]
    LengthMismatch {
        /// How many rotations were given.
        rotations: usize,
        /// How many weights were given.
        weights: usize,
    },
    /// The weights must be finite and their sum must not be zero.
    #[error("the weights sum to {sum}, which cannot be brought to 1")]
    WeightSum {
        /// Σ wᵢ as found.
        sum: f64,
    },
    /// The rotations are too far apart: several means are equally good.
    #[error("the rotations lie too far apart to have one mean (still moving {step_rad:.1e} rad)")]
    Ambiguous {
        /// Length of the last step.
        step_rad: f64,
    },
}

/// Weighted intrinsic mean of unit quaternions; weights are brought to sum 1, signs do not matter.
///
/// # Errors
/// Says why there is no mean: nothing given, lengths differ, weights that sum to zero, or rotations
/// spread over more than half a turn without a clear centre.
pub fn mean64(rotations: &[DQuat], weights: &[f64]) -> Result<DQuat, MeanError> {
    if rotations.is_empty() {
        return Err(MeanError::Empty);
    }
    if rotations.len() != weights.len() {
        return Err(MeanError::LengthMismatch { rotations: rotations.len(), weights: weights.len() });
    }
    let sum: f64 = weights.iter().sum();
    if !sum.is_finite() || sum.abs() < 1e-12 {
        return Err(MeanError::WeightSum { sum });
    }
    let mut m = start(rotations, weights);
    let mut step_rad = 0.0;
    for _ in 0..MAX_STEPS {
        let mut step = DVec3::ZERO;
        for (&q, &w) in rotations.iter().zip(weights) {
            step += log64(m.conjugate() * q) * (w / sum);
        }
        m = (m * exp64(step)).normalize();
        let last = step_rad;
        step_rad = step.length();
        // Rounding can hold the step a hair above the bound; no longer shrinking is as good.
        if step_rad < CONVERGED_RAD || (step_rad < 1e-12 && step_rad >= last) {
            return Ok(m);
        }
    }
    Err(MeanError::Ambiguous { step_rad })
}

/// [`mean64`] for single precision.
///
/// # Errors
/// As [`mean64`].
pub fn mean(rotations: &[Quat], weights: &[f32]) -> Result<Quat, MeanError> {
    let rotations: Vec<DQuat> = rotations.iter().map(|q| q.as_dquat()).collect();
    let weights: Vec<f64> = weights.iter().map(|&w| f64::from(w)).collect();
    mean64(&rotations, &weights).map(glam::DQuat::as_quat)
}

/// Sign-aligned weighted sum, or the heaviest rotation when the sum vanishes.
fn start(rotations: &[DQuat], weights: &[f64]) -> DQuat {
    let heaviest = (0..weights.len())
        .max_by(|&a, &b| weights[a].total_cmp(&weights[b]))
        .map_or(rotations[0], |i| rotations[i]);
    let mut sum = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    for (&q, &w) in rotations.iter().zip(weights) {
        sum += if q.dot(heaviest) < 0.0 { -q } else { q } * w;
    }
    if sum.length() > 1e-6 { sum.normalize() } else { heaviest }
}

#[cfg(test)]
mod tests {
    use super::super::angle_between64;
    use super::*;
    use proptest::prelude::*;

    fn close_rotations() -> impl Strategy<Value = (Vec<DQuat>, Vec<f64>)> {
        let vector = prop::array::uniform3(-0.7..0.7_f64).prop_map(DVec3::from_array);
        prop::collection::vec((vector, 0.05..1.0_f64), 1..12)
            .prop_map(|list| list.into_iter().map(|(v, w)| (exp64(v), w)).unzip())
    }
    fn any_rotation() -> impl Strategy<Value = DQuat> {
        prop::array::uniform3(-1.8..1.8_f64).prop_map(|v| exp64(DVec3::from_array(v)))
    }

    proptest! {
        #[test]
        fn the_mean_moves_with_its_rotations((qs, ws) in close_rotations(), a in any_rotation(), b in any_rotation()) {
            let m = mean64(&qs, &ws).unwrap();
            let moved: Vec<_> = qs.iter().map(|&q| a * q * b).collect();
            prop_assert!(angle_between64(mean64(&moved, &ws).unwrap(), a * m * b) < 1e-10);
        }

        #[test]
        fn signs_do_not_matter((qs, ws) in close_rotations()) {
            let flipped: Vec<_> = qs.iter().enumerate().map(|(i, &q)| if i % 2 == 0 { -q } else { q }).collect();
            prop_assert!(angle_between64(mean64(&qs, &ws).unwrap(), mean64(&flipped, &ws).unwrap()) < 1e-12);
        }

        #[test]
        fn the_weighted_logs_at_the_mean_cancel((qs, ws) in close_rotations()) {
            let m = mean64(&qs, &ws).unwrap();
            let rest: DVec3 = qs.iter().zip(&ws).map(|(&q, &w)| log64(m.conjugate() * q) * w).sum();
            prop_assert!(rest.length() < 1e-11);
        }

        #[test]
        fn the_mean_of_two_is_their_slerp(a in any_rotation(), v in prop::array::uniform3(-1.5..1.5_f64), t in 0.01..0.99_f64) {
            let v = DVec3::from_array(v);
            let m = mean64(&[a, a * exp64(v)], &[1.0 - t, t]).unwrap();
            prop_assert!(angle_between64(m, a * exp64(v * t)) < 1e-10);
        }
    }

    #[test]
    fn bad_input_is_refused_with_its_reason() {
        let q = DQuat::IDENTITY;
        assert_eq!(mean64(&[], &[]), Err(MeanError::Empty));
        assert_eq!(mean64(&[q], &[1.0, 2.0]), Err(MeanError::LengthMismatch { rotations: 1, weights: 2 }));
        assert_eq!(mean64(&[q, q], &[1.0, -1.0]), Err(MeanError::WeightSum { sum: 0.0 }));
    }
}
