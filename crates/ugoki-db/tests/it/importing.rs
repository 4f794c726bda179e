//! Properties of import that users rely on.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use ugoki_base::no_progress;

use crate::support::{Folder, import, names, short_clip};
use ugoki_db::{Database, Error, ImportConfig};
use ugoki_db::{Sameness, Selection};
use ugoki_formats::Reading;

fn sound(database: &Database) {
    let report = database.check(&mut no_progress()).unwrap();
    assert!(report.sound, "{report:?}");
}

#[test]
fn a_second_import_does_nothing_and_reads_nothing() {
    let folder = Folder::new();
    for number in 0..6 {
        folder.motion(&format!("in/{number}.bvh"), number);
    }
    folder.write("in/broken.bvh", "HIERARCHY\nno joints\n");
    folder.write("in/notes.xyz", "not motion");
    let mut database = folder.database();
    let first = import(&mut database, &folder.path("in"));
    assert_eq!((first.added.len(), first.skipped.len(), first.ignored.len()), (6, 1, 1));
    let line = first.skipped[0].problem.line;
    let second = import(&mut database, &folder.path("in"));
    assert_eq!((second.added.len(), second.passed.unchanged), (0, 6));
    assert!(second.skipped[0].known && second.skipped[0].problem.line == line, "{second:?}");
    // Unreadable now, but not read: size and time are the same.
    let stamp = fs::metadata(folder.path("in/3.bvh")).unwrap().modified().unwrap();
    let size = fs::metadata(folder.path("in/3.bvh")).unwrap().len() as usize;
    fs::write(folder.path("in/3.bvh"), vec![b' '; size]).unwrap();
    fs::File::options().append(true).open(folder.path("in/3.bvh")).unwrap().set_modified(stamp).unwrap();
    assert_eq!(import(&mut database, &folder.path("in")).passed.unchanged, 6);
    sound(&database);
}

#[test]
fn a_new_time_without_new_content_changes_nothing() {
    let folder = Folder::new();
    let file = folder.motion("in/a.bvh", 1);
    let mut database = folder.database();
    import(&mut database, &file);
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(100);
    fs::File::options().append(true).open(&file).unwrap().set_modified(later).unwrap();
    let again = import(&mut database, &file);
    assert_eq!((again.added.len(), again.passed.unchanged), (0, 1));
}

#[test]
fn a_changed_file_replaces_its_clip_which_keeps_its_id_and_the_users_tags() {
    let folder = Folder::new();
    let file = folder.motion("in/a.bvh", 1);
    let mut database = folder.database();
    import(&mut database, &file);
    let id = database.find("a").unwrap();
    database.tag(&[id], &["mine".to_owned()], &[]).unwrap();
    let before = database.source(id).unwrap();
    folder.motion("in/a.bvh", 20);
    let again = import(&mut database, &file);
    assert!(again.added[0].replaced, "{again:?}");
    assert_eq!(database.find("a").unwrap(), id);
    assert_ne!(database.source(id).unwrap().rotations(), before.rotations());
    assert_eq!(database.details(id).unwrap().user_tags, ["mine"]);
    sound(&database);
}

