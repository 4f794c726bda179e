//! DeepMimic's motions against the humanoid's own description and common sense.

use std::path::PathBuf;

use glam::Vec3;
use ugoki_base::skeleton::{Role, facing};
use ugoki_formats::{Format, Read, ReadOptions, Severity, read};

fn captures() -> Option<PathBuf> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: UGOKI_CAPTURES is not set (3 checks)");
    }
    folder.map(|folder| folder.join("deepmimic"))
}

fn open(folder: &std::path::Path, name: &str) -> Read {
    let bytes = std::fs::read(folder.join(format!("humanoid3d_{name}.txt"))).expect("the file");
    read(&bytes, Some("txt"), &ReadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Joint origins of a URDF: child link, parent link, xyz.
fn urdf_joints(text: &str) -> Vec<(String, String, [f32; 3])> {
    let value = |part: &str, key: &str| {
        let at = part.find(key).unwrap_or_else(|| panic!("{key} in {part}"));
        let rest = &part[at + key.len()..];
        let mut quoted = rest.split('"');
        quoted.next();
        quoted.next().unwrap().to_owned()
    };
    let parts = text.split("<joint ").skip(1).map(|part| part.split("</joint>").next().unwrap());
    parts
        .map(|part| {
            let numbers: Vec<f32> =
                value(part, "xyz").split_whitespace().map(|v| v.parse().unwrap()).collect();
            let link = |tag: &str| value(&part[part.find(tag).unwrap()..], "link");
            (link("<child"), link("<parent"), [numbers[0], numbers[1], numbers[2]])
        })
        .collect()
}

#[test]
fn the_humanoid_is_that_of_the_urdf_at_a_quarter() {
    let Some(folder) = captures() else { return };
    let walk = open(&folder, "walk");
    let skeleton = walk.clip.skeleton();
    let joints =
        urdf_joints(&std::fs::read_to_string(folder.join("humanoid.urdf")).expect("the description"));
    let mut checked = 0;
    for (child, parent, [x, y, z]) in joints {
        if parent == "base" {
            continue;
        }
        let joint = skeleton.find_name(&child).unwrap_or_else(|| panic!("{child}"));
        assert_eq!(skeleton.joint(skeleton.parent(joint).unwrap()).name, parent);
        // Forward +X is our +Z, right +Z our −X; the file is four times as large, to six digits.
        let expected = Vec3::new(-z, y, x) / 4.0;
        assert!(skeleton.joint(joint).offset.distance(expected) < 2e-6, "{child}");
        checked += 1;
    }
    assert_eq!(checked, 14);
}

#[test]
fn rates_loops_and_floors_are_right_in_every_file() {
    let Some(folder) = captures() else { return };
    // Frames, rate, whether it wraps.
    let files = [
        ("backflip", 29, 16.0, true),
        ("jump", 107, 60.0, true),
        ("kick", 47, 30.0, false),
        ("punch", 65, 30.0, false),
        ("run", 25, 30.0, true),
        ("walk", 39, 30.0, true),
    ];
    for (name, frames, fps, wraps) in files {
        let read = open(&folder, name);
        let clip = &read.clip;
        println!("{name}: {:?}", read.findings.iter().map(|f| f.code).collect::<Vec<_>>());
        assert_eq!((read.format, clip.num_frames(), clip.fps()), (Format::DeepMimic, frames, fps), "{name}");
        assert_eq!(clip.tags.contains(&"loop".to_owned()), wraps, "{name}");
        assert!(read.findings.iter().all(|finding| finding.severity != Severity::Error), "{name}");
        // The lowest point of the feet is near the floor in some frame and never deep under it.
        let skeleton = clip.skeleton();
        let mut lowest = f32::MAX;
        for frame in 0..frames {
            let pose = clip.model_pose(frame);
            for role in [Role::LeftFoot, Role::RightFoot] {
                let foot = skeleton.find(role).unwrap();
                for tip in &skeleton.joint(foot).tips {
                    lowest = lowest.min(pose.point(foot, *tip).y);
                }
            }
        }
        println!("{name}: soles come down to {lowest:.3} m");
        assert!((-0.12..0.08).contains(&lowest), "{name}: {lowest}");
    }
}

#[test]
fn walkers_go_where_they_face_and_flippers_turn_over() {
    let Some(folder) = captures() else { return };
    for name in ["walk", "run"] {
        let clip = open(&folder, name).clip;
        let last = clip.num_frames() - 1;
        let way = (clip.root().get(last) - clip.root().get(0)) * Vec3::new(1.0, 0.0, 1.0);
        // Hips and shoulders turn against each other with every step: the mean over the cycle is the way.
        let forward: Vec3 =
            clip.model_poses().iter().filter_map(|pose| facing(clip.skeleton(), &pose.positions)).sum();
        // A runner leans forward, and its facing with it; the way is level.
        let forward = forward * Vec3::new(1.0, 0.0, 1.0);
        let degrees = way.angle_between(forward).to_degrees();
        println!(
            "{name}: {:.2} m/s, {degrees:.1} degrees off its facing",
            f64::from(way.length()) * clip.fps() / last as f64
        );
        assert!(degrees < 20.0, "{name}");
        assert!(way.normalize().z > 0.9, "{name} starts facing +Z");
        let speed = f64::from(way.length()) * clip.fps() / last as f64;
        let expected = if name == "walk" { 0.8..1.6 } else { 2.0..5.0 };
        assert!(expected.contains(&speed), "{name}: {speed}");
    }
    let flip = open(&folder, "backflip").clip;
    let head = flip.skeleton().find(Role::Head).unwrap();
    let upside_down = (0..flip.num_frames()).any(|frame| {
        let pose = flip.model_pose(frame);
        pose.positions[head].y < pose.positions[0].y - 0.3 && pose.positions[0].y > 0.6
    });
    assert!(upside_down, "the head is under the hips in the air");
    // Backward: facing +Z, the head tips towards −Z while rising.
    let first_over = (0..flip.num_frames())
        .find(|&frame| {
            let pose = flip.model_pose(frame);
            pose.positions[head].y < pose.positions[0].y + 0.2
        })
        .unwrap();
    let pose = flip.model_pose(first_over);
    assert!(pose.positions[head].z < pose.positions[0].z, "it goes over backward");
}
