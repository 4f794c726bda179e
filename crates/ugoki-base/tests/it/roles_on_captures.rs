//! Roles, measures and T-poses on real skeletons: every BVH under `UGOKI_CAPTURES`.

use std::path::{Path, PathBuf};

use glam::{EulerRot, Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{
    Joint, Role, RoleSource, Side, Skeleton, assign_roles, assign_roles_in_pose, body_height, facing,
    is_t_pose, leg_length, mirror_axis, mirror_map, up_direction,
};

/// Frames read of each file: enough to see how fast it moves.
const NUM_FRAMES: usize = 12;

/// A BVH's hierarchy, its channels in file order, and its first frames: all that these tests need.
struct Capture {
    joints: Vec<Joint>,
    channels: Vec<(usize, String)>,
    frames: Vec<Vec<f32>>,
}

fn read(path: &Path) -> Capture {
    let bytes = std::fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let mut capture = Capture { joints: Vec::new(), channels: Vec::new(), frames: Vec::new() };
    // The open blocks: a joint, or the end site of one.
    let (mut open, mut next): (Vec<(usize, bool)>, (usize, bool)) = (Vec::new(), (0, false));
    for line in text.lines().map(str::trim) {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or("").to_uppercase();
        let numbers =
            || line.split_whitespace().filter_map(|word| word.replace(',', ".").parse::<f32>().ok());
        match first.as_str() {
            "ROOT" | "JOINT" => {
                let name = line[first.len()..].trim().trim_end_matches('{').trim();
                let parent = open.last().map(|block| block.0);
                next = (capture.joints.len(), false);
                capture.joints.push(Joint::new(name, parent, Vec3::ZERO));
            }
            "END" => next = (open.last().unwrap().0, true),
            "{" => open.push(next),
            "}" => drop(open.pop()),
            "OFFSET" => {
                let v: Vec<f32> = numbers().collect();
                let (joint, is_end) = *open.last().unwrap();
                let v = Vec3::new(v[0], v[1], v[2]);
                if is_end { capture.joints[joint].tips.push(v) } else { capture.joints[joint].offset = v }
            }
            "CHANNELS" => {
                let joint = open.last().unwrap().0;
                capture.channels.extend(words.skip(1).map(|channel| (joint, channel.to_lowercase())));
            }
            _ if open.is_empty() && capture.frames.len() < NUM_FRAMES && !capture.channels.is_empty() => {
                let row: Vec<f32> = numbers().collect();
                if row.len() == capture.channels.len() && !line.contains(':') {
                    capture.frames.push(row);
                }
            }
            _ => {}
        }
    }
    capture
}

impl Capture {
    /// The frames read, as a clip; position channels replace offsets.
    fn clip(&self) -> Clip {
        let skeleton = Skeleton::build(self.joints.clone()).unwrap();
        let pose = |frame: &Vec<f32>| {
            let mut pose = Pose::rest(&skeleton);
            let mut places: Vec<Vec3> = self.joints.iter().map(|joint| joint.offset).collect();
            for ((joint, channel), value) in self.channels.iter().zip(frame) {
                let axis = usize::from(channel.as_bytes()[0] - b'x');
                if channel.ends_with("position") {
                    places[*joint][axis] = *value;
                } else {
                    let angles = [0, 1, 2].map(|a| if a == axis { value.to_radians() } else { 0.0 });
                    pose.rotations[*joint] *=
                        Quat::from_euler(EulerRot::XYZ, angles[0], angles[1], angles[2]);
                }
            }
            pose.root = places[0];
            let moves = |joint: &usize| {
                self.channels.iter().any(|(of, channel)| of == joint && channel.ends_with("position"))
            };
            pose.translations = (1..places.len()).filter(moves).map(|joint| (joint, places[joint])).collect();
            for q in &mut pose.rotations {
                *q = q.normalize();
            }
            pose
        };
        let poses: Vec<Pose> = self.frames.iter().map(pose).collect();
        Clip::from_poses(skeleton.clone(), 30.0, &poses).unwrap()
    }
}

/// Every BVH below the folder of captures, sorted; `None` and a notice of how many checks are skipped when there
/// is no folder.
fn captures(checks: usize) -> Option<(PathBuf, Vec<PathBuf>)> {
    let Some(root) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("skipped: UGOKI_CAPTURES is not set ({checks} checks)");
        return None;
    };
    let (mut folders, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("bvh")) {
                files.push(path);
            }
        }
    }
    files.sort();
    Some((root, files))
}

/// Files whose skeleton is no whole human; everything else must be found whole.
const NOT_HUMAN: [&str; 5] = [
    "dialects/fairmotion_sinusoidal.bvh",
    "dialects/godotvr_root_without_channels.bvh",
    "dialects/pybvh_frame_time_precision.bvh",
    "dialects/pybvh_rotation_first_root.bvh",
    "dialects/simple_2joint.bvh",
];

