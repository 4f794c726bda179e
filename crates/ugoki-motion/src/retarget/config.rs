//! Knobs and refusals.

use std::fmt;

use serde::{Deserialize, Serialize};
use ugoki_base::Cancelled;
use ugoki_base::clip::ClipError;
use ugoki_base::skeleton::Role;
use ugoki_feet::contact::ContactConfig;

/// How a clip is moved onto another skeleton.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetargetConfig {
    /// Whether feet that stand in the source are held on the target.
    pub hold_feet: bool,
    /// Whether the floor of the source is found by its contacts and becomes y = 0; otherwise its y = 0 is kept.
    pub find_floor: bool,
    /// How contacts of the source are found.
    pub contact: ContactConfig,
    /// A contact that needs its foot moved by more than this is let go, metres for a leg of 0.85 m.
    pub max_shift_m: f64,
    /// A contact that would bend or stretch a knee by more than this is let go, degrees.
    pub max_knee_deg: f64,
}

impl Default for RetargetConfig {
    fn default() -> Self {
        // Wider than planting allows itself: another body's proportions ask for more than a capture's errors.
        Self {
            hold_feet: true,
            find_floor: true,
            contact: ContactConfig::default(),
            max_shift_m: 0.10,
            max_knee_deg: 35.0,
        }
    }
}

/// Which of the two skeletons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Whose {
    /// The one the motion comes from.
    Source,
    /// The one the motion goes to.
    Target,
}

impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => "source",
            Self::Target => "target",
        })
    }
}

/// Why a motion cannot be moved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RetargetError {
    /// A body needs hips and both legs.
    #[error("the {whose} skeleton has no joint with the role {}", list(missing))]
    NoRoles {
        /// Which skeleton.
        whose: Whose,
        /// The roles missing.
        missing: Vec<Role>,
    },
    /// The legs have no length to scale by.
    #[error("the legs of the {whose} skeleton have no length")]
    NoLength {
        /// Which skeleton.
        whose: Whose,
    },
    /// The rest pose tells nothing about the body, and there is no frame that does.
    #[error("the rest pose of the {whose} skeleton is no standing body and no frame shows one")]
    NoStance {
        /// Which skeleton.
        whose: Whose,
    },
    /// A pose or clip on another skeleton than the map was built for.
    #[error("the clip has {found} joints, but the map was built for {expected}")]
    OtherSkeleton {
        /// Joints of the clip.
        found: usize,
        /// Joints of the map's source.
        expected: usize,
    },
    /// The clip itself is impossible.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl RetargetError {
    /// What to do about it, where a change of the file helps.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoRoles { .. } => {
                Some("name its joints as a known rig does (Hips, LeftUpLeg, …) or give them VRM roles")
            }
            Self::NoStance { .. } => Some("give a clip on that skeleton in which it stands"),
            _ => None,
        }
    }

    /// The skeleton to blame, where it is one's fault.
    #[must_use]
    pub fn whose(&self) -> Option<Whose> {
        match self {
            Self::NoRoles { whose, .. } | Self::NoLength { whose } | Self::NoStance { whose } => Some(*whose),
            _ => None,
        }
    }
}

fn list(roles: &[Role]) -> String {
    roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ")
}
