//! `splice` and `loop` as a user runs them.

use crate::support::Folder;
use ugoki::formats::bvh::{WriteOptions, write};
use ugoki::sample;

fn with(names: &[&str]) -> Folder {
    let folder = Folder::new();
    for name in names {
        let clip = sample::clip(name).expect("a sample motion");
        folder.write(&format!("{name}.bvh"), write(&clip, &WriteOptions::default()).bytes);
    }
    folder
}

#[test]
fn a_looped_walk_walks_on_and_says_how_it_closed() {
    let folder = with(&["walk"]);
    let json = folder.run(&["loop", "walk.bvh", "out.bvh", "--cycles", "3", "--json"]).ok().json();
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let seconds = number(&json["seconds"]);
    assert!((number(&json["end_s"]) - number(&json["start_s"]) - seconds).abs() < 1e-9, "{json}");
    for key in ["position_mm", "velocity_mm_s", "rotation_deg"] {
        assert!(number(&json["seam"][key]) <= number(&json["ordinary"][key]), "{key}: {json}");
    }
    assert!(number(&json["travel_m"][2]) > 0.5, "{json}");
    let info = folder.run(&["info", "out.bvh", "--json"]).ok().json();
    assert!((number(&info["seconds"]) - 3.0 * seconds).abs() < 1e-6, "{info}");
    let text = folder.run(&["loop", "walk.bvh", "out.bvh", "--in-place"]).ok().stderr;
    assert!(text.contains("stays in its place"), "{text}");
}

#[test]
fn the_loop_range_and_contacts_are_in_a_gltf_file() {
    let folder = with(&["walk"]);
    folder.run(&["loop", "walk.bvh", "out.gltf"]).ok();
    let text = folder.text("out.gltf");
    let json: serde_json::Value = serde_json::from_str(&text).expect("glTF is JSON");
    let extras = &json["animations"][0]["extras"];
    assert!(extras["contacts"]["left"].is_object(), "{extras}");
    assert!(extras.to_string().contains("loop"), "{extras}");
}

#[test]
fn a_given_range_is_closed_and_an_invalid_one_is_refused() {
    let folder = with(&["wave"]);
    let json = folder.run(&["loop", "wave.bvh", "out.bvh", "--range", "10f:70f", "--json"]).ok().json();
    assert_eq!(json["frames"], 60);
    folder.run(&["loop", "wave.bvh", "out.bvh", "--range", "10f:11f"]).fails_with(&["wave.bvh", "10"]);
    folder.run(&["loop", "wave.bvh", "out.bvh", "--cycles", "0"]).fails_with(&["0 cycles"]);
    folder.run(&["loop", "wave.bvh", "out.bvh", "--blend", "-1"]).fails_with(&["-1"]);
}

#[test]
fn a_motion_is_not_written_over_what_it_is_made_of() {
    let folder = with(&["walk", "wave"]);
    let before = folder.read("walk.bvh");
    folder.run(&["loop", "walk.bvh", "walk.bvh"]).fails_with(&["walk.bvh", "another file"]);
    folder.run(&["loop", "walk.bvh", "./walk.bvh"]).fails_with(&["walk.bvh", "another file"]);
    folder
        .run(&["splice", "wave.bvh", "walk.bvh", "-o", "walk.bvh"])
        .fails_with(&["walk.bvh", "another file"]);
    assert_eq!(folder.read("walk.bvh"), before);
}

#[test]
fn the_fraction_of_contacts_that_are_held_is_reported() {
    let folder = with(&["walk"]);
    let json = folder.run(&["loop", "walk.bvh", "out.bvh", "--json"]).ok().json();
    let number = |key: &str| json["held"][key].as_f64().expect("a number");
    assert!(number("of_found") > 0.4 && number("of_found") <= 1.0, "{json}");
    // What is held is contact to the detector too.
    assert!(number("of_held") > 0.9, "{json}");
}

#[cfg(unix)]
#[test]
fn a_closed_stderr_is_no_panic() {
    let folder = with(&["walk"]);
    let status = std::process::Command::new("sh")
        .args(["-c", "exec 2>&-; exec \"$0\" loop walk.bvh out.bvh", env!("CARGO_BIN_EXE_ugoki")])
        .current_dir(folder.path("."))
        .status()
        .expect("a shell");
    assert_eq!(status.code(), Some(0));
    let status = std::process::Command::new("sh")
        .args([
            "-c",
            "{ \"$0\" loop walk.bvh - 2>&1; echo $? > code; } | head -c 10 > first",
            env!("CARGO_BIN_EXE_ugoki"),
        ])
        .current_dir(folder.path("."))
        .status()
        .expect("a shell");
    assert!(status.success());
    assert_ne!(folder.text("code").trim(), "101", "a reader that has seen enough is no panic");
}

