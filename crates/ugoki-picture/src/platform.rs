//! Raised ground: the steps and boxes that feet stood on, guessed from the heights of their contacts.

use glam::{Vec2, Vec3};
use ugoki_base::contact_labels::FootMark;

use super::camera::Rect;

/// Ground higher than this over the floor is a step, metres: above the errors of contact heights, below every stair.
const STEP: f32 = 0.05;

/// Levels nearer than this are one, metres.
const SAME_LEVEL: f32 = 0.04;

/// Room that a foot needs on a step around its ankle, body heights: to the toes and to the heel, and to the sides.
const AHEAD: f32 = 0.125;
const BEHIND: f32 = 0.06;
const ASIDE: f32 = 0.05;

/// Places on one level that are nearer than this are on one step, body heights: a stance is 0.1 wide.
const NEAR: f32 = 0.12;

/// A level rectangle above the floor, in body heights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Platform {
    /// Height of its top.
    pub(super) height: f32,
    /// Bounds along `aside` and `ahead`.
    bounds: Rect,
    aside: Vec3,
    ahead: Vec3,
}

impl Platform {
    fn flat(&self, p: Vec3) -> Vec2 {
        Vec2::new(p.dot(self.aside), p.dot(self.ahead))
    }

    fn holds(&self, p: Vec3) -> bool {
        let at = self.flat(p);
        at.cmpge(self.bounds.min).all() && at.cmple(self.bounds.max).all()
    }

    /// The corners of the top, in turn.
    pub(super) fn corners(&self) -> [Vec3; 4] {
        let Rect { min, max } = self.bounds;
        [[min.x, min.y], [max.x, min.y], [max.x, max.y], [min.x, max.y]]
            .map(|[x, z]| self.aside * x + self.ahead * z + Vec3::Y * self.height)
    }
}

/// The steps under places where feet stood: one for all on one level that are near each other. `size` is the body's height and `floor` that of
/// the ground, metres; `unit` takes a point to body heights.
pub(super) fn platforms(
    marks: &[FootMark],
    ahead: Vec3,
    size: f32,
    floor: f32,
    unit: impl Fn(Vec3) -> Vec3,
) -> Vec<Platform> {
    let aside = ahead.cross(Vec3::Y);
    let mut found: Vec<Platform> = Vec::new();
    for mark in marks {
        let at = unit(mark.position) * Vec3::new(1.0, 0.0, 1.0);
        let height = (mark.height - floor) / size;
        let heading = Vec3::new(mark.heading.x, 0.0, mark.heading.z).try_normalize();
        let Some(toward) = heading.filter(|_| at.is_finite() && height.is_finite()) else { continue };
        if mark.height - floor <= STEP {
            continue;
        }
        let side = toward.cross(Vec3::Y) * ASIDE;
        let mut new = Platform { height, bounds: Rect::EMPTY, aside, ahead };
        for end in [at + toward * AHEAD, at - toward * BEHIND] {
            new.bounds = new.bounds.with(new.flat(end - side)).with(new.flat(end + side));
        }
        // Joining may bring the step near to others, so it is joined until nothing is near.
        while let Some(i) = found.iter().position(|other| {
            let gap = (other.bounds.min - new.bounds.max).max(new.bounds.min - other.bounds.max);
            (other.height - new.height).abs() * size < SAME_LEVEL && gap.max_element() < NEAR
        }) {
            let other = found.swap_remove(i);
            new.bounds = new.bounds.union(&other.bounds);
            new.height = new.height.max(other.height);
        }
        found.push(new);
    }
    found.sort_by(|a, b| a.height.total_cmp(&b.height));
    found
}

/// Height of the ground under a point, body heights: the highest step under it, or the floor.
pub(super) fn ground_under(platforms: &[Platform], p: Vec3) -> f32 {
    /// Parts of a foot that stand on a step may be this far under its top, body heights.
    const SUNK: f32 = 0.04;
    let under = |platform: &&Platform| platform.height < p.y + SUNK && platform.holds(p);
    platforms.iter().rev().find(under).map_or(0.0, |platform| platform.height)
}
