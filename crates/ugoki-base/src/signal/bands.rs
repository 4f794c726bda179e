//! Equalising: a clip split into bands of frequency whose strengths can be changed.
//!
//! Each level smooths the one before with the binomial kernel 1 4 6 4 1, its taps 1, 2, 4, 8 … frames apart
//! (the bank of \[bruderlin1995\], which drops no samples and so gives the same result wherever the clip
//! starts). What a level loses is kept as a displacement in the tangent space of the smoother motion,
//! d = log(smooth⁻¹·fine), as \[lee2001\] have it, so neither the frame of the world nor that of a joint
//! matters, and fine = smooth·exp(d) gives the motion back. A gain multiplies d.
//!
//! Where samples of a level lie more than 90° from their centre (a dancer's hips turning on the spot) the
//! mean is not safe, and that joint's level weighs successive differences instead, which need no window.

use glam::{DQuat, DVec3, Quat};
use serde::{Deserialize, Serialize};

use super::combine::Method;
use super::filter::{Edge, extended};
use super::joints::{align_track_signs, for_each_joint};
use super::part::Part;
use super::window::{Padded, filter_track};
use crate::clip::{Clip, RotationTracks, VectorTrack};
use crate::math::{exp64, log64, mean64};
use crate::{Cancelled, Progress};

/// Binomial weights; the cascade of their dilations tends to a cubic B-spline.
const TAPS: [f64; 5] = [1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0];
/// Levels beyond this reach over 17 million frames.
const MAX_LEVELS: usize = 23;
/// Largest gain: 100 times as strong is no motion any more.
const MAX_GAIN: f64 = 100.0;
/// cos(45°): dot product of two rotations 90° apart.
const NEAR: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// How to equalise.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EqualizeConfig {
    /// One gain per band, lowest frequency first; 1 leaves a band as it is.
    pub gains: Vec<f64>,
    /// The part of the body to change; all of it when not given.
    pub part: Option<Part>,
}

/// One band of a clip.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Band {
    /// Lowest frequency, hertz: where half the amplitude goes to the band below.
    pub low_hz: f64,
    /// Highest frequency, hertz.
    pub high_hz: f64,
    /// What the band was multiplied by.
    pub gain: f64,
    /// Root mean square of the band's turns over changed joints and frames, before the gain, degrees.
    pub rms_deg: f64,
}

/// What equalising did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EqualizeReport {
    /// The bands, lowest frequency first.
    pub bands: Vec<Band>,
    /// The part changed; none for the whole body.
    pub part: Option<Part>,
    /// How many joints were worked on.
    pub joints: usize,
}

/// An equalised motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Equalized {
    /// The result, on the same skeleton at the same rate.
    pub clip: Clip,
    /// What was done.
    pub report: EqualizeReport,
}

/// Why a motion cannot be equalised.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EqualizeError {
    /// One gain per band.
    #[error("found {found} gains for a motion of {frames} frames, which has {bands} bands")]
    GainCount {
        /// Gains given.
        found: usize,
        /// Bands there are.
        bands: usize,
        /// Frames of motion.
        frames: usize,
    },
    /// A gain must be a number of sensible size.
    #[error("gain {} is {gain}, expected a number from -{MAX_GAIN} to {MAX_GAIN}", index + 1)]
    Gain {
        /// Which one, from 0.
        index: usize,
        /// Its value.
        gain: f64,
    },
    /// A part needs joints known by role.
    #[error("no joint of the skeleton belongs to {part}")]
    NoPart {
        /// The part asked for.
        part: Part,
    },
    /// Nothing to equalise.
    #[error("a motion of {frames} frames has no bands, expected at least 3 frames")]
    TooShort {
        /// Frames of motion.
        frames: usize,
    },
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// How many bands a motion of `frames` frames has: as many levels as reach no farther than its length, and the
/// rest. 0 when it is too short to have any.
#[must_use]
pub fn num_bands(frames: usize) -> usize {
    // Level k reaches 2·2ᵏ frames to either side.
    let levels = (0..MAX_LEVELS).take_while(|&level| (2usize << level) < frames).count();
    if levels == 0 { 0 } else { levels + 1 }
}

/// The bands of `clip` as they would be reported with gains of 1.
///
/// # Errors
/// When the motion is too short or the caller stops.
pub fn bands(clip: &Clip, progress: Progress<'_>) -> Result<Vec<Band>, EqualizeError> {
    let gains = vec![1.0; num_bands(clip.motion_frames().len())];
    equalize(clip, &EqualizeConfig { gains, part: None }, progress).map(|done| done.report.bands)
}

