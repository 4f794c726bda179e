//! Reference frames: a rest pose or T-pose that a tool put in front of a capture.

use super::Clip;
use crate::math::{angle_between, quantile};
use crate::skeleton::{Role, is_reference_pose};

/// Largest turn of a joint from its rest, degrees, in a frame that repeats the rest pose: files with two decimals round by less.
const AT_REST_DEGREES: f32 = 0.02;
/// Frames after the first that show how far a joint of this capture usually jumps.
const NUM_FRAMES: usize = 12;
/// Quantile of a joint's own jumps that its first is compared with: one glitch among them does not count.
const USUAL_QUANTILE: f64 = 0.8;
/// A joint's jump counts by what it exceeds this multiple of the usual one.
const JUMP: f64 = 2.5;
/// Least excess of a reference frame, degrees on the average over the joints: for frames that repeat the rest pose, and for the others.
/// The first is above the noise of a body that stands still in a T-pose; the second above any start of a captured one.
const LEAST_JUMP_DEGREES: [f64; 2] = [0.5, 3.0];
/// Least step of a file with only one frame after the reference, degrees: nothing shows how it moves.
const TWO_FRAMES_DEGREES: f64 = 10.0;

/// Joints whose rotations are captured well; hands, fingers and feet are full of glitches.
const STEADY: [Role; 13] = [
    Role::Hips,
    Role::Spine,
    Role::Chest,
    Role::Neck,
    Role::Head,
    Role::LeftUpperArm,
    Role::RightUpperArm,
    Role::LeftLowerArm,
    Role::RightLowerArm,
    Role::LeftUpperLeg,
    Role::RightUpperLeg,
    Role::LeftLowerLeg,
    Role::RightLowerLeg,
];

impl Clip {
    /// Whether frame 0 is a reference frame: a pose that does not belong to the motion, as converters put in front of captures (CMU's BVH
    /// files, Poser's).
    ///
    /// Two things must hold. The motion is discontinuous after frame 0: its joints jump from there by far more than they do afterwards. And frame 0 looks like a reference: it repeats the rest pose, or it is a T-pose, A-pose or similar pose with straight
    /// limbs and equal sides. A motion that starts smoothly from a T-pose, or a single pose, has none. This looks at the frames;
    /// [`Clip::tpose_frame`] is what a reader decided.
    #[must_use]
    pub fn starts_with_reference_frame(&self) -> bool {
        if self.num_frames() < 2 {
            return false;
        }
        let mut joints: Vec<usize> = STEADY.iter().filter_map(|&role| self.skeleton.find(role)).collect();
        if joints.len() < 2 {
            joints = (0..self.num_joints()).collect();
        }
        let at_rest =
            |joint: usize| self.rotation(joint, 0).w.abs() >= (0.5 * AT_REST_DEGREES.to_radians()).cos();
        let rests = joints.iter().all(|&joint| at_rest(joint));
        if !rests && !is_reference_pose(&self.skeleton, &self.model_pose(0).positions) {
            return false;
        }
        let excess = |&joint: &usize| {
            let later: Vec<f64> = (1..self.num_frames() - 1)
                .take(NUM_FRAMES)
                .map(|frame| self.jump_deg(joint, frame))
                .collect();
            (self.jump_deg(joint, 0) - JUMP * quantile(&later, USUAL_QUANTILE).unwrap_or(0.0)).max(0.0)
        };
        let mean = joints.iter().map(excess).sum::<f64>() / joints.len() as f64;
        mean >= if self.num_frames() < 3 {
            TWO_FRAMES_DEGREES
        } else {
            LEAST_JUMP_DEGREES[usize::from(!rests)]
        }
    }

