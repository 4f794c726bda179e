//! Performance models in files: a database with the actors' clips and, for each, what was learned.

use std::path::Path;

use ugoki::clip::Clip;
use ugoki::perform::Model;
use ugoki_db::{CreateConfig, DEFAULT_FPS, Database, default_skeleton};

use crate::Error;
use crate::error::InFile as _;

/// The actors' clips of a model; none when there is no such file.
pub(super) fn actors(name: &str) -> Result<Vec<Clip>, Error> {
    let path = Path::new(name);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let actors = Database::open_read_only(path).and_then(|database| database.actors());
    actors.in_file(name)
}

/// Puts a model into a database, which is made if it is not there; returns the names that its motions have there.
pub(super) fn write(name: &str, model: &Model) -> Result<Vec<String>, Error> {
    let path = Path::new(name);
    let opened = match path.exists() {
        true => Database::open(path),
        false => Database::create(path, &CreateConfig { skeleton: default_skeleton(), fps: DEFAULT_FPS }),
    };
    let names = opened.and_then(|mut database| {
        let names = database.put_model(model)?;
        database.close()?;
        Ok(names)
    });
    names.in_file(name)
}

/// All motions of a database that were learned, or the one of `moves.ugoki#kick`.
pub(super) fn read(shown: &str, note: &mut dyn FnMut(&str)) -> Result<Model, Error> {
    let (file, only) = match shown.rsplit_once('#') {
        Some((file, name)) if !Path::new(shown).exists() => (file, Some(name)),
        _ => (shown, None),
    };
    let database = Database::open_read_only(Path::new(file)).map_err(|error| match error {
        ugoki_db::Error::NotADatabase { .. } => {
            Error::refused("not a model").hint("name a file that `ugoki perform learn` wrote").in_file(file)
        }
        error => Error::from(error).in_file(file),
    })?;
    let (model, gone) = database.model(only).in_file(file)?;
    for name in gone {
        note(&format!("what was learned of {name:?} is left out: its clip is gone from {file}"));
    }
    Ok(model)
}
