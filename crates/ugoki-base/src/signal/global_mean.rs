//! The intrinsic mean of a wide window: the lowest of several minima.
//!
//! Rotations farther than 90° from their mean may have several means, each a local minimum of Σ hₖ·angle(m, qₖ)². All are
//! looked for from many starts; the lowest is the mean, and one nearly as low makes it ambiguous.

use std::f64::consts::FRAC_1_SQRT_2;

use glam::{DQuat, DVec3};

use crate::math::{angle_between64, exp64, log64};

/// Samples of the window taken as starts.
const SAMPLE_STARTS: usize = 64;
/// A start nearer than this to one already taken is left out, radians: 11°.
const APART_RAD: f64 = 0.2;
/// Most iterations of one descent: valleys of wide windows are flat.
const MAX_STEPS: usize = 300;
/// Step, radians, at which a descent has converged.
const CONVERGED_RAD: f64 = 1e-9;
/// Means nearer than this are the same, radians: 1°.
const SAME_RAD: f64 = 0.017;
/// Another minimum up to this many times as high as the lowest makes the mean ambiguous.
const COMPETES: f64 = 1.1;

/// The lowest minimum.
#[derive(Debug, Clone, Copy)]
pub(super) struct GlobalMean {
    /// The mean.
    pub mean: DQuat,
    /// Whether another minimum is nearly as low.
    pub ambiguous: bool,
}

/// The mean of `samples` with `weights` of sum 1, the `near` ones being starts too; nothing when no descent converges.
pub(super) fn global_mean(samples: &[DQuat], weights: &[f64], near: &[DQuat]) -> Option<GlobalMean> {
    let stride = samples.len().div_ceil(SAMPLE_STARTS);
    let around =
        near.iter().take(1).flat_map(|&near| cube_rotations().map(move |turn| (near * turn).normalize()));
    let starts = near.iter().copied().chain(samples.iter().copied().step_by(stride)).chain(around);
    let minima = mean_minima(samples, weights, starts);
    let &(lowest, mean) = minima.first()?;
    let ambiguous = minima.get(1).is_some_and(|&(next, _)| next <= COMPETES * lowest);
    Some(GlobalMean { mean, ambiguous })
}

/// The local minima of the mean squared distance Σ hₖ·angle(m, qₖ)² that descents from `starts` end in, each with its
/// distance (rad²), the lowest first. `weights` have the sum 1.
pub fn mean_minima(
    samples: &[DQuat],
    weights: &[f64],
    starts: impl Iterator<Item = DQuat>,
) -> Vec<(f64, DQuat)> {
    let cost = |m: DQuat| -> f64 {
        samples.iter().zip(weights).map(|(&q, &h)| h * angle_between64(m, q).powi(2)).sum()
    };
    let mut starts: Vec<(f64, DQuat)> = starts.map(|start| (cost(start), start)).collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut minima: Vec<(f64, DQuat)> = Vec::new();
    let mut taken: Vec<DQuat> = Vec::new();
    for &(_, start) in &starts {
        if taken.iter().any(|&other| angle_between64(start, other) < APART_RAD) {
            continue;
        }
        taken.push(start);
        let Some(mean) = descend(samples, weights, start) else { continue };
        if minima.iter().all(|&(_, other)| angle_between64(mean, other) > SAME_RAD) {
            minima.push((cost(mean), mean));
        }
    }
    minima.sort_by(|a, b| a.0.total_cmp(&b.0));
    minima
}

/// The minimum of the valley that `start` lies in, if that is lower than `mean`.
pub(super) fn lower_mean(samples: &[DQuat], weights: &[f64], mean: DQuat, start: DQuat) -> Option<DQuat> {
    let cost = |m: DQuat| -> f64 {
        samples.iter().zip(weights).map(|(&q, &h)| h * angle_between64(m, q).powi(2)).sum()
    };
    // A start so near leads to the same minimum.
    if angle_between64(mean, start) < APART_RAD {
        return None;
    }
    descend(samples, weights, start).filter(|&other| cost(other) < cost(mean) - 1e-9)
}

fn descend(samples: &[DQuat], weights: &[f64], start: DQuat) -> Option<DQuat> {
    let mut m = start;
    for _ in 0..MAX_STEPS {
        let step: DVec3 = samples.iter().zip(weights).map(|(&q, &h)| log64(m.conjugate() * q) * h).sum();
        m = (m * exp64(step)).normalize();
        if step.length() < CONVERGED_RAD {
            return Some(m);
        }
    }
    None
}

/// The 24 rotations of a cube: no rotation is farther than 63° from all of them.
fn cube_rotations() -> impl Iterator<Item = DQuat> {
    let q = |x: f64, y: f64, z: f64, w: f64| DQuat::from_xyzw(x, y, z, w);
    let (r, h) = (FRAC_1_SQRT_2, 0.5);
    let whole = [q(0.0, 0.0, 0.0, 1.0), q(1.0, 0.0, 0.0, 0.0), q(0.0, 1.0, 0.0, 0.0), q(0.0, 0.0, 1.0, 0.0)];
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].into_iter().flat_map(move |(a, b)| {
        [r, -r].map(|second| {
            let mut c = [0.0; 4];
            (c[a], c[b]) = (r, second);
            DQuat::from_array(c)
        })
    });
    let halves = (0..8).map(move |signs| {
        let s = |bit: u32| if signs >> bit & 1 == 1 { -h } else { h };
        q(s(0), s(1), s(2), h)
    });
    whole.into_iter().chain(pairs).chain(halves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn no_rotation_costs_less_than_the_mean() {
        let mut random = Random::new(3);
        let mut draw = || exp64(DVec3::from_array(std::array::from_fn(|_| 2.0 * random.normal())));
        for _ in 0..40 {
            let samples: Vec<DQuat> = (0..9).map(|_| draw()).collect();
            let weights = [1.0 / 9.0; 9];
            let cost = |m: DQuat| samples.iter().map(|&q| angle_between64(m, q).powi(2)).sum::<f64>() / 9.0;
            let found = cost(global_mean(&samples, &weights, &samples[4..5]).unwrap().mean);
            // 2000 random rotations lie about 12° apart: the lowest valley is met within its own width.
            let drawn = (0..2000).map(|_| cost(draw())).fold(f64::INFINITY, f64::min);
            assert!(found <= drawn + 1e-9, "{found} {drawn}");
        }
    }

    #[test]
    fn two_equal_clusters_half_a_turn_apart_are_ambiguous() {
        let turn = |degrees: f64| exp64(DVec3::Y * degrees.to_radians());
        let samples = [turn(0.0), turn(0.0), turn(179.0), turn(179.0)];
        assert!(global_mean(&samples, &[0.25; 4], &samples[..1]).unwrap().ambiguous);
        let samples = [turn(0.0), turn(10.0), turn(60.0), turn(120.0)];
        assert!(!global_mean(&samples, &[0.25; 4], &samples[..1]).unwrap().ambiguous);
    }

    #[test]
    fn the_cube_has_24_different_rotations() {
        let turns: Vec<DQuat> = cube_rotations().collect();
        assert_eq!(turns.len(), 24);
        for (i, a) in turns.iter().enumerate() {
            assert!(turns[..i].iter().all(|b| angle_between64(*a, *b) > 1.0));
        }
    }
}
