//! Which clips of a database are meant.

use serde::{Deserialize, Serialize};

use crate::Limits;

/// Which clips: all that fit every given filter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::Args, schemars::JsonSchema), group(skip))]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    /// Names, patterns such as '16_*', or numbers as id:17; list and export take all clips without any filter
    pub clips: Vec<String>,

    /// Only clips with this tag, or without it: '!turn-left'; may be given several times
    #[cfg_attr(feature = "options", arg(long = "tag", value_name = "TAG"))]
    pub tags: Vec<String>,

    /// Only clips this long, seconds: 2:10, :5 or 3:
    #[cfg_attr(feature = "options", arg(long = "length", value_name = "A:B", allow_hyphen_values = true))]
    #[cfg_attr(feature = "options", schemars(with = "Option<String>"))]
    pub seconds: Option<Limits>,

    /// Only clips whose hips travel this fast on average, m/s: 1:1.5
    #[cfg_attr(feature = "options", arg(long, value_name = "A:B", allow_hyphen_values = true))]
    #[cfg_attr(feature = "options", schemars(with = "Option<String>"))]
    pub speed: Option<Limits>,

    /// Only clips whose motion is in the database more than once
    #[cfg_attr(feature = "options", arg(long))]
    pub duplicates: bool,
}

impl Selection {
    /// Whether nothing is filtered.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }
}
