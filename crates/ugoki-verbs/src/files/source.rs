//! Names turned into motions and markers.

use std::fs;
use std::path::{Path, PathBuf};

use ugoki::formats::{self, Companion, Format, Read, ReadError, ReadMarkers, ReadOptions};
use ugoki_db::{Database, Selection, clip_reference};
use ugoki_files::{
    companion_paths, is_pattern, matching_paths, motion_files, read_file, read_text, read_whole,
    system_message,
};

use super::FileHost;
use crate::error::InFile as _;
use crate::host::{Opened, extension, read_again, stem};
use crate::{Error, Reading};

impl FileHost<'_> {
    /// A file read as the user asked; markers that no motion comes of are also accepted.
    pub(super) fn read(&mut self, name: &str, reading: &Reading) -> Result<Opened, Error> {
        if let Some((database, clip)) = clip_reference(name) {
            return self.read_clip(database, clip, reading).map(|read| Opened::Motion(Box::new(read)));
        }
        let bytes = self.bytes(name)?;
        let options = self.options(reading)?;
        match self.parse(name, &bytes, reading, &options) {
            Ok(mut read) => {
                read.clip.name = stem(name);
                reading.apply_to(&mut read);
                crate::advice::name_options(&mut read.findings);
                Ok(Opened::Motion(Box::new(read)))
            }
            Err(error) => match formats::read_markers(&bytes, extension(name).as_deref(), &options) {
                Ok(markers) => Ok(Opened::Markers(Box::new(markers), error)),
                Err(_) => Err(error).in_file(name),
            },
        }
    }

    /// The points of a marker file; `None` for other files.
    pub(super) fn read_markers(
        &mut self,
        name: &str,
        reading: &Reading,
    ) -> Result<Option<ReadMarkers>, Error> {
        let format = extension(name).and_then(|ending| Format::from_extension(&ending));
        let is_marker_file = matches!(format, Some(Format::C3d | Format::Trc));
        if name == "-" || clip_reference(name).is_some() || !is_marker_file {
            return Ok(None);
        }
        let (bytes, options) = (self.bytes(name)?, self.options(reading)?);
        formats::read_markers(&bytes, extension(name).as_deref(), &options).map(Some).in_file(name)
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, Error> {
        Ok(read_whole(name, self.budget.memory_bytes, self.stopped)?)
    }

    /// The clip that a reference means: on the database's skeleton and rate, or as it came if it has no such form.
    fn read_clip(&mut self, database: &str, clip: &str, reading: &Reading) -> Result<Read, Error> {
        let opened = Database::open_named(database, &mut *self.note).in_file(database)?;
        let id = opened.find_named(database, clip).in_file(database)?;
        let found = opened.read_clip(id).in_file(database)?;
        if let Some(ugoki_db::Error::Underived { name, reason }) = found.underived {
            (self.note)(&format!(
                "{database}#{name}: kept only on its own skeleton ({reason}); that is what is used"
            ));
        }
        let shown = format!("{database}#{clip}");
        self.budget.check_clip(&found.clip).in_file(&shown)?;
        read_again(Read::from_clip(found.clip, found.marks), reading).in_file(&shown)
    }

    /// The reader's options with the label map that the user named.
    fn options(&self, reading: &Reading) -> Result<ReadOptions, Error> {
        if let Some(file) = &reading.asf {
            // A file that is named must exist, also for inputs that need none.
            fs::File::open(file).map_err(|error| {
                let message = format!("{} (named by --asf)", system_message(&error));
                Error::refused(message).hint("check the name").in_file(file)
            })?;
        }
        let map = |file: &String| {
            let text = read_text(file, "a label map as TOML", self.budget.memory_bytes, self.stopped)?;
            formats::parse_label_map(&text).in_file(file)
        };
        Ok(ReadOptions { labels: reading.markers.as_ref().map(map).transpose()?, ..reading.options() })
    }

    /// The motion in the bytes of a file; files that it refers to are looked for next to it, and are inputs too.
    fn parse(
        &mut self,
        name: &str,
        bytes: &[u8],
        reading: &Reading,
        options: &ReadOptions,
    ) -> Result<Read, ReadError> {
        let most = self.budget.memory_bytes;
        formats::read_with(bytes, extension(name).as_deref(), options, &mut |companion: Companion<'_>| {
            let folder = Path::new(name).parent()?;
            let paths = companion_paths(Path::new(name), companion, reading.asf.as_deref());
            let mut files = paths.into_iter().map(|path| folder.join(path));
            let (file, bytes) =
                files.find_map(|file| read_file(&file, most).ok().map(|bytes| (file, bytes)))?;
            self.remember(&file.to_string_lossy());
            Some(bytes)
        })
    }

    /// The motion files behind names, folders and patterns, each folder sorted; without those in the folder `output`.
    pub(super) fn expanded(&mut self, names: &[String], output: Option<&str>) -> Result<Vec<String>, Error> {
        let output = output.and_then(|folder| fs::canonicalize(folder).ok());
        let mut files = Vec::new();
        for name in names {
            let path = Path::new(name);
            if name == "-" || path.is_file() {
                files.push(name.clone());
            } else if path.is_dir() {
                // Results of earlier runs are no inputs, unless the folder itself is to be written to.
                let same = |output: &&Path| fs::canonicalize(path).ok().as_deref() == Some(*output);
                let found = motion_files(path, output.as_deref().filter(|output| !same(output)))?;
                if found.is_empty() {
                    return Err(ugoki_files::FileFault::NoMotionFiles.in_file(name).into());
                }
                files.extend(found);
            } else if let Some((database, pattern)) =
                clip_reference(name).filter(|(_, clip)| is_pattern(clip))
            {
                let opened = Database::open_named(database, &mut *self.note).in_file(database)?;
                let selection = Selection { clips: vec![pattern.to_owned()], ..Selection::default() };
                let rows = opened.list(&selection).in_file(database)?;
                files.extend(rows.into_iter().map(|row| format!("{database}#{}", row.name)));
            } else if is_pattern(name) {
                let paths = matching_paths(name, Path::is_file)?;
                files.extend(paths.into_iter().map(|path| path.to_string_lossy().into_owned()));
            } else {
                files.push(name.clone());
            }
        }
        Ok(files)
    }
}

/// Files and folders to import; patterns are expanded, folders are not.
pub(super) fn import_paths(names: &[String]) -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for name in names {
        match Path::new(name).exists() || !is_pattern(name) {
            true => paths.push(PathBuf::from(name)),
            false => paths.extend(matching_paths(name, |_| true)?),
        }
    }
    Ok(paths)
}
