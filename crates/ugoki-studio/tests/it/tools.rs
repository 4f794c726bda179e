//! What tools ask of the server, against the library itself.

use crate::desk::{Desk, document, smooth};
use serde_json::json;
use ugoki::formats::{ReadOptions, read};
use ugoki::no_progress;
use ugoki::signal::{FilterConfig, Kernel, KernelShape, filter, hold_filtered_feet};

#[test]
fn a_stage_is_what_the_job_makes_and_its_ghost_what_was_before() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    page.poses.clear();
    let stage = page.edit(&document("walk", json!([smooth("gauss:6")])), false);
    assert!(stage["problem"].is_null(), "{stage}");
    assert_eq!(stage["reports"][0]["filter"]["taps"], 37);
    let stream = stage["motion"]["stream"].as_u64().unwrap() as u32;
    let ghost = stage["ghost"]["stream"].as_u64().unwrap() as u32;
    let database = ugoki_db::Database::open_read_only(&folder.path().join("moves.ugoki")).unwrap();
    let before = database.clip(database.find("walk").unwrap()).unwrap();
    let kernel = Kernel::build(&KernelShape::Gauss(6.0)).unwrap();
    let after = filter(&before, &kernel, FilterConfig::default(), &mut no_progress()).unwrap().clip;
    let held = hold_filtered_feet(&before, &after, &mut no_progress()).unwrap();
    let after = held.map_or(after, |(held, _)| held);
    for (stream, clip) in [(stream, &after), (ghost, &before)] {
        page.poses.clear();
        page.say(&json!({"intent": "poses", "stream": stream, "from": 40, "count": 1}));
        let poses = loop {
            let poses = page.next_poses();
            if (poses.stream, poses.first) == (stream, 40) {
                break poses;
            }
        };
        let body = clip.model_pose(40);
        for (joint, place) in body.positions.iter().enumerate() {
            assert_eq!(poses.values[7 * joint..7 * joint + 3], place.to_array());
        }
    }
    page.say(&json!({"intent": "curves", "stream": stream, "other": ghost, "joint": 3}));
    let curves = page.hear("curves");
    assert_eq!(curves["after"][0].as_array().unwrap().len(), after.num_frames());
    assert_ne!(curves["after"], curves["before"]);
}

#[test]
fn steps_follow_each_other_and_the_command_line_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let gains = json!({"verb": "equalize", "input": "@", "output": "", "gains": [1, 1, 1, 0.5]});
    let mix = json!({"verb": "blend", "inputs": ["@", "#wave"], "output": "", "align": "none",
                     "weights": "1,1"});
    let stage = page.edit(&document("walk", json!([smooth("box:5"), gains, mix])), true);
    assert!(stage["problem"].is_null(), "{stage}");
    assert_eq!(stage["reports"].as_array().unwrap().len(), 3);
    let lines = page.commands("bvh");
    assert_eq!(lines.len(), 3);
    assert!(lines[2].contains("--output=walk-blend.bvh"), "{lines:?}");
    let lines = page.commands("glb");
    assert!(lines.len() == 3 && lines[2].contains("--output=walk-blend.glb"), "{lines:?}");
    let lines = page.commands("gif");
    assert!(lines.len() == 4 && lines[3].ends_with("render step-3.bvh walk-blend.gif"), "{lines:?}");
    assert!(page.commands("../../x")[2].contains("--output=walk-blend.x "), "no path of a page is passed on");
    assert!(lines[0].contains("#walk step-1.bvh"), "{lines:?}");
    assert!(lines[2].contains("step-2.bvh") && lines[2].contains("#wave"), "{lines:?}");
    // A step that cannot be leaves what is before it, and is named.
    let stage = page.edit(&document("nod", json!([smooth("box:5"), smooth("box:99999")])), false);
    assert_eq!(stage["problem"]["step"], 1);
    assert!(stage["problem"]["hint"].as_str().unwrap().contains("use at most"));
    assert_eq!(stage["reports"].as_array().unwrap().len(), 1);
}

