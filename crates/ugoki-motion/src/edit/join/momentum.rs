//! Body-level figures of a seam, next to the 99th percentiles of the sources: acceleration of the hips, speed of the joints, slide of the
//! feet.

use std::ops::Range;

use glam::{DVec2, DVec3};
use serde::Serialize;
use ugoki_base::clip::Clip;
use ugoki_base::math::{angle_between, quantile};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_feet::contact::{Feet, find_feet};

use super::body_features::HALF_SPAN_S;
use super::step::ORDINARY;

/// Time on each side of a seam that belongs to it, seconds.
const SEAM_S: f64 = 0.5;
/// Acceleration of the hips that needs no comparison with the sources, m/s²: slightly less than gravity, a brisk start or stop.
const HIPS_M_S2: f64 = 8.0;
/// How many times the sources' own 99th percentile the hips may accelerate beyond that.
const HIPS_RATIO: f64 = 1.5;
/// How many times the sources' own 99th percentile joints may turn in other tries, and how fast they always may, degrees per second.
const JOINTS_RATIO: f64 = 2.0;
const JOINTS_DEG_S: f64 = 400.0;
/// A foot is flat while ankle and toe are within this of their lowest points, metres.
const FLAT_M: f64 = 0.025;
/// Time on each side within which a point's lowest height is searched, seconds.
const LOWEST_S: f64 = 0.6;
/// Shortest stance that counts, and what is left out at each of its ends (landing and roll-off), seconds.
const STANCE_S: [f64; 2] = [0.1, 0.04];
/// Directions in which the extent of a sliding foot is measured: 0.2 % low at most.
const DIRECTIONS: usize = 24;

/// The joints whose speed counts.
const MAJOR: [Role; 13] = [
    Role::Hips,
    Role::Chest,
    Role::Neck,
    Role::LeftUpperLeg,
    Role::RightUpperLeg,
    Role::LeftLowerLeg,
    Role::RightLowerLeg,
    Role::LeftFoot,
    Role::RightFoot,
    Role::LeftUpperArm,
    Role::RightUpperArm,
    Role::LeftLowerArm,
    Role::RightLowerArm,
];

/// Body-level figures within 0.5 s of a seam.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct SeamBody {
    /// Largest acceleration of the hips, m/s².
    pub hips_m_s2: f64,
    /// When that is, seconds.
    pub hips_at_s: f64,
    /// Largest slide of a flat foot over the ground, millimetres.
    pub slide_mm: f64,
    /// Height of the floor within 1.5 s after the seam minus that before it, millimetres; `None` where no foot stands.
    pub floor_step_mm: Option<f64>,
    /// Largest angular speed of a joint against its parent, degrees per second.
    pub joint_speed_deg_s: f64,
}

impl SeamBody {
    /// How many times the limit this is: of the hips' acceleration or of the joints' speed; more than 1 is implausible.
    pub(in crate::edit) fn ratio(&self, sources: &SourceBody) -> f64 {
        let joints = JOINTS_DEG_S.max(JOINTS_RATIO * sources.joint_speed_deg_s);
        (self.hips_m_s2 / sources.hips_limit_m_s2()).max(self.joint_speed_deg_s / joints)
    }
}

/// 99th percentiles of the sources, the largest of all sources.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct SourceBody {
    /// Acceleration of the hips, m/s².
    pub hips_m_s2: f64,
    /// Slide of a flat foot over the ground, millimetres.
    pub slide_mm: f64,
    /// Largest angular speed of a joint against its parent, degrees per second.
    pub joint_speed_deg_s: f64,
}

impl SourceBody {
    /// Of motions as they were captured.
    pub(in crate::edit) fn new(captured: &[&Clip]) -> Self {
        let p99 = |values: &[f64]| quantile(values, ORDINARY).unwrap_or(0.0);
        captured.iter().map(|clip| BodyTrace::new(clip)).fold(Self::default(), |own, trace| {
            let slides: Vec<f64> = trace.slides.iter().map(|slide| slide.1).collect();
            Self {
                hips_m_s2: own.hips_m_s2.max(p99(&trace.hips)),
                slide_mm: own.slide_mm.max(p99(&slides)),
                joint_speed_deg_s: own.joint_speed_deg_s.max(p99(&trace.speeds)),
            }
        })
    }

    /// Acceleration of the hips up to which a seam is plausible, m/s²: 8, or 1.5 times the sources' own 99th percentile if that is more.
    #[must_use]
    pub fn hips_limit_m_s2(&self) -> f64 {
        HIPS_M_S2.max(HIPS_RATIO * self.hips_m_s2)
    }
}

/// What a body does in every frame of a motion.
pub(in crate::edit) struct BodyTrace {
    fps: f64,
    /// Acceleration of the hips, m/s²; 0 at the ends.
    hips: Vec<f64>,
    /// Largest angular speed of a major joint up to the next frame, degrees per second.
    speeds: Vec<f64>,
    /// Stances of flat feet and how far they slide, millimetres.
    slides: Vec<(Range<usize>, f64)>,
}

