//! Where a body stands on the ground and which way it faces, and moving whole clips there.

use std::sync::Arc;

use glam::{DQuat, DVec3, Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::swing_twist;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};

/// A turn about the vertical and a shift along the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GroundMove {
    /// Turn about +Y, radians, about the world's origin and before the shift.
    pub(super) yaw: f64,
    /// Shift; y is 0.
    pub(super) shift: Vec3,
}

/// The turn of `q` about the vertical, radians in (−π, π].
pub(super) fn heading(q: Quat) -> f64 {
    let (_, twist) = swing_twist(q, Vec3::Y);
    2.0 * f64::from(twist.y).atan2(f64::from(twist.w))
}

/// The joint a body's place and heading are read from: the hips, or joint 0 where they are not known.
pub(super) fn hips(skeleton: &Skeleton) -> usize {
    skeleton.find(Role::Hips).unwrap_or(0)
}

/// Where the hips are in the world and their heading.
pub(super) fn stance(clip: &Clip, frame: usize) -> (Vec3, f64) {
    let hips = hips(clip.skeleton());
    if hips == 0 {
        return (clip.root().get(frame), heading(clip.rotation(0, frame)));
    }
    let pose = clip.model_pose(frame);
    (pose.positions[hips], heading(pose.rotations[hips]))
}

/// `angle` brought to (−π, π].
pub(super) fn wrapped(angle: f64) -> f64 {
    let turned = angle.rem_euclid(std::f64::consts::TAU);
    if turned > std::f64::consts::PI { turned - std::f64::consts::TAU } else { turned }
}

/// Weighted mean of headings: the angle from which the weighted differences cancel, found from `start`.
pub(super) fn mean_heading(headings: &[f64], weights: &[f64], start: usize) -> f64 {
    let mut mean = headings[start];
    for _ in 0..32 {
        let step: f64 = headings.iter().zip(weights).map(|(h, w)| w * wrapped(h - mean)).sum();
        mean += step;
        // Differences are linear away from ±180°, so the second step is zero but for rounding.
        if step.abs() < 1e-12 {
            break;
        }
    }
    wrapped(mean)
}

impl GroundMove {
    /// The move that brings a body at `place` with heading `from` to `target` with heading `to`.
    pub(super) fn between(place: Vec3, from: f64, target: Vec3, to: f64) -> Self {
        let yaw = wrapped(to - from);
        let turned = Quat::from_rotation_y(yaw as f32) * place;
        Self { yaw, shift: Vec3::new(target.x - turned.x, 0.0, target.z - turned.z) }
    }

    /// Whether it moves nothing.
    pub(super) fn is_identity(&self) -> bool {
        self.yaw == 0.0 && self.shift == Vec3::ZERO
    }

    /// Moves every frame of `clip`.
    pub(super) fn apply(&self, clip: &mut Clip) {
        if self.is_identity() {
            return;
        }
        let turn = Quat::from_rotation_y(self.yaw as f32);
        for frame in 0..clip.num_frames() {
            let p = turn * clip.root().get(frame) + self.shift;
            clip.root_mut().set(frame, p);
        }
        // Every root joint stands in the world; joint 0 is the one that travels.
        for joint in 0..clip.num_joints() {
            if clip.skeleton().parent(joint).is_none() {
                for frame in 0..clip.num_frames() {
                    let q = (turn * clip.rotation(joint, frame)).normalize();
                    clip.set_rotation(joint, frame, q);
                }
            }
        }
        clip.align_signs();
    }
}

/// Where the hips are over time: place on the ground, and heading without jumps of a whole turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Course {
    /// Metres; y is the hips' height.
    pub(super) places: Vec<DVec3>,
    /// Radians about +Y, continuous.
    pub(super) headings: Vec<f64>,
}

/// Length of a rotation's part about the vertical, as a quaternion, under which it has no heading: a body turned over
/// by 120° or more. Between such frames the heading goes on evenly.
const NO_HEADING: f64 = 0.5;

impl Course {
    /// The course of a clip's hips.
    pub(super) fn of(clip: &Clip) -> Self {
        let hips = hips(clip.skeleton());
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        let mut model = ModelPose::default();
        let mut places = Vec::with_capacity(clip.num_frames());
        let mut known: Vec<(usize, f64)> = Vec::new();
        for frame in 0..clip.num_frames() {
            clip.pose_into(frame, &mut pose);
            let q = if hips == 0 {
                places.push(pose.root.as_dvec3());
                pose.rotations[0].as_dquat()
            } else {
                forward_kinematics_into(clip.skeleton(), &pose, &mut model);
                places.push(model.positions[hips].as_dvec3());
                model.rotations[hips].as_dquat()
            };
            if q.w.hypot(q.y) >= NO_HEADING {
                let angle = 2.0 * q.y.atan2(q.w);
                let before = known.last().map_or(angle, |&(_, before)| before);
                known.push((frame, before + wrapped(angle - before)));
            }
        }
        let headings = (0..clip.num_frames())
            .map(|frame| {
                let next = known.partition_point(|&(f, _)| f <= frame);
                match (next.checked_sub(1).map(|i| known[i]), known.get(next)) {
                    (Some((a, from)), Some(&(b, to))) => {
                        from + (to - from) * (frame - a) as f64 / (b - a) as f64
                    }
                    (Some((_, heading)), None) | (None, Some(&(_, heading))) => heading,
                    (None, None) => 0.0,
                }
            })
            .collect();
        Self { places, headings }
    }