/// Multiplies each band of every joint's rotations, of the root's path and of other joints' paths by its gain.
///
/// The lowest band is the slow motion about the mean pose (and mean place). Where a joint turns farther than
/// that makes sense for, its gain multiplies the slow turning itself, outwards from the middle of the clip.
/// An added T-pose stays as it is and outside every window.
///
/// # Errors
/// When the gains do not fit the clip's bands, no joint is in the part, or the caller stops.
pub fn equalize(
    clip: &Clip,
    config: &EqualizeConfig,
    progress: Progress<'_>,
) -> Result<Equalized, EqualizeError> {
    let motion = clip.motion_frames();
    let gains = &config.gains;
    let num_bands = num_bands(motion.len());
    if num_bands == 0 {
        return Err(EqualizeError::TooShort { frames: motion.len() });
    }
    if gains.len() != num_bands {
        return Err(EqualizeError::GainCount { found: gains.len(), bands: num_bands, frames: motion.len() });
    }
    if let Some(index) = gains.iter().position(|g| !(g.is_finite() && g.abs() <= MAX_GAIN)) {
        return Err(EqualizeError::Gain { index, gain: gains[index] });
    }
    let chosen =
        config.part.map_or_else(|| vec![true; clip.num_joints()], |part| part.joints(clip.skeleton()));
    let with_role = clip.skeleton().joints().iter().any(|joint| joint.role.is_some());
    if let Some(part) = config.part
        && (!with_role || !chosen.contains(&true))
    {
        return Err(EqualizeError::NoPart { part });
    }
    let mut result = clip.clone();
    let squares = for_each_joint(result.rotations_mut(), progress, |joint, mut out| {
        let track = clip.rotations().track(joint).part(motion.clone());
        let still = [track.x, track.y, track.z, track.w].iter().all(|c| c.windows(2).all(|p| p[0] == p[1]));
        if !chosen[joint] || still {
            return vec![0.0; num_bands];
        }
        let samples: Vec<Quat> = (0..track.len()).map(|frame| track.get(frame)).collect();
        let squares = equalize_rotations(&samples, gains, out.each_mut().map(|v| &mut v[motion.clone()]));
        align_track_signs(out);
        squares
    })?;
    let path = |track: &mut VectorTrack| {
        for values in [&mut track.x, &mut track.y, &mut track.z] {
            equalize_values(&mut values[motion.clone()], gains);
        }
    };
    if chosen[0] {
        path(result.root_mut());
    }
    for translation in result.translations_mut() {
        if chosen[translation.joint] {
            path(&mut translation.track);
        }
    }
    let joints = chosen.iter().filter(|&&c| c).count();
    let cutoffs = cutoffs_hz(num_bands - 1, clip.fps());
    let bands = (0..num_bands)
        .map(|band| {
            // Band 0 lies below the last level's cut-off, the highest above the first's.
            let level = num_bands - 1 - band;
            let low_hz = if band == 0 { 0.0 } else { cutoffs[level] };
            let high_hz = if level == 0 { clip.fps() / 2.0 } else { cutoffs[level - 1] };
            let square: f64 = squares.iter().map(|s| s[band]).sum();
            let rms_deg = (square / (joints * motion.len()) as f64).sqrt().to_degrees();
            Band { low_hz, high_hz, gain: gains[band], rms_deg }
        })
        .collect();
    Ok(Equalized { clip: result, report: EqualizeReport { bands, part: config.part, joints } })
}

/// Frequencies at which the cascade of smoothings up to each level halves the amplitude, hertz.
fn cutoffs_hz(levels: usize, fps: f64) -> Vec<f64> {
    (0..levels)
        .map(|level| {
            // One level answers cos⁴(π·f·2ᵏ/fps); bisect inside the main lobe of the widest.
            let answer = |f: f64| -> f64 {
                (0..=level)
                    .map(|k| (std::f64::consts::PI * f * f64::from(1u32 << k) / fps).cos().powi(4))
                    .product()
            };
            let (mut low, mut high) = (0.0, fps / 2.0 / f64::from(1u32 << level));
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if answer(middle) > 0.5 { low = middle } else { high = middle }
            }
            low
        })
        .collect()
}

/// One joint: splits `samples`, multiplies, and writes the sum to `out`. Gives Σ|d|² per band, lowest first.
fn equalize_rotations(samples: &[Quat], gains: &[f64], out: [&mut [f32]; 4]) -> Vec<f64> {
    let levels = gains.len() - 1;
    let mut fine: Vec<DQuat> = samples.iter().map(|q| q.as_dquat().normalize()).collect();
    let mut details: Vec<Vec<DVec3>> = Vec::with_capacity(levels);
    for level in 0..levels {
        let smooth = smoothed(&fine, 1 << level);
        details.push(fine.iter().zip(&smooth).map(|(f, s)| log64(s.conjugate() * *f)).collect());
        fine = smooth;
    }
    let mut squares = vec![base_strength(&mut fine, gains[0])];
    for (detail, &gain) in details.iter().rev().zip(&gains[1..]) {
        squares.push(detail.iter().map(|d| d.length_squared()).sum());
        for (q, &d) in fine.iter_mut().zip(detail) {
            *q = (*q * exp64(d * gain)).normalize();
        }
    }
    let [x, y, z, w] = out;
    for (frame, q) in fine.iter().enumerate() {
        [x[frame], y[frame], z[frame], w[frame]] = q.as_quat().to_array();
    }
    squares
}

