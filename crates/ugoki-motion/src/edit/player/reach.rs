//! Legs that never snap straight: hips give way to feet that stand, swinging feet give way to the hips.
//!
//! A leg may be as long as the source's own at that moment; beyond that its length goes ever more slowly towards its full one.
//! What is missing is taken up by the hips, downwards, while the foot stands, and by
//! the foot while it swings, changing over smoothly near footfalls.

use glam::Vec3;

/// What is left to a straight leg, as a share of its length, about which it stops to go as it likes: of a foot that swings, which
/// goes out by 2 % of the leg in every frame of 1/120 s, and of one that stands. Swept in docs/results/segments.md.
const SOFT: [f32; 2] = [0.03, 0.006];
/// What is always left: a knee bent by 2.5°.
const STRAIGHTEST: f32 = 5e-4;

/// A leg to be kept within reach.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leg {
    /// World place of the hip joint and of the ankle, metres.
    pub(super) hip: Vec3,
    pub(super) ankle: Vec3,
    /// Distance of the two in the source, and the leg's full length, metres.
    pub(super) captured: f32,
    pub(super) length: f32,
    /// How much of what is missing the hips take up, 0 to 1.
    pub(super) stands: f32,
}

impl Leg {
    /// The length that a leg of this distance is given: nearly the same well within its reach, ever less than asked for beyond; the
    /// source's own length is given exactly, so that what was not changed stays.
    ///
    /// In shares of the leg, u is what is left to straight. F(u) = (u + √(u² + u₀²))/2 goes from u to 0 without a corner, and so
    /// does the knee, which moves as √u.
    fn softened(&self, distance: f32) -> f32 {
        let left = |distance: f32| 1.0 - distance / self.length;
        let width = SOFT[0] + (SOFT[1] - SOFT[0]) * self.stands;
        let soft = |u: f32| 0.5 * (u + (u * u + width * width).sqrt());
        let (u, own) = (left(distance), left(self.captured).max(STRAIGHTEST));
        let near = (u - own) / width;
        let given = soft(u) + (own - soft(own)) * (-near * near).exp();
        self.length * (1.0 - given.max(STRAIGHTEST))
    }

    /// How far the hips must sink for the ankle to be within reach.
    fn sinks(&self) -> f32 {
        let line = self.hip - self.ankle;
        let distance = line.length();
        let soft = self.softened(distance);
        if soft == distance {
            return 0.0;
        }
        let over = line.with_y(0.0).length_squared();
        line.y - (soft * soft - over).max(0.0).sqrt()
    }
}

/// How far the hips sink, metres, and where the ankles then belong.
pub(super) fn within_reach(mut legs: [Leg; 2]) -> (f32, [Vec3; 2]) {
    let sinks: f32 = legs.iter().map(|leg| leg.stands * leg.sinks()).sum();
    for leg in &mut legs {
        leg.hip.y -= sinks;
        let line = leg.ankle - leg.hip;
        let distance = line.length();
        let soft = leg.softened(distance);
        if soft != distance && leg.stands < 1.0 {
            leg.ankle = leg.hip + line * (soft / distance);
        }
    }
    (sinks, legs.map(|leg| leg.ankle))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(ankle: Vec3, stands: f32) -> Leg {
        Leg { hip: Vec3::Y * 0.9, ankle, captured: 0.8, length: 0.86, stands }
    }

    #[test]
    fn legs_within_reach_are_left_alone() {
        let near = leg(Vec3::new(0.0, 0.08, 0.1), 1.0);
        let (sinks, ankles) = within_reach([near, near]);
        // Some tenths of a millimetre are what the soft bound takes at 4 % from straight.
        assert!(sinks.abs() < 6e-4 && ankles == [near.ankle; 2], "{sinks} {ankles:?}");
    }

    #[test]
    fn hips_sink_for_a_standing_foot_and_a_swinging_one_is_held_back() {
        let far = Vec3::new(0.0, 0.08, 0.45);
        let (sinks, ankles) = within_reach([leg(far, 1.0), leg(Vec3::new(0.0, 0.1, 0.0), 0.0)]);
        assert!(sinks > 0.0 && ankles[0] == far);
        assert!((Vec3::Y * (0.9 - sinks)).distance(far) < 0.86);
        let (sinks, ankles) = within_reach([leg(far, 0.0), leg(Vec3::new(0.0, 0.1, 0.0), 1.0)]);
        assert!(sinks == 0.0 && ankles[0].distance(Vec3::Y * 0.9) < 0.86);
    }

    #[test]
    fn what_is_given_way_grows_without_a_jump() {
        let at =
            |z: f32| within_reach([leg(Vec3::new(0.0, 0.08, z), 1.0), leg(Vec3::new(0.0, 0.1, 0.0), 0.0)]).0;
        let mut before = 0.0;
        for step in 0..200 {
            let sinks = at(0.1 + 0.002 * step as f32);
            assert!((0.0..0.004).contains(&(sinks - before)), "{before} {sinks}");
            before = sinks;
        }
    }
}
