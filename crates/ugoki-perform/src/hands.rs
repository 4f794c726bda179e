//! Which hand a performer uses, among several motions.

use glam::Vec3;

use super::Recognizer;
use super::follow::HAND_S;

/// Patterns are compared with the mirror image by turns, an eighth of them in a frame, so that no frame takes much
/// longer.
const PARTS: usize = 8;
/// How much nearer to everything learned the mirror image must have been, as a fraction, and for how long at least,
/// seconds.
const GAIN: f32 = 0.9;
const LEAST_S: f64 = 1.0;

/// Compares a performer and his mirror image with all that was learned.
#[derive(Debug, Clone)]
pub(super) struct Hands {
    /// Whether the other hand is used than the one of what was learned.
    pub(super) other: bool,
    part: usize,
    /// Least distances of this round, the performer's and the mirror image's. The performer is compared with every
    /// pattern in every frame, so chance is on his side.
    plain: f32,
    mirrored: f32,
    round_s: f64,
    /// Means of late, and for how long they have been taken.
    late: Option<(f32, f32)>,
    seconds: f64,
    points: Vec<Vec3>,
}

impl Hands {
    pub(super) fn new(num_points: usize) -> Self {
        Self {
            other: false,
            part: 0,
            plain: f32::INFINITY,
            mirrored: f32::INFINITY,
            round_s: 0.0,
            late: None,
            seconds: 0.0,
            points: Vec::with_capacity(num_points),
        }
    }

    /// Takes a frame that is `distance` from the nearest of what was learned; `true` when the hand has just changed.
    pub(super) fn compare(
        &mut self,
        recognizer: &mut Recognizer,
        points: &[Vec3],
        partners: &[Option<usize>],
        distance: f32,
        seconds: f64,
    ) -> bool {
        let flip = |partner: &Option<usize>| {
            partner.map_or(Vec3::NAN, |partner| points[partner] * Vec3::new(-1.0, 1.0, 1.0))
        };
        self.points.clear();
        self.points.extend(partners.iter().map(flip));
        self.mirrored = recognizer.distance_in_part(&self.points, self.part, PARTS, self.mirrored);
        self.plain = self.plain.min(distance);
        self.round_s += seconds.max(0.0);
        self.part += 1;
        if self.part < PARTS {
            return false;
        }
        let now = (self.plain, self.mirrored);
        let fraction = 1.0 - (-(self.round_s as f32) / HAND_S).exp();
        let late = self
            .late
            .map_or(now, |late| (late.0 + fraction * (now.0 - late.0), late.1 + fraction * (now.1 - late.1)));
        self.seconds += self.round_s;
        (self.part, self.plain, self.mirrored, self.round_s) = (0, f32::INFINITY, f32::INFINITY, 0.0);
        self.late = Some(late).filter(|late| late.0.is_finite() && late.1.is_finite());
        let changed = self.seconds >= LEAST_S && self.late.is_some_and(|late| late.1 < GAIN * late.0);
        if changed {
            self.other = !self.other;
            (self.late, self.seconds) = (None, 0.0);
        }
        changed
    }
}
