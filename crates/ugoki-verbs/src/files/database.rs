//! Clips inside databases where a motion file is expected: `moves.ugoki#walk`, `moves.ugoki#id:17`.

use std::path::Path;

use ugoki::formats::{Marks, Read};
use ugoki::network::Catalogue;
use ugoki_db::{CreateConfig, Database, Error as DatabaseError, Selection, sample_database};

use crate::error::InFile as _;
use crate::host::{Budget, extension, read_again};
use crate::{Error, Reading};

/// Names shown when a database is named without a clip.
const SHOWN: usize = 3;

/// The name of the built-in database; a file or folder of this name goes first.
const SAMPLE: &str = "sample";

/// Ending of databases, with the mark that a clip's name follows.
const MARK: &str = ".ugoki#";

/// A name that means a clip in a database: the database and the clip, which is empty when none is named.
pub(super) fn reference(name: &str) -> Option<(&str, &str)> {
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

/// Whether a database's name means the built-in one.
pub(super) fn is_sample(database: &str) -> bool {
    database == SAMPLE && !Path::new(SAMPLE).exists()
}

/// Opens a database to read: a file, or the built-in one.
pub(super) fn open(name: &str, note: &mut dyn FnMut(&str)) -> Result<Database, Error> {
    let opened = match is_sample(name) {
        true => sample_database(&mut |text| note(&format!("{SAMPLE}: {text}"))),
        false => Database::open_read_only(Path::new(name)),
    };
    opened.in_file(name)
}

/// Opens a database to change it; the built-in one is only read.
pub(super) fn open_to_write(name: &str) -> Result<Database, Error> {
    refuse_sample(name)?;
    Database::open(Path::new(name)).in_file(name)
}

/// Makes a database.
pub(super) fn create(name: &str, config: &CreateConfig) -> Result<Database, Error> {
    check_new_name(name)?;
    Database::create(Path::new(name), config).in_file(name)
}

/// Makes a database that appears when it is filled.
pub(super) fn build(
    name: &str,
    config: &CreateConfig,
    fill: &mut dyn FnMut(&mut Database) -> Result<(), Error>,
) -> Result<(), Error> {
    check_new_name(name)?;
    Database::build(Path::new(name), config, fill).in_file(name)
}

/// A database's name ends in `.ugoki`, by which other verbs recognise `moves.ugoki#walk` as a clip.
fn check_new_name(name: &str) -> Result<(), Error> {
    refuse_sample(name)?;
    match extension(name).as_deref() {
        Some("ugoki") => Ok(()),
        _ => {
            Err(Error::refused("the name of a new database ends in .ugoki, or its clips could not be named")
                .hint(format!("call it {}.ugoki", name.trim_end_matches('.')))
                .in_file(name))
        }
    }
}

fn refuse_sample(name: &str) -> Result<(), Error> {
    if !is_sample(name) {
        return Ok(());
    }
    Err(Error::refused("is the built-in database, which is only read")
        .hint("give the name of a file of your own, such as moves.ugoki")
        .in_file(name))
}

/// The clips that a reference with a pattern means, each as a reference of its own; `None` for other names.
pub(super) fn matching(name: &str, note: &mut dyn FnMut(&str)) -> Option<Result<Vec<String>, Error>> {
    let (database, pattern) = reference(name).filter(|(_, clip)| clip.contains(['*', '?', '[']))?;
    let mut named = || {
        let opened = open(database, note)?;
        let selection = Selection { clips: vec![pattern.to_owned()], ..Selection::default() };
        let rows = opened.list(&selection).in_file(database)?;
        Ok(rows.into_iter().map(|row| format!("{database}#{}", row.name)).collect())
    };
    Some(named())
}

/// The clip that a reference means: on the database's skeleton and rate, or as it came if it has no such form.
pub(super) fn motion(
    database: &str,
    clip: &str,
    reading: &Reading,
    budget: &Budget,
    note: &mut dyn FnMut(&str),
) -> Result<Read, Error> {
    let opened = open(database, note)?;
    if clip.is_empty() {
        return Err(no_clip(database, &opened));
    }
    let shown = format!("{database}#{clip}");
    let id = opened.find(clip).in_file(database)?;
    let mut marks = Marks::default();
    let clip = match opened.clip(id) {
        Ok(clip) => {
            marks.contacts = opened.contacts(id).in_file(database)?.map(|contacts| contacts.feet);
            marks.loop_frames = opened.loop_frames(id).in_file(database)?;
            clip
        }
        Err(DatabaseError::Underived { name, reason }) => {
            note(&format!(
                "{database}#{name}: kept only on its own skeleton ({reason}); that is what is used"
            ));
            opened.source(id).in_file(database)?
        }
        Err(error) => return Err(error).in_file(database),
    };
    budget.check_clip(&clip).in_file(&shown)?;
    read_again(Read::from_clip(clip, marks), reading).in_file(&shown)
}

fn no_clip(database: &str, opened: &Database) -> Error {
    let rows = opened.list(&Selection::default()).unwrap_or_default();
    let names: Vec<String> = rows.iter().take(SHOWN).map(|row| format!("{database}#{}", row.name)).collect();
    let hint = if names.is_empty() {
        "it is empty: add motion with `ugoki db add`".to_owned()
    } else {
        format!("for example {}", names.join(", "))
    };
    Error::refused("is a database, name a clip in it").hint(hint).in_file(database)
}

/// Keeps a catalogue in its database; one that cannot be written only makes the next run slower.
pub(super) fn keep_catalogue(name: &str, catalogue: &Catalogue, note: &mut dyn FnMut(&str)) -> bool {
    if is_sample(name) {
        return false;
    }
    let written = Database::open(Path::new(name)).and_then(|mut writable| {
        writable.keep_catalogue(catalogue)?;
        writable.close()
    });
    if let Err(error) = &written {
        note(&format!("{name}: the network is not kept: {error}"));
    }
    written.is_ok()
}
