//! What files say stays: contacts, tags, takes.

#![allow(clippy::single_range_in_vec_init, reason = "contacts are lists of ranges, also of one")]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use ugoki_base::no_progress;

use crate::support::{Folder, import, names, short_clip};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_db::ContactsFrom;
use ugoki_db::{CreateConfig, Database};
use ugoki_formats::{Format, WriteOptions};

/// Contacts that cannot be detected in the motion.
fn feet() -> [FootContacts; 2] {
    [
        FootContacts { heel: vec![1..4, 9..12], toe: vec![2..6] },
        FootContacts { heel: Vec::new(), toe: vec![0..1, 3..20] },
    ]
}

fn glb(clip: &Clip, options: &WriteOptions) -> Vec<u8> {
    let go = &mut no_progress();
    ugoki_formats::write(clip, Format::Glb, options, go).unwrap().bytes
}

fn renewed(path: &Path) -> Database {
    rusqlite::Connection::open(path).unwrap().execute_batch("UPDATE derived SET version = 0").unwrap();
    let mut database = Database::open(path).unwrap();
    assert!(database.renew(&mut no_progress()).unwrap() > 0);
    database
}

#[test]
fn contacts_that_a_file_marks_survive_deriving_export_and_import() {
    let folder = Folder::new();
    let options = WriteOptions { contacts: Some(feet()), ..WriteOptions::default() };
    folder.write("in/a.glb", glb(&short_clip(3), &options));
    let mut database = folder.database();
    import(&mut database, &folder.path("in"));
    let id = database.find("a").unwrap();
    let kept = |database: &Database, id: i64| database.contacts(id).unwrap().unwrap().feet;
    assert_eq!(kept(&database, id), feet());
    assert_eq!(database.given_contacts(id).unwrap(), Some(feet()));
    assert_eq!(database.details(id).unwrap().contacts.unwrap().from, ContactsFrom::Given);
    // Made again by a newer program.
    let path = database.path().to_owned();
    drop(database);
    let mut database = renewed(&path);
    assert_eq!(kept(&database, id), feet());
    database.tag(&[id], &["mine".to_owned()], &[]).unwrap();
    assert_eq!(kept(&database, id), feet());
    // Out of the database and into another.
    let contacts = Some(kept(&database, id));
    let bytes = glb(&database.clip(id).unwrap(), &WriteOptions { contacts, ..WriteOptions::default() });
    folder.write("out/b.glb", bytes);
    let mut other = Database::create(&folder.path("other.ugoki"), &CreateConfig::default()).unwrap();
    import(&mut other, &folder.path("out"));
    assert_eq!(kept(&other, other.find("b").unwrap()), feet());
    // The file marks none any more: they are found again.
    folder.write("in/a.glb", glb(&short_clip(3), &WriteOptions::default()));
    import(&mut database, &folder.path("in"));
    assert_eq!(database.given_contacts(id).unwrap(), None);
    assert_eq!(database.details(id).unwrap().contacts.unwrap().from, ContactsFrom::Found);
    assert_ne!(kept(&database, id), feet());
    assert!(database.check(&mut no_progress()).unwrap().sound);
}

#[test]
fn contacts_are_carried_to_the_rate_of_the_database() {
    let folder = Folder::new();
    let clip = short_clip(3).resampled(120.0).unwrap();
    let contacts = Some([
        FootContacts { heel: vec![10..20], toe: vec![4..46] },
        FootContacts { heel: vec![0..2], toe: Vec::new() },
    ]);
    folder.write("in/a.glb", glb(&clip, &WriteOptions { contacts, ..WriteOptions::default() }));
    let mut database = folder.database();
    import(&mut database, &folder.path("in"));
    let feet = database.contacts(1).unwrap().unwrap().feet;
    assert_eq!((&feet[0].heel, &feet[0].toe), (&vec![5..10], &vec![2..23]));
    assert_eq!((&feet[1].heel, &feet[1].toe), (&vec![0..1], &vec![]));
}