#[test]
fn nothing_that_comes_back_ends_with_one_and_writes_nothing() {
    let folder = with(&["walk"]);
    // Little more than half a stride: the legs have only changed places.
    folder.run(&["convert", "walk.bvh", "half.bvh", "--trim", "0:0.62"]).ok();
    let done = folder.run(&["loop", "half.bvh", "out.bvh"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("half.bvh") && done.stderr.contains("--range"), "{done:?}");
    assert!(!folder.path("out.bvh").exists());
    let done = folder.run(&["loop", "half.bvh", "out.bvh", "--json"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.json()["error"]["hint"].is_string(), "{done:?}");
}

#[test]
fn motions_are_joined_and_the_report_says_what_was_left_out() {
    let folder = with(&["walk", "step-down", "stop"]);
    let files = ["walk.bvh", "step-down.bvh", "stop.bvh"];
    let mut words = vec!["splice"];
    words.extend(files);
    words.extend(["-o", "out.bvh", "--json"]);
    let json = folder.run(&words).ok().json();
    assert_eq!(json["seams"].as_array().expect("a list").len(), 2);
    let frames = |value: &serde_json::Value| value.as_u64().expect("a number");
    let sum: u64 = json["clips"].as_array().expect("a list").iter().map(|clip| frames(&clip["frames"])).sum();
    assert_eq!(sum, frames(&json["frames"]));
    words.extend(["--max-trim", "0", "--blend", "0.2"]);
    let json = folder.run(&words).ok().json();
    let whole: u64 =
        files.iter().map(|file| frames(&folder.run(&["info", file, "--json"]).ok().json()["frames"])).sum();
    assert_eq!(frames(&json["frames"]), whole, "end to start loses nothing");
}

#[test]
fn a_seam_that_no_body_could_follow_gives_a_warning() {
    let folder = with(&["run", "wave"]);
    let words = ["splice", "run.bvh", "wave.bvh", "-o", "out.bvh", "--max-trim", "0", "--blend", "0.05"];
    let json = folder.run(&[&words[..], &["--json"]].concat()).ok().json();
    let warnings = json["warnings"].as_array().expect("a list");
    let hips = warnings.iter().filter_map(|warning| warning.as_str()).find(|text| text.contains("hips"));
    let hips = hips.expect("a warning about the hips");
    assert!(hips.contains("m/s²") && hips.contains("--blend"), "{hips}");
    assert!(json["seams"][0]["body"]["hips_m_s2"].as_f64() > json["sources"]["hips_m_s2"].as_f64(), "{json}");
    let text = folder.run(&words).ok().stderr;
    assert!(text.contains(&format!("warning: {hips}")), "{text}");
    let same = folder.run(&["splice", "run.bvh", "run.bvh", "-o", "out.bvh", "--json"]).ok().json();
    let warnings = same["warnings"].as_array().expect("a list");
    assert!(!warnings.iter().any(|text| text.as_str().is_some_and(|text| text.contains("hips"))), "{same}");
}

#[test]
fn a_database_is_asked_only_for_seams_that_no_body_could_follow() {
    let folder = with(&["walk", "run", "stop", "wave"]);
    folder.run(&["db", "add", "moves.ugoki", "walk.bvh", "stop.bvh"]).ok();
    let words = ["splice", "walk.bvh", "walk.bvh", "-o", "out.bvh", "--json"];
    let plain = folder.run(&words).ok().json();
    let same = folder.run(&[&words[..], &["--from", "moves.ugoki"]].concat()).ok().json();
    assert_eq!(plain, same);
    assert_eq!(same["inserted_s"].as_f64(), Some(0.0));
    let json = folder
        .run(&["splice", "run.bvh", "wave.bvh", "-o", "out.bvh", "--json", "--from", "moves.ugoki"])
        .ok()
        .json();
    let inserted = json["inserted_s"].as_f64().expect("seconds");
    let clips = json["clips"].as_array().expect("a list");
    let parts = clips.iter().filter(|clip| clip["inserted"].is_array()).count();
    assert!(
        (0.0..=1.5).contains(&inserted) && clips.len() == 2 + parts && (inserted > 0.0) == (parts > 0),
        "{json}"
    );
    folder
        .run(&["splice", "walk.bvh", "run.bvh", "-o", "x.bvh", "--from", "none.ugoki"])
        .fails_with(&["none.ugoki"]);
}

#[test]
fn other_rates_are_adapted_unless_strict() {
    let folder = with(&["walk"]);
    folder.run(&["convert", "walk.bvh", "film.bvh", "--fps", "24"]).ok();
    let text = folder.run(&["splice", "walk.bvh", "film.bvh", "-o", "x.bvh"]).ok().stderr;
    assert!(text.contains("rate"), "{text}");
    folder
        .run(&["splice", "walk.bvh", "film.bvh", "-o", "x.bvh", "--strict"])
        .fails_with(&["--strict", "24"]);
    folder.run(&["splice", "walk.bvh", "missing.bvh", "-o", "x.bvh"]).fails_with(&["missing.bvh"]);
}
