//! Files that are sent rather than found: read from memory, kept with everything that is known of them.

use std::path::Path;

use ugoki_base::Progress;
use ugoki_formats::Companion;
use ugoki_formats::{Problem, Reading};

use super::file_history::options_text;
use super::licence::Licences;
use super::places::Stat;
use super::prepare::{Content, Target, prepare_from};
use super::store::{FileEntry, store_takes};
use crate::hash::{hex, sha256};
use crate::{Database, Error};

/// A file that was sent.
#[derive(Debug, Clone, Copy)]
pub struct Upload<'a> {
    /// Its name without a folder.
    pub name: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
    /// What its licence says, if that is known.
    pub licence: Option<&'a str>,
}

impl Database {
    /// Takes a file in that is not on this machine's disk, with its contacts, tags, licence and where it came from; gives the
    /// names of its clips, or why it has none. The same file again replaces its own clips and no others. `fetch` gives the
    /// files that it names.
    ///
    /// # Errors
    /// When the database cannot be written, or the caller stops.
    pub fn add_upload(
        &mut self,
        upload: &Upload<'_>,
        fetch: &mut dyn FnMut(Companion<'_>) -> Option<Vec<u8>>,
        progress: Progress<'_>,
    ) -> Result<Result<Vec<String>, Problem>, Error> {
        let reading = Reading::default();
        let target =
            Target { skeleton: self.skeleton.clone(), fps: self.fps, reading: reading.clone(), labels: None };
        let content = Content { bytes: upload.bytes.to_vec(), hash: sha256(upload.bytes) };
        let path = Path::new(upload.name);
        let mut prepared = prepare_from(path, &content, &target, fetch, progress)?;
        let takes = match std::mem::replace(&mut prepared.takes, Ok(Vec::new())) {
            Ok(takes) => takes,
            Err(problem) => return Ok(Err(problem)),
        };
        // Its content names its place, so that two files of one name stay two.
        let place = format!("uploaded/{}/{}", &hex(&prepared.hash)[..12], upload.name);
        let licence = Licences::given(upload.licence);
        let entry = FileEntry {
            path: &place,
            stat: Stat { size: upload.bytes.len() as u64, modified_ns: 0 },
            options: &options_text(&reading)?,
            licence: licence.as_ref(),
        };
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let (added, _) = store_takes(&mut self.connection, &entry, &stem, &prepared, &takes, &[], true)?;
        Ok(Ok(added.clips))
    }
}
