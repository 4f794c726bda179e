//! PNG bytes of a picture.

use std::io::Write as _;

use ugoki_base::clip::Clip;
use ugoki_base::{Progress, report};

use super::canvas::{Rgba, draw};
use super::config::{PictureConfig, PictureError};
use super::sheet::layout;

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
    let picture = draw(&drawing, progress, 0.1..0.8)?;
    encode(&picture, progress)
}

/// Opaque pixels as an 8-bit RGB file.
fn encode(picture: &Rgba, progress: Progress<'_>) -> Result<Vec<u8>, PictureError> {
    /// Pixels packed between two questions whether to go on: about 20 ms.
    const PIECE: usize = 500_000;
    let failed = |error: png::EncodingError| PictureError::Encoding { message: error.to_string() };
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // A walk's sheet at 1600 pixels: level 4 makes 571 kB, the default 544 kB and takes twice as long to pack.
    encoder.set_deflate_compression(png::DeflateCompression::Level(4));
    let mut writer = encoder.write_header().map_err(failed)?;
    let mut stream = writer.stream_writer().map_err(failed)?;
    let all = picture.pixels.len().max(1) as f32;
    for (i, piece) in picture.pixels.chunks(4 * PIECE).enumerate() {
        report(progress, 0.8 + 0.2 * (4 * PIECE * i) as f32 / all)?;
        let rgb: Vec<u8> = piece.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        stream.write_all(&rgb).map_err(|error| failed(error.into()))?;
    }
    stream.finish().map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}
