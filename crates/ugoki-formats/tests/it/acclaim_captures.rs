//! The AMC and BVH twins of one CMU take, and what the other Acclaim files give.

use std::path::PathBuf;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;
use ugoki_formats::{Companion, Format, Read, ReadError, ReadOptions, Severity, read, read_with};

fn captures() -> Option<PathBuf> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: UGOKI_CAPTURES is not set (4 checks)");
    }
    folder
}

fn read_amc(folder: &std::path::Path, name: &str, options: &ReadOptions) -> Result<Read, ReadError> {
    let bytes = std::fs::read(folder.join("asfamc").join(name)).expect("the motion");
    let subject = name.split('_').next().unwrap_or(name).to_owned();
    read_with(&bytes, Some("amc"), options, &mut |companion| match companion {
        Companion::Skeleton => std::fs::read(folder.join(format!("asfamc/{subject}.asf"))).ok(),
        Companion::Named(_) => None,
    })
}

/// Joints of the BVH and of the ASF that are one.
const TWINS: [(&str, &str); 13] = [
    ("Hips", "root"),
    ("LeftUpLeg", "lfemur"),
    ("LeftLeg", "ltibia"),
    ("LeftFoot", "lfoot"),
    ("LeftToeBase", "ltoes"),
    ("RightUpLeg", "rfemur"),
    ("RightLeg", "rtibia"),
    ("RightFoot", "rfoot"),
    ("RightToeBase", "rtoes"),
    ("LHipJoint", "lhipjoint"),
    ("RHipJoint", "rhipjoint"),
    ("Spine", "upperback"),
    ("Spine1", "thorax"),
];

/// Bones above the thorax, from joint to joint: (BVH from, to), (ASF from, to).
const BONES: [[&str; 4]; 8] = [
    ["Neck", "Neck1", "lowerneck", "upperneck"],
    ["Neck1", "Head", "upperneck", "head"],
    ["LeftShoulder", "LeftArm", "lclavicle", "lhumerus"],
    ["LeftArm", "LeftForeArm", "lhumerus", "lradius"],
    ["LeftForeArm", "LeftHand", "lradius", "lwrist"],
    ["RightShoulder", "RightArm", "rclavicle", "rhumerus"],
    ["RightArm", "RightForeArm", "rhumerus", "rradius"],
    ["RightForeArm", "RightHand", "rradius", "rwrist"],
];

fn joint(clip: &Clip, name: &str) -> usize {
    clip.skeleton().find_name(name).unwrap_or_else(|| panic!("{name} is missing"))
}

/// Angle between two vectors, degrees, in f64 so that small ones are measurable.
fn degrees(a: Vec3, b: Vec3) -> f64 {
    let (a, b) = (a.as_dvec3(), b.as_dvec3());
    a.cross(b).length().atan2(a.dot(b)).to_degrees()
}

#[test]
fn the_amc_and_bvh_twins_agree() {
    let Some(folder) = captures() else { return };
    let amc = read_amc(&folder, "11_01.amc", &ReadOptions::default()).expect("the motion").clip;
    let bytes = std::fs::read(folder.join("cmu/sport/11_01.bvh")).expect("its twin");
    let bvh = read(&bytes, None, &ReadOptions::default()).expect("its twin").clip;
    assert!(bvh.tpose_frame && !amc.tpose_frame);
    assert_eq!(amc.num_frames() + 1, bvh.num_frames());
    assert_eq!(amc.fps(), bvh.fps());
    let mut far = [0.0f32; TWINS.len()];
    let mut apart = [0.0f64; BONES.len()];
    let mut thorax = (f32::INFINITY, 0.0f32);
    for frame in 0..amc.num_frames() {
        let (a, b) = (amc.model_pose(frame), bvh.model_pose(frame + 1));
        for (far, (in_bvh, in_amc)) in far.iter_mut().zip(TWINS) {
            let d = a.positions[joint(&amc, in_amc)].distance(b.positions[joint(&bvh, in_bvh)]);
            *far = far.max(d);
        }
        for (apart, names) in apart.iter_mut().zip(BONES) {
            let along = |clip: &Clip, pose: &ugoki_base::pose::ModelPose, from: &str, to: &str| {
                pose.positions[joint(clip, to)] - pose.positions[joint(clip, from)]
            };
            let in_bvh = along(&bvh, &b, names[0], names[1]);
            *apart = apart.max(degrees(in_bvh, along(&amc, &a, names[2], names[3])));
        }
        // What the BVH lacks.
        let gap = a.positions[joint(&amc, "lowerneck")].distance(b.positions[joint(&bvh, "Neck")]);
        thorax = (thorax.0.min(gap), thorax.1.max(gap));
    }
    for ((in_bvh, in_amc), far) in TWINS.iter().zip(far) {
        println!("{in_bvh} = {in_amc}: {:.4} mm apart at most", far * 1000.0);
        assert!(far < 1e-3, "{in_bvh} = {in_amc}: {far} m");
    }
    for (names, apart) in BONES.iter().zip(apart) {
        println!("{} – {}: {apart:.5} degrees apart at most", names[0], names[1]);
        assert!(apart < 0.01, "{names:?}: {apart} degrees");
    }
    println!("neck above neck: {:.2} to {:.2} mm", thorax.0 * 1000.0, thorax.1 * 1000.0);
    // 2.20822 units of 0.0254/0.45 m; 1 mm as for the other joints.
    assert!((thorax.0 - 0.1246).abs() < 1e-3 && (thorax.1 - 0.1246).abs() < 1e-3, "{thorax:?}");
}

