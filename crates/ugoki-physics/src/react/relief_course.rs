//! Where the arms go under a load, as a curve over time.

use super::parts::MAX_UNKNOWNS;

/// Where the arms go in the course of a target.
#[derive(Debug, Clone, Default)]
pub(super) struct ReliefCourse {
    /// Control points of a uniform cubic B-spline, radians by degree of freedom of the arms; none without a load.
    pub(super) points: Vec<[f64; MAX_UNKNOWNS]>,
    /// Steps between two.
    pub(super) stride: usize,
}

/// Displacement, rate and acceleration of the arms' degrees of freedom: rad, rad/s, rad/s².
pub(super) type Course = [[f64; MAX_UNKNOWNS]; 3];

impl ReliefCourse {
    /// Where the arms should be at a step, and how they move.
    pub(super) fn at(&self, step: usize, dt: f64) -> Course {
        let mut out = [[0.0; MAX_UNKNOWNS]; 3];
        let Some(last) = self.points.len().checked_sub(1) else { return out };
        let (i, s) = (step / self.stride, (step % self.stride) as f64 / self.stride as f64);
        let per_s = 1.0 / (self.stride as f64 * dt);
        let r = 1.0 - s;
        let weights = [
            [r * r * r, 3.0 * s * s * s - 6.0 * s * s + 4.0, 3.0 * r * r * r - 6.0 * r * r + 4.0, s * s * s]
                .map(|w| w / 6.0),
            [-r * r, 3.0 * s * s - 4.0 * s, -3.0 * r * r + 4.0 * r, s * s].map(|w| 0.5 * w * per_s),
            [r, 3.0 * s - 2.0, 3.0 * r - 2.0, s].map(|w| w * per_s * per_s),
        ];
        for k in 0..4 {
            let point = &self.points[(i + k).saturating_sub(1).min(last)];
            for (out, weights) in out.iter_mut().zip(&weights) {
                for (out, x) in out.iter_mut().zip(point) {
                    *out += weights[k] * x;
                }
            }
        }
        out
    }
}
