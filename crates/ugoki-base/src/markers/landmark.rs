//! Places on the body that markers are fixed to, whatever a laboratory calls them.

use std::fmt;

use crate::skeleton::Side;

/// A part of the body that moves as one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Hips.
    Pelvis,
    /// Chest with the base of the neck.
    Chest,
    /// Head.
    Head,
    /// Shoulder girdle.
    Shoulder,
    /// Upper arm.
    UpperArm,
    /// Forearm.
    LowerArm,
    /// Hand.
    Hand,
    /// Thigh.
    UpperLeg,
    /// Shin.
    LowerLeg,
    /// Foot.
    Foot,
}

macro_rules! places {
    ($($variant:ident $name:literal $part:ident $sided:literal $many:literal $doc:literal,)*) => {
        /// Where on the body a marker sits; with a [`Side`] where there are two of it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Place {
            $(#[doc = $doc] $variant,)*
        }

        impl Place {
            /// Every place.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name in label maps: `knee lateral`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The part of the body that carries it.
            #[must_use]
            pub const fn part(self) -> Part {
                match self { $(Self::$variant => Part::$part),* }
            }

            /// Whether the body has it on both sides.
            #[must_use]
            pub const fn is_sided(self) -> bool {
                match self { $(Self::$variant => $sided),* }
            }

            /// Whether several markers may be there: they only show how the part turns.
            #[must_use]
            pub const fn is_tracking(self) -> bool {
                match self { $(Self::$variant => $many),* }
            }
        }
    };
}

places! {
    Asis "asis" Pelvis true false "Front edge of the pelvis (anterior superior iliac spine).",
    Psis "psis" Pelvis true false "Back dimple of the pelvis (posterior superior iliac spine).",
    Sacrum "sacrum" Pelvis false false "Between the back dimples.",
    Pelvis "pelvis" Pelvis true true "Anywhere else on the pelvis.",
    HipCentre "hip centre" Pelvis true false "The hip joint itself, as pose estimators and models give it.",
    PelvisCentre "pelvis centre" Pelvis false false "Middle between the hip joints.",
    Thigh "thigh" UpperLeg true true "Anywhere on the thigh.",
    ThighUpper "thigh upper" UpperLeg true false "OpenSim's upper marker of the thigh.",
    ThighFront "thigh front" UpperLeg true false "OpenSim's front marker of the thigh.",
    ThighRear "thigh rear" UpperLeg true false "OpenSim's rear marker of the thigh.",
    KneeLateral "knee lateral" UpperLeg true false "Outer side of the knee.",
    KneeMedial "knee medial" UpperLeg true false "Inner side of the knee.",
    KneeCentre "knee centre" UpperLeg true false "The knee joint itself.",
    Shank "shank" LowerLeg true true "Anywhere on the shin.",
    ShankUpper "shank upper" LowerLeg true false "OpenSim's upper marker of the shin.",
    ShankFront "shank front" LowerLeg true false "OpenSim's front marker of the shin.",
    ShankRear "shank rear" LowerLeg true false "OpenSim's rear marker of the shin.",
    AnkleLateral "ankle lateral" LowerLeg true false "Outer ankle bone.",
    AnkleMedial "ankle medial" LowerLeg true false "Inner ankle bone.",
    AnkleCentre "ankle centre" LowerLeg true false "The ankle joint itself.",
    Heel "heel" Foot true false "Back of the heel.",
    Foot "foot" Foot true true "Anywhere else on the foot.",
    MidfootTop "midfoot top" Foot true false "OpenSim's marker on the instep.",
    MidfootSide "midfoot side" Foot true false "OpenSim's marker on the foot's outer side.",
    Forefoot "forefoot" Foot true false "Ball of the foot, second toe's base.",
    BallInner "ball inner" Foot true false "Base of the big toe.",
    BallOuter "ball outer" Foot true false "Base of the little toe.",
    ToeTip "toe tip" Foot true false "Tip of the big toe.",
    LittleToe "little toe" Foot true false "Tip of the little toe.",
    C7 "c7" Chest false false "The neck's lowest vertebra, on the skin.",
    T10 "t10" Chest false false "The back at the height of the breastbone's end.",
    Clavicle "clavicle" Chest false false "The notch above the breastbone.",
    Sternum "sternum" Chest false false "The breastbone.",
    Collar "collar" Chest true false "On a collar bone.",
    Chest "chest" Chest false true "Anywhere else on the trunk above the waist.",
    NeckCentre "neck centre" Chest false false "Base of the neck, inside.",
    Acromion "acromion" Shoulder true false "Top of the shoulder.",
    ShoulderCentre "shoulder centre" Shoulder true false "The shoulder joint itself.",
    UpperArm "upper arm" UpperArm true true "Anywhere on the upper arm.",
    ElbowLateral "elbow lateral" UpperArm true false "Outer side of the elbow.",
    ElbowMedial "elbow medial" UpperArm true false "Inner side of the elbow.",
    ElbowCentre "elbow centre" UpperArm true false "The elbow joint itself.",
    Forearm "forearm" LowerArm true true "Anywhere on the forearm.",
    WristThumb "wrist thumb" LowerArm true false "The wrist's thumb side.",
    WristLittle "wrist little" LowerArm true false "The wrist's little-finger side.",
    WristCentre "wrist centre" LowerArm true false "The wrist joint itself.",
    Knuckle "knuckle" Hand true false "Base of the second or third finger.",
    Hand "hand" Hand true true "Anywhere else on the hand.",
    Thumb "thumb" Hand true false "Thumb.",
    Index "index" Hand true false "Index finger.",
    Little "little" Hand true false "Little finger.",
    HeadFront "head front" Head true false "Temple or forehead.",
    HeadBack "head back" Head true false "Back of the head.",
    HeadSide "head side" Head true false "Side of the head, above the ear.",
    HeadTop "head top" Head false false "Crown.",
    SkullBase "skull base" Head false false "Base of the skull, inside: the joint of the head.",
    Head "head" Head false true "Anywhere else on the head.",
    Nose "nose" Head false false "Nose.",
    Eye "eye" Head true false "Eye.",
    Ear "ear" Head true false "Ear.",
}

