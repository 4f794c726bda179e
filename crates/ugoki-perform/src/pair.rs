//! Which moment of an imitation belongs to which frame of the actor.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_base::{Cancelled, Progress, report};
use ugoki_motion::blend::{AlignError, align};
use ugoki_motion::retarget::{RetargetConfig, RetargetError, Stance, Whose, build_retarget, retarget_with};
use ugoki_motion::segment::BodyPoints;

/// How frames are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum PairMethod {
    /// The imitation runs in parallel with the actor, later by one lag.
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
    /// The one lag in frames; none for a warp.
    pub lag: Option<isize>,
    /// How much later the imitation is, seconds (for a warp: on average).
    pub lag_s: f64,
    /// How alike the paired motions are, −1 to 1.
    pub correlation: f64,
}

/// Least fraction of the shorter motion that must overlap.
const MIN_OVERLAP: f64 = 0.5;
/// Rate of the search for a lag, hertz; every frame is tried around the best one found.
const SEARCH_HZ: f64 = 30.0;

/// Pairs an imitation, at the actor's rate, with the actor's motion; `points` are both bodies' points of the same
/// roles, in leg lengths.
///
/// # Errors
/// A reason in words, or `None` when the caller stops.
pub fn pair(
    [actor, performer]: [&Clip; 2],
    points: [&BodyPoints; 2],
    method: PairMethod,
    progress: Progress<'_>,
) -> Result<Pairing, Option<String>> {
    let seen = always_seen(points);
    let [a, p] = points.map(|body| Series::new(body, &seen));
    if a.len().min(p.len()) < 3 {
        return Err(Some(format!("{} frames are too few", a.len().min(p.len()))));
    }
    match method {
        PairMethod::Lag => {
            let lag = best_lag(&a, &p, actor.fps(), progress).map_err(|Cancelled| None)?;
            let times = (0..a.len() as isize)
                .map(|i| (0..p.len() as isize).contains(&(i + lag)).then_some((i + lag) as f64))
                .collect();
            let correlation = correlation(&a, &p, lag, 1).0;
            Ok(Pairing { times, lag: Some(lag), lag_s: lag as f64 / actor.fps(), correlation })
        }
        PairMethod::Dtw => {
            let unfit = |error: &dyn std::fmt::Display| Some(error.to_string());
            let map = Stance::clip(performer, Whose::Source)
                .and_then(|from| Ok((from, Stance::clip(actor, Whose::Target)?)))
                .and_then(|(from, onto)| build_retarget(&from, &onto))
                .map_err(|error| unfit(&error))?;
            let moved =
                retarget_with(&map, performer, &RetargetConfig::default(), &mut |s| progress(0.5 * s))
                    .map_err(|error| match error {
                        RetargetError::Cancelled(_) => None,
                        error => unfit(&error),
                    })?;
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
            Ok(Pairing { times, lag: None, lag_s, correlation })
        }
    }
}

/// Points that are seen whenever any is; all where there is none. Others would be compared in part of the time only,
/// and the lag be one that suits that part.
fn always_seen(points: [&BodyPoints; 2]) -> Vec<usize> {
    let frames = || points.into_iter().flat_map(|body| (0..body.num_frames()).map(|i| body.frame(i)));
    let some = |frame: &&[Vec3]| frame.iter().any(|p| p.is_finite());
    let always = |point: &usize| frames().filter(some).all(|frame| frame[*point].is_finite());
    let all = 0..points[0].num_points();
    let found: Vec<usize> = all.clone().filter(always).collect();
    if found.is_empty() { all.collect() } else { found }
}

/// All coordinates of every frame, about their mean; those that are not seen are the mean.
struct Series {
    width: usize,
    values: Vec<f64>,
    /// Frames in which nothing is seen.
    lost: Vec<bool>,
}

