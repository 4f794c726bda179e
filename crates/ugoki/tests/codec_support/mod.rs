//! Captures and measures for the tests of byte forms.
#![allow(dead_code, reason = "each test file uses its part")]

use std::ops::ControlFlow;
use std::path::PathBuf;

use ugoki::clip::{Clip, PackedClip};
use ugoki::formats::{ReadOptions, read};

/// Never stops.
pub(crate) fn quiet(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

pub(crate) fn pack(clip: &Clip) -> PackedClip {
    PackedClip::pack(clip, &mut quiet).unwrap()
}

/// The folder of captures; says that checks are skipped when there is none.
pub(crate) fn folder(checks: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: UGOKI_CAPTURES is not set ({checks} checks)");
    }
    folder
}

/// Every BVH below the folder of captures that can be read, by its path in there, in order.
pub(crate) fn captures(folder: &std::path::Path) -> Vec<(String, Clip)> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).expect("a readable folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "bvh") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let bytes = std::fs::read(&path).expect("a readable file");
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            let read = read(&bytes, Some("bvh"), &ReadOptions::default());
            (name.clone(), read.unwrap_or_else(|error| panic!("{name}: {error}")).clip)
        })
        .collect()
}

/// Bytes that the poses take as plain f32: four per joint and three for the root, per frame.
pub(crate) fn raw_bytes(clip: &Clip) -> usize {
    clip.num_frames() * (clip.num_joints() * 16 + 12 + clip.translations().len() * 12)
}
