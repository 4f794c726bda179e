//! What a joint is on a human, by the names of VRM's humanoid bones.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The body's two sides; left is the character's own left, +X when it faces +Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The character's left.
    Left,
    /// The character's right.
    Right,
}

macro_rules! roles {
    ($($variant:ident $name:literal $doc:literal,)*) => {
        /// What a joint is on a human (VRM 1.0 humanoid bone names).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Role {
            $(#[doc = $doc] $variant,)*
        }

        impl Role {
            /// All roles, torso first, then the left limbs, then the right.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// VRM's name: `leftUpperArm`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

roles! {
    Hips "hips" "Pelvis: the root of the body.",
    Spine "spine" "Lowest joint of the back.",
    Chest "chest" "Middle of the back.",
    UpperChest "upperChest" "Top of the back.",
    Neck "neck" "Base of the neck.",
    Head "head" "Base of the skull.",
    LeftEye "leftEye" "Left eye.",
    RightEye "rightEye" "Right eye.",
    Jaw "jaw" "Jaw.",
    LeftShoulder "leftShoulder" "Left shoulder.",
    LeftUpperArm "leftUpperArm" "Left upper arm.",
    LeftLowerArm "leftLowerArm" "Left lower arm.",
    LeftHand "leftHand" "Left hand.",
    LeftUpperLeg "leftUpperLeg" "Left upper leg.",
    LeftLowerLeg "leftLowerLeg" "Left lower leg.",
    LeftFoot "leftFoot" "Left foot.",
    LeftToes "leftToes" "Left toes.",
    LeftThumbMetacarpal "leftThumbMetacarpal" "Left thumb metacarpal.",
    LeftThumbProximal "leftThumbProximal" "Left thumb proximal.",
    LeftThumbDistal "leftThumbDistal" "Left thumb distal.",
    LeftIndexProximal "leftIndexProximal" "Left index proximal.",
    LeftIndexIntermediate "leftIndexIntermediate" "Left index intermediate.",
    LeftIndexDistal "leftIndexDistal" "Left index distal.",
    LeftMiddleProximal "leftMiddleProximal" "Left middle proximal.",
    LeftMiddleIntermediate "leftMiddleIntermediate" "Left middle intermediate.",
    LeftMiddleDistal "leftMiddleDistal" "Left middle distal.",
    LeftRingProximal "leftRingProximal" "Left ring proximal.",
    LeftRingIntermediate "leftRingIntermediate" "Left ring intermediate.",
    LeftRingDistal "leftRingDistal" "Left ring distal.",
    LeftLittleProximal "leftLittleProximal" "Left little proximal.",
    LeftLittleIntermediate "leftLittleIntermediate" "Left little intermediate.",
    LeftLittleDistal "leftLittleDistal" "Left little distal.",
    RightShoulder "rightShoulder" "Right shoulder.",
    RightUpperArm "rightUpperArm" "Right upper arm.",
    RightLowerArm "rightLowerArm" "Right lower arm.",
    RightHand "rightHand" "Right hand.",
    RightUpperLeg "rightUpperLeg" "Right upper leg.",
    RightLowerLeg "rightLowerLeg" "Right lower leg.",
    RightFoot "rightFoot" "Right foot.",
    RightToes "rightToes" "Right toes.",
    RightThumbMetacarpal "rightThumbMetacarpal" "Right thumb metacarpal.",
    RightThumbProximal "rightThumbProximal" "Right thumb proximal.",
    RightThumbDistal "rightThumbDistal" "Right thumb distal.",
    RightIndexProximal "rightIndexProximal" "Right index proximal.",
    RightIndexIntermediate "rightIndexIntermediate" "Right index intermediate.",
    RightIndexDistal "rightIndexDistal" "Right index distal.",
    RightMiddleProximal "rightMiddleProximal" "Right middle proximal.",
    RightMiddleIntermediate "rightMiddleIntermediate" "Right middle intermediate.",
    RightMiddleDistal "rightMiddleDistal" "Right middle distal.",
    RightRingProximal "rightRingProximal" "Right ring proximal.",
    RightRingIntermediate "rightRingIntermediate" "Right ring intermediate.",
    RightRingDistal "rightRingDistal" "Right ring distal.",
    RightLittleProximal "rightLittleProximal" "Right little proximal.",
    RightLittleIntermediate "rightLittleIntermediate" "Right little intermediate.",
    RightLittleDistal "rightLittleDistal" "Right little distal.",
}

impl Role {
    /// How many roles there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Place in [`Role::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The role of this VRM name, capitals aside: `leftUpperArm`, `LeftUpperArm`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.name().eq_ignore_ascii_case(name))
    }

    /// The side it lies on; `None` on the midline.
    #[must_use]
    pub fn side(self) -> Option<Side> {
        if self.name().starts_with("left") {
            Some(Side::Left)
        } else if self.name().starts_with("right") {
            Some(Side::Right)
        } else {
            None
        }
    }

    /// The same joint on the other side; itself on the midline.
    #[must_use]
    pub fn mirrored(self) -> Self {
        let swapped = match self.side() {
            Some(Side::Left) => format!("right{}", &self.name()[4..]),
            Some(Side::Right) => format!("left{}", &self.name()[5..]),
            None => return self,
        };
        Self::from_name(&swapped).unwrap_or(self)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::from_name(&name)
            .ok_or_else(|| serde::de::Error::custom(format!("{name:?} is not a VRM humanoid bone")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_mirrors_are_their_own_inverses() {
        assert_eq!(Role::COUNT, 55);
        for &role in Role::ALL {
            assert_eq!(Role::from_name(role.name()), Some(role));
            assert_eq!(role.mirrored().mirrored(), role);
            assert_eq!(role.mirrored() == role, role.side().is_none());
        }
        assert_eq!(Role::LeftUpperArm.mirrored(), Role::RightUpperArm);
    }
}
