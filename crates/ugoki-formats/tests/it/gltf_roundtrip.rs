//! Properties of writing and reading glTF: what was written is read back, and VRMA keeps bodies where they were.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use ugoki_base::no_progress;

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::math::{Random, angle_between};
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Joint, Role, Skeleton, is_t_pose};
use ugoki_feet::contact::{ContactConfig, find_contacts};
use ugoki_formats::{Format, Read, ReadOptions, WriteError, WriteOptions, read, write};
use ugoki_sample as sample;

/// Rotation that may be lost, radians.
const SAME_ANGLE: f32 = 1e-6;
/// Distance that may be lost, metres.
const SAME_PLACE: f32 = 1e-5;

fn written(clip: &Clip, format: Format) -> Vec<u8> {
    write(clip, format, &WriteOptions { keep_reference: true, ..WriteOptions::default() }, &mut no_progress())
        .unwrap()
        .bytes
}

fn back(clip: &Clip, format: Format) -> Read {
    read(&written(clip, format), None, &ReadOptions::default()).unwrap()
}

/// A tree of joints with any names, tips and offsets, and a motion with paths.
fn random_clip(seed: u64) -> Clip {
    let mut random = Random::new(seed);
    let num_joints = 1 + random.index(14);
    let vector =
        |random: &mut Random| Vec3::from_array(std::array::from_fn(|_| random.range(-1.0, 1.0) as f32));
    let mut joints = vec![Joint::new("base", None, Vec3::Y)];
    for joint in 1..num_joints {
        let name = ["a b", "a b", "", "línea\n\"x\"", "ok", "動き"][random.index(6)];
        joints.push(Joint::new(name, Some(random.index(joint)), vector(&mut random)));
        joints[joint].tips = (0..random.index(3)).map(|_| vector(&mut random)).collect();
    }
    let skeleton = Skeleton::build(joints).unwrap();
    let frames = 1 + random.index(25);
    let fps = [12.0, 23.976, 24.0 / 1.001, 30.0, 59.94, 60.0, 120.0, 7.25][random.index(8)];
    let mut turns = vec![Quat::IDENTITY; num_joints];
    let still = random.index(num_joints);
    let mut poses = Vec::new();
    for frame in 0..frames {
        let mut pose = Pose::rest(&skeleton);
        for (joint, turn) in turns.iter_mut().enumerate() {
            if joint != still || frame == 0 {
                let v = 0.4 * vector(&mut random);
                *turn = (*turn * Quat::from_scaled_axis(v)).normalize();
            }
            pose.rotations[joint] = *turn;
        }
        pose.root = vector(&mut random);
        if num_joints > 2 {
            pose.translations.push((2, vector(&mut random)));
        }
        poses.push(pose);
    }
    let mut clip = Clip::from_poses(skeleton, fps, &poses).unwrap();
    clip.name = "a name".to_owned();
    clip.tags = vec!["walk".to_owned(), "左".to_owned()];
    clip.tpose_frame = seed.is_multiple_of(2);
    clip
}

/// The largest differences: radians, metres.
fn difference(a: &Clip, b: &Clip) -> (f32, f32) {
    assert_eq!((a.num_joints(), a.num_frames()), (b.num_joints(), b.num_frames()));
    let (mut angle, mut place) = (0.0f32, 0.0f32);
    for joint in 0..a.num_joints() {
        for frame in 0..a.num_frames() {
            angle = angle.max(angle_between(a.rotation(joint, frame), b.rotation(joint, frame)));
            place = place.max(a.local_position(joint, frame).distance(b.local_position(joint, frame)));
        }
    }
    (angle, place)
}

fn same(a: &Clip, b: &Clip) {
    assert_eq!(a.name, b.name);
    assert_eq!(a.tags, b.tags);
    assert_eq!(a.tpose_frame, b.tpose_frame);
    assert!((a.fps() / b.fps() - 1.0).abs() < 1e-9, "{} {}", a.fps(), b.fps());
    for (p, q) in a.skeleton().joints().iter().zip(b.skeleton().joints()) {
        assert_eq!((&p.name, p.parent), (&q.name, q.parent));
        assert!(p.offset.distance(q.offset) < SAME_PLACE);
        assert_eq!(p.tips.len(), q.tips.len(), "{:?}", p.name);
        assert!(p.tips.iter().zip(&q.tips).all(|(s, t)| s.distance(*t) < SAME_PLACE));
    }
    let (angle, place) = difference(a, b);
    assert!(angle < SAME_ANGLE && place < SAME_PLACE, "{angle} rad, {place} m");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_clip_comes_back_from_glb_and_gltf(seed in any::<u64>()) {
        let clip = random_clip(seed);
        for format in [Format::Glb, Format::Gltf] {
            let read = back(&clip, format);
            prop_assert_eq!(read.format, format);
            same(&clip, &read.clip);
        }
    }
}

