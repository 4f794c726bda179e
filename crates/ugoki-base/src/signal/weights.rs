//! Weights that stay or change over time.

use serde::{Deserialize, Serialize};

/// A weight at a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WeightKey {
    /// Seconds from the start of the result.
    pub time_s: f64,
    /// The weight there; weights of all clips are brought to sum 1 at every frame.
    pub weight: f64,
}

/// One clip's weight over time: constant, or a smooth curve through keys that overshoots none of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeightCurve {
    keys: Vec<WeightKey>,
}

/// Why keys do not make a curve.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WeightError {
    /// No keys.
    #[error("a weight curve has no keys; give at least one")]
    Empty,
    /// Times must grow and numbers be finite.
    #[error(
        "key {} at {time_s} s with weight {weight} cannot be used; give finite numbers, times growing from key to key",
        index + 1
    )]
    Key {
        /// Which one, from 0.
        index: usize,
        /// Its time, seconds.
        time_s: f64,
        /// Its weight.
        weight: f64,
    },
}

impl WeightCurve {
    /// The same weight at all times.
    #[must_use]
    pub fn constant(weight: f64) -> Self {
        Self { keys: vec![WeightKey { time_s: 0.0, weight }] }
    }

    /// A curve through these keys, flat before the first and after the last.
    ///
    /// # Errors
    /// When there are no keys, times do not grow or a number is not finite.
    pub fn through(keys: Vec<WeightKey>) -> Result<Self, WeightError> {
        let curve = Self { keys };
        curve.check()?;
        Ok(curve)
    }

    /// What [`WeightCurve::through`] checks; curves read from a file may not have passed through it.
    ///
    /// # Errors
    /// Names the key that breaks the order or is not finite.
    pub fn check(&self) -> Result<(), WeightError> {
        if self.keys.is_empty() {
            return Err(WeightError::Empty);
        }
        for (index, key) in self.keys.iter().enumerate() {
            let grows = index == 0 || key.time_s > self.keys[index - 1].time_s;
            if !(grows && key.time_s.is_finite() && key.weight.is_finite()) {
                return Err(WeightError::Key { index, time_s: key.time_s, weight: key.weight });
            }
        }
        Ok(())
    }

    /// The keys, in order of time.
    #[must_use]
    pub fn keys(&self) -> &[WeightKey] {
        &self.keys
    }

    /// Whether the weight is 0 at all times.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.keys.iter().all(|key| key.weight == 0.0)
    }

    /// The weight at `time_s`, seconds from the start of the result.
    ///
    /// Between keys a cubic whose slopes are the harmonic mean of the neighbouring ones, 0 at turning points
    /// and at the ends \[fritsch1984\]: continuous in speed, and never beyond the keys' weights.
    #[must_use]
    pub fn at(&self, time_s: f64) -> f64 {
        let keys = &self.keys;
        let next = keys.partition_point(|key| key.time_s <= time_s);
        if next == 0 {
            return keys.first().map_or(0.0, |key| key.weight);
        }
        if next == keys.len() {
            return keys[next - 1].weight;
        }
        let (a, b) = (keys[next - 1], keys[next]);
        let length = b.time_s - a.time_s;
        let (slope_a, slope_b) = (self.slope(next - 1), self.slope(next));
        let u = (time_s - a.time_s) / length;
        let (u2, u3) = (u * u, u * u * u);
        a.weight * (2.0 * u3 - 3.0 * u2 + 1.0)
            + slope_a * length * (u3 - 2.0 * u2 + u)
            + b.weight * (3.0 * u2 - 2.0 * u3)
            + slope_b * length * (u3 - u2)
    }

    fn slope(&self, key: usize) -> f64 {
        if key == 0 || key + 1 == self.keys.len() {
            return 0.0;
        }
        let secant = |i: usize| {
            let (a, b) = (self.keys[i], self.keys[i + 1]);
            (b.weight - a.weight) / (b.time_s - a.time_s)
        };
        let (left, right) = (secant(key - 1), secant(key));
        if left * right <= 0.0 { 0.0 } else { 2.0 * left * right / (left + right) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_curve_meets_its_keys_and_stays_between_neighbours(weights in prop::collection::vec(-2.0..2.0_f64, 2..8), at in 0.0..1.0_f64) {
            let keys: Vec<WeightKey> = weights.iter().enumerate().map(|(i, &weight)| WeightKey { time_s: i as f64 * 0.7, weight }).collect();
            let curve = WeightCurve::through(keys.clone()).unwrap();
            for key in &keys {
                prop_assert!((curve.at(key.time_s) - key.weight).abs() < 1e-12);
            }
            for pair in keys.windows(2) {
                let w = curve.at(pair[0].time_s + 0.7 * at);
                prop_assert!(w >= pair[0].weight.min(pair[1].weight) - 1e-12 && w <= pair[0].weight.max(pair[1].weight) + 1e-12);
            }
            prop_assert_eq!(curve.at(-1.0), weights[0]);
            prop_assert_eq!(curve.at(100.0), weights[weights.len() - 1]);
        }
    }

    #[test]
    fn keys_out_of_order_are_refused() {
        let key = |time_s| WeightKey { time_s, weight: 1.0 };
        assert!(WeightCurve::through(vec![key(1.0), key(1.0)]).is_err());
        assert!(WeightCurve::through(vec![]).is_err());
        assert!(WeightCurve::through(vec![key(f64::NAN)]).is_err());
    }
}
