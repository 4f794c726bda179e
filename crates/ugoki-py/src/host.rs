//! The host of Python: files, and clips in memory next to them.
//!
//! An argument that is a clip gets a name that no file has; a result without a name is kept instead of written. Everything
//! else is done by [`FileHost`], so that files are as safe as on the command line.

use std::any::Any;
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;

use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::formats::{Marks, Read, ReadMarkers};
use ugoki::network::CatalogueConfig;
use ugoki::perform::Model;
use ugoki_db::{CreateConfig, Database, FoundCatalogue};
use ugoki_verbs::{Budget, Error, FileHost, Host, NewMotion, Opened, Reading, read_again};

/// Names of results that are kept as clips begin with this.
pub(crate) const NEW_CLIP: &str = "<new>/";
/// Names of results that are kept as the bytes of a file begin with this.
pub(crate) const NEW_BYTES: &str = "<bytes>/";
/// Names of clips that are given begin with this.
const GIVEN: &str = "<clip ";

/// The name of a given clip; its last part is the clip's, which files made of it are called by.
pub(crate) fn given_name(number: usize, clip: &str) -> String {
    let clip = clip.replace(['/', '\\', '#'], "-");
    format!("{GIVEN}{number}>/{}.clip", if clip.is_empty() { "clip" } else { &clip })
}

fn is_in_memory(name: &str) -> bool {
    [NEW_CLIP, NEW_BYTES, GIVEN].iter().any(|start| name.starts_with(start))
}

fn on_disk<'n>(names: &[&'n str]) -> Vec<&'n str> {
    names.iter().copied().filter(|name| !is_in_memory(name)).collect()
}

/// What a verb made.
pub(crate) enum Made {
    Clip(Box<Read>),
    Bytes(Vec<u8>),
}

/// Runs verbs on files and on clips in memory.
pub(crate) struct PythonHost<'a> {
    files: FileHost<'a>,
    given: &'a [(String, Arc<Read>)],
    /// Results in memory, in the order made.
    pub(crate) made: Vec<(String, Made)>,
}

impl<'a> PythonHost<'a> {
    pub(crate) fn new(files: FileHost<'a>, given: &'a [(String, Arc<Read>)]) -> Self {
        Self { files, given, made: Vec::new() }
    }

    fn given(&self, name: &str) -> Option<&'a Arc<Read>> {
        let given: &'a [(String, Arc<Read>)] = self.given;
        given.iter().find(|(known, _)| known == name).map(|(_, read)| read)
    }

    fn keep(&mut self, name: &str, made: Made) {
        let name = name.trim_start_matches(NEW_CLIP).trim_start_matches(NEW_BYTES).to_owned();
        self.made.push((name, made));
    }

    /// Refuses to keep in memory what only files hold.
    fn refuse_in_memory(name: &str, what: &str) -> Result<(), Error> {
        match is_in_memory(name) {
            true => Err(Error::refused(format!("{what} is kept in a file")).hint("name one as output")),
            false => Ok(()),
        }
    }
}