#[test]
fn roles_come_back_by_name() {
    let clip = sample::clip("walk").unwrap();
    let read = back(&clip, Format::Glb);
    for &role in Role::ALL {
        assert_eq!(clip.skeleton().find(role), read.clip.skeleton().find(role), "{role}");
    }
}

#[test]
fn extras_hold_contacts_and_loop() {
    let clip = sample::clip("walk").unwrap();
    let contacts = find_contacts(&clip, &ContactConfig::default()).unwrap();
    let first = contacts.feet[0].heel[0].clone();
    let options = WriteOptions {
        contacts: Some(contacts.feet.clone()),
        loop_frames: Some(10..40),
        ..WriteOptions::default()
    };
    let bytes = write(&clip, Format::Gltf, &options, &mut no_progress()).unwrap().bytes;
    let json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let extras = &json["animations"][0]["extras"];
    assert_eq!(extras["loop"], serde_json::json!([10, 40]));
    assert_eq!(extras["fps"], clip.fps());
    assert_eq!(extras["contacts"]["left"]["heel"][0], serde_json::json!([first.start, first.end]));
}

#[test]
fn contacts_loops_and_tags_read_back_as_written() {
    for name in ["walk", "run", "squat", "nod"] {
        let clip = sample::clip(name).unwrap();
        let contacts = find_contacts(&clip, &ContactConfig::default()).unwrap().feet;
        let options = WriteOptions {
            contacts: Some(contacts.clone()),
            loop_frames: Some(3..clip.num_frames() - 2),
            automatic_tags: vec!["moving".to_owned(), clip.tags[0].clone()],
            ..WriteOptions::default()
        };
        for format in [Format::Glb, Format::Gltf, Format::Vrma] {
            let bytes = write(&clip, format, &options, &mut no_progress()).unwrap().bytes;
            let back = read(&bytes, None, &ReadOptions::default()).unwrap();
            assert_eq!(back.marks.contacts.as_ref(), Some(&contacts), "{name} {format:?}");
            assert_eq!(back.marks.loop_frames, options.loop_frames, "{name} {format:?}");
            assert_eq!(back.clip.tags, clip.tags, "{name} {format:?}");
            // At half the rate the frames are the nearest ones.
            let half = ReadOptions { fps: Some(clip.fps() / 2.0), ..ReadOptions::default() };
            let half = read(&bytes, None, &half).unwrap();
            let range = half.marks.loop_frames.unwrap();
            assert_eq!(range.start, 2, "{name} {format:?}");
            assert!(
                range.end.abs_diff(half.clip.num_frames()) <= 1,
                "{range:?} of {}",
                half.clip.num_frames()
            );
        }
    }
}

#[test]
fn extras_that_are_no_frames_of_the_motion_are_left_out_and_reported() {
    let clip = sample::clip("nod").unwrap();
    let bytes = write(&clip, Format::Gltf, &WriteOptions::default(), &mut no_progress());
    let json: serde_json::Value = serde_json::from_slice(&bytes.unwrap().bytes).unwrap();
    for (key, value) in [
        ("loop", serde_json::json!([5, 99_999])),
        ("loop", serde_json::json!([7, 7])),
        ("loop", serde_json::json!([-1, 7])),
        ("loop", serde_json::json!("all")),
        (
            "contacts",
            serde_json::json!({"left": {"heel": [[0, 5], [3, 9]], "toe": []}, "right": {"heel": [], "toe": []}}),
        ),
        ("contacts", serde_json::json!({"left": {"heel": []}})),
    ] {
        let mut json = json.clone();
        json["animations"][0]["extras"][key] = value.clone();
        let back = read(json.to_string().as_bytes(), None, &ReadOptions::default()).unwrap();
        assert_eq!(back.marks, ugoki_formats::Marks::default(), "{value}");
        assert!(back.findings.iter().any(|finding| finding.code == "extras-odd"), "{value}");
    }
}

/// Largest distance between the joints of one role in two clips, metres.
fn role_distance(a: &Clip, b: &Clip) -> f32 {
    let mut worst = 0.0f32;
    for frame in 0..a.num_frames() {
        let (p, q) = (a.model_pose(frame), b.model_pose(frame));
        for &role in Role::ALL {
            if let (Some(i), Some(j)) = (a.skeleton().find(role), b.skeleton().find(role)) {
                worst = worst.max(p.positions[i].distance(q.positions[j]));
            }
        }
    }
    worst
}

