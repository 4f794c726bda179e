//! Properties of the TRC reader and writer.

use glam::Vec3;
use proptest::prelude::*;
use ugoki_base::markers::Markers;
use ugoki_base::no_progress;
use ugoki_base::skeleton::Role;
use ugoki_formats::{
    Format, ReadOptions, UpAxis, WriteOptions, detect, read, read_markers, write, write_markers,
};

fn options() -> ReadOptions {
    ReadOptions { up: Some(UpAxis::Y), ..ReadOptions::default() }
}

const HEAD: &str = "PathFileType\t4\t(X/Y/Z)\tx.trc\n\
    DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n\
    50\t50\t2\t2\tmm\t50\t1\t2\n\
    Frame#\tTime\tA\t\t\tB\t\t\n\
    \t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_reads_back_to_the_last_bit(
        points in prop::collection::vec(prop::option::of(prop::array::uniform3(-3.0..3.0_f32)), 12),
        z_up in any::<bool>(),
        unit in prop::sample::select(vec![0.001, 0.01, 1.0]),
        fps in 1.0..500.0_f64,
    ) {
        let points: Vec<Vec3> = points.iter().map(|p| p.map_or(Vec3::NAN, Vec3::from_array)).collect();
        let labels = ["LASI", "a b", "ü"].map(str::to_owned).to_vec();
        let markers = Markers::new(labels, fps, points).unwrap();
        let up = if z_up { UpAxis::Z } else { UpAxis::Y };
        let how = WriteOptions { up: Some(up), unit_metres: Some(unit), ..WriteOptions::default() };
        let written = write_markers(&markers, Format::Trc, &how).unwrap();
        prop_assert_eq!(detect(&written.bytes, None), Some(Format::Trc));
        let read = read_markers(&written.bytes, None, &ReadOptions { up: Some(up), ..ReadOptions::default() }).unwrap();
        prop_assert_eq!(read.markers.labels(), markers.labels());
        prop_assert_eq!(read.markers.fps(), markers.fps());
        for m in 0..3 {
            for f in 0..4 {
                prop_assert_eq!(read.markers.get(m, f), markers.get(m, f));
            }
        }
    }

    #[test]
    fn broken_text_never_panics(changes in prop::collection::vec((0usize..400, any::<u8>()), 1..10)) {
        let mut bytes = format!("{HEAD}1\t0\t1\t2\t3\t4\t5\t6\n2\t0.02\t1\t2\t3\t4\t5\t6\n").into_bytes();
        for (at, value) in changes {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        let _ = read_markers(&bytes, Some("trc"), &ReadOptions::default());
        let _ = read(&bytes, Some("trc"), &ReadOptions::default());
    }
}

/// Joint centres that a TRC file of ours gives back, and how far they may be off in the median and at most, metres. The
/// solver takes lengths as medians over the frames, so a body of constant lengths comes back but for rounding; collars
/// and the back's joints are not looked at.
const BACK: [(Role, Role); 9] = [
    (Role::LeftUpperLeg, Role::RightUpperLeg),
    (Role::LeftLowerLeg, Role::RightLowerLeg),
    (Role::LeftFoot, Role::RightFoot),
    (Role::LeftToes, Role::RightToes),
    (Role::LeftUpperArm, Role::RightUpperArm),
    (Role::LeftLowerArm, Role::RightLowerArm),
    (Role::LeftHand, Role::RightHand),
    (Role::Neck, Role::Neck),
    (Role::Head, Role::Head),
];

