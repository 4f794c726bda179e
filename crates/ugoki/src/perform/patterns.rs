//! The samples of all patterns, laid out to be compared many at a time and, most of them, not at all.
//!
//! A pattern's samples come in four parts of neighbours. Of each part a ball is known for every point that holds the point in
//! all of the part's samples; a live point outside it is at least so far from each of them. So a part whose balls are too far
//! away costs one comparison for sixteen samples. What is compared is compared exactly, in columns of one coordinate.

use glam::Vec3;

use super::model::SAMPLES;

/// Samples of a part: four of what a usual register holds.
const PART: usize = 16;
const PARTS: usize = SAMPLES.div_ceil(PART);
/// Points compared between two looks at whether a part can still win: few enough to stop early, enough to be worth the
/// look (swept with `ugoki-bench`).
const LOOK: usize = 4;
/// What rounding may add to a bound, as a share: thirty sums of single precision err by less.
const ROUNDING: f32 = 1e-5;

/// All patterns of a model.
#[derive(Debug, Clone)]
pub(super) struct Patterns {
    num_points: usize,
    /// Pattern after pattern, in each part after part, point after point: x, y and z of sixteen samples in turn. The last part
    /// has fewer; its last sample stands in for those that it lacks.
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
                let mut ball = [[0.0; PARTS]; 4];
                for part in 0..PARTS {
                    let (centre, radius) = ball_of(|i| at(part * PART + i, point));
                    (ball[0][part], ball[1][part], ball[2][part]) = centre.into();
                    ball[3][part] = radius;
                }
                balls.push(ball);
            }
        }
        Self { num_points, columns, balls }
    }

    /// Distances of `live` points, by their place in the order, from all samples of a pattern, as if every point had been
    /// seen, and the least of them. Samples that are beyond `limit` may be left infinite; `None` when all are beyond it.
    pub(super) fn compare(
        &self,
        pattern: usize,
        live: &[(usize, Vec3)],
        limit: f32,
        now: &mut [f32; SAMPLES],
    ) -> Option<f32> {
        let scale = self.num_points as f32 / live.len() as f32;
        let bounds =
            if limit < f32::INFINITY { self.bounds(pattern, live, limit / scale) } else { [0.0; PARTS] };
        now.fill(f32::INFINITY);
        let mut least = f32::INFINITY;
        for (part, now) in now.chunks_mut(PART).enumerate() {
            if bounds[part] * scale > limit {
                continue;
            }
            let from = (pattern * PARTS + part) * self.num_points * 3;
            let columns = &self.columns[from..from + 3 * self.num_points];
            if let Some(sums) = sums(columns, live, limit, scale) {
                for (now, sum) in now.iter_mut().zip(sums) {
                    *now = sum * scale;
                    least = if *now < least { *now } else { least };
                }
            }
        }
        (least <= limit).then_some(least)
    }

    /// What the sums over points are at least in every part; once all are beyond `limit` they may be too small.
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

/// Summed distances of a part's samples; `None` once all are beyond `limit`.
fn sums(columns: &[[f32; PART]], live: &[(usize, Vec3)], limit: f32, scale: f32) -> Option<[f32; PART]> {
    let mut sums = [0.0; PART];
    for some in live.chunks(LOOK) {
        for &(place, p) in some {
            let [xs, ys, zs] = columns[3 * place..].first_chunk::<3>()?;
            for i in 0..PART {
                let (dx, dy, dz) = (xs[i] - p.x, ys[i] - p.y, zs[i] - p.z);
                sums[i] += (dx * dx + dy * dy + dz * dz).sqrt();
            }
        }
        if super::recognize::least(&sums) * scale > limit {
            return None;
        }
    }
    Some(sums)
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
