//! Lower bounds of the distance of patterns to a performer that has moved since they were compared.
//!
//! A pattern's distance is a sum of distances of points, so it falls by no more than the points have moved, summed.
//! What was found once, or is known to be no nearer than a bound, need not be looked at again until the performer has
//! come that far.

use glam::Vec3;

/// How many frames like the last one a bound should outlast; a longer one costs more points to find.
const AHEAD: f32 = 4.0;
/// What rounding may take from a bound, as a fraction of it and of the way that was gone since.
const ROUNDING: f64 = 1e-5;

/// Least distances of all patterns, summed over points as if every point had been seen.
#[derive(Debug, Clone)]
pub(super) struct Floors {
    /// Of every pattern, plus the way gone until it was found.
    floors: Vec<f64>,
    /// The way that the performer has gone, and in the last frame.
    way: f64,
    step: f32,
    before: Vec<(usize, Vec3)>,
    /// What every point that is seen counts.
    scale: f32,
    num_points: usize,
}

impl Floors {
    pub(super) fn new(patterns: usize, num_points: usize) -> Self {
        Self {
            floors: vec![0.0; patterns],
            way: 0.0,
            step: 0.0,
            before: Vec::with_capacity(num_points),
            scale: 1.0,
            num_points,
        }
    }

    /// Takes the points of a frame. When others are seen than before, nothing is known any more.
    pub(super) fn moved(&mut self, live: &[(usize, Vec3)]) {
        let same = live.len() == self.before.len() && live.iter().zip(&self.before).all(|(a, b)| a.0 == b.0);
        if same {
            let way: f32 = live.iter().zip(&self.before).map(|(a, b)| a.1.distance(b.1)).sum();
            self.step = way * self.scale;
            self.way += f64::from(self.step) * (1.0 + ROUNDING);
        } else {
            self.scale = self.num_points as f32 / live.len().max(1) as f32;
            self.step = 0.0;
            self.floors.fill(0.0);
            self.way = 0.0;
        }
        self.before.clear();
        self.before.extend_from_slice(live);
    }

    /// What a pattern's distance is at least now.
    pub(super) fn bound(&self, pattern: usize) -> f32 {
        (self.floors[pattern] - self.way).max(0.0) as f32
    }

    /// A bound that is worth looking for where `limit` is to be exceeded.
    pub(super) fn wanted(&self, limit: f32) -> f32 {
        limit + AHEAD * self.step
    }

    /// Keeps what a pattern's distance is at least.
    pub(super) fn put(&mut self, pattern: usize, distance: f32) {
        self.floors[pattern] = f64::from(distance) * (1.0 - ROUNDING) + self.way;
    }
}