impl BodyTrace {
    /// Of a clip's motion, counted from its first frame.
    pub(in crate::edit) fn new(clip: &Clip) -> Self {
        let skeleton = clip.skeleton();
        let fps = clip.fps();
        let feet = find_feet(skeleton).ok();
        let hips = skeleton.find(Role::Hips).unwrap_or(0);
        let joints = major(skeleton);
        let (mut pose, mut model) = (Pose::rest(skeleton), ModelPose::default());
        let mut before: Option<Pose> = None;
        let (mut path, mut speeds) = (Vec::new(), Vec::new());
        let mut points: [[Vec<DVec3>; 2]; 2] = Default::default();
        for frame in clip.motion_frames() {
            clip.pose_into(frame, &mut pose);
            forward_kinematics_into(skeleton, &pose, &mut model);
            path.push(model.positions[hips].as_dvec3());
            for (points, foot) in points.iter_mut().zip(feet.iter().flat_map(|feet: &Feet| &feet.feet)) {
                points[0].push(model.positions[foot.ankle].as_dvec3());
                points[1].push(foot.toe.position(&model).as_dvec3());
            }
            if let Some(before) = &before {
                let turn = |&joint: &usize| angle_between(before.rotations[joint], pose.rotations[joint]);
                let largest = joints.iter().map(turn).fold(0.0, f32::max);
                speeds.push(f64::from(largest).to_degrees() * fps);
            }
            before = Some(pose.clone());
        }
        let slides = points.iter().flat_map(|points| flat_slides(points, fps)).collect();
        Self { fps, hips: accelerations(&path, fps), speeds, slides }
    }

    /// The figures of a seam before frame `seam`; the floor's step is not known here.
    pub(in crate::edit) fn at(&self, seam: usize) -> SeamBody {
        let span = frames(SEAM_S, self.fps);
        self.within(seam.saturating_sub(span)..seam + span)
    }

    /// The same of a range of frames.
    pub(in crate::edit) fn within(&self, range: Range<usize>) -> SeamBody {
        let near = |len: usize| range.start.min(len)..range.end.min(len);
        let mut body = SeamBody::default();
        for frame in near(self.hips.len()) {
            if self.hips[frame] > body.hips_m_s2 {
                (body.hips_m_s2, body.hips_at_s) = (self.hips[frame], frame as f64 / self.fps);
            }
        }
        // The speed of a frame is that from the frame before to it.
        let steps = near(self.hips.len());
        let steps = steps.start.saturating_sub(1)..steps.end.saturating_sub(1).min(self.speeds.len());
        body.joint_speed_deg_s = self.speeds[steps].iter().copied().fold(0.0, f64::max);
        let window = near(self.hips.len());
        body.slide_mm = self
            .slides
            .iter()
            .filter(|(stance, _)| stance.start < window.end && window.start < stance.end)
            .map(|slide| slide.1)
            .fold(0.0, f64::max);
        body
    }
}

fn frames(seconds: f64, fps: f64) -> usize {
    ((seconds * fps).round() as usize).max(1)
}

fn major(skeleton: &Skeleton) -> Vec<usize> {
    let known: Vec<usize> = MAJOR.iter().filter_map(|&role| skeleton.find(role)).collect();
    if known.is_empty() { (0..skeleton.num_joints()).collect() } else { known }
}

/// Length of the second difference of a path, m/s²; 0 at the ends.
fn accelerations(path: &[DVec3], fps: f64) -> Vec<f64> {
    let step = frames(2.0 * HALF_SPAN_S, fps);
    let per_s2 = (fps / step as f64).powi(2);
    let at = |frame: usize| match (frame.checked_sub(step), path.get(frame + step)) {
        (Some(before), Some(after)) => (path[before] - 2.0 * path[frame] + *after).length() * per_s2,
        _ => 0.0,
    };
    (0..path.len()).map(at).collect()
}

/// Stances of one foot, ankle and toe, by height alone, and how far the toe moves over the ground in them, millimetres.
fn flat_slides(points: &[Vec<DVec3>; 2], fps: f64) -> Vec<(Range<usize>, f64)> {
    let count = points[0].len();
    let half = frames(LOWEST_S, fps);
    let lowest = |path: &[DVec3], frame: usize| {
        let near = &path[frame.saturating_sub(half)..(frame + half + 1).min(count)];
        near.iter().map(|p| p.y).fold(f64::INFINITY, f64::min)
    };
    let is_flat = |frame: usize| points.iter().all(|path| path[frame].y - lowest(path, frame) < FLAT_M);
    let [least, trim] = STANCE_S.map(|seconds| frames(seconds, fps));
    let mut stances = Vec::new();
    let mut start = None;
    for frame in 0..=count {
        match (start, frame < count && is_flat(frame)) {
            (None, true) => start = Some(frame),
            (Some(first), false) => {
                start = None;
                if frame - first >= least + 2 * trim {
                    let stance = first + trim..frame - trim;
                    stances.push((stance.clone(), 1e3 * extent(&points[1][stance])));
                }
            }
            _ => {}
        }
    }
    stances
}

/// Largest distance over the ground between any two places of a path, metres.
fn extent(path: &[DVec3]) -> f64 {
    let along = |direction: usize| {
        let axis = DVec2::from_angle(std::f64::consts::PI * direction as f64 / DIRECTIONS as f64);
        let places = path.iter().map(|p| axis.dot(DVec2::new(p.x, p.z)));
        let (low, high) =
            places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        high - low
    };
    (0..DIRECTIONS).map(along).fold(0.0, f64::max)
}