    /// The blend's course: from the weighted mean start, each frame goes on as the clips do on the mean, seen
    /// from where each of them faces. So left and right turns make a straight walk of full stride.
    pub(super) fn mean(courses: &[Self], weights: &[Vec<f64>]) -> Self {
        let num_frames = courses[0].places.len();
        let start: Vec<f64> = weights.iter().map(|w| w[0]).collect();
        let first = (0..start.len()).fold(0, |best, k| if start[k] > start[best] { k } else { best });
        let from: Vec<f64> = courses.iter().map(|course| course.headings[0]).collect();
        // The heaviest clip's own number of turns, so that weight 1 gives its heading and not one 360° off.
        let mut heading = from[first] + wrapped(mean_heading(&from, &start, first) - from[first]);
        let base = courses[first].places[0];
        let mut place =
            base + courses.iter().zip(&start).map(|(c, &w)| (c.places[0] - base) * w).sum::<DVec3>();
        let mut out = Self { places: vec![place], headings: vec![heading] };
        for frame in 1..num_frames {
            let (mut turn, mut step) = (0.0, DVec3::ZERO);
            for (course, w) in courses.iter().zip(weights) {
                let w = 0.5 * (w[frame - 1] + w[frame]);
                let [a, b] = [course.headings[frame - 1], course.headings[frame]];
                turn += w * (b - a);
                let moved = course.places[frame] - course.places[frame - 1];
                step += DQuat::from_rotation_y(-0.5 * (a + b)) * moved * w;
            }
            place += DQuat::from_rotation_y(heading + 0.5 * turn) * step;
            heading += turn;
            out.places.push(place);
            out.headings.push(heading);
        }
        out
    }

    /// Moves every frame of `clip`, whose course this is, along the ground onto `to`.
    pub(super) fn lead(self, clip: &mut Clip, to: &Arc<Self>) -> Led {
        let roots: Vec<usize> =
            (0..clip.num_joints()).filter(|&joint| clip.skeleton().parent(joint).is_none()).collect();
        for frame in 0..clip.num_frames() {
            let yaw = to.headings[frame] - self.headings[frame];
            let (here, there) = (self.places[frame], to.places[frame].with_y(self.places[frame].y));
            // What stays where it is keeps its bits.
            if wrapped(yaw).abs() < 1e-9 && here.distance(there) < 1e-9 {
                continue;
            }
            let turn = DQuat::from_rotation_y(yaw);
            let root = turn * (clip.root().get(frame).as_dvec3() - here) + there;
            clip.root_mut().set(frame, root.as_vec3());
            for &joint in &roots {
                let q = (turn * clip.rotation(joint, frame).as_dquat()).normalize();
                clip.set_rotation(joint, frame, q.as_quat());
            }
        }
        clip.align_signs();
        Led(Some((self, to.clone())))
    }
}

/// How a clip was led along the ground: its own course and the one it was led onto, or not at all.
#[derive(Debug, Clone)]
pub(super) struct Led(Option<(Course, Arc<Course>)>);

impl Led {
    /// Left where it was captured.
    pub(super) fn nowhere() -> Self {
        Self(None)
    }

    /// The turn about the vertical a frame got, radians.
    pub(super) fn turn(&self, frame: usize) -> f64 {
        self.0.as_ref().map_or(0.0, |(from, to)| to.headings[frame] - from.headings[frame])
    }

    /// How far a frame's hips were shifted, metres.
    pub(super) fn shift(&self, frame: usize) -> f64 {
        let apart =
            |(from, to): &(Course, Arc<Course>)| (to.places[frame] - from.places[frame]).with_y(0.0).length();
        self.0.as_ref().map_or(0.0, apart)
    }

    /// Where a point of a frame was captured.
    pub(super) fn captured(&self, frame: usize, point: DVec3) -> DVec3 {
        let Some((from, to)) = &self.0 else { return point };
        let (here, there) = (from.places[frame], to.places[frame].with_y(from.places[frame].y));
        DQuat::from_rotation_y(-self.turn(frame)) * (point - there) + here
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_mean_of_two_headings_lies_between_them(a in -3.1..3.1_f64, d in -3.0..3.0_f64, w in 0.0..1.0_f64) {
            let mean = mean_heading(&[a, wrapped(a + d)], &[1.0 - w, w], usize::from(w > 0.5));
            prop_assert!(wrapped(mean - a - w * d).abs() < 1e-9);
        }

        #[test]
        fn heading_follows_turns_about_the_vertical(a in -1.4..1.4_f32, lean in -0.5..0.5_f32, yaw in -1.4..1.4_f32) {
            let q = Quat::from_rotation_y(a) * Quat::from_rotation_x(lean);
            let turned = Quat::from_rotation_y(yaw) * q;
            prop_assert!(wrapped(heading(turned) - heading(q) - f64::from(yaw)).abs() < 1e-5);
        }
    }
}
