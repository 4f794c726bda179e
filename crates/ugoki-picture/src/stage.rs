//! The stage: what is measured once of a clip before anything is drawn.
//!
//! The drawing works in body heights above the ground, so that ants, people and cranes are one case.

use std::ops::Range;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::ground::heading;
use ugoki_base::mannequin::Figure;
use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::{Role, Skeleton};

use super::config::{PictureConfig, PictureError};
use super::platform::{Platform, platforms};

/// Thigh and shin as a fraction of stature (Drillis & Contini: 0.245 and 0.246).
const LEG_FRACTION: f32 = 0.491;

/// A clip ready to be drawn.
pub(super) struct Stage<'a> {
    pub(super) clip: &'a Clip,
    pub(super) config: &'a PictureConfig,
    /// Metres in one unit of the drawing.
    pub(super) size: f32,
    /// The point that becomes the drawing's origin, metres; on the ground.
    origin: Vec3,
    /// Where the character faces in the first frame of the motion: unit, in the ground plane.
    pub(super) facing: Vec3,
    /// Frames of the motion.
    pub(super) motion: Range<usize>,
    /// Path of the hips over the ground, one point per frame of the clip, in units.
    pub(super) path: Vec<Vec3>,
    /// Ground that is higher than the floor.
    pub(super) platforms: Vec<Platform>,
    pub(super) figure: Figure,
    /// The body of the motion that was wanted: its skeleton may be another, or the same with joints in another order.
    pub(super) wanted: Option<Figure>,
}

impl<'a> Stage<'a> {
    /// Measures the clip.
    pub(super) fn build(clip: &'a Clip, config: &'a PictureConfig) -> Result<Self, PictureError> {
        if config.frames == Some(0) {
            return Err(PictureError::NoPoses);
        }
        let motion = match clip.motion_frames() {
            // A clip of nothing but an added T-pose still has that to show.
            motion if motion.is_empty() => 0..clip.num_frames(),
            motion => motion,
        };
        if motion.is_empty() {
            return Err(PictureError::NoFrames { name: clip.name.clone() });
        }
        let skeleton = clip.skeleton();
        let hips = skeleton.find(Role::Hips).unwrap_or(0);
        let hips_path = clip.joint_path(hips);
        let Some(first) = motion.clone().find(|&f| hips_path[f].is_finite()) else {
            return Err(PictureError::NotFinite { name: clip.name.clone() });
        };
        let pose = clip.model_pose(first);
        let size = body_size(skeleton, &pose);
        let floor = if config.floor.is_finite() { config.floor } else { 0.0 };
        let origin = Vec3::new(hips_path[first].x, floor, hips_path[first].z);
        let mut stage = Self {
            clip,
            config,
            size,
            origin,
            facing: facing(skeleton, &pose),
            motion,
            path: Vec::new(),
            platforms: Vec::new(),
            figure: Figure::build(skeleton, size),
            wanted: config.target().map(|target| Figure::build(target.skeleton(), size)),
        };
        let mut last = Vec3::ZERO;
        for p in hips_path {
            let unit = stage.unit(Vec3::new(p.x, floor, p.z));
            // Frames without a place stay where the body was last.
            last = if unit.is_finite() { unit } else { last };
            stage.path.push(last);
        }
        stage.platforms = platforms(&config.marks, stage.facing, size, floor, |p| stage.unit(p));
        Ok(stage)
    }

    /// A world point in body heights, the ground at height 0.
    pub(super) fn unit(&self, p: Vec3) -> Vec3 {
        // Divide first: the difference of two far points may not be finite.
        p / self.size - self.origin / self.size
    }

    /// `count` frames spread evenly over the motion, first and last included; fewer when there are fewer.
    pub(super) fn spread(&self, count: usize) -> Vec<usize> {
        let count = count.clamp(1, self.motion.len());
        let last = self.motion.len() - 1;
        let place = |i: usize| if count == 1 { last / 2 } else { (i * last + (count - 1) / 2) / (count - 1) };
        (0..count).map(|i| self.motion.start + place(i)).collect()
    }

    /// Seconds from the first row of the clip.
    pub(super) fn time(&self, frame: usize) -> f64 {
        frame as f64 / self.clip.fps()
    }

    /// The title, or the clip's name.
    pub(super) fn title(&self) -> &str {
        match &self.config.title {
            Some(title) => title,
            None if self.clip.name.is_empty() => "motion",
            None => &self.clip.name,
        }
    }

    /// The two ends of the path, as far apart as they get: how far the motion travels, in units.
    pub(super) fn travel(&self) -> f32 {
        let path = &self.path[self.motion.clone()];
        let start = path[0];
        path.iter().map(|p| (*p - start).length()).fold(0.0, f32::max)
    }

    /// Distance between the lines of the ground's grid in metres: 1, 2 or 5 of a power of ten, about 0.12 bodies.
    pub(super) fn grid_metres(&self) -> f64 {
        let wanted = 0.12 * f64::from(self.size);
        let power = 10_f64.powf(wanted.log10().floor());
        let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= wanted * 0.9).unwrap_or(10.0);
        factor * power
    }

    /// The grid's lines lie at multiples of its distance in the world; this is the origin's place among them.
    pub(super) fn grid_phase(&self) -> [f64; 2] {
        let step = self.grid_metres();
        [self.origin.x, self.origin.z].map(|v| (f64::from(v) / step).rem_euclid(1.0))
    }
}

/// Stature of a human from the legs; the largest side of the bounding box of anything else. Metres.
fn body_size(skeleton: &Skeleton, pose: &ModelPose) -> f32 {
    let leg = |upper: Role, lower: Role, foot: Role| {
        let (u, l, f) = (skeleton.find(upper)?, skeleton.find(lower)?, skeleton.find(foot)?);
        Some(
            (pose.positions[u] - pose.positions[l]).length()
                + (pose.positions[l] - pose.positions[f]).length(),
        )
    };
    let legs = leg(Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot)
        .or_else(|| leg(Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot))
        .map(|length| length / LEG_FRACTION);
    let tips = skeleton.joints().iter().enumerate().flat_map(|(j, joint)| {
        joint.tips.iter().map(move |&tip| pose.point(j, tip)).filter(|p| p.is_finite())
    });
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for p in pose.positions.iter().copied().filter(|p| p.is_finite()).chain(tips) {
        low = low.min(p);
        high = high.max(p);
    }
    let spread = (high - low).max_element();
    // Legs much shorter than the body are not a human's: a rig's helper joints, a table with feet.
    let usable = |s: &f32| s.is_finite() && *s > 1e-12;
    legs.filter(usable).filter(|s| *s > 0.3 * spread).or(Some(spread).filter(usable)).unwrap_or(1.0)
}

/// Where the body faces over the ground, else its first joint's Z axis.
fn facing(skeleton: &Skeleton, pose: &ModelPose) -> Vec3 {
    let turned = || {
        let z = pose.rotations[0] * Vec3::Z;
        Vec3::new(z.x, 0.0, z.z).try_normalize()
    };
    let heading = heading(skeleton, &pose.positions).map(|yaw| Quat::from_rotation_y(yaw as f32) * Vec3::Z);
    heading.or_else(turned).unwrap_or(Vec3::Z)
}
