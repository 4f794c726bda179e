//! Properties of reading and writing over random skeletons, channel orders and motions.

use std::fmt::Write as _;
use std::sync::Arc;

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::{ChannelKind, Clip, UpAxis};
use ugoki_base::math::{Random, angle_between};
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Joint, Skeleton};
use ugoki_formats::bvh::{WriteOptions, read, write};
use ugoki_formats::{Read, ReadOptions};

/// Rotation that a changed frame may be off by, radians: a thousandth of a degree.
const CHANGED_ANGLE: f32 = 1.75e-5;

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
const ROTATIONS: [&str; 3] = ["Xrotation", "Yrotation", "Zrotation"];

/// A random file: a tree, an order per joint (sometimes fewer channels, sometimes positions), a smooth motion.
fn random_file(seed: u64, frames: usize) -> String {
    let mut random = Random::new(seed);
    let num_joints = 1 + random.index(8);
    let mut text = String::from("HIERARCHY\n");
    let mut open = 0;
    let mut width = 0;
    for joint in 0..num_joints {
        let mut name = if joint == 0 { "ROOT r".to_owned() } else { format!("JOINT j{joint}") };
        if random.index(4) == 0 {
            name.push_str(" with blanks:and.dots");
        }
        let offset: [f64; 3] = std::array::from_fn(|_| (random.range(-20.0, 20.0) * 1e4).round() / 1e4);
        let _ = writeln!(text, "{name}\n{{\nOFFSET {} {} {}", offset[0], offset[1], offset[2]);
        let order = ORDERS[random.index(6)];
        let count = if random.index(4) == 0 { random.index(4) } else { 3 };
        let mut channels: Vec<&str> = order[..count].iter().map(|&axis| ROTATIONS[axis]).collect();
        if joint == 0 || random.index(5) == 0 {
            let at = if random.index(3) == 0 { channels.len() } else { 0 };
            channels.splice(at..at, ["Xposition", "Yposition", "Zposition"]);
        }
        width += channels.len();
        let _ = writeln!(text, "CHANNELS {} {}", channels.len(), channels.join(" "));
        open += 1;
        if random.index(2) == 0 && open > 1 {
            text.push_str("End Site\n{\nOFFSET 0 1 0\n}\n}\n");
            open -= 1;
        }
    }
    text.push_str(&"}\n".repeat(open));
    let _ = write!(text, "MOTION\nFrames: {frames}\nFrame Time: 0.0083333\n");
    let waves: Vec<[f64; 3]> = (0..width)
        .map(|_| [random.range(-200.0, 200.0), random.range(0.0, 120.0), random.range(0.0, 6.0)])
        .collect();
    for frame in 0..frames {
        let numbers: Vec<String> = waves
            .iter()
            .map(|[middle, swing, phase]| middle + swing * (phase + frame as f64 * 0.05).sin())
            .map(|v| format!("{}", (v * 1e4).round() / 1e4))
            .collect();
        let _ = writeln!(text, "{}", numbers.join(" "));
    }
    text
}

fn options(first: &Read) -> ReadOptions {
    let offset = first.clip.source().unwrap().offset;
    ReadOptions {
        up: Some(first.up),
        unit_metres: Some(first.unit_metres),
        offset: Some(offset),
        ..ReadOptions::default()
    }
}

/// Largest step of a rotation channel between neighbouring frames, degrees.
fn largest_step(clip: &Clip) -> f64 {
    let source = clip.source().unwrap();
    let mut largest = 0.0f64;
    for frame in 1..clip.num_frames() {
        let (a, b) = (source.row(frame - 1).unwrap(), source.row(frame).unwrap());
        for (i, channel) in source.channels.iter().enumerate() {
            if matches!(channel.kind, ChannelKind::Rotation(_)) {
                largest = largest.max((a[i] - b[i]).abs());
            }
        }
    }
    largest
}