/// Metres per unit of a file, by what the notes on the captures say; decimetres are MakeHuman's.
fn unit_metres(name: &str) -> f32 {
    let starts = |prefix: &str| name.starts_with(prefix);
    if starts("cmu/") || starts("dialects/dme_") || starts("dialects/npybvh_example") {
        0.0254 / 0.45
    } else if starts("dialects/pymo") || starts("dialects/pybvh_mixed") || starts("dialects/biovision") {
        0.0254
    } else if starts("dialects/makehuman") {
        0.1
    } else if starts("dialects/fairmotion_pfnn") {
        1.0
    } else {
        0.01
    }
}

/// The roles that shape must find as names do.
const CORE: [Role; 14] = [
    Role::Hips,
    Role::Head,
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::RightHand,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
];

/// One row of the table in `docs/results/roles.md`.
struct Row {
    name: String,
    num_joints: usize,
    names: RoleSource,
    /// Core roles by names.
    found: usize,
    /// How the shape was read: from the rest pose, from frame 0, or not at all.
    shape: &'static str,
    /// Core roles on which the shape disagrees with the names.
    wrong: Vec<String>,
    metres: Option<f32>,
}

fn row(root: &Path, file: &Path) -> Row {
    let name = file.strip_prefix(root).unwrap().display().to_string();
    let mut capture = read(file);
    let names = assign_roles(&mut capture.joints);
    let skeleton = Skeleton::build(capture.joints.clone()).unwrap();
    let mut stripped = capture.joints.clone();
    stripped.iter_mut().for_each(|joint| joint.name.clear());
    let mut shape = "rest";
    if assign_roles(&mut stripped) == RoleSource::None && !capture.frames.is_empty() {
        shape = "frame 0";
        if assign_roles_in_pose(&mut stripped, &capture.clip().model_pose(0).positions) == RoleSource::None {
            shape = "none";
        }
    }
    let shaped = Skeleton::build(stripped).unwrap();
    let wrong = |role: &&Role| shape != "none" && shaped.find(**role) != skeleton.find(**role);
    Row {
        num_joints: skeleton.num_joints(),
        names,
        found: CORE.iter().filter(|role| skeleton.find(**role).is_some()).count(),
        shape,
        wrong: CORE.iter().filter(wrong).map(ToString::to_string).collect(),
        metres: body_height(&skeleton).map(|height| height * unit_metres(&name)),
        name,
    }
}

