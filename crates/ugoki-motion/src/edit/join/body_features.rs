//! Every frame of a clip as seen from its own body: where its points are, how they move, and which feet stand.

use std::ops::Range;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};

use super::ground::{Footholds, facing, hips_at};
use super::sample;

/// The joints that tell a pose; hands and feet count by being two or three joints each.
const FEATURE_ROLES: [Role; 16] = [
    Role::Hips,
    Role::Chest,
    Role::Head,
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::RightHand,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::LeftToes,
    Role::RightLowerLeg,
    Role::RightFoot,
    Role::RightToes,
    Role::Spine,
];
/// With fewer known joints than this all joints tell.
const ENOUGH: usize = 6;
/// Time that turns a difference in velocity into one of place, seconds: about half a window over which it is mended.
const VELOCITY_S: f64 = 0.1;
/// What a foot that stands in one frame and swings in the other costs, metres.
const FOOT_M: f64 = 0.02;
/// What a metre per second of the fastest point costs against a better meeting, metres: of seams that are equally good the
/// one where the body moves slowly shows least.
pub(in crate::edit) const SPEED_COST_S: f64 = 0.004;
/// Half the span over which velocities are read and a span of accelerations, seconds: one frame at 60 per second, the same for every rate.
pub(super) const HALF_SPAN_S: f64 = 1.0 / 60.0;

/// Poses of some frames in the axes of their bodies.
pub(in crate::edit) struct BodyFeatures {
    points: usize,
    first: usize,
    positions: Vec<Vec3>,
    /// Metres per second.
    velocities: Vec<Vec3>,
    stands: Vec<[bool; 2]>,
}

impl BodyFeatures {
    /// Of `frames` of a clip, which may go one beyond its motion; velocities may use frames of the motion beyond them.
    pub(in crate::edit) fn of(clip: &Clip, stands: &Footholds, frames: Range<usize>) -> Self {
        let skeleton = clip.skeleton();
        let joints = feature_joints(skeleton);
        let motion = clip.motion_frames();
        let half = ((HALF_SPAN_S * clip.fps()).round() as usize).max(1);
        let from = frames.start.saturating_sub(half).max(motion.start);
        let to = (frames.end + half).min(motion.end).max(frames.end);
        let mut model = ModelPose::default();
        let mut seen = Vec::with_capacity(to - from);
        for frame in from..to {
            forward_kinematics_into(skeleton, &sample(clip, frame as isize), &mut model);
            let points: Vec<Vec3> = joints.iter().map(|&joint| model.positions[joint]).collect();
            let origin =
                hips_at(skeleton, &model).as_vec3().with_y(stands.ground(frame).unwrap_or(0.0) as f32);
            seen.push((points, origin, Quat::from_rotation_y(-facing(skeleton, &model) as f32)));
        }
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        for frame in frames.clone() {
            let at = frame - from;
            let (low, high) = (at.saturating_sub(half), (at + half).min(seen.len() - 1));
            let rate = clip.fps() as f32 / (high - low).max(1) as f32;
            let (points, origin, own) = &seen[at];
            positions.extend(points.iter().map(|p| *own * (*p - *origin)));
            velocities.extend(seen[high].0.iter().zip(&seen[low].0).map(|(p, q)| *own * (*p - *q) * rate));
        }
        let inside = |frame: usize| frame.min(motion.end - 1);
        let stands =
            frames.clone().map(|frame| [0, 1].map(|side| stands.touches(side, inside(frame)))).collect();
        Self { points: joints.len(), first: frames.start, positions, velocities, stands }
    }

    /// How badly `frame` here and frame `of_other` there would join, metres: root mean square distance of the points, and of
    /// their velocities over a tenth of a second, and a cost for feet that stand in only one.
    pub(in crate::edit) fn gap(&self, frame: usize, other: &Self, of_other: usize) -> f64 {
        let (i, j) = (frame - self.first, of_other - other.first);
        let (a, b) = (i * self.points, j * self.points);
        let distance = |p: &[Vec3], q: &[Vec3]| {
            let sum: f32 = p.iter().zip(q).map(|(p, q)| p.distance_squared(*q)).sum();
            (f64::from(sum) / self.points as f64).sqrt()
        };
        let place = distance(&self.positions[a..a + self.points], &other.positions[b..b + self.points]);
        let speed = distance(self.velocities_at(frame), other.velocities_at(of_other));
        let feet = (0..2).filter(|&side| self.stands[i][side] != other.stands[j][side]).count();
        place + VELOCITY_S * speed + FOOT_M * feet as f64
    }

    /// The frames that are known.
    pub(super) fn frames(&self) -> Range<usize> {
        self.first..self.first + self.stands.len()
    }

    /// The same of a body `by` times as large.
    pub(super) fn scaled(mut self, by: f64) -> Self {
        self.positions.iter_mut().chain(&mut self.velocities).for_each(|v| *v *= by as f32);
        self
    }

    /// Difference between the velocities of the hips, metres per second.
    pub(in crate::edit) fn hips_gap(&self, frame: usize, other: &Self, of_other: usize) -> f64 {
        f64::from(self.velocities_at(frame)[0].distance(other.velocities_at(of_other)[0]))
    }

    /// Root mean square speed of the points, metres per second.
    pub(in crate::edit) fn pace(&self, frame: usize) -> f64 {
        let sum: f32 = self.velocities_at(frame).iter().map(|v| v.length_squared()).sum();
        (f64::from(sum) / self.points as f64).sqrt()
    }

    /// How fast the fastest point moves, metres per second.
    pub(in crate::edit) fn fastest(&self, frame: usize) -> f64 {
        let squares = self.velocities_at(frame).iter().map(|v| v.length_squared());
        f64::from(squares.fold(0.0, f32::max).sqrt())
    }

    fn velocities_at(&self, frame: usize) -> &[Vec3] {
        &self.velocities[(frame - self.first) * self.points..][..self.points]
    }
}

/// The parts of the body that tell a pose and that a skeleton has.
pub(super) fn feature_roles(skeleton: &Skeleton) -> Vec<Role> {
    FEATURE_ROLES.into_iter().filter(|&role| skeleton.find(role).is_some()).collect()
}

fn feature_joints(skeleton: &Skeleton) -> Vec<usize> {
    let known: Vec<usize> = FEATURE_ROLES.iter().filter_map(|&role| skeleton.find(role)).collect();
    if known.len() >= ENOUGH { known } else { (0..skeleton.num_joints()).collect() }
}
