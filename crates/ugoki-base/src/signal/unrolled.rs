//! The unwrapped curve of one joint: its rotations laid out in flat space by rolling without slipping [jupp1987].
//!
//! With ωᵢ the turn from sample i to the next and Tᵢ = exp(ω₀/2)·…·exp(ωᵢ₋₁/2) the parallel transport along the curve,
//!
//! ```text
//! Cᵢ₊₁ = Cᵢ + Tᵢ·ωᵢ           L = q_c·exp(T_c⁻¹·Σ hₖ·(Cₖ − C_c))
//! ```
//!
//! C never wraps: a turn of 1000° is 1000° long. `L`, the mean along it, turns no faster than the curve (to third order in the
//! spread of the window) and is exact for turning about one axis. The intrinsic mean is followed as far as it is unique on the
//! unit quaternions: within 90° it is used alone, towards 180° it passes into `L`.

use std::f64::consts::{PI, TAU};
use std::ops::Range;

use glam::{DQuat, DVec3};

use crate::math::{exp64, log64};

/// A step longer than this, radians (170°), may as well have gone the other way round.
pub(super) const OPEN_STEP_RAD: f64 = 2.967;
/// Distance of a window from its mean, radians, up to which the intrinsic mean is used alone: 90°, where it is unique.
const NEAR_RAD: f64 = 0.5 * PI;
/// Distance from which on the mean along the curve is used alone: 180°, up to which the mean of quaternions is unique.
const FAR_RAD: f64 = PI;
/// Most iterations of a mean; a window near 180° converges slowly.
const MAX_STEPS: usize = 100;
/// Step, radians, at which a mean has converged.
const CONVERGED_RAD: f64 = 1e-11;

/// One joint's rotations with their unwrapped curve.
#[derive(Debug, Clone)]
pub(super) struct Unrolled {
    /// Samples, signs continuous along the turns that were chosen.
    samples: Vec<DQuat>,
    /// Tᵢ.
    transport: Vec<DQuat>,
    /// Cᵢ, radians.
    curve: Vec<DVec3>,
    /// Steps that may have gone either way round.
    open: Vec<usize>,
    /// Of these, the steps that are taken the longer way.
    long: Vec<usize>,
}

/// The mean of a window along the unwrapped curve.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathMean {
    /// The mean.
    pub mean: DQuat,
    /// Whether the window turns so far that the mean of its rotations alone would not be unique.
    pub ambiguous: bool,
}

impl Unrolled {
    /// Unwraps unit `samples`. Where a step is nearly half a turn, the ways round are chosen together for the smoothest curve.
    pub(super) fn new(samples: impl Iterator<Item = DQuat>) -> Self {
        let mut samples: Vec<DQuat> = samples.collect();
        let mut steps: Vec<DVec3> =
            samples.windows(2).map(|pair| log64(pair[0].conjugate() * pair[1])).collect();
        let open: Vec<usize> = (0..steps.len()).filter(|&i| steps[i].length() > OPEN_STEP_RAD).collect();
        let long = longer_ways(&steps, &open);
        for &step in &long {
            steps[step] = other_way(steps[step]);
        }
        let (mut transport, mut curve) = (vec![DQuat::IDENTITY], vec![DVec3::ZERO]);
        for (i, &step) in steps.iter().enumerate() {
            curve.push(curve[i] + transport[i] * step);
            transport.push((transport[i] * exp64(0.5 * step)).normalize());
            // exp keeps the sign: of the longer way round it is the other quaternion.
            let next = samples[i] * exp64(step);
            if next.dot(samples[i + 1]) < 0.0 {
                samples[i + 1] = -samples[i + 1];
            }
        }
        Self { samples, transport, curve, open, long }
    }

    /// The curve, radians.
    pub(super) fn curve(&self) -> &[DVec3] {
        &self.curve
    }

    /// Whether a step inside `window` (samples) is taken the longer way round.
    pub(super) fn takes_longer_way(&self, window: &Range<usize>) -> bool {
        self.long.iter().any(|&step| step >= window.start && step + 1 < window.end)
    }