#[test]
fn exports_are_files_that_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let frames = page.edit(&document("nod", json!([smooth("box:5")])), true)["motion"]["frames"].clone();
    for (number, format) in ["bvh", "glb", "vrma"].iter().enumerate() {
        page.say(&json!({"intent": "export", "number": 100 + number, "format": format}));
        let file = page.hear("exported");
        assert_eq!(file["name"], format!("nod-filter.{format}"));
        let bytes = fetch(&desk, file["path"].as_str().unwrap());
        assert_eq!(bytes.len() as u64, file["bytes"].as_u64().unwrap());
        let back = read(&bytes, Some(format), &ReadOptions::default()).unwrap();
        assert_eq!(back.clip.num_frames() as u64, frames.as_u64().unwrap(), "{format}");
    }
    page.say(&json!({"intent": "export", "number": 200, "format": "exe"}));
    assert!(page.hear("refused")["problem"]["message"].as_str().unwrap().contains("exe"));
    assert!(desk.get("/export/00000000000000000000000000000000").starts_with("HTTP/1.1 404"));
}

/// Bytes of an export.
fn fetch(desk: &Desk, path: &str) -> Vec<u8> {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", desk.port)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", desk.port)
        .unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    let body = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    all.split_off(body)
}

#[test]
fn dropped_files_become_clips_and_bad_ones_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let clip = ugoki::sample::clip("squat").unwrap();
    let options = ugoki::formats::WriteOptions::default();
    let go_on = &mut no_progress();
    let bytes = ugoki::formats::write(&clip, ugoki::formats::Format::Bvh, &options, go_on).unwrap().bytes;
    assert!(desk.upload("..%2F..%2Fsquat.bvh", &bytes).starts_with("HTTP/1.1 204"));
    assert!(desk.upload("broken.bvh", b"HIERARCHY ROOT nothing").starts_with("HTTP/1.1 204"));
    let mut page = desk.page();
    page.say(&json!({"intent": "import", "number": 1, "files": ["squat.bvh", "broken.bvh"]}));
    let answer = page.hear("imported");
    assert_eq!(answer["clips"], json!(["squat"]));
    assert_eq!(answer["problems"][0]["file"], "broken.bvh");
    assert_eq!(page.edit(&document("squat", json!([])), false)["motion"]["name"], "squat");
    page.say(&json!({"intent": "import", "number": 2, "files": ["squat.bvh"]}));
    page.hear("refused");
}

#[test]
fn cuts_are_found_and_pieces_kept() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let frames = page.edit(&document("wave", json!([])), true)["motion"]["frames"].as_u64().unwrap();
    page.say(&json!({"intent": "ask", "number": 9, "request": {"verb": "segment", "input": "@"}}));
    let report = page.hear("report");
    assert_eq!(report["number"], 9);
    let pieces = report["report"]["pieces"].as_array().unwrap().len();
    assert!(pieces > 1, "{report}");
    let mut cut = document("wave", json!([]));
    cut["cuts"] = json!([20, 50]);
    page.edit(&cut, true);
    page.say(&json!({"intent": "save-pieces", "names": ["a", "b"]}));
    assert!(page.hear("refused")["problem"]["message"].as_str().unwrap().contains("3 pieces"));
    page.say(&json!({"intent": "save-pieces", "names": ["a", "b", "c"]}));
    assert_eq!(page.hear("saved")["names"], json!(["a", "b", "c"]));
    for (name, length) in [("a", 20), ("b", 30), ("c", frames - 50)] {
        assert_eq!(page.edit(&document(name, json!([])), false)["motion"]["frames"], length);
    }
}

#[test]
fn a_walk_follows_its_footsteps() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let walk = |steps: Option<&str>| json!({"verb": "walk", "input": "@", "output": "", "steps": steps, "clamp": true});
    let stage = page.edit(&document("walk", json!([walk(None)])), false);
    let mut steps: Vec<_> = (stage["reports"][0]["steps"].as_array().unwrap().iter())
        .map(|step| {
            let at = &step["planned"];
            json!({"foot": step["foot"], "x": at[0], "y": at[1], "z": at[2], "heading_deg": step["heading_deg"]})
        })
        .collect();
    let moved = steps[2]["x"].as_f64().unwrap() + 0.08;
    steps[2]["x"] = json!(moved);
    let mut planned = document("walk", json!([walk(Some("steps.json"))]));
    planned["files"] = json!({"steps.json": json!({"steps": steps}).to_string()});
    let stage = page.edit(&planned, true);
    assert!(stage["problem"].is_null(), "{stage}");
    let reached = stage["reports"][0]["steps"][2]["reached"][0].as_f64().unwrap();
    assert!((reached - moved).abs() < 0.005, "{reached} instead of {moved}");
    assert!(page.commands("bvh")[0].starts_with("printf"));
    planned["files"] = json!({});
    assert!(page.edit(&planned, false)["problem"]["message"].as_str().unwrap().contains("steps.json"));
}