/// The largest angle between two clips, radians.
fn difference(a: &Clip, b: &Clip) -> f32 {
    (0..a.num_joints())
        .flat_map(|joint| (0..a.num_frames()).map(move |frame| (joint, frame)))
        .map(|(joint, frame)| angle_between(a.rotation(joint, frame), b.rotation(joint, frame)))
        .fold(0.0, f32::max)
}

/// A clip that comes from no file.
fn random_clip(seed: u64) -> Clip {
    let mut random = Random::new(seed);
    let num_joints = 1 + random.index(10);
    let mut joints = vec![Joint::new("", None, Vec3::Y)];
    for joint in 1..num_joints {
        let offset = Vec3::from_array(std::array::from_fn(|_| random.range(-1.0, 1.0) as f32));
        let name = ["a b", "a b", "{x}", "línea\n", "ok"][random.index(5)];
        joints.push(Joint::new(name, Some(random.index(joint)), offset));
        joints[joint].tips = vec![offset; random.index(3)];
    }
    let skeleton = Skeleton::build(joints).unwrap();
    let mut clip = Clip::at_rest(skeleton, 60.0, 20).unwrap();
    let mut turns: Vec<Quat> = vec![Quat::IDENTITY; num_joints];
    for frame in 0..20 {
        let mut pose = Pose::rest(clip.skeleton());
        for (joint, turn) in turns.iter_mut().enumerate() {
            let v: [f32; 3] = std::array::from_fn(|_| 0.2 * random.normal() as f32);
            *turn = (*turn * Quat::from_scaled_axis(v.into())).normalize();
            pose.rotations[joint] = *turn;
        }
        pose.root = Vec3::new(frame as f32 * 0.01, 1.0, random.uniform() as f32);
        if num_joints > 2 {
            pose.translations.push((2, Vec3::splat(random.uniform() as f32)));
        }
        clip.set_pose(frame, &pose);
    }
    clip.align_signs();
    clip
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn untouched_files_come_back_to_the_last_digit(seed in any::<u64>(), z_up in any::<bool>()) {
        let text = random_file(seed, 12);
        let up = if z_up { UpAxis::Z } else { UpAxis::Y };
        let first = read(text.as_bytes(), &ReadOptions { up: Some(up), ..ReadOptions::default() }).unwrap();
        let written = write(&first.clip, &WriteOptions::default());
        prop_assert_eq!(&written.findings, &[]);
        let second = read(&written.bytes, &options(&first)).unwrap();
        prop_assert_eq!(&first.clip, &second.clip);
        // Writing what was written changes no byte.
        prop_assert_eq!(written.bytes, write(&second.clip, &WriteOptions::default()).bytes);
    }

    #[test]
    fn changed_joints_are_right_and_others_keep_their_numbers(seed in any::<u64>(), turn in -3.0f32..3.0) {
        let text = random_file(seed, 40);
        let first = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let mut clip = first.clip.clone();
        let mut random = Random::new(seed);
        let joint = random.index(clip.num_joints());
        let axis = Vec3::new(random.normal() as f32, random.normal() as f32, random.normal() as f32).normalize();
        // An edit that fades in and out, as edits do.
        for frame in 10..30 {
            let fraction = (std::f32::consts::PI * (frame - 9) as f32 / 21.0).sin();
            let q = clip.rotation(joint, frame) * Quat::from_axis_angle(axis, turn * fraction);
            clip.set_rotation(joint, frame, q.normalize());
        }
        let written = write(&clip, &WriteOptions::default());
        let second = read(&written.bytes, &options(&first)).unwrap();
        prop_assert!(difference(&clip, &second.clip) < CHANGED_ANGLE, "{}", difference(&clip, &second.clip));
        let (a, b) = (first.clip.source().unwrap(), second.clip.source().unwrap());
        for (column, channel) in b.channels.iter().enumerate() {
            let Some(old) = a.channels.iter().position(|c| c == channel) else { continue };
            for frame in 0..40 {
                let (was, is) = (a.row(frame).unwrap()[old], b.row(frame).unwrap()[column]);
                if channel.joint != joint || matches!(channel.kind, ChannelKind::Position(_)) {
                    prop_assert_eq!(was, is);
                } else if frame < 10 {
                    prop_assert_eq!(was, is, "before the edit");
                }
            }
        }
    }

    #[test]
    fn edits_bring_no_whole_turns(seed in any::<u64>(), turn in -0.5f32..0.5) {
        let text = random_file(seed, 60);
        let first = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let mut clip = first.clip.clone();
        for joint in 0..clip.num_joints() {
            for frame in 20..40 {
                let fraction = (std::f32::consts::PI * (frame - 19) as f32 / 21.0).sin();
                let q = clip.rotation(joint, frame) * Quat::from_rotation_y(turn * fraction);
                clip.set_rotation(joint, frame, q.normalize());
            }
        }
        let written = write(&clip, &WriteOptions::default());
        let second = read(&written.bytes, &options(&first)).unwrap();
        let step = largest_step(&second.clip);
        // The source's steps are below 6 degrees; passing close to gimbal lock turns two angles by up to
        // half a turn, but a whole turn is never needed.
        prop_assert!(largest_step(&first.clip) < 7.0 && step < 200.0, "{step}");
    }

    #[test]
    fn clips_of_no_file_are_written_with_usual_channels(seed in any::<u64>(), z_up in any::<bool>()) {
        let clip = random_clip(seed);
        let up = if z_up { UpAxis::Z } else { UpAxis::Y };
        let written = write(&clip, &WriteOptions { up: Some(up), ..WriteOptions::default() });
        let read_options =
            ReadOptions { up: Some(up), unit_metres: Some(0.01), ..ReadOptions::default() };
        let back = read(&written.bytes, &read_options).unwrap();
        // Files list joints depth first; names identify them.
        let (from, to) = (clip.skeleton(), back.clip.skeleton());
        prop_assert_eq!(from.num_joints(), to.num_joints());
        prop_assert_eq!(back.clip.fps(), 60.0);
        let order = depth_first(from);
        for (new, &old) in order.iter().enumerate() {
            // The root's place is in its channels alone: some readers add the offset to them.
            let offset = if old == 0 { Vec3::ZERO } else { from.joint(old).offset };
            prop_assert_eq!(offset, to.joint(new).offset);
            prop_assert_eq!(&from.joint(old).tips, &to.joint(new).tips);
            for frame in 0..clip.num_frames() {
                let angle = angle_between(clip.rotation(old, frame), back.clip.rotation(new, frame));
                prop_assert!(angle < CHANGED_ANGLE, "{angle}");
                let shift = clip.local_position(old, frame) - back.clip.local_position(new, frame);
                prop_assert!(shift.length() < 1e-6, "{shift}");
            }
        }
        let mut names: Vec<&str> = to.joints().iter().map(|joint| joint.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        prop_assert_eq!(names.len(), to.num_joints(), "names are unique");
    }

    #[test]
    fn other_units_and_axes_give_the_same_motion(seed in any::<u64>(), unit in 0.001f64..2.0) {
        let text = random_file(seed, 8);
        let first = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        for up in [UpAxis::Y, UpAxis::Z] {
            let written = write(&first.clip, &WriteOptions { up: Some(up), unit_metres: Some(unit), ..WriteOptions::default() });
            let offset = first.clip.source().unwrap().offset;
            let options = ReadOptions { up: Some(up), unit_metres: Some(unit), offset: Some(offset), ..ReadOptions::default() };
            let second = read(&written.bytes, &options).unwrap();
            prop_assert!(difference(&first.clip, &second.clip) < CHANGED_ANGLE);
            for joint in 0..first.clip.num_joints() {
                for frame in 0..8 {
                    let (a, b) = (first.clip.local_position(joint, frame), second.clip.local_position(joint, frame));
                    // Positions that were their offset to 5e-5 m may come back as exactly the offset.
                    prop_assert!((a - b).length() <= 1e-4 + 1e-6 * a.length(), "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn decimals_can_be_chosen(seed in any::<u64>(), digits in 3u8..8) {
        let text = random_file(seed, 6);
        let first = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let written = write(&first.clip, &WriteOptions { digits: Some(digits), ..WriteOptions::default() });
        let second = read(&written.bytes, &options(&first)).unwrap();
        let (a, b) = (first.clip.source().unwrap(), second.clip.source().unwrap());
        for (a, b) in a.values.iter().zip(&b.values) {
            prop_assert!((a - b).abs() <= 0.5001 * 10f64.powi(-i32::from(digits)), "{a} {b}");
        }
    }

    #[test]
    fn any_bytes_after_a_good_start_are_survived(tail in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut bytes = b"HIERARCHY\nROOT r\n{\nCHANNELS 3 Xrotation Yrotation Zrotation\n".to_vec();
        bytes.extend(tail);
        if let Ok(first) = read(&bytes, &ReadOptions::default()) {
            let written = write(&first.clip, &WriteOptions::default());
            let second = read(&written.bytes, &options(&first)).unwrap();
            prop_assert_eq!(&first.clip.source().unwrap().values, &second.clip.source().unwrap().values);
        }
    }
}

fn depth_first(skeleton: &Arc<Skeleton>) -> Vec<usize> {
    let mut stack = vec![0];
    let mut order = Vec::new();
    while let Some(joint) = stack.pop() {
        order.push(joint);
        stack.extend(skeleton.children(joint).iter().rev());
    }
    order
}

#[test]
fn an_edit_that_winds_once_around_comes_back_without_a_jump() {
    // A spin of one whole turn about Y in the middle of a still motion: the frames after it are the
    // source's rotation again, one turn further on.
    let mut text =
        String::from("HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Yrotation Xrotation Zrotation\n}\n");
    text.push_str("MOTION\nFrames: 40\nFrame Time: 0.04\n");
    text.push_str(&"10 20 30\n".repeat(40));
    let first = read(text.as_bytes(), &ReadOptions::default()).unwrap();
    let mut clip = first.clip.clone();
    for frame in 10..=30 {
        let turn = std::f32::consts::TAU * (frame - 10) as f32 / 20.0;
        clip.set_rotation(0, frame, Quat::from_rotation_y(turn) * clip.rotation(0, frame));
    }
    let written = write(&clip, &WriteOptions::default());
    let second = read(&written.bytes, &options(&first)).unwrap();
    assert!(difference(&clip, &second.clip) < CHANGED_ANGLE);
    assert!(largest_step(&second.clip) < 20.0, "{}", largest_step(&second.clip));
    let last = second.clip.source().unwrap().row(39).unwrap().to_vec();
    assert!((last[0] - 370.0).abs() < 1e-3 && (last[1] - 20.0).abs() < 1e-3, "{last:?}");
}

#[test]
fn hinges_get_channels_only_when_they_turn_another_way() {
    let text = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 2\nFrame Time: 0.04\n10\n20\n";
    let first = read(text.as_bytes(), &ReadOptions::default()).unwrap();
    let mut same_axis = first.clip.clone();
    same_axis.set_rotation(0, 1, Quat::from_rotation_x(1.0));
    let written = write(&same_axis, &WriteOptions::default());
    assert_eq!(written.findings, []);
    let back = read(&written.bytes, &options(&first)).unwrap();
    assert_eq!(back.clip.source().unwrap().channels.len(), 1);
    assert!(difference(&same_axis, &back.clip) < CHANGED_ANGLE);
    let mut other = first.clip.clone();
    other.set_rotation(0, 1, Quat::from_rotation_y(1.0));
    other.root_mut().set(1, Vec3::X);
    let written = write(&other, &WriteOptions::default());
    assert_eq!(written.findings[0].code, "channels-added");
    let back = read(&written.bytes, &options(&first)).unwrap();
    assert!(difference(&other, &back.clip) < CHANGED_ANGLE);
    assert_eq!(back.clip.root().get(1), Vec3::X);
    assert_eq!(back.clip.source().unwrap().row(0).unwrap(), [0.0, 0.0, 0.0, 10.0, 0.0, 0.0]);
}
