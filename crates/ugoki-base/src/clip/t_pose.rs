//! Finding a T-pose that was put in front of a capture.

use glam::{Quat, Vec3};

use super::Clip;
use crate::math::{angle_between, median};
use crate::skeleton::{Role, is_t_pose};

/// The hips of an added T-pose are turned by whole quarters within this, degrees: they are written as zeros, or as 90 or 180
/// on a rig that is drawn lying down or facing the other way.
const ADDED_TURN_DEGREES: f32 = 0.01;
/// Steps after the first one that tell how fast the capture itself moves.
const NUM_STEPS: usize = 10;
/// The step from an added T-pose to the capture is this many times as large as the capture's own steps.
const JUMP: f64 = 4.0;
/// And at least this large, degrees: above the noise of a body standing still in a T-pose.
const LEAST_JUMP_DEGREES: f64 = 1.0;

/// Joints whose turning is captured well.
const STEADY: [Role; 12] = [
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
    /// Whether frame 0 is a T-pose that does not belong to the motion, as converters put in front of captures
    /// (CMU's BVH files, Poser's).
    ///
    /// It is a T-pose, its hips are turned by whole quarters or not at all (which no captured body manages), and the body
    /// jumps from it to frame 1. A motion that starts smoothly from a T-pose, or a single pose, has none. This looks at
    /// the frames; [`Clip::tpose_frame`] says what a reader decided.
    #[must_use]
    pub fn starts_with_added_t_pose(&self) -> bool {
        if self.num_frames() < 3 {
            return false;
        }
        let model = self.model_pose(0);
        let hips = self.skeleton.find(Role::Hips).unwrap_or(0);
        if !turned_by_quarters(model.rotations[hips]) || !is_t_pose(&self.skeleton, &model.positions) {
            return false;
        }
        // Hands, fingers and feet are full of glitches; trunk and limbs tell whether the body jumps.
        let mut told: Vec<usize> = STEADY.iter().filter_map(|&role| self.skeleton.find(role)).collect();
        if told.is_empty() {
            told = (0..self.num_joints()).collect();
        }
        // Largest turn of a joint from one frame to the next, degrees.
        let step = |frame: usize| {
            let turns = told
                .iter()
                .map(|&joint| angle_between(self.rotation(joint, frame), self.rotation(joint, frame + 1)));
            f64::from(turns.fold(0.0, f32::max).to_degrees())
        };
        let later: Vec<f64> = (1..self.num_frames() - 1).take(NUM_STEPS).map(step).collect();
        step(0) >= LEAST_JUMP_DEGREES.max(JUMP * median(&later).unwrap_or(0.0))
    }
}

/// Whether a rotation takes axes to axes.
fn turned_by_quarters(turn: Quat) -> bool {
    let off = ADDED_TURN_DEGREES.to_radians();
    [Vec3::X, Vec3::Y].into_iter().all(|axis| {
        let to = turn * axis;
        // Beside an axis a vector's largest part differs from 1 by half the square of the angle, its others by the angle.
        let [mut a, mut b, mut c] = to.abs().to_array();
        if a > b {
            (a, b) = (b, a);
        }
        if b > c {
            (b, c) = (c, b);
        }
        c > 0.5 && a.hypot(b) < off
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Joint, Skeleton, assign_roles};

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
        assert!(clip(&[0.0, 70.0, 70.5, 71.0, 71.5]).starts_with_added_t_pose());
        // A capture that itself begins near a T-pose still jumps.
        assert!(clip(&[0.0, 8.0, 8.1, 8.3, 8.4]).starts_with_added_t_pose());
        assert!(!clip(&[0.0, 3.0, 6.0, 9.0, 12.0]).starts_with_added_t_pose());
        assert!(!clip(&[70.0, 75.0, 75.5, 76.0, 76.5]).starts_with_added_t_pose());
        assert!(!clip(&[0.0, 0.0, 0.0, 0.0]).starts_with_added_t_pose());
        assert!(!clip(&[0.0]).starts_with_added_t_pose());
    }

    #[test]
    fn a_rig_drawn_another_way_is_turned_by_quarters() {
        use std::f32::consts::FRAC_PI_2;
        for (x, y, z) in [(1, 0, 0), (0, 2, 0), (3, 1, 0), (0, 1, 2), (2, 3, 1)] {
            let q = |n: i32| n as f32 * FRAC_PI_2;
            let turn =
                Quat::from_rotation_x(q(x)) * Quat::from_rotation_y(q(y)) * Quat::from_rotation_z(q(z));
            assert!(turned_by_quarters(turn), "{turn}");
            assert!(!turned_by_quarters(turn * Quat::from_rotation_y(0.01)));
            assert!(!turned_by_quarters(turn * Quat::from_rotation_x(0.8)));
        }
    }

    #[test]
    fn captured_hips_are_turned() {
        let mut clip = clip(&[0.0, 70.0, 70.5, 71.0, 71.5]);
        clip.set_rotation(0, 0, Quat::from_rotation_y(0.01));
        assert!(!clip.starts_with_added_t_pose());
    }
}
