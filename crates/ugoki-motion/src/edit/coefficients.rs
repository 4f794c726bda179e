//! What one point's path says about how it may be bent: δ, γ, ε, built once.
//!
//! Everything follows from the speeds r_j = |v_j| alone, so the same table serves positions (metres per
//! sample) and rotations (radians per sample). The derivation stands in `docs/methods/segments.md`.

use super::EditError;

/// Share of the mean speed below which a sample counts as moving that fast, so that both wishes, position
/// and velocity, can be met by a point that moves in one sample only; [`Coefficients::build`] floors there.
const FLOOR: f64 = 1e-3;

/// Mean speed, per sample, below which a path is still, metres or radians: rounding to f32 makes steps of 1e-7 rad, and of 1e-6 m within 16 m
/// of the origin. Coefficients of such a path would follow its rounding.
const STILL: f64 = 2e-6;

/// One bending of the accelerations: Δa_j = r_j² (e0 + e1 κ_j), κ_j = n−1−j.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Push {
    pub(super) e0: f64,
    pub(super) e1: f64,
}

/// Sums over the samples k … n−1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Ahead {
    /// Σ r².
    pub(super) weight: f64,
    /// Σ r² κ / Σ r².
    pub(super) mean: f64,
    /// Σ r² (κ − mean)².
    pub(super) spread: f64,
    /// Σ_j (j−k+1) r_j² κ_j^a for a = 0, 1: what a push moves the point at k back from the end's line.
    pub(super) back: [f64; 2],
}

/// The coefficients of one path of n+1 samples and its look-ahead sample n+1.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficients {
    /// δ_0 … δ_{n+1}.
    pub(super) delta: Vec<f64>,
    /// For k = 0 … n+1; the last two are empty sums.
    pub(super) ahead: Vec<Ahead>,
    /// Mean speed of samples 0 … n−1; 0 when the path is taken for still.
    pub(super) mean_speed: f64,
}

impl Coefficients {
    /// From the speeds |v_0| … |v_n|, per sample: n+1 of them, the last one that of the look-ahead.
    ///
    /// # Errors
    /// When there are fewer than three speeds (n < 2) or one is not a finite number.
    pub fn build(speeds: &[f64]) -> Result<Self, EditError> {
        let n = speeds.len().saturating_sub(1);
        if n < 2 {
            return Err(EditError::TooShort { samples: speeds.len() });
        }
        if let Some(sample) = speeds.iter().position(|speed| !speed.is_finite() || *speed < 0.0) {
            return Err(EditError::NotFinite { sample });
        }
        let total: f64 = speeds[..n].iter().sum();
        let mean = total / n as f64;
        let still = mean < STILL;
        let mut delta: Vec<f64> = if still {
            (0..=n + 1).map(|i| i as f64 / n as f64).collect()
        } else {
            let mut sum = 0.0;
            let steps = speeds.iter().map(|speed| {
                sum += speed / total;
                // Rounding must not carry the path past its end and back.
                sum.min(1.0)
            });
            std::iter::once(0.0).chain(steps).collect()
        };
        if !still {
            // The sum of the shares is 1 but for rounding; the end must be met exactly.
            delta[n] = 1.0;
            delta[n + 1] = 1.0 + speeds[n] / total;
        }
        // Only ratios of speeds matter; in units of the mean no sum leaves the range of f64.
        let r = |j: usize| if still { 1.0 } else { (speeds[j] / mean).max(FLOOR) };
        let mut ahead = vec![Ahead::default(); n + 2];
        // G_a(k) grows backwards by the tails T_a(k) = Σ_{j≥k} r² κ^a.
        let mut tails = [0.0; 2];
        for k in (0..n).rev() {
            let (after, kappa, w) = (ahead[k + 1], (n - 1 - k) as f64, r(k) * r(k));
            let weight = after.weight + w;
            let step = kappa - after.mean;
            tails = [tails[0] + w, tails[1] + w * kappa];
            ahead[k] = Ahead {
                weight,
                mean: after.mean + w / weight * step,
                spread: after.spread + w * after.weight / weight * step * step,
                back: [after.back[0] + tails[0], after.back[1] + tails[1]],
            };
        }
        Ok(Self { delta, ahead, mean_speed: if still { 0.0 } else { mean } })
    }

