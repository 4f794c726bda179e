//! Eight rotations at a time: weighted means of neighbouring frames without one call to `atan2`.
//!
//! With `w` the dot product of two unit quaternions, log(m⁻¹q) = f(w)·vec(m⁻¹q) where
//! f(w) = 2·acos(w)/√(1−w²). On 0 ≤ w ≤ 1, all that a sign-corrected pair can give, f is smooth and a
//! short polynomial reaches it to rounding. And vec(m⁻¹q) is linear in q, so the sum of weighted
//! logarithms is vec(m⁻¹·Σ hₖ·f(wₖ)·qₖ): per tap one dot product, one polynomial, one multiply-add.
//! The same sum's scalar part, Σ hₖ·f(wₖ)·wₖ, gives the convergence rate of the iteration (see [`exact`]).
//!
//! Plain arrays of eight f32 in plain loops; the compiler turns them into whatever vectors the target
//! has. On x86-64 the same source is compiled a second time for AVX2 and chosen at run time. No
//! operation is fused or reordered, so both give the same bits.

use std::ops::{Add, Mul, Sub};

/// How many frames are worked on together.
pub const LANES: usize = 8;

/// Remaining error at which the iteration ends, radians: a few units of what f32 quaternions tell apart.
const CONVERGED_RAD: f32 = 1e-6;
/// Most iterations, as the method's description fixes.
const MAX_STEPS: usize = 32;
/// cos(45°): the dot product of two rotations 90° apart. Windows that reach farther may hold more than one
/// mean, and the iteration then starts at the centre.
const NEAR: f32 = std::f32::consts::FRAC_1_SQRT_2;
/// cos(22.5°): the dot product of two rotations 45° apart.
const VERY_NEAR: f32 = 0.923_879_5;
/// cos(42.5°): of two rotations 85° apart. A window that reaches farther from its mean may have another that costs nearly
/// as little, and from 90° on one that costs less.
const UNIQUE: f32 = 0.737_277_3;

/// f(w) as a polynomial in 1 − w, lowest power first: Chebyshev fit on [0, 1], largest relative error
/// 8.2e-8 (checked by a test).
const LOG_FACTOR: [f32; 9] =
    [2.0, 0.66664743, 0.2671768, 0.10915779, 0.07614095, -0.045519035, 0.11543348, -0.081475794, 0.034030672];

/// One number for each of eight frames.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
pub struct Lane(pub [f32; LANES]);

macro_rules! lane_operator {
    ($trait:ident, $function:ident, $operator:tt) => {
        impl $trait for Lane {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                let mut out = self;
                for i in 0..LANES {
                    out.0[i] = self.0[i] $operator other.0[i];
                }
                out
            }
        }
    };
}
lane_operator!(Add, add, +);
lane_operator!(Sub, sub, -);
lane_operator!(Mul, mul, *);

impl Lane {
    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    /// The first eight of `values`.
    #[inline(always)]
    pub fn load(values: &[f32]) -> Self {
        let mut lane = [0.0; LANES];
        lane.copy_from_slice(&values[..LANES]);
        Self(lane)
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        let mut out = self;
        for i in 0..LANES {
            out.0[i] = f(self.0[i]);
        }
        out
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f32::abs)
    }

    /// `self` where `sign` is positive, `−self` where it is negative.
    #[inline(always)]
    fn flipped_by(self, sign: Self) -> Self {
        let mut out = self;
        for i in 0..LANES {
            out.0[i] = f32::from_bits(self.0[i].to_bits() ^ (sign.0[i].to_bits() & 0x8000_0000));
        }
        out
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        let mut out = self;
        for i in 0..LANES {
            out.0[i] = if other.0[i] < self.0[i] { other.0[i] } else { self.0[i] };
        }
        out
    }
}

/// Eight quaternions: x, y, z, w.
#[derive(Debug, Clone, Copy)]
pub struct Quats(pub [Lane; 4]);

impl Quats {
    /// Eight frames from four slices.
    #[inline(always)]
    pub fn load([x, y, z, w]: [&[f32]; 4]) -> Self {
        Self([Lane::load(x), Lane::load(y), Lane::load(z), Lane::load(w)])
    }

    #[inline(always)]
    fn zero() -> Self {
        Self([Lane::splat(0.0); 4])
    }

