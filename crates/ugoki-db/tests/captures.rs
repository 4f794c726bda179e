//! Real captures: all of a folder goes in, comes back, and is tagged as those say who captured it.

mod support;

use std::ops::ControlFlow;
use std::path::PathBuf;

use support::{Folder, import};
use ugoki_db::Database;

fn captures(checks: usize) -> Option<PathBuf> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: UGOKI_CAPTURES is not set ({checks} checks)");
    }
    folder
}

fn tags(database: &Database, clip: &str) -> Vec<String> {
    database.details(database.find(clip).unwrap()).unwrap().automatic_tags
}

#[test]
fn a_folder_of_captures_goes_in_once_and_is_sound() {
    let Some(captures) = captures(6) else { return };
    let folder = Folder::new();
    let mut database = folder.database();
    let locomotion = captures.join("cmu/locomotion");
    let first = import(&mut database, &locomotion);
    assert!(first.added.len() > 25 && first.skipped.is_empty(), "{first:?}");
    assert!(first.added.iter().all(|added| added.underived.is_empty()), "every person fits the skeleton");
    assert!(first.duplicates.is_empty(), "{:?}", first.duplicates);
    let second = import(&mut database, &locomotion);
    assert_eq!((second.added.len(), second.passed.unchanged), (0, first.added.len()));
    let checked = database.check(&mut |_| ControlFlow::Continue(())).unwrap();
    assert!(checked.sound, "{checked:?}");
    for (clip, tag) in [
        ("16_15", "walk"),
        ("16_55", "run"),
        ("16_17", "turn-left"),
        ("16_19", "turn-right"),
        ("69_17", "turn-in-place"),
        ("69_53", "backwards"),
        ("83_25", "up"),
        ("83_08", "down"),
    ] {
        let tags = tags(&database, clip);
        assert!(tags.iter().any(|found| found == tag), "{clip} is not {tag}: {tags:?}");
    }
    let file = database.details(database.find("16_15").unwrap()).unwrap().file.unwrap();
    assert!(file.licence_text.is_none(), "licences are looked for up to the folder named, not above");
}

#[test]
fn the_same_motion_under_two_names_is_found() {
    let Some(captures) = captures(1) else { return };
    let folder = Folder::new();
    let mut database = folder.database();
    import(&mut database, &captures.join("dialects/mocapbank_crlf.bvh"));
    let report = import(&mut database, &captures.join("dialects/mocapbank_lf.bvh"));
    assert_eq!(report.duplicates.len(), 1, "{report:?}");
    assert_eq!(report.duplicates[0].of, "mocapbank_crlf");
}
