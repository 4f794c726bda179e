//! Size of a picture as text: `1200` or `1200x800`.

use std::fmt;
use std::str::FromStr;

use ugoki_base::text_form;

/// Size of a picture in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureSize {
    /// Width.
    pub width: u32,
    /// Height; chosen when 0.
    pub height: u32,
}

impl FromStr for PictureSize {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (width, height) = text.split_once('x').unwrap_or((text, "0"));
        match (width.parse(), height.parse()) {
            (Ok(width), Ok(height)) if width > 0 => Ok(Self { width, height }),
            _ => Err("expected a width like 1200 or a size like 1200x800"),
        }
    }
}

impl fmt::Display for PictureSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.height {
            0 => write!(f, "{}", self.width),
            height => write!(f, "{}x{height}", self.width),
        }
    }
}

text_form! {
    PictureSize: "Width, or width and height, in pixels: 1200 or 1200x800.";
}
