//! Draws a [`Drawing`] on pixels: tiny-skia for lines, polygons and labels, `raster` for bodies.

use glam::Vec2;
use tiny_skia::{FillRule, LineCap, LineJoin, Paint, PathBuilder, PixmapMut, Stroke, Transform};
use ugoki_base::{Cancelled, Progress, report};

use super::camera::Rect;
use super::config::{PictureError, check_size};
use super::drawing::{Anchor, Drawing, Ink, Item, PAPER};
use super::font;
use super::raster::{Pixels, draw_body};

/// An RGBA picture: straight sRGB bytes, row by row from the top left; every pixel is opaque.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rgba {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Four bytes per pixel.
    pub pixels: Vec<u8>,
}

/// Draws all items, reporting progress between `from` and `to`.
pub(super) fn draw(
    drawing: &Drawing,
    progress: Progress<'_>,
    fraction: std::ops::Range<f32>,
) -> Result<Rgba, PictureError> {
    let Drawing { width, height, items } = drawing;
    check_size(*width, *height)?;
    let [r, g, b] = PAPER;
    let mut pixels = [r, g, b, 255].repeat(*width as usize * *height as usize);
    // Nearly all of the time goes into bodies, so progress is that of the bodies.
    let bodies = items.iter().filter(|item| matches!(item, Item::Body { .. })).count().max(1) as f32;
    let mut drawn = 0.0;
    let mut go_on =
        |done: f32| report(progress, fraction.start + (fraction.end - fraction.start) * done.min(1.0));
    let mut i = 0;
    while i < items.len() {
        // Soft spots of one ink are one shadow: gathered first, then laid on the paper once.
        let spots = items[i..].iter().take_while(|item| matches!(item, Item::Soft { .. })).count();
        if spots > 0 {
            draw_soft(&items[i..i + spots], *width, *height, &mut pixels, &mut || go_on(drawn / bodies))?;
            i += spots;
            continue;
        }
        if let Item::Body { camera, solids } = &items[i] {
            let mut pixels =
                Pixels { width: *width as usize, height: *height as usize, rgba: pixels.as_mut_slice() };
            draw_body(camera, solids, &mut pixels, &mut |done| go_on((drawn + done) / bodies))?;
            drawn += 1.0;
        } else {
            draw_item(&items[i], *width, *height, &mut pixels);
        }
        i += 1;
    }
    go_on(1.0)?;
    Ok(Rgba { width: *width, height: *height, pixels })
}

/// Draws one item of lines, areas or text.
fn draw_item(item: &Item, width: u32, height: u32, rgba: &mut [u8]) {
    match item {
        // These two take long and are drawn by the caller, which can be stopped meanwhile.
        Item::Body { .. } | Item::Soft { .. } => {}
        Item::Line { points, width: line, ink } => {
            let mut path = PathBuilder::new();
            push_line(&mut path, points);
            stroke(path, *line, *ink, width, height, rgba);
        }
        Item::Segments { list, width: line, ink } => {
            let mut path = PathBuilder::new();
            for segment in list {
                push_line(&mut path, segment);
            }
            stroke(path, *line, *ink, width, height, rgba);
        }
        Item::Fill { points, ink } => {
            let mut path = PathBuilder::new();
            push_line(&mut path, points);
            path.close();
            if let (Some(path), Some(mut map)) = (path.finish(), PixmapMut::from_bytes(rgba, width, height)) {
                map.fill_path(&path, &paint(*ink), FillRule::Winding, Transform::identity(), None);
            }
        }
        Item::Text { at, size, anchor, bold, text, ink } => {
            let offset = match anchor {
                Anchor::Start => 0.0,
                Anchor::End => -font::width(text, *size),
            };
            let mut path = PathBuilder::new();
            for line in font::strokes(text, *at + Vec2::X * offset, *size) {
                push_line(&mut path, &line);
            }
            stroke(path, font::pen(*size, *bold), *ink, width, height, rgba);
        }
    }
}

fn push_line(path: &mut PathBuilder, points: &[Vec2]) {
    for (i, p) in points.iter().enumerate() {
        if i == 0 { path.move_to(p.x, p.y) } else { path.line_to(p.x, p.y) }
    }
}

fn paint(ink: Ink) -> Paint<'static> {
    let mut paint = Paint::default();
    let [r, g, b] = ink.rgb;
    paint.set_color_rgba8(r, g, b, (ink.alpha.clamp(0.0, 1.0) * 255.0).round() as u8);
    paint.anti_alias = true;
    paint
}

fn stroke(path: PathBuilder, line: f32, ink: Ink, width: u32, height: u32, rgba: &mut [u8]) {
    let stroke =
        Stroke { width: line, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
    // The paper is opaque, so straight and premultiplied bytes are the same.
    if let (Some(path), Some(mut map)) = (path.finish(), PixmapMut::from_bytes(rgba, width, height)) {
        map.stroke_path(&path, &paint(ink), &stroke, Transform::identity(), None);
    }
}

/// Spots whose cover falls as (1 − d²)² from middle to rim; the light that is left is the product over spots.
fn draw_soft(
    spots: &[Item],
    width: u32,
    height: u32,
    rgba: &mut [u8],
    go_on: &mut dyn FnMut() -> Result<(), Cancelled>,
) -> Result<(), Cancelled> {
    /// The caller is asked to go on after this many rows: a millisecond each at the greatest width.
    const ROWS: usize = 64;
    let limit = |v: f32, max: u32| v.clamp(0.0, max as f32) as usize;
    let spots = || {
        spots.iter().filter_map(|item| match item {
            Item::Soft { centre, radii, ink } if radii.min_element() > 0.0 => Some((*centre, *radii, *ink)),
            _ => None,
        })
    };
    let bounds = spots().fold(Rect::EMPTY, |rect, (c, r, _)| rect.with(c - r).with(c + r));
    let (left, right) = (limit(bounds.min.x, width), limit(bounds.max.x + 1.0, width));
    let (top, bottom) = (limit(bounds.min.y, height), limit(bounds.max.y + 1.0, height));
    if left >= right || top >= bottom {
        return Ok(());
    }
    let wide = right - left;
    let mut light = vec![1.0_f32; wide];
    let Some((_, _, Ink { rgb, .. })) = spots().next() else { return Ok(()) };
    for y in top..bottom {
        if (y - top) % ROWS == ROWS - 1 {
            go_on()?;
        }
        light.fill(1.0);
        for (centre, radii, ink) in spots() {
            let dy = (y as f32 + 0.5 - centre.y) / radii.y;
            let chord = 1.0 - dy * dy;
            if chord <= 0.0 {
                continue;
            }
            let half = radii.x * chord.sqrt();
            let (from, to) = (limit(centre.x - half, width), limit(centre.x + half + 1.0, width));
            let scale = 1.0 / radii.x;
            for (x, light) in (from..to).zip(&mut light[from.max(left) - left..]) {
                let dx = (x as f32 + 0.5 - centre.x) * scale;
                let rest = (chord - dx * dx).max(0.0);
                *light *= 1.0 - ink.alpha * rest * rest;
            }
        }
        let row = &mut rgba[(y * width as usize + left) * 4..][..wide * 4];
        for (pixel, light) in row.chunks_exact_mut(4).zip(&light).filter(|(_, light)| **light < 1.0) {
            for (byte, to) in pixel.iter_mut().zip(rgb) {
                *byte = (f32::from(to) + (f32::from(*byte) - f32::from(to)) * light + 0.5) as u8;
            }
        }
    }
    Ok(())
}
