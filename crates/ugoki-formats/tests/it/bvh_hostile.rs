//! Broken and odd files: each is read with the right values and the right finding, or refused with line,
//! column and a hint. Nothing panics.

use glam::Vec3;
use ugoki_base::clip::{ChannelKind, UpAxis};
use ugoki_formats::{OffsetMode, Read, ReadError, ReadOptions, Severity, detect, read};

const TREE: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
}
";
const ROWS: &str = "1 90 3 10 20 30 0.5 -7.5 0\n2 91 4 11 21 31 0.25 -7 1\n3 92 5 12 22 32 0 -6.5 2\n";

fn file(rows: &str) -> String {
    let frames = rows.lines().filter(|line| !line.trim().is_empty()).count();
    format!("{TREE}MOTION\nFrames: {frames}\nFrame Time: 0.04\n{rows}")
}

fn open(text: impl AsRef<[u8]>) -> Read {
    read(text.as_ref(), Some("bvh"), &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn values(read: &Read) -> Vec<f64> {
    read.clip.source().unwrap().values.clone()
}

/// Line and severity of the first finding with this code.
#[track_caller]
fn found(read: &Read, code: &str) -> (Option<u32>, Severity) {
    let finding = read.findings.iter().find(|finding| finding.code == code);
    let finding = finding.unwrap_or_else(|| panic!("{code} is not among {:#?}", read.findings));
    (finding.line, finding.severity)
}

#[track_caller]
fn refused(text: impl AsRef<[u8]>) -> ReadError {
    let error = read(text.as_ref(), Some("bvh"), &ReadOptions::default()).map(|_| ()).unwrap_err();
    assert!(error.hint().is_some(), "{error}");
    error
}

#[test]
fn a_plain_file_gives_only_what_a_skeleton_without_legs_gives() {
    let plain = open(file(ROWS));
    let codes: Vec<&str> = plain.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["not-humanoid", "unit-unknown"]);
    assert_eq!((plain.clip.fps(), plain.clip.num_frames(), plain.unit_name.as_str()), (25.0, 3, "cm"));
    assert_eq!(plain.clip.root().get(2), Vec3::new(0.03, 0.92, 0.05));
    assert_eq!(plain.clip.skeleton().joint(1).tips, [Vec3::new(0.0, 0.05, 0.0)]);
}

#[test]
fn text_styles_read_the_same_and_are_reported() {
    let plain = open(file(ROWS));
    let text = file(ROWS);
    let utf16 = |big: bool| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    let cases: Vec<(&str, Option<u32>, Vec<u8>)> = vec![
        ("line-ends", Some(1), text.replace('\n', "\r\n").into()),
        ("line-ends", Some(1), text.replace('\n', "\r").into()),
        ("tabs", Some(4), text.replace("  ", "\t").into()),
        ("no-final-newline", Some(21), text.trim_end().into()),
        ("trailing-blanks", Some(19), text.replace(" 0\n2 91", " 0  \n2 91").into()),
        ("bom", Some(1), [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        ("utf-16", Some(1), utf16(true)),
        ("utf-16", Some(1), utf16(false)),
        ("nul-bytes", Some(22), [text.as_bytes(), &[0; 7]].concat()),
        ("keyword-case", Some(10), text.replace("End Site", "End site").into()),
        ("keyword-case", Some(1), text.replace("HIERARCHY", "Hierarchy").into()),
        ("channel-spelling", Some(5), text.replace("Xposition", "xpos").into()),
        ("hierarchy-missing", Some(1), text.replace("HIERARCHY\n", "").into()),
        ("motion-missing", Some(16), text.replace("MOTION\n", "").into()),
        ("stray-text", Some(1), format!("# made by hand\n{text}").into()),
        ("stray-text", Some(22), format!("{text}end of file\n").into()),
        ("blank-rows", Some(20), text.replace("2 91", "\n\n2 91").into()),
        ("frames-missing", None, text.replace("Frames: 3\n", "").into()),
        ("frames-mismatch", Some(17), text.replace("Frames: 3", "Frames: 2").into()),
        ("frames-mismatch", Some(17), text.replace("Frames: 3", "Frames: 4294967296").into()),
        ("exponents", Some(19), text.replace("0.5 ", "5.0E-1 ").into()),
        ("leading-dot", Some(19), text.replace(" 0.5 ", " .5 ").into()),
        ("glued-numbers", Some(19), text.replace("0.5 -7.5", "0.5-7.5").into()),
        ("row-split", Some(19), text.replace("90 3", "90\n3").into()),
        ("rows-joined", Some(19), text.replace("0\n2 91", "0 2 91").into()),
        ("decimal-comma", Some(18), text.replace("0.", "0,").replace("7.", "7,").replace("6.", "6,").into()),
        ("comma-separated", Some(19), text.replace("90 3 10", "90,3,10").into()),
        ("brace-missing", Some(15), text.replace("  }\n}\n", "  }\n").into()),
        ("brace-missing", Some(6), text.replace("Spine\n  {", "Spine\n").into()),
        ("stray-text", Some(15), text.replace("  }\n}\n", "  }\n} }\n").into()),
        ("channel-count", Some(9), text.replace("CHANNELS 3", "CHANNELS 1000000000").into()),
        ("channel-count", Some(9), text.replace("CHANNELS 3", "CHANNELS").into()),
    ];
    for (code, line, bytes) in cases {
        let read = open(&bytes);
        let context = String::from_utf8_lossy(&bytes).into_owned();
        assert_eq!(values(&read), values(&plain), "{code}\n{context}");
        assert_eq!(read.clip.skeleton(), plain.clip.skeleton(), "{code}\n{context}");
        assert_eq!(read.clip.fps(), 25.0, "{code}");
        assert_eq!(found(&read, code).0, line, "{code}\n{context}");
    }
}

#[test]
fn lost_numbers_keep_the_value_of_the_row_before() {
    // The second row's second number in several broken forms.
    for (bad, code) in [
        ("nan", "not-finite"),
        ("-1.#IND", "not-finite"),
        ("inf", "not-finite"),
        ("1e999", "not-finite"),
        ("1e15", "too-large"),
        ("1e300", "too-large"),
        ("oops", "number-bad"),
        ("E-7", "number-bad"),
        ("1.2.3", "number-bad"),
    ] {
        let read = open(file(&ROWS.replace("2 91", &format!("2 {bad}"))));
        assert_eq!(values(&read)[9..11], [2.0, 90.0], "{bad}");
        assert_eq!(found(&read, code), (Some(20), Severity::Error), "{bad}");
        assert!(read.clip.root().iter().all(Vec3::is_finite));
    }
    let lost = open(file("nan nan nan nan nan nan nan nan nan\n"));
    assert!(lost.findings.iter().all(|finding| finding.code != "zero-frames"), "{:#?}", lost.findings);
    let short = open(file(&ROWS.replace("0.25 -7 1", "0.25 -7")));
    assert_eq!(values(&short)[15..18], [0.25, -7.0, 0.0]);
    assert_eq!(found(&short, "row-short"), (Some(20), Severity::Error));
    let long = open(file(&ROWS.replace("0.25 -7 1", "0.25 -7 1 99 98")));
    assert_eq!(values(&long), values(&open(file(ROWS))));
    assert_eq!(found(&long, "row-long"), (Some(20), Severity::Error));
    let cut = open(file(&ROWS.replace("32 0 -6.5 2\n", "32")));
    assert_eq!(cut.clip.num_frames(), 2);
    assert_eq!(found(&cut, "row-short").0, Some(21));
}

#[test]
fn frame_times_that_cannot_be_are_replaced_and_reported() {
    for (time, code, fps) in [
        ("0", "frame-time-impossible", 30.0),
        ("-0.01", "frame-time-impossible", 30.0),
        ("abc", "frame-time-missing", 30.0),
        ("", "frame-time-missing", 30.0),
        ("60", "frame-time-is-rate", 60.0),
        ("0.0001", "frame-time-unlikely", 10_000.0),
        ("2.5", "frame-time-unlikely", 0.4),
        (".0083333", "frame-time-rounded", 120.0),
    ] {
        let read = open(file(ROWS).replace("Time: 0.04", &format!("Time: {time}")));
        assert_eq!(read.clip.fps(), fps, "{time}");
        assert_eq!(read.clip.num_frames(), 3, "{time}");
        found(&read, code);
    }
    let read = open(file(ROWS).replace("Frame Time: 0.04\n", ""));
    found(&read, "frame-time-missing");
}

#[test]
fn odd_trees_are_read_and_reported() {
    let text = file(ROWS);
    let cases = [
        ("name-characters", text.replace("JOINT Spine", "JOINT Bip01 Spine.001")),
        ("name-duplicate", text.replace("JOINT Spine", "JOINT Hips")),
        ("name-missing", text.replace("JOINT Spine", "JOINT")),
        ("joint-named-end", text.replace("JOINT Spine", "JOINT Hips_End")),
        ("offset-missing", text.replace("    OFFSET 0 10 0\n", "")),
        ("offset-short", text.replace("OFFSET 0 10 0", "OFFSET 0 10")),
        ("zero-length", text.replace("OFFSET 0 10 0", "OFFSET 0 0 0")),
        (
            "end-sites-several",
            text.replace("    End Site\n", "    End Site { OFFSET 1 0 0 }\n    End Site\n"),
        ),
        ("end-site-missing", text.replace("    End Site\n    {\n      OFFSET 0 5 0\n    }\n", "")),
        (
            "channel-duplicate",
            text.replace("3 Zrotation Xrotation Yrotation", "3 Xrotation Xrotation Yrotation"),
        ),
        ("order-mixed", text.replace("3 Zrotation Xrotation Yrotation", "3 Zrotation Yrotation Xrotation")),
        ("root-offset", text.replace("OFFSET 0 0 0", "OFFSET 1 2 3")),
    ];
    for (code, text) in cases {
        let read = open(&text);
        assert_eq!(values(&read), values(&open(file(ROWS))), "{code}");
        found(&read, code);
    }
    let named = open(text.replace("JOINT Spine", "JOINT Bip01 Spine.001"));
    assert_eq!(named.clip.skeleton().joint(1).name, "Bip01 Spine.001");
}

#[test]
fn unknown_channels_are_left_out_with_their_column() {
    let text = file(ROWS)
        .replace("CHANNELS 3 Zrotation Xrotation Yrotation", "CHANNELS 3 Zrotation Xscale Yrotation");
    let read = open(text);
    assert_eq!(found(&read, "channel-unknown").0, Some(9));
    let source = read.clip.source().unwrap();
    assert_eq!(source.channels.len(), 8);
    assert_eq!(source.row(0).unwrap()[6..], [0.5, 0.0]);
}

#[test]
fn joints_may_have_none_to_six_channels_in_any_order() {
    let names = ["Yrotation", "Xrotation", "Zposition", "Zrotation", "Xposition", "Yposition"];
    for n in 0..=6 {
        let channels = format!("CHANNELS {n} {}", names[..n].join(" "));
        let numbers: Vec<String> = (0..6 + n).map(|i| (i * 5).to_string()).collect();
        let text = format!(
            "{}MOTION\nFrames: 1\nFrame Time: 0.04\n{}\n",
            TREE.replace("CHANNELS 3 Zrotation Xrotation Yrotation", &channels),
            numbers.join(" ")
        );
        let read = open(text);
        let source = read.clip.source().unwrap();
        assert_eq!((source.channels.len(), source.values.len()), (6 + n, 6 + n));
        assert_eq!(read.clip.translations().len(), usize::from(n >= 3), "moves from the third channel on");
        if n != 3 && n != 6 {
            found(&read, "channels-mixed");
        }
        if n == 4 {
            assert_eq!(source.channels[8].kind, ChannelKind::Position(2));
            // One position channel: the other axes keep the offset.
            let p = read.clip.local_position(1, 0);
            assert!((p - Vec3::new(0.0, 0.1, 0.4)).length() < 1e-6, "{p}");
        }
    }
}

#[test]
fn several_roots_are_one_skeleton() {
    let tree = TREE.replace("HIERARCHY\n", "");
    let text = format!("{TREE}{tree}MOTION\nFrames: 1\nFrame Time: 0.04\n{}\n", "1 ".repeat(18));
    let read = open(text);
    assert_eq!(found(&read, "several-roots").0, Some(16));
    assert_eq!(read.clip.skeleton().parent(2), None);
    assert!((read.clip.local_position(2, 0) - Vec3::splat(0.01)).length() < 1e-7);
}

#[test]
fn position_channels_replace_the_offset_or_add_to_it() {
    let six = TREE.replace("CHANNELS 3 ", "CHANNELS 6 Xposition Yposition Zposition ");
    let text = format!("{six}MOTION\nFrames: 1\nFrame Time: 0.04\n0 90 0 0 0 0 1 2 3 0 0 0\n");
    let with = |offset| {
        let options = ReadOptions { offset: Some(offset), ..ReadOptions::default() };
        read(text.as_bytes(), None, &options).unwrap().clip.local_position(1, 0)
    };
    assert!((with(OffsetMode::Replace) - Vec3::new(0.01, 0.02, 0.03)).length() < 1e-7);
    assert!((with(OffsetMode::Add) - Vec3::new(0.01, 0.12, 0.03)).length() < 1e-7);
    // A position equal to the offset is no movement.
    let still = open(text.replace(" 1 2 3 ", " 0 10 0 "));
    assert_eq!(still.clip.translations(), []);
    found(&still, "position-channels");
}

#[test]
fn the_user_knows_better_than_the_guess() {
    let options = ReadOptions { up: Some(UpAxis::Z), unit_metres: Some(0.5), ..ReadOptions::default() };
    let read_as = read(file(ROWS).as_bytes(), None, &options).unwrap();
    // (1, 90, 3) with Z up is (1, 3, −90) with Y up.
    assert_eq!(read_as.clip.root().get(0), Vec3::new(0.5, 1.5, -45.0));
    assert_eq!(read_as.clip.skeleton().joint(1).offset, Vec3::new(0.0, 0.0, -5.0));
    let bad = ReadOptions { unit_metres: Some(-1.0), ..ReadOptions::default() };
    assert_eq!(read(file(ROWS).as_bytes(), None, &bad).unwrap_err(), ReadError::Unit { found: -1.0 });
}

#[test]
fn skeletons_without_motion_are_skeletons() {
    let only = open(TREE);
    assert_eq!(found(&only, "no-motion").1, Severity::Error);
    assert_eq!((only.clip.num_frames(), only.clip.num_joints()), (0, 2));
    let empty = open(format!("{TREE}MOTION\nFrames: 0\nFrame Time: 0.04\n"));
    assert_eq!(found(&empty, "no-frames").1, Severity::Error);
    let still =
        open("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: 5\nFrame Time: 0.04\n");
    found(&still, "no-channels");
    assert_eq!(still.clip.num_frames(), 0);
}

#[test]
fn hopeless_files_are_refused_with_a_place_and_a_hint() {
    for empty in ["", "  \n\n ", "\u{feff}"] {
        assert_eq!(refused(empty), ReadError::Empty, "{empty:?}");
    }
    let error = refused("\n\n  something else\n");
    assert_eq!((error.line(), error.column()), (Some(3), Some(3)));
    assert!(error.to_string().contains("\"something else\""), "{error}");
    assert!(matches!(refused("HIERARCHY\nMOTION\n"), ReadError::NoJoints { line: 2 }));
    let words = file(&"a b c 1 d e f g h\n".repeat(9));
    let error = refused(words);
    assert!(matches!(error, ReadError::NotNumbers { line: 19, column: 1, .. }), "{error}");
    let error = refused(file(ROWS).replace("OFFSET 0 10 0", "OFFSET 0 1e30 0"));
    assert!(matches!(error, ReadError::Offset { line: 6, .. }), "{error}");
    let garbage: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    refused(garbage);
    assert!(matches!(
        read(b"\x89PNG....", None, &ReadOptions::default()),
        Err(ReadError::UnknownFormat { .. })
    ));
    assert_eq!(detect(b"no idea", Some("txt")), None);
}

#[test]
fn very_deep_trees_are_read_and_written_without_recursion() {
    let levels = 20_000;
    let mut text =
        String::from("HIERARCHY\nROOT r {\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n");
    for _ in 0..levels {
        text.push_str("JOINT j { OFFSET 0 1 0\n");
    }
    text.push_str(&"}".repeat(levels + 1));
    text.push_str("\nMOTION\nFrames: 1\nFrame Time: 0.04\n0 0 90\n");
    let deep = open(&text);
    assert_eq!(deep.clip.num_joints(), levels + 1);
    let written = ugoki_formats::bvh::write(&deep.clip, &ugoki_formats::bvh::WriteOptions::default());
    assert_eq!(open(&written.bytes).clip.skeleton(), deep.clip.skeleton());
}

#[test]
fn every_code_is_documented() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = |name: &std::path::Path| std::fs::read_to_string(name).expect("a format's page");
    let pages = root.join("../../docs/formats");
    let doc = page(&pages.join("bvh.md"));
    // Findings common to several formats are documented on one of their pages.
    let shared: String =
        std::fs::read_dir(&pages).expect("the pages").flatten().map(|entry| page(&entry.path())).collect();
    let mut codes = std::collections::BTreeSet::new();
    let folders = ["src/bvh", "src/text", "src"];
    let entries =
        folders.iter().flat_map(|f| std::fs::read_dir(root.join(f)).expect("the sources").flatten());
    for path in entries.map(|entry| entry.path()).filter(|path| path.is_file()) {
        let of_bvh = path.parent().is_some_and(|folder| folder.ends_with("bvh"));
        let source = std::fs::read_to_string(path).expect("a source file");
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        // Codes are the only string literals in kebab case.
        let literals = code.split('"').skip(1).step_by(2);
        let kebab = |s: &&str| s.contains('-') && s.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        codes.extend(literals.filter(kebab).map(|code| (code.to_owned(), of_bvh)));
    }
    assert!(codes.len() > 60, "{codes:?}");
    for (code, of_bvh) in &codes {
        let page = if *of_bvh { &doc } else { &shared };
        assert!(page.contains(&format!("`{code}`")), "{code} is on no page of docs/formats where it belongs");
    }
}
