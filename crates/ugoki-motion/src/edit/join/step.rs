//! How large a seam is: what changes from its last frame to its first, beside what changes from frame to frame anyhow.

use serde::Serialize;
use ugoki_base::clip::Clip;
use ugoki_base::math::{angle_between, quantile};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics};

use super::ground::moved_pose;
use crate::edit::GroundFrame;

/// The largest change of any joint between two frames that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct SeamStep {
    /// Way of a joint in the world, millimetres.
    pub position_mm: f64,
    /// Change of a joint's velocity against the steps before and after, millimetres per second.
    pub velocity_mm_s: f64,
    /// Turn of a joint against its parent, degrees.
    pub rotation_deg: f64,
}

/// Quantile of a source's own figures that is called ordinary.
pub(super) const ORDINARY: f64 = 0.99;

impl SeamStep {
    /// From four frames one after another; the step in question is that from the second to the third.
    fn of(poses: [&Pose; 4], models: [&ModelPose; 4], fps: f64) -> Self {
        let mut step = Self::default();
        for joint in 0..models[1].positions.len() {
            let [a, b, c, d] = models.map(|model| model.positions[joint].as_dvec3());
            step.position_mm = step.position_mm.max(1e3 * b.distance(c));
            let change = ((c - b) - (b - a)).length().max(((d - c) - (c - b)).length());
            step.velocity_mm_s = step.velocity_mm_s.max(1e3 * fps * change);
            let turn = angle_between(poses[1].rotations[joint], poses[2].rotations[joint]);
            step.rotation_deg = step.rotation_deg.max(f64::from(turn).to_degrees());
        }
        step
    }

    fn parts(&self) -> [f64; 3] {
        [self.position_mm, self.velocity_mm_s, self.rotation_deg]
    }

    fn from_parts([position_mm, velocity_mm_s, rotation_deg]: [f64; 3]) -> Self {
        Self { position_mm, velocity_mm_s, rotation_deg }
    }

    /// Every part `factor` times as large.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        Self::from_parts(self.parts().map(|part| factor * part))
    }

    /// The larger of both in each respect.
    pub(super) fn max(&self, other: &Self) -> Self {
        let (a, b) = (self.parts(), other.parts());
        Self::from_parts([0, 1, 2].map(|k| f64::max(a[k], b[k])))
    }

    /// How many times as large as `other` this is, in the respect in which it is largest; what is still has no ratio and counts as 0.
    #[must_use]
    pub fn over(&self, other: &Self) -> f64 {
        let ratio = |(a, b): (f64, f64)| if b > 0.0 { a / b } else { 0.0 };
        self.parts().into_iter().zip(other.parts()).map(ratio).fold(0.0, f64::max)
    }

    /// Whether no part of this is larger than that of `other`.
    #[must_use]
    pub fn within(&self, other: &Self) -> bool {
        self.parts().into_iter().zip(other.parts()).all(|(a, b)| a <= b)
    }
}

/// The step from frame `end − 1` of `a` to frame `start` of `b`, which `placement` puts in its place. Frames beyond
/// a clip's motion repeat its first or last.
pub(in crate::edit) fn seam_step(
    a: &Clip,
    end: usize,
    b: &Clip,
    start: usize,
    placement: &GroundFrame,
) -> SeamStep {
    let skeleton = a.skeleton();
    let last = |frame: usize| frame.min(b.num_frames() - 1);
    let poses = [
        a.pose((end.max(2) - 2).max(a.motion_frames().start)),
        a.pose(end - 1),
        moved_pose(skeleton, &b.pose(start), placement),
        moved_pose(skeleton, &b.pose(last(start + 1)), placement),
    ];
    let models = [0, 1, 2, 3].map(|k| forward_kinematics(skeleton, &poses[k]));
    SeamStep::of(poses.each_ref(), models.each_ref(), a.fps())
}

/// What changes between frames of a clip's motion: in each respect the step that 99 % of all steps stay under.
pub(in crate::edit) fn ordinary(clip: &Clip) -> SeamStep {
    let poses: Vec<(Pose, ModelPose)> =
        clip.motion_frames().map(|frame| (clip.pose(frame), clip.model_pose(frame))).collect();
    let steps = poses.windows(4).map(|four| {
        let at = [0, 1, 2, 3].map(|k| &four[k]);
        SeamStep::of(at.map(|at| &at.0), at.map(|at| &at.1), clip.fps()).parts()
    });
    let steps: Vec<[f64; 3]> = steps.collect();
    SeamStep::from_parts([0, 1, 2].map(|part| {
        quantile(&steps.iter().map(|step| step[part]).collect::<Vec<_>>(), ORDINARY).unwrap_or(0.0)
    }))
}
