//! Lit solids on pixels: one ray per pixel, nine where the nearest solid changes.
//!
//! Interiors of a limb are smooth, so only outlines need more samples: a pixel is sampled again when
//! a neighbour shows another solid or the ground. Light is summed linearly and encoded once.

use glam::{Vec2, Vec3};
use ugoki_base::Cancelled;

use super::camera::{Camera, Rect};
use super::solid::{Hit, Solid};

/// Samples of an outline pixel, thirds of a pixel from its middle; the middle first, for it is lit best.
const SAMPLES: [[f32; 2]; 9] = [
    [0.0, 0.0],
    [0.0, -1.0],
    [0.0, 1.0],
    [-1.0, 0.0],
    [1.0, 0.0],
    [-1.0, -1.0],
    [1.0, -1.0],
    [-1.0, 1.0],
    [1.0, 1.0],
];

/// Rows drawn at once: bounds memory on large pictures, and the solids to look at on small ones.
const BAND: usize = 32;

/// Most pixels drawn at once, about a twentieth of a second: then the caller is asked whether to go on.
const BAND_PIXELS: usize = 60_000;

/// No solid is thinner than this on the picture, pixels: rays through pixel centres would miss it.
const MIN_RADIUS: f32 = 0.75;

/// An RGBA picture being painted: straight sRGB bytes, opaque paper beneath.
pub(super) struct Pixels<'a> {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) rgba: &'a mut [u8],
}

/// A solid with what shading and bounds need.
struct Placed {
    solid: Solid,
    /// Bounds on the picture, pixels.
    bounds: Rect,
    /// Its axis on the picture, and how far from it the solid reaches, pixels.
    axis: [Vec2; 2],
    reach: f32,
    /// Linear colour.
    colour: Vec3,
    /// Other solids near enough to take sky from this one.
    neighbours: Vec<u32>,
}

impl Placed {
    /// Whether the pixel with this centre may show the solid.
    fn may_cover(&self, centre: Vec2) -> bool {
        let [a, b] = self.axis;
        let line = b - a;
        let fraction = ((centre - a).dot(line) / line.length_squared().max(1e-12)).clamp(0.0, 1.0);
        (a + line * fraction - centre).length_squared() <= self.reach * self.reach
    }
}

/// Draws the solids over what is there; `go_on` receives the progress after some rows and may cancel.
pub(super) fn draw_body(
    camera: &Camera,
    solids: &[Solid],
    pixels: &mut Pixels<'_>,
    go_on: &mut dyn FnMut(f32) -> Result<(), Cancelled>,
) -> Result<(), Cancelled> {
    let mut placed: Vec<Placed> = solids.iter().filter_map(|solid| place(camera, solid)).collect();
    find_neighbours(&mut placed);
    let all = placed.iter().fold(Rect::EMPTY, |rect, p| rect.union(&p.bounds));
    if placed.is_empty() {
        return Ok(());
    }
    let limit = |v: f32, max: usize| v.clamp(0.0, max as f32) as usize;
    let (x0, x1) = (limit(all.min.x - 1.0, pixels.width), limit(all.max.x + 2.0, pixels.width));
    let (y0, y1) = (limit(all.min.y - 1.0, pixels.height), limit(all.max.y + 2.0, pixels.height));
    let scene = Scene { camera, placed: &placed, light: camera.light_world() };
    let band = (BAND_PIXELS / (x1 - x0).max(1)).clamp(1, BAND);
    let mut from = y0;
    while from < y1 {
        let to = (from + band).min(y1);
        scene.draw_band(pixels, x0..x1, from..to);
        go_on((to - y0) as f32 / (y1 - y0) as f32)?;
        from = to;
    }
    Ok(())
}

fn place(camera: &Camera, solid: &Solid) -> Option<Placed> {
    let mut solid = *solid;
    let mut bounds = Rect::EMPTY;
    let (a, b) = (solid.a, solid.b);
    let mut axis = [Vec2::ZERO; 2];
    let mut most: f32 = 0.0;
    for (i, (p, r)) in [(a, &mut solid.ra), (b, &mut solid.rb)].into_iter().enumerate() {
        let (at, depth) = camera.project(p)?;
        *r = r.max(MIN_RADIUS * depth / camera.focal);
        // A pixel and a half more: perspective makes a ball's outline slightly longer than wide.
        let reach = *r * camera.focal / (depth - *r).max(0.05) + 1.5;
        bounds = bounds.with(at - reach).with(at + reach);
        axis[i] = at;
        most = most.max(reach);
    }
    let colour = Vec3::from(solid.tone.rgb().map(linear));
    Some(Placed { solid, bounds, axis, reach: most, colour, neighbours: Vec::new() })
}

