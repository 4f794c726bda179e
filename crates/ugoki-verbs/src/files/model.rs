//! Performance models: a database with the actors' clips and, for each, what was learned.

use std::path::Path;
use std::sync::Arc;

use ugoki::clip::Clip;
use ugoki::perform::Model;
use ugoki_db::{CreateConfig, DEFAULT_FPS, Database, PERFORMANCE as KIND, default_skeleton};

use crate::Error;

/// The actors' clips of a model; none when there is no such file.
pub(super) fn actors(name: &str) -> Result<Vec<Clip>, Error> {
    let path = Path::new(name);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let fail = |error: ugoki_db::Error| Error::from(error).in_file(name);
    let database = Database::open_read_only(path).map_err(fail)?;
    let names = database.built_names(KIND).map_err(fail)?;
    // A motion whose clip was removed has no actor; reading the model reports it.
    Ok(names.iter().filter_map(|name| database.source(database.find(name).ok()?).ok()).collect())
}

/// Puts a model into a database, which is made if it is not there; returns the names that its motions have there. A motion
/// whose very clip is in the database already uses that one.
pub(super) fn write(name: &str, model: &Model) -> Result<Vec<String>, Error> {
    let path = Path::new(name);
    let fail = |error: ugoki_db::Error| Error::from(error).in_file(name);
    let opened = match path.exists() {
        true => Database::open(path),
        false => Database::create(path, &CreateConfig { skeleton: default_skeleton(), fps: DEFAULT_FPS }),
    };
    let mut database = opened.map_err(fail)?;
    let mut names = Vec::new();
    for (number, motion) in model.motions.iter().enumerate() {
        let known = match database.find(motion.name()) {
            Ok(id) => database.source(id).is_ok_and(|clip| clip == *motion.clip).then_some(id),
            Err(_) => None,
        };
        let id = match known {
            Some(id) => id,
            None => database.add_clip(&motion.clip).map_err(fail)?,
        };
        let stored = database.name(id).map_err(fail)?;
        let version = u32::from(Model::BYTES_VERSION);
        database.put_built(KIND, &stored, version, &model.motion_bytes(number)).map_err(fail)?;
        names.push(stored);
    }
    database.close().map_err(fail)?;
    Ok(names)
}

/// All motions of a database that were learned, or the one of `moves.ugoki#kick`.
pub(super) fn read(shown: &str, note: &mut dyn FnMut(&str)) -> Result<Model, Error> {
    let (file, only) = match shown.rsplit_once('#') {
        Some((file, name)) if !Path::new(shown).exists() => (file, Some(name)),
        _ => (shown, None),
    };
    let fail = |error: ugoki_db::Error| Error::from(error).in_file(file);
    let database = Database::open_read_only(Path::new(file)).map_err(|error| match error {
        ugoki_db::Error::NotADatabase { .. } => {
            Error::refused("not a model").hint("name a file that `ugoki perform learn` wrote").in_file(file)
        }
        error => fail(error),
    })?;
    let mut names = database.built_names(KIND).map_err(fail)?;
    if let Some(only) = only {
        if !names.iter().any(|name| name == only) {
            return Err(Error::refused(format!("{only:?} was not learned"))
                .hint(format!("learned are: {}", names.join(", ")))
                .in_file(file));
        }
        names.retain(|name| name == only);
    }
    let mut model: Option<Model> = None;
    for name in names {
        let Some(built) = database.built(KIND, &name).map_err(fail)? else { continue };
        let id = match database.find(&name) {
            Ok(id) => id,
            Err(_) if only.is_none() => {
                note(&format!("what was learned of {name:?} is left out: its clip is gone from {file}"));
                continue;
            }
            Err(error) => return Err(fail(error)),
        };
        let clip = Arc::new(database.source(id).map_err(fail)?);
        let (roles, motion) = Model::motion_from_bytes(&built.bytes, clip).map_err(|error| {
            Error::refused(format!("what was learned of {name:?} cannot be read: {error}"))
                .hint("learn it again with `ugoki perform learn`")
                .in_file(shown)
        })?;
        match &mut model {
            None => model = Some(Model { roles, motions: vec![motion] }),
            Some(model) if model.roles == roles => model.motions.push(motion),
            Some(_) => {
                return Err(Error::refused(format!(
                    "{name:?} was learned with other points than the motions before it"
                ))
                .hint("learn all motions in one run, so that they share the points that all bodies have")
                .in_file(shown));
            }
        }
    }
    model.ok_or_else(|| {
        Error::refused("holds no performance model")
            .hint("make one with `ugoki perform learn ACTOR IMITATION -o MODEL`")
            .in_file(shown)
    })
}
