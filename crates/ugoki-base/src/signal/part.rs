//! Parts of the body, by the roles of joints.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::skeleton::{Role, Side, Skeleton};

/// A part of the body to work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Everything from the spine up: torso, head and arms.
    Upper,
    /// Hips, with the path over the ground, and legs.
    Lower,
    /// Spine and chest.
    Torso,
    /// Neck and head.
    Head,
    /// Left shoulder, arm, hand and fingers.
    LeftArm,
    /// Right shoulder, arm, hand and fingers.
    RightArm,
    /// Left leg and foot.
    LeftLeg,
    /// Right leg and foot.
    RightLeg,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 8] = [
        Self::Upper,
        Self::Lower,
        Self::Torso,
        Self::Head,
        Self::LeftArm,
        Self::RightArm,
        Self::LeftLeg,
        Self::RightLeg,
    ];

    /// As users write it: `left-arm`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Upper => "upper",
            Self::Lower => "lower",
            Self::Torso => "torso",
            Self::Head => "head",
            Self::LeftArm => "left-arm",
            Self::RightArm => "right-arm",
            Self::LeftLeg => "left-leg",
            Self::RightLeg => "right-leg",
        }
    }

    /// Whether a joint of this role belongs to the part.
    #[must_use]
    pub fn has(self, role: Role) -> bool {
        use Role::{
            Chest, Head, Hips, Jaw, LeftEye, LeftFoot, LeftLowerLeg, LeftToes, LeftUpperLeg, Neck, RightEye,
            RightFoot, RightLowerLeg, RightToes, RightUpperLeg, Spine, UpperChest,
        };
        let head = matches!(role, Neck | Head | LeftEye | RightEye | Jaw);
        let torso = matches!(role, Spine | Chest | UpperChest);
        let leg = matches!(
            role,
            LeftUpperLeg
                | LeftLowerLeg
                | LeftFoot
                | LeftToes
                | RightUpperLeg
                | RightLowerLeg
                | RightFoot
                | RightToes
        );
        let arm = !head && !torso && !leg && role != Hips;
        match self {
            Self::Upper => head || torso || arm,
            Self::Lower => leg || role == Hips,
            Self::Torso => torso,
            Self::Head => head,
            Self::LeftArm => arm && role.side() == Some(Side::Left),
            Self::RightArm => arm && role.side() == Some(Side::Right),
            Self::LeftLeg => leg && role.side() == Some(Side::Left),
            Self::RightLeg => leg && role.side() == Some(Side::Right),
        }
    }

    /// Which joints of `skeleton` belong to the part. A joint without a role goes with its nearest ancestor
    /// that has one; what stands above the hips goes with them.
    #[must_use]
    pub fn joints(self, skeleton: &Skeleton) -> Vec<bool> {
        (0..skeleton.num_joints())
            .map(|joint| {
                let mut at = Some(joint);
                while let Some(j) = at {
                    if let Some(role) = skeleton.joint(j).role {
                        return self.has(role);
                    }
                    at = skeleton.parent(j);
                }
                self.has(Role::Hips)
            })
            .collect()
    }
}

/// Not a part of the body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a part of the body; use upper, lower, torso, head, left-arm, right-arm, left-leg or right-leg"
)]
pub struct PartError {
    /// The text found.
    pub text: String,
}

impl FromStr for Part {
    type Err = PartError;

    fn from_str(text: &str) -> Result<Self, PartError> {
        Self::ALL
            .into_iter()
            .find(|part| part.name().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| PartError { text: text.to_owned() })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_and_lower_partition_the_body_and_smaller_parts_partition_each() {
        for &role in Role::ALL {
            assert_ne!(Part::Upper.has(role), Part::Lower.has(role), "{role}");
            let upper = [Part::Torso, Part::Head, Part::LeftArm, Part::RightArm];
            assert_eq!(
                upper.iter().filter(|p| p.has(role)).count(),
                usize::from(Part::Upper.has(role)),
                "{role}"
            );
            let lower = [Part::LeftLeg, Part::RightLeg].iter().any(|p| p.has(role)) || role == Role::Hips;
            assert_eq!(lower, Part::Lower.has(role), "{role}");
        }
    }

    #[test]
    fn parts_read_back_as_they_are_written() {
        for part in Part::ALL {
            assert_eq!(part.to_string().parse(), Ok(part));
        }
        assert!("tail".parse::<Part>().unwrap_err().to_string().contains("left-leg"));
    }
}
