//! What the playhead must keep.

use ugoki_sample as sample;

use super::*;

fn empty() -> Pose {
    Pose { root: Vec3::ZERO, rotations: Vec::new(), translations: Vec::new() }
}

#[test]
fn a_place_that_is_meant_is_reached_without_overshoot() {
    let clip = sample::clip("throw").unwrap();
    let mut head = Playhead::build(clip.num_joints());
    let mut pose = empty();
    head.show(0, &clip, [10.0, 0.0], 0.01, &mut pose);
    assert_eq!(head.at(), 10.0);
    let mut before = head.at();
    for _ in 0..100 {
        head.show(0, &clip, [13.0, 0.0], 0.01, &mut pose);
        assert!(head.at() >= before && head.at() <= 13.0 + 1e-9, "{}", head.at());
        before = head.at();
    }
    assert!((head.at() - 13.0).abs() < 1e-3);
    // Then it is the clip's own pose.
    let own = clip.pose(13);
    for (a, b) in pose.rotations.iter().zip(&own.rotations) {
        assert!(ugoki_base::math::angle_between(*a, *b) < 1e-3);
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
        head.show(0, &a, [f64::from(frame), a.fps()], dt, &mut now);
    }
    let before = now.clone();
    head.show(1, &b, [30.0, b.fps()], dt, &mut now);
    for joint in 0..a.num_joints() {
        let step =
            |p: &Pose, q: &Pose| ugoki_base::math::angle_between(p.rotations[joint], q.rotations[joint]);
        // As fast as it was, but for what the spring may add in one frame.
        let jump = ugoki_base::math::angle_between(before.rotations[joint], b.rotation(joint, 30));
        let allowed = step(&last, &before) + 0.5 * (SETTLE * dt as f32).powi(2) * jump + 0.03;
        assert!(step(&before, &now) <= allowed, "joint {joint}");
    }
}

#[test]
fn the_foot_that_stands_stays_over_a_jump() {
    // Up from a squat, where the hips are far behind the feet, to arms wide open; and from a kick to a bow.
    for (from, at, onto, meant) in [("squat", 80, "open-arms", 40.0), ("front-kick", 60, "bow", 70.0)] {
        let (a, b) = (sample::clip(from).unwrap(), sample::clip(onto).unwrap());
        let mut head = Playhead::build(a.num_joints());
        let (mut pose, dt) = (empty(), 1.0 / a.fps());
        for frame in at - 20..at {
            head.show(0, &a, [f64::from(frame), a.fps()], dt, &mut pose);
        }
        let place = |pose: &Pose, role: Role| {
            let body = ugoki_base::pose::forward_kinematics(a.skeleton(), pose);
            body.positions[a.skeleton().find(role).unwrap()]
        };
        let feet = [Role::LeftFoot, Role::RightFoot];
        let before = feet.map(|role| place(&pose, role));
        let standing = usize::from(before[1].y < before[0].y);
        let mut worst = 0.0_f32;
        for _ in 0..60 {
            head.show(1, &b, [meant, 0.0], dt, &mut pose);
            let slid = (place(&pose, feet[standing]) - before[standing]) * Vec3::new(1.0, 0.0, 1.0);
            worst = worst.max(slid.length());
        }
        let left = (place(&pose, feet[standing]) - before[standing]) * Vec3::new(1.0, 0.0, 1.0);
        assert!(left.length() < 0.02, "{from}: {} m", left.length());
        // Meanwhile hips and legs settle each by their own spring, not by the length of the leg.
        assert!(worst < 0.06, "{from}: {worst} m");
    }
}

#[test]
fn a_steady_rate_is_shown_without_delay() {
    let clip = sample::clip("throw").unwrap();
    let mut head = Playhead::build(clip.num_joints());
    let mut pose = empty();
    let pace = 1.5 * clip.fps();
    for frame in 0..60 {
        let meant = 5.0 + pace * 0.01 * f64::from(frame);
        head.show(0, &clip, [meant, pace], 0.01, &mut pose);
        assert!((head.at() - meant).abs() < 1e-6, "{} of {meant}", head.at());
    }
}
