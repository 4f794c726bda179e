//! The kinds of picture and the endings of their files.

use ugoki_base::Progress;
use ugoki_base::clip::Clip;

use super::config::{PictureConfig, PictureError};
use super::gif::animation_gif;
use super::png::contact_sheet_png;
use super::svg::drawing_svg;

/// The kinds of picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum Picture {
    /// Contact sheet.
    Png,
    /// Vector drawing.
    Svg,
    /// Animation.
    Gif,
}

impl Picture {
    /// By the ending of a file name, in lower case and without the point.
    #[must_use]
    pub fn from_ending(ending: &str) -> Option<Self> {
        [Self::Png, Self::Svg, Self::Gif].into_iter().find(|kind| kind.ending() == ending)
    }

    /// The ending of its files.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
            Self::Gif => "gif",
        }
    }

    /// Draws a clip; the bytes of the file.
    ///
    /// # Errors
    /// When the clip has nothing to show, the picture would be too large, or the caller stops.
    pub fn draw(
        self,
        clip: &Clip,
        config: &PictureConfig,
        progress: Progress<'_>,
    ) -> Result<Vec<u8>, PictureError> {
        match self {
            Self::Png => contact_sheet_png(clip, config, progress),
            Self::Gif => animation_gif(clip, config, progress),
            Self::Svg => Ok(drawing_svg(clip, config, progress)?.into_bytes()),
        }
    }
}
