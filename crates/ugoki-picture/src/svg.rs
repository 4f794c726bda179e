//! Drawings as SVG: the same layout as the sheet, bodies as gradient-filled outlines, far ones first.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use glam::{Vec2, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::{Progress, report};

use super::camera::Camera;
use super::config::{PictureConfig, PictureError};
use super::drawing::{Anchor, Drawing, Ink, Item, PAPER};
use super::sheet::layout;
use super::solid::{Solid, Tone};

/// Distinct directions of the light against a limb: 22.5° each.
const TURNS: i32 = 16;

/// The contact sheet of a clip as SVG text.
///
/// # Errors
/// When there is nothing to show, the size is too large or the caller asks to stop.
pub fn drawing_svg(
    clip: &Clip,
    config: &PictureConfig,
    progress: Progress<'_>,
) -> Result<String, PictureError> {
    let drawing = layout(clip, config, progress)?;
    report(progress, 0.5)?;
    let title = config.title.as_deref().unwrap_or(&clip.name);
    let svg = write(&drawing, title);
    report(progress, 1.0)?;
    Ok(svg)
}

fn write(drawing: &Drawing, title: &str) -> String {
    let Drawing { width, height, items } = drawing;
    let mut body = String::new();
    let mut gradients = BTreeSet::new();
    for item in items {
        write_item(item, &mut body, &mut gradients);
    }
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\">\n\
         <title>{}</title>\n<defs>\n<radialGradient id=\"ug-soft\">",
        escaped(title)
    );
    // The raster's (1 − d²)² at five places.
    for d in [0.0_f32, 0.25, 0.5, 0.75, 1.0] {
        let cover = (1.0 - d * d).powi(2);
        let _ =
            write!(svg, "<stop offset=\"{d}\" stop-color=\"#282c38\" stop-opacity=\"{}\"/>", short(cover, 3));
    }
    svg.push_str("</radialGradient>\n");
    for (tone, turn) in gradients {
        write_gradient(TONES[tone], turn, &mut svg);
    }
    let _ = write!(svg, "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n", hex(PAPER));
    svg.push_str(&body);
    svg.push_str("</svg>\n");
    svg
}

fn write_item(item: &Item, out: &mut String, gradients: &mut BTreeSet<(usize, i32)>) {
    match item {
        Item::Line { points, width, ink } => {
            let _ = write!(out, "<path d=\"{}\" fill=\"none\"", path_data(points));
            write_stroke(*width, *ink, out);
        }
        Item::Segments { list, width, ink } => {
            out.push_str("<path d=\"");
            for segment in list {
                out.push_str(&path_data(segment));
            }
            out.push_str("\" fill=\"none\"");
            write_stroke(*width, *ink, out);
        }
        Item::Fill { points, ink } => {
            let _ = writeln!(
                out,
                "<path d=\"{}Z\" fill=\"{}\" fill-opacity=\"{}\"/>",
                path_data(points),
                hex(ink.rgb),
                short(ink.alpha, 3)
            );
        }
        Item::Soft { centre, radii, ink } => {
            let _ = writeln!(
                out,
                "<ellipse cx=\"{}\" cy=\"{}\" rx=\"{}\" ry=\"{}\" fill=\"url(#ug-soft)\" opacity=\"{}\"/>",
                short(centre.x, 1),
                short(centre.y, 1),
                short(radii.x, 1),
                short(radii.y, 1),
                short(ink.alpha, 3)
            );
        }
        Item::Text { at, size, anchor, bold, text, ink } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::End => "end",
            };
            // Capitals are about 0.72 of a font's size.
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{anchor}\"{} fill=\"{}\">{}</text>",
                short(at.x, 1),
                short(at.y, 1),
                short(size / 0.72, 1),
                if *bold { " font-weight=\"bold\"" } else { "" },
                hex(ink.rgb),
                escaped(text)
            );
        }
        Item::Body { camera, solids } => write_body(camera, solids, out, gradients),
    }
}

fn write_stroke(width: f32, ink: Ink, out: &mut String) {
    let _ = writeln!(
        out,
        " stroke=\"{}\" stroke-opacity=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>",
        hex(ink.rgb),
        short(ink.alpha, 3),
        short(width, 2)
    );
}

const TONES: [Tone; 5] = [Tone::Left, Tone::Right, Tone::Middle, Tone::Wanted, Tone::Became];