#[test]
fn roles_are_those_of_the_bvh_twin() {
    let Some(folder) = captures() else { return };
    let amc = read_amc(&folder, "11_01.amc", &ReadOptions::default()).expect("the motion");
    let of = |role: Role| amc.clip.skeleton().find(role).map(|j| amc.clip.skeleton().joint(j).name.as_str());
    let expected = [
        (Role::Hips, "root"),
        (Role::Spine, "lowerback"),
        (Role::Chest, "upperback"),
        (Role::UpperChest, "thorax"),
        (Role::Neck, "lowerneck"),
        (Role::Head, "head"),
        (Role::LeftShoulder, "lclavicle"),
        (Role::LeftUpperArm, "lhumerus"),
        (Role::LeftLowerArm, "lradius"),
        (Role::LeftHand, "lwrist"),
        (Role::RightShoulder, "rclavicle"),
        (Role::RightUpperArm, "rhumerus"),
        (Role::RightLowerArm, "rradius"),
        (Role::RightHand, "rwrist"),
        (Role::LeftUpperLeg, "lfemur"),
        (Role::LeftLowerLeg, "ltibia"),
        (Role::LeftFoot, "lfoot"),
        (Role::LeftToes, "ltoes"),
        (Role::RightUpperLeg, "rfemur"),
        (Role::RightLowerLeg, "rtibia"),
        (Role::RightFoot, "rfoot"),
        (Role::RightToes, "rtoes"),
    ];
    for (role, name) in expected {
        assert_eq!(of(role), Some(name), "{role}");
    }
    assert_eq!(amc.format, Format::Amc);
    assert!((amc.unit_metres - 0.0254 / 0.45).abs() < 1e-12);
    // CMU subject 11 with the thorax that the BVH lacks.
    assert!((1.55..1.85).contains(&amc.height_metres.unwrap()), "{:?}", amc.height_metres);
    let rate = amc
        .findings
        .iter()
        .find(|finding| finding.code == "rate-missing")
        .expect("a finding about the missing rate");
    assert_eq!(rate.severity, Severity::Warning);
    let slow = ReadOptions { fps: Some(60.0), ..ReadOptions::default() };
    let slow = read_amc(&folder, "11_01.amc", &slow).expect("the motion");
    assert_eq!(slow.clip.fps(), 60.0);
    assert!(slow.findings.iter().all(|finding| finding.code != "rate-missing"));
}

#[test]
fn a_motion_without_its_skeleton_says_which_names_were_tried() {
    let Some(folder) = captures() else { return };
    let error = read_amc(&folder, "08_02.amc", &ReadOptions::default()).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, ReadError::NoSkeleton { .. }));
    assert!(text.contains("11.asf for 11_01.amc") && text.contains("steve.ASF"), "{text}");
    assert!(error.hint().unwrap().contains("ASF file"));
    // With another subject's skeleton it reads: the bones have the same names.
    let bytes = std::fs::read(folder.join("asfamc/08_02.amc")).expect("the motion");
    let asf = std::fs::read(folder.join("asfamc/11.asf")).expect("a skeleton");
    let mut fetch = |companion: Companion<'_>| (companion == Companion::Skeleton).then(|| asf.clone());
    let read = read_with(&bytes, None, &ReadOptions::default(), &mut fetch).expect("the motion");
    assert!(read.findings.iter().all(|finding| finding.severity != Severity::Error), "{:#?}", read.findings);
    assert!(read.clip.num_frames() > 100);
}

#[test]
fn a_skeleton_alone_is_one_frame_at_rest() {
    let Some(folder) = captures() else { return };
    let bytes = std::fs::read(folder.join("asfamc/11.asf")).expect("the skeleton");
    let read = read(&bytes, None, &ReadOptions::default()).expect("the skeleton");
    assert_eq!((read.format, read.clip.num_frames(), read.clip.num_joints()), (Format::Asf, 1, 31));
    let pose = read.clip.model_pose(0);
    assert_eq!(pose.positions, read.clip.skeleton().rest_positions());
    assert!(ugoki_base::skeleton::is_t_pose(read.clip.skeleton(), &pose.positions));
}
