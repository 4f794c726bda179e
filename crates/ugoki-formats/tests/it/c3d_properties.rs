//! Properties of the C3D reader on files built in memory.

use glam::Vec3;
use proptest::prelude::*;
use ugoki_formats::{Format, ReadOptions, Severity, detect, read, read_markers};

use crate::marker_support::{C3d, Processor};

const PROCESSORS: [Processor; 3] = [Processor::Intel, Processor::Dec, Processor::Mips];

fn file(points: usize, frames: usize) -> C3d {
    let point = |f: usize, i: usize| {
        (!(f + 3 * i).is_multiple_of(7)).then(|| Vec3::new(f as f32 + 10.0, 2.0 * i as f32 + 5.0, 900.0))
    };
    C3d {
        processor: Processor::Intel,
        scale: -1.0,
        labels: (0..points).map(|i| format!("P{i}")).collect(),
        frames: (0..frames).map(|f| (0..points).map(|i| point(f, i)).collect()).collect(),
        rate: 100.0,
        analog: 0,
        unit: "mm",
        up: "+Z",
    }
}

#[test]
fn all_six_encodings_give_the_same_markers() {
    let mut first = None;
    for processor in PROCESSORS {
        for scale in [-0.5, 0.5] {
            for analog in [0, 5] {
                let bytes = C3d { processor, scale, analog, ..file(9, 20) }.bytes();
                assert_eq!(detect(&bytes, None), Some(Format::C3d));
                let found = read_markers(&bytes, None, &ReadOptions::default()).unwrap();
                let points: Vec<Vec<String>> = (0..9)
                    .map(|m| found.markers.track(m).iter().map(|p| format!("{p:?}")).collect())
                    .collect();
                assert!(found.findings.iter().all(|finding| finding.severity != Severity::Error));
                let known = first.get_or_insert_with(|| points.clone());
                assert_eq!(&points, known, "{processor:?}, scale {scale}, {analog} analog channels");
            }
        }
    }
}

#[test]
fn positions_units_axes_and_gaps_are_as_written() {
    let found = read_markers(&file(4, 8).bytes(), None, &ReadOptions::default()).unwrap();
    assert_eq!(found.markers.fps(), 100.0);
    assert_eq!((found.unit_metres, found.unit_name.as_str()), (0.001, "mm"));
    // Z up in the file: (x, y, z) becomes (x, z, −y).
    let p = found.markers.get(2, 5).unwrap();
    assert!((p - Vec3::new(0.015, 0.9, -0.009)).length() < 1e-6, "{p}");
    assert_eq!(found.markers.get(0, 0), None, "a negative residual is a gap");
    let given = ReadOptions { unit_metres: Some(1.0), ..ReadOptions::default() };
    let p = read_markers(&file(4, 8).bytes(), None, &given).unwrap().markers.get(2, 5).unwrap();
    assert!((p.y - 900.0).abs() < 1e-3, "a given unit wins");
}

#[test]
fn more_than_255_labels_and_more_than_65535_frames_are_read() {
    let wide = C3d { processor: Processor::Mips, ..file(600, 2) };
    let found = read_markers(&wide.bytes(), None, &ReadOptions::default()).unwrap();
    assert_eq!(found.markers.labels().len(), 600);
    assert_eq!(found.markers.labels()[599], "P599");
    let long = C3d { scale: 0.5, ..file(1, 70_000) };
    let found = read_markers(&long.bytes(), None, &ReadOptions::default()).unwrap();
    assert_eq!(found.markers.num_frames(), 70_000);
}

#[test]
fn a_file_cut_off_gives_its_whole_frames_and_says_so() {
    let bytes = file(10, 100).bytes();
    let head = bytes.len() - (100 * 160usize).div_ceil(512) * 512;
    let found = read_markers(&bytes[..head + 160 * 40 + 17], None, &ReadOptions::default()).unwrap();
    assert_eq!(found.markers.num_frames(), 40);
    assert!(found.findings.iter().any(|f| f.code == "truncated" && f.message.contains("40 of 100")));
}

#[test]
fn markers_that_are_no_person_are_refused_with_their_labels() {
    let error = read(&file(4, 8).bytes(), Some("c3d"), &ReadOptions::default()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("P0, P1, P2, P3") && text.contains("Plug-in Gait"), "{text}");
    assert!(
        matches!(error, ugoki_formats::ReadError::Markers { .. })
            && error.hint().unwrap().contains("label map")
    );
}

#[test]
fn every_beginning_of_a_file_is_read_or_refused() {
    let bytes = C3d { analog: 2, ..file(3, 6) }.bytes();
    for length in (0..bytes.len()).step_by(3) {
        let _ = read_markers(&bytes[..length], Some("c3d"), &ReadOptions::default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn broken_bytes_never_panic_and_never_ask_for_much(
        changes in prop::collection::vec((0usize..2600, any::<u8>()), 1..12), processor in 0usize..3
    ) {
        let mut bytes = C3d { processor: PROCESSORS[processor], ..file(5, 12) }.bytes();
        for (at, value) in changes {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        if let Ok(found) = read_markers(&bytes, Some("c3d"), &ReadOptions::default()) {
            // Each position takes at least 8 bytes of the file.
            prop_assert!(found.markers.labels().len() * found.markers.num_frames() <= bytes.len() / 8);
        }
    }
}

#[test]
fn saved_fuzz_inputs_are_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/c3d");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(read_markers(&bytes, Some("c3d"), &ReadOptions::default()).is_ok());
        files += 1;
    }
    assert!(files >= 7, "{files} inputs");
}
