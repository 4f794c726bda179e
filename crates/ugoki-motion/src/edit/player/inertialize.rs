//! Inertialization: an offset that leaves a path where and as fast as it is, and is gone by a given time.
//!
//! Whenever a target, a segment or anything else changes, the new path differs from the one being played by some offset and its
//! speed. Added as a quintic that starts there, without acceleration of its own, and ends at rest, it keeps place and velocity
//! continuous, and however often targets change it is one offset.

use glam::{Quat, Vec3, Vec3A};
use ugoki_base::math::log;

use super::interpolate::turn_by;

/// Shortest time over which an offset of the hips fades, and time within which a foot leaves the ground or comes to it when only one end of
/// its swing is known, seconds: a hurried step.
pub(super) const FADE_S: f64 = 0.2;

/// An offset of one thing: how much, and by how much more in each frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Offset {
    pub(super) by: Vec3A,
    pub(super) speed: Vec3A,
}

/// When offsets fade out, in source frames.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Fade {
    from: f64,
    to: f64,
    /// Per frame, so that the part gone is found without a division.
    rate: f32,
}

/// Offsets of a handle's position and rotation, fading out together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct HandleOffset {
    fade: Fade,
    place: Offset,
    turn: Offset,
}

impl Fade {
    pub(super) fn new(from: f64, to: f64) -> Self {
        let length = to - from;
        Self { from, to, rate: if length > 0.0 { (1.0 / length) as f32 } else { 0.0 } }
    }

    /// Weights of offset and speed, 1 − 10s³ + 15s⁴ − 6s⁵ and T·(s − 6s³ + 8s⁴ − 3s⁵); none when all is gone.
    #[inline]
    pub(super) fn weights(&self, time: f64) -> Option<[f32; 2]> {
        if time >= self.to {
            return None;
        }
        let gone = (time - self.from).max(0.0) as f32;
        let s = (gone * self.rate).min(1.0);
        let (s2, s3) = (s * s, s * s * s);
        let speed = 1.0 - s2 * (6.0 - 8.0 * s + 3.0 * s2);
        Some([1.0 - s3 * (10.0 - 15.0 * s + 6.0 * s2), gone * speed])
    }
}

impl Offset {
    #[inline]
    pub(super) fn at(&self, [place, speed]: [f32; 2]) -> Vec3A {
        self.by * place + self.speed * speed
    }
}

impl HandleOffset {
    /// What differs between two paths of a handle, each given at a time and `step` frames later, fading out until `to`.
    pub(super) fn between(was: [(Vec3, Quat); 2], is: [(Vec3, Quat); 2], [from, to, step]: [f64; 3]) -> Self {
        let offset = |x: [Vec3; 2]| Offset { by: x[0].into(), speed: Vec3A::from(x[1] - x[0]) / step as f32 };
        Self {
            fade: Fade::new(from, to),
            place: offset([0, 1].map(|i| was[i].0 - is[i].0)),
            turn: offset([0, 1].map(|i| log(is[i].1.inverse() * was[i].1))),
        }
    }

    /// A handle with its offsets at `time`.
    #[inline]
    pub(super) fn apply(&self, (point, rotation): (Vec3A, Quat), time: f64) -> (Vec3A, Quat) {
        let Some(weights) = self.fade.weights(time) else { return (point, rotation) };
        (point + self.place.at(weights), rotation * turn_by(self.turn.at(weights)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_starts_where_and_as_fast_as_given_and_ends_at_rest() {
        let (fade, offset) = (Fade::new(3.0, 13.0), Offset { by: Vec3A::X, speed: Vec3A::Y * 0.1 });
        let at = |time: f64| offset.at(fade.weights(time).unwrap());
        assert_eq!(at(3.0), Vec3A::X);
        let speed = (at(3.001) - at(3.0)) / 0.001;
        assert!((speed - Vec3A::Y * 0.1).length() < 2e-3, "{speed}");
        assert!(at(12.99).length() < 1e-6);
        assert!(fade.weights(13.0).is_none() && Fade::default().weights(0.0).is_none());
    }
}
