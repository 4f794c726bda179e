//! Seeded randomness: the same seed gives the same numbers on every machine and number of threads.

/// SplitMix64 \[steele2014\]: one 64-bit state, passes BigCrush, and `fork` gives independent streams.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A stream that depends on `seed` alone.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The stream number `index` under this seed, independent of how much of `self` was used.
    #[must_use]
    pub fn fork(seed: u64, index: u64) -> Self {
        let mut mixed = Self::new(seed ^ index.wrapping_mul(0xd134_2543_de82_ef95));
        Self::new(mixed.next_u64())
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [`low`, `high`).
    #[inline]
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform in 0..`n`; 0 when `n` is 0.
    #[inline]
    pub fn index(&mut self, n: usize) -> usize {
        // Multiply-shift; the bias is below n / 2⁶⁴.
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// Normal with mean 0 and deviation 1 (Box–Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_and_normal_have_their_moments() {
        let mut random = Random::new(7);
        let n = 100_000;
        let (mut sum, mut sum_normal, mut square) = (0.0, 0.0, 0.0);
        for _ in 0..n {
            sum += random.uniform();
            let x = random.normal();
            sum_normal += x;
            square += x * x;
        }
        // Standard errors are 0.0009, 0.003 and 0.0045; four of each.
        assert!((sum / f64::from(n) - 0.5).abs() < 0.004);
        assert!((sum_normal / f64::from(n)).abs() < 0.013);
        assert!((square / f64::from(n) - 1.0).abs() < 0.018);
    }

    #[test]
    fn the_published_sequence_is_reproduced() {
        // First outputs of SplitMix64 for seed 1234567 as listed with its reference implementation.
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
