//! `react` and `render --forces` as processes.

use crate::support::{Folder, SMALL};
use ugoki::formats::bvh::{WriteOptions, write};

fn with_squat() -> Folder {
    let folder = Folder::new();
    let clip = ugoki::sample::clip("squat").expect("a sample motion");
    folder.write("squat.bvh", write(&clip, &WriteOptions::default()).bytes);
    folder
}

#[test]
fn a_loaded_squat_comes_back_with_its_report() {
    let folder = with_squat();
    let words =
        ["react", "squat.bvh", "out.bvh", "--load", "5@chest", "--report", "r.json", "--plot", "r.svg"];
    let json = folder.run(&[&words[..], &["--json"]].concat()).ok().json();
    assert_eq!(json["recovered"], true);
    assert!(json["fell_at_s"].is_null());
    let frames = json["frames"].as_array().expect("frames");
    assert_eq!(frames.len(), folder.run(&["info", "out.bvh", "--json"]).ok().json()["frames"]);
    for frame in frames {
        assert!(frame["t"].is_number() && frame["tracking_error_deg"].is_number());
        assert!(frame["torque"]["spine"].is_number() && frame["load"]["leftLowerLeg"].is_number());
        assert!(["arms", "back", "lower"].iter().all(|part| frame["corrections"][part].is_number()));
    }
    assert!(frames[60]["zmp"].is_array() && frames[60]["margin_m"].is_number());
    let file: serde_json::Value = serde_json::from_str(&folder.text("r.json")).expect("JSON");
    assert_eq!(file, json, "the report file is the --json document");
    assert!(folder.text("r.svg").starts_with("<svg") && folder.text("r.svg").contains("part of strength"));
    folder.run(&["react", "squat.bvh", "out.bvh", "--load", "5@chest", "--report", "r.csv"]).ok();
    let table = folder.text("r.csv");
    let widths: Vec<usize> = table.lines().map(|line| line.split(',').count()).collect();
    assert_eq!(widths.len(), frames.len() + 1);
    assert!(widths.iter().all(|width| *width == widths[0]));
    for picture in ["f.png", "f.svg", "f.gif"] {
        folder
            .run(&["render", "out.bvh", picture, "--forces", "r.json", "--frames", "2", "--size", "300"])
            .ok();
        assert!(!folder.read(picture).is_empty());
    }
    let refused = folder.run(&["render", "out.bvh", "f.png", "--forces", "r.csv"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("ugoki react --report"), "{refused:?}");
}

#[test]
fn a_thrown_ball_is_reported() {
    let folder = with_squat();
    let ball = r#"{"bodies": [{"shape": "ball", "radius_m": 0.11, "mass_kg": 0.6, "position_m": [0, 1.2, 2],
        "velocity_m_s": [0, 1.5, -8], "at_s": 0.2}]}"#;
    folder.write("ball.json", ball);
    let json = folder.run(&["react", "squat.bvh", "out.bvh", "--throw", "ball.json", "--json"]).ok().json();
    let hit = &json["hits"][0];
    assert!(hit["impulse_n_s"][2].as_f64().expect("a number") < -1.0, "{hit}");
    assert!(json["frames"][0]["bodies"][0].is_null());
    assert!(json["frames"][30]["bodies"][0]["position_m"].is_array());
}

#[test]
fn one_file_is_not_written_twice() {
    let folder = with_squat();
    let done = folder.run(&["react", "squat.bvh", "x.csv", "--report", "./x.csv"]);
    assert!(done.code == Some(2) && done.stderr.contains("is named as an output twice"), "{done:?}");
    let done = folder
        .run(&[
            "react",
            "squat.bvh",
            "out.bvh",
            "--report",
            "r.csv",
            "--plot",
            "r.svg",
            "--export-body",
            "r.xml",
        ])
        .ok();
    assert!(done.stderr.is_empty() || !done.stderr.contains("also"), "{done:?}");
    let done = folder.run(&["react", "squat.bvh", "out.json", "--report", "out.json"]);
    assert!(done.code == Some(2), "{done:?}");
}

#[test]
fn the_body_that_was_simulated_is_written() {
    let folder = with_squat();
    let mass = |text: &str| -> f64 {
        let masses = text.split("mass=\"").skip(1).chain(text.split("mass value=\"").skip(1));
        masses.map(|part| part.split('"').next().unwrap_or_default().parse::<f64>().expect("a mass")).sum()
    };
    for name in ["body.xml", "body.urdf"] {
        folder.run(&["react", "squat.bvh", "out.bvh", "--load", "8@chest", "--export-body", name]).ok();
        let text = folder.text(name);
        assert!((mass(&text) - 73.0).abs() < 1e-6, "{name}: {}", mass(&text));
        assert!(text.contains("leftLowerLeg"));
    }
}

