//! Time alignment: which moment of one clip corresponds to which of another.
//!
//! Dynamic time warping over poses \[sakoe1978\] finds the cheapest path through the table of distances
//! between the two clips' frames ([`super::warp`]). Both ends are open: where the clips begin or end in different
//! phases of a movement, what has no counterpart is left out. Local slopes stay between 1/2 and 2. The path is then
//! smoothed by a Gaussian whose ends are point-reflected: an average of slopes between 1/2 and 2 is again one, so
//! the registration curve \[kovar2003\] is smooth and strictly monotone.

use std::ops::Range;

use glam::{Quat, Vec3};
use serde::Serialize;

use super::ground::{heading, hips};
use super::warp::{Path, Table};
use crate::clip::Clip;
use crate::math::median;
use crate::pose::{ModelPose, Pose, forward_kinematics_into};
use crate::{Cancelled, Progress, report};

/// Samples of the longer clip that are compared; longer clips are compared at every second, third … frame.
const MAX_GRID: usize = 1024;
/// Deviation of the smoothing Gaussian, seconds: shorter than any stroke of a limb.
const SMOOTH_S: f64 = 0.1;
/// Joints nearer to their parent than this, metres, move as the parent does and are not compared.
const SHORT: f32 = 0.02;
/// Leaving a frame out costs as much as matching it this many times worse than poses of these clips usually can be
/// matched: frames that fit twice as badly have no counterpart.
const DROP_RATIO: f64 = 2.0;
/// Leaving out never costs less than this, metres: takes of one movement differ by a few centimetres anyhow.
const MIN_DROP_COST: f64 = 0.03;
/// From this ratio of lengths on a uniform stretch is tried beside the clips' own pace: the same gesture may be
/// done several times as fast, but a walk of twice as many steps is not a slower walk.
const TRY_STRETCH: f64 = 1.3;

/// Which moment of `other` corresponds to which frame of `reference`.
#[derive(Debug, Clone, PartialEq)]
pub struct Alignment {
    /// The motion frames of the reference that have a counterpart, counted without an added T-pose.
    pub frames: Range<usize>,
    /// For each of them the time in the other clip in motion frames, strictly growing.
    pub times: Vec<f64>,
    /// What was found.
    pub report: AlignReport,
}

/// How well two clips fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AlignReport {
    /// Mean distance of compared joints in corresponding frames, hips and heading taken out, metres.
    pub distance_m: f32,
    /// The same if one clip were stretched uniformly onto the other, metres.
    pub uniform_distance_m: f32,
    /// Smallest speed of the other clip relative to the reference.
    pub slowest: f64,
    /// Largest speed of the other clip relative to the reference.
    pub fastest: f64,
    /// Start and end of the reference without a counterpart, seconds.
    pub unmatched_reference_s: [f64; 2],
    /// Start and end of the other clip without a counterpart, seconds.
    pub unmatched_s: [f64; 2],
}

/// Why clips cannot be aligned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AlignError {
    /// Two frames at least are needed on either side.
    #[error("a motion of {frames} frames cannot be aligned in time; use --align none or at least 2 frames")]
    TooShort {
        /// Frames of the shorter motion.
        frames: usize,
    },
    /// Corresponding joints are compared.
    #[error("the clips have {reference} and {other} joints; align clips on the same skeleton")]
    Joints {
        /// Joints of the reference.
        reference: usize,
        /// Joints of the other clip.
        other: usize,
    },
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Aligns the motion of `other` to that of `reference`; at least half of either is matched.
///
/// # Errors
/// When a clip has fewer than two frames, the joints differ or the caller stops.
pub fn align(reference: &Clip, other: &Clip, progress: Progress<'_>) -> Result<Alignment, AlignError> {
    let (n, m) = (reference.motion_frames().len(), other.motion_frames().len());
    if n.min(m) < 2 {
        return Err(AlignError::TooShort { frames: n.min(m) });
    }
    if reference.num_joints() != other.num_joints() {
        return Err(AlignError::Joints { reference: reference.num_joints(), other: other.num_joints() });
    }
    // Both at one pace: a sample of either lasts as long.
    let seconds = |frames: usize, fps: f64| (frames - 1) as f64 / fps;
    let (long, short) = (seconds(n, reference.fps()), seconds(m, other.fps()));
    let ratio = long.max(short) / long.min(short);
    let finest = ((n.max(m) - 1) as f64).min((MAX_GRID - 1) as f64);
    let samples = |own: f64| ((finest * own / long.max(short)).round() as usize + 1).max(2);
    let mut fit = Fit::find(reference, other, [samples(long), samples(short)], progress)?;
    if ratio > TRY_STRETCH || fit.is_none() {
        let grid = finest as usize + 1;
        let stretched = Fit::find(reference, other, [grid, grid], progress)?;
        let cost = |fit: &Option<Fit>| fit.as_ref().map_or(f32::INFINITY, |fit| fit.path.cost);
        if cost(&stretched) < cost(&fit) || fit.is_none() {
            fit = stretched;
        }
    }
    // Slope 1 joins the corners of a square table, so the stretched one always has a path.
    let Some(fit) = fit else { return Err(AlignError::TooShort { frames: n.min(m) }) };
    Ok(fit.alignment(reference, other))
}

