//! Values between frames: cubic through the two neighbours on either side, so that speeds do not jump.

use glam::{Quat, Vec3, Vec3A, Vec4};
use ugoki_base::math::minimum_jerk;

/// The four frames about a time and what each counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Between {
    /// Frames, clamped to the track.
    pub(super) frames: [usize; 4],
    /// Catmull–Rom weights; they sum to one.
    pub(super) weights: [f32; 4],
    /// Whether the time is a frame itself, `frames[1]`.
    pub(super) exact: bool,
}

/// Times this near a frame, in frames, are that frame.
const SAME_FRAME: f64 = 1e-6;

impl Between {
    /// About `time`, in frames, in a track of `count` of them.
    #[inline]
    pub(super) fn new(time: f64, count: usize) -> Self {
        // Frames are counted in 31 bits (a year at 60 Hz): numbers of that size become f64 and back in one instruction.
        let last = count.saturating_sub(1).min(i32::MAX as usize);
        let time = time.clamp(0.0, f64::from(last as i32));
        // Times are not negative here: cutting off is rounding down.
        let down = time as i32;
        let x = time - f64::from(down);
        let up = x > 1.0 - SAME_FRAME;
        let exact = up || x < SAME_FRAME;
        let from = down as usize + usize::from(up);
        let x = if exact { 0.0 } else { x as f32 };
        let (x2, x3) = (x * x, x * x * x);
        Self {
            frames: [from.saturating_sub(1), from, (from + 1).min(last), (from + 2).min(last)],
            weights: [
                -0.5 * x + x2 - 0.5 * x3,
                1.0 - 2.5 * x2 + 1.5 * x3,
                0.5 * x + 2.0 * x2 - 1.5 * x3,
                0.5 * (x3 - x2),
            ],
            exact,
        }
    }

    #[inline]
    pub(super) fn vector(&self, values: &[Vec3]) -> Vec3 {
        if self.exact {
            return values[self.frames[1]];
        }
        let ([i, j, k, l], [a, b, c, d]) = (self.frames, self.weights);
        (values[i] * a + values[j] * b) + (values[k] * c + values[l] * d)
    }

    /// Of pairs that are used together and lie together in memory. At a frame the weights are 0, 1, 0, 0 and give it exactly.
    #[inline]
    pub(super) fn pair(&self, values: &[[Vec4; 2]]) -> [Vec4; 2] {
        let ([i, j, k, l], [a, b, c, d]) = (self.frames, self.weights);
        let (i, j, k, l) = (&values[i], &values[j], &values[k], &values[l]);
        [0, 1].map(|what: usize| (i[what] * a + j[what] * b) + (k[what] * c + l[what] * d))
    }

    /// Of rotations in one hemisphere along the track; `at` gives those of a frame.
    #[inline]
    pub(super) fn rotation(&self, at: impl Fn(usize) -> Quat) -> Quat {
        if self.exact {
            return at(self.frames[1]);
        }
        let ([i, j, k, l], [a, b, c, d]) = (self.frames, self.weights);
        Quat::from_vec4(
            (Vec4::from(at(i)) * a + Vec4::from(at(j)) * b) + (Vec4::from(at(k)) * c + Vec4::from(at(l)) * d),
        )
        .normalize()
    }
}

/// The rotation of a rotation vector, radians; up to half a turn by polynomials, which is five times as fast.
///
/// cos h and sin h / h of half the angle to the tenth power of h, at h ≤ π/2 within 5e-7.
#[inline]
pub(super) fn turn_by(v: Vec3A) -> Quat {
    let h2 = 0.25 * v.length_squared();
    if h2 > 2.4 {
        return Quat::from_scaled_axis(v.into());
    }
    // In pairs of powers, so that the sums do not wait for each other.
    let h4 = h2 * h2;
    let cosine = (1.0 - h2 * (1.0 / 2.0))
        + h4 * ((1.0 / 24.0 - h2 * (1.0 / 720.0)) + h4 * (1.0 / 40320.0 - h2 * (1.0 / 3_628_800.0)));
    let sine = (1.0 - h2 * (1.0 / 6.0))
        + h4 * ((1.0 / 120.0 - h2 * (1.0 / 5040.0)) + h4 * (1.0 / 362_880.0 - h2 * (1.0 / 39_916_800.0)));
    Quat::from_vec4((v * (0.5 * sine)).extend(cosine))
}

/// Minimum jerk in single precision.
pub(super) fn ease(s: f32) -> f32 {
    minimum_jerk(f64::from(s)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_those_of_their_vectors() {
        for step in 0..400 {
            let v = Vec3::new(0.3, -0.5, 0.81).normalize() * (0.01 * step as f32);
            let (found, wanted) = (turn_by(v.into()), Quat::from_scaled_axis(v));
            assert!((found - wanted).length() < 2e-6, "{v}: {found} {wanted}");
        }
    }

    #[test]
    fn straight_lines_stay_straight_and_frames_are_met() {
        let values: Vec<Vec3> = (0..10).map(|i| Vec3::X * i as f32).collect();
        for step in 0..=70 {
            let time = 1.0 + 0.1 * f64::from(step);
            let found = Between::new(time, values.len()).vector(&values);
            assert!((f64::from(found.x) - time).abs() < 1e-5, "{found} at {time}");
        }
        assert_eq!(Between::new(3.0, 10).vector(&values), values[3]);
        assert_eq!(Between::new(99.0, 10).vector(&values), values[9]);
    }
}