#[test]
fn tags_of_files_follow_the_same_rule_as_typed_ones() {
    let folder = Folder::new();
    let mut clip = short_clip(3);
    clip.tags = vec!["Walk Cycle".to_owned(), "x".repeat(300), " ,".to_owned(), "fine".to_owned()];
    folder.write("in/a.glb", glb(&clip, &WriteOptions::default()));
    let mut database = folder.database();
    let report = import(&mut database, &folder.path("in"));
    let tags = database.details(1).unwrap().user_tags;
    assert_eq!(tags, ["fine".to_owned(), "walk-cycle".to_owned(), "x".repeat(64)]);
    assert!(tags.iter().all(|tag| ugoki_db::normal_tag(tag).as_ref() == Ok(tag)));
    let notes: Vec<String> = report.added[0].warnings.iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|note| note.contains("Walk Cycle") && note.contains("walk-cycle")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("left out")), "{notes:?}");
    assert!(!notes.iter().any(|note| note.contains("fine")), "{notes:?}");
}

#[test]
fn capitals_of_tags_do_not_matter() {
    let folder = Folder::new();
    let file = folder.motion("in/a.bvh", 1);
    let mut database = folder.database();
    import(&mut database, &file);
    let tag = |text: &str| vec![text.to_owned()];
    database.tag(&[1], &tag("Dance"), &[]).unwrap();
    database.tag(&[1], &tag("DANCE"), &[]).unwrap();
    assert_eq!(database.details(1).unwrap().user_tags, ["dance"]);
    let found = |database: &Database, text: &str| {
        let selection = ugoki_db::Selection { tags: tag(text), ..Default::default() };
        database.select(&selection).unwrap().len()
    };
    assert_eq!((found(&database, "dAnce"), found(&database, "!Dance")), (1, 0));
    database.tag(&[1], &[], &tag("DaNCe")).unwrap();
    assert_eq!(found(&database, "dance"), 0);
}

/// A glTF file with three motions.
fn three_takes(folder: &Folder) -> PathBuf {
    let go = &mut no_progress();
    let bytes = ugoki_formats::write(&short_clip(3), Format::Gltf, &Default::default(), go).unwrap().bytes;
    let mut json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let animation = json["animations"][0].clone();
    let takes = ["Idle", "Walk", "Jump"].map(|name| {
        let mut copy = animation.clone();
        copy["name"] = name.into();
        copy
    });
    json["animations"] = takes.to_vec().into();
    folder.write("in/rig.gltf", json.to_string())
}

#[test]
fn a_removed_take_comes_back_when_its_file_is_named() {
    let folder = Folder::new();
    let file = three_takes(&folder);
    let mut database = folder.database();
    import(&mut database, &file);
    assert_eq!(names(&database), ["rig", "rig-2", "rig-3"]);
    let kept = database.find("rig-3").unwrap();
    database.tag(&[kept], &["mine".to_owned()], &[]).unwrap();
    let gone = database.find("rig-2").unwrap();
    database.remove(&[gone]).unwrap();
    // Named by its folder it stays out, and that is reported.
    let folder_again = import(&mut database, &folder.path("in"));
    assert_eq!((folder_again.passed.unchanged, folder_again.passed.removed_takes), (1, 1));
    assert_eq!(names(&database).len(), 2);
    let again = import(&mut database, &file);
    assert_eq!(again.added.len(), 1, "{again:?}");
    assert_eq!(names(&database), ["rig", "rig-3", "rig-2"]);
    let back = database.find("rig-2").unwrap();
    assert_ne!(back, gone, "numbers are not used twice");
    assert_eq!(database.details(back).unwrap().user_tags, ["walk"]);
    assert_eq!(database.details(kept).unwrap().user_tags, ["jump", "mine"]);
    // Now nothing is missing, and nothing is done.
    let third = import(&mut database, &file);
    assert_eq!((third.added.len(), third.passed.unchanged, third.passed.removed_takes), (0, 1, 0));
    assert!(database.check(&mut no_progress()).unwrap().sound);
}