    /// n: the frame of the path's end.
    #[must_use]
    pub fn last_frame(&self) -> usize {
        self.delta.len() - 2
    }

    /// What a further sample moving with `speed` would add to δ.
    pub(super) fn share(&self, speed: f64) -> f64 {
        let n = self.last_frame() as f64;
        if self.mean_speed == 0.0 { 1.0 / n } else { speed / (n * self.mean_speed) }
    }

    /// δ_i, the share of the end's displacement that sample `i` takes in the first stage.
    #[must_use]
    pub fn delta(&self, i: usize) -> f64 {
        self.delta[i]
    }

    /// γ_i: displacement of sample `i` per displacement of the end, end velocity kept (one-stage edit).
    #[must_use]
    pub fn gamma(&self, i: usize) -> f64 {
        let Some(push) = self.push(0, 1.0, 0.0) else { return 0.0 };
        1.0 + self.back(i, push)
    }

    /// ε_i: displacement of sample `i` per change of end velocity (per sample), end position kept.
    #[must_use]
    pub fn epsilon(&self, i: usize) -> f64 {
        let Some(push) = self.push(0, 0.0, 1.0) else { return 0.0 };
        i as f64 - self.last_frame() as f64 + self.back(i, push)
    }

    /// The push over samples k … n−1 that moves the end by `dx` and its velocity by `dv`; `None` when
    /// fewer than two samples are left.
    pub(super) fn push(&self, k: usize, dx: f64, dv: f64) -> Option<Push> {
        let ahead = self.ahead.get(k).filter(|ahead| ahead.spread > 0.0)?;
        // Δa_j = r_j² (c0 + c1 (κ_j − mean)) with Σ Δa = dv and Σ κ Δa = dx.
        let c0 = dv / ahead.weight;
        let c1 = (dx - ahead.mean * dv) / ahead.spread;
        Some(Push { e0: c0 - c1 * ahead.mean, e1: c1 })
    }

    /// Σ_{j≥i} (j−i+1) Δa_j of a push: what sample `i` deviates from the line through the end.
    fn back(&self, i: usize, push: Push) -> f64 {
        let [g0, g1] = self.back_sums(i);
        g0 * push.e0 + g1 * push.e1
    }

    /// G_0(i), G_1(i): the factors of a push's e0 and e1 at sample `i`.
    pub(super) fn back_sums(&self, i: usize) -> [f64; 2] {
        self.ahead[i].back
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The paper's own way: p = Aᵀ(AAᵀ)⁻¹b by sums over all j, then its equation (18).
    fn by_definition(speeds: &[f64], i: usize, wish: [f64; 2]) -> f64 {
        let n = speeds.len() - 1;
        let row = |j: usize| [speeds[j] * (n - 1 - j) as f64, speeds[j]];
        let mut m = [[0.0; 2]; 2];
        for j in 0..n {
            let a = row(j);
            for (s, t) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                m[s][t] += a[s] * a[t];
            }
        }
        let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        let x =
            [(m[1][1] * wish[0] - m[0][1] * wish[1]) / det, (m[0][0] * wish[1] - m[1][0] * wish[0]) / det];
        let p = |j: usize| row(j)[0] * x[0] + row(j)[1] * x[1];
        (0..n.min((i + 1).saturating_sub(2))).map(|j| p(j) * speeds[j] * (i - 1 - j) as f64).sum()
    }

    fn reference_speeds() -> Vec<f64> {
        let x = |i: usize| {
            let t = i as f64 / 15.0;
            let s = 10.0 * t.powi(3) - 15.0 * t.powi(4) + 6.0 * t.powi(5);
            (0.7 * s, 0.15 * (std::f64::consts::PI * t).sin().powi(2))
        };
        let mut speeds: Vec<f64> =
            (0..15).map(|i| (x(i + 1).0 - x(i).0).hypot(x(i + 1).1 - x(i).1)).collect();
        speeds.push(speeds[14]);
        speeds
    }

