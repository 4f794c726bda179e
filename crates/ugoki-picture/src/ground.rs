//! What lies on the ground: grid, the path of the hips, footprints and soft shadows.
//!
//! All of it fades with the distance from a focus line (a point in a cell, the path in a panorama), so
//! nothing is ever cut off at an edge.

use std::ops::Range;

use glam::{Vec2, Vec3};
use ugoki_base::skeleton::Side;

use super::camera::Camera;
use super::drawing::{Ink, Item, RULE, SHADE};
use super::platform::{Platform, ground_under};
use super::solid::{Solid, Tone};
use super::stage::Stage;

/// Number of fading steps; 7 look like a smooth ramp on hairlines.
const FADE_STEPS: usize = 7;

/// The lit part of the ground: everything within `radius` of the line from `from` to `to`, body heights.
#[derive(Debug, Clone, Copy)]
pub(super) struct Focus {
    pub(super) from: Vec3,
    pub(super) to: Vec3,
    pub(super) radius: f32,
}

impl Focus {
    /// 1 at the focus, 0 from `radius` on.
    pub(super) fn strength(&self, p: Vec3) -> f32 {
        let line = self.to - self.from;
        let along = ((p - self.from).dot(line) / line.length_squared().max(1e-12)).clamp(0.0, 1.0);
        let d = (p - self.from - line * along).length() / self.radius;
        let rest = (1.0 - d * d).max(0.0);
        rest * rest
    }
}

/// The ground grid as hairlines that fade.
pub(super) fn grid(stage: &Stage, camera: &Camera, focus: &Focus, width: f32, out: &mut Vec<Item>) {
    let step = (stage.grid_metres() / f64::from(stage.size)) as f32;
    let phase = stage.grid_phase();
    let mut levels: Vec<Vec<[Vec2; 2]>> = vec![Vec::new(); FADE_STEPS];
    let low = focus.from.min(focus.to) - focus.radius;
    let high = focus.from.max(focus.to) + focus.radius;
    for (phase, across, along) in [(phase[0], 0, 2), (phase[1], 2, 0)] {
        let offset = phase as f32 * step;
        let first = ((low[across] + offset) / step).ceil() as i64;
        let last = ((high[across] + offset) / step).floor() as i64;
        // A focus of many grid lines would hide the figure behind them; 400 is already a hatching.
        for line in first..=last.min(first.saturating_add(400)) {
            let at = line as f32 * step - offset;
            let pieces = ((high[along] - low[along]) / (0.25 * step)).ceil().clamp(1.0, 2000.0) as usize;
            let point = |i: usize| {
                let mut p = Vec3::ZERO;
                p[across] = at;
                p[along] = low[along] + (high[along] - low[along]) * i as f32 / pieces as f32;
                p
            };
            for i in 0..pieces {
                let (a, b) = (point(i), point(i + 1));
                push_faded(camera, focus, a, b, &mut levels);
            }
        }
    }
    emit(levels, width, Ink::new(RULE, 0.5), out);
}

/// The way of the hips over the ground for `frames`, with arrow heads that show where it goes.
pub(super) fn path(
    stage: &Stage,
    frames: Range<usize>,
    camera: &Camera,
    focus: &Focus,
    width: f32,
    ink: Ink,
    out: &mut Vec<Item>,
) {
    /// Points nearer than this are one, body heights: below it the hips sway rather than go.
    const SPACING: f32 = 0.03;
    /// Arrow heads along the path, body heights.
    const ARROWS: f32 = 0.55;
    let mut levels: Vec<Vec<[Vec2; 2]>> = vec![Vec::new(); FADE_STEPS];
    let mut last = stage.path[frames.start];
    let mut since_arrow = ARROWS * 0.5;
    for &p in &stage.path[frames] {
        let length = (p - last).length();
        if length < SPACING {
            continue;
        }
        push_faded(camera, focus, last, p, &mut levels);
        since_arrow += length;
        if since_arrow >= ARROWS {
            since_arrow = 0.0;
            let ahead = (p - last) / length;
            let aside = ahead.cross(Vec3::Y);
            for side in [-1.0, 1.0] {
                push_faded(camera, focus, p - ahead * 0.055 + aside * (0.03 * side), p, &mut levels);
            }
        }
        last = p;
    }
    emit(levels, width, ink, out);
}

fn push_faded(camera: &Camera, focus: &Focus, a: Vec3, b: Vec3, levels: &mut [Vec<[Vec2; 2]>]) {
    let level = (focus.strength((a + b) * 0.5) * FADE_STEPS as f32).ceil() as usize;
    if level == 0 {
        return;
    }
    if let (Some((p, _)), Some((q, _))) = (camera.project(a), camera.project(b)) {
        let list = &mut levels[level.min(FADE_STEPS) - 1];
        // Pieces in line are joined, so that round ends do not show as beads.
        match list.last_mut() {
            Some(last) if last[1] == p && (last[1] - last[0]).perp_dot(q - p).abs() < 0.02 => last[1] = q,
            _ => list.push([p, q]),
        }
    }
}

fn emit(levels: Vec<Vec<[Vec2; 2]>>, width: f32, ink: Ink, out: &mut Vec<Item>) {
    for (level, list) in levels.into_iter().enumerate() {
        if !list.is_empty() {
            let alpha = ink.alpha * (level + 1) as f32 / FADE_STEPS as f32;
            out.push(Item::Segments { list, width, ink: Ink { alpha, ..ink } });
        }
    }
}

