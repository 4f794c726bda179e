//! Broken and odd Acclaim files: each is read with the right values and the right finding, or refused with a
//! place and a hint. Nothing panics.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::UpAxis;
use ugoki_formats::{
    Companion, Format, OffsetMode, Read, ReadError, ReadOptions, Severity, detect, read, read_with,
};

/// Hips, one leg of two bones, and a spine; unit centimetres would be absurd, so units are stated.
const ASF: &str = "# made for a test
:version 1.10
:name test
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  free text, begin end
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name thigh
    direction 0 -1 0
    length 8
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
    id 2
    name shin
    direction 0 -1 0
    length 7
    axis 90 0 0 XYZ
    dof rx
    limits (-10.0 170.0)
  end
  begin
    id 3
    name back
    direction 0 1 0
    length 10
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root thigh back
    thigh shin
  end
";
const AMC: &str = "#!OML:ASF F:\\dir\\test.ASF
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 10 20 30
thigh 5 6 7
shin 40
2
root 2 3 4 11 21 31
thigh 6 7 8
shin 41
";

fn open_with(asf: &str, amc: &str, options: &ReadOptions) -> Result<Read, ReadError> {
    let mut fetch =
        |companion: Companion<'_>| (companion == Companion::Skeleton).then(|| asf.as_bytes().to_vec());
    read_with(amc.as_bytes(), Some("amc"), options, &mut fetch)
}

fn open(asf: &str, amc: &str) -> Read {
    open_with(asf, amc, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}\n{asf}{amc}"))
}

#[track_caller]
fn found(read: &Read, code: &str) -> (Option<u32>, Severity) {
    let finding = read.findings.iter().find(|finding| finding.code == code);
    let finding = finding.unwrap_or_else(|| panic!("{code} is not among {:#?}", read.findings));
    (finding.line, finding.severity)
}

/// Rotation of angles applied in the order x, y, z.
fn turned(x: f32, y: f32, z: f32) -> Quat {
    let r = f32::to_radians;
    Quat::from_rotation_z(r(z)) * Quat::from_rotation_y(r(y)) * Quat::from_rotation_x(r(x))
}

fn same(a: Quat, b: Quat) -> bool {
    a.dot(b).abs() > 1.0 - 1e-6
}

const UNIT: f32 = 0.0254 / 0.45;

#[test]
fn a_plain_pair_gives_the_rotations_of_the_definition() {
    let read = open(ASF, AMC);
    let clip = &read.clip;
    let names: Vec<&str> = clip.skeleton().joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["root", "thigh", "shin", "back"]);
    assert_eq!((read.format, clip.num_frames(), clip.fps()), (Format::Amc, 2, 120.0));
    assert!(clip.root().get(0).distance(Vec3::new(1.0, 2.0, 3.0) * UNIT) < 1e-6);
    assert!(same(clip.rotation(0, 0), turned(10.0, 20.0, 30.0)));
    let frame = turned(0.0, 0.0, 20.0);
    assert!(same(clip.rotation(1, 0), frame * turned(5.0, 6.0, 7.0) * frame.conjugate()));
    let frame = turned(90.0, 0.0, 0.0);
    assert!(same(clip.rotation(2, 1), frame * turned(41.0, 0.0, 0.0) * frame.conjugate()));
    assert!(same(clip.rotation(3, 1), Quat::IDENTITY));
    let skeleton = clip.skeleton();
    assert_eq!(skeleton.joint(1).offset, Vec3::ZERO);
    assert!(skeleton.joint(2).offset.distance(Vec3::Y * -8.0 * UNIT) < 1e-6);
    assert!(skeleton.joint(2).tips[0].distance(Vec3::Y * -7.0 * UNIT) < 1e-6);
    assert!(skeleton.joint(3).tips[0].distance(Vec3::Y * 10.0 * UNIT) < 1e-6);
    found(&read, "rate-missing");
    assert!(read.findings.iter().all(|finding| finding.severity != Severity::Error));
}

