//! The host of programs that work on files: the command line, and Python.
//!
//! ```text
//! name ─source→ bytes, motion, markers     `walk.bvh`, `-`, `moves.ugoki#walk`, folders, patterns
//! result ─refuse_input→ ugoki_files::write_whole
//! ```
//!
//! This is the one place of the crate that touches the file system, by `ugoki_files` and `ugoki_db`.

mod source;

use std::collections::HashMap;
use std::io::BufRead;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use ugoki::clip::Clip;
use ugoki::formats::{self, ReadMarkers, WriteOptions, Written};
use ugoki::network::CatalogueConfig;
use ugoki::perform::Model;
use ugoki::{Progress, no_progress};
use ugoki_db::{CreateConfig, Database, FoundCatalogue, clip_reference, is_sample};
use ugoki_files::{
    FileFault, FileId, check_folder, check_name, motion_files, place, remove_file, write_whole,
};

use crate::error::InFile as _;
use crate::host::{Budget, Host, NewMotion, Opened, extension, format_to_write};
use crate::{Error, Reading};

/// What the program that runs verbs on files decides.
pub struct FileHost<'a> {
    /// Whether an output may replace an input.
    pub overwrite: bool,
    /// Whether standard output is taken by the report.
    pub stdout_taken: bool,
    /// What jobs may use.
    pub budget: Budget,
    /// Shows a line to the user.
    pub note: &'a mut dyn FnMut(&str),
    /// Whether the user asked to stop; nothing is written after that.
    pub stopped: &'a dyn Fn() -> bool,
    /// Files that this run reads; none of them is overwritten.
    read: Vec<(FileId, String)>,
    /// Lines on the findings of inputs.
    findings: Vec<String>,
}

impl<'a> FileHost<'a> {
    /// A host that overwrites no input.
    #[must_use]
    pub fn new(note: &'a mut dyn FnMut(&str), stopped: &'a dyn Fn() -> bool) -> Self {
        let budget = Budget::default();
        let (read, findings) = (Vec::new(), Vec::new());
        Self { overwrite: false, stdout_taken: false, budget, note, stopped, read, findings }
    }

    /// Remembers that a file, or the database of a clip, is an input.
    fn remember(&mut self, name: &str) {
        let name = clip_reference(name).map_or(name, |(database, _)| database);
        if let Some(id) = FileId::from_input(name)
            && !self.read.iter().any(|(known, _)| *known == id)
        {
            self.read.push((id, name.to_owned()));
        }
    }

    /// Remembers an input that is read whole, and refuses one that is too large.
    fn admit(&mut self, name: &str) -> Result<(), Error> {
        self.remember(name);
        self.check_size(name)
    }

    /// [`FileHost::admit`] for an input and the files that say how to read it.
    fn admit_with(&mut self, name: &str, reading: &Reading) -> Result<(), Error> {
        [&reading.asf, &reading.markers].into_iter().flatten().try_for_each(|file| self.admit(file))?;
        self.admit(name)
    }

    /// Refuses a file that alone is larger than the memory of the job.
    fn check_size(&self, name: &str) -> Result<(), Error> {
        let bytes =
            std::fs::metadata(name).ok().filter(std::fs::Metadata::is_file).map_or(0, |data| data.len());
        match self.budget.memory_bytes {
            memory_bytes if bytes > memory_bytes => Err(Error::TooLarge { memory_bytes }.in_file(name)),
            _ => Ok(()),
        }
    }

    /// Refuses a name that means a file that was read.
    fn refuse_input(&self, output: &str) -> Result<(), Error> {
        let Some(id) = FileId::from_output(output).filter(|_| !self.overwrite) else { return Ok(()) };
        match self.read.iter().find(|(known, _)| *known == id) {
            None => Ok(()),
            Some((_, input)) => {
                let same =
                    if input == output { String::new() } else { format!(" (the same file as {input})") };
                Err(Error::refused(format!("is both an input and an output{same}"))
                    .hint("write the result to another file, or allow it with --overwrite")
                    .in_file(output))
            }
        }
    }
}

impl FileHost<'_> {
    /// Shows what a format could not hold.
    fn note_losses(&mut self, name: &str, written: &Written) {
        for finding in &written.findings {
            (self.note)(&format!("{name}: {} [{}]", finding.message, finding.code));
        }
    }
}

