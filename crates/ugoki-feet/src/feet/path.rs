//! Paths of a foot's points through a clip.

use std::ops::Range;

use glam::{DQuat, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::median;
use ugoki_base::pose::ModelPose;

use super::glitch::glitches;
use crate::contact::{Feet, Foot, SPEED_HALF_S};

/// One foot of a clip in the world, frame by frame.
#[derive(Debug, Clone, Default)]
pub struct FootPath {
    /// The ankle, which stands for the heel, metres.
    pub ankle: Vec<DVec3>,
    /// The toe point, metres.
    pub toe: Vec<DVec3>,
    /// The joint of the hip.
    pub hip: Vec<DVec3>,
    /// The knee.
    pub knee: Vec<DVec3>,
    /// Rotation of the ankle joint in the world.
    pub rotation: Vec<DQuat>,
    /// Frames in which the foot jumps away and back.
    pub glitch: Vec<bool>,
}

impl FootPath {
    /// A foot in every pose.
    #[must_use]
    pub fn build(poses: &[ModelPose], foot: &Foot, fps: f64, scale: f64) -> Self {
        let joint = |joint: usize| poses.iter().map(|pose| pose.positions[joint].as_dvec3()).collect();
        let [hip, knee, ankle]: [Vec<DVec3>; 3] = [foot.upper, foot.lower, foot.ankle].map(joint);
        let toe: Vec<DVec3> = poses.iter().map(|pose| foot.toe.position(pose).as_dvec3()).collect();
        let rotation = poses.iter().map(|pose| pose.rotations[foot.ankle].as_dquat().normalize()).collect();
        let mut glitch = glitches(&ankle, fps, scale);
        for (glitch, toe) in glitch.iter_mut().zip(glitches(&toe, fps, scale)) {
            *glitch |= toe;
        }
        Self { ankle, toe, hip, knee, rotation, glitch }
    }

    /// Both feet of a clip.
    #[must_use]
    pub fn both(clip: &Clip, feet: &Feet) -> [Self; 2] {
        let poses = clip.model_poses();
        feet.feet.each_ref().map(|foot| Self::build(&poses, foot, clip.fps(), feet.scale()))
    }

    /// Heel (judged by the ankle) or toe.
    #[must_use]
    pub fn point(&self, heel: bool) -> &[DVec3] {
        if heel { &self.ankle } else { &self.toe }
    }

    /// Velocity of heel or toe at a frame, m/s.
    #[must_use]
    pub fn velocity(&self, heel: bool, frame: usize, fps: f64) -> DVec3 {
        velocity(self.point(heel), frame, fps)
    }

    /// How many frames it has.
    #[must_use]
    pub fn num_frames(&self) -> usize {
        self.ankle.len()
    }

    /// The same foot with the frames before `start`, an added T-pose, as that one: they are no neighbours of the motion.
    #[must_use]
    pub fn starting_at(mut self, start: usize) -> Self {
        if let Some(first) = self.ankle.get(start).copied() {
            self.ankle[..start].fill(first);
            let (toe, rotation) = (self.toe[start], self.rotation[start]);
            self.toe[..start].fill(toe);
            self.rotation[..start].fill(rotation);
            self.glitch[..start].fill(false);
        }
        self
    }

    /// Moves the foot frame by frame.
    pub fn shift(&mut self, shift: &[DVec3]) {
        for path in [&mut self.ankle, &mut self.toe, &mut self.hip, &mut self.knee] {
            path.iter_mut().zip(shift).for_each(|(point, shift)| *point += *shift);
        }
    }
}

/// Velocity of a point at a frame, m/s.
pub(super) fn velocity(points: &[DVec3], frame: usize, fps: f64) -> DVec3 {
    let half = ((SPEED_HALF_S * fps).round() as usize).max(1);
    let (from, to) = (frame.saturating_sub(half), (frame + half).min(points.len() - 1));
    (points[to] - points[from]) * (fps / (to - from).max(1) as f64)
}

/// Median height of a path over a range, metres.
pub(super) fn median_height(path: &[DVec3], range: &Range<usize>) -> f64 {
    let heights: Vec<f64> = path[range.clone()].iter().map(|p| p.y).collect();
    median(&heights).unwrap_or(0.0)
}