    #[inline(always)]
    fn dot(&self, other: &Self) -> Lane {
        let (a, b) = (&self.0, &other.0);
        (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
    }

    #[inline(always)]
    fn add_scaled(&mut self, other: &Self, scale: Lane) {
        for c in 0..4 {
            self.0[c] = self.0[c] + scale * other.0[c];
        }
    }

    /// `self` in the lanes that `choose` names, `other` in the rest.
    #[inline(always)]
    pub fn select(&self, other: &Self, choose: impl Fn(usize) -> bool) -> Self {
        let mut out = *other;
        for c in 0..4 {
            for i in 0..LANES {
                out.0[c].0[i] = if choose(i) { self.0[c].0[i] } else { other.0[c].0[i] };
            }
        }
        out
    }

    /// Unit quaternions; `fallback` where the sum nearly vanishes.
    #[inline(always)]
    fn normalized_or(&self, fallback: &Self) -> Self {
        let square = self.dot(self);
        let scale = square.map(|s| 1.0 / s.sqrt());
        let unit = Self(self.0.map(|c| c * scale));
        // 0.01: below a tenth of full length the directions disagree by more than any mean can mend.
        unit.select(fallback, |i| square.0[i] > 0.01)
    }

    /// Vector part of conj(self)·other.
    #[inline(always)]
    fn relative_vector(&self, other: &Self) -> [Lane; 3] {
        let ([x, y, z, w], [ox, oy, oz, ow]) = (self.0, other.0);
        [
            w * ox - x * ow - y * oz + z * oy,
            w * oy + x * oz - y * ow - z * ox,
            w * oz - x * oy + y * ox - z * ow,
        ]
    }

    /// self·exp(v), unit again.
    #[inline(always)]
    fn turned(&self, v: [Lane; 3]) -> Self {
        let square = Lane::splat(0.25) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        // Series of cos and sin(x)/x in x² up to x = π/2: the first term left out is below 4e-9.
        let cosine = square.map(|s| {
            1.0 + s
                * (-0.5
                    + s * (1.0 / 24.0
                        + s * (-1.0 / 720.0
                            + s * (1.0 / 40_320.0 + s * (-1.0 / 3_628_800.0 + s / 479_001_600.0)))))
        });
        let half_sinc = square.map(|s| {
            0.5 + s
                * (-1.0 / 12.0
                    + s * (1.0 / 240.0
                        + s * (-1.0 / 10_080.0 + s * (1.0 / 725_760.0 + s * (-1.0 / 79_833_600.0)))))
        });
        let [ex, ey, ez] = v.map(|c| c * half_sinc);
        let [x, y, z, w] = self.0;
        let product = Self([
            w * ex + x * cosine + y * ez - z * ey,
            w * ey - x * ez + y * cosine + z * ex,
            w * ez + x * ey - y * ex + z * cosine,
            w * cosine - x * ex - y * ey - z * ez,
        ]);
        product.normalized_or(self)
    }
}

/// f(w) for 0 ≤ w ≤ 1.
#[inline(always)]
fn log_factor(w: Lane) -> Lane {
    let u = Lane::splat(1.0) - w;
    let mut sum = Lane::splat(LOG_FACTOR[LOG_FACTOR.len() - 1]);
    for &c in LOG_FACTOR[..LOG_FACTOR.len() - 1].iter().rev() {
        sum = sum * u + Lane::splat(c);
    }
    sum
}

/// Where the samples of a mean come from: the taps around a frame of one track (a filter), or the same
/// frame of several clips (a blend).
pub trait Samples {
    /// Hands every sample of eight frames, with its weight, to `visit`.
    fn visit(&self, visit: impl FnMut(&Quats, Lane));
    /// Whether no weight is negative; convergence can then be foretold.
    fn convex(&self) -> bool;
}

/// Normalised weighted sum, each sample turned into the hemisphere of `centre`; also the smallest |dot
/// product| of a sample with the centre.
#[inline(always)]
fn sum_near(samples: &impl Samples, centre: &Quats) -> (Quats, Lane) {
    let mut sum = Quats::zero();
    let mut nearest = Lane::splat(1.0);
    samples.visit(
        #[inline(always)]
        |q, h| {
            let w = centre.dot(q);
            nearest = nearest.min(w.abs());
            sum.add_scaled(q, h.flipped_by(w));
        },
    );
    (sum.normalized_or(centre), nearest)
}

/// Normalised weighted sum, each sample turned into the hemisphere of `centre`.
#[inline(always)]
pub fn qlerp(samples: &impl Samples, centre: &Quats) -> Quats {
    let mut sum = Quats::zero();
    samples.visit(
        #[inline(always)]
        |q, h| sum.add_scaled(q, h.flipped_by(centre.dot(q))),
    );
    sum.normalized_or(centre)
}

/// Σ hₖ·f(wₖ)·qₖ with the samples in the hemisphere of `m`.
#[inline(always)]
fn log_sum(samples: &impl Samples, m: &Quats) -> Quats {
    let mut sum = Quats::zero();
    samples.visit(
        #[inline(always)]
        |q, h| {
            let w = m.dot(q);
            sum.add_scaled(q, (h * log_factor(w.abs())).flipped_by(w));
        },
    );
    sum
}

/// The article's single step from the centre.
#[inline(always)]
pub fn one_step(samples: &impl Samples, centre: &Quats) -> Quats {
    centre.turned(centre.relative_vector(&log_sum(samples, centre)))
}

/// Intrinsic mean; lanes that do not converge are marked in the second result.
///
/// The function minimised, Σ hₖ·d(m, qₖ)²/2, has a Hessian whose eigenvalues lie between 1 − ρ and 1 with
/// ρ = Σ hₖ·(1 − (θₖ/2)·cot(θₖ/2)) = 1 − Σ hₖ·f(wₖ)·wₖ/2 for weights that are not negative, and that sum is
/// the scalar part of m⁻¹·Σ hₖ·f(wₖ)·qₖ: known for nothing. A step of length s stretched by 1/(1 − ρ/2)
/// halves the range, and leaves at most s·ρ/(2 − ρ)/(1 − ρ). So most means take two steps and none is
/// taken only to see that it was not needed.
#[inline(always)]
pub fn exact(samples: &impl Samples, centre: &Quats) -> (Quats, [bool; LANES]) {
    let (mean, moving, _) = exact_from(samples, centre);
    (mean, moving)
}

/// [`exact`], marking the lanes too whose samples do not all lie within 85° of the mean: others may compete.
#[inline(always)]
pub(super) fn exact_if_unique(samples: &impl Samples, centre: &Quats) -> (Quats, [bool; LANES]) {
    let (mean, mut open, nearest) = exact_from(samples, centre);
    // Samples within 45° of the centre lie within 90° of each other, and of their mean.
    if samples.convex() && nearest.0.iter().all(|&dot| dot > VERY_NEAR) {
        return (mean, open);
    }
    let mut reach = Lane::splat(1.0);
    samples.visit(
        #[inline(always)]
        |q, h| {
            let dot = mean.dot(q).abs();
            for i in 0..LANES {
                reach.0[i] = if h.0[i] != 0.0 && dot.0[i] < reach.0[i] { dot.0[i] } else { reach.0[i] };
            }
        },
    );
    for (open, reach) in open.iter_mut().zip(reach.0) {
        *open |= reach.is_nan() || reach < UNIQUE;
    }
    (mean, open)
}

/// The mean, the lanes that did not converge, and the smallest |dot product| of a sample with the centre.
#[inline(always)]
fn exact_from(samples: &impl Samples, centre: &Quats) -> (Quats, [bool; LANES], Lane) {
    let (start, nearest) = sum_near(samples, centre);
    let mut m = start.select(centre, |i| nearest.0[i] > NEAR);
    let mut moving = [true; LANES];
    let convex = samples.convex();
    for _ in 0..MAX_STEPS {
        let sum = log_sum(samples, &m);
        let rate = Lane::splat(1.0) - Lane::splat(0.5) * m.dot(&sum);
        let mut v = m.relative_vector(&sum);
        let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        // Beyond a half the bound says little; such means, and those with negative weights, take plain
        // steps until one is short.
        let foretold = rate.map(|rate| if convex && rate < 0.5 { rate.max(0.0) } else { 0.0 });
        let gain = foretold.map(|rate| 1.0 / (1.0 - 0.5 * rate));
        v = v.map(|c| c * gain);
        m = m.turned(v);
        for (i, moving) in moving.iter_mut().enumerate() {
            let rate = foretold.0[i];
            let left = if convex && rate > 0.0 { rate / ((2.0 - rate) * (1.0 - rate)) } else { 1.0 };
            let rest = square.0[i] * left * left;
            *moving = rest.is_nan() || rest > CONVERGED_RAD * CONVERGED_RAD;
        }
        if moving == [false; LANES] {
            break;
        }
    }
    (m, moving, nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_factor_is_right_to_rounding() {
        for i in 0..=100_000 {
            let w = i as f32 / 100_000.0;
            let exact = if i == 100_000 {
                2.0
            } else {
                let w = f64::from(w);
                2.0 * w.acos() / (1.0 - w * w).sqrt()
            };
            let found = f64::from(log_factor(Lane::splat(w)).0[0]);
            // 8.2e-8 from the fit and a few roundings of f32 at 6e-8 each.
            assert!((found / exact - 1.0).abs() < 3e-7, "f({w}) = {found}, expected {exact}");
        }
    }
}
