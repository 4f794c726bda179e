//! Normalised power spectrum similarity \[gopalakrishnan2019\] as LAFAN1's benchmark computes it \[harvey2020\].
//!
//! For every dimension the squares of the *real parts* of the discrete Fourier transform are brought to sum 1 and
//! summed up; the distance is the 1-norm between the two sums, and the mean over dimensions is weighted by the
//! reference's total power. Real parts, not magnitudes: so does the published code, and figures must compare.

use std::f64::consts::PI;

/// NPSS of `predicted` against `reference`, each one curve per dimension, all of one length; 0 is equal.
///
/// A dimension without power in the reference has no weight; one without power in the prediction counts with an
/// empty spectrum. `None` when nothing has weight.
///
/// # Panics
/// If the numbers of dimensions or frames differ.
#[must_use]
pub fn npss(reference: &[Vec<f64>], predicted: &[Vec<f64>]) -> Option<f64> {
    assert_eq!(reference.len(), predicted.len(), "as many dimensions on both sides");
    let plan = reference.first().map(|curve| RealPart::new(curve.len()))?;
    let (mut sum, mut weight) = (0.0, 0.0);
    for (a, b) in reference.iter().zip(predicted) {
        let (a, b) = (plan.powers(a), plan.powers(b));
        let (total_a, total_b) = (a.iter().sum::<f64>(), b.iter().sum::<f64>());
        if total_a <= 0.0 {
            continue;
        }
        let fraction = |power: f64, total: f64| if total > 0.0 { power / total } else { 0.0 };
        let (mut up_a, mut up_b, mut emd) = (0.0, 0.0, 0.0);
        for (pa, pb) in a.iter().zip(&b) {
            up_a += fraction(*pa, total_a);
            up_b += fraction(*pb, total_b);
            emd += f64::abs(up_b - up_a);
        }
        sum += emd * total_a;
        weight += total_a;
    }
    (weight > 0.0).then(|| sum / weight)
}

/// Real part of the transform of one length, by Bluestein's chirp so that any length costs n·log n.
struct RealPart {
    len: usize,
    /// e^{−iπk²/n}.
    chirp: Vec<(f64, f64)>,
    /// Transform of the conjugate chirp, padded to a power of two.
    filter: Vec<(f64, f64)>,
}

fn times(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

impl RealPart {
    fn new(len: usize) -> Self {
        let padded = (2 * len).next_power_of_two();
        let chirp: Vec<(f64, f64)> = (0..len)
            .map(|k| {
                // k² modulo 2n keeps the angle small, so the sine keeps its digits.
                let angle = -PI * ((k as u128 * k as u128) % (2 * len as u128)) as f64 / len as f64;
                (angle.cos(), angle.sin())
            })
            .collect();
        let mut filter = vec![(0.0, 0.0); padded];
        for (k, &(re, im)) in chirp.iter().enumerate() {
            filter[k] = (re, -im);
            filter[(padded - k) % padded] = (re, -im);
        }
        transform(&mut filter, false);
        Self { len, chirp, filter }
    }

    /// Squared real part of every coefficient.
    fn powers(&self, curve: &[f64]) -> Vec<f64> {
        assert_eq!(curve.len(), self.len, "as many frames in every dimension");
        let mut work = vec![(0.0, 0.0); self.filter.len()];
        for ((w, &x), &c) in work.iter_mut().zip(curve).zip(&self.chirp) {
            *w = (x * c.0, x * c.1);
        }
        transform(&mut work, false);
        for (w, &f) in work.iter_mut().zip(&self.filter) {
            *w = times(*w, f);
        }
        transform(&mut work, true);
        let scale = 1.0 / self.filter.len() as f64;
        self.chirp.iter().zip(&work).map(|(&c, &w)| (times(w, c).0 * scale).powi(2)).collect()
    }
}

/// In-place radix-2 transform of a power-of-two length; `inverse` without the division.
fn transform(data: &mut [(f64, f64)], inverse: bool) {
    let len = data.len();
    let mut j = 0;
    for i in 1..len {
        let mut bit = len >> 1;
        while j & bit != 0 {
            j ^= bit;
            bit >>= 1;
        }
        j |= bit;
        if i < j {
            data.swap(i, j);
        }
    }
    let sign = if inverse { 1.0 } else { -1.0 };
    let mut size = 2;
    while size <= len {
        let twiddles: Vec<(f64, f64)> = (0..size / 2)
            .map(|k| {
                let (sine, cosine) = (sign * 2.0 * PI * k as f64 / size as f64).sin_cos();
                (cosine, sine)
            })
            .collect();
        for block in data.chunks_exact_mut(size) {
            let (low, high) = block.split_at_mut(size / 2);
            for ((a, b), &t) in low.iter_mut().zip(high).zip(&twiddles) {
                let turned = times(*b, t);
                *b = (a.0 - turned.0, a.1 - turned.1);
                *a = (a.0 + turned.0, a.1 + turned.1);
            }
        }
        size *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, term by term, written from the published formula.
    fn naive(reference: &[Vec<f64>], predicted: &[Vec<f64>]) -> f64 {
        let spectrum = |curve: &[f64]| -> Vec<f64> {
            let n = curve.len() as f64;
            let power = |k: usize| {
                let re: f64 = curve
                    .iter()
                    .enumerate()
                    .map(|(t, x)| x * (2.0 * PI * k as f64 * t as f64 / n).cos())
                    .sum();
                re * re
            };
            (0..curve.len()).map(power).collect()
        };
        let mut distances = Vec::new();
        let mut weights = Vec::new();
        for (a, b) in reference.iter().zip(predicted) {
            let (a, b) = (spectrum(a), spectrum(b));
            let (ta, tb): (f64, f64) = (a.iter().sum(), b.iter().sum());
            let cdf = |s: &[f64], t: f64, k: usize| s[..=k].iter().map(|p| p / t).sum::<f64>();
            distances.push((0..a.len()).map(|k| (cdf(&b, tb, k) - cdf(&a, ta, k)).abs()).sum::<f64>());
            weights.push(ta);
        }
        let total: f64 = weights.iter().sum();
        distances.iter().zip(&weights).map(|(d, w)| d * w).sum::<f64>() / total
    }

    proptest! {
        #[test]
        fn it_is_the_definition(len in 1usize..40, dims in 1usize..4, seed in 0u64..10_000) {
            let mut random = ugoki_base::math::Random::new(seed);
            let mut curves = || -> Vec<Vec<f64>> { (0..dims).map(|_| (0..len).map(|_| random.normal()).collect()).collect() };
            let (a, b) = (curves(), curves());
            let wanted = naive(&a, &b);
            prop_assert!((npss(&a, &b).unwrap() - wanted).abs() < 1e-8 * (1.0 + wanted));
            prop_assert_eq!(npss(&a, &a), Some(0.0));
        }
    }

    #[test]
    fn a_constant_against_an_alternation_is_half_the_length() {
        // Constant: all power at coefficient 0, sum 1 from the start. ±1 in turn: all at n/2. They differ by 1 over n/2 terms.
        let n = 16;
        let constant = vec![vec![1.0; n]];
        let alternating = vec![(0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect::<Vec<f64>>()];
        assert!((npss(&constant, &alternating).unwrap() - 8.0).abs() < 1e-9);
        assert_eq!(npss(&[vec![0.0; 4]], &[vec![1.0; 4]]), None);
        assert_eq!(npss(&[], &[]), None);
    }
}