    /// The mean of the samples `window` with `weights` of sum 1; `centre` is where its frame stands.
    pub(super) fn mean(&self, window: Range<usize>, weights: &[f64], centre: usize) -> PathMean {
        let pairs = || window.clone().zip(weights).filter(|&(_, &h)| h != 0.0);
        let along: DVec3 = pairs().map(|(k, &h)| (self.curve[k] - self.curve[centre]) * h).sum();
        let along = self.samples[centre] * exp64(self.transport[centre].conjugate() * along);
        let open = self.open.iter().any(|&step| step >= window.start && step + 1 < window.end);
        let Some(mean) = self.intrinsic(along, pairs) else {
            return PathMean { mean: along, ambiguous: true };
        };
        let reach =
            pairs().map(|(k, _)| long_log(mean.conjugate() * self.samples[k]).length()).fold(0.0, f64::max);
        let t = ((reach - NEAR_RAD) / (FAR_RAD - NEAR_RAD)).clamp(0.0, 1.0);
        let part = t * t * (3.0 - 2.0 * t);
        let mean = (mean * exp64(log64(mean.conjugate() * along) * part)).normalize();
        PathMean { mean, ambiguous: open || reach >= FAR_RAD }
    }

    /// The intrinsic mean of the quaternions, on whose sphere 360° apart is farthest.
    fn intrinsic<'a, I: Iterator<Item = (usize, &'a f64)>>(
        &self,
        start: DQuat,
        pairs: impl Fn() -> I,
    ) -> Option<DQuat> {
        let mut m = start;
        for _ in 0..MAX_STEPS {
            let step: DVec3 = pairs().map(|(k, &h)| long_log(m.conjugate() * self.samples[k]) * h).sum();
            if step.is_nan() || step.length() >= TAU {
                return None;
            }
            m = (m * exp64(step)).normalize();
            if step.length() < CONVERGED_RAD {
                return Some(m);
            }
        }
        let step: DVec3 = pairs().map(|(k, &h)| long_log(m.conjugate() * self.samples[k]) * h).sum();
        // 0.001° is as good where a window ends near 180°.
        (step.length() < 1e-6).then_some(m)
    }
}

/// Rotation vector of a quaternion of either sign, length 0 to 2π.
fn long_log(q: DQuat) -> DVec3 {
    let v = DVec3::new(q.x, q.y, q.z);
    let sine = v.length();
    if sine < 1e-9 {
        // Opposite quaternions lie a whole turn apart in every direction: any is as good.
        return if q.w < 0.0 { DVec3::X * TAU } else { v * 2.0 };
    }
    v * (2.0 * sine.atan2(q.w) / sine)
}

/// The same turn the other way round.
fn other_way(step: DVec3) -> DVec3 {
    step * ((step.length() - TAU) / step.length())
}