/// A place and its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Landmark {
    /// Where.
    pub place: Place,
    /// On which side; `None` for places in the middle.
    pub side: Option<Side>,
}

impl Landmark {
    /// From its name: `left knee lateral`, `sacrum`, in any capitals, with blanks, hyphens or underscores.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace(['-', '_'], " ");
        let words = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let (side, place) = match words.split_once(' ') {
            Some(("left", rest)) => (Some(Side::Left), rest),
            Some(("right", rest)) => (Some(Side::Right), rest),
            _ => (None, words.as_str()),
        };
        let place = Place::ALL.iter().copied().find(|known| known.name() == place)?;
        (place.is_sided() == side.is_some()).then_some(Self { place, side })
    }
}

impl fmt::Display for Landmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.side {
            Some(Side::Left) => write!(f, "left {}", self.place.name()),
            Some(Side::Right) => write!(f, "right {}", self.place.name()),
            None => f.write_str(self.place.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_landmark_is_found_by_its_name() {
        for &place in Place::ALL {
            let sides: &[Option<Side>] =
                if place.is_sided() { &[Some(Side::Left), Some(Side::Right)] } else { &[None] };
            for &side in sides {
                let landmark = Landmark { place, side };
                assert_eq!(Landmark::from_name(&landmark.to_string()), Some(landmark));
            }
        }
        assert_eq!(Landmark::from_name("Left_Knee-Lateral").map(|l| l.place), Some(Place::KneeLateral));
        assert_eq!(Landmark::from_name("knee lateral"), None, "a knee has a side");
    }
}
