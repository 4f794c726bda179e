//! Properties of the automatic tags: invariances, and the tags of each sample motion.

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_feet::contact::{ContactConfig, find_contacts};
use ugoki_sample as sample;

use super::*;

/// Tags about how the body goes.
const GOING: [&str; 8] = ["moving", "in-place", "standing", "walk", "run", "jump", "backwards", "sideways"];

fn going(clip: &Clip) -> Vec<String> {
    let contacts = find_contacts(clip, &ContactConfig::default()).ok();
    let mut tags = describe(clip, contacts.as_ref()).unwrap().tags;
    tags.retain(|tag| GOING.contains(&tag.as_str()));
    tags
}

fn sampled(name: &str) -> Clip {
    sample::clip(name).unwrap()
}

/// The clip with each root position moved.
fn with_root(clip: &Clip, place: impl Fn(usize, Vec3) -> Vec3) -> Clip {
    let mut clip = clip.clone();
    for frame in 0..clip.num_frames() {
        let root = place(frame, clip.root().get(frame));
        let mut pose = clip.pose(frame);
        pose.root = root;
        clip.set_pose(frame, &pose);
    }
    clip
}

fn on_the_spot(clip: &Clip) -> Clip {
    let first = clip.root().get(0);
    with_root(clip, |_, root| Vec3::new(first.x, root.y, first.z))
}

#[test]
fn sample_motions_are_called_what_they_are() {
    for (name, expected) in [
        ("walk", &["moving", "walk"][..]),
        ("walk-slow", &["moving", "walk"]),
        ("walk-fast", &["moving", "walk"]),
        ("walk-in-place", &["in-place", "walk"]),
        ("run", &["moving", "run"]),
        ("turn-left", &["moving", "walk"]),
        ("turn-right", &["moving", "walk"]),
        ("start", &["moving", "walk"]),
        ("stop", &["moving", "walk"]),
        ("idle", &["standing"]),
        ("squat", &["standing"]),
        ("front-kick", &["standing"]),
        ("side-kick", &["standing"]),
        ("punch", &["standing"]),
        ("wave", &["standing"]),
        ("bow", &["standing"]),
        ("sway", &["standing"]),
        ("throw", &["standing"]),
        ("nod", &["standing"]),
    ] {
        assert_eq!(going(&sampled(name)), expected, "{name}");
    }
}

#[test]
fn a_gait_on_the_spot_is_the_same_gait_and_no_standing() {
    for name in ["walk", "walk-slow", "walk-fast", "run", "turn-left"] {
        let gait = if name == "run" { "run" } else { "walk" };
        assert_eq!(going(&on_the_spot(&sampled(name))), ["in-place", gait], "{name}");
    }
}

/// One cycle as game engines have it, of whatever phase it begins at.
#[test]
fn a_single_cycle_on_the_spot_is_a_gait() {
    for (name, gait, frames) in [("walk", "walk", 64), ("walk-fast", "walk", 54), ("run", "run", 44)] {
        let clip = sampled(name);
        for start in (60..60 + frames).step_by(7) {
            let cycle = on_the_spot(&clip.trimmed(start..start + frames + 1).unwrap());
            assert_eq!(going(&cycle), ["in-place", gait], "{name} from {start}");
        }
    }
}

#[test]
fn place_heading_and_mirroring_do_not_matter() {
    for name in ["walk", "run", "front-kick", "squat", "walk-in-place"] {
        let clip = sampled(name);
        let expected = going(&clip);
        assert_eq!(going(&clip.mirrored()), expected, "{name} mirrored");
        let turn = Quat::from_rotation_y(2.3);
        let mut turned = clip.clone();
        for frame in 0..clip.num_frames() {
            let mut pose = clip.pose(frame);
            pose.root = turn * pose.root + Vec3::new(4.0, 0.0, -7.0);
            pose.rotations[0] = turn * pose.rotations[0];
            turned.set_pose(frame, &pose);
        }
        assert_eq!(going(&turned), expected, "{name} turned");
    }
}

#[test]
fn size_does_not_matter_and_measures_scale_with_it() {
    for name in ["walk", "run", "front-kick", "wave", "side-step"] {
        let clip = sampled(name);
        for factor in [0.5_f32, 1.7] {
            let scaled = clip.scaled(factor);
            assert_eq!(going(&scaled), going(&clip), "{name} {factor}");
            let measure = |clip: &Clip| describe(clip, None).unwrap().measures;
            let (a, b) = (measure(&clip), measure(&scaled));
            // f32 positions: a millionth of a way of metres.
            assert!(
                (b.path_m - a.path_m * f64::from(factor)).abs() < 1e-3,
                "{name}: {} {}",
                a.path_m,
                b.path_m
            );
        }
    }
}

#[test]
fn a_walk_played_backwards_is_a_walk_backwards() {
    assert_eq!(going(&sampled("walk").reversed()), ["backwards", "moving", "walk"]);
}

#[test]
fn what_is_upside_down_or_lies_does_not_walk() {
    for (axis, angle) in [(Vec3::X, 3.1), (Vec3::Z, 3.1), (Vec3::X, 1.5)] {
        let clip = sampled("walk");
        let mut turned = clip.clone();
        let turn = Quat::from_axis_angle(axis, angle);
        for frame in 0..clip.num_frames() {
            let mut pose = clip.pose(frame);
            pose.rotations[0] = turn * pose.rotations[0];
            turned.set_pose(frame, &pose);
        }
        let tags = going(&turned);
        assert!(!tags.iter().any(|tag| tag == "walk" || tag == "run"), "{axis} {angle}: {tags:?}");
    }
}

/// Standing, then once over in the air about the body's left, then standing again where it stood.
fn somersault(sense: f32) -> Clip {
    const AIR: std::ops::Range<usize> = 30..66;
    let stand = sampled("idle").trimmed(0..120).unwrap();
    let mut clip = stand.clone();
    for frame in AIR {
        let fraction = (frame - AIR.start) as f32 / (AIR.len() - 1) as f32;
        let seconds = AIR.len() as f32 / clip.fps() as f32;
        let mut pose = stand.pose(frame);
        pose.root.y += 0.5 * 9.81 * seconds * seconds * fraction * (1.0 - fraction);
        let turn = Quat::from_rotation_x(sense * std::f32::consts::TAU * fraction);
        pose.rotations[0] = turn * pose.rotations[0];
        clip.set_pose(frame, &pose);
    }
    clip
}

#[test]
fn a_somersault_is_a_jump_and_no_turn() {
    for sense in [1.0, -1.0] {
        let clip = somersault(sense);
        let contacts = find_contacts(&clip, &ContactConfig::default()).ok();
        let found = describe(&clip, contacts.as_ref()).unwrap();
        assert_eq!(found.measures.flights, 1, "{:?}", found.measures);
        assert!(found.measures.left_deg.max(found.measures.right_deg) < 10.0, "{:?}", found.measures);
        assert!(found.tags.iter().any(|tag| tag == "jump"), "{:?}", found.tags);
        assert!(!found.tags.iter().any(|tag| tag.starts_with("turn")), "{:?}", found.tags);
    }
}
