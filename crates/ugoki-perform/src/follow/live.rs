//! The performer's features of one frame, compared with cells of the atlas.

use glam::Vec3;

use super::atlas::{Atlas, COARSE, Lanes, WIDTH};
use super::config::{FilterConfig, NUM_RATES, RATES};
use super::features::{Features, NUM_COORDINATES, NUM_FEATURES};

/// What a body looks like now.
#[derive(Debug, Clone)]
pub(super) struct Live {
    /// Weights of the features that are seen; they add up to 1.
    weights: [f32; NUM_FEATURES],
    now: [f32; NUM_COORDINATES],
    rate: [f32; NUM_COORDINATES],
    /// Whether a feature's velocity is known.
    moves: [bool; NUM_FEATURES],
    /// Mean square velocity, times the square of its weight.
    speed: f32,
    /// The square of the weight of velocities.
    velocity: f32,
}

impl Live {
    pub(super) fn new(
        atlas: &Atlas,
        points: &[Vec3],
        before: Option<(&[Vec3], f64)>,
        config: &FilterConfig,
    ) -> Option<Self> {
        let now = atlas.points.features(points);
        let rate: Features = match before {
            Some((points, age)) => {
                let then = atlas.points.features(points);
                std::array::from_fn(|i| (now[i] - then[i]) / age as f32)
            }
            None => [Vec3::NAN; NUM_FEATURES],
        };
        let mut live = Self {
            weights: [0.0; NUM_FEATURES],
            now: [0.0; NUM_COORDINATES],
            rate: [0.0; NUM_COORDINATES],
            moves: [false; NUM_FEATURES],
            speed: 0.0,
            velocity: config.velocity_s * config.velocity_s,
        };
        let mut total = 0.0;
        for (i, feature) in now.iter().enumerate() {
            if feature.is_finite() {
                live.weights[i] = atlas.weights[i];
                total += atlas.weights[i];
                live.now[3 * i..3 * i + 3].copy_from_slice(&feature.to_array());
            }
        }
        if total <= 0.0 {
            return None;
        }
        for (i, rate) in rate.iter().enumerate() {
            live.weights[i] /= total;
            if rate.is_finite() && live.weights[i] > 0.0 {
                live.moves[i] = true;
                live.rate[3 * i..3 * i + 3].copy_from_slice(&rate.to_array());
                live.speed += live.weights[i] * rate.length_squared() * live.velocity;
            }
        }
        Some(live)
    }

    /// Likelihood of a movement that was not learned.
    pub(super) fn unknown(&self, config: &FilterConfig) -> f32 {
        let [constant, part] = config.unknown_distance;
        (-(constant + part * self.speed.sqrt()) / config.scale).exp()
    }

    /// Where the live frame lies among the atlas's principal components; what is not seen is at the mean.
    fn components(&self, atlas: &Atlas) -> [f32; COARSE] {
        let mut at = [0.0_f32; COARSE];
        for coordinate in 0..NUM_COORDINATES {
            let feature = coordinate / 3;
            let parts = [
                (coordinate, self.now[coordinate], self.weights[feature] > 0.0),
                (NUM_COORDINATES + coordinate, self.rate[coordinate], self.moves[feature]),
            ];
            for (row, value, is_seen) in parts {
                if is_seen {
                    let value = value - atlas.mean[row];
                    for (at, axis) in at.iter_mut().zip(&atlas.axes[row]) {
                        *at += value * axis;
                    }
                }
            }
        }
        at
    }

