//! Finding, tagging, and keeping what is built from clips.

use crate::support::{Folder, import, names};
use ugoki_db::{Database, Error, StoredSegment};
use ugoki_db::{Limits, Selection};
use ugoki_motion::edit::EditBasis;

fn sample(folder: &Folder) -> Database {
    let mut database = folder.database();
    for name in ["walk", "walk-slow", "run", "idle", "wave", "turn-left", "turn-right", "side-step"] {
        database.add_clip(&ugoki_sample::clip(name).unwrap()).unwrap();
    }
    database
}

fn found(database: &Database, selection: &Selection) -> Vec<String> {
    database.list(selection).unwrap().into_iter().map(|row| row.name).collect()
}

fn clips(names: &[&str]) -> Selection {
    Selection { clips: names.iter().map(|name| (*name).to_owned()).collect(), ..Selection::default() }
}

fn tagged(tags: &[&str]) -> Selection {
    Selection { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..Selection::default() }
}

#[test]
fn clips_are_found_by_name_pattern_and_number() {
    let folder = Folder::new();
    let database = sample(&folder);
    assert_eq!(found(&database, &clips(&["walk*", "id:3"])), ["walk", "walk-slow", "run"]);
    assert_eq!(found(&database, &clips(&["walk", "walk"])), ["walk"]);
    let unknown = database.list(&clips(&["wlak"])).unwrap_err();
    assert_eq!(unknown, Error::UnknownClip { name: "wlak".to_owned(), near: vec!["walk".to_owned()] });
    assert!(unknown.hint().unwrap().contains("did you mean walk"));
    assert!(matches!(database.list(&clips(&["z*"])), Err(Error::NothingFits { .. })));
    assert!(matches!(database.list(&clips(&["id:99"])), Err(Error::UnknownClip { .. })));
}

#[test]
fn clips_are_found_by_tag_length_and_speed() {
    let folder = Folder::new();
    let database = sample(&folder);
    assert_eq!(found(&database, &tagged(&["turn-left"])), ["turn-left"]);
    assert_eq!(found(&database, &tagged(&["locomotion", "!slow"])), ["walk", "run"]);
    let fast = Selection { speed: Some("2:".parse::<Limits>().unwrap()), ..Selection::default() };
    assert_eq!(found(&database, &fast), ["run"]);
    let never = Selection { seconds: Some(":0.1".parse::<Limits>().unwrap()), ..Selection::default() };
    assert_eq!(found(&database, &never), [""; 0]);
}

#[test]
fn automatic_tags_tell_the_sample_motions_apart() {
    let folder = Folder::new();
    let database = sample(&folder);
    let tags = |name: &str| database.details(database.find(name).unwrap()).unwrap().automatic_tags;
    let has = |name: &str, tag: &str| tags(name).iter().any(|found| found == tag);
    for name in ["walk", "walk-slow", "run", "turn-left", "turn-right"] {
        assert!(has(name, "moving") && !has(name, "standing"), "{name}: {:?}", tags(name));
    }
    for name in ["idle", "wave"] {
        assert!(has(name, "standing"), "{name}: {:?}", tags(name));
    }
    assert!(
        has("walk", "walk") && has("walk", "straight") && has("walk", "walking-pace"),
        "{:?}",
        tags("walk")
    );
    assert!(has("walk-slow", "slow") && has("run", "fast") && has("run", "run"), "{:?}", tags("run"));
    assert!(has("turn-left", "turn-left") && !has("turn-left", "turn-right"), "{:?}", tags("turn-left"));
    assert!(has("turn-right", "turn-right") && !has("turn-right", "turn-left"), "{:?}", tags("turn-right"));
    assert!(has("wave", "right-arm") && !has("wave", "left-arm"), "{:?}", tags("wave"));
    assert!(!has("idle", "right-arm"), "{:?}", tags("idle"));
}

#[test]
fn the_users_tags_and_the_programs_are_kept_apart() {
    let folder = Folder::new();
    let mut database = sample(&folder);
    let id = database.find("wave").unwrap();
    let automatic = database.details(id).unwrap().automatic_tags;
    database.tag(&[id], &["hello".to_owned()], &["gesture".to_owned()]).unwrap();
    let details = database.details(id).unwrap();
    assert_eq!(details.user_tags, ["greet", "hello", "right", "wave"]);
    assert_eq!(details.automatic_tags, automatic);
    for tag in ["", "two words", "a,b", "!x", "-x"] {
        let error = database.tag(&[id], &[tag.to_owned()], &[]).unwrap_err();
        assert!(matches!(error, Error::Tag { .. }), "{tag:?}");
    }
}

