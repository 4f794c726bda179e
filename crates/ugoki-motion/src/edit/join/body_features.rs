//! Every frame of a clip as seen from its own body: where its points are, how they move, and which feet stand.

use std::ops::Range;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};

use super::ground::{Stands, about_vertical, facing, hips_at};

/// The joints that tell a pose; hands and feet count by being two or three joints each.
const TELLING: [Role; 16] = [
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
/// Half the span over which velocities are read, seconds: one frame at 60 per second.
const HALF_SPAN_S: f64 = 1.0 / 60.0;

/// Poses of some frames in the axes of their bodies.
pub(in crate::edit) struct Looks {
    points: usize,
    first: usize,
    positions: Vec<Vec3>,
    /// Metres per second.
    velocities: Vec<Vec3>,
    stands: Vec<[bool; 2]>,
}

impl Looks {
    /// Of `frames` of a clip; velocities may use frames of the motion beyond them.
    pub(in crate::edit) fn of(clip: &Clip, stands: &Stands, frames: Range<usize>) -> Self {
        let skeleton = clip.skeleton();
        let joints = telling(skeleton);
        let motion = clip.motion_frames();
        let half = ((HALF_SPAN_S * clip.fps()).round() as usize).max(1);
        let from = frames.start.saturating_sub(half).max(motion.start);
        let to = (frames.end + half).min(motion.end);
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        let mut model = ModelPose::default();
        let mut world = Vec::with_capacity((to - from) * joints.len());
        let mut places = Vec::with_capacity(to - from);
        for frame in from..to {
            clip.pose_into(frame, &mut pose);
            forward_kinematics_into(skeleton, &pose, &mut model);
            world.extend(joints.iter().map(|&joint| model.positions[joint]));
            let hips = hips_at(skeleton, &model);
            let ground = stands.ground(frame).unwrap_or(0.0);
            places.push((hips.with_y(ground).as_vec3(), facing(skeleton, &model)));
        }
        let count = joints.len();
        let mut positions = Vec::with_capacity(frames.len() * count);
        let mut velocities = Vec::with_capacity(frames.len() * count);
        for frame in frames.clone() {
            let at = frame - from;
            let (low, high) = (at.saturating_sub(half), (at + half).min(places.len() - 1));
            let seconds = (high - low).max(1) as f32 / clip.fps() as f32;
            let (origin, yaw) = places[at];
            let own = about_vertical(-yaw);
            for point in 0..count {
                positions.push(own * (world[at * count + point] - origin));
                velocities.push(own * (world[high * count + point] - world[low * count + point]) / seconds);
            }
        }
        let stands = frames.clone().map(|frame| [0, 1].map(|side| stands.touches(side, frame))).collect();
        Self { points: count, first: frames.start, positions, velocities, stands }
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
        let speed = distance(&self.velocities[a..a + self.points], &other.velocities[b..b + self.points]);
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
        let (a, b) = ((frame - self.first) * self.points, (of_other - other.first) * other.points);
        f64::from(self.velocities[a].distance(other.velocities[b]))
    }

    /// How badly frame `start` would follow `last`, the last of the motion, metres; as [`Looks::gap`]. What would come after `last`
    /// is judged from the steps on both sides of the seam.
    pub(in crate::edit) fn gap_after(&self, last: usize, start: usize) -> f64 {
        let (i, j) = (last - self.first, start - self.first);
        let distance = |values: &[Vec3]| {
            let at = |frame: usize, point: usize| values[frame * self.points + point];
            let sum: f32 = (0..self.points)
                .map(|point| {
                    let before = at(i, point) - at(i.saturating_sub(1), point);
                    let after = at(j + 1, point) - at(j, point);
                    (at(i, point) + 0.5 * (before + after)).distance_squared(at(j, point))
                })
                .sum();
            (f64::from(sum) / self.points as f64).sqrt()
        };
        let feet = (0..2).filter(|&side| self.stands[i][side] != self.stands[j][side]).count();
        distance(&self.positions) + VELOCITY_S * distance(&self.velocities) + FOOT_M * feet as f64
    }

    /// Root mean square speed of the points, metres per second.
    pub(in crate::edit) fn pace(&self, frame: usize) -> f64 {
        let at = (frame - self.first) * self.points;
        let sum: f32 = self.velocities[at..at + self.points].iter().map(|v| v.length_squared()).sum();
        (f64::from(sum) / self.points as f64).sqrt()
    }

    /// How fast the fastest point moves, metres per second.
    pub(in crate::edit) fn fastest(&self, frame: usize) -> f64 {
        let at = (frame - self.first) * self.points;
        let points = &self.velocities[at..at + self.points];
        f64::from(points.iter().map(|v| v.length_squared()).fold(0.0, f32::max).sqrt())
    }
}

/// The parts of the body that tell a pose and that a skeleton has.
pub(super) fn telling_roles(skeleton: &Skeleton) -> Vec<Role> {
    TELLING.into_iter().filter(|&role| skeleton.find(role).is_some()).collect()
}

fn telling(skeleton: &Skeleton) -> Vec<usize> {
    let known: Vec<usize> = TELLING.iter().filter_map(|&role| skeleton.find(role)).collect();
    if known.len() >= ENOUGH { known } else { (0..skeleton.num_joints()).collect() }
}
