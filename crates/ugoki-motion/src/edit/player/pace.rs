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

impl Pace {
    pub(super) fn steady(rate: f32) -> Self {
        Self { from: rate, to: rate, start: 0.0, end: 0.0 }
    }

    /// Source frames per frame of the source's rate.
    pub(super) fn at(&self, time: f64) -> f32 {
        if time >= self.end || self.end <= self.start {
            return self.to;
        }
        self.from + (self.to - self.from) * ease(((time - self.start) / (self.end - self.start)) as f32)
    }
}

/// Exponent of a step's time over its length: T ∝ L^p, fitted to the captured walks (docs/results/segments.md).
const EXPONENT: f32 = -0.4;
/// Lengths below this share of a leg count as this long: a step on the spot takes time too.
const SHORTEST: f32 = 0.35;
/// Rates between which a source still looks like itself.
const RATES: [f32; 2] = [0.65, 1.35];
/// Rates this near 1 are 1, so that frames of the source stay frames.
const SAME: f32 = 2e-3;

/// The rate at which a step of `wished` metres is played that is `captured` metres long in the source.
pub(super) fn rate(wished: f32, captured: f32, leg_m: f32) -> f32 {
    let least = SHORTEST * leg_m;
    let ratio = wished.max(least) / captured.max(least);
    let rate = ratio.powf(-EXPONENT).clamp(RATES[0], RATES[1]);
    if (rate - 1.0).abs() < SAME { 1.0 } else { rate }
}
