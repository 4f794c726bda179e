//! What the playhead must keep.

use super::*;
use crate::sample;

fn empty() -> Pose {
    Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() }
}

#[test]
fn a_place_that_is_meant_is_reached_without_overshoot() {
    let clip = sample::clip("throw").unwrap();
    let mut head = Playhead::build(clip.num_joints());
    let mut pose = empty();
    head.show(0, &clip, 10.0, 0.01, &mut pose);
    assert_eq!(head.at(), 10.0);
    let mut before = head.at();
    for _ in 0..60 {
        head.show(0, &clip, 13.0, 0.01, &mut pose);
        assert!(head.at() >= before && head.at() <= 13.0 + 1e-9, "{}", head.at());
        before = head.at();
    }
    assert!((head.at() - 13.0).abs() < 1e-3);
    // Then it is the clip's own pose.
    let own = clip.pose(13);
    for (a, b) in pose.rotations.iter().zip(&own.rotations) {
        assert!(crate::math::angle_between(*a, *b) < 1e-3);
    }
}

#[test]
fn a_jump_goes_on_from_what_was_shown() {
    let (a, b) = (sample::clip("punch").unwrap(), sample::clip("open-arms").unwrap());
    let mut head = Playhead::build(a.num_joints());
    let (mut last, mut now) = (empty(), empty());
    let dt = 1.0 / a.fps();
    for frame in 0..20 {
        last.clone_from(&now);
        head.show(0, &a, f64::from(frame), dt, &mut now);
    }
    let before = now.clone();
    head.show(1, &b, 30.0, dt, &mut now);
    for joint in 0..a.num_joints() {
        let step = |p: &Pose, q: &Pose| crate::math::angle_between(p.rotations[joint], q.rotations[joint]);
        // As fast as it was, but for what the spring may add in one frame.
        let jump = crate::math::angle_between(before.rotations[joint], b.rotation(joint, 30));
        let allowed = step(&last, &before) + 0.5 * (SETTLE * dt as f32).powi(2) * jump + 0.03;
        assert!(step(&before, &now) <= allowed, "joint {joint}");
    }
}
