//! Ranges of numbers as users write them: `2:10`, `:0.5`, `3:`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// From a least to a greatest value, both included; an open end has no bound.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// The least value.
    pub least: Option<f64>,
    /// The greatest value.
    pub greatest: Option<f64>,
}

/// A text that is not a range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{text:?} is not a range, expected A:B such as 2:10, :0.5 or 3:")]
pub struct LimitsError {
    /// The text found.
    pub text: String,
}

impl FromStr for Limits {
    type Err = LimitsError;

    fn from_str(text: &str) -> Result<Self, LimitsError> {
        let wrong = || LimitsError { text: text.to_owned() };
        let (least, greatest) = text.split_once(':').ok_or_else(wrong)?;
        let number = |part: &str| match part.trim() {
            "" => Ok(None),
            part => part.parse::<f64>().ok().filter(|v| v.is_finite()).map(Some).ok_or_else(wrong),
        };
        let limits = Self { least: number(least)?, greatest: number(greatest)? };
        match (limits.least, limits.greatest) {
            (Some(least), Some(greatest)) if least > greatest => Err(wrong()),
            _ => Ok(limits),
        }
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(least) = self.least {
            write!(f, "{least}")?;
        }
        f.write_str(":")?;
        if let Some(greatest) = self.greatest {
            write!(f, "{greatest}")?;
        }
        Ok(())
    }
}

impl Serialize for Limits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Limits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_read_back_as_written() {
        for text in ["2:10", ":0.5", "3:", ":"] {
            assert_eq!(text.parse::<Limits>().unwrap().to_string(), text);
        }
        for text in ["", "2", "a:b", "5:2", "1:inf"] {
            assert!(text.parse::<Limits>().is_err(), "{text}");
        }
    }
}
