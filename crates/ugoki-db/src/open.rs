//! Creating and opening a database.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use ugoki_base::no_progress;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::{Role, Skeleton, with_fingers};
use ugoki_files::{remove_leftovers, temporary_path};
use ugoki_motion::retarget::{RetargetConfig, RetargetError, Stance, retarget};

use crate::header::{has_journal, inspect};
use crate::schema::{APPLICATION_ID, VERSION, migrate, version};
use crate::{Error, skeletons};

/// Version of this program, kept with what it writes.
pub(crate) const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// Rate of a database by default, frames per second: what displays and engines run at.
pub const DEFAULT_FPS: f64 = 60.0;
/// Rates a database may have, frames per second.
const FPS_RANGE: std::ops::RangeInclusive<f64> = 1.0..=1000.0;
/// How long to wait for another process that writes: importing holds the lock for one file at a time.
const WAIT: Duration = Duration::from_secs(10);
/// Bytes per page: blobs of 10 to 500 kB are read fastest with 8 or 16 kB (sqlite.org/intern-v-extern-blob.html).
const PAGE: u32 = 8192;

/// Joints without which a skeleton is no target for people's motion.
const NEEDED: &[Role] = &[
    Role::Hips,
    Role::Head,
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::RightHand,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
];

/// The skeleton of a database unless the user gives one: the sample actor's 22 body joints with five fingers on each
/// hand, VRM roles and names, T-pose.
#[must_use]
pub fn default_skeleton() -> Arc<Skeleton> {
    with_fingers(&ugoki_sample::skeleton())
}

/// What every derived clip of a new database is on.
#[derive(Debug, Clone)]
pub struct CreateConfig {
    /// The skeleton.
    pub skeleton: Arc<Skeleton>,
    /// The rate, frames per second.
    pub fps: f64,
}

impl CreateConfig {
    /// Refuses a skeleton that clips cannot be moved onto.
    ///
    /// # Errors
    /// When it does not stand in its rest pose, or lacks joints.
    pub fn check_skeleton(&self) -> Result<(), Error> {
        if let Err(RetargetError::NoStance { .. }) = Stance::from_rest(&self.skeleton) {
            return Err(Error::NoStance);
        }
        if let Some(role) = NEEDED.iter().copied().find(|&role| self.skeleton.find(role).is_none()) {
            return Err(Error::Skeleton { role });
        }
        // A skeleton that no clip can be moved onto is better refused now than with every file.
        let stands = Clip::at_rest(default_skeleton(), DEFAULT_FPS, 1);
        let config = RetargetConfig::default();
        match stands.map(|clip| retarget(&clip, &self.skeleton, &config, &mut no_progress())) {
            Ok(Err(error)) => Err(Error::Target { reason: error.to_string() }),
            _ => Ok(()),
        }
    }
}

impl Default for CreateConfig {
    fn default() -> Self {
        Self { skeleton: default_skeleton(), fps: DEFAULT_FPS }
    }
}

/// What a reader may do besides reading.
#[derive(Debug, Clone, Copy)]
enum Rights {
    /// Write the file and its journal.
    Write,
    /// Write only the lock files next to it.
    Read,
    /// Nothing at all.
    Nothing,
}

/// An open motion database.
#[derive(Debug)]
pub struct Database {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    pub(crate) skeleton: Arc<Skeleton>,
    pub(crate) fps: f64,
}

impl Database {
    /// Makes a new database; the file appears whole or not at all.
    ///
    /// # Errors
    /// When the file is there already, the folder cannot be written, or the skeleton or rate cannot be a database's.
    pub fn create(path: &Path, config: &CreateConfig) -> Result<Self, Error> {
        check_config(config)?;
        if path.symlink_metadata().is_ok() {
            return Err(Error::Exists);
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(Error::Io {
                detail: "its folder does not exist; create the folder first".to_owned(),
            });
        }
        remove_leftovers(folder.unwrap_or(Path::new(".")));
        let temporary = temporary_path(path);
        let made = make(&temporary, config).and_then(|()| publish(&temporary, path));
        // Gone already when it was published.
        let _ = fs::remove_file(&temporary);
        made?;
        Self::open(path)
    }