impl Host for PythonHost<'_> {
    fn motion(&mut self, name: &str, reading: &Reading) -> Result<Read, Error> {
        // What was found in a clip was shown when it was read.
        if self.given(name).is_some() {
            self.open(name, reading)?.motion(name)
        } else {
            self.files.motion(name, reading)
        }
    }

    fn open(&mut self, name: &str, reading: &Reading) -> Result<Opened, Error> {
        let Some(read) = self.given(name) else { return self.files.open(name, reading) };
        self.budget().check_clip(&read.clip).map_err(|error| error.in_file(name))?;
        let read = read_again(Read::clone(read), reading).map_err(|error| error.in_file(name))?;
        Ok(Opened::Motion(Box::new(read)))
    }

    fn markers(&mut self, name: &str, reading: &Reading) -> Result<Option<ReadMarkers>, Error> {
        match self.given(name) {
            Some(_) => Ok(None),
            None => self.files.markers(name, reading),
        }
    }

    fn text(&mut self, name: &str, expected: &str) -> Result<String, Error> {
        self.files.text(name, expected)
    }

    fn lines(&mut self, name: &str) -> Result<Box<dyn BufRead + Send>, Error> {
        self.files.lines(name)
    }

    fn allows_network(&self) -> bool {
        self.files.allows_network()
    }

    fn expand(&mut self, names: &[String], output: Option<&str>) -> Result<Vec<String>, Error> {
        let mut all = Vec::new();
        for name in names {
            match is_in_memory(name) {
                true => all.push(name.clone()),
                false => all.extend(self.files.expand(std::slice::from_ref(name), output)?),
            }
        }
        Ok(all)
    }

    fn is_folder(&self, name: &str) -> bool {
        !is_in_memory(name) && self.files.is_folder(name)
    }

    fn exists(&self, name: &str) -> bool {
        self.given(name).is_some() || self.files.exists(name)
    }

    fn clip_reference<'n>(&self, name: &'n str) -> Option<(&'n str, &'n str)> {
        if is_in_memory(name) { None } else { self.files.clip_reference(name) }
    }

    fn begin_run(&mut self) {
        self.files.begin_run();
    }

    fn end_run(&mut self) {
        self.files.end_run();
    }

    fn note_findings(&mut self, notes: Vec<String>) {
        self.files.note_findings(notes);
    }

    fn check_outputs(&mut self, inputs: &[&str], outputs: &[&str]) -> Result<(), Error> {
        self.files.check_outputs(&on_disk(inputs), &on_disk(outputs))
    }

    fn first_replaced(&self, names: &[[String; 2]]) -> Option<usize> {
        self.files.first_replaced(names)
    }

    fn check_folders(&self, outputs: &[&str]) -> Result<(), Error> {
        self.files.check_folders(&on_disk(outputs))
    }

    fn check_format(&self, name: &str) -> Result<(), Error> {
        if self.keeps_motion(name) { Ok(()) } else { self.files.check_format(name) }
    }

    fn keeps_motion(&self, name: &str) -> bool {
        name.starts_with(NEW_CLIP)
    }

    fn write_motion(&mut self, name: &str, motion: &NewMotion<'_>) -> Result<(), Error> {
        if name.starts_with(NEW_BYTES) {
            let stopped = self.files.stopped;
            let flow = &mut |_: f32| match stopped() {
                true => std::ops::ControlFlow::Break(()),
                false => std::ops::ControlFlow::Continue(()),
            };
            let written = motion.encode(name, flow)?;
            self.keep(name, Made::Bytes(written.bytes));
            return Ok(());
        }
        if !name.starts_with(NEW_CLIP) {
            return self.files.write_motion(name, motion);
        }
        let marks = Marks {
            contacts: motion.contacts.clone(),
            loop_frames: motion.loop_frames.clone(),
            gaps: Vec::new(),
        };
        let (format, unit_metres, up) = motion.like;
        let read = Read { format, unit_metres, up, ..Read::from_clip(motion.clip.clone(), marks) };
        self.keep(name, Made::Clip(Box::new(read)));
        Ok(())
    }

    fn write_recording(&mut self, name: &str, clip: &Clip) -> Result<(), Error> {
        match name.starts_with(NEW_CLIP) {
            true => {
                self.keep(name, Made::Clip(Box::new(Read::from_clip(clip.clone(), Marks::default()))));
                Ok(())
            }
            false => self.files.write_recording(name, clip),
        }
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        match is_in_memory(name) {
            true => {
                self.keep(name, Made::Bytes(bytes.to_vec()));
                Ok(())
            }
            false => self.files.write(name, bytes),
        }
    }

    fn create_folder(&mut self, name: &str) -> Result<(), Error> {
        if is_in_memory(name) { Ok(()) } else { self.files.create_folder(name) }
    }

    fn database(&mut self, name: &str) -> Result<Database, Error> {
        self.files.database(name)
    }

    fn database_to_write(&mut self, name: &str) -> Result<Database, Error> {
        self.files.database_to_write(name)
    }

    fn create_database(&mut self, name: &str, config: &CreateConfig) -> Result<Database, Error> {
        Self::refuse_in_memory(name, "a database")?;
        self.files.create_database(name, config)
    }

    fn build_database(
        &mut self,
        name: &str,
        config: &CreateConfig,
        fill: &mut dyn FnMut(&mut Database) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Self::refuse_in_memory(name, "a database")?;
        self.files.build_database(name, config, fill)
    }

    fn databases_in(&mut self, folder: &str) -> Result<Vec<String>, Error> {
        self.files.databases_in(folder)
    }

    fn import_paths(&mut self, names: &[String]) -> Result<Vec<PathBuf>, Error> {
        if let Some(name) = names.iter().find(|name| is_in_memory(name)) {
            return Err(Error::refused("a database takes files")
                .hint("save the clip and add the file")
                .in_file(name));
        }
        self.files.import_paths(names)
    }

    fn earlier(&mut self, name: &str) -> Option<String> {
        if is_in_memory(name) { None } else { self.files.earlier(name) }
    }

    fn remove(&mut self, name: &str) -> Result<(), Error> {
        if is_in_memory(name) { Ok(()) } else { self.files.remove(name) }
    }

    fn catalogue(
        &mut self,
        database: &str,
        config: &CatalogueConfig,
        progress: Progress<'_>,
    ) -> Result<(FoundCatalogue, bool), Error> {
        self.files.catalogue(database, config, progress)
    }

    fn model(&mut self, name: &str) -> Result<Arc<Model>, Error> {
        self.files.model(name)
    }

    fn actors(&mut self, model: &str) -> Result<Vec<Clip>, Error> {
        self.files.actors(model)
    }

    fn write_model(&mut self, name: &str, model: Model) -> Result<Vec<String>, Error> {
        Self::refuse_in_memory(name, "a model")?;
        self.files.write_model(name, model)
    }

    fn note(&mut self, text: &str) {
        self.files.note(text);
    }

    fn cached(&mut self, key: &str) -> Option<Arc<dyn Any + Send + Sync>> {
        self.files.cached(key)
    }

    fn cache(&mut self, key: &str, value: Arc<dyn Any + Send + Sync>) {
        self.files.cache(key, value);
    }

    fn budget(&self) -> Budget {
        self.files.budget()
    }
}
