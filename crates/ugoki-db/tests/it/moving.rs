//! Files and databases that move: what is known by its content is the same file wherever it lies.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{bvh_bytes, import, names, short_clip};
use proptest::prelude::*;
use tempfile::TempDir;
use ugoki_db::{CreateConfig, Database};

/// Files in two folders of two trees, some of the same name and some of the same content.
struct Files {
    near: TempDir,
    /// On another branch of the root: seen from `near`, its files are reached through the root.
    far: TempDir,
}

impl Files {
    fn new() -> Self {
        let near = tempfile::tempdir().unwrap();
        let far = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let write = |folder: &Path, name: &str, number: usize| {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bvh_bytes(&short_clip(number))).unwrap();
        };
        for (number, name) in ["x.bvh", "a/x.bvh", "a/b/x.bvh", "a/y.bvh"].iter().enumerate() {
            write(near.path(), name, number);
            write(far.path(), name, 4 + number);
        }
        write(near.path(), "a/b/copy.bvh", 0);
        fs::write(far.path().join("broken.bvh"), "HIERARCHY\nno joints\n").unwrap();
        Self { near, far }
    }

    /// A place of a database in or above the files, at some depth.
    fn place(&self, number: usize) -> PathBuf {
        ["", "a", "a/b", "a/b/c/d/e/f/g/h"][number % 4]
            .split('/')
            .fold([&self.near, &self.far][number / 4 % 2].path().to_owned(), |path, part| path.join(part))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// A database copied to any folder knows its files again: nothing is added, nothing is lost, and the run after that
    /// finds all as it was.
    #[test]
    fn a_database_copied_anywhere_knows_its_files(places in prop::collection::vec(0..8usize, 2..5)) {
        let files = Files::new();
        let mut at = files.place(places[0]).join("moves.ugoki");
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        let mut database = Database::create(&at, &CreateConfig::default()).unwrap();
        let first = import(&mut database, files.near.path());
        let second = import(&mut database, files.far.path());
        prop_assert_eq!((first.added.len(), second.added.len(), second.skipped.len()), (5, 4, 1));
        let id = database.find("y").unwrap();
        database.remove(&[id]).unwrap();
        let known = names(&database);
        for &place in &places[1..] {
            database.close().unwrap();
            let to = files.place(place).join("moves.ugoki");
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            if to != at {
                // The two folders may be on different file systems.
                fs::copy(&at, &to).and_then(|_| fs::remove_file(&at)).unwrap();
            }
            at = to;
            database = Database::open(&at).unwrap();
            for _ in 0..2 {
                let near = import(&mut database, files.near.path());
                let far = import(&mut database, files.far.path());
                prop_assert!(near.added.is_empty() && far.added.is_empty(), "{near:?} {far:?}");
                prop_assert_eq!(near.passed.unchanged + near.passed.moved, 4);
                prop_assert_eq!((near.passed.removed, far.passed.unchanged + far.passed.moved), (1, 4));
                prop_assert!(far.skipped.len() == 1 && far.skipped[0].known, "{:?}", far.skipped);
                prop_assert_eq!(names(&database), known.clone());
            }
            prop_assert_eq!(import(&mut database, files.near.path()).passed.moved, 0);
        }
    }
}

/// A file that was moved and is read in another way now is the same clip all the same.
#[test]
fn a_moved_file_read_in_another_way_keeps_its_clip() {
    let folder = crate::support::Folder::new();
    let old = folder.motion("in/a.bvh", 1);
    let mut database = folder.database();
    import(&mut database, &old);
    let new = folder.path("in/b.bvh");
    fs::rename(&old, &new).unwrap();
    let config = ugoki_db::ImportConfig {
        paths: vec![new],
        reading: ugoki_formats::Reading { source_unit: Some(0.01), ..Default::default() },
        ..Default::default()
    };
    let report = database.import(&config, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert!(report.added.len() == 1 && report.added[0].replaced, "{report:?}");
    assert_eq!(names(&database), ["a"]);
}