    /// How far a joint jumps between a frame and the next, degrees: its turn, or what that differs from the turn after it if that is
    /// less. Fast motion is no jump, nor is a glitch in a later frame.
    fn jump_deg(&self, joint: usize, frame: usize) -> f64 {
        let [q, next] = [frame, frame + 1].map(|frame| self.rotation(joint, frame));
        let step = angle_between(q, next);
        let jump = if frame + 2 < self.num_frames() {
            let after = self.rotation(joint, frame + 2);
            step.min(angle_between(q, next * (after.conjugate() * next)))
        } else {
            step
        };
        f64::from(jump.to_degrees())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Joint, Skeleton, assign_roles};
    use glam::{Quat, Vec3};

    /// A body in T-pose whose arms go down by `degrees[frame]`.
    fn clip(degrees: &[f32]) -> Clip {
        let mut joints = vec![Joint::new("Hips", None, Vec3::Y), Joint::new("Spine", Some(0), Vec3::Y * 0.4)];
        joints.push(Joint::new("Head", Some(1), Vec3::Y * 0.2));
        for (side, x) in [("Left", 1.0), ("Right", -1.0)] {
            let base = joints.len();
            joints.push(Joint::new(format!("{side}UpLeg"), Some(0), Vec3::X * 0.1 * x));
            joints.push(Joint::new(format!("{side}Leg"), Some(base), Vec3::Y * -0.4));
            joints.push(Joint::new(format!("{side}Foot"), Some(base + 1), Vec3::Y * -0.4));
            joints.push(Joint::new(format!("{side}Arm"), Some(1), Vec3::X * 0.2 * x));
            joints.push(Joint::new(format!("{side}ForeArm"), Some(base + 3), Vec3::X * 0.25 * x));
            joints.push(Joint::new(format!("{side}Hand"), Some(base + 4), Vec3::X * 0.25 * x));
        }
        assign_roles(&mut joints);
        let mut clip = Clip::at_rest(Skeleton::build(joints).unwrap(), 30.0, degrees.len()).unwrap();
        for (frame, degrees) in degrees.iter().enumerate() {
            for (arm, sign) in [(6, -1.0), (12, 1.0)] {
                clip.set_rotation(arm, frame, Quat::from_rotation_z(sign * degrees.to_radians()));
            }
        }
        clip
    }

    #[test]
    fn a_jump_from_a_t_pose_is_an_added_frame_and_a_smooth_start_is_not() {
        assert!(clip(&[0.0, 70.0, 70.5, 71.0, 71.5]).starts_with_reference_frame());
        // A capture that itself begins near a T-pose still jumps.
        assert!(clip(&[0.0, 8.0, 8.1, 8.3, 8.4]).starts_with_reference_frame());
        assert!(!clip(&[0.0, 3.0, 6.0, 9.0, 12.0]).starts_with_reference_frame());
        assert!(!clip(&[70.0, 75.0, 75.5, 76.0, 76.5]).starts_with_reference_frame());
        assert!(!clip(&[0.0, 0.0, 0.0, 0.0]).starts_with_reference_frame());
        assert!(!clip(&[0.0]).starts_with_reference_frame());
    }

    #[test]
    fn turned_and_pitched_reference_poses_are_recognised() {
        for (yaw, pitch, arms) in [(0.3, 0.0, 0.0), (0.0, 0.5, 20.0), (2.0, -0.5, -20.0), (0.0, 0.1, 45.0)] {
            let mut clip = clip(&[arms, 85.0, 85.5, 86.0, 86.5, 87.0]);
            clip.set_rotation(0, 0, Quat::from_rotation_y(yaw) * Quat::from_rotation_x(pitch));
            assert!(clip.starts_with_reference_frame(), "{yaw} {pitch} {arms}");
        }
    }

    #[test]
    fn a_jump_from_a_pose_with_one_arm_raised_is_motion() {
        let mut clip = clip(&[0.0, 70.0, 70.5, 71.0, 71.5]);
        clip.set_rotation(6, 0, Quat::from_rotation_z(1.2));
        assert!(!clip.starts_with_reference_frame());
    }
}
