//! Every verb as a process, on files of its own.

use crate::support::{Folder, SMALL};

#[test]
fn info_reports_joints_rate_and_unit() {
    let folder = Folder::with_small();
    let text = folder.run(&["info", "small.bvh"]).ok().stdout;
    assert!(text.contains("3 frames at 30 per second") && text.contains("Spine"), "{text}");
    let json = folder.run(&["info", "small.bvh", "--json"]).ok().json();
    assert_eq!(json["format"], "bvh");
    assert_eq!(json["frames"], 3);
    assert_eq!(json["fps"], 30.0);
    assert_eq!(json["joints"][0]["name"], "Hips");
    assert_eq!(json["joints"][0]["role"], "hips");
    assert_eq!(json["joints"][0]["parent"], serde_json::Value::Null);
    assert_eq!(json["joints"][1]["parent"], 0);
    assert!(json["unit_metres"].is_number() && json["warnings"].is_array());
}

#[test]
fn info_reads_standard_input() {
    let folder = Folder::new();
    let json = folder.run_with_input(&["info", "-", "--json"], SMALL.as_bytes()).ok().json();
    assert_eq!(json["frames"], 3);
}

#[test]
fn check_ends_with_1_when_a_file_cannot_be_used() {
    let folder = Folder::with_small();
    folder.run(&["check", "small.bvh"]).ok();
    folder.write("broken.bvh", "HIERARCHY\n\n\nno joints here\n");
    let done = folder.run(&["check", "small.bvh", "broken.bvh", "--json"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    let json = done.json();
    assert_eq!(json["files"][0]["usable"], true);
    assert_eq!(json["files"][1]["usable"], false);
    let finding = &json["files"][1]["findings"][0];
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["line"], 5);
}

#[test]
fn convert_writes_the_numbers_back_as_they_were() {
    let folder = Folder::with_small();
    folder.run(&["convert", "small.bvh", "out.bvh"]).ok();
    let numbers = |text: &str| -> Vec<Vec<f64>> {
        let rows = text.lines().skip_while(|line| !line.starts_with("Frame Time")).skip(1);
        rows.map(|row| row.split_whitespace().map(|word| word.parse().expect("a number")).collect()).collect()
    };
    assert_eq!(numbers(&folder.text("out.bvh")), numbers(SMALL));
    assert_eq!(folder.names(), ["out.bvh", "small.bvh"], "nothing else is left behind");
}

#[test]
fn convert_takes_many_files_into_a_folder() {
    let folder = Folder::with_small();
    folder.write("other.BVH", SMALL);
    std::fs::create_dir(folder.path("deep")).expect("a folder");
    folder.write("deep/small.bvh", SMALL);
    let json = folder.run(&["convert", "*.bvh", "deep", "other.BVH", "-o", "out", "--json"]).ok().json();
    assert_eq!(json["files"].as_array().expect("a list").len(), 3);
    for name in ["small.bvh", "small-2.bvh", "other.bvh"] {
        assert!(folder.path("out").join(name).is_file(), "{name}");
    }
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let folder = Folder::with_small();
    folder.write("bad.bvh", "not motion");
    let done = folder.run(&["convert", "bad.bvh", "small.bvh", "-o", "out"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("bad.bvh"), "{done:?}");
    assert!(folder.path("out/small.bvh").is_file());
}

#[test]
fn convert_changes_what_it_is_asked_to() {
    let folder = Folder::with_small();
    let info = |name: &str| folder.run(&["info", name, "--json"]).ok().json();
    folder.run(&["convert", "small.bvh", "double.bvh", "--fps", "60"]).ok();
    assert_eq!(info("double.bvh")["frames"], 5);
    assert_eq!(info("double.bvh")["fps"], 60.0);
    folder.run(&["convert", "small.bvh", "cut.bvh", "--trim", "1f:2f"]).ok();
    assert_eq!(info("cut.bvh")["frames"], 1);
    folder.run(&["convert", "small.bvh", "slow.bvh", "--speed", "0.5"]).ok();
    assert_eq!(info("slow.bvh")["frames"], 5);
    folder.run(&["convert", "small.bvh", "root.bvh", "--root-motion", "extract"]).ok();
    assert_eq!(info("root.bvh")["joints"][0]["name"], "root");
    folder.run(&["convert", "small.bvh", "scaled.bvh", "--scale", "2"]).ok();
    assert!(folder.text("scaled.bvh").contains("OFFSET 0 180 0"), "{}", folder.text("scaled.bvh"));
}

#[test]
fn reversing_twice_and_mirroring_twice_change_nothing() {
    let folder = Folder::with_small();
    for change in ["--mirror", "--reverse"] {
        folder.run(&["convert", "small.bvh", "once.bvh", change]).ok();
        folder.run(&["convert", "once.bvh", "twice.bvh", change]).ok();
        let json = folder.run(&["compare", "small.bvh", "twice.bvh", "--json"]).ok().json();
        // Euler angles are written to f64 but pass through f32 rotations once: under a thousandth of a degree.
        assert!(json["angle_deg"]["max"].as_f64().expect("a number") < 1e-3, "{change}: {json}");
        assert!(json["l2p"].as_f64().expect("a number") < 1e-5, "{change}: {json}");
    }
}

#[test]
fn z_up_and_back_changes_nothing() {
    let folder = Folder::with_small();
    folder.run(&["convert", "small.bvh", "z.bvh", "--up", "z"]).ok();
    folder.run(&["convert", "z.bvh", "y.bvh", "--source-up", "z", "--up", "y"]).ok();
    let json = folder.run(&["compare", "small.bvh", "y.bvh", "--json"]).ok().json();
    assert!(json["angle_deg"]["max"].as_f64().expect("a number") < 1e-3, "{json}");
    assert!(json["l2p"].as_f64().expect("a number") < 1e-5, "{json}");
}

#[test]
fn a_motion_against_itself_is_all_zeros() {
    let folder = Folder::with_small();
    let json = folder.run(&["compare", "small.bvh", "small.bvh", "--json"]).ok().json();
    for value in
        [&json["angle_deg"]["mean"], &json["angle_deg"]["max"], &json["l2p"], &json["l2q"], &json["npss"]]
    {
        assert_eq!(*value, 0.0, "{json}");
    }
    assert_eq!(json["jerk"][0], json["jerk"][1]);
}

#[test]
fn pictures_are_pictures() {
    let folder = Folder::with_small();
    folder.run(&["render", "small.bvh", "a.png", "--size", "400x300", "--frames", "2"]).ok();
    let decoder = png::Decoder::new(std::io::Cursor::new(folder.read("a.png")));
    let reader = decoder.read_info().expect("a PNG");
    assert_eq!((reader.info().width, reader.info().height), (400, 300));
    folder.run(&["render", "small.bvh", "a.svg", "--view", "side"]).ok();
    assert!(folder.text("a.svg").contains("<svg"));
    folder.run(&["render", "small.bvh", "a.gif", "--size", "120x120"]).ok();
    assert!(folder.read("a.gif").starts_with(b"GIF89a"));
}

#[test]
fn convert_passes_through_pipes() {
    let folder = Folder::new();
    let done = folder.run_with_input(&["convert", "-", "-"], SMALL.as_bytes()).ok();
    assert!(done.stdout.starts_with("HIERARCHY"), "{done:?}");
}

/// Two walks of two joints, `a.bvh` and `b.bvh`, twenty frames each.
fn two_motions(folder: &Folder) {
    for (name, size) in [("a.bvh", 1.0), ("b.bvh", 2.0)] {
        let head = SMALL.split("Frames").next().expect("a hierarchy");
        let rows: String = (0..20)
            .map(|i| {
                let angle = size * f64::from(i);
                format!("0 90 {i} {angle} 0 0 0 {angle} 0\n")
            })
            .collect();
        folder.write(name, format!("{head}Frames: 20\nFrame Time: 0.0333333\n{rows}"));
    }
}

#[test]
fn filter_smooths_and_says_what_it_did() {
    let folder = Folder::new();
    two_motions(&folder);
    let json = folder.run(&["filter", "a.bvh", "out.bvh", "--kernel", "box:5", "--json"]).ok().json();
    assert_eq!(json["filter"]["taps"], 5);
    // Steady turning passes a symmetric kernel unchanged.
    let json = folder.run(&["compare", "a.bvh", "out.bvh", "--json"]).ok().json();
    assert!(json["angle_deg"]["max"].as_f64().expect("a number") < 1e-3, "{json}");
    assert_eq!(folder.run(&["info", "out.bvh", "--json"]).ok().json()["fps"], 30.0);
}

#[test]
fn impossible_kernels_say_what_to_do() {
    let folder = Folder::new();
    two_motions(&folder);
    for (kernel, words) in [
        ("box:50", "odd count"),
        ("box:99999", "longer than the motion"),
        ("taps:1,-1", "odd count"),
        ("gauss:0", "above 0"),
    ] {
        folder.run(&["filter", "a.bvh", "out.bvh", "--kernel", kernel]).fails_with(&["a.bvh", words]);
    }
    folder.run(&["filter", "a.bvh", "out.bvh"]).fails_with(&["--kernel", "gauss:2.5"]);
}

#[test]
fn gains_of_one_change_nothing() {
    let folder = Folder::new();
    two_motions(&folder);
    folder.run(&["equalize", "a.bvh", "out.bvh", "--gains", "1,1"]).ok();
    let json = folder.run(&["compare", "a.bvh", "out.bvh", "--json"]).ok().json();
    assert!(json["angle_deg"]["max"].as_f64().expect("a number") < 1e-3, "{json}");
}

#[test]
fn blend_with_weight_one_gives_that_motion_back() {
    let folder = Folder::new();
    two_motions(&folder);
    folder.run(&["blend", "a.bvh", "b.bvh", "-o", "c.bvh", "--weights", "1,0", "--align", "none"]).ok();
    let json = folder.run(&["compare", "a.bvh", "c.bvh", "--json"]).ok().json();
    assert!(json["angle_deg"]["max"].as_f64().expect("a number") < 1e-4, "{json}");
    folder.run(&["blend", "a.bvh", "b.bvh", "-o", "half.bvh", "--align", "none"]).ok();
    // Halfway between turning by i and by 2i degrees about one axis is turning by 1.5i.
    let last = folder.text("half.bvh").lines().last().expect("rows").to_owned();
    let numbers: Vec<f64> = last.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    assert!((numbers[3] - 28.5).abs() < 1e-3 && (numbers[7] - 28.5).abs() < 1e-3, "{last}");
}
