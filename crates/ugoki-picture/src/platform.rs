//! Raised ground: the steps and boxes that feet stood on, guessed from the heights of their contacts.

use glam::{Vec2, Vec3};

use super::camera::{Camera, Rect};
use super::drawing::{Ink, Item, RULE, SHADE};
use super::ground::Focus;
use super::stage::Stage;

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
    fn corners(&self) -> [Vec3; 4] {
        let Rect { min, max } = self.bounds;
        [[min.x, min.y], [max.x, min.y], [max.x, max.y], [min.x, max.y]]
            .map(|[x, z]| self.aside * x + self.ahead * z + Vec3::Y * self.height)
    }
}

/// The steps under the marks of the stage: one for all places on one level that are near each other.
pub(super) fn platforms(stage: &Stage, floor: f32) -> Vec<Platform> {
    let ahead = stage.facing;
    let aside = ahead.cross(Vec3::Y);
    let mut found: Vec<Platform> = Vec::new();
    for mark in &stage.config.marks {
        let at = stage.unit(mark.position) * Vec3::new(1.0, 0.0, 1.0);
        let height = (mark.height - floor) / stage.size;
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
            (other.height - new.height).abs() * stage.size < SAME_LEVEL && gap.max_element() < NEAR
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

/// Draws the steps as light boxes, far ones first.
pub(super) fn boxes(stage: &Stage, camera: &Camera, focus: &Focus, width: f32, out: &mut Vec<Item>) {
    let far = |platform: &Platform| {
        platform.corners().iter().map(|c| (*c - camera.eye).dot(camera.axes.forward)).sum::<f32>()
    };
    let mut order: Vec<&Platform> = stage.platforms.iter().collect();
    order.sort_by(|a, b| far(b).total_cmp(&far(a)));
    for platform in order {
        let corners = platform.corners();
        let middle = (corners[0] + corners[2]) * 0.5;
        let strength = focus.strength(middle * Vec3::new(1.0, 0.0, 1.0));
        if strength < 0.02 {
            continue;
        }
        let lower = Vec3::Y * platform.height;
        // Faces turned to the eye: a front is seen when the eye is on its outer side.
        let mut faces: Vec<([Vec3; 4], f32)> = Vec::new();
        for i in 0..4 {
            let (a, b) = (corners[i], corners[(i + 1) % 4]);
            if (camera.eye - a).dot((a + b) * 0.5 - middle) > 0.0 {
                faces.push(([a, b, b - lower, a - lower], 0.20));
            }
        }
        faces.push((corners, 0.08));
        for (face, alpha) in faces {
            let points: Option<Vec<Vec2>> =
                face.iter().map(|p| camera.project(*p).map(|(at, _)| at)).collect();
            let Some(mut points) = points else { continue };
            let cover = strength.sqrt();
            out.push(Item::Fill { points: points.clone(), ink: Ink::new(SHADE, alpha * cover) });
            points.push(points[0]);
            out.push(Item::Line { points, width, ink: Ink::new(RULE, 0.8 * cover) });
        }
    }
}
