//! Functions that run once per frame take the caller's buffers and never allocate.

use ugoki_base::no_progress;

use glam::Vec3;
use ugoki_base::clip::{Clip, PackedClip};
use ugoki_base::ik::solve_two_bone;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::signal::{OneEuro, OneEuroConfig};
use ugoki_base::skeleton::{Joint, Skeleton};
use ugoki_sample as sample;
use ugoki_testing::allocations;

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1_u8; 100]))), 1);
}

#[test]
fn forward_kinematics_does_not_allocate() {
    let joints = (0..30).map(|i: usize| Joint::new(format!("j{i}"), i.checked_sub(1), Vec3::Y)).collect();
    let skeleton = Skeleton::build(joints).unwrap();
    let clip = Clip::at_rest(skeleton.clone(), 60.0, 10).unwrap();
    let mut pose = Pose::rest(&skeleton);
    let mut model = ModelPose::default();
    forward_kinematics_into(&skeleton, &pose, &mut model);
    let count = allocations(|| {
        for frame in 0..clip.num_frames() {
            clip.pose_into(frame, &mut pose);
            forward_kinematics_into(&skeleton, &pose, &mut model);
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn decoding_a_packed_clip_does_not_allocate() {
    let clip = sample::motions()[0].clip();
    let packed = PackedClip::pack(&clip, &mut no_progress()).unwrap();
    let mut pose = packed.pose(0);
    let count = allocations(|| {
        for frame in (0..packed.num_frames()).rev() {
            packed.pose_into(frame, &mut pose);
            packed.sample_into((frame as f64 + 0.3) / packed.fps(), &mut pose);
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn the_live_one_euro_filter_does_not_allocate() {
    let clip = sample::motions()[0].clip();
    let mut filter = OneEuro::new(clip.num_joints(), OneEuroConfig::new(1.0, 0.5).unwrap());
    let mut pose = clip.pose(0);
    let count = allocations(|| {
        for frame in 0..clip.num_frames() {
            clip.pose_into(frame, &mut pose);
            filter.update(&mut pose, 1.0 / clip.fps());
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn the_two_bone_solve_does_not_allocate() {
    let count = allocations(|| {
        let solved = solve_two_bone(Vec3::Y, Vec3::Y * 0.5, Vec3::ZERO, Vec3::new(0.1, 0.2, 0.0), Vec3::Z);
        std::hint::black_box(solved);
    });
    assert_eq!(count, 0);
}
