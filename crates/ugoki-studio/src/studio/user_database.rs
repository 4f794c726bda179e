//! The default database: a copy of the sample database, so that results can be kept in it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use ugoki_db::{CreateConfig, Database, Error, sample_database};
use ugoki_files::replace_file;

/// File name of the user's own database.
const NAME: &str = "studio.ugoki";

/// Opens the user's own database; made from the sample motions the first time.
///
/// # Errors
/// When it cannot be made or opened.
pub fn own_database(tell: &mut dyn FnMut(&str)) -> Result<Database, Error> {
    own_database_in(&data_folder(), tell)
}

/// [`own_database`] in a folder of the caller's choice.
///
/// # Errors
/// When it cannot be made or opened.
pub fn own_database_in(folder: &Path, tell: &mut dyn FnMut(&str)) -> Result<Database, Error> {
    let path = folder.join(NAME);
    if path.exists() {
        return Database::open(&path);
    }
    let io = |error: std::io::Error| Error::Io { detail: error.to_string() };
    fs::create_dir_all(folder).map_err(io)?;
    let sample = sample_database(tell)?;
    if sample.path().is_file() {
        fs::read(sample.path()).and_then(|bytes| replace_file(&path, &bytes)).map_err(io)?;
        return Database::open(&path);
    }
    let mut database = Database::create(&path, &CreateConfig::default())?;
    for clip in ugoki::sample::clips() {
        database.add_clip(&clip)?;
    }
    Ok(database)
}

/// Where programs keep what is the user's.
fn data_folder() -> PathBuf {
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = variable("XDG_DATA_HOME")
        .or_else(|| if cfg!(windows) { variable("APPDATA") } else { None })
        .or_else(|| {
            let home = variable("HOME")?;
            Some(home.join(if cfg!(target_os = "macos") {
                "Library/Application Support"
            } else {
                ".local/share"
            }))
        })
        .unwrap_or_else(env::temp_dir);
    base.join("ugoki")
}
