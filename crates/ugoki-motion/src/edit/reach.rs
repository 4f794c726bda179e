//! What a body can reach: hips within reach of the feet that stay, handles within reach of the hips.
//!
//! Requests beyond that are replaced by the nearest place in reach before a body is rebuilt, so that a hand that is asked to be fifty
//! metres away does not take the body with it.

use glam::{Quat, Vec3};
use ugoki_base::bend_axes::LIMBS;
use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::{Role, Skeleton};

use crate::reconstruct::limb_reach_m;

/// How far a shoulder comes by leaning and turning the trunk while the feet stay, metres: the reach of young adults in the functional
/// reach test is 0.37 to 0.42 m \[duncan1990\].
const LEAN_M: f32 = 0.4;

/// The chains that limit a skeleton's reach; built once.
pub(super) struct Reach {
    base: usize,
    legs: Vec<[usize; 3]>,
    arms: Vec<[usize; 3]>,
}

/// A ball that the hips must stay in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ball {
    centre: Vec3,
    radius: f32,
}

impl Reach {
    pub(super) fn build(skeleton: &Skeleton) -> Self {
        let find = |role: &Role| skeleton.find(*role);
        let limb = |roles: &[Role; 3]| {
            let found: Vec<usize> = roles.iter().filter_map(find).collect();
            let limb: [usize; 3] = found.try_into().ok()?;
            let in_line = skeleton.is_below(limb[1], limb[0]) && skeleton.is_below(limb[2], limb[1]);
            in_line.then_some(limb)
        };
        let limbs = |some: &[[Role; 3]]| some.iter().filter_map(limb).collect();
        let base = skeleton.find(Role::Hips).unwrap_or(0);
        Self { base, legs: limbs(&LIMBS[..2]), arms: limbs(&LIMBS[2..]) }
    }

    /// Where the hips may be, when an ankle is at `place` and the hips are turned by `turn` from the captured pose; `None` when the
    /// joint ends no leg.
    pub(super) fn ball(&self, model: &ModelPose, turn: Quat, ankle: usize, place: Vec3) -> Option<Ball> {
        let leg = self.legs.iter().find(|leg| leg[2] == ankle)?;
        let [upper, middle, end] = leg.map(|joint| model.positions[joint]);
        let offset = turn * (upper - model.positions[self.base]);
        Some(Ball { centre: place - offset, radius: limb_reach_m([upper, middle, end]) })
    }

    /// The place nearest to `place` that a joint can reach while the hips are in all `balls`, or at `hips` when given.
    pub(super) fn nearest(
        &self,
        skeleton: &Skeleton,
        model: &ModelPose,
        turn: Quat,
        (joint, place): (usize, Vec3),
        (hips, balls): (Option<Vec3>, &[Ball]),
    ) -> Vec3 {
        if joint == self.base {
            return nearest_in(balls, place);
        }
        if let Some(arm) = self.arms.iter().find(|arm| arm[2] == joint) {
            let moved = hips.map_or(Vec3::ZERO, |hips| hips - model.positions[self.base]);
            let radius = limb_reach_m(arm.map(|joint| model.positions[joint])) + LEAN_M;
            return Ball { centre: model.positions[arm[0]] + moved, radius }.nearest(place);
        }
        // Of a leg the pelvis is rigid, of everything else the whole chain may straighten.
        let leg = self.legs.iter().find(|leg| leg[2] == joint);
        let (offset, radius) = match leg {
            Some(leg) => {
                let offset = turn * (model.positions[leg[0]] - model.positions[self.base]);
                (offset, limb_reach_m(leg.map(|joint| model.positions[joint])))
            }
            None => (Vec3::ZERO, self.chain_m(skeleton, model, joint)),
        };
        let centre = hips.unwrap_or_else(|| nearest_in(balls, place - offset)) + offset;
        Ball { centre, radius }.nearest(place)
    }

    /// Length of the bones from the hips to a joint, metres; without end for joints that the hips do not carry.
    fn chain_m(&self, skeleton: &Skeleton, model: &ModelPose, joint: usize) -> f32 {
        let (mut length, mut at) = (0.0, joint);
        while at != self.base {
            let Some(parent) = skeleton.parent(at) else { return f32::INFINITY };
            length += model.positions[at].distance(model.positions[parent]);
            at = parent;
        }
        length
    }
}

impl Ball {
    /// How far the hips may be from the middle, metres: what the leg reaches.
    pub(super) fn radius(&self) -> f32 {
        self.radius
    }

    fn nearest(&self, place: Vec3) -> Vec3 {
        let way = place - self.centre;
        if way.length() <= self.radius { place } else { self.centre + way.normalize() * self.radius }
    }
}

/// The point of both balls nearest to `place`; between them where they do not meet. A place inside stays as it is, to the last bit.
pub(super) fn nearest_in(balls: &[Ball], place: Vec3) -> Vec3 {
    let (first, second) = match balls {
        [] => return place,
        [ball] => return ball.nearest(place),
        [first, second, ..] => (first, second),
    };
    // The nearest point of one ball, if that is in the other.
    for (one, other) in [(first, second), (second, first)] {
        let at = one.nearest(place);
        if at.distance(other.centre) <= other.radius {
            return at;
        }
    }
    let line = second.centre - first.centre;
    let apart = line.length();
    let Some(along) = line.try_normalize() else { return first.nearest(place) };
    // Otherwise on the circle in which their spheres meet.
    let (r, s) = (first.radius, second.radius);
    let to_plane = (apart * apart + r * r - s * s) / (2.0 * apart);
    let radius_squared = r * r - to_plane * to_plane;
    if radius_squared < 0.0 {
        return first.centre + along * (r + 0.5 * (apart - r - s));
    }
    let middle = first.centre + along * to_plane;
    let across = (place - middle).reject_from_normalized(along);
    middle + across.normalize_or(along.any_orthonormal_vector()) * radius_squared.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_point_of_two_balls_is_found() {
        let balls =
            [Ball { centre: -0.5 * Vec3::X, radius: 1.0 }, Ball { centre: 0.5 * Vec3::X, radius: 1.0 }];
        let inside = Vec3::new(0.1, 0.2, -0.3);
        assert_eq!(nearest_in(&balls, inside), inside);
        // From above, the top of the circle in which they meet; from the side, the second ball is no limit.
        let top = nearest_in(&balls, 50.0 * Vec3::Y);
        assert!(top.distance(Vec3::Y * 0.75_f32.sqrt()) < 1e-5, "{top}");
        assert!(nearest_in(&balls, 50.0 * Vec3::X).distance(0.5 * Vec3::X) < 1e-5);
        let apart = [balls[0], Ball { centre: 2.5 * Vec3::X, radius: 1.0 }];
        assert!(nearest_in(&apart, Vec3::Y).distance(Vec3::X) < 1e-5);
        assert_eq!(nearest_in(&[], Vec3::Y), Vec3::Y);
    }
}
