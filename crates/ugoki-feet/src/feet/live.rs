//! Both legs of one tick of a player, within reach: feet roll over their toes, hips give way to feet that stand, swinging feet give way to the
//! hips.
//!
//! A leg's length goes ever more slowly towards its full one. What is missing is taken up by the heel of a foot that rolls off, which rises
//! about its toe, by the hips, downwards, while a foot stands, and by the foot while it swings, changing over smoothly near footfalls.

use glam::{Quat, Vec3};

use super::legs::soft_length;

/// Widths of the soft end of a leg, as parts of its length, whose foot swings, which goes out by 2 % of the leg in every frame of 1/120 s, and
/// whose foot stands, for which the hips give way. Swept in docs/results/segments.md.
const SOFT: [f64; 2] = [0.03, 0.006];
/// Part of a leg's length from which on its heel rises, unless the source's own leg is longer there.
const ROLL_FROM: f32 = 0.92;
/// Length over which the heel begins to rise, as a part of the leg: 1 cm.
const ROLL_SOFT: f32 = 0.012;
/// Most that a foot is rolled further over its toe than in the source, radians: 35°. Feet of the captured walks leave the ground at 55 to
/// 75° against flat, and are at 15 to 30° when the other foot lands.
pub const MOST_ROLL: f32 = 0.61;

/// A leg to be kept within reach.
#[derive(Debug, Clone, Copy)]
pub struct LiveLeg {
    /// World position of the hip joint, metres.
    pub hip: Vec3,
    /// Of the ankle.
    pub ankle: Vec3,
    /// Of the toe.
    pub toe: Vec3,
    /// Distance of hip joint and ankle in the source, metres.
    pub captured: f32,
    /// The leg's full length, metres.
    pub length: f32,
    /// How much of what is missing the hips take up, 0 to 1.
    pub stands: f32,
    /// How far the foot may roll over its toe now, radians.
    pub rolls: f32,
}

/// Legs within reach.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    /// How far the hips sink, metres.
    pub sinks: f32,
    /// Where the ankles then are, metres.
    pub ankles: [Vec3; 2],
    /// Turn of each foot about its toe; none where it does not roll further than in the source.
    pub rolled: [Option<Quat>; 2],
}

impl LiveLeg {
    /// The length that a leg of this distance is given.
    fn softened(&self, distance: f32) -> f32 {
        let width = SOFT[0] + (SOFT[1] - SOFT[0]) * f64::from(self.stands);
        soft_length(f64::from(distance), f64::from(self.length), width) as f32
    }

    /// How far the hips must sink for the ankle to be within reach.
    fn sinks(&self) -> f32 {
        let line = self.hip - self.ankle;
        let soft = self.softened(line.length());
        let over = line.with_y(0.0).length_squared();
        line.y - (soft * soft - over).max(0.0).sqrt()
    }

    /// Raises the heel about the toe as far as the leg needs it and the foot may roll; gives the turn.
    pub fn roll(&mut self) -> Option<Quat> {
        if self.rolls <= 0.0 {
            return None;
        }
        let line = self.hip - self.ankle;
        let distance = line.length();
        let over = distance - self.captured.max(ROLL_FROM * self.length);
        if over <= 0.0 {
            return None;
        }
        let lever = self.ankle - self.toe;
        let axis = Vec3::Y.cross(-lever.with_y(0.0)).try_normalize()?;
        // Metres of leg that a radian saves.
        let saves = axis.cross(lever).dot(line) / distance;
        if saves < 0.1 * lever.length() {
            return None;
        }
        let over = over * over / (over + ROLL_SOFT * self.length);
        let turn = Quat::from_axis_angle(axis, self.rolls * (over / (saves * self.rolls)).tanh());
        self.ankle = self.toe + turn * lever;
        Some(turn)
    }
}

/// How far the hips sink, and where ankles and feet then belong.
#[must_use]
pub fn within_reach(mut legs: [LiveLeg; 2]) -> Reached {
    let rolled = [legs[0].roll(), legs[1].roll()];
    let sinks: f32 = legs.iter().map(|leg| leg.stands * leg.sinks()).sum();
    for leg in &mut legs {
        leg.hip.y -= sinks;
        let line = leg.ankle - leg.hip;
        let distance = line.length();
        if distance > 0.0 && leg.stands < 1.0 {
            leg.ankle = leg.hip + line * (leg.softened(distance) / distance);
        }
    }
    Reached { sinks, ankles: legs.map(|leg| leg.ankle), rolled }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(ankle: Vec3, stands: f32) -> LiveLeg {
        let toe = ankle + Vec3::new(0.0, -0.07, 0.15);
        LiveLeg { hip: Vec3::Y * 0.9, ankle, toe, captured: 0.8, length: 0.86, stands, rolls: 0.0 }
    }

    #[test]
    fn legs_within_reach_are_left_alone() {
        let near = LiveLeg { rolls: MOST_ROLL, captured: 0.83, ..leg(Vec3::new(0.0, 0.08, 0.1), 1.0) };
        let reached = within_reach([near, near]);
        // Some tenths of a millimetre are what the soft bound takes at 4 % from straight.
        assert!(reached.sinks.abs() < 6e-4 && reached.ankles == [near.ankle; 2], "{reached:?}");
        assert!(reached.rolled == [None; 2]);
    }

    #[test]
    fn hips_sink_for_a_standing_foot_and_a_swinging_one_is_held_back() {
        let far = Vec3::new(0.0, 0.08, 0.45);
        let near = leg(Vec3::new(0.0, 0.1, 0.0), 0.0);
        let Reached { sinks, ankles, .. } = within_reach([leg(far, 1.0), near]);
        assert!(sinks > 0.0 && ankles[0] == far);
        assert!((Vec3::Y * (0.9 - sinks)).distance(far) < 0.86);
        let Reached { sinks, ankles, .. } = within_reach([leg(far, 0.0), LiveLeg { stands: 1.0, ..near }]);
        assert!(sinks < 6e-4 && ankles[0].distance(Vec3::Y * 0.9) < 0.86);
    }

    #[test]
    fn a_heel_that_may_rise_spares_the_hips_and_its_toe_stays() {
        let behind = Vec3::new(0.0, 0.08, -0.45);
        let near = leg(Vec3::new(0.0, 0.1, 0.0), 0.0);
        let flat = within_reach([leg(behind, 1.0), near]);
        let rear = LiveLeg { rolls: MOST_ROLL, ..leg(behind, 1.0) };
        let rolls = within_reach([rear, near]);
        assert!(rolls.sinks < 0.5 * flat.sinks, "{} m of {} m", rolls.sinks, flat.sinks);
        let turn = rolls.rolled[0].unwrap();
        assert!(rolls.ankles[0].y > behind.y + 0.02 && rolls.ankles[0].z > behind.z);
        let toe = rolls.ankles[0] + turn * (rear.toe - behind);
        assert!(toe.distance(rear.toe) < 1e-6);
    }

    #[test]
    fn what_is_given_way_grows_without_a_jump() {
        let near = leg(Vec3::new(0.0, 0.1, 0.0), 0.0);
        for rolls in [0.0, MOST_ROLL] {
            let at =
                |z: f32| within_reach([LiveLeg { rolls, ..leg(Vec3::new(0.0, 0.08, -z), 1.0) }, near]).sinks;
            let mut before = 0.0;
            for step in 0..200 {
                let sinks = at(0.1 + 0.002 * step as f32);
                assert!((-1e-3..0.004).contains(&(sinks - before)), "{before} {sinks}");
                before = sinks;
            }
        }
    }
}