fn write_body(camera: &Camera, solids: &[Solid], out: &mut String, gradients: &mut BTreeSet<(usize, i32)>) {
    // Depth over the ground, so that height does not count. A part of the trunk is as far as its farther
    // end: then the near arm covers its shoulder and the trunk covers the far arm.
    let ahead = (camera.axes.forward * Vec3::new(1.0, 0.0, 1.0)).normalize_or(Vec3::Z);
    let far = |p: Vec3| (p - camera.eye).dot(ahead);
    let depth = |solid: &Solid| match solid.tone {
        Tone::Middle => far(solid.a).max(far(solid.b)),
        Tone::Left | Tone::Right | Tone::Wanted | Tone::Became => far((solid.a + solid.b) * 0.5),
    };
    let mut order: Vec<&Solid> = solids.iter().collect();
    order.sort_by(|a, b| depth(b).total_cmp(&depth(a)));
    out.push_str("<g stroke=\"#10141c\" stroke-opacity=\".3\" stroke-width=\".6\">\n");
    for solid in order {
        let (Some((p, pd)), Some((q, qd))) = (camera.project(solid.a), camera.project(solid.b)) else {
            continue;
        };
        let line = q - p;
        let length = line.length();
        let angle = line.y.atan2(line.x);
        // Across the limb on the picture, in world axes: how wide a flattened part looks from here.
        let across = camera.axes.right * -angle.sin() - camera.axes.up * angle.cos();
        let wide = camera.focal * solid.support(across);
        let (ra, rb) = (solid.ra * wide / pd, solid.rb * wide / qd);
        let tone = TONES.iter().position(|t| *t == solid.tone).unwrap_or(2);
        let light = Vec2::new(camera.light.x, -camera.light.y);
        let turn = (light.y.atan2(light.x) - angle) / std::f32::consts::TAU * TURNS as f32;
        let turn = (turn.round() as i32).rem_euclid(TURNS);
        gradients.insert((tone, turn));
        let _ = writeln!(
            out,
            "<path transform=\"translate({} {}) rotate({})\" d=\"{}\" fill=\"url(#ug-{tone}-{turn})\"/>",
            short(p.x, 1),
            short(p.y, 1),
            short(angle.to_degrees(), 1),
            capsule(length, ra, rb)
        );
    }
    out.push_str("</g>\n");
}

/// Outline of two circles at (0, 0) and (length, 0) and their common tangents.
fn capsule(length: f32, ra: f32, rb: f32) -> String {
    if (ra - rb).abs() >= length {
        let (x, r) = if ra > rb { (0.0, ra) } else { (length, rb) };
        let (r, left, right) = (short(r, 2), short(x - r, 2), short(x + r, 2));
        return format!("M{left} 0A{r} {r} 0 0 1 {right} 0A{r} {r} 0 0 1 {left} 0Z");
    }
    let sine = (ra - rb) / length;
    let cosine = (1.0 - sine * sine).sqrt();
    let (ax, ay, bx, by) = (ra * sine, ra * cosine, length + rb * sine, rb * cosine);
    let (ax, ay, bx, by) = (short(ax, 2), short(ay, 2), short(bx, 2), short(by, 2));
    let (big_a, big_b) = (i32::from(sine > 0.0), i32::from(sine < 0.0));
    let (ra, rb) = (short(ra, 2), short(rb, 2));
    format!(
        "M{ax} -{ay}L{bx} -{by}A{rb} {rb} 0 {big_b} 1 {bx} {by}L{ax} {ay}A{ra} {ra} 0 {big_a} 1 {ax} -{ay}Z"
    )
}

/// Light across a limb whose light comes from `turn` sixteenths of a circle against its axis.
fn write_gradient(tone: Tone, turn: i32, out: &mut String) {
    let index = TONES.iter().position(|t| *t == tone).unwrap_or(2);
    let _ = write!(out, "<linearGradient id=\"ug-{index}-{turn}\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\">");
    let angle = turn as f32 / TURNS as f32 * std::f32::consts::TAU;
    // Of the light two thirds lie in the picture's plane; the rest comes from the viewer.
    let across = 0.72 * angle.sin();
    for step in 0..=8 {
        let fraction = step as f32 / 8.0;
        let v = 2.0 * fraction - 1.0;
        let toward = (1.0 - v * v).max(0.0).sqrt();
        let wrap = ((v * across + toward * 0.58 + 0.20) / 1.20).max(0.0);
        let rim = (1.0 - toward).powi(3);
        let level = (0.50 + 0.68 * wrap) * (1.0 - 0.35 * rim);
        let rgb = tone.rgb().map(|c| (f32::from(c) * level).clamp(0.0, 255.0) as u8);
        let _ = write!(out, "<stop offset=\"{fraction}\" stop-color=\"{}\"/>", hex(rgb));
    }
    out.push_str("</linearGradient>\n");
}

fn path_data(points: &[Vec2]) -> String {
    let mut data = String::new();
    for (i, p) in points.iter().enumerate() {
        let _ = write!(data, "{}{} {}", if i == 0 { 'M' } else { 'L' }, short(p.x, 1), short(p.y, 1));
    }
    data
}

/// A colour as `#rrggbb`.
pub(super) fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A number with at most `digits` decimals and no superfluous zeros.
pub(super) fn short(v: f32, digits: usize) -> String {
    let text = format!("{v:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text for XML and HTML: markup escaped, characters that XML forbids replaced.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