#[test]
fn what_is_built_knows_whether_clips_have_changed_since() {
    let folder = Folder::new();
    let mut database = sample(&folder);
    assert_eq!(database.built("network", "all").unwrap(), None);
    database.put_built("network", "all", 3, b"graph").unwrap();
    let built = database.built("network", "all").unwrap().unwrap();
    assert_eq!((built.version, built.is_current, built.bytes.as_slice()), (3, true, b"graph".as_slice()));
    let id = database.find("wave").unwrap();
    database.remove(&[id]).unwrap();
    assert!(!database.built("network", "all").unwrap().unwrap().is_current);
    database.put_built("network", "all", 4, b"again").unwrap();
    assert!(database.built("network", "all").unwrap().unwrap().is_current);
    assert_eq!(database.built_names("network").unwrap(), ["all"]);
    assert!(database.remove_built("network", "all").unwrap());
    assert!(!database.remove_built("network", "all").unwrap());
}

#[test]
fn segments_go_with_their_clip() {
    let folder = Folder::new();
    let mut database = sample(&folder);
    let id = database.find("walk").unwrap();
    let segment = |start, end| StoredSegment { start, end, version: 1, bytes: vec![1, 2, 3] };
    database.put_segments(id, "bell", &[segment(0, 10), segment(10, 20)]).unwrap();
    database.put_segments(id, "other", &[segment(5, 6)]).unwrap();
    assert_eq!(database.segments(id, "bell").unwrap(), [segment(0, 10), segment(10, 20)]);
    database.put_segments(id, "bell", &[segment(3, 4)]).unwrap();
    assert_eq!(database.segments(id, "bell").unwrap().len(), 1);
    assert!(database.put_segments(id, "bell", &[segment(4, 4)]).is_err());
    assert!(database.put_segments(999, "bell", &[]).is_err());
    database.remove(&[id]).unwrap();
    assert_eq!(database.segments(id, "bell").unwrap(), []);
}

#[test]
fn segments_ready_to_be_bent_come_back_bit_by_bit() {
    let folder = Folder::new();
    let mut database = sample(&folder);
    let id = database.find("wave").unwrap();
    let clip = database.clip(id).unwrap();
    let half = clip.num_frames() / 2;
    let bases: Vec<EditBasis> = [0..half, half..clip.num_frames()]
        .into_iter()
        .map(|frames| EditBasis::build(&clip, frames, &[]).unwrap())
        .collect();
    assert!(bases[0].handles().len() >= 6, "hips, ankles, wrists, head at least");
    database.put_edit_bases(id, &bases).unwrap();
    let back = database.edit_bases(id).unwrap();
    assert_eq!(back, bases);
    // Equal numbers may differ in their bits; bytes do not lie.
    assert!(back.iter().zip(&bases).all(|(a, b)| a.to_bytes() == b.to_bytes()));
    let beyond = EditBasis::build(&ugoki_sample::clip("walk").unwrap(), 0..10, &[]).unwrap();
    database.put_edit_bases(id, std::slice::from_ref(&beyond)).unwrap();
    assert_eq!(database.edit_bases(id).unwrap(), [beyond]);
    assert!(database.put_edit_bases(999, &[]).is_err());
    database.remove(&[id]).unwrap();
    assert_eq!(database.edit_bases(id).unwrap(), []);
}

#[test]
fn an_old_derived_form_is_made_again() {
    let folder = Folder::new();
    let file = folder.motion("in/a.bvh", 1);
    let mut database = folder.database();
    import(&mut database, &file);
    let path = database.path().to_owned();
    let before = database.clip(1).unwrap();
    drop(database);
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("UPDATE derived SET version = 0, bytes = x'00'; DELETE FROM tags WHERE automatic = 1")
        .unwrap();
    let mut database = Database::open(&path).unwrap();
    assert!(database.clip(1).is_err());
    assert_eq!(import(&mut database, &file).renewed, 1);
    assert_eq!(database.clip(1).unwrap(), before);
    assert!(!database.details(1).unwrap().automatic_tags.is_empty());
    assert_eq!(names(&database), ["a"]);
}
