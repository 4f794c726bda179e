//! Where a body stands and faces, and moving whole clips over the ground.

use std::ops::Range;

use glam::{DVec3, Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::ground::{GroundFrame, heading, wrap_angle};
use ugoki_base::math::median;
use ugoki_base::pose::{ModelPose, Pose};
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_feet::contact::{Contacts, Feet, find_feet};

/// Places this near are one place at which the foot stays; farther ones need a step between them, metres for a leg of 0.85 m.
pub(super) const ONE_PLACE_M: f64 = 0.12;

/// Stances within this time of a frame show the floor there, seconds: two or three steps of a walk.
const FLOOR_SPAN_S: f64 = 1.5;
/// A stance that differs more than this from those around it is on another step of stairs and not badly captured, metres for a leg of
/// 0.85 m; half the rise of ordinary stairs.
pub(in crate::edit) const STAIR_M: f64 = 0.06;
/// A floor that differs less than this from the clip's median floor is the same floor, metres for a leg of 0.85 m: two such clips
/// differ by at most 2 cm at a seam, and nothing adds up over many clips.
const LEVEL_M: f64 = 0.01;

/// `pose` in another place.
pub(in crate::edit) fn moved_pose(skeleton: &Skeleton, pose: &Pose, placement: &GroundFrame) -> Pose {
    let mut out = pose.clone();
    out.root = placement.point(pose.root);
    for joint in roots(skeleton) {
        out.rotations[joint] = placement.rotation(pose.rotations[joint]).normalize();
    }
    out
}

fn roots(skeleton: &Skeleton) -> impl Iterator<Item = usize> + '_ {
    (0..skeleton.num_joints()).filter(|&joint| skeleton.parent(joint).is_none())
}

/// Heading of a body, or 0 where it has none.
pub(super) fn facing(skeleton: &Skeleton, model: &ModelPose) -> f64 {
    heading(skeleton, &model.positions).unwrap_or(0.0)
}

/// What stands where in one clip: for aligning another with it.
#[derive(Clone)]
pub(in crate::edit) struct Footholds {
    hips: usize,
    feet: Option<Feet>,
    stances: Vec<FootStance>,
    /// Height of the ground under every frame where it is known from elsewhere, metres.
    known: Vec<f32>,
    scale: f64,
}

/// A foot that stands.
#[derive(Clone)]
struct FootStance {
    side: usize,
    frames: Range<usize>,
    /// Median height of the toe point while the toe stands, metres: a label that is a frame longer or shorter hardly changes it. `None` on the
    /// heel alone.
    toe_m: Option<f64>,
}

impl Footholds {
    /// Of a clip whose contacts are known, or that has none.
    pub(in crate::edit) fn of(clip: &Clip, contacts: Option<&Contacts>) -> Self {
        let skeleton = clip.skeleton();
        let feet = find_feet(skeleton).ok();
        let mut stances = Vec::new();
        if let (Some(feet), Some(contacts)) = (&feet, contacts) {
            for (side, foot) in contacts.feet.iter().enumerate() {
                let height = |frame| f64::from(feet.feet[side].toe.position(&clip.model_pose(frame)).y);
                for frames in foot.any() {
                    let toe = foot.toe.iter().filter(|toe| frames.contains(&toe.start)).cloned().flatten();
                    let toe_m = median(&toe.map(height).collect::<Vec<_>>());
                    stances.push(FootStance { side, frames, toe_m });
                }
            }
        }
        let scale = feet.as_ref().map_or(1.0, Feet::scale);
        Self { hips: skeleton.find(Role::Hips).unwrap_or(0), feet, stances, known: Vec::new(), scale }
    }

    /// The same on ground whose height under every frame is known, metres.
    pub(super) fn on(self, ground_m: &[f32]) -> Self {
        Self { known: ground_m.to_vec(), ..self }
    }

    /// Body size against a leg of 0.85 m; 1 without legs.
    pub(in crate::edit) fn scale(&self) -> f64 {
        self.scale
    }

    /// Whether a foot's label is set in a frame.
    pub(super) fn touches(&self, side: usize, frame: usize) -> bool {
        self.stance_frames(side, frame) > 0
    }

    /// How many frames the stance of a foot lasts that a frame belongs to; 0 when it does not stand.
    fn stance_frames(&self, side: usize, frame: usize) -> usize {
        let is_here = |stance: &&FootStance| stance.side == side && stance.frames.contains(&frame);
        self.stances.iter().find(is_here).map_or(0, |stance| stance.frames.len())
    }

    /// Height of the ground under a frame: as it is known, else that of the stances nearest in time; `None` when no toe ever stands.
    pub(in crate::edit) fn ground(&self, frame: usize) -> Option<f64> {
        if let Some(&height) = self.known.get(frame) {
            return Some(f64::from(height));
        }
        let away = |frames: &Range<usize>| {
            if frame < frames.start { frames.start - frame } else { (frame + 1).saturating_sub(frames.end) }
        };
        let toes = || self.stances.iter().filter_map(|stance| Some((away(&stance.frames), stance.toe_m?)));
        let nearest = toes().map(|toe| toe.0).min()?;
        let heights: Vec<f64> = toes().filter(|toe| toe.0 == nearest).map(|toe| toe.1).collect();
        Some(heights.iter().sum::<f64>() / heights.len() as f64)
    }