/// A path through one table of distances.
struct Fit {
    rows: Features,
    columns: Features,
    path: Path,
}

impl Fit {
    fn find(
        reference: &Clip,
        other: &Clip,
        [rows, columns]: [usize; 2],
        progress: Progress<'_>,
    ) -> Result<Option<Self>, Cancelled> {
        let (a, b) = (Features::of(reference, rows), Features::of(other, columns));
        report(progress, 0.1)?;
        let table = Table::build([rows, columns], |i, j| a.distance(i, &b, j), progress)?;
        let usual = median(&table.row_minima()).unwrap_or(0.0);
        let drop_cost = (DROP_RATIO * usual).max(MIN_DROP_COST) as f32;
        let path = table.cheapest(drop_cost, progress)?;
        Ok(path.map(|path| Self { rows: a, columns: b, path }))
    }

    /// From the grid to the clips' frames, then smooth.
    fn alignment(&self, reference: &Clip, other: &Clip) -> Alignment {
        let (n, m) = (reference.motion_frames().len(), other.motion_frames().len());
        let path = &self.path;
        let row_step = (n - 1) as f64 / (self.rows.len() - 1) as f64;
        let column_step = (m - 1) as f64 / (self.columns.len() - 1) as f64;
        let last_row = path.first_row + path.columns.len() - 1;
        // Rounding must not cost a frame at either end.
        let first = (path.first_row as f64 * row_step - 1e-9).ceil() as usize;
        let last = ((last_row as f64 * row_step + 1e-9).floor() as usize).min(n - 1);
        let raw: Vec<f64> = (first..=last)
            .map(|frame| {
                let at = (frame as f64 / row_step - path.first_row as f64).max(0.0);
                let low = (at as usize).min(path.columns.len().saturating_sub(2));
                let high = (low + 1).min(path.columns.len() - 1);
                let t = (at - low as f64).min(1.0);
                (path.columns[low] * (1.0 - t) + path.columns[high] * t) * column_step
            })
            .collect();
        let times = smoothed(&raw, SMOOTH_S * reference.fps());
        let slopes = || times.windows(2).map(|pair| pair[1] - pair[0]);
        let pace = reference.fps() / other.fps();
        let uniform = (self.columns.len() - 1) as f64 / (self.rows.len() - 1) as f64;
        let report = AlignReport {
            distance_m: self.distance(path.first_row..last_row + 1, |i| path.columns[i - path.first_row]),
            uniform_distance_m: self.distance(0..self.rows.len(), |i| i as f64 * uniform),
            slowest: slopes().fold(f64::INFINITY, f64::min) * pace,
            fastest: slopes().fold(0.0, f64::max) * pace,
            unmatched_reference_s: [first, n - 1 - last].map(|frames| frames as f64 / reference.fps()),
            unmatched_s: [times[0], ((m - 1) as f64 - times[times.len() - 1]).max(0.0)]
                .map(|f| f / other.fps()),
        };
        Alignment { frames: first..last + 1, times, report }
    }

    fn distance(&self, rows: Range<usize>, column: impl Fn(usize) -> f64) -> f32 {
        let nearest = |i: usize| (column(i).round() as usize).min(self.columns.len() - 1);
        let count = rows.len() as f32;
        rows.map(|i| self.rows.distance(i, &self.columns, nearest(i))).sum::<f32>() / count
    }
}

