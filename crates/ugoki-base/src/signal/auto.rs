//! Smoothing that chooses itself: the noise of each joint is estimated and the kernel of least expected error taken.
//!
//! ```text
//! rotations ─unrolled→ curve in flat space ─differences of high order→ noise σ ─SURE over kernels→ kernel ─path→ result
//! ```
//!
//! Differences of sixth order hold noise but hardly any motion; their median size gives σ. For a kernel h the expected squared
//! error is, up to a constant, |y − h∗y|² + 2·σ²·h₀ per axis and frame (Stein's unbiased risk estimate \[stein1981\]); the
//! kernel of least risk is taken. Kernels are those of smoothing splines, 1/(1 + (f/f_c)²ⁿ), the response of a Butterworth
//! filter run forward and backward.

use std::f64::consts::{PI, TAU};
use std::ops::Range;

use glam::{DVec3, Quat};
use serde::Serialize;

use super::combine::Method;
use super::filter::{Edge, FilterConfig, filter_path, filter_rotations};
use super::joints::{align_track_signs, for_each_joint};
use super::kernel::Kernel;
use super::unrolled::Unrolled;
use crate::clip::{Clip, VectorTrack};
use crate::math::{angle_between, median};
use crate::{Cancelled, Progress};

/// Order of the differences in which noise is looked for.
const ORDER: usize = 6;
/// Square of the length of their coefficients 1 −6 15 −20 15 −6 1: noise of one sample is enlarged by its root.
const GAIN_SQUARED: f64 = 924.0;
/// Median of |x| of a normal deviate.
const MEDIAN_OF_NORMAL: f64 = 0.674_489_75;
/// Fewest frames in which noise can be separated from motion.
const FEWEST_FRAMES: usize = 24;
/// Lowest cut-off that is tried, hertz: noise is not slower.
const LOWEST_HZ: f64 = 0.4;
/// From one cut-off to the next.
const STEP: f64 = 1.12;
/// Highest cut-off, of the rate.
const HIGHEST: f64 = 0.45;
/// Orders n of the kernels.
const ORDERS: [usize; 3] = [1, 2, 3];
/// Weight of a kernel's end relative to its centre at which it is cut off.
const END_WEIGHT: f64 = 0.005;

/// What was chosen for a joint.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AutoJoint {
    /// The joint.
    pub joint: String,
    /// Standard deviation of its noise about each axis, degrees; of a position along each axis, millimetres.
    pub noise: f64,
    /// Frequency at which the kernel halves the amplitude, hertz; none where the joint is left as it is.
    pub cutoff_hz: Option<f64>,
    /// Steepness of the kernel, 1 to 3.
    pub order: usize,
    /// Taps of the kernel.
    pub taps: usize,
    /// The largest change, degrees or millimetres.
    pub largest_change: f64,
}

/// What was estimated and chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AutoReport {
    /// Frames of motion, without an added T-pose.
    pub frames: usize,
    /// One entry per joint that turns.
    pub rotations: Vec<AutoJoint>,
    /// One entry per joint that moves.
    pub paths: Vec<AutoJoint>,
}

/// A kernel to choose from.
struct Candidate {
    cutoff_hz: f64,
    order: usize,
    kernel: Kernel,
}

/// A choice for one joint.
struct Choice<'a> {
    noise: f64,
    best: Option<&'a Candidate>,
}