/// Which of the `open` steps are taken the longer way, by dynamic programming over all of them.
///
/// A step should agree with the pace of the nearest steps that are sure, and two open steps one after the other with twice that
/// pace: out and back where the joint is slow, onwards where it spins.
fn longer_ways(steps: &[DVec3], open: &[usize]) -> Vec<usize> {
    if open.is_empty() {
        return Vec::new();
    }
    let sure = |i: &usize| steps[*i].length() <= OPEN_STEP_RAD;
    let pace = |at: usize| -> DVec3 {
        let before = (0..at).rev().take(open.len() + 1).find(sure).map(|i| steps[i]);
        let after = (at + 1..steps.len()).take(open.len() + 1).find(sure).map(|i| steps[i]);
        match (before, after) {
            (Some(a), Some(b)) => 0.5 * (a + b),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => DVec3::ZERO,
        }
    };
    let ways = |at: usize| [steps[at], other_way(steps[at])];
    let own = |at: usize| ways(at).map(|way| (way - pace(at)).length_squared());
    let mut costs = own(open[0]);
    let mut from: Vec<[usize; 2]> = Vec::new();
    for pair in open.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        // Frames turn along the steps between; the open steps themselves turn about their own axis.
        let between =
            steps[a + 1..b].iter().fold(DQuat::IDENTITY, |t, &step| (t * exp64(0.5 * step)).normalize());
        let (first, second, alone, twice) = (ways(a), ways(b), own(b), pace(a) + pace(b));
        let mut next = [0.0; 2];
        let mut best = [0; 2];
        for way in 0..2 {
            let total =
                |last: usize| costs[last] + (first[last] + between * second[way] - twice).length_squared();
            best[way] = usize::from(total(1) < total(0));
            next[way] = alone[way] + total(best[way]);
        }
        costs = next;
        from.push(best);
    }
    let mut way = usize::from(costs[1] < costs[0]);
    let mut long = Vec::new();
    for (index, &at) in open.iter().enumerate().rev() {
        if way == 1 {
            long.push(at);
        }
        if index > 0 {
            way = from[index - 1][way];
        }
    }
    long.reverse();
    long
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Random, angle_between64};

    fn spin(degrees: impl Iterator<Item = f64>) -> Unrolled {
        let axis = DVec3::new(0.48, 0.6, 0.64);
        Unrolled::new(degrees.map(|d| exp64(axis * d.to_radians())))
    }

    #[test]
    fn a_spin_of_many_turns_is_averaged_as_motion() {
        // Faster and faster, up to 100° per sample; the mean angle of the window is known in closed form.
        let angle = |i: usize| 0.5 * (i * i) as f64;
        let unrolled = spin((0..100).map(angle));
        let wanted = (30..81).map(angle).sum::<f64>() / 51.0;
        let found = unrolled.mean(30..81, &[1.0 / 51.0; 51], 55);
        let wanted = exp64(DVec3::new(0.48, 0.6, 0.64) * wanted.to_radians());
        assert!(angle_between64(found.mean, wanted) < 1e-9);
        assert!(found.ambiguous);
    }

    #[test]
    fn a_turn_over_and_back_of_nearly_half_a_turn_is_no_whole_turn() {
        // 178° out and 177° on in the same sense: read as out and back where the joint stands still.
        let angles = [0.0, 0.0, 0.0, 178.0, 178.0, 355.0, 355.0, 355.0];
        let unrolled = spin(angles.into_iter());
        assert_eq!(unrolled.open, [2, 4]);
        let away = (unrolled.curve[7] - unrolled.curve[0]).length().to_degrees();
        assert!(away < 5.1, "{away}°");
        // Amid a spin of 165° per sample the same steps go on.
        let unrolled = spin([0.0, 165.0, 330.0, 508.0, 673.0, 850.0, 1015.0].into_iter());
        let away = (unrolled.curve[6] - unrolled.curve[0]).length().to_degrees();
        assert!((away - 1015.0).abs() < 1e-6, "{away}°");
    }

    #[test]
    fn the_mean_does_not_jump_where_it_passes_from_one_to_the_other() {
        // Swings of 100° to 170° to either side about changing axes: windows cross 90° and 180° all the time.
        let mut random = Random::new(5);
        let mut q = DQuat::IDENTITY;
        let mut speed = DVec3::ZERO;
        let samples: Vec<DQuat> = (0..3000)
            .map(|_| {
                speed = 0.98 * speed + 0.02 * DVec3::from_array(std::array::from_fn(|_| random.normal()));
                q = (q * exp64(speed)).normalize();
                q
            })
            .collect();
        let fastest = samples.windows(2).map(|p| angle_between64(p[0], p[1])).fold(0.0, f64::max);
        let unrolled = Unrolled::new(samples.iter().copied());
        let means: Vec<DQuat> =
            (25..2975).map(|c| unrolled.mean(c - 25..c + 26, &[1.0 / 51.0; 51], c).mean).collect();
        let speeds: Vec<f64> = means.windows(2).map(|p| angle_between64(p[0], p[1])).collect();
        let worst = speeds.iter().fold(0.0_f64, |a, &b| a.max(b));
        assert!(worst < fastest, "{worst} {fastest}");
    }
}
