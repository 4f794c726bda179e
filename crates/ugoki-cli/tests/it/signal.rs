//! `filter`, `equalize` and `blend` as users meet them: markers, damaged files, the file named in errors, times in
//! frames.

use crate::support::Folder;

/// Three points, 21 frames at 100 Hz, the first going straight with a zigzag of 4 mm upon it; the last is not seen in
/// frame 10.
fn points() -> String {
    let mut text = String::from(
        "PathFileType\t4\t(X/Y/Z)\tpoints.trc\n\
         DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n\
         100\t100\t21\t3\tmm\t100\t1\t21\n\
         Frame#\tTime\tone\t\t\ttwo\t\t\tthree\t\t\n\
         \t\tX1\tY1\tZ1\tX2\tY2\tZ2\tX3\tY3\tZ3\n\n",
    );
    for frame in 0..21 {
        let zigzag = if frame % 2 == 0 { 4.0 } else { -4.0 };
        let x = 10.0 * f64::from(frame) + zigzag;
        let third = if frame == 10 { "\t\t".to_owned() } else { "5\t6\t7".to_owned() };
        text += &format!("{}\t{}\t{x}\t1000\t0\t1\t2\t3\t{third}\n", frame + 1, f64::from(frame) / 100.0);
    }
    text
}

#[test]
fn markers_stay_markers_when_they_are_filtered() {
    let folder = Folder::new();
    folder.write("points.trc", points());
    // No body could be made of these labels, and none is needed.
    let json =
        folder.run(&["filter", "points.trc", "out.trc", "--kernel", "binomial:5", "--json"]).ok().json();
    assert_eq!(
        (&json["markers"], &json["frames"], &json["taps"]),
        (&3.into(), &21.into(), &5.into()),
        "{json}"
    );
    assert_eq!(json["largest_change_marker"], "one");
    let text = folder.text("out.trc");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with(char::is_numeric))
        .map(|l| l.split('\t').collect())
        .collect();
    let rows = &rows[rows.len() - 21..];
    for (frame, row) in rows.iter().enumerate() {
        let x: f64 = row[2].parse().expect("a number");
        // 1 4 6 4 1 takes the zigzag away wholly inside, and leaves the straight way.
        if (2..19).contains(&frame) {
            assert!((x - 10.0 * frame as f64).abs() < 0.01, "frame {frame}: {x}");
        }
    }
    assert!(
        rows[10][8].trim().is_empty() && !rows[9][8].trim().is_empty(),
        "a gap stays a gap: {:?}",
        rows[10]
    );
    folder
        .run(&["filter", "points.trc", "out.trc", "--kernel", "box:3", "--despike"])
        .fails_with(&["--despike", "rotations"]);
    folder.run(&["filter", "points.trc", "out.trc"]).fails_with(&["--kernel"]);
}

#[test]
fn standard_input_is_read_once_and_the_short_file_is_blamed() {
    let folder = Folder::new();
    folder.run(&["convert", "sample#walk", "one.bvh", "--trim", "3f:4f"]).ok();
    folder
        .run(&["blend", "one.bvh", "sample#walk", "-o", "x.bvh"])
        .fails_with(&["one.bvh: ", "a motion of 1 frame cannot"]);
    folder
        .run(&["blend", "sample#walk", "one.bvh", "-o", "x.bvh"])
        .fails_with(&["one.bvh: ", "a motion of 1 frame cannot"]);
    folder.run(&["blend", "-", "-", "-o", "x.bvh"]).fails_with(&["standard input", "only once"]);
    // Frames of the result and seconds are the same moments.
    let weights = ["0:1/60f:0,0:0/60f:1", "0:1/1:0,0:0/1:1"];
    for (weights, out) in weights.iter().zip(["frames.bvh", "seconds.bvh"]) {
        folder.run(&["blend", "sample#walk", "sample#run", "-o", out, "--weights", weights]).ok();
    }
    assert_eq!(folder.text("frames.bvh"), folder.text("seconds.bvh"));
    // Gains below 0 are gains, and feet that slide because of it are reported.
    folder.run(&["equalize", "sample#walk", "x.bvh", "--gains", "-1,1"]).ok();
    let done = folder.run(&["equalize", "sample#walk", "x.bvh", "--gains", "1,1,1,0.5,0.2"]).ok();
    assert!(done.stderr.contains("standing feet slide"), "{}", done.stderr);
    let done =
        folder.run(&["equalize", "sample#walk", "x.bvh", "--gains", "1,1,1,0.5,0.2", "--part", "upper"]).ok();
    assert!(!done.stderr.contains("slide"), "{}", done.stderr);
}

#[test]
fn damaged_numbers_are_reported() {
    let folder = Folder::new();
    folder.write("bad.bvh", crate::support::SMALL.replacen("90.5", "nan", 1));
    let said = [
        folder.run(&["filter", "bad.bvh", "x.bvh", "--kernel", "box:1"]).ok().stderr,
        folder.run(&["blend", "bad.bvh", "bad.bvh", "-o", "x.bvh", "--align", "none"]).ok().stderr,
    ];
    for text in said {
        assert!(text.contains("bad.bvh: line 20: "), "{text}");
    }
}

#[test]
fn filters_choose_their_kernel_hold_feet_and_say_so() {
    let folder = Folder::new();
    let report = |words: &[&str]| {
        let command = [&["filter", "sample#walk", "out.bvh", "--overwrite", "--json"], words].concat();
        folder.run(&command).ok().json()
    };
    let held = report(&["--kernel", "gauss:4"]);
    let slide: Vec<f64> =
        held["feet"]["slide_mm_s"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert!(slide[2] <= slide[0] + 1.0 && slide[1] > slide[0] + 10.0, "{slide:?}");
    assert_eq!(held["filter"]["method"], "path");
    let free = report(&["--kernel", "gauss:4", "--feet", "free", "--method", "article", "--edge", "copy"]);
    assert!(free["feet"].is_null() && free["filter"]["method"] == "article", "{free}");
    let auto = report(&["--auto"]);
    let joints = auto["auto"]["rotations"].as_array().unwrap();
    assert!(!joints.is_empty() && joints.iter().all(|joint| joint["noise"].is_number()), "{auto}");
    let euro = report(&["--kernel", "one-euro:1,0.5"]);
    assert_eq!(euro["one_euro"]["zero_lag"], false);
    assert_eq!(report(&["--kernel", "one-euro-zero-lag:1,0.5"])["one_euro"]["zero_lag"], true);
    let fails = |words: &[&str], said: &[&str]| {
        let command = [&["filter", "sample#walk", "out.bvh", "--overwrite"], words].concat();
        folder.run(&command).fails_with(said);
    };
    fails(&["--kernel", "one-euro:0,1"], &["--kernel", "One-Euro"]);
    fails(&["--kernel", "box:5", "--auto"], &["--auto"]);
    fails(&["--kernel", "box:5", "--feet", "seam"], &["--feet", "all or free"]);
    // The text names what was chosen for each joint.
    let text = folder.run(&["filter", "sample#walk", "out.bvh", "--overwrite", "--auto"]).ok().stderr;
    assert!(text.contains("noise") && text.contains("Hz"), "{text}");
    let json = folder
        .run(&["equalize", "sample#walk", "x.bvh", "--gains", "1,1,1,0.5,0.2", "--feet", "free", "--json"])
        .ok()
        .json();
    assert!(json["travel"].is_null(), "{json}");
}
