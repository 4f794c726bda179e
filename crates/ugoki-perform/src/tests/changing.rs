//! From one motion to another.

use super::*;

/// The frames of two motions one after the other; both begin and end in one pose.
fn after_each_other(a: &Clip, b: &Clip) -> Clip {
    let poses: Vec<Pose> = [a, b]
        .iter()
        .flat_map(|clip| clip.motion_frames().map(|frame| clip.pose(frame)).collect::<Vec<_>>())
        .collect();
    Clip::from_poses(a.skeleton().clone(), a.fps(), &poses).unwrap()
}

#[test]
fn hysteresis_costs_as_many_frames_as_it_says() {
    let clips = ["front-kick", "bow", "punch"].map(|name| sample::clip(name).unwrap());
    let (model, _) = taught(&clips.each_ref().map(|clip| (clip, clip)));
    for (from, to) in [(0, 1), (1, 0), (2, 1), (0, 2)] {
        let input = after_each_other(&clips[from], &clips[to]);
        for method in [Method::Follow, Method::Nearest] {
            let motions = |hysteresis: usize| -> Vec<usize> {
                let config = RunConfig { method, hysteresis, ..RunConfig::default() };
                performed(&model, &input, config).0.iter().map(|found| found.motion).collect()
            };
            let meant = motions(0);
            let middle = clips[from].num_frames() / 2;
            for frames in [1, 3, 8] {
                // The first frame in which the other motion has been meant for so many frames before it.
                let agreed = |at: &usize| meant[at - frames..=*at].iter().all(|motion| *motion == to);
                let due = (middle..meant.len()).find(agreed).expect("the other motion is meant");
                let shown = motions(frames);
                let at = (middle..shown.len()).find(|&at| shown[at] == to);
                let (from, to) = (&clips[from].name, &clips[to].name);
                assert_eq!(at, Some(due), "{from} → {to} by {method}, hysteresis {frames}");
            }
        }
    }
}

#[test]
fn floors_are_forgotten_when_other_points_are_seen() {
    // A performer whose hand is lost and comes back is recognised as one that never lost anything.
    let clips = ["front-kick", "bow", "punch"].map(|name| sample::clip(name).unwrap());
    let (model, _) = taught(&clips.each_ref().map(|clip| (clip, clip)));
    let skeleton = clips[0].skeleton();
    let observer = ugoki_motion::segment::Observer::build(skeleton).unwrap().on_usual_bones(skeleton);
    let hand = observer.roles().position(|role| role == Role::RightHand).unwrap();
    let config = RunConfig { method: Method::Nearest, order: 0.0, ..RunConfig::default() };
    let mut known = Recognizer::build(&model, config);
    for clip in &clips {
        let points =
            ugoki_motion::segment::BodyPoints::watch(&observer, clip).scaled(1.0 / observer.leg_metres());
        for frame in 0..points.num_frames() {
            let mut seen = points.frame(frame).to_vec();
            if frame / 20 % 2 == 1 {
                seen[hand] = Vec3::NAN;
            }
            let found = known.step(&seen, 1.0 / clip.fps()).unwrap();
            let fresh = Recognizer::build(&model, config).step(&seen, 1.0 / clip.fps()).unwrap();
            // In the pose common to all either is right.
            let same = found.motion == fresh.motion || fresh.margin < 1e-3;
            assert!(same, "{} frame {frame}: {found:?} {fresh:?}", clip.name);
            assert!((found.distance - fresh.distance).abs() < 1e-5);
            assert!((found.margin - fresh.margin).abs() < 1e-3);
        }
    }
}