impl Series {
    fn new(body: &BodyPoints, points: &[usize]) -> Self {
        let width = 3 * points.len();
        let row = |frame: usize| points.iter().flat_map(move |&point| body.frame(frame)[point].to_array());
        let mut values: Vec<f64> = (0..body.num_frames()).flat_map(row).map(f64::from).collect();
        let (mut counts, mut mean) = (vec![0.0; width], vec![0.0; width]);
        for row in values.chunks_exact(width) {
            counts.iter_mut().zip(row).for_each(|(n, v)| *n += f64::from(u8::from(v.is_finite())));
        }
        for row in values.chunks_exact(width) {
            for ((m, n), v) in mean.iter_mut().zip(&counts).zip(row).filter(|(_, v)| v.is_finite()) {
                *m += v / n;
            }
        }
        let lost = values.chunks_exact(width).map(|row| row.iter().all(|v| !v.is_finite())).collect();
        for row in values.chunks_exact_mut(width) {
            for (m, v) in mean.iter().zip(row) {
                *v = if v.is_finite() { *v - m } else { 0.0 };
            }
        }
        Self { width, values, lost }
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

/// Correlation of all coordinates where frame i of `a` meets frame i + lag of `p`, every `stride` frames, and the
/// fraction of the shorter motion that meets.
fn correlation(a: &Series, p: &Series, lag: isize, stride: usize) -> (f64, f64) {
    let from = (-lag).max(0) as usize;
    let to = (a.len() as isize).min(p.len() as isize - lag).max(0) as usize;
    let (mut ap, mut aa, mut pp) = (0.0, 0.0, 0.0);
    for i in (from..to).step_by(stride) {
        let other = (i as isize + lag) as usize;
        if a.lost[i] || p.lost[other] {
            continue;
        }
        let (x, y) = (a.row(i), p.row(other));
        ap += dot(x, y);
        aa += dot(x, x);
        pp += dot(y, y);
    }
    let fraction = to.saturating_sub(from) as f64 / a.len().min(p.len()) as f64;
    let norm = (aa * pp).sqrt();
    (if norm > 0.0 { ap / norm } else { 0.0 }, fraction)
}

/// The lag of greatest correlation, short overlaps counting less by the square root of their fraction.
fn best_lag(a: &Series, p: &Series, fps: f64, progress: Progress<'_>) -> Result<isize, Cancelled> {
    let stride = ((fps / SEARCH_HZ).round() as isize).max(1);
    let (n, m) = (a.len() as isize, p.len() as isize);
    let score = |lag: isize, stride: usize| {
        let (correlation, fraction) = correlation(a, p, lag, stride);
        if fraction < MIN_OVERLAP { f64::NEG_INFINITY } else { correlation * fraction.sqrt() }
    };
    // Of equal scores the smallest lag.
    let better = |x: (f64, isize), y: (f64, isize)| {
        let order = x.0.total_cmp(&y.0).then(y.1.abs().cmp(&x.1.abs()));
        if order.is_gt() { x } else { y }
    };
    let (first, last) = (-n / stride, m / stride);
    let mut best = None;
    for k in first..=last {
        report(progress, (k - first) as f32 / (last - first + 1) as f32)?;
        let found = (score(k * stride, stride as usize), k * stride);
        best = Some(best.map_or(found, |best| better(best, found)));
    }
    let coarse = best.map_or(0, |(_, lag)| lag);
    let fine = (coarse - stride..=coarse + stride).map(|lag| (score(lag, 1), lag));
    Ok(fine.reduce(better).map_or(0, |(_, lag)| lag))
}

/// Least gain in correlation for which a piece leaves the lag of the whole: what noise alone gains is less.
const MIN_GAIN: f64 = 0.02;
/// What is looked at before and after a piece to place it, seconds: the changes of speed at its ends.
const MARGIN_S: f64 = 0.25;

/// How many frames later than by the lag of the whole a piece of the actor's motion, `frames`, is imitated: the shift
/// of up to `reach` frames with the greatest correlation of all coordinates, each about its mean over the piece. No
/// imitator keeps another's time throughout a motion, and half a piece's length of error is half the regression.
pub(super) fn piece_shift(
    [actor, performer]: [&BodyPoints; 2],
    frames: std::ops::Range<usize>,
    lag: isize,
    reach: isize,
    fps: f64,
) -> isize {
    let margin = (MARGIN_S * fps).round() as usize;
    let (from, to) = (frames.start.saturating_sub(margin), (frames.end + margin).min(actor.num_frames()));
    let len = performer.num_frames() as isize;
    let score = |shift: isize| {
        let met = |i: &usize| (0..len).contains(&(*i as isize + lag + shift));
        let rows: Vec<usize> = (from..to).filter(met).collect();
        // A piece that the imitation only begins, or has only the end of, is placed by chance.
        if rows.len() < 3 || 10 * rows.len() < 9 * (to - from) {
            return f64::NEG_INFINITY;
        }
        let rival = |i: usize| performer.frame((i as isize + lag + shift) as usize);
        let (mut ap, mut aa, mut pp) = (0.0, 0.0, 0.0);
        for point in 0..actor.num_points() {
            let seen = || rows.iter().copied().filter(|&i| rival(i)[point].is_finite());
            let n = seen().count() as f32;
            let mean = |at: &dyn Fn(usize) -> Vec3| seen().map(at).sum::<Vec3>() / n;
            let (a, p) = (mean(&|i| actor.frame(i)[point]), mean(&|i| rival(i)[point]));
            for i in seen() {
                let (x, y) = (actor.frame(i)[point] - a, rival(i)[point] - p);
                ap += f64::from(x.dot(y));
                aa += f64::from(x.dot(x));
                pp += f64::from(y.dot(y));
            }
        }
        let norm = (aa * pp).sqrt();
        if norm > 0.0 { ap / norm } else { 0.0 }
    };
    // Every second frame, then its neighbours; of equal scores the smallest shift.
    let best = |shifts: &mut dyn Iterator<Item = isize>| {
        shifts
            .map(|shift| (score(shift), shift))
            .max_by(|x, y| x.0.total_cmp(&y.0).then(y.1.abs().cmp(&x.1.abs())))
            .unwrap_or((f64::NEG_INFINITY, 0))
    };
    let coarse = best(&mut (-reach / 2..=reach / 2).map(|k| 2 * k)).1;
    let (found, shift) = best(&mut (coarse - 1..=coarse + 1));
    if found > score(0) + MIN_GAIN { shift } else { 0 }
}

fn warped_correlation(a: &Series, p: &Series, times: &[Option<f64>]) -> f64 {
    let (mut ap, mut aa, mut pp) = (0.0, 0.0, 0.0);
    for (i, time) in times.iter().enumerate() {
        let Some(t) = time else { continue };
        let other = (t.round() as usize).min(p.len() - 1);
        if a.lost[i] || p.lost[other] {
            continue;
        }
        let (x, y) = (a.row(i), p.row(other));
        ap += dot(x, y);
        aa += dot(x, x);
        pp += dot(y, y);
    }
    let norm = (aa * pp).sqrt();
    if norm > 0.0 { ap / norm } else { 0.0 }
}
