//! The paths of both feet over a joined clip: handles of their own, as captured, bent at the seam in proportion to their speed.
//!
//! Bent joints carry a standing foot along; its own path knows that it stands. Where a foot rests, δ adds no velocity and ε
//! no acceleration, so only what moves gives way.

use std::ops::Range;

use glam::{DVec3, Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{exp64, log64};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_feet::contact::{Feet, Foot};

use super::Stands;
use super::carry::SWING_S;
use super::meet::{half_turns, spread};
use crate::edit::span::{Ends, pushed};
use crate::edit::{FootTrack, GroundFrame};

/// Share of the mean speed added to every sample's, as for joints but less: a foot that rests should stay.
const EVEN: f64 = 0.25;

/// Which feet stand next to a seam between frame `n` of one clip and frame `start` of another.
pub(in crate::edit) fn standing_at(
    a: &Stands,
    n: usize,
    b: &Stands,
    start: usize,
    fps: f64,
) -> [[bool; 2]; 2] {
    let near = ((SWING_S * fps).round() as usize).max(1);
    let (before, after) = ((n + 1).saturating_sub(near)..n + 1, start..start + near);
    [0, 1].map(|side| [a.rests(side, &before), b.rests(side, &after)])
}

/// Left and right.
#[derive(Debug, Clone)]
pub(in crate::edit) struct Footing(pub(super) [FootTrack; 2]);

/// Share of how far one foot is from where the other clip has it, two samples: metres, and radians in their tangent spaces.
pub(in crate::edit) struct FootGap {
    glide: [DVec3; 2],
    turn: [DVec3; 2],
}

impl FootGap {
    /// Of both feet, from the samples of the body that moves to those of the other; `stands` tells for each foot whether it
    /// stands next to the seam here and there. One that stands on one side only stays there, and the other side goes the whole way.
    pub(in crate::edit) fn both(
        from: &[ModelPose; 2],
        to: &[ModelPose; 2],
        feet: &Feet,
        stands: [[bool; 2]; 2],
    ) -> [Self; 2] {
        [0, 1].map(|side: usize| {
            let foot = &feet.feet[side];
            let share = match stands[side] {
                [true, false] => 0.0,
                [false, true] => 1.0,
                _ => 0.5,
            };
            let place = |k: usize| to[k].positions[foot.ankle] - from[k].positions[foot.ankle];
            let turns = |poses: &[ModelPose; 2]| [0, 1].map(|k| poses[k].rotations[foot.ankle]);
            Self {
                glide: [0, 1].map(|k| share * place(k).as_dvec3()),
                turn: half_turns(turns(from), turns(to)).map(|half| 2.0 * share * half),
            }
        })
    }

    /// The same seen from where `placement` takes it back from.
    pub(in crate::edit) fn seen_before(mut self, placement: &GroundFrame) -> Self {
        let back = Quat::from_rotation_y(-placement.yaw).as_dquat();
        self.glide = self.glide.map(|d| back * d);
        self
    }
}

impl Footing {
    /// The feet of some frames of a clip.
    pub(in crate::edit) fn of(clip: &Clip, frames: Range<usize>, feet: &Feet) -> Self {
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        let mut model = ModelPose::default();
        let empty = || FootTrack { ankle: Vec::new(), rotation: Vec::new(), toe: Vec3::ZERO };
        let mut tracks = [empty(), empty()];
        for frame in frames {
            clip.pose_into(frame, &mut pose);
            forward_kinematics_into(clip.skeleton(), &pose, &mut model);
            for (track, foot) in tracks.iter_mut().zip(&feet.feet) {
                push(track, &model, foot);
            }
        }
        Self(tracks)
    }

    /// In another place.
    pub(in crate::edit) fn moved(&self, placement: &GroundFrame) -> Self {
        Self(self.0.each_ref().map(|track| FootTrack {
            ankle: track.ankle.iter().map(|&p| placement.point(p)).collect(),
            rotation: track.rotation.iter().map(|&q| placement.rotation(q)).collect(),
            toe: track.toe,
        }))
    }

    /// One after another.
    pub(in crate::edit) fn joined(parts: &[Self]) -> Self {
        Self([0, 1].map(|side: usize| FootTrack {
            ankle: parts.iter().flat_map(|part| part.0[side].ankle.iter().copied()).collect(),
            rotation: parts.iter().flat_map(|part| part.0[side].rotation.iter().copied()).collect(),
            toe: parts.first().map_or(Vec3::ZERO, |part| part.0[side].toe),
        }))
    }

    /// Bends the last `window` frames; the gaps' samples are the last frame and the one after it.
    pub(in crate::edit) fn bend_end(&mut self, gaps: &[FootGap; 2], window: usize) {
        for (track, gap) in self.0.iter_mut().zip(gaps) {
            let Some(last) = track.ankle.len().checked_sub(1) else { return };
            let ends =
                |d: &[DVec3; 2]| Ends { before: DVec3::ZERO, start: DVec3::ZERO, end: d[0], after: d[1] };
            bend(track, gap, last.saturating_sub(window)..last + 1, ends);
        }
    }

    /// Bends the first `window` frames; the gaps' samples are the one before the first frame and the first.
    pub(in crate::edit) fn bend_start(&mut self, gaps: &[FootGap; 2], window: usize) {
        for (track, gap) in self.0.iter_mut().zip(gaps) {
            let end = (window + 1).min(track.ankle.len());
            let ends =
                |d: &[DVec3; 2]| Ends { before: d[0], start: d[1], end: DVec3::ZERO, after: DVec3::ZERO };
            bend(track, gap, 0..end, ends);
        }
    }
}

fn push(track: &mut FootTrack, model: &ModelPose, foot: &Foot) {
    let (ankle, rotation) = (model.positions[foot.ankle], model.rotations[foot.ankle]);
    if track.ankle.is_empty() {
        track.toe = rotation.inverse() * (foot.toe.position(model) - ankle);
    }
    track.ankle.push(ankle);
    track.rotation.push(rotation);
}

fn bend(track: &mut FootTrack, gap: &FootGap, frames: Range<usize>, ends: impl Fn(&[DVec3; 2]) -> Ends) {
    if frames.is_empty() {
        return;
    }
    let last = track.ankle.len() - 1;
    let at = |sample: usize| (frames.start + sample).saturating_sub(1).min(last);
    let speeds = |gap: &[DVec3; 2], step: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        let own: Vec<f64> = (0..frames.len() + 1).map(|k| step(at(k), at(k + 1))).collect();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        let own = own.iter().map(|v| v + EVEN * mean).collect();
        pushed(own, gap[0].length().max(gap[1].length()))
    };
    let glide = speeds(&gap.glide, &|a, b| (track.ankle[b] - track.ankle[a]).as_dvec3().length());
    let turn = speeds(&gap.turn, &|a, b| {
        let (p, q) = (track.rotation[a].as_dquat(), track.rotation[b].as_dquat());
        log64(p.normalize().inverse() * q.normalize()).length()
    });
    for (frame, d) in frames.clone().zip(spread(&glide, &ends(&gap.glide))) {
        track.ankle[frame] = (track.ankle[frame].as_dvec3() + d).as_vec3();
    }
    for (frame, d) in frames.zip(spread(&turn, &ends(&gap.turn))) {
        if d != DVec3::ZERO {
            let q = track.rotation[frame].as_dquat().normalize() * exp64(d);
            track.rotation[frame] = q.as_quat().normalize();
        }
    }
}
