//! The samples of all patterns, laid out to be compared many at a time and, most of them, not at all.
//!
//! A pattern's samples come in eight parts of neighbours. Of each part a ball is known for every point that holds the
//! point in all of the part's samples; a live point outside it is at least so far from each of them. So a part whose
//! balls are too far away costs one comparison for eight samples. What is compared is compared exactly, in columns of
//! one coordinate. Both loops are compiled twice, for any x86-64 and for machines with AVX2, to the same bits.

use glam::Vec3;

use super::model::SAMPLES;

/// Samples of a part, and parts of a pattern: what a wide register holds.
const PART: usize = 8;
const PARTS: usize = SAMPLES.div_ceil(PART);
/// Points compared between two looks at whether a part can still win: few enough to stop early, enough to be worth the
/// look (swept with `ugoki-bench`).
const LOOK: usize = 4;
/// What rounding may add to a bound, as a fraction: thirty sums of single precision err by less.
const ROUNDING: f32 = 1e-5;

/// All patterns of a model.
#[derive(Debug, Clone)]
pub(super) struct Patterns {
    num_points: usize,
    /// Pattern after pattern, in each part after part, point after point: x, y and z of eight samples in turn. The last
    /// part has fewer; its last sample stands in for those that it lacks.
    columns: Vec<[f32; PART]>,
    /// Pattern after pattern, point after point: x, y, z and the radius of the balls of all parts.
    balls: Vec<[[f32; PARTS]; 4]>,
}

impl Patterns {
    /// Patterns of `SAMPLES` frames of points each; `order` gives the order in which points are compared.
    pub(super) fn build(patterns: &[&[Vec3]], num_points: usize, order: &[usize]) -> Self {
        let mut columns = Vec::with_capacity(patterns.len() * PARTS * num_points * 3);
        let mut balls = Vec::with_capacity(patterns.len() * num_points);
        for pattern in patterns {
            let at = |sample: usize, point: usize| pattern[sample.min(SAMPLES - 1) * num_points + point];
            for part in 0..PARTS {
                for &point in order {
                    for axis in 0..3 {
                        columns.push(std::array::from_fn(|i| at(part * PART + i, point)[axis]));
                    }
                }
            }
            for &point in order {
                let parts: [[f32; 4]; PARTS] = std::array::from_fn(|part| {
                    let (centre, radius) = ball_of(|i| at(part * PART + i, point));
                    centre.extend(radius).to_array()
                });
                balls.push(std::array::from_fn(|lane| parts.map(|ball| ball[lane])));
            }
        }
        Self { num_points, columns, balls }
    }

    /// Distances of `live` points, by their place in the order, from all samples of a pattern, as if every point had
    /// been seen, and the least of them. Samples that are beyond `limit` may be left infinite; `None` when all are
    /// beyond it.
    pub(super) fn compare(
        &self,
        pattern: usize,
        live: &[(usize, Vec3)],
        limit: f32,
        now: &mut [f32; SAMPLES],
    ) -> Option<f32> {
        self.compare_beyond(pattern, live, limit, limit, now).0
    }