/// Joint positions relative to the hips, heading taken out: one row of numbers per sample.
struct Features {
    rows: Vec<f32>,
    width: usize,
    /// 1 / number of joints: the squared length of a difference times this is the mean square.
    per_joint: f32,
}

impl Features {
    fn of(clip: &Clip, grid: usize) -> Self {
        let skeleton = clip.skeleton();
        let hips = hips(skeleton);
        let joints: Vec<usize> = (1..skeleton.num_joints())
            .filter(|&j| j != hips && skeleton.is_below(j, hips))
            .filter(|&j| skeleton.length(j) >= SHORT || clip.translations().iter().any(|t| t.joint == j))
            .collect();
        // Rows are filled up with zeros to whole lanes of eight.
        let width = (3 * joints.len()).next_multiple_of(8).max(8);
        let motion = clip.motion_frames();
        let mut rows = vec![0.0; grid * width];
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        let mut model = ModelPose::default();
        for (sample, row) in rows.chunks_exact_mut(width).enumerate() {
            // The nearest frame: half a frame of time is far below what the smoothing takes out.
            let at = sample as f64 * (motion.len() - 1) as f64 / (grid - 1) as f64;
            clip.pose_into(motion.start + at.round() as usize, &mut pose);
            forward_kinematics_into(skeleton, &pose, &mut model);
            let back = Quat::from_rotation_y(-heading(model.rotations[hips]) as f32);
            for (place, &joint) in row.chunks_exact_mut(3).zip(&joints) {
                place.copy_from_slice(&(back * (model.positions[joint] - model.positions[hips])).to_array());
            }
        }
        Self { rows, width, per_joint: 1.0 / joints.len().max(1) as f32 }
    }

    fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    fn row(&self, i: usize) -> &[f32] {
        &self.rows[i * self.width..(i + 1) * self.width]
    }

    /// Root mean square distance of the joints, metres.
    #[inline(always)]
    fn distance(&self, i: usize, other: &Self, j: usize) -> f32 {
        let mut sums = [0.0f32; 8];
        for (a, b) in self.row(i).chunks_exact(8).zip(other.row(j).chunks_exact(8)) {
            for lane in 0..8 {
                let d = a[lane] - b[lane];
                sums[lane] += d * d;
            }
        }
        (sums.iter().sum::<f32>() * self.per_joint).sqrt()
    }
}

/// `values` through a Gaussian of deviation `sigma` frames, point-reflected at the ends.
fn smoothed(values: &[f64], sigma: f64) -> Vec<f64> {
    let last = values.len() as isize - 1;
    // A kernel that reaches over the whole curve would only know its ends.
    let sigma = sigma.min(last as f64 / 6.0);
    let reach = (3.0 * sigma).ceil() as isize;
    if reach == 0 {
        return values.to_vec();
    }
    let taps: Vec<f64> = (-reach..=reach).map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp()).collect();
    let sum: f64 = taps.iter().sum();
    let at = |i: isize| {
        let inside = i.clamp(0, last);
        let mirrored = (2 * inside - i).clamp(0, last);
        if i == inside {
            values[i as usize]
        } else {
            2.0 * values[inside as usize] - values[mirrored as usize]
        }
    };
    (0..=last)
        .map(|i| {
            let v: f64 = (-reach..=reach).zip(&taps).map(|(k, h)| h * at(i + k)).sum::<f64>() / sum;
            // The ends are where they were but for rounding; keep them exactly.
            if i == 0 || i == last { values[i as usize] } else { v }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoothing_keeps_slopes_between_their_bounds() {
        let mut random = crate::math::Random::new(5);
        let mut raw = vec![0.0];
        for _ in 0..300 {
            raw.push(raw[raw.len() - 1] + random.range(0.5, 2.0));
        }
        let smooth = smoothed(&raw, 12.0);
        assert_eq!((smooth[0], smooth[300]), (raw[0], raw[300]));
        for pair in smooth.windows(2) {
            let slope = pair[1] - pair[0];
            assert!((0.5 - 1e-9..=2.0 + 1e-9).contains(&slope), "{slope}");
        }
    }
}
