//! What verbs need of the program that runs them. The command line, the studio and Python are hosts.

use std::any::Any;
use std::io::BufRead;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use ugoki::Progress;
use ugoki::clip::{Clip, UpAxis};
use ugoki::contact::FootContacts;
use ugoki::formats::{self, Format, Read, ReadError, ReadMarkers, WriteOptions, Written};
use ugoki::network::CatalogueConfig;
use ugoki::perform::Model;
use ugoki_db::{CreateConfig, Database, FoundCatalogue};

use crate::error::InFile as _;
use crate::findings::finding_notes;
use crate::{Error, Reading};

/// What a job may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Memory that inputs and results may take, bytes.
    pub memory_bytes: u64,
    /// Threads that may work at once.
    pub threads: usize,
}

impl Default for Budget {
    /// 8 GiB, and the threads of [`ugoki::threads`].
    fn default() -> Self {
        Self { memory_bytes: 8 << 30, threads: ugoki::threads::count() }
    }
}

/// Bytes of a clip in memory for each joint and frame: position and rotation.
const CLIP_BYTES: u64 = 28;

/// Bytes for each joint and frame while a motion is made and written, from the peak memory with 22 joints: `convert --fps` takes 80, `loop` 190,
/// `splice` 330.
const RESULT_BYTES: u64 = 330;

impl Budget {
    /// Refuses a clip of a database that is larger than the memory of the job.
    ///
    /// # Errors
    /// When it is.
    pub fn check_clip(&self, clip: &Clip) -> Result<(), Error> {
        let values = (clip.num_frames() as u64).saturating_mul(clip.skeleton().num_joints() as u64);
        match self.memory_bytes {
            memory_bytes if values.saturating_mul(CLIP_BYTES) > memory_bytes => {
                Err(Error::TooLarge { memory_bytes })
            }
            _ => Ok(()),
        }
    }

    /// Refuses a result on the skeleton of `clip` before it is made when that would take more than the memory of the job.
    ///
    /// # Errors
    /// When it would.
    pub(crate) fn check_result(&self, frames: f64, clip: &Clip) -> Result<(), Error> {
        // Too large a number of frames saturates.
        let (frames, joints) = (frames as u64, clip.skeleton().num_joints());
        let bytes = frames.saturating_mul(joints as u64).saturating_mul(RESULT_BYTES);
        match self.memory_bytes {
            memory_bytes if bytes > memory_bytes => {
                Err(Error::ResultTooLarge { frames, joints, bytes, memory_bytes })
            }
            _ => Ok(()),
        }
    }
}

/// A clip that was read before, such as one of a database, as the user asked to read it. Options about files do not apply.
///
/// # Errors
/// When such an option is given.
pub fn read_again(mut read: Read, reading: &Reading) -> Result<Read, Error> {
    let of_files = [
        ("--offset", reading.offset.is_some()),
        ("--source-up", reading.source_up.is_some()),
        ("--source-unit", reading.source_unit.is_some()),
        ("--source-fps", reading.source_fps.is_some()),
        ("--take", reading.take.is_some()),
        ("--asf", reading.asf.is_some()),
        ("--markers", reading.markers.is_some()),
    ];
    if let Some((option, _)) = of_files.into_iter().find(|(_, given)| *given) {
        let message = "says how a file is read; a clip of a database or in memory is read already";
        return Err(Error::option(option, message).hint(format!("leave {option} out")));
    }
    reading.apply_to(&mut read);
    Ok(read)
}

/// What a file gave: a motion, or markers and why no motion came of them.
#[derive(Debug)]
pub enum Opened {
    /// A motion.
    Motion(Box<Read>),
    /// Markers without a body.
    Markers(Box<ReadMarkers>, ReadError),
}

impl Opened {
    /// The motion.
    ///
    /// # Errors
    /// When there are only markers.
    pub fn motion(self, name: &str) -> Result<Read, Error> {
        match self {
            Self::Motion(read) => Ok(*read),
            Self::Markers(_, error) => Err(Error::from(error).in_file(name)),
        }
    }
}

/// A motion to be written.
#[derive(Debug, Clone)]
pub struct NewMotion<'a> {
    /// The poses.
    pub clip: &'a Clip,
    /// Format, unit and up axis of the input, which a file of the same format keeps.
    pub like: (Format, f64, UpAxis),
    /// Frames in which heels and toes stand: left, right.
    pub contacts: Option<[FootContacts; 2]>,
    /// Frames that repeat.
    pub loop_frames: Option<Range<usize>>,
    /// Whether a reference frame in front also goes to formats that play.
    pub keep_reference: bool,
}

impl<'a> NewMotion<'a> {
    /// A motion made from `read`.
    #[must_use]
    pub fn new(clip: &'a Clip, read: &Read) -> Self {
        let like = (read.format, read.unit_metres, read.up);
        Self { clip, like, contacts: None, loop_frames: None, keep_reference: false }
    }