impl Host for FileHost<'_> {
    fn open(&mut self, name: &str, reading: &Reading) -> Result<Opened, Error> {
        self.admit_with(name, reading)?;
        self.read(name, reading)
    }

    fn markers(&mut self, name: &str, reading: &Reading) -> Result<Option<ReadMarkers>, Error> {
        self.admit_with(name, reading)?;
        self.read_markers(name, reading)
    }

    fn text(&mut self, name: &str, expected: &str) -> Result<String, Error> {
        self.admit(name)?;
        Ok(ugoki_files::read_text(name, expected, self.budget.memory_bytes, self.stopped)?)
    }

    fn lines(&mut self, name: &str) -> Result<Box<dyn BufRead + Send>, Error> {
        self.remember(name);
        Ok(ugoki_files::open_lines(name)?)
    }

    fn allows_network(&self) -> bool {
        true
    }

    fn expand(&mut self, names: &[String], output: Option<&str>) -> Result<Vec<String>, Error> {
        self.expanded(names, output)
    }

    fn is_folder(&self, name: &str) -> bool {
        Path::new(name).is_dir()
    }

    fn exists(&self, name: &str) -> bool {
        Path::new(name).exists()
    }

    fn clip_reference<'n>(&self, name: &'n str) -> Option<(&'n str, &'n str)> {
        ugoki_db::clip_reference(name)
    }

    fn begin_run(&mut self) {
        self.read.clear();
        self.findings.clear();
    }

    fn end_run(&mut self) {
        std::mem::take(&mut self.findings).iter().for_each(|note| (self.note)(note));
    }

    fn note_findings(&mut self, notes: Vec<String>) {
        self.findings.extend(notes);
    }

    fn check_outputs(&mut self, inputs: &[&str], outputs: &[&str]) -> Result<(), Error> {
        if self.stdout_taken && outputs.contains(&"-") {
            return Err(Error::refused("--json and the output - both want standard output")
                .hint("write the motion to a file"));
        }
        if inputs.iter().filter(|name| **name == "-").count() > 1 {
            return Err(Error::refused("standard input can be read only once")
                .hint("name a file for every input but one"));
        }
        outputs.iter().try_for_each(|name| check_name(name))?;
        inputs.iter().for_each(|name| self.remember(name));
        outputs.iter().try_for_each(|name| self.refuse_input(name))?;
        let places: Vec<_> = outputs.iter().map(|name| place(name)).collect();
        match (1..places.len()).find(|&at| places[..at].contains(&places[at])) {
            Some(at) => Err(Error::refused("is named as an output twice")
                .hint("give another name")
                .in_file(outputs[at])),
            None => Ok(()),
        }
    }

    fn first_replaced(&self, names: &[[String; 2]]) -> Option<usize> {
        let inputs = names.iter().enumerate();
        let last_read: HashMap<FileId, usize> =
            inputs.filter_map(|(at, [input, _])| Some((FileId::from_name(input)?, at))).collect();
        let last = |name: &str| last_read.get(&FileId::from_name(name)?).copied();
        names.iter().enumerate().position(|(at, [_, output])| last(output).is_some_and(|last| last > at))
    }

    fn check_folders(&self, outputs: &[&str]) -> Result<(), Error> {
        Ok(outputs.iter().try_for_each(|name| check_folder(name))?)
    }

    fn check_format(&self, name: &str) -> Result<(), Error> {
        check_name(name)?;
        format_to_write(name).map(drop)
    }

    fn write_motion(&mut self, name: &str, motion: &NewMotion<'_>) -> Result<(), Error> {
        let stopped = self.stopped;
        let written = motion.encode(name, &mut |_| match stopped() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })?;
        self.note_losses(name, &written);
        self.write(name, &written.bytes)
    }

    fn write_recording(&mut self, name: &str, clip: &Clip) -> Result<(), Error> {
        let format = format_to_write(name)?;
        let options = WriteOptions::usual(format);
        let written = formats::write(clip, format, &options, &mut no_progress()).in_file(name)?;
        self.note_losses(name, &written);
        self.refuse_input(name)?;
        Ok(write_whole(name, &written.bytes)?)
    }

    fn check_writable(&mut self, name: &str) -> Result<(), Error> {
        Ok(ugoki_files::check_writable(name)?)
    }

    fn journal(&self, name: &str) -> Option<String> {
        ugoki_files::journal_path(name)
    }

    fn begin_journal(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        self.refuse_input(name)?;
        Ok(write_whole(name, bytes)?)
    }

    fn append_journal(&mut self, name: &str, bytes: &[u8], at: u64, count: &[u8]) -> Result<(), Error> {
        Ok(ugoki_files::append(name, bytes, at, count)?)
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        if name != "-" && (self.stopped)() {
            return Err(Error::Cancelled);
        }
        self.refuse_input(name)?;
        Ok(write_whole(name, bytes)?)
    }

    fn create_folder(&mut self, name: &str) -> Result<(), Error> {
        Ok(ugoki_files::create_folder(name)?)
    }

    fn database(&mut self, name: &str) -> Result<Database, Error> {
        self.remember(name);
        Database::open_named(name, &mut *self.note).in_file(name)
    }

    fn database_to_write(&mut self, name: &str) -> Result<Database, Error> {
        Database::open_named_to_change(name).in_file(name)
    }

    fn create_database(&mut self, name: &str, config: &CreateConfig) -> Result<Database, Error> {
        Database::create_named(name, config).in_file(name)
    }

    fn build_database(
        &mut self,
        name: &str,
        config: &CreateConfig,
        fill: &mut dyn FnMut(&mut Database) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Database::check_new_name(name).in_file(name)?;
        Database::build(std::path::Path::new(name), config, fill).in_file(name)
    }

    fn databases_in(&mut self, folder: &str) -> Result<Vec<String>, Error> {
        let unreadable = |error| FileFault::Unreadable(error).in_file(folder);
        let entries = std::fs::read_dir(folder).map_err(unreadable)?;
        let names = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file());
        let names = names.map(|path| path.to_string_lossy().into_owned());
        let mut databases: Vec<String> =
            names.filter(|name| extension(name).as_deref() == Some("ugoki")).collect();
        databases.sort();
        Ok(databases)
    }

    fn import_paths(&mut self, names: &[String]) -> Result<Vec<std::path::PathBuf>, Error> {
        let paths = source::import_paths(names)?;
        for path in &paths {
            let name = path.to_string_lossy().into_owned();
            let files = if path.is_dir() { motion_files(path, None)? } else { vec![name] };
            files.iter().try_for_each(|file| self.check_size(file))?;
        }
        Ok(paths)
    }

    fn earlier(&mut self, name: &str) -> Option<String> {
        std::fs::read_to_string(name).ok()
    }

    fn remove(&mut self, name: &str) -> Result<(), Error> {
        self.refuse_input(name)?;
        Ok(remove_file(name)?)
    }

    fn catalogue(
        &mut self,
        name: &str,
        config: &CatalogueConfig,
        progress: Progress<'_>,
    ) -> Result<(FoundCatalogue, bool), Error> {
        let found = self.database(name)?.catalogue(config, progress).in_file(name)?;
        if !found.fresh || is_sample(name) {
            let stored = !found.fresh;
            return Ok((found, stored));
        }
        // Without it every later run would build it again.
        let kept = Database::open(Path::new(name)).and_then(|mut database| {
            database.keep_catalogue(&found.catalogue)?;
            database.close()
        });
        kept.map_err(|error| {
            Error::refused(format!("the network cannot be kept: {error}"))
                .hint("make the database writable, or copy it")
        })
        .in_file(name)?;
        Ok((found, true))
    }

    fn model(&mut self, name: &str) -> Result<Arc<Model>, Error> {
        self.remember(name);
        let (model, gone, file) =
            Database::read_model(name).map_err(|(error, file)| Error::from(error).in_file(file))?;
        for name in gone {
            (self.note)(&format!("what was learned of {name:?} is left out: its clip is gone from {file}"));
        }
        Ok(Arc::new(model))
    }

    fn actors(&mut self, model: &str) -> Result<Vec<Clip>, Error> {
        if !Path::new(model).exists() {
            return Ok(Vec::new());
        }
        Database::open_read_only(Path::new(model)).and_then(|database| database.actors()).in_file(model)
    }

    fn write_model(&mut self, name: &str, model: Model) -> Result<Vec<String>, Error> {
        Database::write_model(name, &model).in_file(name)
    }

    fn note(&mut self, text: &str) {
        (self.note)(text);
    }

    fn budget(&self) -> Budget {
        self.budget
    }
}
