//! The FBX files of the capture folder: unit, rate, roles, and poses against what the format says.

use std::path::PathBuf;

use glam::Vec3;
use ugoki_base::skeleton::Role;
use ugoki_formats::{Format, Read, ReadError, ReadOptions, Severity, UpAxis, read};

fn captures() -> Option<PathBuf> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: UGOKI_CAPTURES is not set (4 checks)");
    }
    folder
}

fn open(folder: &std::path::Path, name: &str, options: &ReadOptions) -> Result<Read, ReadError> {
    let bytes = std::fs::read(folder.join("fbx").join(name)).expect("the file");
    read(&bytes, None, options)
}

#[test]
fn the_jog_is_a_human_of_usual_size_that_jogs() {
    let Some(folder) = captures() else { return };
    let read = open(&folder, "ozz_pab_jog.fbx", &ReadOptions::default()).expect("the jog");
    let clip = &read.clip;
    println!("{:#?}", read.findings);
    assert_eq!((read.format, read.takes.as_slice()), (Format::Fbx, &["jog".to_owned()][..]));
    // 0 s to 0.8 s at 30 frames per second, both ends.
    assert_eq!((clip.fps(), clip.num_frames()), (30.0, 25));
    assert!((1.6..1.95).contains(&read.height_metres.unwrap()), "{:?}", read.height_metres);
    assert!((read.unit_metres - 0.01).abs() < 1e-12 && read.up == UpAxis::Y);
    let skeleton = clip.skeleton();
    let name = |role: Role| skeleton.find(role).map(|joint| skeleton.joint(joint).name.as_str());
    for (role, expected) in [
        (Role::LeftUpperLeg, "LeftUpLeg"),
        (Role::RightLowerLeg, "RightLeg"),
        (Role::LeftFoot, "LeftFoot"),
        (Role::RightUpperArm, "RightArm"),
        (Role::LeftHand, "Lefthand"),
        (Role::Head, "Head"),
    ] {
        assert_eq!(name(role), Some(expected), "{role}");
    }
    // Nubs are end sites, not joints.
    assert!(skeleton.joints().iter().all(|joint| !joint.name.ends_with("Nub")));
    let head = skeleton.find(Role::Head).unwrap();
    assert!((skeleton.joint(head).tips[0].length() - 0.183224).abs() < 1e-5);
    // Bones keep their length: nothing but the hips moves beyond a tenth of a millimetre.
    for translation in clip.translations() {
        let rest = skeleton.joint(translation.joint).offset;
        let far = translation.track.iter().map(|p| p.distance(rest)).fold(0.0f32, f32::max);
        let joint = &skeleton.joint(translation.joint).name;
        println!("{joint} leaves its offset by {:.3} mm", far * 1000.0);
    }
    // It jogs: feet come from the floor to knee height, the head stays above the hips.
    let foot = skeleton.find(Role::LeftFoot).unwrap();
    let hips = skeleton.find(Role::Hips).unwrap();
    let heights: Vec<f32> = clip.joint_path(foot).iter().map(|p| p.y).collect();
    let (low, high) = heights.iter().fold((f32::MAX, 0.0f32), |(l, h), y| (l.min(*y), h.max(*y)));
    assert!((0.03..0.25).contains(&low) && (0.4..1.0).contains(&high), "{low} {high}");
    for frame in 0..clip.num_frames() {
        let pose = clip.model_pose(frame);
        assert!(pose.positions[head].y > pose.positions[hips].y + 0.4);
    }
}