#[test]
fn other_options_read_the_file_again() {
    let folder = Folder::new();
    let file = folder.motion("in/a.bvh", 1);
    let mut database = folder.database();
    import(&mut database, &file);
    let reading = Reading { source_unit: Some(0.02), ..Reading::default() };
    let config = ImportConfig { paths: vec![file], reading, ..ImportConfig::default() };
    let again = database.import(&config, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(again.added[0].replaced);
}

#[test]
fn names_are_stems_made_unique() {
    let folder = Folder::new();
    for (place, number) in [("a/walk.bvh", 1), ("b/walk.bvh", 2), ("c/walk.bvh", 3), ("c/walk-2.bvh", 4)] {
        folder.motion(&format!("in/{place}"), number);
    }
    let mut database = folder.database();
    import(&mut database, &folder.path("in"));
    assert_eq!(names(&database), ["walk", "walk-2", "walk-2-2", "walk-3"]);
}

#[test]
fn the_source_comes_back_to_the_bit_and_the_derived_form_within_the_bound() {
    let folder = Folder::new();
    let file = folder.motion("in/kick.bvh", 17);
    let mut database = folder.database();
    import(&mut database, &file);
    let read = ugoki_formats::read(&fs::read(&file).unwrap(), Some("bvh"), &Default::default()).unwrap().clip;
    let id = database.find("kick").unwrap();
    let mut back = database.source(id).unwrap();
    back.name.clone_from(&read.name);
    assert_eq!(back, read);
    assert_eq!(back.source(), read.source(), "the file's own numbers too");
    let clip = database.clip(id).unwrap();
    assert_eq!((clip.fps(), clip.num_joints()), (60.0, database.skeleton().num_joints()));
    assert_eq!(database.skeleton().num_joints(), 52);
    assert!(database.contacts(id).unwrap().is_some());
    sound(&database);
}

#[test]
fn what_is_no_human_is_kept_as_it_is() {
    let folder = Folder::new();
    let text = "HIERARCHY\nROOT box\n{\n OFFSET 0 1 0\n CHANNELS 3 Zrotation Yrotation Xrotation\n End Site\n {\n  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 3\nFrame Time: 0.02\n0 0 0\n0 10 0\n0 20 0\n";
    let file = folder.write("in/box.bvh", text);
    let mut database = folder.database();
    let report = import(&mut database, &file);
    assert_eq!(report.added[0].underived.len(), 1, "{report:?}");
    let id = database.find("box").unwrap();
    assert!(matches!(database.clip(id), Err(Error::Underived { .. })));
    assert_eq!(database.source(id).unwrap().num_frames(), 3);
    let row = &database.list(&Selection::default()).unwrap()[0];
    assert_eq!((row.frames, row.fps, row.derived), (3, 50.0, false));
    sound(&database);
}

#[test]
fn duplicates_are_kept_and_named() {
    let folder = Folder::new();
    folder.motion("in/a.bvh", 1);
    folder.motion("in/b-same-bytes.bvh", 1);
    // The same motion written with other digits.
    let options = ugoki_formats::WriteOptions { digits: Some(4), ..Default::default() };
    folder.write("in/c-same-motion.bvh", ugoki_formats::bvh::write(&short_clip(1), &options).bytes);
    // The same file with other line ends and spaces.
    let text = String::from_utf8(crate::support::bvh_bytes(&short_clip(1))).unwrap();
    folder.write("in/d-same-text.bvh", text.replace('\t', "    ").replace('\n', " \r\n"));
    folder.motion("in/e.bvh", 2);
    let mut database = folder.database();
    let report = import(&mut database, &folder.path("in"));
    let found: Vec<_> = report.duplicates.iter().map(|d| (d.clip.as_str(), d.of.as_str(), d.how)).collect();
    assert_eq!(
        found,
        [
            ("b-same-bytes", "a", Sameness::SameBytes),
            ("c-same-motion", "a", Sameness::SameMotion),
            ("d-same-text", "a", Sameness::SameMotion)
        ]
    );
    assert_eq!(database.num_clips().unwrap(), 5);
    let selection = Selection { duplicates: true, ..Selection::default() };
    assert_eq!(database.list(&selection).unwrap().len(), 4);
}

#[test]
fn a_moved_file_is_known_again() {
    let folder = Folder::new();
    let old = folder.motion("in/a.bvh", 1);
    let mut database = folder.database();
    import(&mut database, &old);
    let new = folder.path("in/sub.bvh");
    fs::rename(&old, &new).unwrap();
    let report = import(&mut database, &folder.path("in"));
    assert_eq!((report.added.len(), report.passed.moved), (0, 1));
    assert_eq!(import(&mut database, &folder.path("in")).passed.unchanged, 1);
    assert_eq!(names(&database), ["a"], "its clip keeps its name");
}

#[test]
fn removed_clips_stay_out_until_their_file_is_named() {
    let folder = Folder::new();
    let file = folder.motion("in/a.bvh", 1);
    folder.motion("in/b.bvh", 2);
    let mut database = folder.database();
    import(&mut database, &folder.path("in"));
    let id = database.find("a").unwrap();
    database.remove(&[id]).unwrap();
    let again = import(&mut database, &folder.path("in"));
    assert_eq!((again.added.len(), again.passed.unchanged, again.passed.removed), (0, 1, 1));
    assert_eq!(import(&mut database, &file).added.len(), 1);
    assert_ne!(database.find("a").unwrap(), id, "numbers are not used twice");
}

#[test]
fn removing_gives_the_room_back() {
    let folder = Folder::new();
    for number in 0..20 {
        folder.motion(&format!("in/{number}.bvh"), number);
    }
    let mut database = folder.database();
    let empty = fs::metadata(database.path()).unwrap().len();
    import(&mut database, &folder.path("in"));
    let full = fs::metadata(database.path()).unwrap().len();
    let ids = database.select(&Selection::default()).unwrap();
    database.remove(&ids).unwrap();
    let after = fs::metadata(database.path()).unwrap().len();
    assert!(after - empty < (full - empty) / 4, "{empty} {full} {after}");
    sound(&database);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = Folder::new();
    for number in 0..12 {
        folder.motion(&format!("in/{}/{}.bvh", number % 3, number / 3), number);
    }
    let mut all = Vec::new();
    for threads in [1, 5] {
        let path = folder.path(&format!("{threads}.ugoki"));
        let mut database = Database::create(&path, &Default::default()).unwrap();
        let config = ImportConfig {
            paths: vec![folder.path("in")],
            threads: Some(threads),
            ..ImportConfig::default()
        };
        database.import(&config, &mut |_| ControlFlow::Continue(())).unwrap();
        let rows = database.list(&Selection::default()).unwrap();
        let clips: Vec<_> = rows.iter().map(|row| database.clip(row.id).unwrap()).collect();
        all.push((rows, clips));
    }
    assert_eq!(all[0], all[1]);
}

#[test]
fn stopping_keeps_what_is_finished_and_the_next_run_goes_on() {
    let folder = Folder::new();
    for number in 0..10 {
        folder.motion(&format!("in/{number}.bvh"), number);
    }
    let mut database = folder.database();
    let config = ImportConfig { paths: vec![folder.path("in")], threads: Some(2), ..ImportConfig::default() };
    let mut stored = Vec::new();
    let report = database
        .import(&config, &mut |step| {
            stored.extend(step.stored.map(PathBuf::from));
            if stored.len() == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert!(report.stopped);
    assert_eq!((report.added.len(), database.num_clips().unwrap()), (4, 4));
    sound(&database);
    let rest = import(&mut database, &folder.path("in"));
    assert_eq!((rest.added.len(), rest.passed.unchanged, rest.stopped), (6, 4, false));
}

#[test]
fn licences_come_with_the_files() {
    let folder = Folder::new();
    folder.write("in/LICENSE.txt", "CC0");
    folder.motion("in/sub/a.bvh", 1);
    let mut database = folder.database();
    import(&mut database, &folder.path("in"));
    let file = database.details(database.find("a").unwrap()).unwrap().file.unwrap();
    assert_eq!((file.licence.as_deref(), file.licence_text.as_deref()), (Some("LICENSE.txt"), Some("CC0")));
    assert_eq!(file.path, "in/sub/a.bvh");
}

#[test]
fn a_clip_without_a_file_goes_in_by_its_name() {
    let folder = Folder::new();
    let mut database = folder.database();
    let mut clip = ugoki_sample::clip("wave").unwrap();
    let id = database.add_clip(&clip).unwrap();
    assert_eq!(database.details(id).unwrap().user_tags, ["gesture", "greet", "right", "wave"]);
    clip.tags.sort();
    assert_eq!(database.source(id).unwrap(), clip);
}

/// A glTF file with three motions, the last of them trimmed by its name alone.
fn three_takes(folder: &Folder) -> PathBuf {
    let clip = short_clip(3);
    let go = &mut no_progress();
    let bytes =
        ugoki_formats::write(&clip, ugoki_formats::Format::Gltf, &Default::default(), go).unwrap().bytes;
    let mut json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let animation = json["animations"][0].clone();
    let named = |name: &str| {
        let mut copy = animation.clone();
        copy["name"] = name.into();
        copy
    };
    json["animations"] = vec![named("Idle"), named("Walk"), named("Jump")].into();
    folder.write("in/rig.gltf", json.to_string());
    folder.path("in/rig.gltf")
}

#[test]
fn a_take_that_is_asked_for_replaces_itself_and_no_other() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("in")).unwrap();
    let file = three_takes(&folder);
    let mut database = folder.database();
    let take = |take: &str| ImportConfig {
        paths: vec![file.clone()],
        reading: Reading { take: Some(take.to_owned()), ..Reading::default() },
        ..ImportConfig::default()
    };
    let go = &mut |_: ugoki_db::ImportStep<'_>| ControlFlow::Continue(());
    database.import(&take("Walk"), go).unwrap();
    let walk = database.find("rig").unwrap();
    assert_eq!(database.details(walk).unwrap().take, 1);
    assert_eq!(database.details(walk).unwrap().user_tags, ["walk"]);
    let second = database.import(&take("2"), go).unwrap();
    assert!(!second.added[0].replaced, "{second:?}");
    assert_eq!(names(&database), ["rig", "rig-2"]);
    assert_eq!(database.details(walk).unwrap().user_tags, ["walk"], "the first is as it was");
    let all = import(&mut database, &file);
    assert!(all.added[0].replaced, "{all:?}");
    assert_eq!(names(&database), ["rig", "rig-2", "rig-3"]);
    assert_eq!(database.details(walk).unwrap().take, 1);
    let tags: Vec<_> = ["rig", "rig-2", "rig-3"]
        .map(|n| database.details(database.find(n).unwrap()).unwrap().user_tags)
        .into();
    assert_eq!(tags, [["walk"], ["jump"], ["idle"]]);
    sound(&database);
}

#[test]
fn tags_and_licences_reach_files_that_have_not_changed() {
    let folder = Folder::new();
    for number in 0..2 {
        folder.motion(&format!("in/{number}.bvh"), number);
    }
    let mut database = folder.database();
    import(&mut database, &folder.path("in"));
    let config = ImportConfig {
        paths: vec![folder.path("in")],
        tags: vec!["dance".to_owned()],
        licence: Some("CC BY 4.0, Jane Doe".to_owned()),
        ..ImportConfig::default()
    };
    let go = &mut |_: ugoki_db::ImportStep<'_>| ControlFlow::Continue(());
    let report = database.import(&config, go).unwrap();
    assert_eq!((report.added.len(), report.passed.unchanged, report.relabelled), (0, 2, 2));
    for name in ["0", "1"] {
        let details = database.details(database.find(name).unwrap()).unwrap();
        assert_eq!(details.user_tags, ["dance"]);
        assert_eq!(details.file.unwrap().licence_text.as_deref(), Some("CC BY 4.0, Jane Doe"));
    }
    assert_eq!(database.import(&config, go).unwrap().relabelled, 0, "they have them now");
    sound(&database);
}

#[test]
fn a_file_that_became_junk_says_that_its_clips_stay() {
    let folder = Folder::new();
    let file = folder.motion("in/a.bvh", 1);
    let mut database = folder.database();
    import(&mut database, &file);
    folder.write("in/a.bvh", "HIERARCHY\nno joints\n");
    let report = import(&mut database, &file);
    let message = &report.skipped[0].problem.message;
    assert!(message.contains("the 1 clip of its earlier content stay"), "{message}");
    assert!(report.skipped[0].named && database.find("a").is_ok());
}

#[test]
fn loops_that_files_mark_come_back_in_frames_of_the_database() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("in")).unwrap();
    let mut clip = short_clip(3).resampled(120.0).unwrap();
    clip.tags.clear();
    let go = &mut no_progress();
    let options = ugoki_formats::WriteOptions { loop_frames: Some(10..40), ..Default::default() };
    let bytes = ugoki_formats::write(&clip, ugoki_formats::Format::Glb, &options, go).unwrap().bytes;
    folder.write("in/a.glb", bytes);
    let mut database = folder.database();
    import(&mut database, &folder.path("in"));
    let id = database.find("a").unwrap();
    assert_eq!(database.loop_frames(id).unwrap(), Some(5..20));
    let mut tagged = short_clip(4);
    (tagged.name, tagged.tags) = ("b".to_owned(), vec!["loop".to_owned()]);
    let id = database.add_clip(&tagged).unwrap();
    let frames = database.clip(id).unwrap().num_frames();
    assert_eq!(database.loop_frames(id).unwrap(), Some(0..frames));
    sound(&database);
}
