//! What was seen of a performer: points that were not seen a moment ago, and all points of the last frames.

use glam::Vec3;
use ugoki_base::skeleton::Role;
use ugoki_motion::segment::Observer;

use super::model::LOOK_BACK_S;

/// Frames of points that are kept to measure velocities by: 67 ms up to 480 frames per second.
const HISTORY: usize = 32;

/// Longest time, seconds, for which a point that is not seen is taken to be where it was; after that it is lost and
/// left out. Three frames of the paper's 30 Hz: a packet that did not come is bridged, a limb whose sensor is gone is
/// not shown standing still.
pub const BRIDGE_S: f64 = 0.1;

/// When the performer's points were last seen.
#[derive(Debug, Clone)]
pub(super) struct Sight {
    roles: Vec<Role>,
    last: Vec<Vec3>,
    /// Seconds since then; infinite for what never was.
    unseen_s: Vec<f64>,
}

impl Sight {
    pub(super) fn new(observer: &Observer) -> Self {
        let count = observer.num_points();
        Self {
            roles: observer.roles().collect(),
            last: vec![Vec3::NAN; count],
            unseen_s: vec![f64::INFINITY; count],
        }
    }

    /// The same for another body, of whom what has been seen is still known.
    pub(super) fn for_body(&self, observer: &Observer) -> Self {
        let mut new = Self::new(observer);
        for (at, role) in new.roles.iter().enumerate() {
            if let Some(old) = self.roles.iter().position(|other| other == role) {
                (new.last[at], new.unseen_s[at]) = (self.last[old], self.unseen_s[old]);
            }
        }
        new
    }

    /// Whether a point is taken to be where it was, though it is not seen.
    pub(super) fn is_bridged(&self, point: usize) -> bool {
        self.unseen_s[point] > 0.0
    }

    /// Points that have been unseen for longer than is bridged: number, role and seconds.
    pub(super) fn lost(&self) -> impl Iterator<Item = (usize, Role, f64)> + '_ {
        let all = self.roles.iter().zip(&self.unseen_s).enumerate();
        all.filter(|(_, (_, unseen_s))| **unseen_s > BRIDGE_S).map(|(at, (role, s))| (at, *role, *s))
    }

    /// Takes a frame's points `seconds` after the last; those not seen for a short time are put where they were.
    pub(super) fn bridge(&mut self, seen: &mut [Vec3], seconds: f64) {
        for ((seen, last), unseen_s) in seen.iter_mut().zip(&mut self.last).zip(&mut self.unseen_s) {
            if seen.is_finite() {
                (*last, *unseen_s) = (*seen, 0.0);
            } else {
                *unseen_s += seconds.max(0.0);
                *seen = if *unseen_s <= BRIDGE_S { *last } else { Vec3::NAN };
            }
        }
    }
}

/// The points of the last frames, to measure velocities by.
#[derive(Debug, Clone)]
pub(super) struct History {
    num_points: usize,
    points: Vec<Vec3>,
    ages: Vec<f64>,
    newest: usize,
}

impl History {
    pub(super) fn new(num_points: usize) -> Self {
        let points = vec![Vec3::NAN; HISTORY * num_points];
        Self { num_points, points, ages: vec![f64::INFINITY; HISTORY], newest: 0 }
    }

    /// Takes a frame `seconds` after the one before; gives how old the frame to compare it with is, and its place.
    pub(super) fn push(&mut self, points: &[Vec3], seconds: f64) -> Option<(f64, usize)> {
        self.ages.iter_mut().for_each(|age| *age += seconds);
        self.newest = (self.newest + 1) % HISTORY;
        let own = self.newest * self.num_points..(self.newest + 1) * self.num_points;
        self.points[own].copy_from_slice(points);
        self.ages[self.newest] = 0.0;
        // The youngest that is old enough, or the oldest of a stream that has just begun.
        let enough = 0.9 * LOOK_BACK_S;
        let old = |&i: &usize| self.ages[i] >= enough && self.ages[i] < 4.0 * LOOK_BACK_S;
        let least = (0..HISTORY).filter(old).min_by(|&a, &b| self.ages[a].total_cmp(&self.ages[b]));
        let begun = (0..HISTORY).filter(|&i| self.ages[i] < enough && self.ages[i] > 0.2 * LOOK_BACK_S);
        let found = least.or_else(|| begun.max_by(|&a, &b| self.ages[a].total_cmp(&self.ages[b])))?;
        Some((self.ages[found], found))
    }

    pub(super) fn newest_mut(&mut self) -> &mut [Vec3] {
        &mut self.points[self.newest * self.num_points..(self.newest + 1) * self.num_points]
    }

    pub(super) fn frame(&self, place: usize) -> &[Vec3] {
        &self.points[place * self.num_points..(place + 1) * self.num_points]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_base::skeleton::{Joint, Skeleton};

    #[test]
    fn a_point_is_bridged_for_a_tenth_of_a_second_and_then_lost() {
        let roles = [Role::Hips, Role::Spine, Role::Head, Role::LeftHand, Role::RightHand];
        let joint = |at: usize| Joint {
            role: Some(roles[at]),
            ..Joint::new(roles[at].name(), at.checked_sub(1), Vec3::Y)
        };
        let skeleton = Skeleton::build((0..roles.len()).map(joint).collect()).unwrap();
        let observer = Observer::build(&skeleton).unwrap();
        let mut sight = Sight::new(&observer);
        let all = vec![Vec3::ONE; observer.num_points()];
        // What never was seen is lost from the first frame on.
        assert_eq!(sight.lost().count(), all.len());
        sight.bridge(&mut all.clone(), 0.01);
        assert_eq!(sight.lost().count(), 0);
        let mut hand = Vec::new();
        for _ in 0..15 {
            let mut seen = all.clone();
            seen[3] = Vec3::NAN;
            sight.bridge(&mut seen, 0.01);
            assert!(sight.is_bridged(3) && !sight.is_bridged(2));
            hand.push(seen[3]);
        }
        // Sums of hundredths may lie on either side of a tenth.
        assert!(hand[..9].iter().all(|p| *p == Vec3::ONE), "{hand:?}");
        assert!(hand[11..].iter().all(|p| p.is_nan()), "{hand:?}");
        let lost: Vec<_> = sight.lost().collect();
        assert_eq!((lost.len(), lost[0].0), (1, 3));
        assert!((lost[0].2 - 0.15).abs() < 1e-6);
        sight.bridge(&mut all.clone(), 0.01);
        assert_eq!(sight.lost().count(), 0);
    }
}
