//! Added T-poses are recognised in every format that holds poses, by one function.

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::{Role, facing};
use ugoki_formats::{Companion, Format, Read, ReadOptions, WriteOptions, read, read_with, write};
use ugoki_sample as sample;
use ugoki_testing::captures;

/// Pitch of the body, pitch of the trunk and how far the arms are lowered, degrees.
const POSES: [[f32; 3]; 11] = [
    [0.0, 0.0, 0.0],
    [10.0, 0.0, 0.0],
    [20.0, 0.0, 0.0],
    [30.0, 0.0, 0.0],
    [0.0, 15.0, 0.0],
    [0.0, 30.0, 0.0],
    [0.0, 0.0, -20.0],
    [0.0, 0.0, 20.0],
    [30.0, 0.0, 20.0],
    [0.0, 0.0, 45.0],
    [0.0, 30.0, -20.0],
];

/// The clip behind a T-pose of its rest, bent as exporters do.
fn with_t_pose(clip: &Clip, [body, trunk, arms]: [f32; 3]) -> Clip {
    let skeleton = clip.skeleton().clone();
    let mut with = Clip::at_rest(skeleton.clone(), clip.fps(), clip.num_frames() + 1).unwrap();
    for frame in 0..clip.num_frames() {
        with.set_pose(frame + 1, &clip.pose(frame));
    }
    let model = with.model_pose(0);
    let front = facing(&skeleton, &model.positions).expect("a body");
    let left = Vec3::Y.cross(front).normalize();
    let mut turn = |role: Role, axis: Vec3, degrees: f32| {
        let joint = skeleton.find(role).expect("a human");
        let above = skeleton.parent(joint).map_or(Quat::IDENTITY, |parent| model.rotations[parent]);
        let world = Quat::from_axis_angle(axis, degrees.to_radians()) * model.rotations[joint];
        with.set_rotation(joint, 0, (above.conjugate() * world).normalize());
    };
    turn(Role::Hips, left, body);
    turn(Role::Spine, left, trunk);
    turn(Role::LeftUpperArm, front, -arms);
    turn(Role::RightUpperArm, front, arms);
    with
}

/// The clip through a file that does not say whether its first frame was added.
fn through(clip: &Clip, format: Format) -> Read {
    let options = WriteOptions { keep_reference: true, ..WriteOptions::usual(format) };
    let mut bytes = write(clip, format, &options, &mut ugoki_base::no_progress()).unwrap().bytes;
    for stated in [b"tpose_frame.npy".as_slice(), b"\"tposeFrame\""] {
        let at: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(stated)).collect();
        at.iter().for_each(|&at| bytes[at + 1] = b'x');
    }
    read(&bytes, Some(format.extension()), &ReadOptions::default()).unwrap()
}

#[test]
fn generated_t_poses_are_recognised_in_every_format_and_other_first_frames_are_not() {
    for name in ["walk", "wave", "front-kick"] {
        let Some(source) = sample::clip(name) else { continue };
        for fps in [30.0, 120.0] {
            let clip = source.resampled(fps).unwrap();
            for format in [Format::Bvh, Format::Glb, Format::Vrma, Format::Npz] {
                let plain = through(&clip, format);
                assert!(!plain.clip.tpose_frame, "{name} {fps} {format:?}");
                for pose in POSES {
                    let read = through(&with_t_pose(&clip, pose), format);
                    let found = read.findings.iter().any(|finding| finding.code == "tpose-frame");
                    assert!(read.clip.tpose_frame && found, "{name} {fps} {format:?} {pose:?}");
                }
            }
        }
    }
}

#[test]
fn what_a_file_states_goes_before_what_its_frames_show() {
    let clip = sample::clip("wave").unwrap();
    let mut stated = with_t_pose(&clip, [0.0; 3]);
    for marked in [true, false] {
        stated.tpose_frame = marked;
        for format in [Format::Glb, Format::Npz] {
            let options = WriteOptions { keep_reference: true, ..WriteOptions::usual(format) };
            let bytes = write(&stated, format, &options, &mut ugoki_base::no_progress()).unwrap().bytes;
            let read = read(&bytes, None, &ReadOptions::default()).unwrap();
            assert_eq!(read.clip.tpose_frame, marked, "{format:?}");
        }
    }
}

