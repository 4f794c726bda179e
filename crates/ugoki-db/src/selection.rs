//! Which clips of a database are meant.

use serde::{Deserialize, Serialize};

use crate::Limits;

/// Which clips: all that fit every given filter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    /// Names, patterns with `*` and `?`, or numbers as `id:17`; any of them may fit. Empty: every clip.
    pub clips: Vec<String>,
    /// Tags that a clip must have, all of them; one with a leading `!` must be missing.
    pub tags: Vec<String>,
    /// Length of the motion, seconds.
    pub seconds: Option<Limits>,
    /// Mean speed of the hips over the ground, m/s.
    pub speed: Option<Limits>,
    /// Only clips whose motion another clip has too.
    pub duplicates: bool,
}

impl Selection {
    /// Whether nothing is filtered.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }
}