    /// The same with what the least is at least, where it is beyond `limit`. Bounds are looked for until they are
    /// beyond `wanted`.
    pub(super) fn compare_beyond(
        &self,
        pattern: usize,
        live: &[(usize, Vec3)],
        limit: f32,
        wanted: f32,
        now: &mut [f32; SAMPLES],
    ) -> (Option<f32>, f32) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "calling code compiled for features that were detected")]
            // SAFETY: the features the function needs were detected on this machine.
            return unsafe { compare_wide(self, pattern, live, [limit, wanted], now) };
        }
        self.compare_here(pattern, live, [limit, wanted], now)
    }

    #[inline(always)]
    fn compare_here(
        &self,
        pattern: usize,
        live: &[(usize, Vec3)],
        [limit, wanted]: [f32; 2],
        now: &mut [f32; SAMPLES],
    ) -> (Option<f32>, f32) {
        let scale = self.num_points as f32 / live.len() as f32;
        let bounds =
            if limit < f32::INFINITY { self.bounds(pattern, live, wanted / scale) } else { [0.0; PARTS] };
        now.fill(f32::INFINITY);
        let (mut least, mut floor) = (f32::INFINITY, f32::INFINITY);
        for (part, now) in now.chunks_mut(PART).enumerate() {
            if bounds[part] * scale > limit {
                floor = floor.min(bounds[part] * scale);
                continue;
            }
            let from = (pattern * PARTS + part) * self.num_points * 3;
            let columns = &self.columns[from..from + 3 * self.num_points];
            match sums(columns, live, limit, scale) {
                Ok(sums) => {
                    for (now, sum) in now.iter_mut().zip(sums) {
                        *now = sum * scale;
                        least = if *now < least { *now } else { least };
                    }
                }
                Err(beyond) => floor = floor.min(beyond),
            }
        }
        ((least <= limit).then_some(least), floor.min(least))
    }

    /// What the sums over points are at least in every part; once all are beyond `limit` they may be smaller than the
    /// true values.
    #[inline(always)]
    fn bounds(&self, pattern: usize, live: &[(usize, Vec3)], limit: f32) -> [f32; PARTS] {
        let balls = &self.balls[pattern * self.num_points..(pattern + 1) * self.num_points];
        let mut sums = [0.0; PARTS];
        for some in live.chunks(LOOK) {
            for &(place, p) in some {
                let [xs, ys, zs, radii] = &balls[place];
                for i in 0..PARTS {
                    let (dx, dy, dz) = (xs[i] - p.x, ys[i] - p.y, zs[i] - p.z);
                    let outside = (dx * dx + dy * dy + dz * dz).sqrt() - radii[i];
                    sums[i] += if outside > 0.0 { outside } else { 0.0 };
                }
            }
            if sums.iter().all(|sum| sum * (1.0 - ROUNDING) > limit) {
                break;
            }
        }
        sums.map(|sum| sum * (1.0 - ROUNDING))
    }
}

/// [`Patterns::compare_here`] with wide registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn compare_wide(
    patterns: &Patterns,
    pattern: usize,
    live: &[(usize, Vec3)],
    limits: [f32; 2],
    now: &mut [f32; SAMPLES],
) -> (Option<f32>, f32) {
    patterns.compare_here(pattern, live, limits, now)
}

/// Summed distances of a part's samples; once all are beyond `limit`, what they are at least.
#[inline(always)]
fn sums(columns: &[[f32; PART]], live: &[(usize, Vec3)], limit: f32, scale: f32) -> Result<[f32; PART], f32> {
    let mut sums = [0.0; PART];
    for some in live.chunks(LOOK) {
        for &(place, p) in some {
            let Some([xs, ys, zs]) = columns[3 * place..].first_chunk::<3>() else { continue };
            for i in 0..PART {
                let (dx, dy, dz) = (xs[i] - p.x, ys[i] - p.y, zs[i] - p.z);
                sums[i] += (dx * dx + dy * dy + dz * dz).sqrt();
            }
        }
        let least = least(&sums) * scale;
        if least > limit {
            return Err(least);
        }
    }
    Ok(sums)
}

/// A ball that holds all of a part's samples of a point: about the middle of their box.
fn ball_of(at: impl Fn(usize) -> Vec3) -> (Vec3, f32) {
    let (low, high) = (0..PART)
        .map(&at)
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    let centre = low.midpoint(high);
    let radius = (0..PART).map(|i| at(i).distance(centre)).fold(0.0, f32::max);
    (centre, radius * (1.0 + ROUNDING))
}

/// Eight running minima, so that the compiler can compare eight at a time.
#[inline(always)]
pub(super) fn least(values: &[f32]) -> f32 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut lows = [f32::INFINITY; 8];
    for eight in eights {
        for (low, &value) in lows.iter_mut().zip(eight) {
            *low = if value < *low { value } else { *low };
        }
    }
    lows.iter().chain(rest).copied().fold(f32::INFINITY, f32::min)
}
