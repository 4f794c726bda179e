//! GIF animations: real-time speed, one palette, and only what changes in each frame.

use std::borrow::Cow;

use ugoki_base::clip::Clip;
use ugoki_base::{Progress, report};

use super::canvas::draw;
use super::config::{PictureConfig, PictureError, check_film};
use super::film::Film;
use super::palette::Palette;
use super::stage::Stage;

/// Frames per second at most: fluent, and 4 whole hundredths of a second, the unit of the format.
const MAX_FPS: f64 = 25.0;

/// Shortest frame that viewers honour, hundredths of a second; they show shorter ones slowly.
const MIN_DELAY: f64 = 2.0;

/// Frames from which the palette is made.
const PALETTE_FRAMES: usize = 8;

/// Most pixels from which the palette is made: all of them at the usual size; more only take longer.
const PALETTE_PIXELS: usize = 2_000_000;

/// The motion as an endless GIF at its own speed.
///
/// # Errors
/// When there is nothing to show, the size is too large or the caller asks to stop.
pub fn animation_gif(
    clip: &Clip,
    config: &PictureConfig,
    progress: Progress<'_>,
) -> Result<Vec<u8>, PictureError> {
    side_by_side_gif(&[clip], config, progress)
}

/// Motions of one length next to each other, each under its name, as an endless GIF at their own speed; the size of `config` is that
/// of one of them. Time is the first one's.
///
/// # Errors
/// As [`animation_gif`].
pub fn side_by_side_gif(
    clips: &[&Clip],
    config: &PictureConfig,
    progress: Progress<'_>,
) -> Result<Vec<u8>, PictureError> {
    let stages: Vec<Stage> = clips.iter().map(|clip| Stage::build(clip, config)).collect::<Result<_, _>>()?;
    let Some(first) = stages.first() else { return Err(PictureError::NoFrames { name: String::new() }) };
    let (frames, seconds) = timeline(first);
    report(progress, 0.01)?;
    let last = |stage: &Stage| stage.clip.num_frames().saturating_sub(1);
    let own = |stage: &Stage| frames.iter().map(|&frame| frame.min(last(stage))).collect();
    let shown: Vec<(&Stage, Vec<usize>)> = stages.iter().map(|stage| (stage, own(stage))).collect();
    let films = Film::side_by_side(&shown)?;
    let width: u32 = films.iter().map(|film| film.width).sum();
    let height = films[0].height;
    check_film(width, height, frames.len())?;
    let mut picture = |i: usize, from: f32, to: f32| -> Result<Vec<u8>, PictureError> {
        let part = |k: usize| from + (to - from) * k as f32 / films.len() as f32;
        let mut drawn = Vec::with_capacity(films.len());
        for (k, (film, (_, own))) in films.iter().zip(&shown).enumerate() {
            drawn.push(draw(&film.drawing(own[i]), progress, part(k)..part(k + 1))?.pixels);
        }
        Ok(next_to_each_other(drawn, height as usize))
    };
    let mut samples = Vec::new();
    let num_samples = PALETTE_FRAMES.min(frames.len());
    for i in 0..num_samples {
        let fraction = |i: usize| 0.02 + 0.08 * i as f32 / num_samples as f32;
        let pixels = picture(i * frames.len() / num_samples, fraction(i), fraction(i + 1))?;
        samples.push(thinned(&pixels, PALETTE_PIXELS / num_samples));
    }
    let mut palette = Palette::build(samples.iter().map(Vec::as_slice));
    drop(samples);
    let (width, height) = (width as u16, height as u16);
    let failed = |error: gif::EncodingError| PictureError::Encoding { message: error.to_string() };
    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, width, height, &palette.rgb()).map_err(failed)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(failed)?;
    let mut shown: Vec<u8> = Vec::new();
    for i in 0..frames.len() {
        let fraction = |i: usize| 0.1 + 0.9 * i as f32 / frames.len() as f32;
        let indices = palette.indices(&picture(i, fraction(i), fraction(i + 1))?, &shown);
        let hundredths = |i: usize| (100.0 * seconds * i as f64 / frames.len() as f64).round();
        let delay = (hundredths(i + 1) - hundredths(i)).clamp(MIN_DELAY, f64::from(u16::MAX)) as u16;
        encoder.write_frame(&changes(&shown, &indices, width, height, delay)).map_err(failed)?;
        shown = indices;
    }
    drop(encoder);
    report(progress, 1.0)?;
    Ok(bytes)
}

/// Pictures of one height as one.
fn next_to_each_other(mut pictures: Vec<Vec<u8>>, height: usize) -> Vec<u8> {
    if pictures.len() == 1 {
        return pictures.remove(0);
    }
    let row = |picture: &Vec<u8>, y: usize| {
        let width = picture.len() / height;
        y * width..(y + 1) * width
    };
    let rows = (0..height).flat_map(|y| pictures.iter().map(move |picture| &picture[row(picture, y)]));
    rows.flatten().copied().collect()
}

/// Every n-th pixel, so that about `most` are left.
fn thinned(rgba: &[u8], most: usize) -> Vec<u8> {
    let step = (rgba.len() / 4).div_ceil(most.max(1)).max(1);
    rgba.chunks_exact(4).step_by(step).flatten().copied().collect()
}

/// The frames to show, evenly in time, and how long all of them last.
fn timeline(stage: &Stage) -> (Vec<usize>, f64) {
    let fps = stage.clip.fps();
    let seconds = stage.motion.len() as f64 / fps;
    let most = (100.0 / MIN_DELAY * seconds).floor().max(1.0);
    let wanted = stage.config.frames.map_or(seconds * fps.min(MAX_FPS), |frames| frames.max(1) as f64);
    let count = wanted.round().clamp(1.0, most.min(stage.motion.len() as f64)) as usize;
    let frame = |i: usize| stage.motion.start + i * stage.motion.len() / count;
    ((0..count).map(frame).collect(), seconds)
}

/// The smallest rectangle that changed, with transparent pixels where nothing did.
fn changes<'a>(shown: &[u8], indices: &[u8], width: u16, height: u16, delay: u16) -> gif::Frame<'a> {
    let mut frame = gif::Frame { delay, dispose: gif::DisposalMethod::Keep, ..gif::Frame::default() };
    if shown.is_empty() {
        (frame.width, frame.height) = (width, height);
        frame.buffer = Cow::Owned(indices.to_vec());
        return frame;
    }
    let (wide, mut x0, mut x1, mut y0, mut y1) = (usize::from(width), usize::MAX, 0, usize::MAX, 0);
    for (i, _) in shown.iter().zip(indices).enumerate().filter(|(_, (a, b))| a != b) {
        let (x, y) = (i % wide, i / wide);
        (x0, x1, y0, y1) = (x0.min(x), x1.max(x), y0.min(y), y1.max(y));
    }
    if x0 == usize::MAX {
        // Nothing moved; a frame is still needed to let time pass.
        (x0, x1, y0, y1) = (0, 0, 0, 0);
    }
    let mut buffer = Vec::with_capacity((x1 + 1 - x0) * (y1 + 1 - y0));
    for y in y0..=y1 {
        for i in y * wide + x0..=y * wide + x1 {
            buffer.push(if shown[i] == indices[i] { Palette::TRANSPARENT } else { indices[i] });
        }
    }
    (frame.left, frame.top) = (x0 as u16, y0 as u16);
    (frame.width, frame.height) = ((x1 + 1 - x0) as u16, (y1 + 1 - y0) as u16);
    frame.transparent = Some(Palette::TRANSPARENT);
    frame.buffer = Cow::Owned(buffer);
    frame
}