#[test]
fn vrma_keeps_the_roles_of_all_sample_motions_in_place() {
    for clip in sample::clips() {
        let read = back(&clip, Format::Vrma);
        assert_eq!(read.format, Format::Vrma);
        assert!((read.clip.fps() / clip.fps() - 1.0).abs() < 1e-9);
        let apart = role_distance(&clip, &read.clip);
        assert!(apart < SAME_PLACE, "{}: {apart} m", clip.name);
    }
}

#[test]
fn vrm_is_a_t_pose_on_the_ground_that_faces_z() {
    let clip = sample::clip("walk").unwrap();
    let read = back(&clip, Format::Vrm);
    assert_eq!((read.format, read.clip.num_frames()), (Format::Vrm, 1));
    let skeleton = read.clip.skeleton();
    let rest = skeleton.rest_positions();
    assert!(is_t_pose(skeleton, &rest));
    let at = |role: Role| rest[skeleton.find(role).unwrap()];
    assert!((at(Role::LeftHand) - at(Role::LeftUpperArm)).normalize().dot(Vec3::X) > 0.9999);
    assert!((at(Role::RightFoot) - at(Role::RightUpperLeg)).normalize().dot(Vec3::NEG_Y) > 0.9999);
    let lowest = rest.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    assert!((0.0..0.1).contains(&lowest), "{lowest}");
    for &role in Role::ALL {
        assert_eq!(skeleton.find(role).is_some(), clip.skeleton().find(role).is_some(), "{role}");
    }
}

#[test]
fn bodies_without_roles_are_refused_by_name() {
    let clip = random_clip(5);
    for format in [Format::Vrm, Format::Vrma] {
        let error = write(&clip, format, &WriteOptions::default(), &mut no_progress()).unwrap_err();
        assert!(matches!(error, WriteError::Unfit { .. }));
        let text = error.to_string();
        assert!(text.contains("leftUpperArm") && text.contains(format.name()), "{text}");
    }
}

#[test]
fn a_cancelled_write_ends() {
    let clip = sample::clip("walk").unwrap();
    let result = write(&clip, Format::Glb, &WriteOptions::default(), &mut |_| ControlFlow::Break(()));
    assert!(matches!(result, Err(WriteError::Cancelled(_))));
}

fn captures() -> Option<Vec<PathBuf>> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from)?;
    let mut files = Vec::new();
    for set in ["cmu/locomotion", "cmu/gesture", "cmu/sport", "cmu/physics", "dialects"] {
        for entry in std::fs::read_dir(Path::new(&folder).join(set)).unwrap() {
            files.push(entry.unwrap().path());
        }
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "bvh"));
    files.sort();
    Some(files)
}

/// Every tenth frame of every capture: enough to see any rig's rest pose and any pose's loss.
#[test]
fn captures_come_back_from_glb_and_keep_their_roles_in_vrma() {
    let Some(files) = captures() else {
        println!("skipped: UGOKI_CAPTURES is not set (2 checks on every BVH capture)");
        return;
    };
    let (mut human, mut worst, mut odd) = (0, (0.0f32, String::new()), Vec::new());
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let read = read(&std::fs::read(file).unwrap(), Some("bvh"), &ReadOptions::default()).unwrap();
        let frames: Vec<f64> = (0..read.clip.num_frames()).step_by(10).map(|frame| frame as f64).collect();
        let mut clip = read.clip.at_frames(&frames, read.clip.fps());
        clip.tpose_frame = false;
        same(&clip, &back(&clip, Format::Glb).clip);
        match write(&clip, Format::Vrma, &WriteOptions::default(), &mut no_progress()) {
            Ok(written) => {
                human += 1;
                let again = ugoki_formats::read(&written.bytes, None, &ReadOptions::default()).unwrap();
                let apart = role_distance(&clip, &again.clip);
                if apart > worst.0 {
                    worst = (apart, name.clone());
                }
                // Only joints between roles that turn, or paths of joints, may move a role; then it is said.
                let reported = written.findings.iter().any(|finding| finding.code == "joints-moved");
                assert!(apart < 1e-4 || reported, "{name}: {apart} m");
                let rest = again.clip.skeleton().rest_positions();
                if !is_t_pose(again.clip.skeleton(), &rest) {
                    println!("{name}: no T-pose");
                    odd.push(name);
                }
            }
            Err(error) => println!("{name}: {error}"),
        }
    }
    println!(
        "{} captures, {human} as VRMA; farthest role {:.1} mm in {}",
        files.len(),
        worst.0 * 1e3,
        worst.1
    );
    assert!(odd.is_empty(), "{odd:?}");
    assert!(human * 10 >= files.len() * 9, "{human} of {}", files.len());
}

