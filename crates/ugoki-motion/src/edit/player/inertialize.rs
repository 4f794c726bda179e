//! An offset that leaves a path where and as fast as it is, and is gone by a given time.
//!
//! Whenever a target, a segment or anything else changes, the path that is now wished for differs from the one being
//! played by some offset and its speed. Added as a quintic that starts there, without acceleration of its own, and
//! ends at rest, place and velocity stay continuous, and however often minds change it is one offset.

use glam::{Quat, Vec3A};

use super::interpolate::turn_by;

/// What is to be mended of one thing: how far it is off, and by how much more in each frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Off {
    pub(super) by: Vec3A,
    pub(super) speed: Vec3A,
}

/// When offsets fade out, in source frames.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Fade {
    from: f64,
    to: f64,
    /// Per frame, so that the share gone is found without a division.
    rate: f32,
}

/// Offsets of a place and a turning, fading out together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Mend {
    pub(super) fade: Fade,
    pub(super) place: Off,
    pub(super) turn: Off,
}

impl Fade {
    pub(super) fn new(from: f64, to: f64) -> Self {
        let length = to - from;
        Self { from, to, rate: if length > 0.0 { (1.0 / length) as f32 } else { 0.0 } }
    }

    #[inline]
    pub(super) fn is_over(&self, time: f64) -> bool {
        time >= self.to
    }

    /// What offset and speed count at a time before the end: 1 − 10s³ + 15s⁴ − 6s⁵ and T·(s − 6s³ + 8s⁴ − 3s⁵).
    #[inline]
    pub(super) fn weights(&self, time: f64) -> [f32; 2] {
        let gone = (time - self.from).max(0.0) as f32;
        let s = (gone * self.rate).min(1.0);
        let (s2, s3) = (s * s, s * s * s);
        let speed = 1.0 - s2 * (6.0 - 8.0 * s + 3.0 * s2);
        [1.0 - s3 * (10.0 - 15.0 * s + 6.0 * s2), gone * speed]
    }
}

impl Off {
    #[inline]
    pub(super) fn at(&self, [place, speed]: [f32; 2]) -> Vec3A {
        self.by * place + self.speed * speed
    }
}

impl Mend {
    /// Nothing to mend.
    pub(super) const NONE: Self = Self {
        fade: Fade { from: 0.0, to: 0.0, rate: 0.0 },
        place: Off { by: Vec3A::ZERO, speed: Vec3A::ZERO },
        turn: Off { by: Vec3A::ZERO, speed: Vec3A::ZERO },
    };

    /// A handle with its offsets at `time`.
    #[inline]
    pub(super) fn mended(&self, (point, rotation): (Vec3A, Quat), time: f64) -> (Vec3A, Quat) {
        if self.fade.is_over(time) {
            return (point, rotation);
        }
        let weights = self.fade.weights(time);
        (point + self.place.at(weights), rotation * turn_by(self.turn.at(weights)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_starts_as_told_and_ends_at_rest() {
        let (fade, off) = (Fade::new(3.0, 13.0), Off { by: Vec3A::X, speed: Vec3A::Y * 0.1 });
        let at = |time: f64| off.at(fade.weights(time));
        assert_eq!(at(3.0), Vec3A::X);
        let speed = (at(3.001) - at(3.0)) / 0.001;
        assert!((speed - Vec3A::Y * 0.1).length() < 2e-3, "{speed}");
        assert!(at(12.99).length() < 1e-6 && at(13.0).length() < 1e-6);
        assert!(fade.is_over(13.0) && Mend::NONE.fade.is_over(0.0));
    }
}
