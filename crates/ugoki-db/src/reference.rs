//! Names of databases and of clips in them, as users type them: `moves.ugoki#walk`, `moves.ugoki#id:17`, `sample#walk`.

use std::path::Path;

use ugoki_base::clip::Clip;
use ugoki_formats::Marks;
use ugoki_perform::Model;

use crate::{CreateConfig, Database, Error, ModelError, Selection, sample_database};

/// The name of the built-in database; a file or folder of this name goes first.
const SAMPLE: &str = "sample";

/// Ending of databases, with the mark that a clip's name follows.
const MARK: &str = ".ugoki#";

/// Names shown when a database is named without a clip.
const SHOWN: usize = 3;

/// A name that means a clip in a database: the database and the clip, which is empty when none is named.
#[must_use]
pub fn clip_reference(name: &str) -> Option<(&str, &str)> {
    if Path::new(name).exists() {
        return (is_database_name(name) && Path::new(name).is_file()).then_some((name, ""));
    }
    if is_sample(name.split('#').next().unwrap_or(name)) {
        return Some(name.split_once('#').unwrap_or((name, "")));
    }
    // The last mark: folders may have one in their names, clips have not.
    match name.to_ascii_lowercase().rfind(MARK) {
        Some(at) => Some((&name[..at + MARK.len() - 1], &name[at + MARK.len()..])),
        None => is_database_name(name).then_some((name, "")),
    }
}

/// Whether a database's name means the built-in one.
#[must_use]
pub fn is_sample(database: &str) -> bool {
    database == SAMPLE && !Path::new(SAMPLE).exists()
}

fn is_database_name(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ugoki"))
}

/// A clip as verbs read it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadClip {
    /// On the database's skeleton and rate; as it came if it has no such form.
    pub clip: Clip,
    /// What is marked on it.
    pub marks: Marks,
    /// Why it has no form on the database's skeleton.
    pub underived: Option<Error>,
}

impl Database {
    /// Opens a database to read by its name: a file, or `sample` for the built-in one. `tell` gets a sentence when that cannot
    /// be stored.
    ///
    /// # Errors
    /// As [`Database::open_read_only`].
    pub fn open_named(name: &str, tell: &mut dyn FnMut(&str)) -> Result<Self, Error> {
        match is_sample(name) {
            true => sample_database(&mut |text| tell(&format!("{SAMPLE}: {text}"))),
            false => Self::open_read_only(Path::new(name)),
        }
    }

    /// Opens a database to change it by its name; the built-in one is only read.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn open_named_to_change(name: &str) -> Result<Self, Error> {
        if is_sample(name) { Err(Error::BuiltIn) } else { Self::open(Path::new(name)) }
    }

    /// Makes a database, see [`Database::check_new_name`].
    ///
    /// # Errors
    /// As [`Database::create`].
    pub fn create_named(name: &str, config: &CreateConfig) -> Result<Self, Error> {
        Self::check_new_name(name)?;
        Self::create(Path::new(name), config)
    }

    /// The name of a new database ends in `.ugoki`, by which [`clip_reference`] recognises `moves.ugoki#walk`.
    ///
    /// # Errors
    /// When it has another ending, or means the built-in database.
    pub fn check_new_name(name: &str) -> Result<(), Error> {
        match name {
            _ if is_sample(name) => Err(Error::BuiltIn),
            _ if is_database_name(name) => Ok(()),
            _ => Err(Error::Ending { better: format!("{}.ugoki", name.trim_end_matches('.')) }),
        }
    }

    /// The clip of `database#clip`; without a clip's name the error has examples.
    ///
    /// # Errors
    /// When there is no such clip.
    pub fn find_named(&self, database: &str, clip: &str) -> Result<i64, Error> {
        if !clip.is_empty() {
            return self.find(clip);
        }
        let rows = self.list(&Selection::default()).unwrap_or_default();
        let examples = rows.iter().take(SHOWN).map(|row| format!("{database}#{}", row.name)).collect();
        Err(Error::NoClipNamed { examples })
    }

    /// A clip as verbs read it, with its marks.
    ///
    /// # Errors
    /// When there is no such clip, or it is damaged.
    pub fn read_clip(&self, id: i64) -> Result<ReadClip, Error> {
        match self.clip(id) {
            Ok(clip) => {
                let contacts = self.contacts(id)?.map(|contacts| contacts.feet);
                let marks = Marks { contacts, loop_frames: self.loop_frames(id)?, ..Marks::default() };
                Ok(ReadClip { clip, marks, underived: None })
            }
            Err(error @ Error::Underived { .. }) => {
                Ok(ReadClip { clip: self.source(id)?, marks: Marks::default(), underived: Some(error) })
            }
            Err(error) => Err(error),
        }
    }

    /// Puts a model into the database of this name, which is made if it is not there; as [`Database::put_model`].
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn write_model(name: &str, model: &Model) -> Result<Vec<String>, Error> {
        let path = Path::new(name);
        let mut database = match path.exists() {
            true => Self::open(path)?,
            false => Self::create(path, &CreateConfig::default())?,
        };
        let names = database.put_model(model)?;
        database.close()?;
        Ok(names)
    }

    /// The model that a name means: all motions of a database that were learned, or the one of `moves.ugoki#kick`; as
    /// [`Database::model`]. Also returns the database's name.
    ///
    /// # Errors
    /// When there is no such model; with the database's name.
    pub fn read_model(name: &str) -> Result<(Model, Vec<String>, &str), (ModelError, &str)> {
        let (file, only) = match name.rsplit_once('#') {
            Some((file, only)) if !Path::new(name).exists() => (file, Some(only)),
            _ => (name, None),
        };
        let opened = Self::open_read_only(Path::new(file)).map_err(|error| match error {
            Error::NotADatabase { .. } => ModelError::NoModel,
            error => error.into(),
        });
        let read = opened.and_then(|database| database.model(only));
        read.map(|(model, gone)| (model, gone, file)).map_err(|error| (error, file))
    }
}