    #[test]
    fn the_swing_of_the_reference_gives_its_published_coefficients() {
        let c = Coefficients::build(&reference_speeds()).unwrap();
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 6e-7, "{found} {wanted}");
        close(c.delta(4), 0.152560);
        close(c.delta(8), 0.554932);
        close(c.gamma(4), 0.039233);
        close(c.gamma(8), 0.5);
        close(c.epsilon(4), -0.227371);
        close(c.epsilon(8), -2.458172);
        close(c.epsilon(10), -3.249355);
    }

    proptest! {
        #[test]
        fn coefficients_are_the_papers_least_squares(speeds in prop::collection::vec(0.01..3.0_f64, 3..60)) {
            let c = Coefficients::build(&speeds).unwrap();
            let n = c.last_frame();
            for i in 0..=n + 1 {
                let scale = n as f64;
                let gamma = by_definition(&speeds, i, [1.0, 0.0]);
                let epsilon = by_definition(&speeds, i, [0.0, 1.0]);
                prop_assert!((c.gamma(i) - gamma).abs() < 1e-9 * scale, "γ_{i}: {} {gamma}", c.gamma(i));
                prop_assert!((c.epsilon(i) - epsilon).abs() < 1e-9 * scale, "ε_{i}: {} {epsilon}", c.epsilon(i));
            }
        }

        #[test]
        fn ends_are_exact_whatever_moves(
            mut speeds in prop::collection::vec(0.0..3.0_f64, 3..200), moving in any::<prop::sample::Index>(), case in 0..4,
        ) {
            let only = moving.index(speeds.len());
            match case {
                0 => speeds.iter_mut().for_each(|r| *r = 0.0),
                1 => speeds.iter_mut().enumerate().for_each(|(j, r)| *r *= f64::from(u8::from(j == only))),
                _ => {}
            }
            let c = Coefficients::build(&speeds).unwrap();
            let n = c.last_frame();
            prop_assert!(c.delta(0) == 0.0 && (c.delta(n) - 1.0).abs() < 1e-12);
            prop_assert!((0..=n).all(|i| c.delta(i) <= c.delta(i + 1)));
            for (i, gamma, epsilon) in [(0, 0.0, 0.0), (1, 0.0, 0.0), (n, 1.0, 0.0), (n + 1, 1.0, 1.0)] {
                // One sample a million times as fast as the floor is the worst conditioned case.
                let tolerance = 1e-6;
                prop_assert!((c.gamma(i) - gamma).abs() < tolerance, "γ_{i} {}", c.gamma(i));
                prop_assert!((c.epsilon(i) - epsilon).abs() < tolerance * n as f64, "ε_{i} {}", c.epsilon(i));
            }
        }
    }

    #[test]
    fn a_resting_sample_gets_no_displacement_step() {
        let c = Coefficients::build(&[1.0, 2.0, 0.0, 0.0, 1.0, 1.0]).unwrap();
        assert_eq!(c.delta(2), c.delta(3));
        assert_eq!(c.delta(3), c.delta(4));
    }

    proptest! {
        #[test]
        fn a_resting_sample_gets_no_acceleration(
            mut speeds in prop::collection::vec(0.05..3.0_f64, 6..80), rests in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        ) {
            let moving = speeds.len() - 2;
            for rest in &rests {
                // Two samples at least go on moving: the first two.
                speeds[2 + rest.index(moving)] = 0.0;
            }
            let c = Coefficients::build(&speeds).unwrap();
            let n = c.last_frame();
            let bent = |of: &dyn Fn(usize) -> f64, j: usize| (of(j + 2) - 2.0 * of(j + 1) + of(j)).abs();
            for of in [&|i| c.gamma(i), &|i| c.epsilon(i)] as [&dyn Fn(usize) -> f64; 2] {
                let most = (0..n).map(|j| bent(of, j)).fold(0.0, f64::max);
                for j in (0..n).filter(|&j| speeds[j] == 0.0) {
                    // The floor gives it a thousandth of the mean speed, and accelerations go with the square: a millionth of those
                    // of a sample of mean speed, which are at most so much less than the largest as the speeds here differ.
                    prop_assert!(bent(of, j) < 1e-3 * most + 1e-9, "{j}: {} of {most}", bent(of, j));
                }
            }
        }
    }

    #[test]
    fn too_little_or_broken_input_is_refused() {
        assert_eq!(Coefficients::build(&[1.0, 1.0]), Err(EditError::TooShort { samples: 2 }));
        assert_eq!(Coefficients::build(&[1.0, f64::NAN, 1.0]), Err(EditError::NotFinite { sample: 1 }));
    }
}
