//! Every BVH of the captures folder is read with the facts its notes give, and written back the same.

use std::path::{Path, PathBuf};

use ugoki_base::clip::{RootMotion, UpAxis};
use ugoki_formats::bvh::{WriteOptions, write};
use ugoki_formats::{Read, ReadOptions, Severity, read};

/// The captures folder, or a note that a test of `checks` was skipped.
fn captures(checks: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: UGOKI_CAPTURES is not set ({checks} checks)");
    }
    folder
}

fn bvh_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "bvh") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn open(path: &Path) -> Read {
    let bytes = std::fs::read(path).expect("a readable file");
    read(&bytes, Some("bvh"), &ReadOptions::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn has(read: &Read, code: &str) -> bool {
    read.findings.iter().any(|finding| finding.code == code)
}

#[test]
fn every_file_is_written_back_with_the_same_numbers() {
    let Some(folder) = captures("one per BVH file") else { return };
    let files = bvh_files(&folder);
    for path in &files {
        let first = open(path);
        let written = write(&first.clip, &WriteOptions::default());
        assert_eq!(written.findings, [], "{}", path.display());
        let same =
            ReadOptions { up: Some(first.up), unit_metres: Some(first.unit_metres), ..Default::default() };
        let second = read(&written.bytes, None, &same).expect("our own file");
        let (a, b) = (first.clip.source().unwrap(), second.clip.source().unwrap());
        assert_eq!(a, b, "{}: channels, frame time and conventions", path.display());
        assert_eq!(first.clip, second.clip, "{}", path.display());
    }
    println!("checked {} files", files.len());
    assert!(!files.is_empty(), "no BVH below {}", folder.display());
}

#[test]
fn cmu_files_have_their_unit_rate_and_added_t_pose() {
    let Some(folder) = captures("one per CMU file") else { return };
    let files = bvh_files(&folder.join("cmu"));
    for path in &files {
        let read = open(path);
        let name = path.display();
        assert!((read.unit_metres - 0.0254 / 0.45).abs() < 1e-12, "{name}: {}", read.unit_name);
        // Grown-ups, though the trunk lacks the thorax.
        assert!((1.4..2.0).contains(&read.height_metres.unwrap()), "{name}: {:?}", read.height_metres);
        assert_eq!((read.clip.fps(), read.up), (120.0, UpAxis::Y), "{name}");
        assert_eq!(read.frame_time, 0.0083333, "{name}: the raw value is kept");
        assert!(read.clip.tpose_frame && has(&read, "tpose-frame"), "{name}");
        for code in ["line-ends", "tabs", "frame-time-rounded", "leading-dot", "unit-guess", "zero-length"] {
            assert!(has(&read, code), "{name}: {code}");
        }
        assert!(read.findings.iter().all(|finding| finding.severity < Severity::Error), "{name}");
    }
    println!("checked {} files", files.len());
}

#[test]
fn known_defects_are_reported_where_they_are() {
    let Some(folder) = captures("5") else { return };
    let zeros = |file: &str| {
        let read = open(&folder.join(file));
        read.findings.iter().find(|f| f.code == "zero-frames").map(|f| (f.line, f.message.clone()))
    };
    let (line, message) = zeros("cmu/defects/104_01.bvh").expect("a dropout");
    assert!(message.contains(" 55 frames") && line == Some(189), "{line:?} {message}");
    let (_, message) = zeros("cmu/defects/79_77.bvh").expect("a dropout");
    assert!(message.contains(" 79 frames"), "{message}");
    assert_eq!(zeros("cmu/gesture/29_08.bvh"), None);
    let tiny = open(&folder.join("cmu/defects/90_10.bvh"));
    assert!(has(&tiny, "few-frames") && tiny.clip.motion_frames().len() == 2);
    let wraps = open(&folder.join("cmu/defects/16_16.bvh"));
    assert!(has(&wraps, "channel-jumps") && has(&wraps, "glitches"));
}

/// File, metres per unit, up, frames per second, frames, codes that must be reported.
type Dialect = (&'static str, f64, UpAxis, f64, usize, &'static [&'static str]);

#[test]
fn dialects_are_read_with_their_units_axes_and_rates() {
    const Y: UpAxis = UpAxis::Y;
    const Z: UpAxis = UpAxis::Z;
    let table: &[Dialect] = &[
        ("mixamo_namespaced", 0.01, Y, 30.0, 69, &["name-characters", "joint-named-end"]),
        ("mocapbank_crlf", 0.01, Y, 30.0, 455, &["line-ends", "trailing-blanks"]),
        ("mocapbank_lf", 0.01, Y, 30.0, 455, &[]),
        ("simple_2joint", 0.01, Y, 30.0, 2, &["not-humanoid", "unit-unknown"]),
        ("blender_walk_exponents", 0.01, Y, 24.0, 101, &["exponents", "root-offset"]),
        ("biovision_classic_example", 0.0254, Y, 30.0, 2, &["few-frames"]),
        ("makehuman_walk1", 0.1, Z, 24.0, 14, &["up-z", "root-height-relative"]),
        ("makehuman_zombiewalk", 0.1, Z, 24.0, 31, &["up-z"]),
        ("makehuman_dance1_1frame", 0.1, Z, 24.0, 1, &["few-frames", "root-height-relative"]),
        ("makehuman_tpose_mixed36", 0.1, Z, 24.0, 1, &["channels-mixed", "offset-adds"]),
        ("makehuman_fight01_all6", 0.1, Z, 24.0, 1, &["position-channels", "offset-adds"]),
        ("makehuman_fly01", 0.1, Z, 24.0, 1, &["up-z", "up-disagrees"]),
        ("makehuman_face_poseunits", 0.1, Z, 24.0, 60, &["root-height-relative"]),
        ("pybvh_mixed_orders", 0.0254, Z, 30.0, 75, &["order-mixed", "up-z", "facing"]),
        ("pybvh_mixed_orders_fingers", 0.0254, Z, 120.0, 100, &["order-mixed", "up-z", "up-disagrees"]),
        ("pybvh_yxz_crlf", 0.01, Y, 120.0, 61, &["line-ends", "no-final-newline"]),
        ("pybvh_rotation_first_root", 0.01, Y, 25.0, 4, &["rotation-first", "order-mixed"]),
        ("pybvh_frame_time_precision", 0.01, Y, 24.0 / 1.001, 3, &["frame-time-rounded"]),
        ("npybvh_example", 0.0254 / 0.45, Y, 120.0, 75, &["tpose-frame", "glitches"]),
        ("threejs_pirouette", 0.01, Y, 120.0, 592, &["order-mixed", "exponents"]),
        ("pymo_8walk_xyz", 0.0254, Y, 120.0, 1064, &["root-offset", "joint-named-end"]),
        ("animutils_custom_72fps", 0.01, Y, 72.0, 47, &["exponents", "root-height-relative"]),
        ("animutils_mh_cmu_1frame", 0.01, Y, 30.0, 1, &["few-frames", "root-height-relative"]),
        ("visutils_walk_72fps", 0.01, Y, 72.0, 47, &["root-height-relative", "rest-not-tpose"]),
        ("godotvr_root_without_channels", 1.0, Y, 72.0, 100, &["root-channels", "not-humanoid"]),
        ("fairmotion_sinusoidal", 0.01, Y, 60.0, 120, &["end-site-missing", "not-humanoid"]),
        ("fairmotion_pfnn_hierarchy", 1.0, Y, 30.0, 60, &["line-ends", "no-final-newline"]),
        ("dme_neural_output_raw", 0.0254 / 0.45, Y, 30.0, 36, &["channel-jumps"]),
        ("dme_neural_output_fixed", 0.0254 / 0.45, Y, 30.0, 36, &["channel-jumps"]),
    ];
    let Some(folder) = captures(&table.len().to_string()) else { return };
    for &(name, unit, up, fps, frames, codes) in table {
        let read = open(&folder.join("dialects").join(name).with_extension("bvh"));
        assert!((read.unit_metres / unit - 1.0).abs() < 1e-12, "{name}: {} m", read.unit_metres);
        assert_eq!((read.up, read.clip.fps(), read.clip.num_frames()), (up, fps, frames), "{name}");
        for code in codes {
            assert!(has(&read, code), "{name}: {code} is not among {:?}", read.findings);
        }
    }
}

#[test]
fn line_ends_do_not_matter() {
    let Some(folder) = captures("1") else { return };
    let crlf = open(&folder.join("dialects/mocapbank_crlf.bvh"));
    let lf = open(&folder.join("dialects/mocapbank_lf.bvh"));
    assert_eq!(crlf.clip, lf.clip);
}

#[test]
fn z_up_bodies_stand_and_go_out_with_y_up() {
    let Some(folder) = captures("2") else { return };
    let bytes = std::fs::read(folder.join("dialects/pybvh_mixed_orders.bvh")).expect("a readable file");
    let first = read(&bytes, None, &ReadOptions::default()).expect("a readable file");
    let head = first.clip.skeleton().find(ugoki_base::skeleton::Role::Head).expect("a head");
    let pose = first.clip.model_pose(10);
    let trunk = pose.positions[head] - pose.positions[0];
    assert!(trunk.y > 0.4 && pose.positions[0].y > 0.7, "{trunk}");
    let y_up = write(&first.clip, &WriteOptions { up: Some(UpAxis::Y), ..Default::default() });
    let second = read(&y_up.bytes, None, &ReadOptions::default()).expect("our own file");
    assert_eq!(second.up, UpAxis::Y);
    for frame in [0, 40, 74] {
        let (a, b) = (first.clip.model_pose(frame), second.clip.model_pose(frame));
        for (a, b) in a.positions.iter().zip(&b.positions) {
            // 1e-5 m: a millionth of a degree over a body's length is 1e-8 m, f32 sums lose 1e-6.
            assert!((*a - *b).length() < 1e-5, "{a} {b}");
        }
    }
}

#[test]
fn straight_walks_have_a_steady_root() {
    let walks = ["35_05", "16_15", "16_21"];
    let Some(folder) = captures(&walks.len().to_string()) else { return };
    for path in bvh_files(&folder.join("cmu")) {
        if !walks.iter().any(|walk| path.file_stem().is_some_and(|stem| stem == *walk)) {
            continue;
        }
        let clip = open(&path).clip;
        let extracted = clip.with_root_motion(RootMotion::Extract);
        let (mut low, mut high) = (f32::MAX, f32::MIN);
        for frame in clip.motion_frames() {
            let q = extracted.rotation(0, frame);
            let degrees = (2.0 * q.y.atan2(q.w)).to_degrees();
            (low, high) = (low.min(degrees), high.max(degrees));
            let (a, b) = (clip.model_pose(frame), extracted.model_pose(frame));
            for (a, b) in a.positions.iter().zip(&b.positions[1..]) {
                assert!((*a - *b).length() < 1e-4, "{}: the world changed", path.display());
            }
        }
        println!("{}: heading {low:.1}..{high:.1} degrees", path.display());
        assert!(high - low < 3.0, "{}: {low}..{high} degrees", path.display());
    }
}
