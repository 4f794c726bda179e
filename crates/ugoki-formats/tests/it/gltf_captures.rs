//! Real glTF files of other programs, read and judged by facts about them that do not come from our reader.

use std::path::PathBuf;

use glam::Vec3;
use ugoki_base::skeleton::Role;
use ugoki_formats::{Format, Read, ReadOptions, read};

fn capture(name: &str) -> Option<Vec<u8>> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from)?;
    Some(std::fs::read(folder.join(name)).unwrap())
}

fn open(name: &str, take: Option<&str>) -> Option<Read> {
    let options = ReadOptions { take: take.map(str::to_owned), ..ReadOptions::default() };
    let Some(bytes) = capture(name) else {
        println!("skipped: UGOKI_CAPTURES is not set ({name})");
        return None;
    };
    let ending = name.rsplit('.').next();
    Some(read(&bytes, ending, &options).unwrap())
}

fn codes(read: &Read) -> Vec<&'static str> {
    read.findings.iter().map(|finding| finding.code).collect()
}

/// Feet below hips, head above, left on the left of a body that faces +Z, in this frame.
fn stands(read: &Read, frame: usize) {
    let skeleton = read.clip.skeleton();
    let pose = read.clip.model_pose(frame);
    let at = |role: Role| skeleton.find(role).map(|joint| pose.positions[joint]);
    let (hips, head) = (at(Role::Hips).unwrap(), at(Role::Head).unwrap());
    let (left, right) = (at(Role::LeftFoot).unwrap(), at(Role::RightFoot).unwrap());
    assert!(left.y < hips.y && right.y < hips.y && head.y > hips.y, "{hips} {head} {left} {right}");
    let hands = at(Role::LeftHand).unwrap() - at(Role::RightHand).unwrap();
    assert!(hands.x > 0.0, "{hands}");
}

#[test]
fn cesium_man_walks_upright_at_24_frames_per_second() {
    let Some(read) = open("gltf/CesiumMan.glb", None) else { return };
    assert_eq!((read.format, read.clip.num_joints(), read.clip.num_frames()), (Format::Glb, 19, 48));
    assert!((read.clip.fps() - 24.0).abs() < 1e-6, "{}", read.clip.fps());
    // The published model is about 1.5 m tall.
    let height = read.height_metres.unwrap();
    assert!((1.2..1.9).contains(&height), "{height}");
    for frame in [0, 12, 24, 47] {
        stands(&read, frame);
    }
}

#[test]
fn the_robot_has_fourteen_takes_and_dances() {
    let Some(first) = open("gltf/RobotExpressive.glb", None) else { return };
    assert_eq!(first.takes.len(), 14);
    assert_eq!(first.clip.name, "Dance");
    assert!(codes(&first).contains(&"several-takes"));
    for take in first.takes.clone() {
        let read = open("gltf/RobotExpressive.glb", Some(&take)).unwrap();
        assert_eq!(read.clip.name, take);
        assert!((read.clip.fps() - 24.0).abs() < 1e-6, "{take}: {}", read.clip.fps());
        assert_eq!(read.clip.skeleton(), first.clip.skeleton(), "{take}");
    }
    // "Running" lasts 23 frames of 1/24 s.
    assert_eq!(open("gltf/RobotExpressive.glb", Some("6")).unwrap().clip.num_frames(), 24);
    let bytes = capture("gltf/RobotExpressive.glb").unwrap();
    let options = ReadOptions { take: Some("Swim".to_owned()), ..ReadOptions::default() };
    let error = ugoki_formats::read(&bytes, None, &options).unwrap_err().to_string();
    assert!(error.contains("Swim") && error.contains("Dance"), "{error}");
}

#[test]
fn the_fox_is_no_human() {
    let Some(read) = open("gltf/Fox.glb", None) else { return };
    assert_eq!(read.takes, ["Survey", "Walk", "Run"]);
    assert_eq!((read.clip.num_joints(), read.height_metres), (24, None));
    assert!(codes(&read).contains(&"not-humanoid"), "{:?}", read.findings);
    // 83 keys over 3.4167 s are 24 a second.
    assert_eq!((read.clip.num_frames(), read.clip.fps().round()), (83, 24.0));
}

#[test]
fn the_rigged_figure_turns_between_two_keys() {
    let Some(read) = open("gltf/RiggedFigure.glb", None) else { return };
    assert_eq!((read.clip.num_joints(), read.clip.fps(), read.clip.num_frames()), (19, 24.0, 31));
    stands(&read, 0);
}

#[test]
fn the_simple_skin_bends_its_upper_joint() {
    let Some(read) = open("gltf/SimpleSkin.gltf", None) else { return };
    assert_eq!((read.format, read.clip.num_joints()), (Format::Gltf, 2));
    // The tutorial: the upper joint sits 1 above the lower and turns by up to 90 degrees about z.
    assert_eq!(read.clip.skeleton().joint(1).offset, Vec3::Y);
    let largest = (0..read.clip.num_frames())
        .map(|frame| read.clip.rotation(1, frame).to_scaled_axis().z.to_degrees())
        .fold(0.0f32, f32::max);
    assert!((largest - 90.0).abs() < 1.0, "{largest}");
}

#[test]
fn a_rig_without_motion_is_one_frame_of_rest() {
    let Some(read) = open("gltf/mesh2motion_rig_human.glb", None) else { return };
    assert_eq!(read.clip.num_frames(), 1);
    assert!(codes(&read).contains(&"no-motion"));
    let height = read.height_metres.unwrap();
    assert!((1.5..2.0).contains(&height), "{height}");
    stands(&read, 0);
    // Hands of five fingers were recognised.
    for role in [Role::LeftThumbDistal, Role::LeftLittleProximal, Role::RightIndexIntermediate] {
        assert!(read.clip.skeleton().find(role).is_some(), "{role}");
    }
}

#[test]
fn the_test_animation_of_three_vrm_keeps_its_facts() {
    let Some(read) = open("vrma/threevrm_test.vrma", None) else { return };
    assert_eq!(read.format, Format::Vrma);
    // 51 bones and a smile.
    assert_eq!(read.clip.num_joints(), 52);
    let skeleton = read.clip.skeleton();
    assert_eq!(skeleton.find(Role::Hips), Some(0));
    let happy = read.clip.expression("happy").unwrap();
    // Keys every half second: it is 1 at 1.5 s, 0 at all others, and linear between.
    let at = |seconds: f64| happy[(seconds * read.clip.fps()).round() as usize];
    assert_eq!([0.0, 0.5, 1.0, 1.25, 1.5, 2.0, 3.0].map(at), [0.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0]);
    // Seven keys over three seconds; hips rest 0.85 m high.
    assert_eq!(read.clip.seconds().round(), 3.0);
    assert!((skeleton.joint(0).offset.y - 0.85).abs() < 1e-6);
    let rest = skeleton.rest_positions();
    let at = |role: Role| rest[skeleton.find(role).unwrap()];
    assert!(at(Role::Head).y > 1.3 && at(Role::LeftFoot).y < 0.2 && at(Role::LeftHand).x > 0.5, "{rest:?}");
    println!("{:?}", read.findings);
}
