//! The contact sheet: poses in cells of one scale, and for motion that travels the whole way from the side.

use glam::{Vec2, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::{Progress, report};

use super::camera::{Axes, EYE_DISTANCE, Rect, camera_at, extent, fit};
use super::config::{MAX_POSES, PictureConfig, PictureError, check_size};
use super::drawing::{Anchor, Drawing, FAINT_TEXT, Ink, Item, RULE, TEXT, label};
use super::font;
use super::forces::{arrows, ground_forces};
use super::ground::{Focus, boxes, footprints, grid, path, shadows};
use super::solid::{Solid, Tone};
use super::stage::Stage;

/// Poses on a sheet unless asked otherwise: more get small at the usual width, fewer skip steps.
const POSES: usize = 8;

/// Width of a sheet unless asked otherwise, pixels.
const WIDTH: u32 = 1600;

/// Motion that travels farther than this, in body heights, gets a panorama.
const TRAVELS: f32 = 1.3;

/// Space around the bodies of a cell, body heights: sides and top; below, where the ground is seen.
const PADDING: f32 = 0.045;
const PADDING_BELOW: f32 = 0.10;

/// One pose of the sheet.
struct Shot {
    frame: usize,
    solids: Vec<Solid>,
    /// Its bounds on the image plane at focal length 1.
    seen: Rect,
    /// What the eye looks at, body heights.
    target: Vec3,
}

/// Lays out the sheet of a clip.
pub(super) fn layout(
    clip: &Clip,
    config: &PictureConfig,
    progress: Progress<'_>,
) -> Result<Drawing, PictureError> {
    let stage = Stage::build(clip, config)?;
    let width = if config.width == 0 { WIDTH } else { config.width };
    check_size(width, config.height)?;
    report(progress, 0.02)?;
    let axes = Axes::from_view(config.view, stage.facing);
    let unit = text_unit(width, config.height);
    let take = |count: usize| -> Vec<Shot> {
        stage.spread(count).into_iter().map(|frame| shot(&stage, &axes, frame)).collect()
    };
    let whole = |shots: &[Shot]| padded(&shots.iter().fold(Rect::EMPTY, |rect, shot| rect.union(&shot.seen)));
    let mut shots = take(config.frames.unwrap_or(POSES).clamp(1, MAX_POSES));
    let mut seen = whole(&shots);
    if config.frames.is_none() && config.height > 0 && seen.min.is_finite() && seen.max.is_finite() {
        let count = best_count(width, config.height, unit, &seen).min(stage.motion.len());
        shots = take(count);
        seen = whole(&shots);
    }
    if !(seen.min.is_finite() && seen.max.is_finite()) {
        return Err(PictureError::NotFinite { name: clip.name.clone() });
    }
    let panorama = (stage.travel() > TRAVELS && shots.len() > 1).then(|| Panorama::new(&stage, &shots));
    let mut page =
        Page::new(width, config.height, unit, shots.len(), &seen, panorama.as_ref().map(|p| &p.seen));
    page.tighten(config.height == 0, &shots, &seen);
    check_size(width, page.height)?;
    let mut items = Vec::new();
    header(&stage, width as f32, unit, is_flat(config.height, unit), &mut items);
    let (focal, shift) = fit(&seen, page.cell);
    for (i, shot) in shots.iter().enumerate() {
        let rect = page.cell_rect(i);
        // The lower edge of what is seen lies on the cell's lower edge moved up by half of the spare height.
        let spare = (page.cell.y - seen.size().y * focal).max(0.0) * 0.5;
        let centre = Vec2::new(rect.centre().x + shift.x, rect.max.y - spare - seen.max.y * focal);
        let camera = camera_at(&axes, shot.target, EYE_DISTANCE, focal, centre);
        let radius = 0.62 * page.cell.x / focal * EYE_DISTANCE;
        let ground = shot.target * Vec3::new(1.0, 0.0, 1.0);
        let focus = Focus { from: ground, to: ground, radius: radius.min(0.7) };
        let line = (unit * 0.06).max(0.6);
        grid(&stage, &camera, &focus, line, &mut items);
        path(&stage, stage.motion.clone(), &camera, &focus, line * 1.6, Ink::new(TEXT, 0.75), &mut items);
        boxes(&stage, &camera, &focus, line, &mut items);
        footprints(&stage, Some(shot.frame), &camera, &focus, line, &mut items);
        shadows(&stage, &camera, &shot.solids, &mut items);
        ground_forces(&stage, shot.frame, &camera, line * 1.6, &mut items);
        let wanted = stage.wanted_solids(shot.frame);
        if !wanted.is_empty() {
            items.push(Item::Body { camera, solids: wanted });
        }
        items.push(Item::Body { camera, solids: shot.solids.clone() });
        arrows(&stage, shot.frame, &camera, line * 1.6, &mut items);
        time_label(
            &stage,
            shot.frame,
            Vec2::new(rect.centre().x, rect.max.y + unit * 1.5),
            page.cell.x,
            unit,
            &mut items,
        );
    }
    if let Some(panorama) = panorama {
        panorama.draw(&stage, &shots, &page, unit, &mut items);
    }
    Ok(Drawing { width, height: page.height, items })
}

/// The unit of text and margins, pixels: small in flat pictures, never unreadable.
fn text_unit(width: u32, height: u32) -> f32 {
    let by_height = if height == 0 { f32::INFINITY } else { height as f32 / 26.0 };
    let natural = (width as f32 / 100.0).min(by_height);
    // Readable labels come before large bodies, as long as the labels leave room for bodies at all.
    let room = (width as f32 / 20.0).min(by_height * 26.0 / 14.0);
    natural.max(READABLE_UNIT.min(room)).clamp(5.0, 24.0)
}

/// Size of captions and labels, text units.
const SMALL: f32 = 0.82;

/// The text unit at which captions are just readable, pixels.
pub(super) const READABLE_UNIT: f32 = font::READABLE / SMALL;

/// Whether a page of this height (0: chosen) has its title and caption on one line, pixels and text units.
fn is_flat(height: u32, unit: f32) -> bool {
    height > 0 && (height as f32) < 26.0 * unit
}

fn shot(stage: &Stage, axes: &Axes, frame: usize) -> Shot {
    let solids = stage.solids(frame);
    let framed = stage.framed_solids(frame);
    let hips = stage.path[frame];
    // Sideways the body is centred, in depth its hips are: so poses with one long arm stay large.
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for solid in &framed {
        for p in [solid.a, solid.b] {
            let x = (p - hips).dot(axes.right);
            low = low.min(x);
            high = high.max(x);
        }
    }
    let sideways = Some((low + high) * 0.5).filter(|x| x.is_finite()).unwrap_or(0.0);
    let target = hips + axes.right * sideways + Vec3::Y * 0.5;
    let seen = extent(axes, target, EYE_DISTANCE, framed.iter());
    Shot { frame, solids, seen, target }
}

/// How many poses fill a page of this size best, when the number is free: few on towers, many on ribbons.
fn best_count(width: u32, height: u32, unit: f32, seen: &Rect) -> usize {
    /// What a pose more or less than the usual number costs, as a fraction of the area per e-fold.
    const HABIT: f32 = 0.2;
    let filled = |count: usize| {
        let page = Page::new(width, height, unit, count, seen, None);
        let (focal, _) = fit(seen, page.cell);
        let unusual = (count as f32 / POSES as f32).ln().abs();
        count as f32 * focal * focal * (1.0 - HABIT * unusual)
    };
    (POSES / 2..=POSES * 3).max_by(|&i, &j| filled(i).total_cmp(&filled(j))).unwrap_or(POSES)
}

fn padded(seen: &Rect) -> Rect {
    let side = Vec2::splat(PADDING / EYE_DISTANCE);
    Rect { min: seen.min - side, max: seen.max + side + Vec2::Y * ((PADDING_BELOW - PADDING) / EYE_DISTANCE) }
}

/// Height of what stands above and below a strip: its rule, its caption and some space, text units.
const STRIP_SPACE: f32 = 4.5;

/// Where things are on the page, pixels.
struct Page {
    height: u32,
    columns: usize,
    cell: Vec2,
    pitch: Vec2,
    origin: Vec2,
    strip: Option<Rect>,
    /// How far the cells of each row are moved up, because rows above them are lower than others.
    raised: Vec<f32>,
}

impl Page {
    /// Chooses the number of columns that draws the bodies largest.
    fn new(width: u32, height: u32, unit: f32, count: usize, seen: &Rect, strip: Option<&Rect>) -> Self {
        let margin = (2.2 * unit).min(width as f32 * 0.06);
        let (top, label) =
            if is_flat(height, unit) { (3.6 * unit, 2.4 * unit) } else { (5.6 * unit, 3.2 * unit) };
        let inner = (width as f32 - 2.0 * margin).max(8.0);
        let aspect = seen.size().x / seen.size().y.max(1e-6);
        let gap = 0.6 * unit;
        // Chosen heights stay within two thirds of the width, as a figure in a text does.
        let most = if height == 0 { 0.66 * width as f32 } else { height as f32 };
        let available = most - top - margin * 0.5;
        // A strip as wide as the page and as high as its bodies need, but never more than the cells get;
        // where that leaves less than a few lines of text there is none.
        let strip_height = strip.map(|s| {
            let natural = inner * s.size().y / s.size().x.max(1e-6);
            natural.clamp(0.12 * inner, 0.30 * inner).min(0.55 * available - STRIP_SPACE * unit)
        });
        let strip_height = strip_height.filter(|h| *h > 6.0 * unit);
        let strip_room = strip_height.map_or(0.0, |h| h + STRIP_SPACE * unit);
        let room = (available - strip_room).max(8.0);
        let size_at = |columns: usize| {
            let rows = count.div_ceil(columns);
            let wide = (inner - gap * (columns - 1) as f32) / columns as f32;
            let high = room / rows as f32 - label;
            wide.min(high * aspect).max(1.0)
        };
        let columns = (1..=count).max_by(|&i, &j| size_at(i).total_cmp(&size_at(j))).unwrap_or(1);
        let rows = count.div_ceil(columns);
        // The fewest columns with as many rows: 5 + 5 rather than 6 + 4.
        let columns = count.div_ceil(rows);
        let wide = ((inner - gap * (columns - 1) as f32) / columns as f32).max(1.0);
        let high = (room / rows as f32 - label).max(1.0);
        let high = if height == 0 { high.min(wide / aspect) } else { high };
        let bottom = top + rows as f32 * (high + label);
        let chosen = if height == 0 { (bottom + strip_room + margin * 0.4).ceil() as u32 } else { height };
        let strip = strip_height.map(|high| Rect::new(margin, bottom + 2.9 * unit, inner, high));
        let (cell, pitch) = (Vec2::new(wide, high), Vec2::new(wide + gap, high + label));
        Self {
            height: chosen,
            columns,
            cell,
            pitch,
            origin: Vec2::new(margin, top),
            strip,
            raised: vec![0.0; rows],
        }
    }

    /// Takes the height from rows that need less than the highest: bodies that lie, sit or crawl. Only a page whose
    /// height is free gets lower.
    fn tighten(&mut self, free: bool, shots: &[Shot], seen: &Rect) {
        let (focal, _) = fit(seen, self.cell);
        let mut raised = 0.0;
        for (row, shots) in shots.chunks(self.columns).enumerate() {
            let top = padded(&shots.iter().fold(Rect::EMPTY, |rect, shot| rect.union(&shot.seen))).min.y;
            let unused = ((top - seen.min.y) * focal).clamp(0.0, 0.7 * self.cell.y);
            // A little air stays, so that rows do not touch.
            raised += if free && unused.is_finite() { 0.9 * unused } else { 0.0 };
            self.raised[row] = raised;
        }
        if let Some(strip) = &mut self.strip {
            *strip = Rect { min: strip.min - Vec2::Y * raised, max: strip.max - Vec2::Y * raised };
        }
        self.height -= (raised.floor().max(0.0) as u32).min(self.height - 1);
    }

    fn cell_rect(&self, index: usize) -> Rect {
        let (column, row) = (index % self.columns, index / self.columns);
        let at = self.origin + self.pitch * Vec2::new(column as f32, row as f32);
        let at = at - Vec2::Y * self.raised[row];
        Rect { min: at, max: at + self.cell }
    }
}

/// Title, what is shown, and which colour is which side; on one line where the page is flat.
pub(super) fn header(stage: &Stage, width: f32, unit: f32, flat: bool, items: &mut Vec<Item>) {
    let margin = (2.2 * unit).min(width * 0.06);
    let clip = stage.clip;
    let size = 1.25 * unit;
    let sides = has_sides(stage);
    let legend = if sides { 13.5 * unit } else { 0.0 };
    let room = width - 2.0 * margin - legend;
    let title = font::fitted(stage.title(), size, room);
    let legend_x = font::width(&title, size) + 1.8 * unit;
    let at = Vec2::new(margin, 2.6 * unit);
    items.push(Item::Text {
        at,
        size,
        anchor: Anchor::Start,
        bold: true,
        text: title,
        ink: Ink::new(TEXT, 1.0),
    });
    let frames = stage.motion.len();
    let seconds = frames as f64 / clip.fps();
    let number = |v: f64| format!("{v:.3}").trim_end_matches('0').trim_end_matches('.').to_owned();
    let caption = format!(
        "{seconds:.2} s · {} fps · {frames} frame{} · grid {} m",
        number(clip.fps()),
        if frames == 1 { "" } else { "s" },
        grid_text(stage.grid_metres()),
    );
    let (at, caption_room) = if flat {
        (Vec2::new(margin + legend_x, 2.6 * unit), room - legend_x)
    } else {
        (Vec2::new(margin, 4.6 * unit), width - 2.0 * margin)
    };
    let caption = font::fitted(&caption, SMALL * unit, caption_room);
    items.push(label(at, SMALL * unit, Anchor::Start, caption, FAINT_TEXT));
    if sides && room > 4.0 * unit {
        let mut x = width - margin;
        for (tone, text) in [(Tone::Right, "right"), (Tone::Left, "left")] {
            items.push(label(Vec2::new(x, 2.6 * unit), SMALL * unit, Anchor::End, text, TEXT));
            x -= font::width(text, SMALL * unit) + 1.2 * unit;
            let y = 2.6 * unit - 0.41 * unit;
            let points = vec![Vec2::new(x - 1.3 * unit, y), Vec2::new(x, y)];
            items.push(Item::Line { points, width: 0.85 * unit, ink: Ink::new(tone.rgb(), 1.0) });
            x -= 3.1 * unit;
        }
    }
}

fn has_sides(stage: &Stage) -> bool {
    // A reaction is drawn in white and grey.
    let plain = stage.config.forces.is_none();
    plain
        && stage
            .clip
            .skeleton()
            .joints()
            .iter()
            .any(|joint| joint.role.is_some_and(|role| role.side().is_some()))
}

/// A grid distance without superfluous digits: 0.5, 20, 3e-7.
fn grid_text(metres: f64) -> String {
    if (1e-3..1e5).contains(&metres) {
        let text = format!("{metres:.4}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{metres:.0e}")
    }
}

/// Seconds, and the frame where there is room.
fn time_label(stage: &Stage, frame: usize, at: Vec2, room: f32, unit: f32, items: &mut Vec<Item>) {
    let size = 0.86 * unit;
    let time = format!("{:.2} s", stage.time(frame));
    let number = format!("  f{frame}");
    let (first, second) = (font::width(&time, size), font::width(&number, size * 0.85) + 0.6 * unit);
    if first > room {
        return;
    }
    let both = first + second + 1.2 * unit <= room;
    let start = at.x - 0.5 * if both { first + second } else { first };
    items.push(label(Vec2::new(start, at.y), size, Anchor::Start, time, TEXT));
    if both {
        let at = Vec2::new(start + first + second, at.y);
        items.push(label(at, size * 0.85, Anchor::End, number.trim_start(), FAINT_TEXT));
    }
}

/// Poses of a panorama stand at least this far apart, body heights: nearer ones would run through each other.
const APART: f32 = 0.26;

/// The poses of the sheet in one scene, seen at right angles to the way they go.
struct Panorama {
    /// Which poses are shown.
    kept: Vec<usize>,
    axes: Axes,
    target: Vec3,
    distance: f32,
    seen: Rect,
    focus: Focus,
}

impl Panorama {
    fn new(stage: &Stage, shots: &[Shot]) -> Self {
        let path = &stage.path[stage.motion.clone()];
        let start = path[0];
        let far = path.iter().copied().max_by(|a, b| (*a - start).length().total_cmp(&(*b - start).length()));
        let end = far.unwrap_or(start);
        let ahead = (end - start).normalize_or(stage.facing);
        // The way goes from left to right: the eye looks to the left of the way.
        let axes = Axes::looking_along(Vec3::Y.cross(ahead));
        let target = (start + end) * 0.5 + Vec3::Y * 0.4;
        let distance = (1.5 * (end - start).length()).max(EYE_DISTANCE);
        let mut kept: Vec<usize> = Vec::new();
        for (i, shot) in shots.iter().enumerate() {
            let place = |i: usize| stage.path[shots[i].frame];
            if kept.iter().all(|&other| (place(other) - stage.path[shot.frame]).length() >= APART) {
                kept.push(i);
            }
        }
        let seen = extent(&axes, target, distance, kept.iter().flat_map(|&i| shots[i].solids.iter()));
        let pad = 0.06 / distance;
        let seen = Rect { min: seen.min - pad, max: seen.max + Vec2::new(pad, 2.5 * pad) };
        Self { kept, axes, target, distance, seen, focus: Focus { from: start, to: end, radius: 0.75 } }
    }

    fn draw(&self, stage: &Stage, shots: &[Shot], page: &Page, unit: f32, items: &mut Vec<Item>) {
        let Some(rect) = page.strip else { return };
        let (focal, shift) = fit(&self.seen, rect.size());
        let camera = camera_at(&self.axes, self.target, self.distance, focal, rect.centre() + shift);
        let rule = [rect.min.x, rect.max.x].map(|x| Vec2::new(x, rect.min.y - 2.0 * unit)).to_vec();
        items.push(Item::Line { points: rule, width: (unit * 0.06).max(0.6), ink: Ink::new(RULE, 0.35) });
        // The cells may be seen from elsewhere, so the strip says from where it is seen.
        let caption = font::fitted("path, from the side", SMALL * unit, rect.size().x);
        let at = Vec2::new(rect.min.x, rect.min.y - 0.3 * unit);
        items.push(label(at, SMALL * unit, Anchor::Start, caption, FAINT_TEXT));
        let line = (unit * 0.055).max(0.6);
        grid(stage, &camera, &self.focus, line, items);
        path(stage, stage.motion.clone(), &camera, &self.focus, line * 1.6, Ink::new(TEXT, 0.75), items);
        boxes(stage, &camera, &self.focus, line, items);
        footprints(stage, None, &camera, &self.focus, line, items);
        let solids: Vec<Solid> = self.kept.iter().flat_map(|&i| shots[i].solids.iter().copied()).collect();
        shadows(stage, &camera, &solids, items);
        items.push(Item::Body { camera, solids });
    }
}
