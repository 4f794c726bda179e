//! A perspective camera, and how its scale is chosen so that bodies fill a rectangle.
//!
//! The eye stands at a fixed distance and looks at a target; only the focal length and the image
//! centre are fitted. So the perspective is the same in all cells and the fit is one division.

use glam::{Vec2, Vec3};

use super::config::View;
use super::solid::Solid;

/// Distance from the eye to its target, body heights. Nearer looks distorted at the hands, farther looks flat.
pub(super) const EYE_DISTANCE: f32 = 4.2;

/// How far the eye looks down, radians: enough to read the ground, little enough to read posture.
const PITCH: f32 = 0.24;

/// Turn from front towards the character's right in the three-quarter view, radians.
const THREE_QUARTER: f32 = 0.72;

/// Nothing nearer to the eye than this is drawn, body heights.
const NEAR: f32 = 0.05;

/// Right, up and forward of the eye: unit vectors at right angles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axes {
    pub(super) right: Vec3,
    pub(super) up: Vec3,
    pub(super) forward: Vec3,
}

impl Axes {
    /// The eye of this view on a character that faces `facing` (a unit vector in the ground plane).
    pub(super) fn from_view(view: View, facing: Vec3) -> Self {
        let turn = match view {
            View::Front => 0.0,
            View::Side => std::f32::consts::FRAC_PI_2,
            View::ThreeQuarter => THREE_QUARTER,
        };
        // From the character to the eye; its right is −X when it faces +Z.
        let character_right = facing.cross(Vec3::Y);
        Self::looking_along(-(facing * turn.cos() + character_right * turn.sin()))
    }

    /// The eye that looks along `heading` (in the ground plane) and down by the usual pitch.
    pub(super) fn looking_along(heading: Vec3) -> Self {
        let heading = heading.normalize_or(Vec3::NEG_Z);
        let right = heading.cross(Vec3::Y);
        let forward = heading * PITCH.cos() - Vec3::Y * PITCH.sin();
        Self { right, up: right.cross(forward), forward }
    }
}

/// A pinhole camera: body heights in the world, pixels (y down) on the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Camera {
    pub(super) eye: Vec3,
    pub(super) axes: Axes,
    /// Pixels per body height at one body height's distance.
    pub(super) focal: f32,
    /// Where the viewing axis meets the picture, pixels.
    pub(super) centre: Vec2,
    /// Towards the key light: right, up, towards the eye; unit.
    pub(super) light: Vec3,
}

/// The key light stands to the upper left of the viewer, as in drawings.
pub(super) const KEY_LIGHT: Vec3 = Vec3::new(-0.42, 0.70, 0.58);

impl Camera {
    /// The place of `p` on the picture and its depth; `None` behind the eye.
    pub(super) fn project(&self, p: Vec3) -> Option<(Vec2, f32)> {
        let q = p - self.eye;
        let depth = q.dot(self.axes.forward);
        let at = Vec2::new(q.dot(self.axes.right), -q.dot(self.axes.up));
        (depth > NEAR).then(|| (self.centre + at * (self.focal / depth), depth))
    }

    /// Unit direction from the eye through this place of the picture.
    pub(super) fn ray(&self, at: Vec2) -> Vec3 {
        let q = (at - self.centre) / self.focal;
        (self.axes.forward + self.axes.right * q.x - self.axes.up * q.y).normalize()
    }

    /// Towards the key light in world axes.
    pub(super) fn light_world(&self) -> Vec3 {
        let Axes { right, up, forward } = self.axes;
        (right * self.light.x + up * self.light.y - forward * self.light.z).normalize_or(Vec3::Y)
    }
}

/// A rectangle in pixels or on the image plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) min: Vec2,
    pub(super) max: Vec2,
}

impl Rect {
    pub(super) const EMPTY: Self = Self { min: Vec2::INFINITY, max: Vec2::NEG_INFINITY };

    pub(super) fn new(x: f32, y: f32, width: f32, height: f32) -> Self {
        Self { min: Vec2::new(x, y), max: Vec2::new(x + width, y + height) }
    }

    pub(super) fn size(&self) -> Vec2 {
        self.max - self.min
    }

    pub(super) fn centre(&self) -> Vec2 {
        (self.min + self.max) * 0.5
    }

    pub(super) fn with(&self, p: Vec2) -> Self {
        Self { min: self.min.min(p), max: self.max.max(p) }
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// What a camera at distance `distance` from `target` sees of the solids: a rectangle on the image
/// plane at focal length 1.
pub(super) fn extent<'a>(
    axes: &Axes,
    target: Vec3,
    distance: f32,
    solids: impl Iterator<Item = &'a Solid>,
) -> Rect {
    let camera = camera_at(axes, target, distance, 1.0, Vec2::ZERO);
    let mut rect = Rect::EMPTY;
    for solid in solids {
        for (p, r) in [(solid.a, solid.ra), (solid.b, solid.rb)] {
            if let Some((at, depth)) = camera.project(p) {
                let reach = Vec2::splat(r / (depth - r).max(NEAR));
                rect = rect.with(at - reach).with(at + reach);
            }
        }
    }
    rect
}

/// A camera that looks at `target` from `distance`.
pub(super) fn camera_at(axes: &Axes, target: Vec3, distance: f32, focal: f32, centre: Vec2) -> Camera {
    let eye = target - axes.forward * distance;
    Camera { eye, axes: *axes, focal, centre, light: KEY_LIGHT.normalize() }
}

/// Focal length that fits `extent` into a rectangle of this size, and the image centre relative to the
/// rectangle's centre that puts the extent into its middle.
pub(super) fn fit(extent: &Rect, size: Vec2) -> (f32, Vec2) {
    let wanted = extent.size().max(Vec2::splat(1e-3));
    let focal = (size / wanted).min_element().max(1e-3);
    (focal, -extent.centre() * focal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn views_show_the_character_as_their_names_say() {
        let facing = Vec3::Z;
        let left = Vec3::X;
        let front = Axes::from_view(View::Front, facing);
        assert!(front.right.dot(left) > 0.999, "the character's left is on the picture's right");
        let side = Axes::from_view(View::Side, facing);
        assert!(side.right.dot(facing) > 0.999, "the character faces the picture's right");
        let between = Axes::from_view(View::ThreeQuarter, facing);
        assert!(between.right.dot(facing) > 0.3 && between.forward.dot(facing) < -0.3);
    }

    proptest! {
        #[test]
        fn a_ray_through_a_projected_point_meets_the_point(
            x in -1.0..1.0_f32, y in 0.0..1.0_f32, z in -1.0..1.0_f32, turn in 0.0..6.2_f32,
        ) {
            let axes = Axes::looking_along(Vec3::new(turn.sin(), 0.0, turn.cos()));
            let camera = camera_at(&axes, Vec3::Y * 0.5, EYE_DISTANCE, 800.0, Vec2::new(200.0, 300.0));
            let p = Vec3::new(x, y, z);
            let (at, _) = camera.project(p).unwrap();
            let away = p - camera.eye;
            // A thousandth of a body height: f32 over four body heights and 800 pixels.
            prop_assert!((away - camera.ray(at) * away.length()).length() < 1e-3);
        }
    }
}
