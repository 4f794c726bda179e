//! What is no sound database of a known version is refused in plain words, and never damaged further.

use std::fs;
use std::path::Path;
use ugoki_base::no_progress;

use crate::support::{Folder, import};
use ugoki_db::{CreateConfig, Database, Error, VERSION};

fn both(path: &Path) -> [Error; 2] {
    [Database::open(path).unwrap_err(), Database::open_read_only(path).unwrap_err()]
}

#[test]
fn files_that_are_no_database_are_named_for_what_they_are() {
    let folder = Folder::new();
    for error in both(&folder.path("nowhere.ugoki")) {
        assert_eq!(error, Error::Missing);
        assert!(error.hint().unwrap().contains("make one"));
    }
    let text = folder.write("walk.bvh", "HIERARCHY\nROOT Hips\n");
    for error in both(&text) {
        assert!(error.to_string().contains("HIERARCHY"), "{error}");
    }
    assert_eq!(both(&folder.write("empty.ugoki", "")), [Error::Empty, Error::Empty]);
    let other = folder.path("other.ugoki");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    for error in both(&other) {
        assert_eq!(error, Error::OtherProgram { found: 0 });
    }
    assert!(both(&folder.path(""))[0].to_string().contains("folder"));
}

#[test]
fn a_database_of_a_newer_program_is_left_alone() {
    let folder = Folder::new();
    let path = folder.database().path().to_owned();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", VERSION + 1).unwrap();
    drop(connection);
    for error in both(&path) {
        assert_eq!(error, Error::Newer { found: VERSION + 1, known: VERSION });
        assert!(error.hint().unwrap().contains("newer ugoki"));
    }
}

#[test]
fn databases_are_made_whole_or_not_at_all() {
    let folder = Folder::new();
    let path = folder.path("moves.ugoki");
    drop(folder.database());
    let before = fs::read(&path).unwrap();
    assert_eq!(Database::create(&path, &CreateConfig::default()).unwrap_err(), Error::Exists);
    assert_eq!(fs::read(&path).unwrap(), before);
    let nowhere = folder.path("no/such/folder/x.ugoki");
    let error = Database::create(&nowhere, &CreateConfig::default()).unwrap_err();
    assert!(error.to_string().contains("folder"), "{error}");
    for fps in [0.0, -5.0, f64::NAN, 1e9] {
        let config = CreateConfig { fps, ..CreateConfig::default() };
        assert!(
            matches!(Database::create(&folder.path("x.ugoki"), &config), Err(Error::Unfit { .. })),
            "{fps}"
        );
    }
    let left: Vec<_> = fs::read_dir(folder.path("")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["moves.ugoki"], "one file and nothing next to it");
}

#[test]
fn a_cut_off_database_says_so() {
    let folder = Folder::new();
    let path = folder.database().path().to_owned();
    let bytes = fs::read(&path).unwrap();
    for keep in [50, 4096, bytes.len() / 2, bytes.len() - 1] {
        let cut = folder.write("cut.ugoki", &bytes[..keep]);
        for error in both(&cut) {
            assert!(matches!(error, Error::Truncated { .. }), "{keep}: {error}");
        }
    }
}

/// A database of four clips, closed; its path and bytes.
fn closed(folder: &Folder) -> (std::path::PathBuf, Vec<u8>) {
    for number in 0..4 {
        folder.motion(&format!("in/{number}.bvh"), number);
    }
    let mut database = folder.database();
    import(&mut database, &folder.path("in"));
    let path = database.path().to_owned();
    database.close().unwrap();
    let bytes = fs::read(&path).unwrap();
    (path, bytes)
}

fn is_sound(file: &Path) -> bool {
    let report = Database::open_read_only(file).and_then(|database| database.check(&mut no_progress()));
    report.is_ok_and(|report| report.sound)
}

#[test]
fn damage_anywhere_is_an_error_and_never_a_panic() {
    let folder = Folder::new();
    let (path, bytes) = closed(&folder);
    assert!(is_sound(&path));
    let mut random = ugoki_base::math::Random::new(7);
    for _ in 0..60 {
        let mut damaged = bytes.clone();
        // A run of noise anywhere; in the header, in tables, in blobs, in unused room.
        let start = random.index(bytes.len() - 600);
        for byte in &mut damaged[start..start + 1 + random.index(600)] {
            *byte = random.next_u64() as u8;
        }
        is_sound(&folder.write("damaged.ugoki", &damaged));
    }
}

#[test]
fn damage_in_a_clip_is_found() {
    let folder = Folder::new();
    let (path, bytes) = closed(&folder);
    let connection = rusqlite::Connection::open(&path).unwrap();
    let mut random = ugoki_base::math::Random::new(8);
    let mut places_tried = 0;
    for table in ["sources", "derived", "skeletons"] {
        let mut query = connection.prepare(&format!("SELECT bytes FROM {table}")).unwrap();
        let blobs: Vec<Vec<u8>> =
            query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        for blob in blobs {
            // The part of the blob that lies in one piece in the file.
            let piece = &blob[blob.len() / 3..blob.len() / 3 + 200];
            let mut damaged = bytes.clone();
            // Everywhere: SQLite leaves copies in unused room.
            let places = (0..bytes.len() - piece.len()).filter(|&at| bytes[at..].starts_with(piece));
            let mut found = false;
            for at in places {
                found = true;
                for byte in &mut damaged[at..at + 100] {
                    *byte ^= 1 + random.index(255) as u8;
                }
            }
            if !found {
                continue;
            }
            places_tried += 1;
            assert!(!is_sound(&folder.write("damaged.ugoki", &damaged)), "{table}");
        }
    }
    assert!(places_tried >= 6, "{places_tried}");
}

#[test]
fn a_clip_whose_skeleton_no_body_has_cannot_make_a_database() {
    use ugoki_base::skeleton::{Joint, Skeleton};
    let joints = vec![Joint::new("box", None, glam::Vec3::ZERO)];
    let config = CreateConfig { skeleton: Skeleton::build(joints).unwrap(), fps: 60.0 };
    let error = Database::create(&Folder::new().path("x.ugoki"), &config).unwrap_err();
    assert!(error.to_string().contains("hips"), "{error}");
}
