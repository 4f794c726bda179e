//! A body's parts placed in a pose, in the stage's units.

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::mannequin::{Figure, Flat};
use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::Side;

use super::forces::{arrow_ends, things};
use super::solid::{Solid, Tone};
use super::stage::Stage;

/// Balls and boxes nearer to the hips than this are kept in the picture, body heights.
const NEAR: f32 = 1.2;

impl Stage<'_> {
    /// The body in a frame.
    pub(super) fn solids(&self, frame: usize) -> Vec<Solid> {
        let mut out = Vec::new();
        solids_into(&self.figure, &self.clip.model_pose(frame), self, &mut out);
        if self.config.forces.is_some() {
            out.iter_mut().for_each(|solid| solid.tone = Tone::Became);
            things(self, frame, &mut out);
        }
        out
    }

    /// What a picture of the frame must contain: the body, the target, the arrows, and other things near the body. A ball
    /// that rolls away does not make the body small.
    pub(super) fn framed_solids(&self, frame: usize) -> Vec<Solid> {
        let hips = self.path[frame];
        let near = |solid: &Solid| solid.a.distance(hips).max(solid.b.distance(hips)) < NEAR;
        let solids = self.solids(frame);
        let bodies = self.figure.parts.len().min(solids.len());
        let mut out: Vec<Solid> =
            solids.into_iter().enumerate().filter(|(i, s)| *i < bodies || near(s)).map(|(_, s)| s).collect();
        out.extend(self.wanted_solids(frame));
        let point = |p: Vec3| Solid {
            a: p,
            b: p,
            ra: 0.0,
            rb: 0.0,
            flat_axis: Vec3::Y,
            flat: 1.0,
            tone: Tone::Became,
        };
        out.extend(arrow_ends(self, frame).into_iter().map(|[_, tip]| point(tip)));
        out
    }

    /// The body of the motion that was wanted, where there is one.
    pub(super) fn wanted_solids(&self, frame: usize) -> Vec<Solid> {
        let mut out = Vec::new();
        if let (Some(target), Some(figure)) = (self.config.target(), &self.wanted)
            && let Some(frame) = self.frame_of(target, frame)
        {
            solids_into(figure, &target.model_pose(frame), self, &mut out);
            out.iter_mut().for_each(|solid| solid.tone = Tone::Wanted);
        }
        out
    }

    /// The frame of `target` at the same time from its file's first row.
    fn frame_of(&self, target: &Clip, frame: usize) -> Option<usize> {
        let row = (frame + self.clip.first_row()) as f64 * target.fps() / self.clip.fps();
        (row.round() as usize).checked_sub(target.first_row()).filter(|&frame| frame < target.num_frames())
    }
}

/// Places the parts in a pose, in the stage's units. Parts at places that are not finite are left out.
fn solids_into(figure: &Figure, pose: &ModelPose, stage: &Stage, out: &mut Vec<Solid>) {
    for part in &figure.parts {
        let (a, b) = (stage.unit(part.a.find(pose)), stage.unit(part.b.find(pose)));
        let (flat_axis, flat) = match part.flat {
            Flat::Round => (Vec3::Z, 1.0),
            Flat::Depth { from, to, thickness } => {
                let across = stage.unit(pose.positions[to]) - stage.unit(pose.positions[from]);
                let axis = (b - a).cross(across);
                // Two joints in one place or in line give no direction; then the part is round.
                axis.try_normalize().map_or((Vec3::Z, 1.0), |axis| (axis, thickness))
            }
            Flat::Local { joint, axis, thickness } => (pose.rotations[joint] * axis, thickness),
        };
        let solid = Solid { a, b, ra: part.ra, rb: part.rb, flat_axis, flat, tone: tone_of(part.side) };
        if solid.is_finite() && flat_axis.is_finite() {
            out.push(solid);
        }
    }
}

/// The colour of a part on this side.
fn tone_of(side: Option<Side>) -> Tone {
    match side {
        Some(Side::Left) => Tone::Left,
        Some(Side::Right) => Tone::Right,
        None => Tone::Middle,
    }
}
