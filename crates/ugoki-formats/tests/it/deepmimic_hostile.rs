//! Broken and odd DeepMimic files, and the meaning of rows by their definition.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_formats::{Format, Read, ReadError, ReadOptions, Severity, detect, read};

/// A row: duration, root, and turns at rest.
fn row(duration: f64, root: [f64; 3]) -> Vec<f64> {
    let mut row = vec![duration];
    row.extend(root);
    for kind in "BBBBHBBHBHBBH".chars() {
        if kind == 'B' {
            row.extend([1.0, 0.0, 0.0, 0.0]);
        } else {
            row.push(0.0);
        }
    }
    assert_eq!(row.len(), 44);
    row
}

fn file(rows: &[Vec<f64>]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
    format!("{{\n\"Loop\": \"none\",\n\"Frames\":\n[\n{}\n]\n}}\n", rows.join(",\n"))
}

fn plain() -> Vec<Vec<f64>> {
    (0..4).map(|i| row(0.033333, [f64::from(i), 0.9, 0.5])).collect()
}

fn open(text: &str) -> Read {
    read(text.as_bytes(), None, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn found(read: &Read, code: &str) -> (Option<u32>, Severity) {
    let finding = read.findings.iter().find(|finding| finding.code == code);
    let finding = finding.unwrap_or_else(|| panic!("{code} is not among {:#?}", read.findings));
    (finding.line, finding.severity)
}

#[test]
fn forward_is_plus_z_and_quaternions_begin_with_w() {
    let mut rows = plain();
    // A quarter turn of the root about the file's X, its forward axis: our Z.
    let h = 0.5f64.sqrt();
    rows[1].splice(4..8, [h, h, 0.0, 0.0]);
    let read = open(&file(&rows));
    let clip = &read.clip;
    assert_eq!((read.format, clip.fps(), clip.num_frames()), (Format::DeepMimic, 30.0, 4));
    assert_eq!(clip.root().get(3), Vec3::new(-0.5, 0.9, 3.0));
    assert!(clip.rotation(0, 1).angle_between(Quat::from_rotation_z(90f32.to_radians())) < 1e-3);
    assert!(clip.tags.is_empty());
    assert_eq!(open(&file(&rows).replace("none", "wrap")).clip.tags, ["loop"]);
}

#[test]
fn odd_files_are_read_and_reported_with_their_line() {
    let plain = plain();
    let change = |frame: usize, edit: &dyn Fn(&mut Vec<f64>)| {
        let mut rows = plain.clone();
        edit(&mut rows[frame]);
        file(&rows)
    };
    let cases: Vec<(&str, Option<u32>, usize, String)> = vec![
        ("row-length", Some(7), 4, change(2, &|row| row.truncate(43))),
        ("too-large", Some(6), 4, change(1, &|row| row[2] = 1e12)),
        ("not-unit", Some(6), 4, change(1, &|row| row[4] = 0.5)),
        ("not-unit", Some(8), 4, change(3, &|row| row[4] = 0.0)),
        ("duration-bad", Some(6), 4, change(1, &|row| row[0] = -1.0)),
        ("durations-differ", None, 6, change(1, &|row| row[0] = 0.1)),
        ("duration-missing", None, 4, file(&(0..4).map(|_| row(0.0, [0.0; 3])).collect::<Vec<_>>())),
    ];
    for (code, line, frames, text) in cases {
        let read = open(&text);
        assert_eq!(found(&read, code).0, line, "{code}\n{text}");
        assert_eq!(read.clip.num_frames(), frames, "{code}");
        let finite = |frame: usize| read.clip.model_pose(frame).positions.iter().all(|p| p.is_finite());
        assert!((0..frames).all(finite), "{code}");
    }
    // Resampled: the place at 0.1 s lies in the long step between frames 1 and 2.
    let uneven = open(&change(1, &|row| row[0] = 0.1));
    let expected = 1.0 + (0.1 - 0.033333) / 0.1;
    assert!((uneven.clip.root().get(3).z - expected as f32).abs() < 1e-4, "{}", uneven.clip.root().get(3));
    let fast = ReadOptions { fps: Some(60.0), ..ReadOptions::default() };
    let fast = read(change(1, &|row| row[0] = 0.1).as_bytes(), None, &fast).unwrap();
    assert_eq!((fast.clip.fps(), fast.clip.num_frames()), (60.0, 11));
}

#[test]
fn hopeless_files_are_refused_with_a_place_and_a_hint() {
    let refused = |text: &str| {
        let error = read(text.as_bytes(), Some("txt"), &ReadOptions::default()).map(|_| ()).unwrap_err();
        assert!(error.hint().is_some(), "{error}");
        error
    };
    assert_eq!(refused(" \n"), ReadError::Empty);
    let cut = file(&plain());
    let error = refused(&cut[..cut.len() / 2]);
    assert!(error.line().is_some_and(|line| line > 4), "{error}");
    assert!(refused("{\"Frames\": []}").to_string().contains("empty"));
    let other = refused("{\"Frames\":\n[[1, 2, 3]]}");
    assert_eq!(other.line(), Some(2));
    assert!(other.to_string().contains("44"), "{other}");
    refused("{\"Frames\": [[NaN]]}");
    refused("plain words");
    assert_eq!(detect(file(&plain()).as_bytes(), None), Some(Format::DeepMimic));
    assert_eq!(
        detect(b"{\"asset\": {\"version\": \"2.0\"}, \"x\": \"frames\"}", Some("gltf")).map(Format::name),
        detect(b"", Some("gltf")).map(Format::name)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn mutations_never_panic_and_poses_stay_finite(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = file(&plain()).into_bytes();
        for (a, b, kind) in edits {
            if bytes.is_empty() {
                break;
            }
            let (i, j) = (a.index(bytes.len()), b.index(bytes.len()));
            match kind % 4 {
                0 => bytes[i] = b"0123456789.-e,[]{}\""[usize::from(kind / 4) % 19],
                1 => drop(bytes.drain(i.min(j)..i.max(j).min(i.min(j) + 30))),
                2 => bytes.swap(i, j),
                _ => drop(bytes.splice(i..i, b"e9".to_vec())),
            }
        }
        if let Ok(read) = read(&bytes, Some("txt"), &ReadOptions::default()) {
            for frame in 0..read.clip.num_frames() {
                prop_assert!(read.clip.model_pose(frame).positions.iter().all(|p| p.is_finite()));
            }
        }
    }
}
