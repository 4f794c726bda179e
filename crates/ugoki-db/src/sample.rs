//! The sample database: the sample actor's motions, built on first use and kept in the user's cache.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::derive::DERIVED_VERSION;
use crate::open::{PROGRAM, temporary_beside};
use crate::{CreateConfig, Database, Error, schema};

/// Opens the sample database; builds it when it is missing, damaged, or of another version of the program.
///
/// Several processes may do this at once: each builds its own and the last one's stays, all being equal.
///
/// # Errors
/// When there is no folder to keep it in.
pub fn sample_database() -> Result<Database, Error> {
    sample_database_in(&cache_folder())
}

/// [`sample_database`] in a folder of the caller's choice.
///
/// # Errors
/// When the folder cannot be made or written.
pub fn sample_database_in(folder: &Path) -> Result<Database, Error> {
    let path = folder.join(file_name());
    if let Ok(database) = Database::open_read_only(&path)
        && database.num_clips().is_ok_and(|clips| clips == ugoki::sample::motions().len())
    {
        return Ok(database);
    }
    fs::create_dir_all(folder).map_err(|error| Error::io(&error))?;
    let temporary = temporary_beside(&path);
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
    let mut database = Database::create(path, &CreateConfig::default())?;
    for clip in ugoki::sample::clips() {
        database.add_clip(&clip)?;
    }
    database.close()
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
