//! `walk` as a process: the file it writes has the requested footfalls.

use crate::support::{Folder, SMALL};
use ugoki::contact::{ContactConfig, find_contacts, find_feet};
use ugoki::feet::standing_contacts;
use ugoki::formats::bvh::{WriteOptions, write};
use ugoki::formats::{ReadOptions, read};

fn with_walk() -> Folder {
    let folder = Folder::new();
    let clip = ugoki::sample::clip("walk").expect("a sample motion");
    folder.write("walk.bvh", write(&clip, &WriteOptions::default()).bytes);
    folder
}

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(|n| n.as_f64().expect("a number")).collect()
}

#[test]
fn footfalls_of_the_written_file_are_those_of_the_plan() {
    let folder = with_walk();
    let words =
        ["walk", "walk.bvh", "--stride", "0.5", "--count", "5", "--turn", "30", "-o", "out.bvh", "--json"];
    let json = folder.run(&words).ok().json();
    let steps = json["steps"].as_array().expect("steps").clone();
    assert_eq!(steps.len(), 5);
    let clip = read(&folder.read("out.bvh"), Some("bvh"), &ReadOptions::default()).expect("BVH").clip;
    let contacts = find_contacts(&clip, &ContactConfig::default()).expect("feet");
    let standing = standing_contacts(&clip, &contacts).expect("feet");
    let feet = find_feet(clip.skeleton()).expect("feet");
    for step in &steps {
        let (planned, reached) = (numbers(&step["planned"]), numbers(&step["reached"]));
        assert!(planned.iter().zip(&reached).all(|(a, b)| (a - b).abs() < 1e-3), "{step}");
        assert!(
            step["slip_mm"].as_f64().expect("a number") < 1.0
                && step["start_s"].as_f64() < step["end_s"].as_f64()
        );
        // Detected again in the file: some flat phase of the foot has its middle there.
        let foot = usize::from(step["foot"] == "right");
        let near = standing.feet[foot].flat().into_iter().any(|flat| {
            let ankle = clip.model_pose((flat.start + flat.end) / 2).positions[feet.feet[foot].ankle];
            (f64::from(ankle.x) - planned[0]).hypot(f64::from(ankle.z) - planned[2]) < 1e-3
        });
        assert!(near, "no flat phase at {planned:?}");
    }
}

