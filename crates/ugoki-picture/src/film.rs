//! One pose at a time in one fixed frame: the scenes of an animation, and single pictures.

use glam::{Vec2, Vec3};
use ugoki_base::clip::Clip;

use super::camera::{Axes, EYE_DISTANCE, Rect, camera_at, extent, fit};
use super::canvas::{Rgba, draw};
use super::config::{PictureConfig, PictureError, check_size};
use super::drawing::{Anchor, Drawing, Ink, Item, TEXT, label};
use super::font::fitted;
use super::forces::{arrows, ground_forces};
use super::ground::{Focus, boxes, footprints, grid, path, shadows};
use super::sheet::{READABLE_UNIT, header};
use super::stage::Stage;

/// Default width of an animation, pixels: readable next to text, small as a file.
const WIDTH: u32 = 400;

/// Motion that travels farther than this, in body heights, is followed; other motion is watched from one place.
const FOLLOW: f32 = 1.6;

/// The eye follows the mean of the hips over this time to each side, seconds: steps do not shake it.
const FOLLOW_SECONDS: f64 = 0.5;

/// How the poses of a clip are shown one by one.
pub(super) struct Film<'a> {
    stage: &'a Stage<'a>,
    axes: Axes,
    pub(super) width: u32,
    pub(super) height: u32,
    unit: f32,
    focal: f32,
    centre: Vec2,
    radius: f32,
    /// What the eye looks at in each frame of the clip; one entry when it stands still.
    targets: Vec<Vec3>,
    /// Whether the heading says which colour is which side.
    legend: bool,
}

impl<'a> Film<'a> {
    /// Chooses size, scale and the eye's way so that the bodies of `frames` are always in the picture.
    pub(super) fn build(stage: &'a Stage<'a>, frames: &[usize]) -> Result<Self, PictureError> {
        Ok(Self::side_by_side(&[(stage, frames.to_vec())])?.remove(0))
    }

    /// Films of one scale and size, each of its own frames, to be shown next to each other.
    pub(super) fn side_by_side(shown: &[(&'a Stage<'a>, Vec<usize>)]) -> Result<Vec<Self>, PictureError> {
        let mut all = Rect::EMPTY;
        for (stage, frames) in shown {
            let axes = Axes::from_view(stage.config.view, stage.facing);
            let targets = targets(stage, frames);
            let seen = frames.iter().fold(Rect::EMPTY, |rect, &frame| {
                let target = targets[if targets.len() == 1 { 0 } else { frame }];
                rect.union(&extent(&axes, target, EYE_DISTANCE, stage.framed_solids(frame).iter()))
            });
            if !(seen.min.is_finite() && seen.max.is_finite()) {
                return Err(PictureError::NotFinite { name: stage.clip.name.clone() });
            }
            all = all.union(&seen);
        }
        let legend = shown.len() == 1;
        shown.iter().map(|(stage, frames)| Self::fitted(stage, targets(stage, frames), all, legend)).collect()
    }

    fn fitted(
        stage: &'a Stage<'a>,
        targets: Vec<Vec3>,
        mut seen: Rect,
        legend: bool,
    ) -> Result<Self, PictureError> {
        let config = stage.config;
        let axes = Axes::from_view(config.view, stage.facing);
        let width = if config.width == 0 { WIDTH } else { config.width };
        check_size(width, config.height)?;
        // Space for the ground to the sides and below, in body heights at the target.
        let space = |v: f32| v / EYE_DISTANCE;
        seen.min -= Vec2::new(space(0.16), space(0.06));
        seen.max += Vec2::new(space(0.16), space(0.15));
        let unit = (width as f32 / 42.0).max(READABLE_UNIT.min(width as f32 / 20.0)).clamp(6.0, 22.0);
        let top = 5.4 * unit;
        let aspect = seen.size().y / seen.size().x.max(1e-6);
        let height = match config.height {
            // Neither a ribbon nor a tower, whatever the motion.
            0 => (top + width as f32 * aspect.clamp(0.5, 1.05)).ceil() as u32,
            height => height,
        };
        check_size(width, height)?;
        let room = Vec2::new(width as f32, (height as f32 - top).max(8.0));
        let (focal, shift) = fit(&seen, room);
        let centre = Vec2::new(0.0, height as f32 - room.y) + room * 0.5 + shift;
        let radius = (0.6 * room.x / focal * EYE_DISTANCE).min(4.0);
        Ok(Self { stage, axes, width, height, unit, focal, centre, radius, targets, legend })
    }

