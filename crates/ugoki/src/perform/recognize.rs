//! Which piece of which motion a performer is in, frame by frame.
//!
//! The distances of the live frame to every sample of every pattern are computed once, in columns of one coordinate each so
//! that eight samples are compared at a time; every method then reads them its own way.

use std::fmt;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::Model;
use super::model::SAMPLES;

/// How pieces are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The paper's: least sum of distances to all samples of a pattern.
    Sum,
    /// Least distance to any sample.
    #[default]
    Nearest,
    /// Least distance of the last tenths of a second to a stretch of a pattern.
    Window,
    /// One-pass dynamic programming over all patterns \[ney1984\].
    Dp,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sum => "sum",
            Self::Nearest => "nearest",
            Self::Window => "window",
            Self::Dp => "dp",
        })
    }
}

/// What a frame was taken for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recognized {
    /// Number of the motion in the model.
    pub motion: usize,
    /// Number of the piece in the motion.
    pub piece: usize,
    /// Nearest sample of the piece's pattern, as a share of the piece (0 to 1).
    pub place: f32,
    /// How much nearer than the next best motion, 0 to 1; against the next best piece where there is one motion.
    pub margin: f32,
    /// Mean distance of the points to the nearest sample, leg lengths.
    pub distance: f32,
}

/// Length of the window method's window, seconds: a tenth is what one-pass programming needed in the paper.
const WINDOW_S: f64 = 0.1;
/// Most frames of a window, whatever the rate.
const MAX_WINDOW: usize = 24;

/// One pattern among all.
#[derive(Debug, Clone, Copy)]
struct Unit {
    motion: usize,
    piece: usize,
    /// Samples per second when it was performed.
    rate: f32,
}

/// Compares live frames with a model; holds what its method remembers.
#[derive(Debug, Clone)]
pub struct Recognizer {
    method: Method,
    hysteresis: usize,
    num_points: usize,
    units: Vec<Unit>,
    /// Coordinate after coordinate, each with all samples of all units.
    columns: Vec<f32>,
    /// Distance to every sample, now.
    now: Vec<f32>,
    /// Distances of earlier frames, newest first (window); accumulated costs (dp).
    before: Vec<Vec<f32>>,
    scores: Vec<f32>,
    /// Piece shown, and for how many frames another has been nearer.
    shown: Option<(usize, usize)>,
    waiting: usize,
}

impl Recognizer {
    /// `hysteresis` frames must agree on another piece before it is taken; 0 takes it at once.
    #[must_use]
    pub fn build(model: &Model, method: Method, hysteresis: usize) -> Self {
        let num_points = model.roles.len();
        let mut units = Vec::new();
        let mut frames: Vec<&[Vec3]> = Vec::new();
        for (m, motion) in model.motions.iter().enumerate() {
            for (p, piece) in motion.pieces.iter().enumerate() {
                for pattern in &piece.patterns {
                    let rate = (SAMPLES - 1) as f64 / pattern.seconds.max(1e-3);
                    units.push(Unit { motion: m, piece: p, rate: rate as f32 });
                    frames.extend(pattern.points.chunks_exact(num_points.max(1)).take(SAMPLES));
                }
            }
        }
        let mut columns = Vec::with_capacity(frames.len() * num_points * 3);
        for point in 0..num_points {
            for axis in 0..3 {
                columns.extend(frames.iter().map(|frame| frame[point][axis]));
            }
        }
        let total = frames.len();
        Self {
            method,
            hysteresis,
            num_points,
            scores: vec![0.0; units.len()],
            units,
            columns,
            now: vec![0.0; total],
            before: Vec::new(),
            shown: None,
            waiting: 0,
        }
    }

    /// Makes room for a stream of this rate, so that [`Recognizer::step`] does not allocate.
    pub fn prepare(&mut self, fps: f64) {
        let frames = match self.method {
            Method::Sum | Method::Nearest => 0,
            Method::Window => ((WINDOW_S * fps).round() as usize).clamp(1, MAX_WINDOW),
            Method::Dp => 2,
        };
        self.before = vec![vec![f32::NAN; self.now.len()]; frames];
    }

    /// Takes one frame: the model's points in leg lengths, not finite where a point was not seen. `None` when no point
    /// was, or the model is empty.
    pub fn step(&mut self, points: &[Vec3], seconds: f64) -> Option<Recognized> {
        if !self.measure(points) {
            return None;
        }
        match self.method {
            Method::Sum => self.score(|samples| samples.iter().sum::<f32>() / SAMPLES as f32),
            Method::Nearest => self.score(least),
            Method::Window => self.window(seconds as f32),
            Method::Dp => self.dp(),
        }
        let best = least_at(&self.scores)?;
        let mut unit = self.units[best];
        let wanted = (unit.motion, unit.piece);
        match self.shown {
            Some(shown) if shown != wanted && self.waiting < self.hysteresis => {
                self.waiting += 1;
                let own = |u: &Unit| (u.motion, u.piece) == shown;
                unit = *self.units.iter().find(|u| own(u))?;
            }
            _ => {
                self.waiting = 0;
                self.shown = Some(wanted);
            }
        }
        Some(self.tell(unit))
    }

