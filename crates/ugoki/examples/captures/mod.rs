//! All captures, split into those looked at while constants were chosen and a third kept for the closing table.

use std::path::{Path, PathBuf};

use ugoki::clip::Clip;
use ugoki::formats::{ReadOptions, read};
use ugoki::math::Random;

/// Seed of the unseen third.
const SEED: u64 = 20_261_115;
/// Looked at one by one, or named as a goal, before the draw: never unseen.
const KNOWN: [&str; 27] = [
    "05_03", "08_02", "16_11", "16_13", "16_15", "16_17", "16_19", "16_21", "16_33", "16_36", "16_55",
    "18_08", "22_12", "35_05", "35_10", "35_25", "35_32", "35_34", "36_01", "49_14", "64_03", "69_53",
    "79_17", "79_31", "81_05", "83_08", "141_11",
];

/// One capture file.
pub(crate) struct Capture {
    /// Path in the folder without its extension.
    pub(crate) name: String,
    /// Kept for the closing table.
    pub(crate) unseen: bool,
    file: PathBuf,
}

impl Capture {
    /// Reads the clip.
    pub(crate) fn load(&self) -> Result<Clip, Box<dyn std::error::Error>> {
        Ok(read(&std::fs::read(&self.file)?, Some("bvh"), &ReadOptions::default())?.clip)
    }
}

/// All captures but the defective ones, in order; `None`, and a word about it, without `UGOKI_CAPTURES`.
/// The first argument that is no option chooses `seen` or `unseen` ones or those whose name contains it.
pub(crate) fn wanted() -> Result<Option<Vec<Capture>>, Box<dyn std::error::Error>> {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from) else {
        println!("skipped: UGOKI_CAPTURES is not set");
        return Ok(None);
    };
    let mut captures = all(&folder)?;
    if let Some(wanted) = std::env::args().skip(1).find(|word| !word.starts_with("--")) {
        captures.retain(|c| match &*wanted {
            "seen" => !c.unseen,
            "unseen" => c.unseen,
            part => c.name.contains(part),
        });
    }
    Ok(Some(captures))
}

fn all(folder: &Path) -> Result<Vec<Capture>, Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    for set in ["cmu/gesture", "cmu/locomotion", "cmu/physics", "cmu/sport", "dialects"] {
        for entry in std::fs::read_dir(folder.join(set))? {
            files.push(entry?.path());
        }
    }
    files.sort();
    let mut captures = Vec::new();
    for (index, file) in files.into_iter().enumerate() {
        let name = file.strip_prefix(folder)?.with_extension("").display().to_string();
        let known = KNOWN.iter().any(|known| name.ends_with(&format!("/{known}")));
        let unseen = !known && Random::fork(SEED, index as u64).uniform() < 1.0 / 3.0;
        captures.push(Capture { name, unseen, file });
    }
    Ok(captures)
}