/// Farther than this many radii a ball hides less than 5 % of the sky.
const SHADING_REACH: f32 = 4.5;

fn find_neighbours(placed: &mut [Placed]) {
    let balls: Vec<(Vec3, f32, f32)> = placed
        .iter()
        .map(|Placed { solid, .. }| {
            let radius = solid.ra.max(solid.rb);
            ((solid.a + solid.b) * 0.5, 0.5 * (solid.b - solid.a).length() + radius, radius)
        })
        .collect();
    for (i, one) in placed.iter_mut().enumerate() {
        let (centre, reach, _) = balls[i];
        one.neighbours.extend(balls.iter().enumerate().filter_map(|(j, &(other, size, radius))| {
            let near = (centre - other).length() < reach + size + (SHADING_REACH - 1.0) * radius;
            (i != j && near).then_some(j as u32)
        }));
    }
}

struct Scene<'a> {
    camera: &'a Camera,
    placed: &'a [Placed],
    light: Vec3,
}

const NOTHING: u32 = u32::MAX;

impl Scene<'_> {
    /// Draws some rows; the rows above and below are looked at for outlines.
    fn draw_band(&self, pixels: &mut Pixels<'_>, xs: std::ops::Range<usize>, ys: std::ops::Range<usize>) {
        let (width, top) = (xs.len(), ys.start as isize - 1);
        let height = ys.len() + 2;
        let mut nearest = vec![NOTHING; width * height];
        let mut depth = vec![f32::INFINITY; width * height];
        for (id, placed) in self.placed.iter().enumerate() {
            let column = |x: f32| (x - xs.start as f32).clamp(0.0, width as f32) as usize;
            let row = |y: f32| (y - top as f32).clamp(0.0, height as f32) as usize;
            let columns = column(placed.bounds.min.x)..column(placed.bounds.max.x.ceil());
            for y in row(placed.bounds.min.y)..row(placed.bounds.max.y.ceil()) {
                for x in columns.clone() {
                    let at = Vec2::new((xs.start + x) as f32 + 0.5, (top + y as isize) as f32 + 0.5);
                    if !placed.may_cover(at) {
                        continue;
                    }
                    let here = y * width + x;
                    if let Some(hit) = placed.solid.hit(self.camera.eye, self.camera.ray(at))
                        && hit.t < depth[here]
                    {
                        depth[here] = hit.t;
                        nearest[here] = id as u32;
                    }
                }
            }
        }
        // Only these can be met in these rows.
        let (first, last) = (ys.start as f32, ys.end as f32);
        let present = |p: &Placed| p.bounds.max.y >= first && p.bounds.min.y <= last;
        let present: Vec<usize> = (0..self.placed.len()).filter(|&id| present(&self.placed[id])).collect();
        let mut near = Vec::new();
        for y in 1..height - 1 {
            for x in 0..width {
                let here = y * width + x;
                let id = nearest[here];
                let joined = |other: usize| self.joined(id, depth[here], nearest[other], depth[other]);
                let same = (x == 0 || joined(here - 1))
                    && (x + 1 == width || joined(here + 1))
                    && joined(here - width)
                    && joined(here + width);
                let corner = Vec2::new((xs.start + x) as f32, (top + y as isize) as f32);
                let (light, cover) = match (same, id) {
                    (true, NOTHING) => continue,
                    (true, id) => {
                        let ray = self.camera.ray(corner + 0.5);
                        match self.placed[id as usize].solid.hit(self.camera.eye, ray) {
                            Some(hit) => (self.shade(id as usize, &hit, ray), 1.0),
                            None => continue,
                        }
                    }
                    (false, _) => self.outline(corner, &present, &mut near),
                };
                if cover > 0.0 {
                    let start = ((top + y as isize) as usize * pixels.width + xs.start + x) * 4;
                    blend(&mut pixels.rgba[start..start + 3], light, cover);
                }
            }
        }
    }

    /// Whether two pixels need no line between them: one solid, or two of one colour that touch there.
    fn joined(&self, id: u32, depth: f32, other: u32, other_depth: f32) -> bool {
        /// Parts nearer in depth than this, body heights, touch: their light changes little.
        const TOUCH: f32 = 0.008;
        let tone = |id: u32| self.placed[id as usize].solid.tone;
        id == other
            || id != NOTHING
                && other != NOTHING
                && (depth - other_depth).abs() < TOUCH
                && tone(id) == tone(other)
    }

    /// Mean light of the solids in one pixel, and how much of it they cover.
    fn outline(&self, corner: Vec2, present: &[usize], near: &mut Vec<usize>) -> (Vec3, f32) {
        near.clear();
        near.extend(present.iter().copied().filter(|&id| self.placed[id].may_cover(corner + 0.5)));
        // Light varies little within a pixel: each solid is lit once, where it is first met.
        let mut sum = Vec3::ZERO;
        let mut hits = 0;
        let mut lit = (usize::MAX, Vec3::ZERO);
        for [i, j] in SAMPLES {
            let at = corner + 0.5 + Vec2::new(i, j) / 3.0;
            let ray = self.camera.ray(at);
            let mut best: Option<(usize, Hit)> = None;
            for &id in near.iter() {
                if let Some(hit) = self.placed[id].solid.hit(self.camera.eye, ray)
                    && best.as_ref().is_none_or(|(_, b)| hit.t < b.t)
                {
                    best = Some((id, hit));
                }
            }
            if let Some((id, hit)) = best {
                if lit.0 != id {
                    lit = (id, self.shade(id, &hit, ray));
                }
                sum += lit.1;
                hits += 1;
            }
        }
        (sum / hits.max(1) as f32, hits as f32 / SAMPLES.len() as f32)
    }

    /// Linear light from a point: sky, key light, a soft highlight, darker rims and corners.
    fn shade(&self, id: usize, hit: &Hit, ray: Vec3) -> Vec3 {
        let n = hit.normal();
        let p = self.camera.eye + ray * hit.t;
        let open = self.openness(id, p, n);
        let sky = 0.36 + 0.20 * n.y;
        let wrap = ((n.dot(self.light) + 0.20) / 1.20).max(0.0);
        let facing = (-n.dot(ray)).clamp(0.0, 1.0);
        let rim = (1.0 - facing).powi(3);
        let half = (self.light - ray).normalize_or_zero();
        let gloss = 0.10 * n.dot(half).max(0.0).powi(28);
        let lit =
            self.placed[id].colour * (sky * open + 0.74 * wrap * (0.35 + 0.65 * open)) * (1.0 - 0.42 * rim);
        lit + Vec3::splat(gloss * open)
    }

    /// How much of the sky a point sees past the other solids and the ground: each solid counts as
    /// the ball nearest to the point, covering the fraction (r/d)² of the hemisphere, weighted by the cosine.
    fn openness(&self, id: usize, p: Vec3, n: Vec3) -> f32 {
        let mut open = 1.0;
        for &other in &self.placed[id].neighbours {
            let solid = &self.placed[other as usize].solid;
            let axis = solid.b - solid.a;
            let fraction = ((p - solid.a).dot(axis) / axis.length_squared().max(1e-12)).clamp(0.0, 1.0);
            let radius = solid.ra + (solid.rb - solid.ra) * fraction;
            let to = solid.a + axis * fraction - p;
            let cosine = n.dot(to);
            let (d2, r2) = (to.length_squared(), radius * radius);
            // Parts that hold the point, as at a joint, hide nothing.
            if cosine > 0.0 && d2 > r2 && d2 < SHADING_REACH * SHADING_REACH * r2 {
                open *= 1.0 - (0.9 * cosine * r2 / (d2 * d2.sqrt())).min(0.8);
            }
        }
        let ground = (0.5 - 0.5 * n.y) * (-p.y.max(0.0) / 0.08).exp();
        open * (1.0 - 0.55 * ground)
    }
}

/// Linear value of an sRGB byte.
fn linear(byte: u8) -> f32 {
    let v = f32::from(byte) / 255.0;
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// sRGB value (0 to 255) of linear light; brighter than white is white.
fn encoded(v: f32) -> f32 {
    let v = v.clamp(0.0, 1.0);
    255.0 * if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 }
}

fn blend(rgb: &mut [u8], light: Vec3, cover: f32) {
    for (byte, v) in rgb.iter_mut().zip(light.to_array()) {
        *byte = (f32::from(*byte) * (1.0 - cover) + encoded(v) * cover + 0.5) as u8;
    }
}