#[test]
fn orders_and_units_of_angle_are_obeyed() {
    // The order of dof is the order of application and of the values.
    let asf = ASF.replace("dof rx ry rz", "dof rz rx");
    let amc = AMC.replace("thigh 5 6 7", "thigh 5 6").replace("thigh 6 7 8", "thigh 6 7");
    let clip = open(&asf, &amc).clip;
    let frame = turned(0.0, 0.0, 20.0);
    let inner = Quat::from_rotation_x(6f32.to_radians()) * Quat::from_rotation_z(5f32.to_radians());
    assert!(same(clip.rotation(1, 0), frame * inner * frame.conjugate()));
    // The root's values in another order.
    let asf = ASF.replace("order TX TY TZ RX RY RZ", "order RZ RY RX TZ TY TX");
    let clip = open(&asf, AMC).clip;
    assert!(clip.root().get(0).distance(Vec3::new(30.0, 20.0, 10.0) * UNIT) < 1e-5);
    let r = f32::to_radians;
    let expected =
        Quat::from_rotation_x(r(3.0)) * Quat::from_rotation_y(r(2.0)) * Quat::from_rotation_z(r(1.0));
    assert!(same(clip.rotation(0, 0), expected));
    // An axis in another order: ZYX applies z first.
    let asf = ASF.replace("axis 0 0 20 XYZ", "axis 20 30 40 ZYX");
    let clip = open(&asf, AMC).clip;
    let frame =
        Quat::from_rotation_x(r(40.0)) * Quat::from_rotation_y(r(30.0)) * Quat::from_rotation_z(r(20.0));
    assert!(same(clip.rotation(1, 0), frame * turned(5.0, 6.0, 7.0) * frame.conjugate()));
    // Radians in the motion, degrees in the skeleton; then neither says.
    let radians = AMC.replace(":DEGREES", ":RADIANS").replace("shin 40", "shin 0.5");
    let clip = open(ASF, &radians).clip;
    let frame = turned(90.0, 0.0, 0.0);
    assert!(same(clip.rotation(2, 0), frame * Quat::from_rotation_x(0.5) * frame.conjugate()));
    let unsaid = open(
        &ASF.replace("angle deg", "angle rad"),
        &AMC.replace(":DEGREES\n", "").replace("shin 40", "shin 0.5"),
    );
    let frame = Quat::from_rotation_x(90.0);
    assert!(same(unsaid.clip.rotation(2, 0), frame * Quat::from_rotation_x(0.5) * frame.conjugate()));
    found(&unsaid, "angle-unit");
}

#[test]
fn what_the_user_gives_wins() {
    let options = ReadOptions {
        fps: Some(60.0),
        unit_metres: Some(0.5),
        up: Some(UpAxis::Z),
        ..ReadOptions::default()
    };
    let read = open_with(ASF, AMC, &options).unwrap();
    assert_eq!(read.clip.fps(), 60.0);
    assert_eq!(read.clip.root().get(0), Vec3::new(0.5, 1.5, -1.0));
    assert!(read.findings.iter().all(|finding| finding.code != "rate-missing"));
    let stated = open(ASF, &AMC.replace(":DEGREES", ":DEGREES\n:SAMPLES-PER-SECOND 60"));
    assert_eq!(stated.clip.fps(), 60.0);
    let placed = ASF.replace("position 0 0 0", "position 0 10 0");
    let add = ReadOptions { offset: Some(OffsetMode::Add), unit_metres: Some(1.0), ..ReadOptions::default() };
    assert_eq!(open_with(&placed, AMC, &add).unwrap().clip.root().get(0), Vec3::new(1.0, 12.0, 3.0));
    let replaced = ReadOptions { unit_metres: Some(1.0), ..ReadOptions::default() };
    let read = open_with(&placed, AMC, &replaced).unwrap();
    assert_eq!(read.clip.root().get(0), Vec3::new(1.0, 2.0, 3.0));
    found(&read, "root-offset");
    for fps in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = ReadOptions { fps: Some(fps), ..ReadOptions::default() };
        assert!(open_with(ASF, AMC, &options).is_err());
    }
    for unit in [0.0, f64::NAN, 1e300] {
        let options = ReadOptions { unit_metres: Some(unit), ..ReadOptions::default() };
        assert!(matches!(open_with(ASF, AMC, &options), Err(ReadError::Unit { .. })), "{unit}");
    }
}

