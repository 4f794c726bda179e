//! Verbs on a whole body: the sample walk, written by the library and read by the binary.

use crate::support::Folder;
use ugoki::formats::bvh::{WriteOptions, write};
use ugoki::sample;

fn with_walk() -> Folder {
    let folder = Folder::new();
    let walk = sample::clip("walk").expect("the sample actor walks");
    folder.write("walk.bvh", write(&walk, &WriteOptions::default()).bytes);
    folder
}

#[test]
fn planting_reports_before_and_after() {
    let folder = with_walk();
    let json = folder.run(&["plant", "walk.bvh", "planted.bvh", "--json"]).ok().json();
    let mean = |key: &str| json[key]["mean_mm_s"].as_f64().expect("a number");
    assert!(mean("skate_after") <= mean("skate_before") + 0.1, "{json}");
    assert_eq!(json["output"], "planted.bvh");
    let text = folder.run(&["plant", "walk.bvh", "planted.bvh"]).ok().stderr;
    assert!(text.contains("skate, mean"), "{text}");
}

#[test]
fn a_dropped_tpose_does_not_shift_times() {
    let folder = with_walk();
    // The walk with its rest pose in front, as CMU's files have one.
    let walk = sample::clip("walk").expect("the sample actor walks");
    let poses: Vec<_> = std::iter::once(ugoki::pose::Pose::rest(walk.skeleton()))
        .chain((0..walk.num_frames()).map(|frame| walk.pose(frame)))
        .collect();
    let clip = ugoki::clip::Clip::from_poses(walk.skeleton().clone(), 60.0, &poses).expect("a clip");
    folder.write("tpose.bvh", write(&clip, &WriteOptions::default()).bytes);
    assert_eq!(folder.run(&["info", "tpose.bvh", "--json"]).ok().json()["tpose_frame"], 0);
    folder.run(&["convert", "tpose.bvh", "a.bvh", "--trim", "33f:40f"]).ok();
    folder.run(&["convert", "tpose.bvh", "b.bvh", "--trim", "33f:40f", "--tpose", "drop"]).ok();
    assert_eq!(folder.text("a.bvh"), folder.text("b.bvh"));
}

#[test]
fn statistics_normalise_and_are_checked() {
    let folder = with_walk();
    let compared = folder.run(&["compare", "walk.bvh", "walk.bvh", "--json"]).ok().json();
    let coordinates = 3 * compared["compared"]["joints"].as_array().expect("a list").len();
    let stats = serde_json::json!({"mean": vec![0.0; coordinates], "std": vec![2.0; coordinates]});
    folder.write("stats.json", stats.to_string());
    let json =
        folder.run(&["compare", "walk.bvh", "walk.bvh", "--stats", "stats.json", "--json"]).ok().json();
    assert_eq!(json["l2p"], 0.0);
    folder.write("wrong.json", "{\"mean\": [1], \"std\": [1]}");
    folder.run(&["compare", "walk.bvh", "walk.bvh", "--stats", "wrong.json"]).fails_with(&["expected"]);
    folder.write("broken.json", "{");
    folder.run(&["compare", "walk.bvh", "walk.bvh", "--stats", "broken.json"]).fails_with(&["broken.json"]);
}

#[test]
fn strict_refuses_another_rate() {
    let folder = with_walk();
    folder.run(&["convert", "walk.bvh", "film.bvh", "--fps", "24"]).ok();
    let done = folder.run(&["compare", "walk.bvh", "film.bvh"]).ok();
    assert!(done.stderr.contains("24 to 60"), "{done:?}");
    folder.run(&["compare", "walk.bvh", "film.bvh", "--strict"]).fails_with(&["film.bvh", "--strict"]);
    folder.run(&["blend", "walk.bvh", "film.bvh", "-o", "x.bvh", "--strict"]).fails_with(&["--strict", "24"]);
}

#[test]
fn json_and_a_motion_are_not_both_on_standard_output() {
    let folder = with_walk();
    let done = folder.run(&["convert", "walk.bvh", "-", "--json"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.json()["error"]["message"].as_str().expect("a text").contains("standard output"));
}

#[test]
fn the_output_folder_is_no_input() {
    let folder = with_walk();
    for _ in 0..2 {
        let json = folder.run(&["convert", ".", "-o", "out", "--json"]).ok().json();
        assert_eq!(json["files"].as_array().expect("a list").len(), 1, "{json}");
    }
}

#[cfg(unix)]
mod unix {
    use super::*;

    #[test]
    fn a_link_stays_a_link() {
        let folder = with_walk();
        folder.write("real.bvh", "old");
        std::os::unix::fs::symlink(folder.path("real.bvh"), folder.path("link.bvh")).expect("a link");
        folder.run(&["convert", "walk.bvh", "link.bvh"]).ok();
        assert!(folder.path("link.bvh").symlink_metadata().expect("a link").file_type().is_symlink());
        assert!(folder.text("real.bvh").starts_with("HIERARCHY"));
    }

    #[test]
    fn ctrl_c_stops_without_a_half_written_file() {
        let folder = with_walk();
        // A rate that would take minutes.
        let mut child = folder
            .command(&["convert", "walk.bvh", "out.bvh", "--fps", "500000"])
            .spawn()
            .expect("the binary starts");
        std::thread::sleep(std::time::Duration::from_millis(700));
        let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.expect("kill runs").success());
        let status = child.wait().expect("the binary ends");
        assert_eq!(status.code(), Some(2));
        assert_eq!(folder.names(), ["walk.bvh"], "nothing is left behind");
    }
}
