//! Every change can be taken back, and what it did to the database with it.

use crate::desk::{Desk, Page, document, smooth};
use serde_json::{Value, json};
use ugoki::formats::{Format, WriteOptions, write};
use ugoki::no_progress;

fn bvh(name: &str) -> Vec<u8> {
    let clip = ugoki::sample::clip(name).unwrap();
    write(&clip, Format::Bvh, &WriteOptions::default(), &mut no_progress()).unwrap().bytes
}

fn names(clips: &Value) -> Vec<String> {
    clips["clips"].as_array().unwrap().iter().map(|clip| clip["name"].as_str().unwrap().to_owned()).collect()
}

fn undo(page: &mut Page) -> Value {
    page.say(&json!({"intent": "undo"}));
    page.hear("clips")
}

fn tags(clips: &Value, name: &str) -> Vec<String> {
    let clip = clips["clips"].as_array().unwrap().iter().find(|clip| clip["name"] == name).unwrap();
    serde_json::from_value(clip["tags"].clone()).unwrap()
}

#[test]
fn a_clip_that_is_thrown_out_comes_back_whole_and_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    desk.upload("squat.bvh", &bvh("squat"));
    desk.upload("LICENSE.txt", b"for looking at only");
    page.say(&json!({"intent": "import", "number": 1, "files": ["squat.bvh", "LICENSE.txt"]}));
    page.hear("imported");
    page.say(&json!({"intent": "save", "name": "after it"}));
    let before = page.hear("clips");
    page.hear("saved");
    let details = || {
        let database = ugoki_db::Database::open_read_only(&folder.path().join("moves.ugoki")).unwrap();
        database.details(database.find("squat").unwrap()).unwrap()
    };
    let known = details();
    assert_eq!(known.file.as_ref().unwrap().licence_text.as_deref(), Some("for looking at only"));
    page.say(&json!({"intent": "remove", "clip": "squat"}));
    assert_eq!(names(&page.hear("clips")), ["walk", "nod", "wave", "after it"]);
    assert_eq!(undo(&mut page), before);
    assert_eq!(details(), known);
}

#[test]
fn the_clip_on_stage_makes_room_for_its_neighbour_when_it_is_thrown_out() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let shown = document("nod", json!([smooth("box:5")]));
    page.edit(&shown, true);
    page.say(&json!({"intent": "remove", "clip": "nod"}));
    let mut answer = page.hear("document");
    assert_eq!(answer["document"]["clip"], "wave");
    assert_eq!(answer["document"]["steps"], json!([]));
    for left in [json!("walk"), Value::Null] {
        let on_stage = answer["document"]["clip"].clone();
        page.say(&json!({"intent": "remove", "clip": on_stage}));
        answer = page.hear("document");
        assert_eq!(answer["document"]["clip"], left);
    }
    page.say(&json!({"intent": "show", "number": 77, "frame": 0}));
    assert_eq!(page.hear("refused")["number"], 77);
    for _ in 0..3 {
        page.say(&json!({"intent": "undo"}));
        answer = page.hear("document");
    }
    assert_eq!(answer["document"]["clip"], "nod");
    assert_eq!(answer["document"]["steps"][0]["kernel"], "box:5");
}

#[test]
fn undoing_takes_off_only_the_tags_that_were_put_on() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let say = |page: &mut Page, add: Value, remove: Value| {
        page.say(&json!({"intent": "tag", "clip": "nod", "add": add, "remove": remove}));
    };
    say(&mut page, json!(["mine"]), json!([]));
    let once = tags(&page.hear("clips"), "nod");
    // One that is there and one that is not; then nothing new, which is no change.
    say(&mut page, json!(["mine", "new"]), json!(["never"]));
    assert!(tags(&page.hear("clips"), "nod").contains(&"new".to_owned()));
    say(&mut page, json!(["new"]), json!([]));
    assert_eq!(tags(&undo(&mut page), "nod"), once);
    assert!(!tags(&undo(&mut page), "nod").contains(&"mine".to_owned()));
}

#[test]
fn the_same_file_again_is_no_change_and_undoing_leaves_its_clip() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    for number in 1..=2 {
        desk.upload("squat.bvh", &bvh("squat"));
        page.say(&json!({"intent": "import", "number": number, "files": ["squat.bvh"]}));
        assert_eq!(page.hear("imported")["clips"], json!(["squat"]));
    }
    page.edit(&document("squat", json!([])), true);
    // The choice, then the first import.
    page.say(&json!({"intent": "undo"}));
    page.hear("document");
    assert_eq!(names(&undo(&mut page)), ["walk", "nod", "wave"]);
    page.say(&json!({"intent": "redo"}));
    assert_eq!(names(&page.hear("clips")), ["walk", "nod", "wave", "squat"]);
}

#[test]
fn a_long_import_reports_progress_can_be_cancelled_and_blocks_no_page() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let (mut page, mut other) = (desk.page(), desk.page());
    let bytes = bvh("walk");
    let files: Vec<String> = (0..60).map(|n| format!("take-{n}.bvh")).collect();
    for (n, name) in files.iter().enumerate() {
        // Every one another file, so that each is read.
        let text = String::from_utf8(bytes.clone()).unwrap() + &"\n".repeat(n);
        assert!(desk.upload(name, text.as_bytes()).starts_with("HTTP/1.1 204"));
    }
    page.say(&json!({"intent": "import", "number": 5, "files": files}));
    let answer = page.hear("progress");
    assert_eq!(answer["number"], 5);
    // Meanwhile another page works, and new ones come.
    assert_eq!(other.edit(&document("nod", json!([smooth("box:5")])), true)["motion"]["name"], "nod");
    drop(desk.page());
    page.say(&json!({"intent": "stop"}));
    let imported = page.hear("imported");
    let taken = imported["clips"].as_array().unwrap().len();
    assert!(taken < files.len(), "all {taken} were taken before it was stopped");
    assert_eq!(names(&desk.clips()).len(), 3 + taken, "what was finished is kept, and reported");
}
