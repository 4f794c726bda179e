//! The numbers of the file, stored next to the poses converted from them.
//!
//! Unchanged values are written back from here, digit for digit. Only `formats` knows how to
//! read it; to everyone else it is luggage.

/// Which way is up in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// +Y, as inside Ugoki.
    #[default]
    Y,
    /// +Z, as Blender, Unreal and most robotics tools have it.
    Z,
}

/// What position channels mean for a joint that also has an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum OffsetMode {
    /// The channels are the position; the offset is only the rest pose's.
    #[default]
    Replace,
    /// The channels are added to the offset.
    Add,
}

/// What one channel of a file moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// Position along an axis: 0, 1, 2 for x, y, z.
    Position(u8),
    /// Rotation about an axis: 0, 1, 2 for x, y, z.
    Rotation(u8),
}

/// One column of a file's motion block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceChannel {
    /// The joint it moves.
    pub joint: usize,
    /// How.
    pub kind: ChannelKind,
}

/// A file's own channels and conventions.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The columns, in file order.
    pub channels: Vec<SourceChannel>,
    /// All numbers, frame after frame, one per channel: the file's units, degrees.
    pub values: Vec<f64>,
    /// Seconds per frame as written, before the rate was rounded to a known one.
    pub frame_time: f64,
    /// Metres per unit of length.
    pub unit_metres: f64,
    /// Which way is up in the file.
    pub up: UpAxis,
    /// How position channels were taken.
    pub offset: OffsetMode,
}

impl Source {
    /// One row of the motion block, if the file has it.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<&[f64]> {
        let width = self.channels.len();
        let start = row.checked_mul(width)?;
        self.values.get(start..start.checked_add(width)?)
    }
}
