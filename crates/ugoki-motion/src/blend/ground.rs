//! Where a body stands on the ground and which way it faces, and moving whole clips there.

use std::sync::Arc;

use glam::{DQuat, DVec3, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::ground::wrap_angle;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};

/// The joint a body's place is read from: the hips, or joint 0 where they are not known.
pub(super) fn hips(skeleton: &Skeleton) -> usize {
    skeleton.find(Role::Hips).unwrap_or(0)
}

/// Weighted mean of headings: the angle from which the weighted differences cancel, found from `start`.
pub(super) fn mean_heading(headings: &[f64], weights: &[f64], start: usize) -> f64 {
    let mut mean = headings[start];
    for _ in 0..32 {
        let step: f64 = headings.iter().zip(weights).map(|(h, w)| w * wrap_angle(h - mean)).sum();
        mean += step;
        // Differences are linear away from ±180°, so the second step is zero but for rounding.
        if step.abs() < 1e-12 {
            break;
        }
    }
    wrap_angle(mean)
}

/// Where the hips are over time: place on the ground, and heading without jumps of a whole turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Course {
    /// Metres; y is the hips' height.
    pub(super) places: Vec<DVec3>,
    /// Radians about +Y, continuous.
    pub(super) headings: Vec<f64>,
}

impl Course {
    /// The course of a clip's hips.
    pub(super) fn of(clip: &Clip) -> Self {
        let hips = hips(clip.skeleton());
        let mut pose = Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() };
        let mut model = ModelPose::default();
        let places = (0..clip.num_frames()).map(|frame| {
            clip.pose_into(frame, &mut pose);
            if hips > 0 {
                forward_kinematics_into(clip.skeleton(), &pose, &mut model);
                return model.positions[hips].as_dvec3();
            }
            pose.root.as_dvec3()
        });
        Self { places: places.collect(), headings: clip.headings() }
    }

    /// The blend's course: from the weighted mean start, each frame goes on as the clips do on the mean, seen
    /// from where each of them faces. So left and right turns make a straight walk of full stride.
    pub(super) fn mean(courses: &[Self], weights: &[Vec<f64>]) -> Self {
        let num_frames = courses[0].places.len();
        let start: Vec<f64> = weights.iter().map(|w| w[0]).collect();
        let first = (0..start.len()).fold(0, |best, k| if start[k] > start[best] { k } else { best });
        let from: Vec<f64> = courses.iter().map(|course| course.headings[0]).collect();
        // The heaviest clip's own number of turns, so that weight 1 gives its heading and not one 360° off.
        let mut heading = from[first] + wrap_angle(mean_heading(&from, &start, first) - from[first]);
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
            if wrap_angle(yaw).abs() < 1e-9 && here.distance(there) < 1e-9 {
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
            let mean = mean_heading(&[a, wrap_angle(a + d)], &[1.0 - w, w], usize::from(w > 0.5));
            prop_assert!(wrap_angle(mean - a - w * d).abs() < 1e-9);
        }
    }
}
