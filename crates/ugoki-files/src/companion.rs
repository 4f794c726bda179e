//! Files that belong to a motion file.

use std::path::{Component, Path, PathBuf};

use ugoki_formats::Companion;

/// Where a file that belongs to the file `path` may be, in order and from its folder: never outside of it, except for a
/// skeleton that the user named, from where the program runs.
#[must_use]
pub fn companion_paths(path: &Path, companion: Companion<'_>, skeleton: Option<&str>) -> Vec<PathBuf> {
    match (companion, skeleton) {
        (Companion::Named(other), _) => {
            let other = Path::new(other);
            let inside = other.components().all(|part| matches!(part, Component::Normal(_)));
            inside.then(|| other.to_owned()).into_iter().collect()
        }
        (Companion::Skeleton, Some(file)) => Path::new(file).canonicalize().into_iter().collect(),
        (Companion::Skeleton, None) => {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            // 35_01.amc is a motion of the subject 35.
            let subject = stem.split('_').next().unwrap_or(&stem).to_owned();
            let names =
                [stem, subject].into_iter().flat_map(|stem| ["asf", "ASF"].map(|e| format!("{stem}.{e}")));
            names.map(PathBuf::from).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companions_are_next_to_their_file() {
        let of = |companion| companion_paths(Path::new("captures/35_01.amc"), companion, None);
        assert_eq!(
            of(Companion::Skeleton),
            ["35_01.asf", "35_01.ASF", "35.asf", "35.ASF"].map(PathBuf::from)
        );
        assert_eq!(of(Companion::Named("mesh.bin")), [PathBuf::from("mesh.bin")]);
        for outside in ["../mesh.bin", "/mesh.bin", "a/../../mesh.bin"] {
            assert!(of(Companion::Named(outside)).is_empty(), "{outside}");
        }
    }
}
