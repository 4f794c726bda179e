//! One weighted combination of rotations, in f64, by every method: the reference for the fast code, and
//! what runs where windows are cut short.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::unrolled::Unrolled;
use crate::math::{exp64, log64};

/// How rotations are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Mean along the unwrapped curve: a turn of more than 360° inside a window is averaged as motion.
    #[default]
    Path,
    /// Intrinsic mean of each window on its own, the lowest of several minima.
    Exact,
    /// One step of the mean from the centre sample.
    Expmap,
    /// The published algorithm: one step from the first sample of the window.
    Article,
    /// Normalised weighted sum of quaternions, signs corrected.
    Qlerp,
    /// Weights on successive differences \[lee2001\].
    Leeshin,
    /// Normalised weighted sum without sign correction: shows why signs matter.
    QlerpRaw,
    /// Weighted sum of logarithms about the identity: shows why the reference matters.
    LogRaw,
}

/// Iterations after which an intrinsic mean is given up.
const MAX_STEPS: usize = 32;
/// Step, radians, at which it has converged.
const CONVERGED_RAD: f64 = 1e-12;

/// `q` or `−q` with w ≥ 0, as a converter from matrices gives it.
fn canonical(q: DQuat) -> DQuat {
    if q.w < 0.0 { -q } else { q }
}

/// Combines unit `samples` with `weights` of sum 1; `samples[centre]` is the reference, where `exact` starts. The second result
/// says whether an exact mean did not converge and the one step was taken instead.
pub fn combine(method: Method, samples: &[DQuat], weights: &[f64], centre: usize) -> (DQuat, bool) {
    let reference = samples[centre];
    let q = match method {
        Method::Path => Unrolled::new(samples.iter().copied()).mean(0..samples.len(), weights, centre).mean,
        Method::Article => samples[0] * exp64(step(samples, weights, samples[0])),
        Method::Exact => match exact(samples, weights, reference) {
            Some(mean) => mean,
            None => return (reference * exp64(step(samples, weights, reference)), true),
        },
        Method::Expmap => reference * exp64(step(samples, weights, reference)),
        Method::Qlerp => {
            weighted_sum(samples, weights, |q| if q.dot(reference) < 0.0 { -q } else { q }, reference)
        }
        Method::Leeshin => lee_shin(samples, weights, centre),
        Method::QlerpRaw => weighted_sum(samples, weights, canonical, reference),
        Method::LogRaw => {
            let sum: DVec3 = samples.iter().zip(weights).map(|(&q, &h)| log64(canonical(q)) * h).sum();
            exp64(sum)
        }
    };
    (q.normalize(), false)
}

/// Σ hₖ·log(m⁻¹qₖ).
fn step(samples: &[DQuat], weights: &[f64], m: DQuat) -> DVec3 {
    samples.iter().zip(weights).map(|(&q, &h)| log64(m.conjugate() * q) * h).sum()
}

fn exact(samples: &[DQuat], weights: &[f64], start: DQuat) -> Option<DQuat> {
    let mut m = start;
    for _ in 0..MAX_STEPS {
        let v = step(samples, weights, m);
        m = (m * exp64(v)).normalize();
        if v.length() < CONVERGED_RAD {
            return Some(m);
        }
    }
    // Rounding can keep the last digits moving; what stands to a millionth of a radian is a mean.
    (step(samples, weights, m).length() < 1e-6).then_some(m)
}

fn weighted_sum(samples: &[DQuat], weights: &[f64], sign: impl Fn(DQuat) -> DQuat, fallback: DQuat) -> DQuat {
    let mut sum = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    for (&q, &h) in samples.iter().zip(weights) {
        sum += sign(q) * h;
    }
    // A sum shorter than a tenth has no direction worth keeping.
    if sum.length() > 0.1 { sum } else { fallback }
}

/// q₀·exp(Σ bₘ ωₘ) with ωₘ = log(qₘ⁻¹qₘ₊₁).
fn lee_shin(samples: &[DQuat], weights: &[f64], centre: usize) -> DQuat {
    let coefficients = lee_shin_coefficients(weights, centre);
    let steps = samples.windows(2).map(|pair| log64(pair[0].conjugate() * pair[1]));
    let v: DVec3 = steps.zip(coefficients).map(|(step, b)| step * b).sum();
    samples[centre] * exp64(v)
}

/// Weights bₘ of successive differences: for vectors Σ hₖ(pₖ − p₀) = Σ bₘ(pₘ₊₁ − pₘ), which gives
/// bₘ = Σ_{k>m} hₖ after the centre and −Σ_{k≤m} hₖ before it.
fn lee_shin_coefficients(weights: &[f64], centre: usize) -> Vec<f64> {
    let mut coefficients = vec![0.0; weights.len() - 1];
    let mut tail = 0.0;
    for m in (centre..weights.len() - 1).rev() {
        tail += weights[m + 1];
        coefficients[m] = tail;
    }
    let mut head = 0.0;
    for m in 0..centre {
        head += weights[m];
        coefficients[m] = -head;
    }
    coefficients
}

/// A whole track by the same rule; `samples` has `weights.len() / 2` frames more on either side. Each
/// difference is taken once, not once per window.
pub(super) fn lee_shin_track(samples: &[DQuat], weights: &[f64]) -> Vec<DQuat> {
    let reach = weights.len() / 2;
    let coefficients = lee_shin_coefficients(weights, reach);
    let steps: Vec<DVec3> = samples.windows(2).map(|pair| log64(pair[0].conjugate() * pair[1])).collect();
    (reach..samples.len() - reach)
        .map(|frame| {
            let window = &steps[frame - reach..frame + reach];
            let v: DVec3 = window.iter().zip(&coefficients).map(|(&step, &b)| step * b).sum();
            (samples[frame] * exp64(v)).normalize()
        })
        .collect()
}