#[test]
fn a_report_of_another_motion_is_refused_and_thrown_bodies_are_drawn() {
    let folder = with_squat();
    folder.write(
        "ball.json",
        r#"{"bodies": [{"shape": "ball", "radius_m": 0.2, "position_m": [0.8, 0.2, 0], "at_s": 0},
        {"shape": "box", "size_m": [0.3, 0.3, 0.3], "position_m": [-0.8, 0.15, 0], "at_s": 0}]}"#,
    );
    folder.run(&["react", "squat.bvh", "out.bvh", "--throw", "ball.json", "--report", "r.json"]).ok();
    folder.run(&["react", "squat.bvh", "out.bvh", "--report", "bare.json"]).ok();
    let picture = |report: &str| {
        folder
            .run(&["render", "out.bvh", "f.svg", "--forces", report, "--frames", "1", "--size", "300"])
            .ok();
        folder.read("f.svg")
    };
    assert_ne!(picture("r.json"), picture("bare.json"));
    folder.run(&["convert", "squat.bvh", "short.bvh", "--trim", "0f:60f"]).ok();
    let done = folder.run(&["render", "short.bvh", "f.png", "--forces", "r.json"]);
    assert!(
        done.code == Some(2) && done.stderr.contains("give the motion that `ugoki react` wrote"),
        "{done:?}"
    );
}

#[test]
fn a_weaker_body_is_more_strained() {
    let folder = with_squat();
    folder.write("weak.toml", "mass_kg = 80\n[links.leftLowerLeg]\nstrength = 0.5\n");
    let knee = |words: &[&str]| {
        let json = folder.run(&[&["react", "squat.bvh", "out.bvh", "--json"], words].concat()).ok().json();
        let number = |value: &serde_json::Value| value.as_f64().expect("a number");
        (number(&json["frames"][90]["load"]["leftLowerLeg"]), number(&json["mass_kg"]))
    };
    let ((usual, _), (weak, heavy_kg)) = (knee(&[]), knee(&["--body", "weak.toml"]));
    assert!(weak > 1.8 * usual, "{weak} against {usual}");
    // Strength goes with mass, so the fraction of it does not tell; --mass stands over the file's.
    let (_, light_kg) = knee(&["--body", "weak.toml", "--mass", "65"]);
    assert!((heavy_kg - 80.0).abs() < 1e-6 && (light_kg - 65.0).abs() < 1e-6, "{heavy_kg} {light_kg}");
}

#[test]
fn what_cannot_be_is_one_line_that_says_what_to_do() {
    let folder = with_squat();
    folder.write("small.bvh", SMALL);
    folder.write("bad.toml", "mass_kg = 70\nheight = 2\n");
    folder.write("none.toml", "strength = 0\n");
    folder.write("up.toml", "gravity_m_s2 = -9.8\n");
    folder.write("tiny.toml", "stature_m = 0.1\n");
    folder.write("bad.json", r#"{"bodies": [{"shape": "ball", "position_m": [0, 0, 0]}]}"#);
    folder.write("torn.json", "{\"bodies\": [\n{\"shape\": }]}");
    for (words, part) in [
        (&["squat.bvh", "--load", "8@chst"][..], "the nearest are chest"),
        (&["squat.bvh", "--load", "8"], "KG@ROLE"),
        (&["squat.bvh", "--load", "5000@chest"], "give 0 to 1000 kg"),
        (&["squat.bvh", "--load", "1@jaw"], "there are hips"),
        (&["squat.bvh", "--push", "1,hips,0,0,1e6"], "give at most 1000"),
        (&["squat.bvh", "--push", "9,hips,0,0,10"], "choose a time in it"),
        (&["squat.bvh", "--mass", "0"], "give 5 to 500 kg"),
        (&["squat.bvh", "--mass", "nan"], "give 5 to 500 kg"),
        (&["squat.bvh", "--body", "bad.toml"], "line 2"),
        (&["squat.bvh", "--throw", "bad.json"], "radius_m is missing"),
        (&["squat.bvh", "--throw", "torn.json"], "torn.json: line 2"),
        (&["squat.bvh", "--throw", "torn.json", "--report", "./torn.json"], "is both an input and an output"),
        (&["squat.bvh", "--throw", "out.bvh"], "out.bvh: no such file"),
        (&["squat.bvh", "--report", "r.txt"], "use .json or .csv"),
        (&["squat.bvh", "--plot", "r.png"], "use .svg"),
        (&["squat.bvh", "--export-body", "b.txt"], "use .xml (MJCF) or .urdf"),
        (&["squat.bvh", "--report", "r.json", "--plot", "r.svg", "--export-body", "squat.bvh"], "ending"),
        (&["squat.bvh", "--load", "-1@chest"], "a mass in kg"),
        (&["squat.bvh", "--push", "-1,hips,0,0,1"], "a time"),
        (&["squat.bvh", "--load", "5@chest:1e9,0,0"], "at most 2"),
        (&["squat.bvh", "--body", "none.toml"], "strength is 0; give 0.001 to 1000"),
        (&["squat.bvh", "--body", "up.toml"], "gravity_m_s2 is -9.8"),
        (&["squat.bvh", "--body", "tiny.toml"], "stature_m is 0.1"),
        (&["small.bvh", "--push", "0.01,chest,0,0,1"], "legs"),
        (&["small.bvh"], "legs"),
    ] {
        let done = folder.run(&[&["react", words[0], "out.bvh"], &words[1..]].concat());
        assert_eq!(done.code, Some(2), "{words:?}: {done:?}");
        assert!(done.stderr.contains(part) && done.stderr.lines().count() == 1, "{words:?}: {}", done.stderr);
    }
    folder.run(&["convert", "squat.bvh", "one.bvh", "--trim", "10f:11f"]).ok();
    let done = folder.run(&["react", "one.bvh", "out.bvh"]);
    assert!(done.code == Some(2) && done.stderr.contains("give at least"), "{done:?}");
    assert!(!folder.path("out.bvh").exists());
}
