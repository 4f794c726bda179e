//! Motion networks: read from a database, brought up to date, kept there again.

use std::path::Path;

use ugoki::clip::Clip;
use ugoki::job::db::Selection;
use ugoki::job::network::{Building, parse_layers};
use ugoki::network::{Catalogue, Changes, ClipMark, Layers, NetworkError, content_mark};
use ugoki_db::Database;

use crate::database::{failure, is_sample, open};
use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::{files, output};

/// What networks are kept as in a database.
const KIND: &str = "network";

/// A catalogue with what was done to get it.
pub(crate) struct Found {
    pub(crate) catalogue: Catalogue,
    /// What was new or gone since it was stored.
    pub(crate) changes: Option<Changes>,
    /// Whether it is kept in the database now.
    pub(crate) stored: bool,
    pub(crate) database: Database,
}

/// The layers that the user named, by word or by file.
pub(crate) fn layers(building: &Building) -> Result<Layers, Failure> {
    if let Some(layers) = building.named_layers() {
        return Ok(layers);
    }
    let name = &building.layers;
    if !Path::new(name).exists() {
        return Err(Failure::new(format!("{name:?} is neither a set of layers nor a file"))
            .hint("use upper-lower, full, head-arms-legs or a file with layers"));
    }
    let text = String::from_utf8(files::bytes(name)?)
        .map_err(|_| Failure::of_file(name, &"is not text, expected layers as TOML or JSON"))?;
    parse_layers(&text).map_err(|(line, message)| {
        let failure = Failure::of_file(name, &message).line(line.and_then(|line| u32::try_from(line).ok()));
        failure.hint("layers have names and roles such as spine.twist; see docs/methods/compose.md")
    })
}

/// The catalogue of a database by these settings: as stored, brought up to date, or built; then kept there where it may be written.
pub(crate) fn find(name: &str, building: &Building, layers: Layers) -> Result<Found, Failure> {
    let fail = |error: &ugoki_db::Error| failure(name, error);
    let config = building.config(layers);
    let key = config.name();
    let database = open(name)?;
    let rows = database.list(&Selection::default()).map_err(|error| fail(&error))?;
    let mut marks = Vec::with_capacity(rows.len());
    let mut tags = Vec::with_capacity(rows.len());
    for row in rows.iter().filter(|row| row.derived) {
        let packed = database.packed(row.id).map_err(|error| fail(&error))?;
        let mark = content_mark(&packed.to_bytes());
        marks.push(ClipMark { id: row.id, name: row.name.clone(), mark });
        tags.push((row.id, row.tags.clone()));
    }
    if marks.is_empty() {
        let found = if rows.is_empty() { "has no clips" } else { "has no clips on its own skeleton" };
        return Err(Failure::of_file(name, &found).hint("add motion with `ugoki db add`"));
    }
    let kept = database.built(KIND, &key).map_err(|error| fail(&error))?;
    let kept = kept.filter(|built| built.version == u32::from(Catalogue::BYTES_VERSION));
    // What cannot be read is built again.
    let kept = kept.and_then(|built| Catalogue::from_bytes(&built.bytes).ok());
    let bar = Bar::start("network");
    let mut load = |mark: &ClipMark| load(&database, mark.id, &mark.name);
    let (mut catalogue, changes, fresh) = match kept {
        Some(kept) if kept.config() == &config => {
            let (catalogue, changes) = kept
                .updated(&marks, &mut load, &mut |share| bar.step(share))
                .map_err(|e| of_network(name, &e))?;
            (catalogue, Some(changes), changes.added + changes.removed > 0)
        }
        _ => {
            let catalogue = Catalogue::build(&config, &marks, &mut load, &mut |share| bar.step(share))
                .map_err(|error| of_network(name, &error))?;
            (catalogue, None, true)
        }
    };
    drop(bar);
    let (stored, database) = if fresh { keep(name, &key, &catalogue, database) } else { (true, database) };
    let own =
        |clip: &ClipMark| tags.iter().find(|(id, _)| *id == clip.id).map_or_else(Vec::new, |t| t.1.clone());
    let tags: Vec<Vec<String>> = catalogue.clips().iter().map(own).collect();
    catalogue.set_tags(&tags);
    Ok(Found { catalogue, changes, stored, database })
}

/// Keeps a catalogue; a database that cannot be written only makes the next run slower.
fn keep(name: &str, key: &str, catalogue: &Catalogue, database: Database) -> (bool, Database) {
    if is_sample(name) {
        return (false, database);
    }
    let written = Database::open(Path::new(name)).and_then(|mut writable| {
        writable.put_built(KIND, key, u32::from(Catalogue::BYTES_VERSION), &catalogue.to_bytes())?;
        writable.close()
    });
    if let Err(error) = &written {
        output::note(&format!("{name}: the network is not kept: {error}"));
    }
    (written.is_ok(), database)
}

fn load(database: &Database, id: i64, name: &str) -> Result<Clip, NetworkError> {
    database.clip(id).map_err(|error| NetworkError::Load { name: name.to_owned(), what: error.to_string() })
}

/// A network's error as the user sees it.
pub(crate) fn of_network(name: &str, error: &NetworkError) -> Failure {
    match error {
        NetworkError::Cancelled(_) => Failure::new("cancelled"),
        error => Failure::of_job(name, &ugoki::job::Error::Network(error.to_string())),
    }
}
