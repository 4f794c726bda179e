//! Which moment of an imitation belongs to which frame of the actor.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::Progress;
use crate::clip::Clip;
use crate::retarget::{RetargetConfig, Stance, Whose, build_retarget, retarget_with};
use crate::segment::BodyPoints;
use crate::signal::{AlignError, align};

/// How frames are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairMethod {
    /// The imitation runs beside the actor, later by one lag.
    #[default]
    Lag,
    /// The imitation takes its own time; dynamic time warping finds it.
    Dtw,
}

/// The imitation's time for every frame of the actor's motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairing {
    /// For each motion frame of the actor the time in the imitation, in its motion frames at the actor's rate; none
    /// where the imitation has nothing.
    pub times: Vec<Option<f64>>,
    /// How much later the imitation is, seconds (for a warp: on average).
    pub lag_s: f64,
    /// How alike the paired motions are, −1 to 1.
    pub correlation: f64,
}

/// Least share of the shorter motion that must overlap.
const MIN_OVERLAP: f64 = 0.5;
/// Rate of the search for a lag, hertz; every frame is tried around the best one found.
const SEARCH_HZ: f64 = 30.0;

/// Pairs an imitation, at the actor's rate, with the actor's motion; `points` are both bodies' points of the same roles,
/// in leg lengths.
///
/// # Errors
/// A reason in words, or `None` when the caller stops.
pub fn pair(
    [actor, performer]: [&Clip; 2],
    points: [&BodyPoints; 2],
    method: PairMethod,
    progress: Progress<'_>,
) -> Result<Pairing, Option<String>> {
    let [a, p] = points.map(Series::new);
    if a.len().min(p.len()) < 3 {
        return Err(Some(format!("{} frames are too few", a.len().min(p.len()))));
    }
    match method {
        PairMethod::Lag => {
            let lag = best_lag(&a, &p, actor.fps());
            let times = (0..a.len() as isize)
                .map(|i| (0..p.len() as isize).contains(&(i + lag)).then_some((i + lag) as f64))
                .collect();
            Ok(Pairing { times, lag_s: lag as f64 / actor.fps(), correlation: correlation(&a, &p, lag, 1).0 })
        }
        PairMethod::Dtw => {
            let unfit = |error: &dyn std::fmt::Display| Some(error.to_string());
            let map = Stance::clip(performer, Whose::Source)
                .and_then(|from| Ok((from, Stance::clip(actor, Whose::Target)?)))
                .and_then(|(from, onto)| build_retarget(&from, &onto))
                .map_err(|error| unfit(&error))?;
            let moved =
                retarget_with(&map, performer, &RetargetConfig::default(), &mut |s| progress(0.5 * s))
                    .map_err(|error| unfit(&error))?;
            let found = align(actor, &moved.clip, &mut |s| progress(0.5 + 0.5 * s)).map_err(|e| match e {
                AlignError::Cancelled(_) => None,
                error => unfit(&error),
            })?;
            let mut times = vec![None; a.len()];
            for (i, &t) in found.frames.clone().zip(&found.times) {
                times[i] = Some(t.clamp(0.0, (p.len() - 1) as f64));
            }
            let lags = found.frames.clone().zip(&found.times).map(|(i, t)| t - i as f64);
            let lag_s = lags.sum::<f64>() / found.frames.len().max(1) as f64 / actor.fps();
            let correlation = warped_correlation(&a, &p, &times);
            Ok(Pairing { times, lag_s, correlation })
        }
    }
}

/// All coordinates of every frame, about their mean.
struct Series {
    width: usize,
    values: Vec<f64>,
}

impl Series {
    fn new(points: &BodyPoints) -> Self {
        let width = 3 * points.num_points();
        let mut values: Vec<f64> = (0..points.num_frames())
            .flat_map(|frame| points.frame(frame).iter().flat_map(|p: &Vec3| p.to_array()))
            .map(f64::from)
            .collect();
        let n = points.num_frames().max(1) as f64;
        let mut mean = vec![0.0; width];
        for row in values.chunks_exact(width) {
            for (m, v) in mean.iter_mut().zip(row) {
                *m += v / n;
            }
        }
        for row in values.chunks_exact_mut(width) {
            for (m, v) in mean.iter().zip(row) {
                *v -= m;
            }
        }
        Self { width, values }
    }

    fn len(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..(i + 1) * self.width]
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Correlation of all coordinates where frame i of `a` meets frame i + lag of `p`, every `stride` frames, and the share
/// of the shorter motion that meets.
fn correlation(a: &Series, p: &Series, lag: isize, stride: usize) -> (f64, f64) {
    let from = (-lag).max(0) as usize;
    let to = (a.len() as isize).min(p.len() as isize - lag).max(0) as usize;
    let (mut ap, mut aa, mut pp) = (0.0, 0.0, 0.0);
    for i in (from..to).step_by(stride) {
        let (x, y) = (a.row(i), p.row((i as isize + lag) as usize));
        ap += dot(x, y);
        aa += dot(x, x);
        pp += dot(y, y);
    }
    let share = to.saturating_sub(from) as f64 / a.len().min(p.len()) as f64;
    let norm = (aa * pp).sqrt();
    (if norm > 0.0 { ap / norm } else { 0.0 }, share)
}

/// The lag of greatest correlation, short overlaps counting less by the root of their share.
fn best_lag(a: &Series, p: &Series, fps: f64) -> isize {
    let stride = ((fps / SEARCH_HZ).round() as isize).max(1);
    let (n, m) = (a.len() as isize, p.len() as isize);
    let score = |lag: isize, stride: usize| {
        let (correlation, share) = correlation(a, p, lag, stride);
        if share < MIN_OVERLAP { f64::NEG_INFINITY } else { correlation * share.sqrt() }
    };
    // Of equal scores the smallest lag.
    let best = |lags: &mut dyn Iterator<Item = isize>, stride: usize| {
        lags.map(|lag| (score(lag, stride), lag))
            .max_by(|x, y| x.0.total_cmp(&y.0).then(y.1.abs().cmp(&x.1.abs())))
            .map_or(0, |(_, lag)| lag)
    };
    let coarse = best(&mut (-n / stride..=m / stride).map(|k| k * stride), stride as usize);
    best(&mut (coarse - stride..=coarse + stride), 1)
}

fn warped_correlation(a: &Series, p: &Series, times: &[Option<f64>]) -> f64 {
    let (mut ap, mut aa, mut pp) = (0.0, 0.0, 0.0);
    for (i, time) in times.iter().enumerate() {
        let Some(t) = time else { continue };
        let (x, y) = (a.row(i), p.row((t.round() as usize).min(p.len() - 1)));
        ap += dot(x, y);
        aa += dot(x, x);
        pp += dot(y, y);
    }
    let norm = (aa * pp).sqrt();
    if norm > 0.0 { ap / norm } else { 0.0 }
}
