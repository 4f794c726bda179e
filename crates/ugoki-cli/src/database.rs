//! Clips inside databases where a motion file is expected: `moves.ugoki#walk`, `moves.ugoki#id:17`.

use std::path::Path;

use ugoki::clip::UpAxis;
use ugoki::formats::{Format, Read};
use ugoki::job::Reading;
use ugoki::skeleton::body_height;
use ugoki_db::{Database, Error};

use crate::failure::Failure;
use crate::output;

/// Names shown when a database is named without a clip.
const SHOWN: usize = 3;

/// A name that means a clip in a database: the database and the clip, which is empty when none is named.
pub(crate) fn reference(name: &str) -> Option<(&str, &str)> {
    let is_database =
        |path: &str| Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ugoki"));
    if Path::new(name).exists() {
        return (is_database(name) && Path::new(name).is_file()).then_some((name, ""));
    }
    // Names of clips hold no `#`, folders may.
    match name.rsplit_once('#') {
        Some((database, clip)) if is_database(database) => Some((database, clip)),
        _ => is_database(name).then_some((name, "")),
    }
}

/// The clip that a reference means: on the database's skeleton and rate, or as it came if it has no such form.
pub(crate) fn motion(database: &str, clip: &str, reading: &Reading) -> Result<Read, Failure> {
    let fail = |error: &Error| failure(database, error);
    let opened = Database::open_read_only(Path::new(database)).map_err(|error| fail(&error))?;
    if clip.is_empty() {
        return Err(no_clip(database, &opened));
    }
    let id = opened.find(clip).map_err(|error| fail(&error))?;
    let clip = match opened.clip(id) {
        Ok(clip) => clip,
        Err(Error::Underived { name, reason }) => {
            output::note(&format!(
                "{database}#{name}: kept only on its own skeleton ({reason}); that is what is used"
            ));
            reading.apply(opened.source(id).map_err(|error| fail(&error))?)
        }
        Err(error) => return Err(fail(&error)),
    };
    Ok(Read {
        format: Format::Database,
        findings: Vec::new(),
        unit_metres: 1.0,
        unit_name: "m".to_owned(),
        height_metres: body_height(clip.skeleton()).map(f64::from),
        up: UpAxis::Y,
        frame_time: 1.0 / clip.fps(),
        takes: Vec::new(),
        markers: None,
        clip,
    })
}

fn no_clip(database: &str, opened: &Database) -> Failure {
    let rows = opened.list(&ugoki::job::db::Selection::default()).unwrap_or_default();
    let names: Vec<String> = rows.iter().take(SHOWN).map(|row| format!("{database}#{}", row.name)).collect();
    let hint = if names.is_empty() {
        "it is empty: add motion with `ugoki db add`".to_owned()
    } else {
        format!("for example {}", names.join(", "))
    };
    Failure::of_file(database, &"is a database, name a clip in it").hint(hint)
}

/// An error of a database as the user sees it.
pub(crate) fn failure(database: &str, error: &Error) -> Failure {
    if *error == Error::Cancelled {
        return Failure::new("cancelled");
    }
    let failure = Failure::of_file(database, error);
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
