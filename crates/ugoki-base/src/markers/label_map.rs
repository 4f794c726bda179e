//! A user's own names for markers. `ugoki-formats` parses them from TOML.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::landmark::Landmark;
use super::sets::SETS;

/// A user's own names for markers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelMap {
    /// Label as written in the file, and where it sits.
    pub(super) markers: BTreeMap<String, Landmark>,
    pub(super) base: Option<&'static str>,
    /// Widths of the performer.
    pub body: BodyWidths,
}

/// Widths of the performer that cannot be measured from markers; `None` takes usual fractions of the body's size.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyWidths {
    /// Across the knee, metres.
    pub knee_width: Option<f64>,
    /// Across the ankle bones, metres.
    pub ankle_width: Option<f64>,
    /// Across the elbow, metres.
    pub elbow_width: Option<f64>,
    /// From a marker's centre to the skin, metres.
    pub marker_radius: Option<f64>,
}

impl LabelMap {
    /// A map of these labels, on top of the names of a known set: one of [`LabelMap::known_sets`].
    #[must_use]
    pub fn new(markers: BTreeMap<String, Landmark>, base: Option<&'static str>, body: BodyWidths) -> Self {
        Self { markers, base, body }
    }

    /// Label as written in the file, and where it sits.
    #[must_use]
    pub fn markers(&self) -> &BTreeMap<String, Landmark> {
        &self.markers
    }

    /// Keys of the known marker sets.
    pub fn known_sets() -> impl Iterator<Item = &'static str> {
        SETS.iter().map(|set| set.key)
    }
}