    /// The bytes of a file of this name, in the format of its ending.
    ///
    /// # Errors
    /// When the ending is unknown, the format cannot hold the motion, or the caller stops.
    pub fn encode(&self, name: &str, progress: Progress<'_>) -> Result<Written, Error> {
        let format = format_to_write(name)?;
        let options = WriteOptions {
            contacts: self.contacts.clone(),
            loop_frames: self.loop_frames.clone(),
            keep_reference: self.keep_reference,
            ..WriteOptions::like(format, self.like)
        };
        formats::write(self.clip, format, &options, progress).in_file(name)
    }
}

/// Reads inputs, writes outputs, and carries the limits of a job.
///
/// Outputs are safe in every host: an input is never overwritten unless the user allows it, and a file is either written
/// whole or not at all.
///
/// # Errors
/// Methods that return a result fail when a name means nothing that this host can use, when reading or writing fails, or when the
/// user stops. What a host does not offer at all it refuses: that is what the methods with a body do here.
pub trait Host {
    /// The motion that a name means: a file, `-`, or a clip of a database as `moves.ugoki#walk`. The user sees the errors
    /// found in it, and how many warnings there are.
    fn motion(&mut self, name: &str, reading: &Reading) -> Result<Read, Error> {
        let read = self.open(name, reading)?.motion(name)?;
        self.note_findings(finding_notes(name, &read.findings));
        Ok(read)
    }

    /// As [`Host::motion`]; markers that no motion comes of are also accepted.
    fn open(&mut self, name: &str, reading: &Reading) -> Result<Opened, Error>;

    /// The points of a marker file; `None` for other files.
    fn markers(&mut self, name: &str, reading: &Reading) -> Result<Option<ReadMarkers>, Error>;

    /// A text file that an option names; `expected` says what it should hold.
    fn text(&mut self, name: &str, expected: &str) -> Result<String, Error>;

    /// The lines of a text as they arrive: a file, or `-` for standard input.
    fn lines(&mut self, name: &str) -> Result<Box<dyn BufRead + Send>, Error> {
        Err(Error::refused("lines are not read here").in_file(name))
    }

    /// Whether verbs may open sockets.
    fn allows_network(&self) -> bool {
        false
    }

    /// The motion files behind names, folders and patterns, each folder sorted. Files in the folder `output` are results,
    /// not inputs.
    fn expand(&mut self, names: &[String], output: Option<&str>) -> Result<Vec<String>, Error>;

    /// Whether a name is a folder of this host.
    fn is_folder(&self, name: &str) -> bool;

    /// Whether there is a file or folder of this name.
    fn exists(&self, _name: &str) -> bool {
        false
    }

