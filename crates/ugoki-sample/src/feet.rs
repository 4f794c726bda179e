//! Where a foot is: standing flat, rolling over its heel, or rolling over the ball with its toes down.

use glam::{DQuat, DVec3};

use super::body::{ANKLE_HEIGHT, heel, toe_joint, toe_tip};

/// Ankles stand this far from the midline in the idle stance, metres: a comfortable stance is 0.17 m wide
/// between the heels [mcilroy1997].
pub(super) const STANCE_HALF_WIDTH: f64 = 0.095;
/// The feet point outward by this much in the idle stance, degrees ([mcilroy1997] finds 14° between the feet).
pub(super) const STANCE_TOE_OUT_DEG: f64 = 7.0;

/// A foot in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Foot {
    /// Ankle position, metres.
    pub ankle: DVec3,
    /// Direction of the foot, radians, positive to the left of +Z.
    pub yaw: f64,
    /// Toes up, radians; negative with the heel lifted.
    pub pitch: f64,
    /// Toes bent up relative to the foot, radians.
    pub toes: f64,
}

impl Foot {
    /// Rotation of a foot of this direction and pitch: `world_from_foot`.
    pub(super) fn rotation_of(yaw: f64, pitch: f64) -> DQuat {
        DQuat::from_rotation_y(yaw) * DQuat::from_rotation_x(-pitch)
    }

    /// `world_from_foot`.
    pub(super) fn rotation(&self) -> DQuat {
        Self::rotation_of(self.yaw, self.pitch)
    }

    /// Flat on the ground at height `place.y`, its ankle over `place`.
    pub(super) fn flat(place: DVec3, yaw: f64) -> Self {
        Self { ankle: place + DVec3::Y * ANKLE_HEIGHT, yaw, pitch: 0.0, toes: 0.0 }
    }

    /// This flat foot rolled by `pitch`: over the heel when positive, over ball and toes when negative.
    ///
    /// The heel point, or the tip of the toes, stays exactly where it was. The toes lie flat until they are bent
    /// by [`TOES_FLAT`]; from there on they bend less and less, up to [`TOES_MOST`], and roll over their tip.
    pub(super) fn rolled(&self, pitch: f64) -> Self {
        let (level, tipped) = (Self::rotation_of(self.yaw, 0.0), Self::rotation_of(self.yaw, pitch));
        if pitch > 0.0 {
            let fixed = self.ankle + level * heel();
            return Self { ankle: fixed - tipped * heel(), pitch, toes: 0.0, ..*self };
        }
        let toes = toe_bend(-pitch);
        let tip = toe_tip().as_dvec3();
        let fixed = self.ankle + level * (toe_joint() + tip);
        let ball = fixed - Self::rotation_of(self.yaw, pitch + toes) * tip;
        Self { ankle: ball - tipped * toe_joint(), pitch, toes, ..*self }
    }
}

/// Bend of the toes up to which they lie flat on the ground, radians.
const TOES_FLAT: f64 = 0.45;
/// Bend that the toes do not reach, radians: 46° [perryburnfield2010, ch. 4 gives 55° at most in walking].
const TOES_MOST: f64 = 0.80;

/// Bend of the toes under a heel lifted by `lift`: all of it at first, then ever less; twice differentiable.
fn toe_bend(lift: f64) -> f64 {
    let room = TOES_MOST - TOES_FLAT;
    if lift <= TOES_FLAT { lift } else { TOES_FLAT + room * ((lift - TOES_FLAT) / room).tanh() }
}

#[cfg(test)]
mod tests {
    use super::super::body::ball_point;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rolling_keeps_its_pivot_in_place(x in -1.0..1.0_f64, yaw in -3.0..3.0_f64, pitch in -1.2..0.6_f64) {
            let flat = Foot::flat(DVec3::new(x, 0.17, 2.0), yaw);
            let rolled = flat.rolled(pitch);
            let heel_at = |foot: &Foot| foot.ankle + foot.rotation() * heel();
            let tip_at = |foot: &Foot| {
                let toes = Foot::rotation_of(foot.yaw, foot.pitch + foot.toes);
                foot.ankle + foot.rotation() * toe_joint() + toes * toe_tip().as_dvec3()
            };
            let moved = if pitch > 0.0 { heel_at(&rolled) - heel_at(&flat) } else { tip_at(&rolled) - tip_at(&flat) };
            prop_assert!(moved.length() < 1e-12);
            // Nothing goes under the ground.
            prop_assert!(heel_at(&rolled).y > 0.17 - 1e-12 && tip_at(&rolled).y > 0.17 - 1e-12);
            let ball = rolled.ankle + rolled.rotation() * ball_point().as_dvec3();
            prop_assert!(ball.y > 0.17 - 1e-6, "{}", ball.y);
        }
    }
}
