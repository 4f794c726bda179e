//! Command lines of documents.

use std::path::Path;

use serde_json::json;
use ugoki_studio::studio::commands;
use ugoki_studio::studio::protocol::{BEFORE, Document};
use ugoki_verbs::Request;

fn clean() -> Document {
    let step =
        json!({ "verb": "filter", "input": BEFORE, "output": "", "kernel": "gauss:2.5", "despike": true });
    Document {
        clip: Some("walk".to_owned()),
        steps: vec![Request::from_value(&step).unwrap()],
        ..Document::default()
    }
}

#[test]
fn steps_follow_each_other_and_the_last_writes_the_file() {
    let mut document = clean();
    let path = Path::new("my moves.ugoki");
    assert_eq!(
        commands(&document, path, "out.glb"),
        ["ugoki filter --kernel=gauss:2.5 --despike 'my moves.ugoki#walk' out.glb"]
    );
    document.steps.push(document.steps[0].clone());
    let lines = commands(&document, path, "out.gif");
    assert_eq!(lines.len(), 3);
    assert!(lines[1].ends_with("step-1.bvh step-2.bvh"), "{lines:?}");
    assert_eq!(lines[2], "ugoki render step-2.bvh out.gif");
}

#[test]
fn a_clip_alone_is_converted() {
    let document = Document { clip: Some("it's".to_owned()), ..Document::default() };
    let lines = commands(&document, Path::new("m.ugoki"), "a.bvh");
    assert_eq!(lines, [r"ugoki convert 'm.ugoki#it'\''s' a.bvh"]);
    assert!(commands(&Document::default(), Path::new("m.ugoki"), "a.bvh").is_empty());
}
