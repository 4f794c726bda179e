//! Motion networks: read from a database, brought up to date, kept there again.

use std::path::Path;

use ugoki::network::{Catalogue, Changes, Layers, NetworkError};
use ugoki_db::{CatalogueError, Database};
use ugoki_verbs::network::{Building, parse_layers};

use crate::database::{failure, is_sample, open};
use crate::failure::Failure;
use crate::interrupt::Bar;
use crate::{files, output};

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
    let database = open(name)?;
    let bar = Bar::start("network");
    let found = database.catalogue(&building.config(layers), &mut |share| bar.step(share));
    drop(bar);
    let found = found.map_err(|error| match error {
        CatalogueError::Database(error) => failure(name, &error),
        CatalogueError::Network(error) => of_network(name, &error),
        error @ CatalogueError::NoClips { unusable: true } => Failure::of_file(name, &error)
            .hint("its clips are kept only on skeletons of their own (`ugoki db list` says why); add motion of people, or make a database with that skeleton by `ugoki db create --skeleton`"),
        error @ CatalogueError::NoClips { .. } => {
            Failure::of_file(name, &error).hint("add motion with `ugoki db add`")
        }
    })?;
    let stored = !found.fresh || keep(name, &found.catalogue);
    Ok(Found { catalogue: found.catalogue, changes: found.changes, stored, database })
}

/// Keeps a catalogue; a database that cannot be written only makes the next run slower.
fn keep(name: &str, catalogue: &Catalogue) -> bool {
    if is_sample(name) {
        return false;
    }
    let written = Database::open(Path::new(name)).and_then(|mut writable| {
        writable.keep_catalogue(catalogue)?;
        writable.close()
    });
    if let Err(error) = &written {
        output::note(&format!("{name}: the network is not kept: {error}"));
    }
    written.is_ok()
}

/// A network's error as the user sees it.
pub(crate) fn of_network(name: &str, error: &NetworkError) -> Failure {
    match error {
        NetworkError::Cancelled(_) => Failure::new("cancelled"),
        error => Failure::of_job(name, &ugoki_verbs::Error::Network(error.to_string())),
    }
}
