//! Postures in human terms: degrees at named joints, metres for where pelvis and feet are.
//!
//! A posture is a plain list of numbers, so curves can run through postures number by number. The signs are
//! those a therapist would use: flexion, abduction, internal rotation, pronation, dorsiflexion and toe
//! extension are positive; for the trunk and head, forward, left and turning left are positive.
//! `super::pose` turns a posture into joint rotations.

/// Declares a struct of `f64` channels that can be read and written as a slice, field by field.
macro_rules! channels {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        pub(super) struct $name {
            $($(#[$doc])* pub $field: f64,)*
        }

        impl $name {
            /// How many channels there are.
            pub(super) const COUNT: usize = [$(stringify!($field)),*].len();

            fn write(&self, out: &mut Vec<f64>) {
                out.extend([$(self.$field),*]);
            }

            fn read(values: &mut impl Iterator<Item = f64>) -> Self {
                Self { $($field: values.next().unwrap_or_default(),)* }
            }
        }
    };
}

channels! {
    /// Pelvis, trunk and head.
    Torso {
        /// Pelvis to the left of its place, metres.
        x,
        /// Pelvis above its rest height, metres.
        y,
        /// Pelvis in front of its place, metres.
        z,
        /// Pelvis tipped forward.
        tilt,
        /// Pelvis with its left side up.
        list,
        /// Pelvis turned left.
        turn,
        /// Trunk flexed forward, relative to the pelvis.
        bend,
        /// Trunk bent to the left.
        lean,
        /// Trunk twisted to the left.
        twist,
        /// Head flexed forward, relative to the trunk.
        nod,
        /// Head bent to the left.
        head_lean,
        /// Head turned left.
        head_turn,
        /// Fraction (0 to 1) of pelvis and trunk rotation that the head undoes to keep its gaze level.
        gaze,
    }
}

channels! {
    /// One arm. Shoulder angles are of the upper arm relative to the trunk, from hanging straight down.
    Arm {
        /// Shoulder girdle raised, beyond what raising the arm brings along.
        shrug,
        /// Shoulder girdle forward.
        protract,
        /// Upper arm forward; with `abduction` the two parts of one swing, whose length is the elevation.
        flexion,
        /// Upper arm to the side.
        abduction,
        /// Upper arm turned inward about its length.
        rotation,
        /// Elbow.
        elbow,
        /// Forearm turned palm down, from thumb up.
        pronation,
        /// Wrist towards the palm.
        wrist,
        /// Wrist towards the thumb.
        deviation,
    }
}

channels! {
    /// One leg: where its foot stands, or, as far as `free` is 1, the angles of its joints.
    Leg {
        /// Foot in front of its stance place, metres.
        step_z,
        /// Foot to the outside of its stance place, metres.
        step_x,
        /// Foot above the ground, metres.
        step_y,
        /// Foot turned outward, beyond the stance's toe-out.
        toe_out,
        /// Heel lifted, turning the foot about its ball while the toes stay flat.
        heel_lift,
        /// Knee carried outward, beyond the foot's direction.
        knee_out,
        /// 0: the foot stands where the channels above say; 1: the joints have the angles below.
        free,
        /// Hip, thigh forward.
        hip,
        /// Hip, thigh to the side.
        abduction,
        /// Hip, thigh turned inward.
        rotation,
        /// Knee.
        knee,
        /// Ankle, toes up.
        ankle,
    }
}

/// A whole body; index 0 of `arms` and `legs` is the left.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Posture {
    pub torso: Torso,
    pub arms: [Arm; 2],
    pub legs: [Leg; 2],
}

impl Posture {
    /// How many channels a body has.
    pub(super) const COUNT: usize = Torso::COUNT + 2 * Arm::COUNT + 2 * Leg::COUNT;

    /// All channels: torso, left arm, right arm, left leg, right leg.
    pub(super) fn to_channels(self) -> Vec<f64> {
        let mut out = Vec::with_capacity(Self::COUNT);
        self.torso.write(&mut out);
        self.arms.iter().for_each(|arm| arm.write(&mut out));
        self.legs.iter().for_each(|leg| leg.write(&mut out));
        out
    }

    /// Back from [`Self::to_channels`].
    pub(super) fn from_channels(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values = values.into_iter();
        let values = &mut values;
        Self {
            torso: Torso::read(values),
            arms: [Arm::read(values), Arm::read(values)],
            legs: [Leg::read(values), Leg::read(values)],
        }
    }

    /// `self` at 0, `other` at 1, interpolated channel by channel.
    pub(super) fn mix(&self, other: &Self, fraction: f64) -> Self {
        let pairs = self.to_channels().into_iter().zip(other.to_channels());
        Self::from_channels(pairs.map(|(a, b)| a + (b - a) * fraction))
    }

    /// The same posture changed by `edit`.
    pub(super) fn with(mut self, edit: impl FnOnce(&mut Self)) -> Self {
        edit(&mut self);
        self
    }

    /// Standing at ease: what every gesture starts from and returns to.
    ///
    /// Feet as in [`super::feet::STANCE_HALF_WIDTH`], knees just unlocked, arms hanging a little in front and out
    /// with soft elbows; the values are read off relaxed standing in CMU captures.
    pub(super) fn idle() -> Self {
        let arm = Arm {
            flexion: 1.0,
            abduction: 9.0,
            rotation: 12.0,
            elbow: 14.0,
            pronation: 18.0,
            wrist: 5.0,
            ..Arm::default()
        };
        Self {
            torso: Torso { y: -0.0025, tilt: 3.0, bend: -1.0, nod: 3.0, gaze: 0.6, ..Torso::default() },
            arms: [arm; 2],
            legs: [Leg::default(); 2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_come_back_in_order() {
        let numbers: Vec<f64> = (0..Posture::COUNT).map(|i| i as f64).collect();
        let posture = Posture::from_channels(numbers.iter().copied());
        assert_eq!(posture.to_channels(), numbers);
        assert_eq!(posture.torso.x, 0.0);
        assert_eq!(posture.legs[1].ankle, (Posture::COUNT - 1) as f64);
    }

    #[test]
    fn mixing_runs_from_one_to_the_other() {
        let (a, b) = (Posture::idle(), Posture::idle().with(|p| p.arms[1].flexion = 91.0));
        assert_eq!(a.mix(&b, 0.0), a);
        assert_eq!(a.mix(&b, 1.0), b);
        assert_eq!(a.mix(&b, 0.5).arms[1].flexion, 46.0);
    }
}