    /// Height of the floor at a frame: the clip's median floor where the stances near the frame agree with it, else their median (a
    /// slope), else the nearest stance (stairs). `None` when nothing ever stands.
    pub(super) fn floor(&self, frame: usize, fps: f64) -> Option<f64> {
        let nearest = self.ground(frame)?;
        if !self.known.is_empty() {
            return Some(nearest);
        }
        let span = FLOOR_SPAN_S * fps;
        let local = self.median_height(|middle| (middle - frame as f64).abs() <= span).unwrap_or(nearest);
        if (local - nearest).abs() > STAIR_M * self.scale {
            return Some(nearest);
        }
        let whole = self.median_height(|_| true).unwrap_or(local);
        Some(if (local - whole).abs() <= LEVEL_M * self.scale { whole } else { local })
    }

    /// Difference between the floors within [`FLOOR_SPAN_S`] before and after a frame, metres; only stances between `frames` count.
    pub(super) fn floor_step(&self, at: usize, frames: &Range<usize>, fps: f64) -> Option<f64> {
        let (at, span) = (at as f64, FLOOR_SPAN_S * fps);
        let (first, last) = ((at - span).max(frames.start as f64), (at + span).min(frames.end as f64));
        let before = self.median_height(|middle| (first..at).contains(&middle))?;
        let after = self.median_height(|middle| (at..last).contains(&middle))?;
        Some(after - before)
    }

    /// Median height of the stances whose middle frame is one of those.
    fn median_height(&self, is_near: impl Fn(f64) -> bool) -> Option<f64> {
        let middle = |frames: &Range<usize>| 0.5 * (frames.start + frames.end) as f64;
        let near = self.stances.iter().filter(|stance| is_near(middle(&stance.frames)));
        median(&near.filter_map(|stance| stance.toe_m).collect::<Vec<_>>())
    }

    /// The move over the ground, turned by `yaw`, that brings body `b` (samples −1 and 0 of a seam, of the clip of `other`)
    /// onto body `a` (samples n and n+1): the feet that stand in both on each other, or else, or `by_hips`, the hips. Heights stay.
    ///
    /// `frames` are those of samples n and 0 in their clips.
    pub(in crate::edit) fn meeting(
        &self,
        other: &Self,
        yaw: f32,
        a: &[ModelPose; 2],
        b: &[ModelPose; 2],
        frames: [usize; 2],
        by_hips: bool,
    ) -> GroundFrame {
        let mean = |points: &dyn Fn(&ModelPose) -> Vec3, poses: &[ModelPose; 2]| {
            0.5 * (points(&poses[0]) + points(&poses[1]))
        };
        let stands = |side: usize| self.touches(side, frames[0]) && other.touches(side, frames[1]);
        let mut planted: Vec<usize> = (0..2).filter(|&side| !by_hips && stands(side)).collect();
        let foot = |poses: &[ModelPose; 2], side: usize| {
            let feet = self.feet.as_ref().map(|feet| &feet.feet[side]);
            mean(
                &|pose| feet.map_or(Vec3::ZERO, |f| 0.5 * (pose.positions[f.ankle] + f.toe.position(pose))),
                poses,
            )
        };
        if planted.len() == 2 {
            // Stances too different to be one: the foot that stands longer stays, and only the other has to step.
            let spread = |poses: &[ModelPose; 2]| foot(poses, 1) - foot(poses, 0);
            let apart = 0.5 * (spread(a) - Quat::from_rotation_y(yaw) * spread(b)).with_y(0.0).length();
            if f64::from(apart) > ONE_PLACE_M * self.scale {
                let stands =
                    |side: usize| self.stance_frames(side, frames[0]) + other.stance_frames(side, frames[1]);
                planted = vec![usize::from(stands(1) > stands(0))];
            }
        }
        let anchor = |poses: &[ModelPose; 2]| {
            if planted.is_empty() {
                return mean(&|pose| pose.positions[self.hips], poses);
            }
            planted.iter().map(|&side| foot(poses, side)).sum::<Vec3>() / planted.len() as f32
        };
        let (to, from) = (anchor(a), anchor(b));
        let mut placement = GroundFrame::carrying(from, to, yaw);
        placement.shift.y = 0.0;
        placement
    }
}

/// The turn that makes body `b` face as body `a` does, two samples each, radians.
pub(in crate::edit) fn turn_between(skeleton: &Skeleton, a: &[ModelPose; 2], b: &[ModelPose; 2]) -> f32 {
    let turn = |k: usize| wrap_angle(facing(skeleton, &a[k]) - facing(skeleton, &b[k]));
    let first = turn(0);
    wrap_angle(first + 0.5 * wrap_angle(turn(1) - first)) as f32
}

/// Where the hips are, metres.
pub(super) fn hips_at(skeleton: &Skeleton, model: &ModelPose) -> DVec3 {
    model.positions[skeleton.find(Role::Hips).unwrap_or(0)].as_dvec3()
}
