//! Where a stance of the source is put.

use glam::{Quat, Vec3, Vec3A};

use super::foot_source::{FootSource, Stance};
use super::place::Place;
use ugoki_base::ground::wrap_angle;

/// A footfall that is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Footfall {
    /// The ankle's ground point: x and z, and the height of the ground there as y, metres.
    pub place: Vec3,
    /// Ankle to toe over the ground, radians from +Z to the left; without one the foot turns as the other stands.
    pub heading: Option<f32>,
}

impl Footfall {
    /// Whether all numbers are.
    pub(super) fn is_finite(&self) -> bool {
        self.place.is_finite() && self.heading.is_none_or(f32::is_finite)
    }
}

/// A stance put on the ground: a placement, and a small tilt about the ankle where segments were joined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stand {
    /// Its yaw counts whole turns.
    pub(super) place: Place,
    /// A tilt about a point; none but where segments were joined.
    tilt: Option<(Quat, Vec3A)>,
    /// Height of the ground under it, metres.
    pub(super) ground: f32,
    /// Where the ankle stands, metres.
    pub(super) ankle: Vec3,
}

impl Stand {
    /// A placement without a stance, over ground at this height.
    pub(super) fn still(place: Place, ground: f32) -> Self {
        Self { place, tilt: None, ground, ankle: place.shift.into() }
    }

    /// The stance moved by a placement.
    pub(super) fn moved(place: Place, stance: &Stance, ground: f32) -> Self {
        Self { place, tilt: None, ground, ankle: place.point(stance.ankle) }
    }

    /// The stance at a footfall; `turned` is the yaw it has without a heading.
    pub(super) fn put(foot: &FootSource, stance: &Stance, target: &Footfall, turned: f32) -> Self {
        let yaw = target.heading.map_or(turned, |heading| {
            turned + wrap_angle(f64::from(heading - stance.heading - turned)) as f32
        });
        let to = target.place + Vec3::Y * foot.rest_m(stance);
        Self::moved(Place::carrying(stance.ankle, to, yaw), stance, target.place.y)
    }

    /// The stance exactly where a foot stands in the world: its ankle, its rotation.
    pub(super) fn joined(
        source: (Vec3, Quat),
        world: (Vec3, Quat),
        stance: &Stance,
        before: &Self,
        toe: Vec3,
    ) -> Self {
        let heading = |q: Quat| (q * toe).x.atan2((q * toe).z);
        let turn = heading(world.1) - heading(source.1);
        let yaw = before.place.yaw + wrap_angle(f64::from(turn - before.place.yaw)) as f32;
        let place = Place::carrying(source.0, world.0, yaw);
        let tilt = (world.1 * place.rotation(source.1).inverse()).normalize();
        Self { tilt: Some((tilt, world.0.into())), ..Self::moved(place, stance, before.ground) }
    }

    #[inline]
    pub(super) fn apply(&self, (point, rotation): (Vec3A, Quat)) -> (Vec3A, Quat) {
        let (point, rotation) = (self.place.carry(point), self.place.rotation(rotation));
        let Some((tilt, about)) = self.tilt else { return (point, rotation) };
        (about + tilt * (point - about), tilt * rotation)
    }
}

impl FootSource {
    /// Height of the ankle over the ground in a stance, metres: as when standing, or, on tiptoe, as it is.
    pub(crate) fn rest_m(&self, stance: &Stance) -> f32 {
        let height = stance.ankle.y - stance.level;
        if stance.flat || height - self.standing_m < self.tiptoe_m { self.standing_m } else { height }
    }
}