#[test]
fn a_push_is_answered_with_loads_and_a_margin() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let push = "20f,chest,0,0,-15";
    let react = json!({"verb": "react", "input": "@", "output": "", "pushes": [push], "loads": ["5@chest"]});
    let mut pushed = document("nod", json!([react]));
    pushed["tool"] = json!("react");
    let stage = page.edit(&pushed, false);
    assert!(stage["problem"].is_null(), "{stage}");
    let reaction = &stage["reaction"];
    let frames = stage["motion"]["frames"].as_u64().unwrap() as usize;
    assert_eq!(reaction["margin_m"].as_array().unwrap().len(), frames);
    assert_eq!(reaction["joints"].as_array().unwrap().len(), reaction["load"].as_array().unwrap().len());
    assert!(reaction["joints"].as_array().unwrap().len() > 10);
    assert_eq!(stage["ghost"]["frames"], frames);
}

#[test]
fn corresponding_moments_of_a_blend_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let mix = json!({"verb": "blend", "inputs": ["@", "#nod"], "output": "", "align": "time"});
    page.edit(&document("wave", json!([mix])), true);
    page.say(&json!({"intent": "registration"}));
    let answer = page.hear("registration");
    let curve = &answer["curves"][0];
    assert_eq!(curve["name"], "nod");
    let points: Vec<[f64; 2]> = serde_json::from_value(curve["points"].clone()).unwrap();
    assert!(points.len() > 10);
    assert!(points.windows(2).all(|pair| pair[0][0] < pair[1][0] && pair[0][1] < pair[1][1]), "time goes on");
}

#[test]
fn a_thrown_ball_flies_and_is_reported_frame_by_frame() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let react = json!({"verb": "react", "input": "@", "output": "", "throw": "throw.json"});
    let ball = json!({"shape": "ball", "radius_m": 0.11, "mass_kg": 2, "position_m": [0, 1.4, 2.2],
                      "velocity_m_s": [0, 1.5, -6], "at_s": 0.2});
    let mut thrown = document("nod", json!([react]));
    thrown["files"] = json!({"throw.json": json!({"bodies": [ball]}).to_string()});
    let stage = page.edit(&thrown, false);
    assert!(stage["problem"].is_null(), "{stage}");
    let places = stage["reaction"]["bodies"][0].as_array().unwrap();
    assert_eq!(places.len() as u64, stage["motion"]["frames"].as_u64().unwrap());
    assert!(places[0].is_null(), "it appears after 0.2 s");
    assert!(places.iter().any(|place| place[2].as_f64().is_some_and(|z| z < 1.0)), "it comes near");
}

#[test]
fn an_actor_is_driven_by_a_performer_after_one_imitation() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let learn =
        json!({"verb": "perform", "action": "learn", "inputs": ["@", "#wave"], "output": "model.ugoki"});
    let run =
        json!({"verb": "perform", "action": "run", "model": "model.ugoki", "input": "#wave", "output": ""});
    let mut performed = document("wave", json!([learn, run]));
    performed["tool"] = json!("perform");
    let stage = page.edit(&performed, true);
    assert!(stage["problem"].is_null(), "{stage}");
    let pieces = stage["reports"][0]["pieces"].as_array().unwrap();
    assert!(pieces.iter().any(|piece| piece["r2"].as_f64().is_some_and(|r2| r2 > 0.9)), "{pieces:?}");
    let frames = stage["reports"][1]["frames"].as_array().unwrap();
    assert_eq!(frames.len() as u64, stage["motion"]["frames"].as_u64().unwrap());
    assert!(frames.iter().all(|frame| frame["motion"] == "wave"));
    assert_eq!(stage["ghost"]["name"], "wave", "the performer is shown next to the actor");
    let lines = page.commands("bvh");
    assert!(lines[0].contains("perform learn --output=model.ugoki"), "{lines:?}");
    assert!(lines[1].ends_with("model.ugoki"), "{lines:?}");
    // Nothing learned, nothing to run.
    let stage = page.edit(&document("wave", json!([performed["steps"][1]])), false);
    assert!(stage["problem"]["message"].as_str().unwrap().contains("learned"));
}
