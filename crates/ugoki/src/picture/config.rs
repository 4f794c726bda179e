//! What a picture shows and why it may be refused.

use std::ops::Range;

use glam::Vec3;

use crate::Cancelled;
use crate::skeleton::Side;

/// Where the viewer stands, relative to where the character faces in the first frame of the motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// The character faces the viewer.
    Front,
    /// From the character's right, so that it faces to the right of the picture.
    Side,
    /// Between the two: the character faces the viewer and to the right.
    #[default]
    ThreeQuarter,
}

/// Where a foot stood on the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct FootMark {
    /// The frames during which it stood.
    pub frames: Range<usize>,
    /// The ankle's place; its height is not used, metres.
    pub position: Vec3,
    /// From the ankle to the toes; only its direction in the ground plane is used.
    pub heading: Vec3,
    /// Which foot.
    pub side: Side,
}

/// What to show and how large.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PictureConfig {
    /// Number of poses on a sheet (default 8) or of frames in an animation (default: real time at up to 25 per second).
    pub frames: Option<usize>,
    /// Width of the whole picture, pixels; 0 chooses.
    pub width: u32,
    /// Height of the whole picture, pixels; 0 chooses.
    pub height: u32,
    /// Where the viewer stands.
    pub view: View,
    /// Places where feet stood, drawn as footprints.
    pub marks: Vec<FootMark>,
    /// Shown instead of the clip's name.
    pub title: Option<String>,
    /// Height of the ground, metres.
    pub floor: f32,
}

/// Most pixels of one picture: 64 megapixels take 256 MB while drawn.
pub(super) const MAX_PIXELS: u64 = 64_000_000;

/// Widest or highest picture, pixels: the bound of the GIF format.
pub(super) const MAX_SIDE: u32 = 65_535;

/// Most poses on one sheet; at 1600 pixels each would already be 20 pixels wide.
pub(super) const MAX_POSES: usize = 400;

/// Why a picture cannot be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PictureError {
    /// There is nothing to show.
    #[error("clip {name:?} has no frames to show")]
    NoFrames {
        /// The clip's name.
        name: String,
    },
    /// A frame outside the clip.
    #[error("frame {frame} is not in a clip of {frames} frames")]
    Frame {
        /// The frame wanted.
        frame: usize,
        /// Frames there are.
        frames: usize,
    },
    /// No joint of the frames to show is at a finite place.
    #[error("clip {name:?} has only positions that are not finite numbers in the frames to show")]
    NotFinite {
        /// The clip's name.
        name: String,
    },
    /// The picture would not fit into memory.
    #[error(
        "a picture of {width} × {height} pixels is too large, at most {MAX_PIXELS} pixels and {MAX_SIDE} on a side; \
         choose a smaller size or 0 to let it be chosen"
    )]
    TooLarge {
        /// Width wanted, pixels.
        width: u32,
        /// Height wanted, pixels.
        height: u32,
    },
    /// The bytes could not be encoded.
    #[error("the picture could not be encoded: {message}")]
    Encoding {
        /// What the encoder said.
        message: String,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl From<Cancelled> for PictureError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// Refuses pictures beyond [`MAX_PIXELS`] and [`MAX_SIDE`].
pub(super) fn check_size(width: u32, height: u32) -> Result<(), PictureError> {
    let fits = u64::from(width) * u64::from(height) <= MAX_PIXELS && width.max(height) <= MAX_SIDE;
    if fits { Ok(()) } else { Err(PictureError::TooLarge { width, height }) }
}
