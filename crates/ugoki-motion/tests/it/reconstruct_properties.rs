//! What rebuilding a body must keep, on every sample motion.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::bend_axes::bend_poles;
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, forward_kinematics};
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_motion::reconstruct::{Frame, Residual, Scratch, Target, rebuild_into};
use ugoki_sample as sample;

const HANDLES: [Role; 6] =
    [Role::Hips, Role::LeftFoot, Role::RightFoot, Role::LeftHand, Role::RightHand, Role::Head];

fn frame(clip: &Clip) -> Frame {
    let skeleton = clip.skeleton();
    let joints: Vec<usize> = HANDLES.iter().map(|&role| skeleton.find(role).unwrap()).collect();
    Frame::build(skeleton, &joints, &bend_poles(clip)).unwrap()
}

fn model(clip: &Clip, frame: usize) -> ModelPose {
    forward_kinematics(clip.skeleton(), &clip.pose(frame))
}

fn rebuild(frame: &Frame, source: &ModelPose, targets: &[Target]) -> (ModelPose, Residual) {
    let mut out = source.clone();
    let residual = rebuild_into(frame, source, targets, &mut Scratch::new(frame), &mut out);
    (out, residual)
}

fn own(frame: &Frame, source: &ModelPose, holds: bool) -> Vec<Target> {
    let target = |&joint: &usize| Target {
        position: source.positions[joint],
        rotation: Some(source.rotations[joint]),
        holds,
    };
    frame.handles().iter().map(target).collect()
}

/// Largest change of a bone's length, metres.
fn stretch(skeleton: &Skeleton, a: &ModelPose, b: &ModelPose) -> f32 {
    let length = |pose: &ModelPose, joint: usize| {
        skeleton.parent(joint).map_or(0.0, |parent| pose.positions[joint].distance(pose.positions[parent]))
    };
    (0..skeleton.num_joints()).map(|joint| (length(a, joint) - length(b, joint)).abs()).fold(0.0, f32::max)
}

fn poses() -> impl Strategy<Value = (usize, usize)> {
    (0..sample::motions().len(), 0..10_000_usize)
}

fn pick((motion, at): (usize, usize)) -> (Clip, ModelPose) {
    let clip = sample::motions()[motion].clip();
    let pose = model(&clip, at % clip.num_frames());
    (clip, pose)
}

fn vector(size: f32) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from_array)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn handles_in_their_own_places_leave_the_body_alone(at in poses(), holds in any::<bool>()) {
        let (clip, source) = pick(at);
        let frame = frame(&clip);
        let (out, residual) = rebuild(&frame, &source, &own(&frame, &source, holds));
        for (joint, (a, b)) in out.positions.iter().zip(&source.positions).enumerate() {
            prop_assert!(a.distance(*b) < 5e-4, "{} moved {} m", clip.skeleton().joint(joint).name, a.distance(*b));
        }
        prop_assert!(residual.any_m < 5e-4);
    }

    #[test]
    fn a_rigid_move_of_all_handles_moves_the_body_rigidly(at in poses(), shift in vector(5.0), turn in -3.0..3.0_f32) {
        let (clip, source) = pick(at);
        let frame = frame(&clip);
        let turn = Quat::from_rotation_y(turn);
        let targets: Vec<Target> = own(&frame, &source, true)
            .into_iter()
            .map(|t| Target { position: turn * t.position + shift, rotation: t.rotation.map(|q| turn * q), ..t })
            .collect();
        let (out, _) = rebuild(&frame, &source, &targets);
        for (a, b) in out.positions.iter().zip(&source.positions) {
            prop_assert!(a.distance(turn * *b + shift) < 1e-3, "{}", a.distance(turn * *b + shift));
        }
    }

    #[test]
    fn bones_keep_their_lengths_wherever_handles_go(at in poses(), moves in prop::collection::vec(vector(3.0), 6), holds in any::<bool>()) {
        let (clip, source) = pick(at);
        let frame = frame(&clip);
        let mut targets = own(&frame, &source, holds);
        for (target, by) in targets.iter_mut().zip(moves) {
            target.position += by;
        }
        let (out, residual) = rebuild(&frame, &source, &targets);
        prop_assert!(out.positions.iter().all(|p| p.is_finite()) && out.rotations.iter().all(|q| q.is_normalized()));
        prop_assert!(stretch(clip.skeleton(), &out, &source) < 1e-5);
        prop_assert!(residual.any_m.is_finite() && residual.held_m <= residual.any_m);
    }

    #[test]
    fn feet_within_reach_are_met_and_knees_stay_in_front(at in poses(), left in vector(0.1), right in vector(0.1)) {
        let (clip, source) = pick(at);
        let frame = frame(&clip);
        let mut targets = own(&frame, &source, false);
        for (handle, by) in [(1, left), (2, right)] {
            targets[handle].position += by;
            targets[handle].holds = true;
        }
        let (out, residual) = rebuild(&frame, &source, &targets);
        prop_assert!(residual.held_m < 1e-3, "{residual:?}");
        // The angle at the knee stays a knee's: the shin never folds before the thigh.
        for side in [[Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot], [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot]] {
            let [hip, knee, ankle] = side.map(|role| clip.skeleton().find(role).unwrap());
            let bend = |pose: &ModelPose| {
                let (thigh, shin) = (pose.positions[knee] - pose.positions[hip], pose.positions[ankle] - pose.positions[knee]);
                (pose.rotations[hip].inverse() * thigh.cross(shin)).x
            };
            prop_assert!(bend(&out) > -2e-3, "{}", bend(&out));
        }
    }
}