/// `fine` through the binomial kernel with taps `stride` frames apart.
fn smoothed(fine: &[DQuat], stride: usize) -> Vec<DQuat> {
    let n = fine.len();
    let mut tracks = RotationTracks::identity(1, n);
    for (frame, q) in fine.iter().enumerate() {
        tracks.set(0, frame, q.as_quat());
    }
    let track = tracks.track(0);
    let padded = Padded::new(&track, 2 * stride, stride, |at| extended(&track, at, Edge::Reflect));
    let reach = 2 * stride as isize;
    let far = |frame: usize, offset: isize| {
        let other = extended(&track, frame as isize + offset, Edge::Reflect).as_dquat();
        fine[frame].dot(other).abs() < NEAR
    };
    let wide = (0..n).any(|f| [-reach, -reach / 2, reach / 2, reach].into_iter().any(|o| far(f, o)));
    if !wide {
        let mut out = RotationTracks::identity(1, n);
        let taps = TAPS.map(|h| h as f32);
        if filter_track(Method::Exact, &padded, &taps, out.track_mut(0)).is_empty() {
            return (0..n).map(|frame| out.get(0, frame).as_dquat().normalize()).collect();
        }
    }
    smoothed_by_differences(fine, stride)
}

/// The same by sums of successive differences ωᵢ = log(qᵢ⁻¹qᵢ₊₁): with Dᵢ = Σ_{m<i} ωₘ, q′ᵢ = qᵢ·exp(Σ hₖ(Dᵢ₊ₖ − Dᵢ)).
fn smoothed_by_differences(fine: &[DQuat], stride: usize) -> Vec<DQuat> {
    let n = fine.len() as isize;
    let mut sums = vec![DVec3::ZERO];
    for pair in fine.windows(2) {
        sums.push(sums[sums.len() - 1] + log64(pair[0].conjugate() * pair[1]));
    }
    let at = |i: isize| -> DVec3 {
        let inside = i.clamp(0, n - 1);
        let mirrored = (2 * inside - i).clamp(0, n - 1);
        if i == inside { sums[i as usize] } else { 2.0 * sums[inside as usize] - sums[mirrored as usize] }
    };
    (0..n)
        .map(|i| {
            let here = at(i);
            let v: DVec3 = (-2..=2).zip(TAPS).map(|(k, h)| (at(i + k * stride as isize) - here) * h).sum();
            (fine[i as usize] * exp64(v)).normalize()
        })
        .collect()
}

/// Multiplies the slow motion by `gain` about its mean, or its turning where it goes farther than 90° from
/// it; gives Σ|angle to the mean|².
fn base_strength(base: &mut [DQuat], gain: f64) -> f64 {
    let weights = vec![1.0; base.len()];
    let middle = base[base.len() / 2];
    let mean = mean64(base, &weights).ok().filter(|m| base.iter().all(|q| q.dot(*m).abs() >= NEAR));
    let Some(mean) = mean else {
        let turns: Vec<DVec3> = base.windows(2).map(|p| log64(p[0].conjugate() * p[1])).collect();
        let centre = base.len() / 2;
        let square = base.iter().map(|q| log64(middle.conjugate() * *q).length_squared()).sum();
        if gain != 1.0 {
            for i in centre..turns.len() {
                base[i + 1] = (base[i] * exp64(turns[i] * gain)).normalize();
            }
            for i in (0..centre).rev() {
                base[i] = (base[i + 1] * exp64(-turns[i] * gain)).normalize();
            }
        }
        return square;
    };
    let mut square = 0.0;
    for q in base {
        let d = log64(mean.conjugate() * *q);
        square += d.length_squared();
        *q = (mean * exp64(d * gain)).normalize();
    }
    square
}

/// One coordinate of a path.
fn equalize_values(values: &mut [f32], gains: &[f64]) {
    if values.windows(2).all(|p| p[0] == p[1]) {
        return;
    }
    let n = values.len() as isize;
    let mut fine: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
    let mut details = Vec::new();
    for level in 0..gains.len() - 1 {
        let at = |i: isize| -> f64 {
            let inside = i.clamp(0, n - 1);
            let mirrored = (2 * inside - i).clamp(0, n - 1);
            if i == inside { fine[i as usize] } else { 2.0 * fine[inside as usize] - fine[mirrored as usize] }
        };
        let smooth: Vec<f64> =
            (0..n).map(|i| (-2..=2).zip(TAPS).map(|(k, h)| h * at(i + (k << level))).sum()).collect();
        details.push(fine.iter().zip(&smooth).map(|(f, s)| f - s).collect::<Vec<f64>>());
        fine = smooth;
    }
    let mean = fine.iter().sum::<f64>() / n as f64;
    fine.iter_mut().for_each(|v| *v = mean + (*v - mean) * gains[0]);
    for (detail, &gain) in details.iter().rev().zip(&gains[1..]) {
        fine.iter_mut().zip(detail).for_each(|(v, d)| *v += d * gain);
    }
    values.iter_mut().zip(fine).for_each(|(value, v)| *value = v as f32);
}
