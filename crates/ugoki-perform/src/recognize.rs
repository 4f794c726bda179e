//! Which piece of which motion a performer is in, as the paper recognises it \[shibata2005, 2.5\].
//!
//! Every pattern of every piece has 60 samples. The distance of the live frame to a sample is the sum over points of the
//! unsquared distances. `paper` sums it over all samples of a pattern; `dp` is one-pass dynamic programming \[ney1984\].

use glam::Vec3;

use super::Model;
use super::config::Method;
use super::model::SAMPLES;

/// What a frame was taken for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recognized {
    /// Number of the motion in the model.
    pub motion: usize,
    /// Number of the piece in the motion.
    pub piece: usize,
    /// How much nearer than the next best motion, 0 to 1; against the next best piece where there is one motion.
    pub margin: f32,
}

/// One pattern among all.
#[derive(Debug, Clone, Copy)]
struct Unit {
    motion: usize,
    piece: usize,
}

/// Compares live frames with a model; holds what its method remembers.
#[derive(Debug, Clone)]
pub struct Recognizer {
    method: Method,
    num_motions: usize,
    num_points: usize,
    units: Vec<Unit>,
    /// Unit after unit, point after point: x, y and z of all samples.
    columns: Vec<[f32; SAMPLES]>,
    /// Distance to every sample of every unit, now.
    now: Vec<[f32; SAMPLES]>,
    /// Accumulated costs of dynamic programming; empty before the first frame.
    costs: Vec<[f32; SAMPLES]>,
    begun: bool,
    scores: Vec<f32>,
}

impl Recognizer {
    /// Compares by `method`; following is not its matter and counts as the paper's.
    #[must_use]
    pub fn build(model: &Model, method: Method) -> Self {
        let num_points = model.roles.len();
        let (mut units, mut columns) = (Vec::new(), Vec::new());
        for (motion, of) in model.motions.iter().enumerate() {
            for (piece, of) in of.pieces.iter().enumerate() {
                for pattern in of.patterns.iter().filter(|p| p.points.len() >= SAMPLES * num_points) {
                    units.push(Unit { motion, piece });
                    for point in 0..num_points {
                        for axis in 0..3 {
                            let at = |sample: usize| pattern.points[sample * num_points + point][axis];
                            columns.push(std::array::from_fn(at));
                        }
                    }
                }
            }
        }
        let count = units.len();
        Self {
            method,
            num_motions: model.motions.len(),
            num_points,
            units,
            columns,
            now: vec![[0.0; SAMPLES]; count],
            costs: vec![[0.0; SAMPLES]; count],
            begun: false,
            scores: vec![0.0; count],
        }
    }

    /// Takes one frame: the model's points in leg lengths and on usual bones, not finite where a point was not seen. `None`
    /// when no point was, or the model is empty.
    pub fn step(&mut self, points: &[Vec3]) -> Option<Recognized> {
        let seen = points.iter().filter(|p| p.is_finite()).count();
        if seen == 0 || self.units.is_empty() {
            return None;
        }
        for (unit, now) in self.now.iter_mut().enumerate() {
            let columns = &self.columns[3 * unit * self.num_points..3 * (unit + 1) * self.num_points];
            *now = [0.0; SAMPLES];
            for (some, p) in columns.chunks_exact(3).zip(points).filter(|(_, p)| p.is_finite()) {
                for i in 0..SAMPLES {
                    let (dx, dy, dz) = (some[0][i] - p.x, some[1][i] - p.y, some[2][i] - p.z);
                    now[i] += (dx * dx + dy * dy + dz * dz).sqrt();
                }
            }
        }
        match self.method {
            Method::Dp => self.dynamic_programming(),
            Method::Follow | Method::Paper => {
                for (score, now) in self.scores.iter_mut().zip(&self.now) {
                    *score = now.iter().sum();
                }
            }
        }
        let best = (0..self.units.len()).min_by(|&a, &b| self.scores[a].total_cmp(&self.scores[b]))?;
        let unit = self.units[best];
        // Costs of dynamic programming are known up to a constant only: there this frame decides.
        let score = |number: usize| match self.method {
            Method::Dp => self.now[number].iter().copied().fold(f32::INFINITY, f32::min),
            _ => self.scores[number],
        };
        let key = |unit: Unit| if self.num_motions == 1 { unit.piece } else { unit.motion };
        let least = |kin: bool| {
            let own = (0..self.units.len()).filter(|&i| (key(self.units[i]) == key(unit)) == kin);
            own.map(score).fold(f32::INFINITY, f32::min)
        };
        let (own, other) = (least(true), least(false));
        let margin = if !other.is_finite() {
            1.0
        } else if other > 0.0 {
            ((other - own) / other).clamp(0.0, 1.0)
        } else {
            0.0
        };
        Some(Recognized { motion: unit.motion, piece: unit.piece, margin })
    }

    fn dynamic_programming(&mut self) {
        if self.begun {
            // A pattern may begin when any has ended.
            let ended = self.costs.iter().map(|unit| unit[SAMPLES - 1]).fold(f32::INFINITY, f32::min);
            let mut least = f32::INFINITY;
            for (costs, now) in self.costs.iter_mut().zip(&self.now) {
                for sample in (0..SAMPLES).rev() {
                    let from = match sample {
                        0 => costs[0].min(ended),
                        1 => costs[1].min(costs[0]),
                        _ => costs[sample].min(costs[sample - 1]).min(costs[sample - 2]),
                    };
                    costs[sample] = from + now[sample];
                    least = least.min(costs[sample]);
                }
            }
            // Only differences matter; the least is kept at 0.
            self.costs.iter_mut().flatten().for_each(|cost| *cost -= least);
        } else {
            self.costs.copy_from_slice(&self.now);
            self.begun = true;
        }
        for (score, costs) in self.scores.iter_mut().zip(&self.costs) {
            *score = costs.iter().copied().fold(f32::INFINITY, f32::min);
        }
    }
}