/// Smooths every joint and path of `clip` as its own noise asks for. An added T-pose stays as it is.
///
/// # Errors
/// When the caller stops.
pub fn filter_auto(clip: &Clip, progress: Progress<'_>) -> Result<(Clip, AutoReport), Cancelled> {
    let motion = clip.motion_frames();
    let candidates = candidates(clip.fps(), motion.len());
    let config = FilterConfig { method: Method::Path, edge: Edge::Reflect };
    let mut result = clip.clone();
    let name = |joint: usize| clip.skeleton().joint(joint).name.clone();
    let entry = |joint: usize, choice: &Choice<'_>, scale: f64, change: f64| AutoJoint {
        joint: name(joint),
        noise: scale * choice.noise,
        cutoff_hz: choice.best.map(|best| best.cutoff_hz),
        order: choice.best.map_or(0, |best| best.order),
        taps: choice.best.map_or(1, |best| best.kernel.taps().len()),
        largest_change: scale * change,
    };
    let rotations = for_each_joint(result.rotations_mut(), progress, |joint, mut out| {
        let track = clip.rotations().track(joint).part(motion.clone());
        if track.len() < FEWEST_FRAMES
            || [track.x, track.y, track.z, track.w].iter().all(|c| c.windows(2).all(|p| p[0] == p[1]))
        {
            return None;
        }
        let samples = (0..track.len()).map(|frame| track.get(frame).as_dquat().normalize());
        let choice = choose(Unrolled::new(samples).curve(), &candidates);
        let mut change = 0.0_f64;
        if let Some(best) = choice.best {
            let part = out.each_mut().map(|values| &mut values[motion.clone()]);
            filter_rotations(&track, &best.kernel, config, part);
            align_track_signs(out.each_mut().map(|values| &mut values[..]));
            for frame in 0..track.len() {
                let q = Quat::from_array(out.each_ref().map(|values| values[motion.start + frame]));
                change = change.max(f64::from(angle_between(track.get(frame), q)));
            }
        }
        Some(entry(joint, &choice, 180.0 / PI, change))
    })?;
    let path = |joint: usize, track: &mut VectorTrack, motion: &Range<usize>| {
        let before: Vec<DVec3> = motion.clone().map(|frame| track.get(frame).as_dvec3()).collect();
        if before.len() < FEWEST_FRAMES || before.windows(2).all(|pair| pair[0] == pair[1]) {
            return None;
        }
        let choice = choose(&before, &candidates);
        let mut change = 0.0_f64;
        if let Some(best) = choice.best {
            filter_path(track, motion, &best.kernel, Edge::Reflect);
            let after = motion.clone().map(|frame| track.get(frame).as_dvec3());
            change = before.iter().zip(after).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
        }
        Some(entry(joint, &choice, 1000.0, change))
    };
    let mut paths: Vec<AutoJoint> = path(0, result.root_mut(), &motion).into_iter().collect();
    for translation in result.translations_mut() {
        paths.extend(path(translation.joint, &mut translation.track, &motion));
    }
    let rotations = rotations.into_iter().flatten().collect();
    Ok((result, AutoReport { frames: motion.len(), rotations, paths }))
}

/// All kernels that fit into `frames`.
fn candidates(fps: f64, frames: usize) -> Vec<Candidate> {
    let count = ((HIGHEST * fps / LOWEST_HZ).ln() / STEP.ln()).floor().max(0.0) as i32;
    let cutoffs = (0..=count).map(|i| LOWEST_HZ * STEP.powi(i));
    let all = cutoffs.flat_map(|cutoff_hz| ORDERS.map(|order| (cutoff_hz, order)));
    all.filter_map(|(cutoff_hz, order)| {
        let kernel = spline_kernel(cutoff_hz / fps, order);
        (kernel.len() <= frames).then(|| Kernel::from_taps(&kernel).ok()).flatten().map(|kernel| Candidate {
            cutoff_hz,
            order,
            kernel,
        })
    })
    .collect()
}

/// Taps with the frequency response 1/(1 + (f/f_c)²ⁿ), `cutoff` in cycles per frame.
///
/// By residues: h(u) ∝ Im Σ pⱼ·exp(i·pⱼ·|u|) over the poles pⱼ = exp(iπ(2j + 1)/2n) of the upper half plane, u = 2π·f_c·t.
fn spline_kernel(cutoff: f64, order: usize) -> Vec<f64> {
    let weight = |u: f64| -> f64 {
        (0..order)
            .map(|j| {
                let (im, re) = (PI * (2 * j + 1) as f64 / (2 * order) as f64).sin_cos();
                // Im(p·exp(i·p·u)) with p = re + i·im.
                (-im * u).exp() * (re * u + im.atan2(re)).sin()
            })
            .sum()
    };
    // The envelope falls as the slowest pole does.
    let slowest = (PI / (2 * order) as f64).sin();
    let reach = ((-END_WEIGHT.ln() / slowest) / (TAU * cutoff)).ceil().max(1.0) as i64;
    (-reach..=reach).map(|k| weight(TAU * cutoff * k.unsigned_abs() as f64)).collect()
}