#[test]
fn a_clip_written_as_trc_reads_back_as_a_clip() {
    for name in ["walk", "run", "squat", "open-arms", "front-kick", "bow"] {
        let clip = ugoki_sample::clip(name).unwrap();
        let how = WriteOptions::default();
        let bytes = write(&clip, Format::Trc, &how, &mut no_progress()).unwrap().bytes;
        let back = read(&bytes, Some("trc"), &options()).unwrap().clip;
        assert_eq!(back.num_frames(), clip.num_frames());
        let mut errors = Vec::new();
        for (left, right) in BACK {
            for role in [left, right] {
                let (a, b) = (clip.skeleton().find(role).unwrap(), back.skeleton().find(role).unwrap());
                let (p, q) = (clip.joint_path(a), back.joint_path(b));
                errors.extend(p.iter().zip(&q).map(|(p, q)| (p.distance(*q), role)));
            }
        }
        errors.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (median, worst) = (errors[errors.len() / 2].0, errors.last().unwrap());
        println!("{name}: median {:.2} mm, worst {:.1} mm at {}", 1e3 * median, 1e3 * worst.0, worst.1);
        assert!(median < 0.0005 && worst.0 < 0.01, "{name}: {median} {worst:?}");
    }
}

#[test]
fn every_way_of_writing_a_gap_is_one() {
    for cells in ["\t\t", "nan\tnan\tnan", "NaN\tNAN\tNan", "\t5\t", "0\t0.0\t0", "-\t-\t-"] {
        let text = format!("{HEAD}1\t0\t{cells}\t4\t5\t6\n2\t0.02\t1\t2\t3\t4e0\t5E0\t6.0\n");
        for text in [text.clone(), text.replace('\n', "\r\n")] {
            let found = read_markers(text.as_bytes(), None, &options()).unwrap().markers;
            assert_eq!(found.get(0, 0), None, "{cells:?}");
            assert_eq!(found.get(1, 0), Some(Vec3::new(0.004, 0.005, 0.006)));
            assert_eq!(found.get(0, 1), Some(Vec3::new(0.001, 0.002, 0.003)));
            assert_eq!(found.get(1, 1), Some(Vec3::new(0.004, 0.005, 0.006)));
        }
    }
}

#[test]
fn wrong_counts_short_rows_and_words_are_reported() {
    let text = HEAD.replace("50\t50\t2\t2", "50\t50\t9\t7") + "1\t0\t1\t2\t3\toops\t5\t6\n2\t0.02\t1\t2\n";
    let found = read_markers(text.as_bytes(), None, &options()).unwrap();
    let codes: Vec<&str> = found.findings.iter().map(|finding| finding.code).collect();
    for code in ["marker-count", "frame-count", "row-short", "not-a-number"] {
        assert!(codes.contains(&code), "{code} in {codes:?}");
    }
    assert_eq!(found.markers.num_frames(), 2);
}

#[test]
fn what_is_no_table_is_refused_with_its_line() {
    let error = read_markers(b"PathFileType 4\nnothing\n", None, &options()).unwrap_err();
    assert!(error.to_string().contains("Frame#"), "{error}");
    let error = read_markers(format!("{HEAD}LASI RASI\n").as_bytes(), None, &options()).unwrap_err();
    assert_eq!(error.line(), Some(7), "{error}");
    // Thirty thousand names over rows of one byte would be gigabytes.
    let names = "A\t\t\t".repeat(30_000);
    let text = format!("PathFileType\t4\nFrame#\tTime\t{names}\n{}", "1\t0\n".repeat(20_000));
    assert!(read_markers(text.as_bytes(), None, &options()).is_err());
}

#[test]
fn a_clip_is_written_as_its_joint_centres() {
    let clip = ugoki_sample::clip("walk").unwrap().trimmed(0..10).unwrap();
    let written = write(&clip, Format::Trc, &WriteOptions::default(), &mut no_progress()).unwrap();
    assert!(written.findings.iter().any(|finding| finding.code == "joints-as-markers"));
    let back = read_markers(&written.bytes, None, &options()).unwrap().markers;
    for joint in 0..clip.num_joints() {
        assert_eq!(back.track(joint), clip.joint_path(joint));
    }
}

#[test]
fn saved_fuzz_inputs_are_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/trc");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(read_markers(&bytes, Some("trc"), &ReadOptions::default()).is_ok());
        files += 1;
    }
    assert!(files >= 3, "{files} inputs");
}
