//! One animated value between its keys.

use glam::{Quat, Vec3};
use ugoki_base::math::slerp;

/// How values between keys are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpolation {
    Linear,
    Step,
    /// Every key has an incoming tangent, a value and an outgoing tangent.
    CubicSpline,
}

impl Interpolation {
    pub(super) fn from_name(name: Option<&str>) -> Option<Self> {
        match name {
            None | Some("LINEAR") => Some(Self::Linear),
            Some("STEP") => Some(Self::Step),
            Some("CUBICSPLINE") => Some(Self::CubicSpline),
            _ => None,
        }
    }

    /// Values per key.
    fn per_key(self) -> usize {
        if self == Self::CubicSpline { 3 } else { 1 }
    }
}

/// Key times and values of one channel: times do not fall, and there are enough values.
pub(super) struct Curve<'a> {
    times: &'a [f32],
    values: &'a [f32],
    width: usize,
    interpolation: Interpolation,
}

/// Fraction of the way between two keys below which a moment is the key itself; times are rounded to f32.
const AT_KEY: f64 = 1e-4;

/// Where a moment lies: the key before it, the fraction of the way to the next, and the seconds between them.
#[derive(Clone, Copy)]
struct Place {
    key: usize,
    fraction: f64,
    seconds: f64,
}

impl<'a> Curve<'a> {
    /// `None` when there are no keys or too few values.
    pub(super) fn new(
        times: &'a [f32],
        values: &'a [f32],
        width: usize,
        interpolation: Interpolation,
    ) -> Option<Self> {
        let enough = values.len() >= times.len() * width * interpolation.per_key();
        (!times.is_empty() && enough).then_some(Self { times, values, width, interpolation })
    }

    pub(super) fn vectors(&self, moments: &[f64]) -> Vec<Vec3> {
        self.sample(moments, |values| Vec3::from_slice(values), Vec3::lerp)
    }

    pub(super) fn rotations(&self, moments: &[f64]) -> Vec<Quat> {
        let mut out = self.sample(
            moments,
            |values| Quat::from_slice(values),
            |a, b, t| {
                if a.is_finite() && b.is_finite() { slerp(a.normalize(), b.normalize(), t) } else { a }
            },
        );
        if self.interpolation == Interpolation::CubicSpline {
            for q in &mut out {
                *q = q.normalize();
            }
        }
        out
    }

    fn sample<T>(
        &self,
        moments: &[f64],
        make: impl Fn(&[f32]) -> T,
        between: impl Fn(T, T, f32) -> T,
    ) -> Vec<T> {
        let mut cursor = 0;
        let mut scratch = [0f32; 4];
        moments
            .iter()
            .map(|&moment| {
                let place = self.place(moment, &mut cursor);
                match self.interpolation {
                    Interpolation::Linear if place.fraction > 0.0 => {
                        let (a, b) = (make(self.value(place.key)), make(self.value(place.key + 1)));
                        between(a, b, place.fraction as f32)
                    }
                    Interpolation::CubicSpline if place.fraction > 0.0 => {
                        for (axis, out) in scratch[..self.width].iter_mut().enumerate() {
                            *out = self.hermite(place, axis) as f32;
                        }
                        make(&scratch[..self.width])
                    }
                    _ => make(self.value(place.key)),
                }
            })
            .collect()
    }

    /// The key at or before `moment`; moments outside the keys hold the first or the last.
    fn place(&self, moment: f64, cursor: &mut usize) -> Place {
        let last = self.times.len() - 1;
        while *cursor < last && f64::from(self.times[*cursor + 1]) <= moment {
            *cursor += 1;
        }
        let key = *cursor;
        let hold = |key| Place { key, fraction: 0.0, seconds: 0.0 };
        if key == last || moment <= f64::from(self.times[key]) {
            return hold(key);
        }
        let start = f64::from(self.times[key]);
        let seconds = f64::from(self.times[key + 1]) - start;
        let fraction = (moment - start) / seconds;
        // Neighbouring f32 times lie this far apart.
        let rounding = moment.abs() * f64::from(f32::EPSILON) / seconds;
        let near = AT_KEY.max(rounding);
        if fraction < near {
            hold(key)
        } else if fraction > 1.0 - near {
            hold(key + 1)
        } else {
            Place { key, fraction, seconds }
        }
    }

    fn value(&self, key: usize) -> &[f32] {
        let start = match self.interpolation {
            Interpolation::CubicSpline => (3 * key + 1) * self.width,
            _ => key * self.width,
        };
        &self.values[start..start + self.width]
    }

    /// p(t) = (2t³−3t²+1)p₀ + (t³−2t²+t)·d·b₀ + (−2t³+3t²)p₁ + (t³−t²)·d·a₁, as glTF 2.0 appendix C has it.
    fn hermite(&self, place: Place, axis: usize) -> f64 {
        let at = |slot: usize| f64::from(self.values[slot * self.width + axis]);
        let Place { key, fraction: t, seconds: d } = place;
        let (p0, b0) = (at(3 * key + 1), at(3 * key + 2));
        let (a1, p1) = (at(3 * key + 3), at(3 * key + 4));
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * p0
            + (t3 - 2.0 * t2 + t) * d * b0
            + (3.0 * t2 - 2.0 * t3) * p1
            + (t3 - t2) * d * a1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_exactly_and_the_outside_holds() {
        let (times, values) = ([0.1, 0.2, 0.3], [1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
        let curve = Curve::new(&times, &values, 3, Interpolation::Linear).unwrap();
        let x: Vec<f32> = curve.vectors(&[0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 9.0]).iter().map(|v| v.x).collect();
        assert_eq!([x[0], x[1], x[3], x[5], x[6]], [1.0, 1.0, 2.0, 4.0, 4.0]);
        assert!((x[2] - 1.5).abs() < 1e-6 && (x[4] - 3.0).abs() < 1e-6);
        let step = Curve::new(&times, &values, 3, Interpolation::Step).unwrap();
        assert_eq!(step.vectors(&[0.19])[0].x, 1.0);
        assert_eq!(step.vectors(&[0.2])[0].x, 2.0);
    }

    #[test]
    fn a_spline_of_a_cubic_is_that_cubic() {
        let f = |t: f64| 2.0 * t * t * t - t * t + 0.5 * t - 1.0;
        let slope = |t: f64| 6.0 * t * t - 2.0 * t + 0.5;
        let times = [0.0f32, 0.5, 1.25];
        let mut values = Vec::new();
        for t in times.map(f64::from) {
            for v in [slope(t), f(t), slope(t)] {
                values.extend([v as f32, 0.0, 0.0]);
            }
        }
        let curve = Curve::new(&times, &values, 3, Interpolation::CubicSpline).unwrap();
        for i in 0..=50 {
            let t = f64::from(i) * 0.025;
            assert!((f64::from(curve.vectors(&[t])[0].x) - f(t)).abs() < 1e-6, "at {t}");
        }
    }

    #[test]
    fn too_few_values_make_no_curve() {
        assert!(Curve::new(&[0.0, 1.0], &[0.0; 3], 3, Interpolation::Linear).is_none());
        assert!(Curve::new(&[0.0, 1.0], &[0.0; 6], 3, Interpolation::CubicSpline).is_none());
        assert!(Curve::new(&[], &[], 3, Interpolation::Linear).is_none());
    }
}