#[test]
fn odd_motions_are_read_and_reported_with_their_line() {
    let cases: Vec<(&str, u32, String)> = vec![
        ("frame-numbers", 8, AMC.replace("\n2\n", "\n7\n")),
        ("bones-missing", 8, AMC.replace("thigh 6 7 8\n", "")),
        ("bone-unknown", 7, AMC.replace("shin 40", "tail 40")),
        ("bone-twice", 8, AMC.replace("shin 40", "shin 39\nshin 40")),
        ("row-short", 6, AMC.replace("thigh 5 6 7", "thigh 5 6")),
        ("row-long", 6, AMC.replace("thigh 5 6 7", "thigh 5 6 7 8")),
        ("number-bad", 6, AMC.replace("thigh 5 6 7", "thigh 5 x 7")),
        ("not-finite", 10, AMC.replace("thigh 6 7 8", "thigh 6 nan 8")),
        ("not-finite", 10, AMC.replace("thigh 6 7 8", "thigh 6 1e30 8")),
        ("header-unknown", 2, AMC.replace(":FULLY-SPECIFIED", ":SOMETHING")),
        ("rate-bad", 3, AMC.replace(":DEGREES", ":SAMPLES-PER-SECOND 0")),
        ("stray-text", 4, AMC.replace(":DEGREES\n", ":DEGREES\nthigh 1 2 3\n")),
    ];
    for (code, line, amc) in cases {
        let read = open(ASF, &amc);
        assert_eq!(found(&read, code).0, Some(line), "{code}\n{amc}");
        assert_eq!(read.clip.num_frames(), 2, "{code}");
        assert!((0..2).all(|f| (0..4).all(|j| read.clip.rotation(j, f).is_normalized())), "{code}");
    }
    // A lost value keeps that of the frame before.
    let lost = open(ASF, &AMC.replace("thigh 6 7 8", "thigh 6 nan 8")).clip;
    let frame = turned(0.0, 0.0, 20.0);
    assert!(same(lost.rotation(1, 1), frame * turned(6.0, 6.0, 8.0) * frame.conjugate()));
    for text in
        [AMC.replace('\n', "\r\n"), AMC.replace('\n', "\r"), format!("\u{feff}{AMC}"), AMC.replace(' ', "\t")]
    {
        assert_eq!(open(ASF, &text).clip, open(ASF, AMC).clip, "{text:?}");
    }
}

#[test]
fn odd_skeletons_are_read_and_reported() {
    let cases: Vec<(&str, usize, String)> = vec![
        ("bone-outside", 3, ASF.replace("root thigh back", "root thigh")),
        ("bone-unknown", 4, ASF.replace("root thigh back", "root thigh back tail")),
        ("parent-twice", 4, ASF.replace("thigh shin", "thigh shin\n back shin")),
        ("name-duplicate", 3, ASF.replace("name back", "name shin").replace("thigh back", "thigh")),
        ("name-missing", 3, ASF.replace("    name back\n", "").replace("thigh back", "thigh")),
        ("end-missing", 4, ASF.replacen("  end\n", "", 1)),
        ("direction-length", 4, ASF.replacen("direction 0 -1 0", "direction 0 -2 0", 1)),
        ("axis-order", 4, ASF.replace("axis 0 0 20 XYZ", "axis 0 0 20 XXZ")),
        ("axis-order", 4, ASF.replace("axis 0 0 20 XYZ", "axis 0 0 20")),
        ("dof-unknown", 4, ASF.replace("dof rx ry rz", "dof rx ry rz rq")),
        ("dof-length", 4, ASF.replace("dof rx ry rz", "dof rx ry rz l")),
        ("dof-moves", 4, ASF.replace("dof rx ry rz", "dof tx ry rz")),
        ("number-bad", 4, ASF.replace("length 10", "length ten")),
        ("section-unknown", 4, ASF.replace(":documentation", ":remarks")),
        ("keyword-unknown", 4, ASF.replace("    id 3", "    colour red")),
        ("angle-unit", 4, ASF.replace("angle deg", "angle gon")),
    ];
    for (code, joints, asf) in cases {
        let alone = read(asf.as_bytes(), Some("asf"), &ReadOptions::default())
            .unwrap_or_else(|e| panic!("{code}: {e}"));
        assert!(found(&alone, code).0.is_some(), "{code} has a line");
        assert_eq!((alone.clip.num_joints(), alone.clip.num_frames()), (joints, 1), "{code}");
        // Next to a motion the line goes into the message.
        let pair = open(&asf, AMC);
        let finding =
            pair.findings.iter().find(|f| f.code == code && f.message.starts_with("skeleton, line"));
        assert!(finding.is_some(), "{code}: {:#?}", pair.findings);
    }
    // A bone that moves goes along its own axes from its place.
    let moving = open(&ASF.replace("dof rx ry rz", "dof tx ry rz"), AMC);
    let expected = turned(0.0, 0.0, 20.0) * Vec3::X * 5.0 * UNIT;
    assert!(moving.clip.local_position(1, 0).distance(expected) < 1e-5);
    // Circles and lost bones never loop.
    let circle = ASF.replace("root thigh back", "root back").replace("thigh shin", "thigh shin\nshin thigh");
    assert_eq!(open(&circle, AMC).clip.num_joints(), 2);
}