#[test]
fn a_removed_take_that_is_asked_for_comes_back_alone() {
    let folder = Folder::new();
    let file = three_takes(&folder);
    let mut database = folder.database();
    import(&mut database, &file);
    let ids = ["rig", "rig-2"].map(|name| database.find(name).unwrap());
    database.remove(&ids).unwrap();
    let reading = ugoki_formats::Reading { take: Some("Walk".to_owned()), ..Default::default() };
    let config = ugoki_db::ImportConfig { paths: vec![file], reading, ..Default::default() };
    let go = &mut |_: ugoki_db::ImportStep<'_>| ControlFlow::Continue(());
    database.import(&config, go).unwrap();
    let tags: Vec<_> = names(&database)
        .iter()
        .flat_map(|name| database.details(database.find(name).unwrap()).unwrap().user_tags)
        .collect();
    assert_eq!(tags, ["jump", "walk"]);
}

/// Bits of a derived form that were changed by something else: noticed when it is opened, reported with the remedy, and
/// made again from the source.
#[test]
fn a_damaged_derived_form_is_noticed_and_made_again() {
    let folder = Folder::new();
    let file = folder.motion("in/a.bvh", 1);
    let mut database = folder.database();
    import(&mut database, &file);
    let path = database.path().to_owned();
    database.close().unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let mut bytes: Vec<u8> = connection.query_row("SELECT bytes FROM derived", [], |row| row.get(0)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    connection.execute("UPDATE derived SET bytes = ?1", [&bytes]).unwrap();
    drop(connection);
    let mut database = Database::open(&path).unwrap();
    let error = database.clip(1).unwrap_err();
    assert!(error.to_string().contains("checksum") && error.hint().unwrap().contains("repair"), "{error}");
    let go_on = &mut no_progress();
    let report = database.check(go_on).unwrap();
    assert!(!report.sound && report.broken[0].repairable, "{report:?}");
    assert_eq!(database.repair(go_on).unwrap(), ["a"]);
    assert!(database.check(go_on).unwrap().sound);
    assert!(database.repair(go_on).unwrap().is_empty(), "once is enough");
}

/// An older program's form is read from the source until it is made again.
#[test]
fn a_derived_form_of_an_older_program_can_be_read() {
    let folder = Folder::new();
    let file = folder.motion("in/a.bvh", 1);
    let mut database = folder.database();
    import(&mut database, &file);
    let (path, clip) = (database.path().to_owned(), database.clip(1).unwrap());
    database.close().unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    // The first form began with the same letters.
    connection.execute("UPDATE derived SET version = 4, bytes = x'5547504b0100'", []).unwrap();
    drop(connection);
    let database = Database::open(&path).unwrap();
    assert_eq!(database.clip(1).unwrap(), clip);
    let report = database.check(&mut no_progress()).unwrap();
    assert!(report.sound && report.outdated == 1 && report.derived == 0, "{report:?}");
}

/// Skeletons and contacts have their sums; neither a flipped bit nor a blob of zeros is sound.
#[test]
fn damaged_skeletons_and_contacts_are_found() {
    let folder = Folder::new();
    let file = folder.motion("in/a.bvh", 1);
    let mut database = folder.database();
    import(&mut database, &file);
    let path = database.path().to_owned();
    database.close().unwrap();
    let go_on = &mut no_progress();
    for (table, column, rule) in
        [("skeletons", "bytes", "id = (SELECT skeleton_id FROM clips)"), ("contacts", "bytes", "1")]
    {
        let connection = rusqlite::Connection::open(&path).unwrap();
        let whole: Vec<u8> = connection
            .query_row(&format!("SELECT {column} FROM {table} WHERE {rule}"), [], |row| row.get(0))
            .unwrap();
        let put = |bytes: &[u8]| {
            connection.execute(&format!("UPDATE {table} SET {column} = ?1 WHERE {rule}"), [bytes]).unwrap();
        };
        let mut damaged = vec![vec![0; whole.len()]];
        for at in (0..whole.len()).step_by(1 + whole.len() / 12) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            damaged.push(bytes);
        }
        for bytes in damaged {
            put(&bytes);
            let report = Database::open(&path).unwrap().check(go_on).unwrap();
            assert!(!report.sound && !report.broken.is_empty(), "{table}: {report:?}");
            let repairs = report.broken[0].repairable;
            assert_eq!(repairs, table == "contacts", "{report:?}");
        }
        put(&whole);
        assert!(Database::open(&path).unwrap().check(go_on).unwrap().sound, "{table}");
    }
}