/// Rows of zeros are the T-pose of CMU's skeletons.
#[test]
fn generated_t_poses_are_recognised_in_amc() {
    let Some(folder) = captures::folder(1) else { return };
    let text = std::fs::read_to_string(folder.join("asfamc/11_01.amc")).unwrap();
    let (head, motion) = text.split_at(text.find("\n1\r\n").or_else(|| text.find("\n1\n")).unwrap() + 1);
    let mut frames: Vec<Vec<&str>> = Vec::new();
    for line in motion.lines() {
        match line.trim().parse::<u32>() {
            Ok(_) => frames.push(Vec::new()),
            Err(_) => frames.last_mut().unwrap().push(line),
        }
    }
    let row = |pitch: f32, arms: f32| -> Vec<String> {
        let zeroed = frames[0].iter().map(|line| {
            let mut words = line.split_whitespace();
            let joint = words.next().unwrap();
            let count = words.count();
            let values: Vec<String> = match joint {
                "root" => vec!["12.2", "17.4", "-40.3", &pitch.to_string(), "0", "0"]
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
                "lhumerus" => vec!["0".to_owned(), "0".to_owned(), (-arms).to_string()],
                "rhumerus" => vec!["0".to_owned(), "0".to_owned(), arms.to_string()],
                _ => vec!["0".to_owned(); count],
            };
            format!("{joint} {}", values.join(" "))
        });
        zeroed.collect()
    };
    let asf = std::fs::read(folder.join("asfamc/11.asf")).unwrap();
    for (step, fps) in [(1, 120.0), (4, 30.0)] {
        for (pitch, arms) in
            [(0.0, 0.0), (15.0, 0.0), (30.0, 0.0), (0.0, 20.0), (0.0, -20.0), (30.0, 20.0), (0.0, 45.0)]
        {
            let mut file = head.to_owned();
            let own = frames
                .iter()
                .step_by(step)
                .map(|frame| frame.iter().map(|line| (*line).to_owned()).collect());
            for (number, rows) in std::iter::once(row(pitch, arms)).chain(own).enumerate() {
                file += &format!("{}\n{}\n", number + 1, rows.join("\n"));
            }
            let options = ReadOptions { fps: Some(fps), ..ReadOptions::default() };
            let mut fetch =
                |companion: Companion<'_>| (companion == Companion::Skeleton).then(|| asf.clone());
            let read = read_with(file.as_bytes(), Some("amc"), &options, &mut fetch).unwrap();
            assert!(read.clip.tpose_frame, "{pitch} {arms} {fps}");
        }
    }
}

/// Frames inside captures are first frames without a T-pose when the capture is cut there.
#[test]
fn first_frames_of_cut_captures_are_not_taken_for_t_poses() {
    let Some(folder) = captures::folder(1) else { return };
    let (mut count, mut taken) = (0, Vec::new());
    let mut judge = |name: &str, clip: &Clip| {
        let motion = clip.motion_frames();
        for start in (motion.start + 1..motion.end.saturating_sub(40)).step_by(7) {
            count += 1;
            if clip.trimmed(start..start + 40).unwrap().starts_with_reference_frame() {
                taken.push(format!("{name} {start}"));
            }
        }
    };
    for (name, clip, _) in captures::all(&folder) {
        judge(&name, &clip);
    }
    for name in [
        "gltf/CesiumMan.glb",
        "gltf/mesh2motion_rig_human.glb",
        "vrma/threevrm_test.vrma",
        "npz/kimodo_01_single_text_prompt.npz",
    ] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        judge(name, &read(&bytes, name.split('.').next_back(), &ReadOptions::default()).unwrap().clip);
    }
    println!("{count} first frames, taken for a T-pose: {}", taken.join(", "));
    assert!(count >= 8000 && taken.len() * 1000 <= count, "{} of {count}: {taken:?}", taken.len());
}
