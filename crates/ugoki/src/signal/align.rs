//! Time alignment: which moment of one clip corresponds to which of another.
//!
//! Dynamic time warping over poses \[sakoe1978\] finds the cheapest path through the table of distances
//! between the two clips' frames. Steps are (1, 1), (1, 2) and (2, 1), so the local slope, relative to
//! stretching one clip uniformly onto the other, stays between 1/2 and 2. The path is then smoothed by a
//! Gaussian whose ends are point-reflected: an average of slopes between 1/2 and 2 is again one, so the
//! registration curve \[kovar2003\] is smooth and strictly monotone, and keeps both ends.

use glam::{Quat, Vec3};
use serde::Serialize;

use super::ground::{heading, hips};
use crate::clip::Clip;
use crate::pose::{ModelPose, Pose, forward_kinematics_into};
use crate::{Cancelled, Progress, report};

/// Samples of each clip that are compared; longer clips are compared at every second, third … frame. A table of
/// this size takes about 20 ms.
const MAX_GRID: usize = 1024;
/// Cost of leaving the diagonal for one step, metres: under the noise of marker-based capture, so that
/// standing still does not make the path wander.
const STRETCH_COST: f32 = 0.002;
/// Deviation of the smoothing Gaussian, seconds: shorter than any stroke of a limb.
const SMOOTH_S: f64 = 0.1;
/// Joints nearer to their parent than this, metres, move as the parent does and are not compared.
const SHORT: f32 = 0.02;

/// Which moment of `other` corresponds to each frame of `reference`.
#[derive(Debug, Clone, PartialEq)]
pub struct Alignment {
    /// For every motion frame of the reference, the time in the other clip in motion frames, strictly growing
    /// from 0 to its last.
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
}

/// Why clips cannot be aligned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AlignError {
    /// Two frames at least are needed on either side.
    #[error("a motion of {frames} frames cannot be aligned in time, expected at least 2")]
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

/// Aligns the motion of `other` to that of `reference`, first frame to first, last to last.
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
    let grid = n.max(m).clamp(2, MAX_GRID);
    let (a, b) = (Features::of(reference, grid), Features::of(other, grid));
    report(progress, 0.1)?;
    let path = warp(&a, &b, progress)?;
    // From the grid to the reference's frames and the other's, then smooth.
    let (last, scale) = ((grid - 1) as f64, (m - 1) as f64 / (grid - 1) as f64);
    let raw: Vec<f64> = (0..n)
        .map(|frame| {
            let at = frame as f64 * last / (n - 1) as f64;
            let low = (at as usize).min(grid - 2);
            let t = at - low as f64;
            (path[low] * (1.0 - t) + path[low + 1] * t) * scale
        })
        .collect();
    let times = smoothed(&raw, SMOOTH_S * reference.fps());
    let slopes = || times.windows(2).map(|pair| pair[1] - pair[0]);
    let report = AlignReport {
        distance_m: mean_distance(&a, &b, |i| path[i]),
        uniform_distance_m: mean_distance(&a, &b, |i| i as f64),
        slowest: slopes().fold(f64::INFINITY, f64::min) * reference.fps() / other.fps(),
        fastest: slopes().fold(0.0, f64::max) * reference.fps() / other.fps(),
    };
    Ok(Alignment { times, report })
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

fn mean_distance(a: &Features, b: &Features, path: impl Fn(usize) -> f64) -> f32 {
    let total: f32 =
        (0..a.len()).map(|i| a.distance(i, b, (path(i).round() as usize).min(b.len() - 1))).sum();
    total / a.len() as f32
}

/// The columns of row `i` that slopes between 1/2 and 2 can reach from the start and leave for the end.
fn reachable(i: usize, n: usize) -> std::ops::RangeInclusive<usize> {
    let left = n - 1 - i;
    let low = i.div_ceil(2).max((n - 1).saturating_sub(2 * left));
    let high = (2 * i).min(n - 1 - left.div_ceil(2));
    low..=high
}

/// The cheapest path: for every row its column.
fn warp(a: &Features, b: &Features, progress: Progress<'_>) -> Result<Vec<f64>, Cancelled> {
    let n = a.len();
    let far = f32::INFINITY;
    // Distances and costs of three rows; where each cell came from for all.
    let mut distances = vec![vec![far; n]; 3];
    let mut costs = vec![vec![far; n]; 3];
    let mut came = vec![0u8; n * n];
    for i in 0..n {
        if i % 128 == 0 {
            report(progress, 0.1 + 0.9 * i as f32 / n as f32)?;
        }
        let (now, before, earlier) = (i % 3, (i + 2) % 3, (i + 1) % 3);
        distances[now].fill(far);
        costs[now].fill(far);
        for j in reachable(i, n) {
            distances[now][j] = a.distance(i, b, j);
        }
        for j in reachable(i, n) {
            let d = distances[now][j];
            if i == 0 {
                costs[now][j] = 2.0 * d;
                continue;
            }
            let mut best = (far, 0);
            if j >= 1 {
                best = (costs[before][j - 1] + 2.0 * d, 0);
            }
            if j >= 2 {
                let through = distances[now][j - 1];
                let cost = costs[before][j - 2] + 2.0 * through + d + STRETCH_COST;
                if cost < best.0 {
                    best = (cost, 1);
                }
            }
            if i >= 2 && j >= 1 {
                let through = distances[before][j];
                let cost = costs[earlier][j - 1] + 2.0 * through + d + STRETCH_COST;
                if cost < best.0 {
                    best = (cost, 2);
                }
            }
            costs[now][j] = best.0;
            came[i * n + j] = best.1;
        }
    }
    // Walk back. A (2, 1) step passes the row between at half a column.
    let mut path = vec![0.0; n];
    let (mut i, mut j) = (n - 1, n - 1);
    while i > 0 {
        path[i] = j as f64;
        match came[i * n + j] {
            1 => (i, j) = (i - 1, j - 2),
            2 => {
                path[i - 1] = j as f64 - 0.5;
                (i, j) = (i - 2, j - 1);
            }
            _ => (i, j) = (i - 1, j - 1),
        }
    }
    Ok(path)
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
    fn every_reachable_cell_can_reach_the_end() {
        for n in [2, 3, 4, 5, 9, 50] {
            for i in 0..n {
                for j in reachable(i, n) {
                    assert!(2 * i >= j && 2 * j >= i, "({i}, {j}) of {n}");
                    let (p, q) = (n - 1 - i, n - 1 - j);
                    assert!(2 * p >= q && 2 * q >= p, "({i}, {j}) of {n}");
                }
            }
            assert!(reachable(0, n).eq(0..=0) && reachable(n - 1, n).eq(n - 1..=n - 1));
        }
    }

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
