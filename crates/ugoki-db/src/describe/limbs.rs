//! Which limbs move, seen from the trunk.

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::quantile;
use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::{Role, Skeleton};

/// How fast each limb gets: the 95th percentile, so that a short gesture counts and a glitch of a few frames does not.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Limbs {
    /// Hands about the chest, left and right, m/s.
    pub(super) arms_m_s: [f64; 2],
    /// Feet about the hips, left and right, m/s.
    pub(super) legs_m_s: [f64; 2],
    /// Chest against hips, rad/s.
    pub(super) torso_rad_s: f64,
    /// Head against chest, rad/s.
    pub(super) head_rad_s: f64,
}

/// The percentile that counts.
const QUANTILE: f64 = 0.95;
/// Speeds are taken over this time, seconds: noise of single frames stays out.
const BASE_S: f64 = 0.1;

impl Limbs {
    pub(super) fn measure(clip: &Clip, poses: &[ModelPose]) -> Self {
        let skeleton = clip.skeleton();
        let span = ((BASE_S * clip.fps()).round() as usize).max(1);
        let seconds = span as f64 / clip.fps();
        let find = |roles: &[Role]| roles.iter().find_map(|&role| skeleton.find(role));
        let chest = find(&[Role::UpperChest, Role::Chest, Role::Spine]);
        let hips = find(&[Role::Hips]);
        let point = |end: Role, base: Option<usize>| -> f64 {
            let (Some(end), Some(base)) = (skeleton.find(end), base) else { return 0.0 };
            let places: Vec<Vec3> = poses.iter().map(|pose| seen_from(pose, end, base)).collect();
            percentile(&places, span, |a, b| f64::from(a.distance(*b)) / seconds)
        };
        let turn = |end: Option<usize>, base: Option<usize>| -> f64 {
            let (Some(end), Some(base)) = (end, base) else { return 0.0 };
            let turns: Vec<Quat> =
                poses.iter().map(|pose| pose.rotations[base].inverse() * pose.rotations[end]).collect();
            percentile(&turns, span, |a, b| f64::from(ugoki_base::math::angle_between(*a, *b)) / seconds)
        };
        Self {
            arms_m_s: [point(Role::LeftHand, chest), point(Role::RightHand, chest)],
            legs_m_s: [point(Role::LeftFoot, hips), point(Role::RightFoot, hips)],
            torso_rad_s: turn(chest, hips),
            head_rad_s: turn(head(skeleton), chest),
        }
    }
}

fn head(skeleton: &Skeleton) -> Option<usize> {
    skeleton.find(Role::Head)
}

fn seen_from(pose: &ModelPose, end: usize, base: usize) -> Vec3 {
    pose.rotations[base].inverse() * (pose.positions[end] - pose.positions[base])
}

fn percentile<T>(values: &[T], span: usize, speed: impl Fn(&T, &T) -> f64) -> f64 {
    let speeds: Vec<f64> = values.iter().zip(values.iter().skip(span)).map(|(a, b)| speed(a, b)).collect();
    quantile(&speeds, QUANTILE).unwrap_or(0.0)
}
