//! How long a step takes when its length changes.

use super::interpolate::ease;

/// How fast the source is played: from one rate to another between two times, in source frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pace {
    pub(super) from: f32,
    pub(super) to: f32,
    pub(super) start: f64,
    pub(super) end: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { from: 1.0, to: 1.0, start: 0.0, end: 0.0 }
    }
}

impl Pace {
    /// Source frames per frame of the source's rate.
    pub(super) fn at(&self, time: f64) -> f32 {
        if time >= self.end || self.end <= self.start {
            return self.to;
        }
        self.from + (self.to - self.from) * ease(((time - self.start) / (self.end - self.start)) as f32)
    }
}

/// Exponent of a step's rate over its length: T ∝ L^−0.4, fitted to the captured walks (docs/results/segments.md).
const EXPONENT: f32 = 0.4;
/// Lengths below this part of a leg count as this long: a step on the spot takes time too.
const SHORTEST: f32 = 0.35;
/// Rates between which a source still looks like itself.
pub(super) const RATES: [f32; 2] = [0.65, 1.35];
/// Rates this near 1 are 1, so that frames of the source stay frames.
const SAME: f32 = 2e-3;

/// The rate at which a step of `planned` metres is played that is `captured` metres long in the source.
pub(super) fn rate(planned: f32, captured: f32, leg_m: f32) -> f32 {
    let least = SHORTEST * leg_m;
    let rate = (planned.max(least) / captured.max(least)).powf(EXPONENT).clamp(RATES[0], RATES[1]);
    if (rate - 1.0).abs() < SAME { 1.0 } else { rate }
}