    /// Makes a new database and fills it; the file appears when that is done, or not at all.
    ///
    /// # Errors
    /// As [`Database::create`], and when filling fails.
    pub fn build<E: From<Error>>(
        path: &Path,
        config: &CreateConfig,
        fill: impl FnOnce(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        check_config(config)?;
        if path.symlink_metadata().is_ok() {
            return Err(Error::Exists.into());
        }
        remove_leftovers(path.parent().unwrap_or(Path::new(".")));
        let temporary = temporary_path(path);
        let made = make(&temporary, config).map_err(E::from).and_then(|()| {
            let mut database = Self::open(&temporary)?;
            fill(&mut database)?;
            database.close()?;
            Ok(publish(&temporary, path)?)
        });
        for ending in ["", "-wal", "-shm"] {
            let mut file = temporary.clone().into_os_string();
            file.push(ending);
            let _ = fs::remove_file(file);
        }
        made
    }

    /// A new database that is in no file and gone when it is closed.
    ///
    /// # Errors
    /// When the skeleton or rate cannot be a database's.
    pub fn in_memory(config: &CreateConfig) -> Result<Self, Error> {
        check_config(config)?;
        let mut connection = Connection::open_in_memory()?;
        fill(&mut connection, config)?;
        Self::finish(connection, Path::new(""))
    }

    /// Opens a database to read and write, and brings it to this program's version.
    ///
    /// # Errors
    /// When the file is missing, no motion database, newer than this program, damaged, or may not be written.
    pub fn open(path: &Path) -> Result<Self, Error> {
        inspect(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        configure(&connection)?;
        let found = version(&connection)?;
        if found > VERSION {
            return Err(Error::Newer { found, known: VERSION });
        }
        if connection.is_readonly("main")? {
            return Err(Error::ReadOnly { detail: "the file or its folder is read-only".to_owned() });
        }
        if found < VERSION {
            migrate(&mut connection, VERSION)?;
        }
        Self::finish(connection, path)
    }

    /// Opens a database to read. Works concurrently with a process that writes, and in a folder that may not be
    /// written.
    ///
    /// # Errors
    /// As [`Database::open`], but for rights to write.
    pub fn open_read_only(path: &Path) -> Result<Self, Error> {
        inspect(path)?;
        // With rights to write SQLite tidies up its journal at the end; without them it may still read.
        let mut opened = Self::read_with(path, Rights::Write);
        if matches!(opened, Err(Error::ReadOnly { .. })) {
            opened = Self::read_with(path, Rights::Read);
        }
        match opened {
            // In a folder that may not be written SQLite cannot lock. No other process can write there either.
            Err(Error::ReadOnly { .. }) if !has_journal(path) => Self::read_with(path, Rights::Nothing),
            Err(Error::Older { found, known }) => Self::open(path).map_err(|error| match error {
                Error::ReadOnly { .. } => Error::Older { found, known },
                error => error,
            }),
            other => other,
        }
    }

    fn read_with(path: &Path, rights: Rights) -> Result<Self, Error> {
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = match rights {
            Rights::Write => Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_WRITE)?,
            Rights::Read => Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_ONLY)?,
            Rights::Nothing => {
                let path = path.canonicalize().map_err(|error| Error::io(&error))?;
                let flags = flags | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
                Connection::open_with_flags(immutable_uri(&path), flags)?
            }
        };
        configure(&connection)?;
        connection.pragma_update(None, "query_only", true)?;
        let found = version(&connection)?;
        if found > VERSION {
            return Err(Error::Newer { found, known: VERSION });
        }
        if found < VERSION {
            return Err(Error::Older { found, known: VERSION });
        }
        Self::finish(connection, path)
    }

    fn finish(connection: Connection, path: &Path) -> Result<Self, Error> {
        let (skeleton_id, fps): (i64, f64) =
            connection
                .query_row("SELECT skeleton_id, fps FROM meta", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if !FPS_RANGE.contains(&fps) {
            return Err(Error::damaged(format!("a rate of {fps} frames per second is not possible")));
        }
        let skeleton = skeletons::load(&connection, skeleton_id)?;
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Ok(Self { connection, path, skeleton, fps })
    }

    /// The skeleton that derived clips are on.
    #[must_use]
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// The rate of derived clips, frames per second.
    #[must_use]
    pub fn fps(&self) -> f64 {
        self.fps
    }

    /// Where the database is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many clips there are.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn num_clips(&self) -> Result<usize, Error> {
        Ok(self.connection.query_row("SELECT count(*) FROM clips", [], |row| row.get(0))?)
    }

    /// Whether no other process or connection has the database open. It is not to be written afterwards.
    ///
    /// # Errors
    /// When SQLite cannot tell.
    pub fn is_alone(&self) -> Result<bool, Error> {
        self.connection.busy_timeout(Duration::ZERO)?;
        // Only a single process may work without the shared log.
        let mode = self
            .connection
            .pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0));
        match mode.map_err(Error::from) {
            Ok(mode) => Ok(mode == "delete"),
            Err(Error::Busy) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Closes the database; without this errors of the last moment are lost.
    ///
    /// # Errors
    /// When SQLite cannot finish its work.
    pub fn close(self) -> Result<(), Error> {
        self.connection.close().map_err(|(_, error)| error.into())
    }

    /// Closes the database and deletes its file, with journals that could not be merged into it.
    pub fn delete(self) {
        let path = self.path.clone();
        drop(self);
        for ending in ["", "-wal", "-shm"] {
            let mut file = path.clone().into_os_string();
            file.push(ending);
            let _ = fs::remove_file(file);
        }
    }

    /// Whether this path names a motion database: by its content, then by its ending `.ugoki`.
    #[must_use]
    pub fn looks_like(path: &Path) -> bool {
        match inspect(path) {
            Ok(()) | Err(Error::Truncated { .. }) => true,
            Err(_) => path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ugoki")),
        }
    }
}

