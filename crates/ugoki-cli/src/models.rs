//! Performance models: a database with the actors' clips and, for each, what was learned.

use std::path::Path;
use std::sync::Arc;

use ugoki::clip::Clip;
use ugoki::perform::Model;
use ugoki_db::{CreateConfig, DEFAULT_FPS, Database, PERFORMANCE as KIND, default_skeleton};
use ugoki_verbs::perform::same_skeleton;

use crate::database::failure;
use crate::failure::Failure;
use crate::output;

/// Refuses actors who do not fit those that a model has, before anything is learned.
pub(crate) fn check_actor(path: &Path, actor: &Clip) -> Result<(), Failure> {
    if !path.exists() {
        return Ok(());
    }
    let shown = path.to_string_lossy();
    let fail = |error: &ugoki_db::Error| failure(&shown, error);
    let database = Database::open_read_only(path).map_err(|error| fail(&error))?;
    for name in database.built_names(KIND).map_err(|error| fail(&error))? {
        // One whose clip is gone is none; reading the model tells it.
        let Ok(known) = database.find(&name).and_then(|id| database.source(id)) else { continue };
        same_skeleton(&known, actor).map_err(|error| Failure::of_job(&shown, &error))?;
    }
    Ok(())
}

/// Puts a model into a database, which is made if it is not there; gives the names its motions have there. A motion whose
/// very clip is in the database already uses that one.
pub(crate) fn write(path: &Path, model: &Model) -> Result<Vec<String>, Failure> {
    let shown = path.to_string_lossy();
    let fail = |error: &ugoki_db::Error| failure(&shown, error);
    let mut database = if path.exists() {
        Database::open(path)
    } else {
        Database::create(path, &CreateConfig { skeleton: default_skeleton(), fps: DEFAULT_FPS })
    }
    .map_err(|error| fail(&error))?;
    let mut names = Vec::new();
    for (number, motion) in model.motions.iter().enumerate() {
        let known = match database.find(motion.name()) {
            Ok(id) => database.source(id).is_ok_and(|clip| clip == *motion.clip).then_some(id),
            Err(_) => None,
        };
        let id = match known {
            Some(id) => id,
            None => database.add_clip(&motion.clip).map_err(|error| fail(&error))?,
        };
        let name = database.name(id).map_err(|error| fail(&error))?;
        let version = u32::from(Model::BYTES_VERSION);
        database
            .put_built(KIND, &name, version, &model.motion_bytes(number))
            .map_err(|error| fail(&error))?;
        names.push(name);
    }
    database.close().map_err(|error| fail(&error))?;
    Ok(names)
}

/// All motions of a database that were learned, or the one of `moves.ugoki#kick`.
pub(crate) fn read(shown: &str) -> Result<Model, Failure> {
    let (file, only) = match shown.rsplit_once('#') {
        Some((file, name)) if !Path::new(shown).exists() => (file, Some(name)),
        _ => (shown, None),
    };
    let fail = |error: &ugoki_db::Error| failure(file, error);
    let database = Database::open_read_only(Path::new(file)).map_err(|error| match error {
        ugoki_db::Error::NotADatabase { .. } => {
            Failure::of_file(file, &"not a model").hint("name a file that `ugoki perform learn` wrote")
        }
        error => fail(&error),
    })?;
    let mut names = database.built_names(KIND).map_err(|error| fail(&error))?;
    if let Some(only) = only {
        if !names.iter().any(|name| name == only) {
            let found = format!("{only:?} was not learned");
            let known = format!("learned are: {}", names.join(", "));
            return Err(Failure::of_file(file, &found).hint(&known));
        }
        names.retain(|name| name == only);
    }
    let mut model: Option<Model> = None;
    for name in names {
        let Some(built) = database.built(KIND, &name).map_err(|error| fail(&error))? else { continue };
        let id = match database.find(&name) {
            Ok(id) => id,
            Err(_) if only.is_none() => {
                output::note(&format!(
                    "what was learned of {name:?} is left out: its clip is gone from {file}"
                ));
                continue;
            }
            Err(error) => return Err(fail(&error)),
        };
        let clip = Arc::new(database.source(id).map_err(|error| fail(&error))?);
        let (roles, motion) = Model::motion_from_bytes(&built.bytes, clip).map_err(|error| {
            let found = format!("what was learned of {name:?} cannot be read: {error}");
            Failure::of_file(shown, &found).hint("learn it again with `ugoki perform learn`")
        })?;
        match &mut model {
            None => model = Some(Model { roles, motions: vec![motion] }),
            Some(model) if model.roles == roles => model.motions.push(motion),
            Some(_) => {
                let found = format!("{name:?} was learned with other points than the motions before it");
                return Err(Failure::of_file(shown, &found).hint(
                    "learn all motions in one run, so that they share the points that all bodies have",
                ));
            }
        }
    }
    model.ok_or_else(|| {
        Failure::of_file(shown, &"holds no performance model")
            .hint("make one with `ugoki perform learn ACTOR IMITATION -o MODEL`")
    })
}
