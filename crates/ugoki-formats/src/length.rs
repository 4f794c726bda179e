//! How lengths are written: as a factor on the source's numbers, or true to size in a unit.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// How long lengths are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LengthScale {
    /// The source's numbers times this.
    Factor(f64),
    /// True size in a [`LengthUnit`].
    Auto,
}

impl Default for LengthScale {
    fn default() -> Self {
        Self::Factor(1.0)
    }
}

impl FromStr for LengthScale {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match (text, text.parse::<f64>()) {
            ("auto", _) => Ok(Self::Auto),
            (_, Ok(factor)) if factor.is_finite() && factor > 0.0 => Ok(Self::Factor(factor)),
            _ => Err("expected a number above 0, or auto"),
        }
    }
}

impl fmt::Display for LengthScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Factor(factor) => factor.fmt(f),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl Serialize for LengthScale {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "options")]
impl schemars::JsonSchema for LengthScale {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Scale".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let description = "A factor on lengths, or auto for true size in a unit.";
        schemars::json_schema!({ "type": "string", "description": description })
    }
}

/// A unit of length for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum LengthUnit {
    /// Metres.
    M,
    /// Centimetres, what most tools expect of a BVH.
    #[default]
    Cm,
    /// Inches.
    In,
}

impl LengthUnit {
    /// Metres per unit.
    #[must_use]
    pub fn metres(self) -> f64 {
        match self {
            Self::M => 1.0,
            Self::Cm => 0.01,
            Self::In => 0.0254,
        }
    }
}