fn check_config(config: &CreateConfig) -> Result<(), Error> {
    if !FPS_RANGE.contains(&config.fps) {
        return Err(Error::Unfit {
            detail: format!(
                "a database cannot have {} frames per second, give {} to {}",
                config.fps,
                FPS_RANGE.start(),
                FPS_RANGE.end()
            ),
        });
    }
    config.check_skeleton()
}

/// Settings of every connection. Files come from anywhere: their schema is not trusted.
fn configure(connection: &Connection) -> Result<(), Error> {
    connection.busy_timeout(WAIT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // With a write-ahead log this loses at most the last files at a power cut, and never the database.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(())
}

fn make(path: &Path, config: &CreateConfig) -> Result<(), Error> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    fill(&mut connection, config)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(())
}

/// The tables of a new database.
fn fill(connection: &mut Connection, config: &CreateConfig) -> Result<(), Error> {
    configure(connection)?;
    connection.pragma_update(None, "page_size", PAGE)?;
    // So that the room of removed clips can be given back without rewriting the whole file.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    migrate(connection, VERSION)?;
    let skeleton_id = skeletons::keep(connection, &config.skeleton)?;
    connection.execute(
        "INSERT INTO meta (id, skeleton_id, fps, program) VALUES (1, ?1, ?2, ?3)",
        (skeleton_id, config.fps, PROGRAM),
    )?;
    Ok(())
}

/// Gives the finished file its name, unless something has that name by now.
fn publish(temporary: &Path, path: &Path) -> Result<(), Error> {
    match fs::hard_link(temporary, path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(Error::Exists),
        // Some file systems have no hard links.
        Err(_) if !path.exists() => fs::rename(temporary, path).map_err(|error| Error::io(&error)),
        result => result.map_err(|error| Error::io(&error)),
    }
}

/// SQLite's address of a file that does not change.
fn immutable_uri(path: &Path) -> String {
    let escaped: String = path
        .to_string_lossy()
        .chars()
        .map(|c| match c {
            '%' => "%25".to_owned(),
            '?' => "%3f".to_owned(),
            '#' => "%23".to_owned(),
            '\\' => "/".to_owned(),
            c => c.to_string(),
        })
        .collect();
    format!("file:{}{escaped}?immutable=1", if escaped.starts_with('/') { "" } else { "/" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_may_not_be_written_can_be_read_from() {
        let folder = tempfile::tempdir().unwrap();
        // Letters that mean something in addresses.
        let path = folder.path().join("moves #1 100%?.ugoki");
        let mut database = Database::create(&path, &CreateConfig::default()).unwrap();
        database.add_clip(&ugoki_sample::clip("nod").unwrap()).unwrap();
        database.close().unwrap();
        let alone = Database::read_with(&path, Rights::Nothing).unwrap();
        assert_eq!(alone.num_clips().unwrap(), 1);
        assert!(alone.clip(1).is_ok());
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "nothing was written next to it");
    }

    /// Whatever stance can be made of a rest pose: a database is made and takes clips, or it is not made.
    #[test]
    fn a_skeleton_that_is_taken_is_one_that_clips_can_be_moved_onto() {
        let folder = tempfile::tempdir().unwrap();
        let body = default_skeleton();
        let leg = |joint: usize| {
            [Role::LeftUpperLeg, Role::RightLowerLeg]
                .iter()
                .any(|&role| body.find(role).is_some_and(|top| joint != top && body.is_below(joint, top)))
        };
        for (number, (all, legs)) in
            [(0.0, 0.0), (-1.5, 0.0), (0.0, 2.4), (0.0, -1.4)].into_iter().enumerate()
        {
            let turned = body.joints().iter().cloned().enumerate().map(|(index, mut joint)| {
                let angle = if leg(index) { all + legs } else { all };
                joint.offset = glam::Quat::from_rotation_x(angle) * joint.offset;
                joint
            });
            let skeleton = Skeleton::build(turned.collect()).unwrap();
            let path = folder.path().join(format!("{number}.ugoki"));
            match Database::create(&path, &CreateConfig { skeleton, fps: 60.0 }) {
                Ok(mut database) => {
                    let id = database.add_clip(&ugoki_sample::clip("nod").unwrap()).unwrap();
                    assert!(database.clip(id).is_ok(), "{all} {legs}: {:?}", database.clip(id));
                }
                Err(error) => {
                    assert!(
                        matches!(error, Error::NoStance | Error::Target { .. }) && number > 0,
                        "{all} {legs}: {error}"
                    );
                    assert!(error.hint().is_some() && !path.exists());
                }
            }
        }
    }

    #[test]
    fn the_default_skeleton_has_body_and_fingers() {
        let skeleton = default_skeleton();
        assert_eq!(skeleton.num_joints(), 22 + 30);
        assert!(skeleton.joints().iter().all(|joint| joint.role.is_some()));
        assert!(ugoki_base::skeleton::is_t_pose(&skeleton, &skeleton.rest_positions()));
    }
}
