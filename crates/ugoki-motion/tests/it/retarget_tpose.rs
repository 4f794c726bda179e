//! A T-pose in front of a motion keeps its meaning through a BVH file, or is not there.

use glam::Quat;
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::Skeleton;
use ugoki_formats::{ReadOptions, WriteOptions, bvh};
use ugoki_motion::retarget::RetargetConfig;
use ugoki_sample as sample;

use crate::retarget_support::moved;

/// The sample actor's walk behind an added T-pose, its rest pose.
fn walk() -> Clip {
    let walk = sample::clips().into_iter().find(|clip| clip.name == "walk").unwrap();
    let mut poses = vec![Pose::rest(walk.skeleton())];
    poses.extend((0..40).map(|frame| walk.pose(frame)));
    let mut with = Clip::from_poses(walk.skeleton().clone(), walk.fps(), &poses).unwrap();
    with.tpose_frame = true;
    with
}

/// The sample actor drawn another way: every offset turned.
fn drawn(turn: Quat) -> std::sync::Arc<Skeleton> {
    let mut joints = sample::skeleton().joints().to_vec();
    for joint in &mut joints {
        joint.offset = turn * joint.offset;
        joint.tips.iter_mut().for_each(|tip| *tip = turn * *tip);
    }
    Skeleton::build(joints).unwrap()
}

fn check(target: Quat) -> (bool, usize) {
    let config = RetargetConfig { hold_feet: false, ..RetargetConfig::default() };
    let moved = moved(&walk(), &drawn(target), &config).clip;
    assert!(moved.tpose_frame);
    let written = bvh::write(&moved, &WriteOptions::default());
    let again = bvh::read(&written.bytes, &ReadOptions::default()).unwrap().clip;
    let left_out = moved.num_frames() - again.num_frames();
    assert_eq!(again.motion_frames().len(), moved.motion_frames().len(), "the motion is whole");
    assert_eq!(usize::from(again.tpose_frame), 1 - left_out, "known again, or not there");
    assert_eq!(left_out == 1, written.findings.iter().any(|finding| finding.code == "tpose-left-out"));
    (again.tpose_frame, left_out)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_t_pose_is_known_again_or_not_there(yaw in -3.1..3.1_f32, pitch in -0.3..0.3_f32) {
        check(Quat::from_rotation_y(yaw) * Quat::from_rotation_x(pitch));
    }
}

#[test]
fn on_a_rig_that_faces_another_axis_it_is_kept() {
    for quarters in 0..4 {
        assert_eq!(
            check(Quat::from_rotation_y(quarters as f32 * std::f32::consts::FRAC_PI_2)),
            (true, 0),
            "{quarters}"
        );
    }
}
