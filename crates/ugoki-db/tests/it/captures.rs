//! Real captures: a whole folder is imported, exported, and tagged as its descriptions say.

use std::path::PathBuf;
use ugoki_base::no_progress;

use crate::support::{Folder, import};
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
    let checked = database.check(&mut no_progress()).unwrap();
    assert!(checked.sound, "{checked:?}");
    for (clip, tag) in [
        ("16_15", "walk"),
        ("16_55", "run"),
        ("16_08", "run"),
        ("104_09", "run"),
        ("69_59", "sideways"),
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

/// Bodies and formats that the thresholds were not made for.
#[test]
fn motions_of_other_formats_are_called_what_they_are() {
    let Some(captures) = captures(10) else { return };
    let folder = Folder::new();
    let mut database = folder.database();
    for (file, wanted, refused) in [
        ("deepmimic/humanoid3d_backflip.txt", &["jump"][..], &["walk", "run", "turn-left", "turn-right"][..]),
        ("deepmimic/humanoid3d_jump.txt", &["jump"], &["walk", "run"]),
        ("deepmimic/humanoid3d_kick.txt", &[], &["walk", "run", "jump"]),
        ("deepmimic/humanoid3d_punch.txt", &[], &["walk", "run", "jump"]),
        ("deepmimic/humanoid3d_walk.txt", &["moving", "walk"], &["run", "standing", "jump"]),
        ("deepmimic/humanoid3d_run.txt", &["moving", "run"], &["walk", "standing", "jump"]),
        ("gltf/CesiumMan.glb", &["in-place", "walk"], &["standing", "run"]),
        ("dialects/makehuman_walk1.bvh", &["in-place", "walk"], &["standing", "run"]),
        ("dialects/makehuman_zombiewalk.bvh", &["in-place", "walk"], &["standing", "run"]),
        ("fbx/ozz_pab_jog.fbx", &["moving", "run"], &["standing", "walk"]),
    ] {
        let clip = import(&mut database, &captures.join(file)).added[0].clips[0].clone();
        let tags = tags(&database, &clip);
        let has = |tag: &&str| tags.iter().any(|found| found == tag);
        assert!(wanted.iter().all(has) && !refused.iter().any(has), "{file}: {tags:?}");
    }
}

#[test]
fn captures_without_arms_are_to_be_looked_at() {
    let Some(captures) = captures(1) else { return };
    let folder = Folder::new();
    let report = import(&mut folder.database(), &captures.join("c3d/sample09_plugin_fullbody.c3d"));
    let warnings = report.added[0].warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(warnings.contains("no arms") && warnings.contains("joint-held"), "{warnings}");
}

#[test]
fn the_same_motion_in_two_formats_and_under_two_names_is_found() {
    let Some(captures) = captures(3) else { return };
    let folder = Folder::new();
    let mut database = folder.database();
    import(&mut database, &captures.join("dialects/mocapbank_crlf.bvh"));
    let report = import(&mut database, &captures.join("dialects/mocapbank_lf.bvh"));
    assert_eq!(report.duplicates.len(), 1, "{report:?}");
    assert_eq!(report.duplicates[0].of, "mocapbank_crlf");
    import(&mut database, &captures.join("cmu/sport/11_01.bvh"));
    let report = import(&mut database, &captures.join("asfamc/11_01.amc"));
    assert_eq!(report.duplicates.len(), 1, "{report:?}");
    assert_eq!((report.duplicates[0].clip.as_str(), report.duplicates[0].of.as_str()), ("11_01-2", "11_01"));
    // A renamed copy.
    let bytes = std::fs::read(captures.join("cmu/sport/11_01.bvh")).unwrap();
    let copy = folder.write("in/kick of a ball.bvh", bytes);
    let report = import(&mut database, &copy);
    assert_eq!(report.duplicates.len(), 1, "{report:?}");
    assert_eq!(report.duplicates[0].how, ugoki_db::Sameness::SameBytes);
}