    /// Sums of distances of all points to every sample, as if every point had been seen.
    fn measure(&mut self, points: &[Vec3]) -> bool {
        let total = self.now.len();
        self.now.fill(0.0);
        let mut seen = 0;
        for (point, p) in points.iter().enumerate().take(self.num_points).filter(|(_, p)| p.is_finite()) {
            seen += 1;
            let column =
                |axis: usize| &self.columns[(3 * point + axis) * total..(3 * point + axis + 1) * total];
            let (xs, ys, zs) = (column(0), column(1), column(2));
            for (((sum, x), y), z) in self.now.iter_mut().zip(xs).zip(ys).zip(zs) {
                let (dx, dy, dz) = (x - p.x, y - p.y, z - p.z);
                *sum += (dx * dx + dy * dy + dz * dz).sqrt();
            }
        }
        if seen > 0 && seen < self.num_points {
            let scale = self.num_points as f32 / seen as f32;
            self.now.iter_mut().for_each(|d| *d *= scale);
        }
        seen > 0 && total > 0
    }

    fn score(&mut self, of: impl Fn(&[f32]) -> f32) {
        for (score, samples) in self.scores.iter_mut().zip(self.now.chunks_exact(SAMPLES)) {
            *score = of(samples);
        }
    }

    fn window(&mut self, seconds: f32) {
        for (unit, score) in self.scores.iter_mut().enumerate() {
            let rate = self.units[unit].rate * seconds;
            let own = unit * SAMPLES..(unit + 1) * SAMPLES;
            let at = |sample: usize| {
                let mut sum = self.now[own.start + sample];
                let mut count = 1.0;
                for (age, frame) in self.before.iter().enumerate() {
                    let back = ((age + 1) as f32 * rate).round() as usize;
                    let d = frame[own.start + sample.saturating_sub(back)];
                    if d.is_nan() {
                        break;
                    }
                    sum += d;
                    count += 1.0;
                }
                sum / count
            };
            *score = (0..SAMPLES).map(at).fold(f32::INFINITY, f32::min);
        }
        self.before.rotate_right(1);
        if let Some(newest) = self.before.first_mut() {
            newest.copy_from_slice(&self.now);
        }
    }

    fn dp(&mut self) {
        if self.before.len() < 2 {
            self.score(least);
            return;
        }
        let (costs, next) = self.before.split_at_mut(1);
        let (costs, next) = (&mut costs[0], &mut next[0]);
        if costs[0].is_nan() {
            costs.copy_from_slice(&self.now);
        } else {
            // A pattern may begin when any has ended.
            let ended =
                costs.chunks_exact(SAMPLES).map(|unit| unit[SAMPLES - 1]).fold(f32::INFINITY, f32::min);
            for (unit, d) in self.now.chunks_exact(SAMPLES).enumerate() {
                let own = &costs[unit * SAMPLES..(unit + 1) * SAMPLES];
                for (sample, d) in d.iter().enumerate() {
                    let from = match sample {
                        0 => own[0].min(ended),
                        1 => own[1].min(own[0]),
                        _ => own[sample].min(own[sample - 1]).min(own[sample - 2]),
                    };
                    next[unit * SAMPLES + sample] = from + d;
                }
            }
            // Only differences matter; the least is kept at 0.
            let floor = least(next);
            for (cost, next) in costs.iter_mut().zip(next.iter()) {
                *cost = next - floor;
            }
        }
        for (score, unit) in self.scores.iter_mut().zip(self.before[0].chunks_exact(SAMPLES)) {
            *score = least(unit);
        }
    }

    fn tell(&self, unit: Unit) -> Recognized {
        let same = |u: &Unit| (u.motion, u.piece) == (unit.motion, unit.piece);
        let (mut distance, mut place) = (f32::INFINITY, 0);
        for (_, samples) in
            self.units.iter().zip(self.now.chunks_exact(SAMPLES)).filter(|(other, _)| same(other))
        {
            for (sample, &d) in samples.iter().enumerate() {
                if d < distance {
                    (distance, place) = (d, sample);
                }
            }
        }
        let one_motion = self.units.iter().all(|u| u.motion == unit.motion);
        let rival = |u: &Unit| if one_motion { u.piece != unit.piece } else { u.motion != unit.motion };
        let scored = |keep: &dyn Fn(&Unit) -> bool| {
            let pairs = self.units.iter().zip(&self.scores).filter(|(u, _)| keep(u));
            pairs.map(|(_, &score)| score).fold(f32::INFINITY, f32::min)
        };
        let (own, other) = (scored(&same), scored(&rival));
        let margin = match other {
            other if !other.is_finite() => 1.0,
            other if other > 0.0 => ((other - own) / other).clamp(0.0, 1.0),
            _ => 0.0,
        };
        Recognized {
            motion: unit.motion,
            piece: unit.piece,
            place: place as f32 / (SAMPLES - 1) as f32,
            margin,
            distance: distance / self.num_points.max(1) as f32,
        }
    }
}

fn least(values: &[f32]) -> f32 {
    values.iter().copied().fold(f32::INFINITY, f32::min)
}

/// Where the least value is; the first of equal ones.
fn least_at(values: &[f32]) -> Option<usize> {
    (0..values.len()).filter(|&i| !values[i].is_nan()).min_by(|&a, &b| values[a].total_cmp(&values[b]))
}
