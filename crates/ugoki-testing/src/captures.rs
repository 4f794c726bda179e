//! Real captures, where the environment says they are.

use std::path::PathBuf;

use ugoki_base::clip::Clip;
use ugoki_base::math::Random;
use ugoki_formats::{ReadOptions, read};

/// The folder of captures; says that checks are skipped when there is none.
pub fn folder(checks: usize) -> Option<PathBuf> {
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: UGOKI_CAPTURES is not set ({checks} checks)");
    }
    folder
}

/// One capture of the folder, such as `cmu/sport/135_04.bvh`.
pub fn capture(folder: &std::path::Path, name: &str) -> Clip {
    let path = folder.join(name);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    read(&bytes, Some("bvh"), &ReadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}")).clip
}

/// All captures under `cmu`, in order of name, with a third of them drawn as unseen: thresholds were chosen
/// without looking at those.
pub fn all(folder: &std::path::Path) -> Vec<(String, Clip, bool)> {
    let mut names = Vec::new();
    for group in ["defects", "gesture", "locomotion", "physics", "sport"] {
        let Ok(entries) = std::fs::read_dir(folder.join("cmu").join(group)) else { continue };
        for entry in entries.flatten() {
            let file = entry.file_name().to_string_lossy().into_owned();
            if file.ends_with(".bvh") {
                names.push(format!("cmu/{group}/{file}"));
            }
        }
    }
    names.sort();
    let mut random = Random::new(2026);
    names
        .into_iter()
        .map(|name| {
            let clip = capture(folder, &name);
            (name, clip, random.uniform() < 1.0 / 3.0)
        })
        .collect()
}
