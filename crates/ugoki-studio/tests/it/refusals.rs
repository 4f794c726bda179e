//! What the studio does not do it refuses by name, and a page can tell which of its intents was refused.

use serde_json::{Value, json};
use ugoki_studio::studio::ServerConfig;
use ugoki_verbs::Budget;

use crate::desk::{Desk, Page, document, smooth};

/// The refusal of a question.
fn refusal(page: &mut Page, request: &Value) -> String {
    page.say(&json!({"intent": "ask", "number": 7, "request": request}));
    let answer = page.hear("refused");
    assert_eq!(answer["number"], 7, "{answer}");
    answer["problem"].to_string()
}

#[test]
fn a_question_makes_no_files_and_reads_no_other_database() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    page.edit(&document("walk", json!([])), true);
    let output = folder.path().join("out.bvh").to_string_lossy().into_owned();
    for (request, part) in [
        (json!({"verb": "convert", "inputs": ["@"], "output": output}), "writes no files"),
        (json!({"verb": "render", "input": "@", "output": "x.png", "frames": 2}), "writes no files"),
        (json!({"verb": "segment", "input": "@", "output": "pieces"}), "writes no files"),
        (json!({"verb": "plant", "input": "@", "output": output}), "makes nothing"),
        (json!({"verb": "db", "action": "list", "database": "/etc/other.ugoki"}), "/etc/other.ugoki"),
    ] {
        let problem = refusal(&mut page, &request);
        assert!(problem.contains(part), "{request}: {problem}");
    }
    // The bands of a motion are a question that the equalizer answers.
    page.say(&json!({"intent": "ask", "number": 7, "request": {"verb": "equalize", "input": "@", "output": "", "gains": [1]}}));
    assert!(page.hear("report")["report"].is_object());
    page.say(
        &json!({"intent": "ask", "number": 8, "request": {"verb": "db", "action": "list", "database": ""}}),
    );
    assert_eq!(page.hear("report")["report"]["clips"].as_array().map(Vec::len), Some(3));
}

#[test]
fn options_about_files_are_refused_and_a_pose_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let frames = page.edit(&document("walk", json!([smooth("box:3")])), false)["motion"]["frames"].as_u64();
    let with = |field: &str, value: Value| {
        let mut step = smooth("box:3");
        step[field] = value;
        document("walk", json!([step]))
    };
    let dropped = page.edit(&with("tpose", json!("drop")), false);
    assert_eq!(dropped["motion"]["frames"].as_u64(), frames.map(|frames| frames - 1));
    let stage = page.edit(&with("source_unit", json!(0.01)), false);
    let message = stage["problem"]["message"].as_str().unwrap();
    assert!(message.starts_with("--source-unit: "), "{message}");
}

#[test]
fn steps_keep_to_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let budget = Budget { memory_bytes: 10, ..Budget::default() };
    let desk = Desk::open(folder.path(), ServerConfig { budget, ..ServerConfig::default() });
    let stage = desk.page().edit(&document("walk", json!([smooth("box:3")])), false);
    assert!(stage["problem"]["message"].as_str().unwrap().contains("larger than the 10 bytes"), "{stage}");
}

#[test]
fn a_refused_edit_has_its_number_and_the_line_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let mut step = smooth("box:3");
    step["despik"] = json!(true);
    let number = page.send_edit(&document("walk", json!([step])), true);
    let answer = page.hear("refused");
    assert_eq!(answer["number"], number);
    assert!(answer["problem"]["message"].as_str().unwrap().contains("despik"), "{answer}");

    let react = json!({"verb": "react", "input": "@", "output": "", "throw": "balls.json"});
    let mut thrown = document("nod", json!([react]));
    thrown["files"] = json!({"balls.json": "{\"bodies\": [\n{\"sape\": 1}]}"});
    let problem = &page.edit(&thrown, false)["problem"];
    assert_eq!(
        (&problem["file"], &problem["line"], &problem["step"]),
        (&json!("balls.json"), &json!(2), &json!(0))
    );
}

#[test]
fn a_field_that_is_there_twice_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let request = r#"{"verb": "filter", "input": "@", "output": "", "kernel": "box:3", "kernel": "box:5"}"#;
    let text = format!(r#"{{"intent": "ask", "number": 5, "request": {request}}}"#);
    page.socket.send(tungstenite::Message::text(text)).unwrap();
    let answer = page.hear("refused");
    assert_eq!(answer["number"], 5);
    assert!(answer["problem"]["message"].as_str().unwrap().contains("\"kernel\" is there twice"), "{answer}");
}