#[test]
fn names_and_shape_agree_on_every_human() {
    let Some((root, files)) = captures(134) else { return };
    println!("| file | joints | names | shape from | core roles by names | shape disagrees | stature, m |");
    println!("|---|---|---|---|---|---|---|");
    let mut problems = Vec::new();
    for file in files {
        let Row { name, num_joints, names, found, shape, wrong, metres } = row(&root, &file);
        let stature = metres.map_or("-".into(), |metres| format!("{metres:.2}"));
        let wrong_roles = if wrong.is_empty() { "-".into() } else { wrong.join(", ") };
        println!("| {name} | {num_joints} | {names:?} | {shape} | {found} | {wrong_roles} | {stature} |");
        if NOT_HUMAN.contains(&name.as_str()) {
            if shape != "none" {
                problems.push(format!("{name}: a shape was seen in what is no human"));
            }
            continue;
        }
        if found != CORE.len() || names != RoleSource::Names {
            problems.push(format!("{name}: names give {found} of {} core roles", CORE.len()));
        }
        if shape == "none" || !wrong.is_empty() {
            problems.push(format!("{name}: shape from {shape} disagrees on {wrong:?}"));
        }
        // Adults from short to tall; CMU's bodies lack 12 cm of thorax.
        if !metres.is_some_and(|metres| (1.45..2.0).contains(&metres)) {
            problems.push(format!("{name}: stature {metres:?} m"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn shape_in_motion_is_right_or_silent() {
    let Some((root, files)) = captures(134) else { return };
    let (mut right, mut silent, mut wrong) = (0, 0, Vec::new());
    for file in files {
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        let mut capture = read(&file);
        assign_roles(&mut capture.joints);
        let clip = capture.clip();
        let mut stripped = capture.joints.clone();
        stripped.iter_mut().for_each(|joint| joint.name.clear());
        let places = clip.model_pose(clip.num_frames() - 1).positions;
        if assign_roles_in_pose(&mut stripped, &places) == RoleSource::None {
            silent += 1;
            continue;
        }
        let differs = |role: &&Role| {
            let at = |joints: &[Joint]| joints.iter().position(|joint| joint.role == Some(**role));
            at(&stripped) != at(&capture.joints)
        };
        let bad: Vec<String> = CORE.iter().filter(differs).map(ToString::to_string).collect();
        if bad.is_empty() {
            right += 1;
        } else {
            wrong.push(format!("{name}: {}", bad.join(", ")));
        }
    }
    println!("shape in motion: {right} right, {silent} silent, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cmu_files_begin_with_an_added_t_pose_and_others_do_not() {
    let Some((root, files)) = captures(134) else { return };
    let mut wrong = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        let mut capture = read(&file);
        assign_roles(&mut capture.joints);
        let clip = capture.clip();
        // One more file comes from CMU, and Poser's exporter puts a T-pose in front too.
        let added = ["dialects/npybvh_example.bvh", "dialects/threejs_pirouette.bvh"];
        let expected = name.starts_with("cmu/") || added.contains(&name.as_str());
        if clip.starts_with_reference_frame() != expected {
            wrong.push(format!("{name}: expected {expected}"));
        }
        if name.starts_with("cmu/") {
            let (skeleton, places) = (clip.skeleton(), clip.model_pose(0).positions);
            assert!(is_t_pose(skeleton, &places), "{name}");
            // CMU's T-pose stands upright along Y and faces Z; its hip joints lie before its shoulders, so the
            // trunk, and the facing with it, lean back by up to 15 degrees.
            assert!(up_direction(skeleton, &places).unwrap().y > 0.99, "{name}");
            assert!(facing(skeleton, &places).unwrap().z > 0.96, "{name}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn leg_lengths_are_those_of_the_notes() {
    let Some((root, files)) = captures(10) else { return };
    // Thigh and shin, metres, from the notes on the captures.
    let legs = [
        ("35", 0.866),
        ("16", 0.836),
        ("69", 0.852),
        ("02", 0.840),
        ("08", 0.788),
        ("83", 0.758),
        ("104", 0.809),
        ("111", 0.748),
        ("10", 0.863),
        ("24", 0.897),
    ];
    for file in files.iter().filter(|file| file.strip_prefix(&root).unwrap().starts_with("cmu")) {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let Some((_, wanted)) = legs.iter().find(|(subject, _)| stem.split('_').next() == Some(*subject))
        else {
            continue;
        };
        let mut capture = read(file);
        assign_roles(&mut capture.joints);
        let skeleton = Skeleton::build(capture.joints).unwrap();
        let length = |role: Role| skeleton.length(skeleton.find(role).unwrap()) * 0.0254 / 0.45;
        // The notes give the left leg to a millimetre.
        let left = length(Role::LeftLowerLeg) + length(Role::LeftFoot);
        assert!((left - wanted).abs() < 0.001, "{stem}: {left} against {wanted}");
        let right = length(Role::RightLowerLeg) + length(Role::RightFoot);
        let leg = leg_length(&skeleton).unwrap() * 0.0254 / 0.45;
        assert!((leg - 0.5 * (left + right)).abs() < 1e-5, "{stem}: {leg}");
    }
}

#[test]
fn every_sided_joint_has_a_partner_and_mirroring_twice_changes_nothing() {
    let Some((root, files)) = captures(134) else { return };
    for file in files {
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        let mut capture = read(&file);
        assign_roles(&mut capture.joints);
        let clip = capture.clip();
        let skeleton = clip.skeleton();
        let map = mirror_map(skeleton);
        for (joint, &partner) in map.iter().enumerate() {
            assert_eq!(map[partner], joint, "{name}");
            let at = skeleton.joint(joint);
            if let Some(role) = at.role
                && let Some(other) = skeleton.find(role.mirrored())
            {
                assert_eq!(partner, other, "{name}: {}", at.name);
            }
            let sided = at.role.and_then(Role::side) == Some(Side::Left) || at.name.starts_with("Left");
            if sided && !NOT_HUMAN.contains(&name.as_str()) {
                assert_ne!(partner, joint, "{name}: {} has no partner", at.name);
            }
        }
        let mirrored = clip.mirrored();
        assert_eq!(mirrored.mirrored(), clip, "{name}");
        if let Some(leg) = leg_length(skeleton) {
            let axis = mirror_axis(skeleton);
            let mut worst: f32 = 0.0;
            for frame in 0..clip.num_frames() {
                let (was, is) = (clip.model_pose(frame).positions, mirrored.model_pose(frame).positions);
                for (joint, &partner) in map.iter().enumerate() {
                    let seen = was[partner] - 2.0 * axis * was[partner].dot(axis);
                    worst = worst.max(is[joint].distance(seen) / leg);
                }
            }
            println!(
                "{name}: joints stand off their mirror images by up to {:.1} % of the leg",
                100.0 * worst
            );
            assert!(worst < 0.15, "{name}: {worst}");
        }
    }
}
