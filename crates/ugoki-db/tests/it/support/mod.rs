//! Folders with small motion files to import.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use ugoki_base::clip::Clip;
use ugoki_db::{AddReport, Selection};
use ugoki_db::{CreateConfig, Database, ImportConfig};
use ugoki_formats::{WriteOptions, bvh};

/// Frames of the clips written: enough for steps, few enough for many files.
const FRAMES: usize = 24;

/// A folder that goes away with the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, bytes).expect("a file");
        path
    }

    /// A short interval of a sample motion as BVH; every `number` is another motion.
    pub(crate) fn motion(&self, name: &str, number: usize) -> PathBuf {
        self.write(name, bvh_bytes(&short_clip(number)))
    }

    /// A new, empty database.
    pub(crate) fn database(&self) -> Database {
        Database::create(&self.path("moves.ugoki"), &CreateConfig::default()).expect("a database")
    }
}

/// A short interval of one of the sample motions; another for every number.
pub(crate) fn short_clip(number: usize) -> Clip {
    let motions = ugoki_sample::motions();
    let clip = motions[number % motions.len()].clip();
    let starts = clip.num_frames().saturating_sub(FRAMES).max(1);
    let start = (number / motions.len() * 7) % starts;
    let mut short = clip.trimmed(start..(start + FRAMES).min(clip.num_frames())).expect("an interval");
    short.tags.clear();
    short
}

pub(crate) fn bvh_bytes(clip: &Clip) -> Vec<u8> {
    bvh::write(clip, &WriteOptions { unit_metres: Some(0.01), ..WriteOptions::default() }).bytes
}

/// Imports without anybody looking.
pub(crate) fn import(database: &mut Database, path: &Path) -> AddReport {
    let config = ImportConfig { paths: vec![path.to_owned()], threads: Some(2), ..ImportConfig::default() };
    database.import(&config, &mut |_| ControlFlow::Continue(())).expect("an import")
}

/// Names of all clips, in order.
pub(crate) fn names(database: &Database) -> Vec<String> {
    let rows = database.list(&Selection::default()).expect("a list");
    rows.into_iter().map(|row| row.name).collect()
}