#[test]
fn hopeless_files_are_refused_with_a_hint() {
    let refused = |asf: &str, amc: &str| {
        let error = open_with(asf, amc, &ReadOptions::default()).map(|_| ()).unwrap_err();
        assert!(error.hint().is_some(), "{error}");
        error
    };
    assert!(matches!(refused("", AMC), ReadError::SkeletonFile { .. }));
    assert!(refused("HIERARCHY", AMC).to_string().contains("skeleton file"));
    assert!(matches!(refused(ASF, ":DEGREES\n"), ReadError::Malformed { .. }));
    let words = format!(":DEGREES\n1\n{}", "thigh a b c\n".repeat(20));
    assert!(matches!(refused(ASF, &words), ReadError::NotNumbers { line: 3, column: 7, .. }));
    let huge = ASF.replace("length 10", "length 1e13");
    assert!(open_with(&huge, AMC, &ReadOptions::default()).is_ok(), "read as 0, with a finding");
    assert_eq!(detect(ASF.as_bytes(), None), Some(Format::Asf));
    assert_eq!(detect(AMC.as_bytes(), None), Some(Format::Amc));
    let error = read(AMC.as_bytes(), None, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("test.ASF"), "{error}");
}

#[test]
fn every_code_is_documented() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for (page, folder, least) in [
        ("acclaim", "acclaim", 25),
        ("deepmimic", "deepmimic", 6),
        ("fbx", "fbx", 6),
        ("npz", "npz", 1),
        ("csv", "csv", 1),
    ] {
        let doc = std::fs::read_to_string(root.join(format!("../../docs/formats/{page}.md")))
            .expect("the format's page");
        let mut codes = std::collections::BTreeSet::new();
        for entry in std::fs::read_dir(root.join("src").join(folder)).expect("the sources").flatten() {
            let source = std::fs::read_to_string(entry.path()).expect("a source file");
            let code = source.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            let literals = code.split('"').skip(1).step_by(2);
            let kebab = |s: &&str| s.contains('-') && s.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
            let words = ["fully-specified", "samples-per-second"];
            codes.extend(literals.filter(kebab).filter(|s| !words.contains(s)).map(str::to_owned));
        }
        assert!(codes.len() >= least, "{page}: {codes:?}");
        for code in &codes {
            assert!(doc.contains(&format!("`{code}`")), "{code} is not in docs/formats/{page}.md");
        }
    }
}

/// Cuts, doublings and swaps of words and bytes of a text.
fn mutate(text: &str, edits: &[(prop::sample::Index, prop::sample::Index, u8)]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for (a, b, kind) in edits {
        if bytes.is_empty() {
            break;
        }
        let (i, j) = (a.index(bytes.len()), b.index(bytes.len()));
        let (low, high) = (i.min(j), i.max(j));
        match kind % 6 {
            0 => bytes[i] = *kind,
            1 => bytes.truncate(high.max(1)),
            2 => drop(bytes.drain(low..high.min(low + 20))),
            3 => {
                let piece = bytes[low..high.min(low + 40)].to_vec();
                bytes.splice(i..i, piece);
            }
            4 => bytes.swap(i, j),
            _ => {
                let odd: &[&[u8]] =
                    &[b"nan", b"-", b"1e308", b"end", b"begin", b"root", b":root", b"\n", b"\xff"];
                bytes.splice(i..i, odd[usize::from(kind / 6) % odd.len()].to_vec());
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn mutations_never_panic_and_poses_stay_finite(
        asf_edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 0..6),
        amc_edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let (asf, amc) = (mutate(ASF, &asf_edits), mutate(AMC, &amc_edits));
        let _ = read(&asf, Some("asf"), &ReadOptions::default());
        let mut fetch = |companion: Companion<'_>| (companion == Companion::Skeleton).then(|| asf.clone());
        if let Ok(read) = read_with(&amc, Some("amc"), &ReadOptions::default(), &mut fetch) {
            for frame in 0..read.clip.num_frames() {
                let pose = read.clip.model_pose(frame);
                prop_assert!(pose.positions.iter().all(|p| p.is_finite()));
                prop_assert!(pose.rotations.iter().all(|q| q.is_finite()));
            }
        }
    }
}