/// The weights of two expressions VRM names and one of the user's, all from 0 to 1.
fn faces(clip: &Clip, seed: u64) -> Vec<(String, Vec<f32>)> {
    let mut random = Random::new(seed);
    let mut weights = || (0..clip.num_frames()).map(|_| random.range(0.0, 1.0) as f32).collect();
    ["happy", "blinkLeft", "smug"].map(|name| (name.to_owned(), weights())).to_vec()
}

#[test]
fn expressions_come_back_to_the_bit_and_leave_the_body_alone() {
    let clip = sample::clip("nod").unwrap();
    for format in [Format::Vrma, Format::Glb, Format::Gltf] {
        let faces = faces(&clip, 5);
        let (plain, read) = (back(&clip, format), back(&clip.with_expressions(&faces).unwrap(), format));
        for (name, weights) in &faces {
            assert_eq!(read.clip.expression(name).as_ref(), Some(weights), "{name} in {}", format.name());
        }
        assert_eq!(*read.clip.without_expressions(), plain.clip);
        assert_eq!((read.height_metres, read.findings), (plain.height_metres, plain.findings));
        // And once more, so that nothing is lost on a second way.
        assert_eq!(back(&read.clip, format).clip.expression("smug").as_ref(), Some(&faces[2].1));
    }
}

#[test]
fn vrma_has_named_expressions_among_its_presets_and_others_among_the_users() {
    let clip = sample::clip("nod").unwrap();
    let mut faces = faces(&clip, 6);
    faces.push(("lookUp".to_owned(), vec![0.5; clip.num_frames()]));
    let clip = clip.with_expressions(&faces).unwrap();
    let file = write(&clip, Format::Vrma, &WriteOptions::default(), &mut no_progress()).unwrap();
    let length = u32::from_le_bytes(file.bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&file.bytes[20..20 + length]).unwrap();
    let map = &json["extensions"]["VRMC_vrm_animation"]["expressions"];
    let names = |group: &str| map[group].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        (names("preset"), names("custom")),
        (vec!["blinkLeft".into(), "happy".into()], vec!["smug".into()])
    );
    // Nodes of expressions hang from nothing.
    let node = &map["preset"]["happy"]["node"];
    assert!(json["scenes"][0]["nodes"].as_array().unwrap().contains(node), "{json}");
    assert_eq!(file.findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["gaze-left-out"]);
}

#[test]
fn formats_without_faces_say_so_and_write_the_body() {
    let clip = sample::clip("nod").unwrap();
    let faced = clip.with_expressions(&faces(&clip, 7)).unwrap();
    for format in [Format::Bvh, Format::Csv, Format::Npz, Format::Trc] {
        let of = |clip: &Clip| write(clip, format, &WriteOptions::default(), &mut no_progress()).unwrap();
        let (file, plain) = (of(&faced), of(&clip));
        assert!(file.bytes == plain.bytes, "{}", format.name());
        assert!(
            file.findings.iter().any(|finding| finding.code == "expressions-left-out"),
            "{}",
            format.name()
        );
    }
}

#[test]
fn an_expression_that_is_called_as_a_joint_is_gets_a_name_of_its_own() {
    let clip = sample::clip("nod").unwrap();
    let head = vec![0.25; clip.num_frames()];
    let faced = clip.with_expressions(&[("head".to_owned(), head.clone())]).unwrap();
    let read = back(&faced, Format::Vrma);
    assert_eq!(read.clip.expression("head_expression"), Some(head));
    assert!(read.findings.iter().any(|finding| finding.code == "expression-name"), "{:?}", read.findings);
}

#[test]
fn a_reference_frame_is_left_out_of_files_that_play_and_a_finding_says_so() {
    let mut clip = sample::clip("walk").unwrap();
    clip.tpose_frame = true;
    let frames = clip.num_frames();
    let options = WriteOptions { loop_frames: Some(10..40), ..WriteOptions::default() };
    let file = write(&clip, Format::Glb, &options, &mut no_progress()).unwrap();
    assert!(file.findings.iter().any(|finding| finding.code == ugoki_formats::T_POSE_LEFT_OUT));
    let read = read(&file.bytes, None, &ReadOptions::default()).unwrap();
    assert_eq!((read.clip.num_frames(), read.clip.tpose_frame), (frames - 1, false));
    assert_eq!(read.marks.loop_frames, Some(9..39), "marks move along");
    let bvh = write(&clip, Format::Bvh, &options, &mut no_progress()).unwrap();
    assert!(
        String::from_utf8(bvh.bytes).unwrap().contains(&format!("Frames: {}", frames - 1)),
        "no reader would know it"
    );
}
