//! An offset that leaves a path where and as fast as it is, and is gone by a given time.
//!
//! Whenever a target, a segment or anything else changes, the path that is now wished for differs from the one being
//! played by some offset and its speed. Added as a quintic that starts there, without acceleration of its own, and
//! ends at rest, place and velocity stay continuous, and however often minds change it is one offset.

use glam::Vec3;

/// An offset fading out between two times, in source frames.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Mend {
    offset: Vec3,
    /// Per frame.
    speed: Vec3,
    from: f64,
    to: f64,
}

impl Mend {
    /// Nothing to mend.
    pub(super) const NONE: Self = Self { offset: Vec3::ZERO, speed: Vec3::ZERO, from: 0.0, to: 0.0 };

    pub(super) fn new(offset: Vec3, speed: Vec3, from: f64, to: f64) -> Self {
        Self { offset, speed, from, to }
    }

    #[inline]
    pub(super) fn is_over(&self, time: f64) -> bool {
        time >= self.to
    }

    /// x(s) = o·(1 − 10s³ + 15s⁴ − 6s⁵) + v·T·(s − 6s³ + 8s⁴ − 3s⁵).
    #[inline]
    pub(super) fn at(&self, time: f64) -> Vec3 {
        let length = self.to - self.from;
        if time >= self.to || length <= 0.0 {
            return Vec3::ZERO;
        }
        let s = ((time - self.from) / length).clamp(0.0, 1.0) as f32;
        let (s2, s3) = (s * s, s * s * s);
        let place = 1.0 - s3 * (10.0 - 15.0 * s + 6.0 * s2);
        let speed = s - s3 * (6.0 - 8.0 * s + 3.0 * s2);
        self.offset * place + self.speed * (speed * length as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_starts_as_told_and_ends_at_rest() {
        let mend = Mend::new(Vec3::X, Vec3::Y * 0.1, 3.0, 13.0);
        assert_eq!(mend.at(3.0), Vec3::X);
        let speed = (mend.at(3.001) - mend.at(3.0)) / 0.001;
        assert!((speed - Vec3::Y * 0.1).length() < 2e-3, "{speed}");
        assert!(mend.at(12.99).length() < 1e-6 && mend.at(14.0) == Vec3::ZERO);
        assert!(mend.is_over(13.0) && Mend::NONE.at(0.0) == Vec3::ZERO);
    }
}
