//! The licence of files: what the user says, or the nearest LICENSE or README at or above them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longest licence text kept, bytes: the GPL has 35 kB.
const LONGEST: u64 = 128 * 1024;
/// Beginnings of file names that hold a licence, best first; a README is taken only where nothing else is.
const NAMES: [&str; 5] = ["license", "licence", "copying", "copyright", "readme"];

/// A licence text and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Licence {
    /// Name of the file, or `given`.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Finds licences by folder and remembers what was found.
#[derive(Debug)]
pub(crate) struct Licences {
    given: Option<Arc<Licence>>,
    found: HashMap<PathBuf, Option<Arc<Licence>>>,
}

impl Licences {
    pub(crate) fn new(given: Option<&str>) -> Self {
        Self { given: Self::given(given).map(Arc::new), found: HashMap::new() }
    }

    /// The licence that the user gives.
    pub(crate) fn given(text: Option<&str>) -> Option<Licence> {
        text.map(|text| Licence { name: "given".to_owned(), text: text.to_owned() })
    }

    /// The licence of a file below the folder `top`: from its own folder, else from the next above, up to `top`.
    pub(crate) fn find(&mut self, file: &Path, top: &Path) -> Option<Arc<Licence>> {
        if self.given.is_some() {
            return self.given.clone();
        }
        let mut folder = file.parent();
        while let Some(here) = folder {
            let found = self.found.entry(here.to_owned()).or_insert_with(|| look(here)).clone();
            if found.is_some() {
                return found;
            }
            if here == top {
                return None;
            }
            folder = here.parent();
        }
        None
    }
}

/// The licence text in one folder.
fn look(folder: &Path) -> Option<Arc<Licence>> {
    let mut best: Option<(usize, PathBuf)> = None;
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let Some(rank) = NAMES.iter().position(|begin| name.starts_with(begin)) else { continue };
        let path = entry.path();
        let fits = path.metadata().is_ok_and(|data| data.is_file() && data.len() <= LONGEST);
        // Among equals the first by name, so that the order of the folder does not matter.
        if fits && best.as_ref().is_none_or(|best| (rank, &path) < (best.0, &best.1)) {
            best = Some((rank, path));
        }
    }
    let (_, path) = best?;
    let text = String::from_utf8_lossy(&fs::read(&path).ok()?).into_owned();
    let name = path.file_name()?.to_string_lossy().into_owned();
    Some(Arc::new(Licence { name, text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_licence_counts_and_a_readme_is_second_choice() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        fs::create_dir_all(top.join("a/b")).unwrap();
        fs::write(top.join("LICENSES.md"), "all").unwrap();
        fs::write(top.join("README"), "read me").unwrap();
        fs::write(top.join("a/readme.txt"), "of a").unwrap();
        let mut licences = Licences::new(None);
        let text = |licence: Option<Arc<Licence>>| licence.map(|licence| licence.text.clone());
        assert_eq!(text(licences.find(&top.join("x.bvh"), top)).as_deref(), Some("all"));
        assert_eq!(text(licences.find(&top.join("a/b/x.bvh"), top)).as_deref(), Some("of a"));
        assert_eq!(text(licences.find(&top.join("a/b/x.bvh"), &top.join("a/b"))), None);
        let mut given = Licences::new(Some("CC0"));
        assert_eq!(text(given.find(&top.join("x.bvh"), top)).as_deref(), Some("CC0"));
    }
}