    /// The database and the clip that `moves.ugoki#walk` means; the clip is empty when only a database is named.
    fn clip_reference<'n>(&self, _name: &'n str) -> Option<(&'n str, &'n str)> {
        None
    }

    /// Begins a run: what an earlier one read may be written again.
    fn begin_run(&mut self) {}

    /// Ends a run that succeeded.
    fn end_run(&mut self) {}

    /// Receives lines on the findings of an input. The user sees them if the run succeeds; an error is one line.
    fn note_findings(&mut self, notes: Vec<String>) {
        notes.iter().for_each(|note| self.note(note));
    }

    /// Declares what a run reads and writes before it reads anything: refuses an output that is also an input, and an input
    /// that can be read only once and is named twice.
    fn check_outputs(&mut self, inputs: &[&str], outputs: &[&str]) -> Result<(), Error>;

    /// The first of several inputs with results whose result would replace a later input before that is read.
    fn first_replaced(&self, _names: &[[String; 2]]) -> Option<usize> {
        None
    }

    /// Refuses files in folders that do not exist; before anything is read.
    fn check_folders(&self, _outputs: &[&str]) -> Result<(), Error> {
        Ok(())
    }

    /// Refuses a name whose ending no motion can be written in; before anything is read.
    fn check_format(&self, _name: &str) -> Result<(), Error> {
        Ok(())
    }

    /// Whether the motion of this name is kept as it is and not written as a file.
    fn keeps_motion(&self, _name: &str) -> bool {
        false
    }

    /// Writes a motion in the format of the name's ending.
    fn write_motion(&mut self, name: &str, motion: &NewMotion<'_>) -> Result<(), Error>;

    /// Writes a motion that came from a live stream: Y up, in the usual unit of the format. Stopping is how a recording
    /// ends, so it is also written after the user asked to stop.
    fn write_recording(&mut self, name: &str, clip: &Clip) -> Result<(), Error> {
        let format = format_to_write(name)?;
        let like = (format, format.usual_unit_metres(), UpAxis::Y);
        self.write_motion(
            name,
            &NewMotion { clip, like, contacts: None, loop_frames: None, keep_reference: false },
        )
    }

    /// Makes sure that a file of this name can be written, before a recording begins that cannot be repeated.
    fn check_writable(&mut self, _name: &str) -> Result<(), Error> {
        Ok(())
    }

    /// The file in which a recording to `name` is kept while it goes on: the file itself where its format can grow. `None` where
    /// nothing can be kept.
    fn journal(&self, _name: &str) -> Option<String> {
        None
    }

    /// Begins a journal with these bytes, also after the user asked to stop; replaces the file.
    fn begin_journal(&mut self, name: &str, _bytes: &[u8]) -> Result<(), Error> {
        Err(Error::refused("recordings are not kept here").in_file(name))
    }

    /// Appends to a journal, then writes `count` over the bytes at `at`; both have reached the disk when this returns.
    fn append_journal(&mut self, name: &str, _bytes: &[u8], _at: u64, _count: &[u8]) -> Result<(), Error> {
        Err(Error::refused("recordings are not kept here").in_file(name))
    }

    /// Writes a file.
    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error>;

    /// Makes a folder to write into; an existing one is kept.
    fn create_folder(&mut self, name: &str) -> Result<(), Error>;

    /// Opens a database to read.
    fn database(&mut self, name: &str) -> Result<Database, Error>;

    /// Opens a database to change it.
    fn database_to_write(&mut self, name: &str) -> Result<Database, Error> {
        Err(Error::refused("databases are not changed here").in_file(name))
    }

    /// Makes an empty database.
    fn create_database(&mut self, name: &str, _config: &CreateConfig) -> Result<Database, Error> {
        Err(Error::refused("databases are not made here").in_file(name))
    }

    /// Makes a database and fills it; it appears when that is done, or not at all.
    fn build_database(
        &mut self,
        name: &str,
        _config: &CreateConfig,
        _fill: &mut dyn FnMut(&mut Database) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Err(Error::refused("databases are not made here").in_file(name))
    }

    /// The databases in a folder, sorted by name.
    fn databases_in(&mut self, folder: &str) -> Result<Vec<String>, Error> {
        Err(Error::refused("folders of databases are not read here").in_file(folder))
    }

    /// Files and folders to import into a database; patterns are expanded, folders are not.
    fn import_paths(&mut self, _names: &[String]) -> Result<Vec<PathBuf>, Error> {
        Err(Error::refused("files are not imported here"))
    }

    /// The catalogue of a database's clips and their networks, built or brought up to date; whether it is stored there.
    fn catalogue(
        &mut self,
        database: &str,
        config: &CatalogueConfig,
        progress: Progress<'_>,
    ) -> Result<(FoundCatalogue, bool), Error>;

    /// A performance model that was written before.
    fn model(&mut self, name: &str) -> Result<Arc<Model>, Error>;

    /// The actors' motions of a performance model that is to be added to; empty when there is no such model yet.
    fn actors(&mut self, _model: &str) -> Result<Vec<Clip>, Error> {
        Ok(Vec::new())
    }

    /// Writes a performance model; returns the names of its motions there.
    fn write_model(&mut self, _name: &str, model: Model) -> Result<Vec<String>, Error>;

    /// The text of a result of an earlier run, which this run replaces.
    fn earlier(&mut self, _name: &str) -> Option<String> {
        None
    }

    /// Removes a result of an earlier run; one that is gone already is no error.
    fn remove(&mut self, _name: &str) -> Result<(), Error> {
        Ok(())
    }

    /// Receives a candidate of `compose` as soon as it is rendered, while others are still made. `number` counts from 0; a
    /// later search replaces the candidates of an earlier one. `report` gives what it is made of.
    fn candidate(&mut self, _number: usize, _count: usize, _clip: &Clip, _report: &dyn Fn() -> Value) {}

    /// Shows a line to the user.
    fn note(&mut self, text: &str);

    /// A value that an earlier run kept under this key.
    fn cached(&mut self, _key: &str) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }

    /// Keeps a value for later runs, if the host lives that long.
    fn cache(&mut self, _key: &str, _value: Arc<dyn Any + Send + Sync>) {}

    /// What the job may use.
    fn budget(&self) -> Budget;
}

/// Lower-case ending of a name.
#[must_use]
pub fn extension(name: &str) -> Option<String> {
    Path::new(name).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase())
}

/// Name without folder and ending; of a clip in a database, the clip's.
#[must_use]
pub fn stem(name: &str) -> String {
    if let Some((database, clip)) = name.rsplit_once('#').filter(|(_, clip)| !clip.is_empty())
        && (extension(database).as_deref() == Some("ugoki") || database == "sample")
    {
        // The name becomes that of a file: it must not lead to another folder.
        return clip.replace([':', '/', '\\'], "-");
    }
    match name {
        "-" => "stdin".to_owned(),
        _ => Path::new(name)
            .file_stem()
            .map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned()),
    }
}

/// The format that a file of this name is written in; standard output is BVH.
///
/// # Errors
/// When the ending is unknown or its format is only read.
pub fn format_to_write(name: &str) -> Result<Format, Error> {
    if name == "-" {
        return Ok(Format::Bvh);
    }
    let format = extension(name).and_then(|ending| Format::from_extension(&ending));
    match format {
        Some(format) if format.is_written() => Ok(format),
        Some(format) => Err(Error::from(ugoki::formats::WriteError::ReadOnly { format }).in_file(name)),
        None => {
            let endings = Format::all().filter(|format| format.is_written());
            let endings: Vec<String> = endings.map(|format| format!(".{}", format.extension())).collect();
            Err(Error::refused("has an ending that cannot be written")
                .hint(format!("use {}", endings.join(", ")))
                .in_file(name))
        }
    }
}
