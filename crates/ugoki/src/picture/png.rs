//! PNG bytes of a picture.

use super::canvas::{Rgba, draw};
use super::config::{PictureConfig, PictureError};
use super::sheet::layout;
use crate::Progress;
use crate::clip::Clip;

/// The contact sheet of a clip as PNG: poses spread evenly over the motion, side by side at one scale.
///
/// # Errors
/// When there is nothing to show, the size is too large or the caller asks to stop.
pub fn contact_sheet_png(
    clip: &Clip,
    config: &PictureConfig,
    progress: Progress<'_>,
) -> Result<Vec<u8>, PictureError> {
    let drawing = layout(clip, config, progress)?;
    encode(&draw(&drawing, progress, 0.1..0.95)?)
}

/// Opaque pixels as an 8-bit RGB file.
fn encode(picture: &Rgba) -> Result<Vec<u8>, PictureError> {
    let failed = |error: png::EncodingError| PictureError::Encoding { message: error.to_string() };
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // A walk's sheet at 1600 pixels: level 4 makes 571 kB, the default 544 kB and takes twice as long to pack.
    encoder.set_deflate_compression(png::DeflateCompression::Level(4));
    let rgb: Vec<u8> = picture.pixels.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&rgb).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}
