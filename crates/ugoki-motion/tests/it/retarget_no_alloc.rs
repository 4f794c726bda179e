//! Retargeting one pose takes the caller's buffers and never allocates.

use ugoki_base::pose::Pose;
use ugoki_motion::retarget::{RetargetScratch, Stance, build_retarget, retarget_pose_into};
use ugoki_sample as sample;
use ugoki_testing::allocations;

#[test]
fn retargeting_a_pose_does_not_allocate() {
    let (source, target) = (sample::skeleton(), sample::skeleton().scaled(1.1));
    let map =
        build_retarget(&Stance::from_rest(&source).unwrap(), &Stance::from_rest(&target).unwrap()).unwrap();
    let clip = sample::clip("walk").unwrap();
    let mut pose = clip.pose(0);
    pose.translations.push((9, source.joint(9).offset * 1.1));
    let (mut scratch, mut out) = (RetargetScratch::default(), Pose::rest(&target));
    retarget_pose_into(&map, &pose, &mut scratch, &mut out);
    assert_eq!(out.translations.len(), 1, "the map carries the moved joint");
    let count = allocations(|| {
        for frame in 0..clip.num_frames() {
            for (joint, q) in pose.rotations.iter_mut().enumerate() {
                *q = clip.rotation(joint, frame);
            }
            retarget_pose_into(&map, &pose, &mut scratch, &mut out);
        }
    });
    assert_eq!(count, 0);
}
