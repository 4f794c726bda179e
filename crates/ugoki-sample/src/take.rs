//! A motion in the making: one posture, stage and pair of feet per frame, until it becomes poses.

use std::ops::Range;

use glam::DVec3;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::Side;

use super::body::{self, SHANK, THIGH, joint};
use super::feet::Foot;
use super::pose::{Stage, hip_centre, pelvis, pose};
use super::posture::Posture;

/// Frames per second of every sample motion.
pub const FPS: f64 = 60.0;

/// A part of a foot that stands on the ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The heel.
    Heel,
    /// Ball and toes.
    Toe,
}

/// One planned contact: while it lasts the part does not move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Which foot.
    pub side: Side,
    /// Which part of it.
    pub part: Part,
    /// First moment, seconds from the clip's start; at least 0.
    pub start_s: f64,
    /// Last moment, seconds; at most the clip's length.
    pub end_s: f64,
    /// Height of the ground under it, metres.
    pub ground: f64,
}

impl Contact {
    /// The frames of the clip that lie in the contact.
    #[must_use]
    pub fn frames(&self) -> Range<usize> {
        // A frame on the edge belongs to it; 1e-6 frames absorbs rounding.
        let start = (self.start_s * FPS - 1e-6).ceil().max(0.0) as usize;
        let end = (self.end_s * FPS + 1e-6).floor() as usize + 1;
        start..end.max(start)
    }
}

/// One frame of a motion in the making.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub posture: Posture,
    pub stage: Stage,
    pub feet: [Foot; 2],
}

/// Half the width of the window over which the pelvis gives way, frames: a fifth of a second.
const GIVE_FRAMES: usize = 12;
/// Moments before and after the frames kept: a swing and the window beyond it, so that clips that follow each other
/// give way alike.
pub(super) const MARGIN: usize = 60;

/// Poses of the moments, less `MARGIN` at both ends.
pub(super) fn poses(moments: &[Moment]) -> Vec<Pose> {
    let kept = MARGIN..moments.len().saturating_sub(MARGIN);
    moments[kept].iter().map(|m| pose(&m.posture, &m.stage, m.feet)).collect()
}

/// How far the pelvis must come down, over time, for its standing legs to reach.
///
/// A running maximum of what each frame needs, smoothed by a window as wide: smooth, and nowhere less than needed.
#[derive(Debug, Clone)]
pub(super) struct Lowering {
    highest: Vec<f64>,
}

impl Lowering {
    /// From what each frame needs, metres; the first frame is `MARGIN` before the clip.
    pub(super) fn new(needed: &[f64]) -> Self {
        let last = needed.len().saturating_sub(1);
        let window = |i: usize| i.saturating_sub(GIVE_FRAMES)..=(i + GIVE_FRAMES).min(last);
        let most = |i: usize| needed[window(i)].iter().copied().fold(0.0, f64::max);
        Self { highest: (0..needed.len()).map(most).collect() }
    }

    /// Metres at `time`, seconds from the clip's start.
    pub(super) fn at(&self, time: f64) -> f64 {
        if self.highest.is_empty() {
            return 0.0;
        }
        let frame = time * FPS + MARGIN as f64;
        let width = GIVE_FRAMES as f64;
        let last = self.highest.len() as f64 - 1.0;
        let from = (frame - width).ceil().clamp(0.0, last) as usize;
        let to = (frame + width).floor().clamp(0.0, last) as usize;
        let (mut sum, mut weights) = (0.0, 0.0);
        for (i, needed) in self.highest.iter().enumerate().take(to + 1).skip(from) {
            let weight = (1.0 + (std::f64::consts::PI * (i as f64 - frame) / width).cos()).powi(2);
            sum += weight * needed;
            weights += weight;
        }
        if weights > 0.0 { sum / weights } else { self.highest.get(from).copied().unwrap_or_default() }
    }
}

/// How far the pelvis of a moment is too high for these feet (left, right) and knees this straight, metres.
pub(super) fn too_high(
    posture: &Posture,
    stage: &Stage,
    feet: [Option<Foot>; 2],
    straightest_deg: f64,
) -> f64 {
    let reach = reach(straightest_deg);
    let placed = pelvis(posture, stage);
    let mut needed = 0.0_f64;
    for ((side, foot), leg) in [Side::Left, Side::Right].into_iter().zip(feet).zip(&posture.legs) {
        let Some(foot) = foot else { continue };
        let (hip, ankle) = (hip_centre(placed, side), foot.ankle);
        let flat = DVec3::new(hip.x - ankle.x, 0.0, hip.z - ankle.z).length_squared();
        let highest = ankle.y + (reach * reach - flat).max(0.0).sqrt();
        needed = needed.max((hip.y - highest) * (1.0 - leg.free));
    }
    needed
}

/// Distance from hip to ankle at which the knee is flexed by `knee_deg`: cosine rule.
fn reach(knee_deg: f64) -> f64 {
    (THIGH * THIGH + SHANK * SHANK + 2.0 * THIGH * SHANK * knee_deg.to_radians().cos()).sqrt()
}

/// Heel, ball and toe tip of one foot in a model pose, metres.
#[must_use]
pub fn sole_points(model: &ugoki_base::pose::ModelPose, side: Side) -> [glam::Vec3; 3] {
    let leg = joint::LEG[usize::from(side == Side::Right)];
    [
        model.point(leg + 2, body::heel_point()),
        model.point(leg + 2, body::ball_point()),
        model.point(leg + 3, body::toe_tip()),
    ]
}
