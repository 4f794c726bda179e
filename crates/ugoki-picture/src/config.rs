//! What a picture shows and why it may be refused.

use ugoki_base::Cancelled;
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootMark;

use super::force_frame::Forces;

/// Where the viewer stands, relative to where the character faces in the first frame of the motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
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

/// What to show and how large.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PictureConfig {
    /// Number of poses on a sheet (default about 8) or of frames in an animation (default: real time at up to 25 per second).
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
    /// What acts on the body; with it the body is white, and the target grey behind it.
    pub forces: Option<Forces>,
}

/// Most pixels of one picture: 64 megapixels take 256 MB while drawn.
pub(super) const MAX_PIXELS: u64 = 64_000_000;

/// Widest or highest picture, pixels: the bound of the GIF format.
pub(super) const MAX_SIDE: u32 = 65_535;

/// Most pixels of all frames of one animation: ten minutes at the usual size and rate are two thirds of it.
pub(super) const MAX_FILM_PIXELS: u64 = 4_000_000_000;

/// Most pixels of one frame of an animation: 3840 × 2160. Larger ones are packed in one piece for too long.
pub(super) const MAX_FRAME_PIXELS: u64 = 3840 * 2160;

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
    /// No poses were asked for.
    #[error("0 frames were asked for, expected at least 1")]
    NoPoses,
    /// The picture would not fit into memory.
    #[error(
        "a picture {} is too large, at most {MAX_PIXELS} pixels and {MAX_SIDE} on a side", size_text(*width, *height)
    )]
    TooLarge {
        /// Width wanted, pixels.
        width: u32,
        /// Height wanted, pixels; 0 when it was to be chosen.
        height: u32,
    },
    /// The animation would take too long to draw.
    #[error(
        "an animation of {frames} frames of {width} × {height} pixels is too much, at most {MAX_FRAME_PIXELS} pixels \
         in a frame and {MAX_FILM_PIXELS} in all"
    )]
    TooLong {
        /// Width of a frame, pixels.
        width: u32,
        /// Height of a frame, pixels.
        height: u32,
        /// Frames to draw.
        frames: usize,
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

impl PictureConfig {
    /// The motion that was wanted, where one is drawn.
    pub(super) fn target(&self) -> Option<&Clip> {
        self.forces.as_ref().and_then(|forces| forces.target.as_ref())
    }
}

impl From<Cancelled> for PictureError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

fn size_text(width: u32, height: u32) -> String {
    match height {
        0 => format!("{width} pixels wide"),
        _ => format!("of {width} × {height} pixels"),
    }
}

/// Refuses animations beyond [`MAX_FRAME_PIXELS`] and [`MAX_FILM_PIXELS`].
pub(super) fn check_film(width: u32, height: u32, frames: usize) -> Result<(), PictureError> {
    let pixels = u64::from(width) * u64::from(height);
    let fits = pixels <= MAX_FRAME_PIXELS && pixels.saturating_mul(frames as u64) <= MAX_FILM_PIXELS;
    if fits { Ok(()) } else { Err(PictureError::TooLong { width, height, frames }) }
}

/// Refuses pictures beyond [`MAX_PIXELS`] and [`MAX_SIDE`]; a height of 0 is one still to be chosen.
pub(super) fn check_size(width: u32, height: u32) -> Result<(), PictureError> {
    let fits = u64::from(width) * u64::from(height.max(1)) <= MAX_PIXELS && width.max(height) <= MAX_SIDE;
    if fits { Ok(()) } else { Err(PictureError::TooLarge { width, height }) }
}