/// World places that `ufbx` itself reports for frame 0, metres (printed once from its node_to_world).
#[test]
fn rest_places_are_those_of_the_file() {
    let Some(folder) = captures() else { return };
    let read = open(&folder, "ozz_pab_jog.fbx", &ReadOptions::default()).expect("the jog");
    let skeleton = read.clip.skeleton();
    let rest = skeleton.rest_positions();
    let expected = [
        ("Spine3", [0.019, 1.296, 0.065]),
        ("LeftFoot", [0.084, 0.128, -0.208]),
        ("RightFoot", [-0.082, 0.647, -0.294]),
        ("RightHandPinky3", [-0.149, 0.936, 0.246]),
    ];
    for (name, place) in expected {
        let joint = skeleton.find_name(name).unwrap();
        // The places were printed to a millimetre.
        assert!(rest[joint].distance(Vec3::from_array(place)) < 1e-3, "{name}: {}", rest[joint]);
    }
    // The static pose of this file is its first frame.
    let first = read.clip.model_pose(0);
    for (joint, place) in rest.iter().enumerate() {
        assert!(first.positions[joint].distance(*place) < 2e-3, "{}", skeleton.joint(joint).name);
    }
}

#[test]
fn a_skinned_row_of_bones_is_read_with_its_bind_pose() {
    let Some(folder) = captures() else { return };
    let read =
        open(&folder, "assimp_animation_with_skeleton.fbx", &ReadOptions::default()).expect("the bones");
    println!("{:#?}", read.findings);
    let clip = &read.clip;
    assert_eq!(read.takes, ["Armature|ArmatureAction"]);
    // 0 s to 0.8333 s at 24 frames per second.
    assert_eq!((clip.fps(), clip.num_frames()), (24.0, 21));
    let skeleton = clip.skeleton();
    // Two chains of seven bones; their `_end` bones are end sites.
    assert_eq!(skeleton.num_joints(), 14);
    let tail = skeleton.find_name("Bone.013").unwrap();
    assert!((skeleton.joint(tail).tips[0].length() - 7.0910).abs() < 1e-2);
    assert!(read.findings.iter().any(|finding| finding.code == "not-humanoid"));
    // Bones are 4.47 m long: the armature's scale of 100 and the unit of a centimetre cancel.
    let second = skeleton.find_name("Bone.001").unwrap();
    assert!((skeleton.length(second) - 4.4693).abs() < 1e-3);
    // The first chain waves, the second stays still.
    let path = |name: &str| {
        let path = clip.joint_path(skeleton.find_name(name).unwrap());
        path.iter().map(|p| p.distance(path[0])).fold(0.0f32, f32::max)
    };
    println!("tails move by {:.3} m and {:.3} m", path("Bone.006"), path("Bone.013"));
    assert!(path("Bone.006") > 0.5 && path("Bone.013") < 1e-3);
}

#[test]
fn rates_units_and_takes_are_the_users_to_choose() {
    let Some(folder) = captures() else { return };
    let options = ReadOptions { fps: Some(60.0), unit_metres: Some(0.02), ..ReadOptions::default() };
    let double = open(&folder, "ozz_pab_jog.fbx", &options).expect("the jog");
    let plain = open(&folder, "ozz_pab_jog.fbx", &ReadOptions::default()).expect("the jog");
    assert_eq!((double.clip.fps(), double.clip.num_frames()), (60.0, 49));
    for frame in [0, 7, 24] {
        let (a, b) = (plain.clip.model_pose(frame), double.clip.model_pose(2 * frame));
        for (p, q) in a.positions.iter().zip(&b.positions) {
            assert!((*p * 2.0).distance(*q) < 1e-5);
        }
    }
    let named = ReadOptions { take: Some("jog".to_owned()), ..ReadOptions::default() };
    assert_eq!(open(&folder, "ozz_pab_jog.fbx", &named).expect("by name").clip, plain.clip);
    let missing = ReadOptions { take: Some("walk".to_owned()), ..ReadOptions::default() };
    let error = open(&folder, "ozz_pab_jog.fbx", &missing).unwrap_err();
    assert!(matches!(error, ReadError::Take { .. }) && error.to_string().contains("\"jog\""), "{error}");
    assert!(plain.findings.iter().all(|finding| finding.severity != Severity::Error));
}