/// The noise of a curve, and the kernel of least expected error.
fn choose<'a>(curve: &[DVec3], candidates: &'a [Candidate]) -> Choice<'a> {
    let noise = noise(curve);
    let axes: [Vec<f64>; 3] = std::array::from_fn(|axis| curve.iter().map(|p| p[axis]).collect());
    let variance = noise * noise;
    // What no kernel costs: all of the noise.
    let mut least = 3.0 * variance;
    let mut best = None;
    for candidate in candidates {
        let taps = candidate.kernel.taps();
        let left: f64 = axes.iter().map(|values| square_left(values, taps)).sum::<f64>() / curve.len() as f64;
        let risk = left + 3.0 * variance * (2.0 * taps[taps.len() / 2] - 1.0);
        if risk < least {
            (least, best) = (risk, Some(candidate));
        }
    }
    Choice { noise, best }
}

/// Σ |y − h∗y|², ends point-reflected.
fn square_left(values: &[f64], taps: &[f64]) -> f64 {
    let (reach, last) = ((taps.len() / 2) as isize, values.len() as isize - 1);
    let padded: Vec<f64> = (-reach..=last + reach)
        .map(|at| {
            let inside = at.clamp(0, last);
            let mirrored = (2 * inside - at).clamp(0, last);
            if at == inside {
                values[at as usize]
            } else {
                2.0 * values[inside as usize] - values[mirrored as usize]
            }
        })
        .collect();
    let mut smooth = vec![0.0; values.len()];
    for (k, &h) in taps.iter().enumerate() {
        for (sum, &value) in smooth.iter_mut().zip(&padded[k..]) {
            *sum += h * value;
        }
    }
    smooth.iter().zip(values).map(|(s, v)| (s - v) * (s - v)).sum()
}

/// Standard deviation of the noise along each axis.
fn noise(curve: &[DVec3]) -> f64 {
    let mut differences = curve.to_vec();
    for _ in 0..ORDER {
        differences = differences.windows(2).map(|pair| pair[1] - pair[0]).collect();
    }
    let sizes: Vec<f64> = differences.iter().flat_map(DVec3::to_array).map(f64::abs).collect();
    median(&sizes).unwrap_or(0.0) / MEDIAN_OF_NORMAL / GAIN_SQUARED.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn kernels_answer_as_the_formula_says() {
        for order in ORDERS {
            let taps = spline_kernel(0.03, order);
            let sum: f64 = taps.iter().sum();
            for f in [0.005, 0.02, 0.03, 0.05, 0.1] {
                let reach = (taps.len() / 2) as f64;
                let answer: f64 = taps
                    .iter()
                    .enumerate()
                    .map(|(k, h)| h / sum * (TAU * f * (k as f64 - reach)).cos())
                    .sum();
                let wanted = 1.0 / (1.0 + (f / 0.03_f64).powi(2 * order as i32));
                // 0.02: kernels are cut off at half a per cent, and sampled.
                assert!((answer - wanted).abs() < 0.02, "order {order}, {f}: {answer} {wanted}");
            }
        }
    }

    #[test]
    fn noise_is_estimated_under_motion_and_the_kernel_reduces_it() {
        let mut random = Random::new(4);
        let way = |i: usize| {
            let t = i as f64 / 30.0;
            DVec3::new((TAU * 0.7 * t).sin(), (TAU * 1.1 * t).cos(), 0.5 * (TAU * 0.4 * t).sin())
        };
        let noisy: Vec<DVec3> = (0..400)
            .map(|i| way(i) + 0.03 * DVec3::from_array(std::array::from_fn(|_| random.normal())))
            .collect();
        let candidates = candidates(30.0, 400);
        let choice = choose(&noisy, &candidates);
        assert!((choice.noise - 0.03).abs() < 0.004, "{}", choice.noise);
        let taps = choice.best.unwrap().kernel.taps();
        let reach = taps.len() / 2;
        let error = |f: &dyn Fn(usize) -> DVec3| -> f64 {
            (reach..400 - reach).map(|i| f(i).distance_squared(way(i))).sum::<f64>().sqrt()
        };
        let smooth = |i: usize| taps.iter().zip(&noisy[i - reach..]).map(|(&h, &p)| p * h).sum::<DVec3>();
        assert!(error(&smooth) < 0.6 * error(&|i| noisy[i]));
    }
}