/// Outline of a left footprint, heel to toe along +y, big toe at +x; in foot lengths, ankle at 0.
const SOLE: [[f32; 2]; 20] = [
    [0.00, -0.27],
    [0.10, -0.24],
    [0.145, -0.15],
    [0.13, -0.02],
    [0.105, 0.12],
    [0.13, 0.28],
    [0.18, 0.42],
    [0.185, 0.54],
    [0.155, 0.65],
    [0.10, 0.72],
    [0.03, 0.725],
    [-0.05, 0.69],
    [-0.12, 0.62],
    [-0.175, 0.52],
    [-0.20, 0.40],
    [-0.185, 0.25],
    [-0.155, 0.10],
    [-0.145, -0.05],
    [-0.135, -0.17],
    [-0.09, -0.245],
];

/// Foot length as a fraction of stature (Drillis & Contini).
const FOOT: f32 = 0.152;

/// Footprints: filled where a foot stands in `frame` (or always without one), an outline elsewhere.
pub(super) fn footprints(
    stage: &Stage,
    frame: Option<usize>,
    camera: &Camera,
    focus: &Focus,
    width: f32,
    out: &mut Vec<Item>,
) {
    for mark in &stage.config.marks {
        let place = stage.unit(mark.position) * Vec3::new(1.0, 0.0, 1.0);
        let height = stage.unit(Vec3::Y * mark.height).y;
        let at = place + Vec3::Y * ground_under(&stage.platforms, place + Vec3::Y * height);
        let heading = Vec3::new(mark.heading.x, 0.0, mark.heading.z).try_normalize();
        let Some(ahead) = heading.filter(|_| at.is_finite()) else { continue };
        let strength = focus.strength(place);
        if strength < 0.02 {
            continue;
        }
        let (tone, mirror) = match mark.side {
            Side::Left => (Tone::Left, 1.0),
            Side::Right => (Tone::Right, -1.0),
        };
        // The big toe lies to the character's right of a left foot.
        let aside = ahead.cross(Vec3::Y) * mirror;
        let outline: Option<Vec<Vec2>> = SOLE
            .iter()
            .map(|[x, y]| camera.project(at + (aside * *x + ahead * *y) * FOOT).map(|(p, _)| p))
            .collect();
        let Some(mut points) = outline else { continue };
        let stands = frame.is_none_or(|frame| mark.frames.contains(&frame));
        let fill = if stands { 0.45 } else { 0.16 };
        out.push(Item::Fill { points: points.clone(), ink: Ink::new(tone.rgb(), fill * strength) });
        points.push(points[0]);
        out.push(Item::Line { points, width, ink: Ink::new(tone.rgb(), 0.9 * strength) });
    }
}

/// Soft shadows under the solids: dark and small where a part touches the ground, wide and faint above it.
pub(super) fn shadows(stage: &Stage, camera: &Camera, solids: &[Solid], out: &mut Vec<Item>) {
    for solid in solids {
        let length = (solid.b - solid.a).length();
        let pieces = (length / 0.10).round().clamp(1.0, 4.0) as usize;
        for i in 0..pieces {
            let fraction = (i as f32 + 0.5) / pieces as f32;
            let p = solid.a.lerp(solid.b, fraction);
            let radius = solid.ra + (solid.rb - solid.ra) * fraction;
            let level = ground_under(&stage.platforms, p);
            let height = (p.y - radius - level).max(0.0);
            // A sky of one colour: the spot widens with height and its darkness spreads over its area.
            let wide = 1.6 * radius + 0.22 * height;
            let alpha = 0.22 * (1.6 * radius / wide).powi(2);
            if alpha < 0.012 {
                continue;
            }
            let ground = Vec3::new(p.x, level, p.z);
            let Some((centre, depth)) = camera.project(ground) else { continue };
            let scale = camera.focal / depth;
            let flat = -(ground - camera.eye).normalize().y;
            let along = 0.5 * length / pieces as f32;
            let radii = Vec2::new(wide + along, (wide + along) * flat.clamp(0.05, 1.0)) * scale;
            out.push(Item::Soft { centre, radii, ink: Ink::new(SHADE, alpha) });
        }
    }
}

/// Draws the steps as light boxes, far ones first.
pub(super) fn boxes(stage: &Stage, camera: &Camera, focus: &Focus, width: f32, out: &mut Vec<Item>) {
    let far = |platform: &Platform| {
        platform.corners().iter().map(|c| (*c - camera.eye).dot(camera.axes.forward)).sum::<f32>()
    };
    let mut order: Vec<&Platform> = stage.platforms.iter().collect();
    order.sort_by(|a, b| far(b).total_cmp(&far(a)));
    for platform in order {
        let corners = platform.corners();
        let middle = (corners[0] + corners[2]) * 0.5;
        let strength = focus.strength(middle * Vec3::new(1.0, 0.0, 1.0));
        if strength < 0.02 {
            continue;
        }
        let lower = Vec3::Y * platform.height;
        // Faces turned to the eye: a front is seen when the eye is on its outer side.
        let mut faces: Vec<([Vec3; 4], f32)> = Vec::new();
        for i in 0..4 {
            let (a, b) = (corners[i], corners[(i + 1) % 4]);
            if (camera.eye - a).dot((a + b) * 0.5 - middle) > 0.0 {
                faces.push(([a, b, b - lower, a - lower], 0.20));
            }
        }
        faces.push((corners, 0.08));
        for (face, alpha) in faces {
            let points: Option<Vec<Vec2>> =
                face.iter().map(|p| camera.project(*p).map(|(at, _)| at)).collect();
            let Some(mut points) = points else { continue };
            let cover = strength.sqrt();
            out.push(Item::Fill { points: points.clone(), ink: Ink::new(SHADE, alpha * cover) });
            points.push(points[0]);
            out.push(Item::Line { points, width, ink: Ink::new(RULE, 0.8 * cover) });
        }
    }
}