/// A T-pose that the user drops still shows how the body stands.
#[test]
fn a_dropped_t_pose_changes_nothing_that_is_derived() {
    let folder = Folder::new();
    let mut clip = short_clip(0);
    let rest = ugoki_base::pose::Pose::rest(clip.skeleton());
    clip.set_pose(0, &ugoki_base::pose::Pose { root: clip.root().get(1), ..rest });
    clip.tpose_frame = true;
    let file = folder.write("a.bvh", crate::support::bvh_bytes(&clip));
    let forms: Vec<(Clip, Clip)> = [ugoki_formats::Tpose::Keep, ugoki_formats::Tpose::Drop]
        .into_iter()
        .map(|tpose| {
            let mut database = Database::in_memory(&CreateConfig::default()).unwrap();
            let reading = ugoki_formats::Reading { tpose, ..Default::default() };
            let config = ugoki_db::ImportConfig { paths: vec![file.clone()], reading, ..Default::default() };
            database.import(&config, &mut |_| ControlFlow::Continue(())).unwrap();
            assert!(database.check(&mut no_progress()).unwrap().sound);
            (database.clip(1).unwrap(), database.source(1).unwrap())
        })
        .collect();
    assert_eq!(forms[0].0, forms[1].0);
    assert!(forms[0].1.tpose_frame && !forms[1].1.tpose_frame);
    assert_eq!(forms[1].1.num_frames() + 1, forms[0].1.num_frames());
}

/// What was exported from a database is on its skeleton, whatever a format does to names, order, digits and, as VRMA,
/// to the rest pose.
#[test]
fn exports_come_back_as_they_were() {
    let folder = Folder::new();
    let mut database = folder.database();
    let id = database.add_clip(&ugoki_sample::clip("walk").unwrap()).unwrap();
    let clip = database.clip(id).unwrap();
    for format in [Format::Bvh, Format::Glb, Format::Gltf, Format::Vrma] {
        let options =
            WriteOptions { unit_metres: Some(format.usual_unit_metres()), ..WriteOptions::default() };
        let go = &mut no_progress();
        let bytes = ugoki_formats::write(&clip, format, &options, go).unwrap().bytes;
        let file = folder.write(&format!("out.{}", format.extension()), bytes);
        let mut other = Database::in_memory(&CreateConfig::default()).unwrap();
        import(&mut other, &file);
        let back = other.clip(1).unwrap();
        assert_eq!(back.num_frames(), clip.num_frames(), "{format:?}");
        let worst = (0..clip.num_frames())
            .map(|frame| ugoki_base::clip::shell_error(clip.skeleton(), &clip.pose(frame), &back.pose(frame)))
            .fold(0.0, f64::max);
        // Both were packed within 0.1 mm; text files round once more.
        assert!(worst < 2.5e-4, "{format:?}: {} mm", worst * 1e3);
    }
}

/// Rows of zeros, as captures have them where nothing was recorded: neither a fall nor a turn.
#[test]
fn frames_without_a_capture_hold_the_adjacent_pose() {
    let folder = Folder::new();
    let whole = ugoki_sample::clip("walk").unwrap().trimmed(0..120).unwrap();
    let mut lost = whole.clone();
    for frame in 0..40 {
        let rest = ugoki_base::pose::Pose::rest(whole.skeleton());
        lost.set_pose(frame, &ugoki_base::pose::Pose { root: glam::Vec3::ZERO, ..rest });
    }
    let mut database = folder.database();
    let id = database.add_clip(&lost).unwrap();
    let clip = database.clip(id).unwrap();
    assert_eq!(clip.num_frames(), 120, "every frame keeps its time");
    for frame in 0..40 {
        let off = ugoki_base::clip::shell_error(clip.skeleton(), &clip.pose(frame), &clip.pose(40));
        // Feet and hips are led over to the motion within a few frames; nothing lies a metre deep.
        assert!(off < 0.02, "frame {frame}: {off}");
    }
    let seen = database.add_clip(&whole.trimmed(40..120).unwrap()).unwrap();
    assert_eq!(database.tags(id, true).unwrap(), database.tags(seen, true).unwrap());
}
