//! Marker label maps: a user's own names for markers, as TOML.
//!
//! ```toml
//! base = 'plug-in-gait'        # optional: a known set whose names count too
//!
//! [markers]                    # what the file calls it = where it is
//! "Channel101" = "left heel"
//! "Sacrum 1" = "sacrum"
//!
//! [body]                       # optional, metres
//! knee_width = 0.105
//! ankle_width = 0.072
//! elbow_width = 0.070
//! marker_radius = 0.007
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;
use ugoki_base::markers::{BodyWidths, LabelMap, Landmark, Place};

/// Most markers a map may name; far above any file.
const MAX_ENTRIES: usize = 10_000;

/// Why a text is no label map.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LabelMapError {
    /// Not TOML, or not of the expected form.
    #[error("{message}")]
    Toml {
        /// The parser's message.
        message: String,
        /// Line of the text, from 1.
        line: Option<u32>,
    },
    /// A place that is not on the list.
    #[error(
        "line {line}: marker {label:?} is said to be at {place:?}, expected a place such as \"left heel\" or \"sacrum\": {known}"
    )]
    Place {
        /// The marker.
        label: String,
        /// The place given.
        place: String,
        /// Places there are.
        known: String,
        /// Line of the text, from 1.
        line: u32,
    },
    /// A set that is not on the list.
    #[error("line {line}: base is {base:?}, expected one of {known}")]
    Base {
        /// The set given.
        base: String,
        /// Sets there are.
        known: String,
        /// Line of the text, from 1.
        line: u32,
    },
    /// A width that no body has.
    #[error("line {line}: {name} is {found} m, expected more than 0 and less than 0.5")]
    Width {
        /// Which.
        name: &'static str,
        /// The number.
        found: f64,
        /// Line of the text, from 1.
        line: u32,
    },
    /// No marker is named.
    #[error("the map names no marker, expected a table [markers] or a base")]
    Empty,
}

impl LabelMapError {
    /// Line of the text that is wrong, from 1.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        match self {
            Self::Toml { line, .. } => *line,
            Self::Place { line, .. } | Self::Base { line, .. } | Self::Width { line, .. } => Some(*line),
            Self::Empty => None,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    base: Option<toml::Spanned<String>>,
    #[serde(default)]
    markers: BTreeMap<String, toml::Spanned<String>>,
    #[serde(default)]
    body: BodyWidths,
}

/// Reads a map from TOML text.
///
/// # Errors
/// When the text is not such a map; the message names the line or the marker.
pub fn parse_label_map(text: &str) -> Result<LabelMap, LabelMapError> {
    let line_at = |byte: usize| 1 + text.bytes().take(byte).filter(|&b| b == b'\n').count() as u32;
    let document: Document = toml::from_str(text).map_err(|error| LabelMapError::Toml {
        message: one_line(&error.to_string()),
        line: error.span().map(|span| line_at(span.start)),
    })?;
    let base = match &document.base {
        Some(base) => Some(find_set(base.get_ref(), line_at(base.span().start))?),
        None => None,
    };
    if document.markers.is_empty() && base.is_none() {
        return Err(LabelMapError::Empty);
    }
    let mut markers = BTreeMap::new();
    for (label, place) in document.markers.into_iter().take(MAX_ENTRIES) {
        let line = line_at(place.span().start);
        let place = place.into_inner();
        let Some(landmark) = Landmark::from_name(&place) else {
            let known = Place::ALL.iter().map(|place| place.name()).collect::<Vec<_>>().join(", ");
            return Err(LabelMapError::Place { label, place, known, line });
        };
        markers.insert(label, landmark);
    }
    let widths = [
        ("knee_width", document.body.knee_width),
        ("ankle_width", document.body.ankle_width),
        ("elbow_width", document.body.elbow_width),
        ("marker_radius", document.body.marker_radius),
    ];
    for (name, width) in widths {
        if let Some(found) = width.filter(|width| !(*width > 0.0 && *width < 0.5)) {
            // Keys of a table cannot be there twice.
            let at = text.find(name).unwrap_or(0);
            return Err(LabelMapError::Width { name, found, line: line_at(at) });
        }
    }
    Ok(LabelMap::new(markers, base, document.body))
}

fn find_set(key: &str, line: u32) -> Result<&'static str, LabelMapError> {
    LabelMap::known_sets().find(|set| set.eq_ignore_ascii_case(key)).ok_or_else(|| {
        let known = LabelMap::known_sets().collect::<Vec<_>>().join(", ");
        LabelMapError::Base { base: key.to_owned(), known, line }
    })
}

/// The parser's drawing of the place as one line.
fn one_line(message: &str) -> String {
    let parts: Vec<&str> = message
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('|') && !line.contains(" | "))
        .collect();
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_read_and_its_mistakes_are_named() {
        let text =
            "base = \"plug-in-gait\"\n[markers]\n\"Channel 1\" = \"left heel\"\n[body]\nknee_width = 0.1\n";
        let map = parse_label_map(text).unwrap();
        assert_eq!(map.markers()["Channel 1"].to_string(), "left heel");
        assert_eq!(map.body.knee_width, Some(0.1));
        for (text, part) in [
            ("", "names no marker"),
            ("[markers]\na = \"left hele\"", "line 2: marker \"a\" is said to be at \"left hele\""),
            ("\nbase = \"vicon\"", "line 2: base"),
            ("[markers]\na = \"sacrum\"\n[body]\nknee_width = -1.0", "line 4: knee_width"),
            ("[markers]\na = \"sacrum\"\nb", "line 3"),
            ("[marker]\na = \"sacrum\"", "marker"),
        ] {
            let error = parse_label_map(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