#[test]
fn a_file_of_footsteps_is_walked_refused_by_step_or_clamped() {
    let folder = with_walk();
    let words = ["walk", "walk.bvh", "--stride", "0.6", "--count", "3", "-o", "a.bvh", "--json"];
    let steps = folder.run(&words).ok().json()["steps"].as_array().expect("steps").clone();
    let file = |change: &dyn Fn(&mut Vec<serde_json::Value>)| {
        let mut list: Vec<serde_json::Value> = (steps.iter())
            .map(|step| {
                let [x, y, z] = [0, 1, 2].map(|i: usize| step["planned"][i].clone());
                serde_json::json!({"foot": step["foot"], "x": x, "y": y, "z": z, "heading_deg": step["heading_deg"]})
            })
            .collect();
        change(&mut list);
        serde_json::json!({ "steps": list }).to_string()
    };
    folder.write("steps.json", file(&|_| {}));
    let again =
        folder.run(&["walk", "walk.bvh", "--steps", "steps.json", "-o", "b.bvh", "--json"]).ok().json();
    assert_eq!(again["steps"].as_array().expect("steps").len(), 3);
    let refused = |text: String, words: &str| {
        folder.write("bad.json", text);
        let run = folder.run(&["walk", "walk.bvh", "--steps", "bad.json", "-o", "c.bvh"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains("bad.json") && run.stderr.contains(words), "{}", run.stderr);
        assert!(run.stderr.trim_end().lines().count() == 1, "{}", run.stderr);
    };
    refused(file(&|list| list[1]["z"] = 9.0.into()), "step 2");
    refused(file(&|list| list[2]["foot"] = "middle".into()), "step 3");
    refused(file(&|list| list[1]["foot"] = list[0]["foot"].clone()), "twice in a row");
    refused(file(&Vec::clear), "no steps");
    refused("{\"steps\": [{\"foot\": \"left\", \"x\": NaN}]}".to_owned(), "line 1");
    refused("[]".to_owned(), "expected");
    // The line is a field of its own for readers of the JSON document.
    folder.write("bad.json", "{\"steps\": [\n {\"foot\": \"left\", \"x\": 0, \"z\": 1},\n {\"foot\": \"up\", \"x\": 0, \"z\": 1}]}");
    let error = folder.run(&["walk", "walk.bvh", "--steps", "bad.json", "-o", "c.bvh", "--json"]).json();
    assert_eq!(
        (&error["error"]["file"], &error["error"]["line"]),
        (&"bad.json".into(), &3.into()),
        "{error}"
    );
    assert!(!error["error"]["message"].as_str().expect("text").contains("struct"), "{error}");
    refused(file(&|list| list[0]["heading"] = 90.into()), "unknown field `heading`");
    refused(file(&|_| {}).replacen("\"x\":", "\"x\":0.5,\"x\":", 1), "duplicate field `x`");
    // What is possible is not moved, and not said to be.
    let same = ["walk", "walk.bvh", "--steps", "steps.json", "--clamp", "-o", "e.bvh", "--json"];
    assert!(folder.run(&same).ok().json()["clamped"].as_array().expect("steps").is_empty());
    assert!(!folder.names().contains(&"c.bvh".to_owned()));
    folder.write("far.json", file(&|list| list[1]["z"] = 9.0.into()));
    let clamped = folder
        .run(&["walk", "walk.bvh", "--steps", "far.json", "--clamp", "-o", "d.bvh", "--json"])
        .ok()
        .json();
    assert!(clamped["clamped"].as_array().expect("steps").contains(&2.into()), "{clamped}");
}

#[test]
fn what_does_not_walk_is_refused_and_a_database_gives_its_walk() {
    let folder = with_walk();
    folder.write("small.bvh", SMALL);
    let run = folder.run(&["walk", "small.bvh", "-o", "x.bvh"]);
    assert!(run.code == Some(2) && run.stderr.contains("small.bvh"), "{run:?}");
    // A motion that has legs and does not walk: nothing was found.
    let bow = ugoki::sample::clip("bow").expect("a sample motion");
    folder.write("bow.bvh", write(&bow, &WriteOptions::default()).bytes);
    let run = folder.run(&["walk", "bow.bvh", "-o", "x.bvh"]);
    assert!(run.code == Some(1) && run.stderr.contains("bow.bvh: no walk was found"), "{run:?}");
    let run = folder.run(&["walk", "walk.bvh", "-o", "walk.bvh"]);
    assert!(run.code == Some(2) && run.stderr.contains("another file"), "{run:?}");
    let run = folder.run(&["walk", "walk.bvh", "--stride", "2", "--count", "4", "-o", "x.bvh"]);
    assert!(run.code == Some(2) && run.stderr.contains("at most"), "{run:?}");
    // The answer names the file that could not be walked with.
    let run = folder.run(&["walk", "walk.bvh", "--stride", "2", "--count", "4", "-o", "x.bvh", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(json["error"]["file"], "walk.bvh", "{json}");
    let run = folder.run(&["walk", "walk.bvh", "--stride", "-0.5", "-o", "x.bvh"]);
    assert!(run.code == Some(2) && run.stderr.contains("cannot be -0.5 m long"), "{run:?}");
    folder.run(&["db", "create", "moves.ugoki"]).ok();
    folder.run(&["db", "add", "moves.ugoki", "walk.bvh"]).ok();
    folder.run(&["db", "tag", "moves.ugoki", "walk", "--add", "walk"]).ok();
    let json = folder
        .run(&["walk", "moves.ugoki", "--stride", "0.5", "--count", "3", "-o", "x.bvh", "--json"])
        .ok()
        .json();
    assert_eq!(json["source"], "walk");
    assert_eq!(json["steps"].as_array().expect("steps").len(), 3);
    // Importing tags turns; asked for one, a database gives it, without a given number of steps.
    let turn = ugoki::sample::clip("turn-left").expect("a sample motion");
    folder.write("turn-left.bvh", write(&turn, &WriteOptions::default()).bytes);
    folder.run(&["db", "add", "moves.ugoki", "turn-left.bvh"]).ok();
    let json = folder.run(&["walk", "moves.ugoki", "--turn", "90", "-o", "t.bvh", "--json"]).ok().json();
    assert_eq!(json["source"], "turn-left", "{json}");
    let run = folder.run(&["walk", "moves.ugoki", "--turn", "nan", "-o", "t.bvh"]);
    assert!(run.code == Some(2) && run.stderr.contains("nan") && !run.stderr.contains("moves"), "{run:?}");
}

#[test]
fn without_a_plan_the_sources_own_footfalls_are_walked_from_where_its_foot_stands() {
    let folder = with_walk();
    let json = folder.run(&["walk", "walk.bvh", "-o", "own.bvh", "--json"]).ok().json();
    assert_eq!(json["laps"], 0);
    let first = &json["steps"][0];
    assert_ne!(json["stands"]["foot"], first["foot"]);
    let (from, to) = (numbers(&json["stands"]["place"]), numbers(&first["planned"]));
    let way = (to[0] - from[0]).hypot(to[2] - from[2]);
    // The first step of a walk that is under way is a step past the foot that stands.
    assert!((0.3..1.2).contains(&way), "{json}");
}