    /// The picture of one frame.
    pub(super) fn drawing(&self, frame: usize) -> Drawing {
        let stage = self.stage;
        let target = self.targets[if self.targets.len() == 1 { 0 } else { frame }];
        let camera = camera_at(&self.axes, target, EYE_DISTANCE, self.focal, self.centre);
        let ground = target * Vec3::new(1.0, 0.0, 1.0);
        let focus = Focus { from: ground, to: ground, radius: self.radius };
        let line = (self.unit * 0.075).max(0.7);
        let mut items = Vec::new();
        grid(stage, &camera, &focus, line, &mut items);
        path(stage, stage.motion.clone(), &camera, &focus, line * 1.4, Ink::new(TEXT, 0.25), &mut items);
        let past = stage.motion.start..(frame + 1).clamp(stage.motion.start + 1, stage.motion.end);
        path(stage, past, &camera, &focus, line * 2.0, Ink::new(TEXT, 0.7), &mut items);
        boxes(stage, &camera, &focus, line, &mut items);
        footprints(stage, Some(frame), &camera, &focus, line, &mut items);
        let solids = stage.solids(frame);
        shadows(stage, &camera, &solids, &mut items);
        ground_forces(stage, frame, &camera, line * 1.4, &mut items);
        let wanted = stage.wanted_solids(frame);
        if !wanted.is_empty() {
            items.push(Item::Body { camera, solids: wanted });
        }
        items.push(Item::Body { camera, solids });
        arrows(stage, frame, &camera, line * 1.4, &mut items);
        if self.legend {
            header(stage, self.width as f32, self.unit, false, &mut items);
        } else {
            let at = Vec2::new(self.unit, 2.6 * self.unit);
            let title = fitted(stage.title(), 1.25 * self.unit, self.width as f32 - 2.0 * self.unit);
            items.push(label(at, 1.25 * self.unit, Anchor::Start, title, TEXT));
        }
        let at = Vec2::new(self.width as f32 - 1.5 * self.unit, self.height as f32 - 1.4 * self.unit);
        let time = format!("{:.2} s", stage.time(frame));
        items.push(label(at, 0.9 * self.unit, Anchor::End, time, TEXT));
        Drawing { width: self.width, height: self.height, items }
    }
}

fn targets(stage: &Stage, frames: &[usize]) -> Vec<Vec3> {
    let up = Vec3::Y * 0.5;
    let path = &stage.path[stage.motion.clone()];
    if frames.len() == 1 {
        return vec![stage.path[frames[0]] + up];
    }
    if stage.travel() <= FOLLOW {
        let (low, high) = path.iter().fold((path[0], path[0]), |(low, high), p| (low.min(*p), high.max(*p)));
        return vec![(low + high) * 0.5 + up];
    }
    let reach = (FOLLOW_SECONDS * stage.clip.fps()).round() as usize;
    // Sums of the path up to each frame give every mean at once; f64 keeps long clips exact.
    let mut sums = vec![glam::DVec3::ZERO];
    for p in &stage.path {
        sums.push(sums[sums.len() - 1] + p.as_dvec3());
    }
    (0..stage.path.len())
        .map(|frame| {
            // The window shrinks at the ends to stay symmetric, so the eye does not lag there.
            let inside = frame.clamp(stage.motion.start, stage.motion.end - 1);
            let reach = reach.min(inside - stage.motion.start).min(stage.motion.end - 1 - inside);
            let (from, to) = (inside - reach, inside + reach + 1);
            ((sums[to] - sums[from]) / (to - from) as f64).as_vec3() + up
        })
        .collect()
}

/// One frame of a clip as pixels, alone in the picture; the size of `config` or 400 pixels wide.
///
/// # Errors
/// When there is no such frame or the size is too large.
pub fn frame_rgba(clip: &Clip, frame: usize, config: &PictureConfig) -> Result<Rgba, PictureError> {
    let stage = Stage::build(clip, config)?;
    if frame >= clip.num_frames() {
        return Err(PictureError::Frame { frame, frames: clip.num_frames() });
    }
    let film = Film::build(&stage, &[frame])?;
    let mut go_on = ugoki_base::no_progress();
    draw(&film.drawing(frame), &mut go_on, 0.0..1.0)
}
