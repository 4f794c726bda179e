//! Clips inside databases where a motion file is expected: `moves.ugoki#walk`, `moves.ugoki#id:17`.

use std::path::Path;

use ugoki::clip::{Clip, UpAxis};
use ugoki::formats::{Format, Marks, Read};
use ugoki::skeleton::body_height;
use ugoki_db::{Database, Error, sample_database};
use ugoki_verbs::Reading;
use ugoki_verbs::db::Selection;

use crate::failure::Failure;
use crate::output;

/// Clips looked at when one is chosen by a tag.
const MOST_TAGGED: usize = 64;

/// Names shown when a database is named without a clip.
const SHOWN: usize = 3;

/// The name of the database that is built in; a file or folder of this name goes before.
const SAMPLE: &str = "sample";

/// Ending of databases, with the mark that a clip's name follows.
const MARK: &str = ".ugoki#";

/// A name that means a clip in a database: the database and the clip, which is empty when none is named.
pub(crate) fn reference(name: &str) -> Option<(&str, &str)> {
    let is_database =
        |path: &str| Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ugoki"));
    if Path::new(name).exists() {
        return (is_database(name) && Path::new(name).is_file()).then_some((name, ""));
    }
    if is_sample(name.split('#').next().unwrap_or(name)) {
        return Some(name.split_once('#').unwrap_or((name, "")));
    }
    // The last mark: folders may have one in their names, clips have not.
    match name.to_ascii_lowercase().rfind(MARK) {
        Some(at) => Some((&name[..at + MARK.len() - 1], &name[at + MARK.len()..])),
        None => is_database(name).then_some((name, "")),
    }
}

/// Whether a database's name means the one that is built in.
pub(crate) fn is_sample(database: &str) -> bool {
    database == SAMPLE && !Path::new(SAMPLE).exists()
}

/// Opens a database to read: a file, or the one that is built in.
pub(crate) fn open(name: &str) -> Result<Database, Failure> {
    let opened = match is_sample(name) {
        true => sample_database(&mut |note| output::note(&format!("{SAMPLE}: {note}"))),
        false => Database::open_read_only(Path::new(name)),
    };
    opened.map_err(|error| failure(name, &error))
}

/// The clips that a reference with a pattern means, each as a reference of its own; `None` for other names.
pub(crate) fn matching(name: &str) -> Option<Result<Vec<String>, Failure>> {
    let (database, pattern) = reference(name).filter(|(_, clip)| clip.contains(['*', '?', '[']))?;
    let named = || {
        let opened = open(database)?;
        let selection = ugoki_verbs::db::Selection { clips: vec![pattern.to_owned()], ..Default::default() };
        let rows = opened.list(&selection).map_err(|error| failure(database, &error))?;
        Ok(rows.into_iter().map(|row| format!("{database}#{}", row.name)).collect())
    };
    Some(named())
}

/// The clip that a reference means: on the database's skeleton and rate, or as it came if it has no such form.
pub(crate) fn motion(database: &str, clip: &str, reading: &Reading) -> Result<Read, Failure> {
    let fail = |error: &Error| failure(database, error);
    let opened = open(database)?;
    if clip.is_empty() {
        return Err(no_clip(database, &opened));
    }
    if reading.take.is_some() {
        let message = "is one motion of a database, so there is nothing for --take to choose";
        return Err(Failure::of_file(&format!("{database}#{clip}"), &message).hint("leave --take out"));
    }
    let id = opened.find(clip).map_err(|error| fail(&error))?;
    let mut marks = Marks::default();
    let clip = match opened.clip(id) {
        Ok(clip) => {
            let contacts = opened.contacts(id).map_err(|error| fail(&error))?;
            marks.contacts = contacts.map(|contacts| contacts.feet);
            marks.loop_frames = opened.loop_frames(id).map_err(|error| fail(&error))?;
            clip
        }
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
        marks,
        clip,
    })
}

/// Clips with a tag, on the database's skeleton and rate, at most [`MOST_TAGGED`] of them.
pub(crate) fn tagged(database: &str, tag: &str) -> Result<Vec<Clip>, Failure> {
    let fail = |error: &Error| failure(database, error);
    let opened = open(database)?;
    let selection = Selection { tags: vec![tag.to_owned()], ..Selection::default() };
    let rows = opened.list(&selection).map_err(|error| fail(&error))?;
    let clips: Vec<Clip> = (rows.iter().take(MOST_TAGGED))
        .filter_map(|row| {
            let mut clip = opened.clip(row.id).ok()?;
            clip.name.clone_from(&row.name);
            Some(clip)
        })
        .collect();
    if clips.is_empty() {
        let hint = format!(
            "tag one with `ugoki db tag {database} NAME --add {tag}`, or name a clip as {database}#NAME"
        );
        return Err(Failure::of_file(database, &format!("has no clip with the tag {tag:?}")).hint(hint));
    }
    Ok(clips)
}

fn no_clip(database: &str, opened: &Database) -> Failure {
    let rows = opened.list(&ugoki_verbs::db::Selection::default()).unwrap_or_default();
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
