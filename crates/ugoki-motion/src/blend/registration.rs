//! Corresponding times of two clips, without a first and a second.
//!
//! With a and b corresponding times, u = a + b grows along the curve and v = b − a says how much later the second clip is.
//! The curve is v over u: exchanging the clips turns v's sign and nothing else, so the alignment of (b, a) is the
//! inverse of that of (a, b). Slopes b′/a′ between 1/2 and 2 are |v′| ≤ 1/3, which an average of slopes keeps.

/// v at evenly spaced u, at least two of them; seconds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Registration {
    start: f64,
    step: f64,
    lags: Vec<f64>,
}

impl Registration {
    /// The straight one between two pairs of times, knots about `step` apart.
    pub(super) fn line(from: [f64; 2], to: [f64; 2], step: f64) -> Self {
        Self::through(&[from, to], step)
    }

    /// Through pairs of times, both growing, at least two.
    pub(super) fn through(pairs: &[[f64; 2]], step: f64) -> Self {
        let (first, last) = (pairs[0], pairs[pairs.len() - 1]);
        let (start, end) = (first[0] + first[1], last[0] + last[1]);
        let count = ((end - start) / step).round().max(1.0) as usize;
        let step = (end - start) / count as f64;
        let mut next = 1;
        let lags = (0..=count)
            .map(|k| {
                let u = start + k as f64 * step;
                while next + 1 < pairs.len() && pairs[next][0] + pairs[next][1] < u {
                    next += 1;
                }
                let ([a, b], [c, d]) = (pairs[next - 1], pairs[next]);
                let share = ((u - a - b) / (c + d - a - b)).clamp(0.0, 1.0);
                (b - a) + share * ((d - c) - (b - a))
            })
            .collect();
        Self { start, step, lags }
    }

    /// Smoothed by a Gaussian of this deviation in either clip's time, seconds, point-reflected at the ends.
    pub(super) fn smoothed(&self, deviation_s: f64) -> Self {
        // u runs as fast as both clips together.
        let lags = smoothed(&self.lags, 2.0 * deviation_s / self.step);
        Self { lags, ..self.clone() }
    }

    /// The same for exchanged clips.
    pub(super) fn exchanged(&self) -> Self {
        Self { lags: self.lags.iter().map(|v| -v).collect(), ..self.clone() }
    }

    /// Corresponding times at every knot.
    pub(super) fn pairs(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        (0..self.lags.len()).map(|k| self.pair(k))
    }

    fn pair(&self, k: usize) -> [f64; 2] {
        let u = self.start + k as f64 * self.step;
        [0.5 * (u - self.lags[k]), 0.5 * (u + self.lags[k])]
    }

    /// First and last pair of times.
    pub(super) fn ends(&self) -> [[f64; 2]; 2] {
        [self.pair(0), self.pair(self.lags.len() - 1)]
    }

    /// The second clip's time at a time of the first; beyond the ends the end.
    pub(super) fn at(&self, time: f64) -> f64 {
        let (mut low, mut high) = (0, self.lags.len() - 1);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if self.pair(middle)[0] <= time { low = middle } else { high = middle }
        }
        let ([a, b], [c, d]) = (self.pair(low), self.pair(high));
        b + (d - b) * ((time - a) / (c - a)).clamp(0.0, 1.0)
    }

    /// Smallest and largest speed of the second clip relative to the first.
    pub(super) fn speeds(&self) -> [f64; 2] {
        let slopes = self.lags.windows(2).map(|v| (v[1] - v[0]) / self.step).map(|s| (1.0 + s) / (1.0 - s));
        slopes.fold([f64::INFINITY, 0.0], |[low, high], s| [low.min(s), high.max(s)])
    }

    /// Mean of that speed and root mean square deviation from it, both in octaves; exchanging turns the mean's sign.
    pub(super) fn octaves(&self) -> [f64; 2] {
        let octave = |s: f64| ((1.0 + s) / (1.0 - s)).log2();
        let octaves: Vec<f64> = self.lags.windows(2).map(|v| octave((v[1] - v[0]) / self.step)).collect();
        let count = octaves.len() as f64;
        let mean = octaves.iter().sum::<f64>() / count;
        let square = octaves.iter().map(|o| (o - mean).powi(2)).sum::<f64>() / count;
        [mean, square.sqrt()]
    }
}

/// `values` through a Gaussian of deviation `sigma` samples, point-reflected at the ends.
fn smoothed(values: &[f64], sigma: f64) -> Vec<f64> {
    let last = values.len() as isize - 1;
    // A kernel that reaches over the whole curve would only know its ends.
    let sigma = sigma.min(last as f64 / 6.0);
    let reach = (3.0 * sigma).ceil() as isize;
    if reach == 0 {
        return values.to_vec();
    }
    let taps: Vec<f64> = (-reach..=reach).map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp()).collect();
    let sum: f64 = taps.iter().sum();
    let at = |i: isize| {
        let inside = i.clamp(0, last);
        let mirrored = (2 * inside - i).clamp(0, last);
        if i == inside {
            values[i as usize]
        } else {
            2.0 * values[inside as usize] - values[mirrored as usize]
        }
    };
    (0..=last)
        .map(|i| {
            let v: f64 = (-reach..=reach).zip(&taps).map(|(k, h)| h * at(i + k)).sum::<f64>() / sum;
            // The ends are where they were but for rounding; keep them exactly.
            if i == 0 || i == last { values[i as usize] } else { v }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn slopes_keep_their_bounds_and_exchanging_inverts(seed in 0..10_000_u64, count in 2..200_usize) {
            let mut random = ugoki_base::math::Random::new(seed);
            let mut pairs = vec![[random.uniform(), random.uniform()]];
            for _ in 1..count {
                let [a, b] = pairs[pairs.len() - 1];
                let [x, y] = [[1.0, 1.0], [1.0, 2.0], [2.0, 1.0]][random.index(3)];
                pairs.push([a + 0.01 * x, b + 0.01 * y]);
            }
            let curve = Registration::through(&pairs, 0.02).smoothed(0.1);
            let [slow, fast] = curve.speeds();
            prop_assert!(slow >= 0.5 - 1e-9 && fast <= 2.0 + 1e-9, "{slow} {fast}");
            let ends = curve.ends();
            for (end, pair) in ends.iter().zip([pairs[0], pairs[count - 1]]) {
                prop_assert!((end[0] - pair[0]).abs() < 1e-12 && (end[1] - pair[1]).abs() < 1e-12);
            }
            let back = curve.exchanged();
            for i in 0..=20 {
                let time = ends[0][0] + f64::from(i) / 20.0 * (ends[1][0] - ends[0][0]);
                prop_assert!((back.at(curve.at(time)) - time).abs() < 1e-9);
            }
        }
    }
}
