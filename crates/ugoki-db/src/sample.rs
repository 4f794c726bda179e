//! The sample database: the sample actor's motions, built on first use and kept in the user's cache.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use ugoki_files::{remove_leftovers, system_message, temporary_path};

use crate::derive::DERIVED_VERSION;
use crate::open::PROGRAM;
use crate::{CreateConfig, Database, Error, schema};

/// Opens the sample database; builds it when it is missing, damaged, or of another version of the program.
///
/// Several processes may do this at once: each builds its own and the last one's stays, all being equal. Where nothing
/// can be kept it is built in memory, and `tell` gets a sentence about that.
///
/// # Errors
/// When it cannot be built at all.
pub fn sample_database(tell: &mut dyn FnMut(&str)) -> Result<Database, Error> {
    let folder = cache_folder();
    sample_database_in(&folder).or_else(|error| {
        let database = fill(Database::in_memory(&CreateConfig::default())?)?;
        tell(&format!(
            "the sample database is built again each time, as {} cannot store it: {error}; \
             set XDG_CACHE_HOME to a folder that may be written",
            folder.display()
        ));
        Ok(database)
    })
}

/// [`sample_database`] in a folder of the caller's choice.
///
/// # Errors
/// When the folder cannot be made or written.
pub fn sample_database_in(folder: &Path) -> Result<Database, Error> {
    let path = folder.join(file_name());
    if let Ok(database) = Database::open_read_only(&path)
        && database.num_clips().is_ok_and(|clips| clips == ugoki_sample::motions().len())
    {
        return Ok(database);
    }
    fs::create_dir_all(folder).map_err(|error| Error::Io { detail: system_message(&error) })?;
    remove_leftovers(folder);
    let temporary = temporary_path(&path);
    let built = build(&temporary);
    let placed = built.and_then(|()| fs::rename(&temporary, &path).map_err(|error| Error::io(&error)));
    if placed.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    placed?;
    forget_others(folder, &path);
    Database::open_read_only(&path)
}

fn build(path: &Path) -> Result<(), Error> {
    // Left by a process of the same number that was killed.
    let _ = fs::remove_file(path);
    fill(Database::create(path, &CreateConfig::default())?)?.close()
}

fn fill(mut database: Database) -> Result<Database, Error> {
    for clip in ugoki_sample::clips() {
        database.add_clip(&clip)?;
    }
    Ok(database)
}

/// Says by its name what it was made by.
fn file_name() -> String {
    format!("sample-{PROGRAM}-{}.{DERIVED_VERSION}.ugoki", schema::VERSION)
}

/// Removes sample databases of other versions. One that is open elsewhere stays readable there.
fn forget_others(folder: &Path, keep: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path != keep && name.starts_with("sample-") && name.ends_with(".ugoki") {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Where programs keep what they can make again.
fn cache_folder() -> PathBuf {
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = variable("XDG_CACHE_HOME")
        .or_else(|| if cfg!(windows) { variable("LOCALAPPDATA") } else { None })
        .or_else(|| {
            let home = variable("HOME")?;
            Some(home.join(if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" }))
        })
        // Without a home there is still a place that is cleaned by itself.
        .unwrap_or_else(env::temp_dir);
    base.join("ugoki")
}