    /// Compares with every motion: for every cell the square of a rough distance, by the principal components of its mean, and for
    /// every motion the distance of its nearest frame, among the cells that are roughly nearest.
    pub(super) fn look(&self, atlas: &Atlas, rough: &mut Vec<f32>, distances: &mut [f32]) {
        rough.clear();
        rough.resize(atlas.cells.len(), 0.0);
        let at = self.components(atlas);
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "calling code compiled for features that were detected")]
            // SAFETY: the features the function needs were detected on this machine.
            unsafe {
                look_wide(self, atlas, &at, rough, distances);
            }
            return;
        }
        self.look_here(atlas, &at, rough, distances);
    }

    #[inline(always)]
    fn look_here(&self, atlas: &Atlas, at: &[f32; COARSE], rough: &mut [f32], distances: &mut [f32]) {
        for (centres, x) in atlas.centres.iter().zip(at) {
            for (sum, centre) in rough.iter_mut().zip(centres) {
                *sum += (centre - x) * (centre - x);
            }
        }
        for (motion, distance) in atlas.motions.iter().zip(distances) {
            let own = motion.first..motion.first + motion.num_cells();
            // The two that are roughly nearest.
            let mut best = [(f32::INFINITY, own.start); 2];
            for cell in own {
                let d = rough[cell];
                if d < best[0].0 {
                    best = [(d, cell), best[0]];
                } else if d < best[1].0 {
                    best[1] = (d, cell);
                }
            }
            *distance = best.iter().map(|&(_, cell)| self.nearest(atlas, cell)).fold(f32::INFINITY, f32::min);
        }
    }

    /// Distance of a cell's nearest frame, whatever the rate.
    #[inline(always)]
    fn nearest(&self, atlas: &Atlas, cell: usize) -> f32 {
        let [place, along, squares] = self.compare(atlas, cell);
        let mut least = f32::INFINITY;
        for lane in 0..WIDTH {
            let rate = (along[lane] / squares[lane].max(1e-12)).clamp(RATES[1], RATES[NUM_RATES - 1]);
            let d = place[lane] + self.speed - 2.0 * rate * along[lane] + rate * rate * squares[lane];
            least = least.min(d);
        }
        least.max(0.0).sqrt()
    }

    /// Multiplies a cell's probabilities by their likelihoods; gives their sum.
    pub(super) fn weigh(
        &self,
        atlas: &Atlas,
        cell: usize,
        config: &FilterConfig,
        belief: &mut [Lanes; NUM_RATES],
    ) -> f32 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "calling code compiled for features that were detected")]
            // SAFETY: the features the function needs were detected on this machine.
            return unsafe { weigh_wide(self, atlas, cell, config, belief) };
        }
        self.weigh_here(atlas, cell, config, belief)
    }

    /// Mean square distance of a cell's places; velocities along the performer's, and their squares.
    #[inline(always)]
    fn compare(&self, atlas: &Atlas, cell: usize) -> [Lanes; 3] {
        let (places, rates) = atlas.columns(cell).split_at(NUM_COORDINATES);
        let (mut place, mut along, mut squares) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
        for feature in 0..NUM_FEATURES {
            let weight = self.weights[feature];
            if weight <= 0.0 {
                continue;
            }
            let own = 3 * feature..3 * feature + 3;
            for (column, x) in places[own.clone()].iter().zip(&self.now[own.clone()]) {
                for lane in 0..WIDTH {
                    let d = column[lane] - x;
                    place[lane] += weight * d * d;
                }
            }
            if !self.moves[feature] {
                continue;
            }
            let w = weight * self.velocity;
            for (column, v) in rates[own.clone()].iter().zip(&self.rate[own]) {
                for lane in 0..WIDTH {
                    let r = column[lane];
                    along[lane] += w * v * r;
                    squares[lane] += w * r * r;
                }
            }
        }
        [place, along, squares]
    }

    #[inline(always)]
    fn weigh_here(
        &self,
        atlas: &Atlas,
        cell: usize,
        config: &FilterConfig,
        belief: &mut [Lanes; NUM_RATES],
    ) -> f32 {
        let [place, along, squares] = self.compare(atlas, cell);
        let scale = -1.0 / config.scale;
        let mut sums = [0.0; WIDTH];
        for (belief, r) in belief.iter_mut().zip(RATES) {
            for lane in 0..WIDTH {
                let square = place[lane] + self.speed - 2.0 * r * along[lane] + r * r * squares[lane];
                let square = if square > 0.0 { square } else { 0.0 };
                let p = belief[lane] * exp(square.sqrt() * scale);
                belief[lane] = p;
                sums[lane] += p;
            }
        }
        sums.iter().sum()
    }
}

/// [`Live::look_here`] with wide registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn look_wide(live: &Live, atlas: &Atlas, at: &[f32; COARSE], rough: &mut [f32], distances: &mut [f32]) {
    live.look_here(atlas, at, rough, distances);
}

/// [`Live::weigh_here`] with wide registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn weigh_wide(
    live: &Live,
    atlas: &Atlas,
    cell: usize,
    config: &FilterConfig,
    belief: &mut [Lanes; NUM_RATES],
) -> f32 {
    live.weigh_here(atlas, cell, config, belief)
}

/// e^x for x ≤ 0 within 1e-5 of itself, about 0 below −80: 2^n times a polynomial of the fraction, so that the compiler can
/// compute several at once.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = if x > -80.0 { x } else { -80.0 };
    let y = x * std::f32::consts::LOG2_E;
    let n = (y - 0.5) as i32;
    let f = (y - n as f32) * std::f32::consts::LN_2;
    let series =
        1.0 + f * (1.0 + f * (0.5 + f * (1.0 / 6.0 + f * (1.0 / 24.0 + f * (1.0 / 120.0 + f / 720.0)))));
    series * f32::from_bits(((n + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_that_of_the_standard_library() {
        for i in 0..=8000 {
            let x = -0.01 * i as f32;
            let (own, wanted) = (exp(x), x.exp());
            // Rounding of x itself is 80 · 6e-8 of the result at most.
            assert!((own - wanted).abs() <= 1e-5 * wanted, "{x}: {own} {wanted}");
        }
    }
}
