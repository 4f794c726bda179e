//! The tables and how an older database becomes a newer one.
//!
//! Each version has one script that turns the version before into it; version 1's makes the tables of an empty
//! file. Scripts that were released never change. The tables are described in `docs/formats/database.md`.

use rusqlite::{Connection, TransactionBehavior};

use crate::Error;

/// `UGOK`: marks the SQLite file as ours; `file` and our own opening look at it.
pub const APPLICATION_ID: u32 = 0x5547_4F4B;

/// Scripts by version, the first making version 1.
const MIGRATIONS: &[&str] =
    &[include_str!("0001_clips.sql"), include_str!("0002_built.sql"), include_str!("0003_given.sql")];

/// The version this program writes.
pub const VERSION: i64 = MIGRATIONS.len() as i64;

/// The version of an open database.
pub(crate) fn version(connection: &Connection) -> Result<i64, Error> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Brings a database from whatever version it has (0: an empty file) to `target`, one transaction per step, so that
/// an interrupted migration goes on where it stopped.
pub(crate) fn migrate(connection: &mut Connection, target: i64) -> Result<(), Error> {
    loop {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Read inside the transaction: another process may have migrated meanwhile.
        let found = version(&transaction)?;
        if found > VERSION {
            return Err(Error::Newer { found, known: VERSION });
        }
        let Some(script) = usize::try_from(found).ok().and_then(|index| MIGRATIONS.get(index)) else {
            if found == VERSION {
                return Ok(());
            }
            return Err(Error::damaged(format!("the version {found} is impossible")));
        };
        if found >= target {
            return Ok(());
        }
        transaction.execute_batch(script)?;
        transaction.pragma_update(None, "user_version", found + 1)?;
        transaction.commit()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CreateConfig, Database, skeletons};
    use ugoki_base::no_progress;

    /// A database as the program of version `target` made it, with one clip in it.
    fn create_version(path: &std::path::Path, target: i64) {
        let mut connection = Connection::open(path).unwrap();
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL").unwrap();
        connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        migrate(&mut connection, target).unwrap();
        assert_eq!(version(&connection).unwrap(), target);
        let skeleton = skeletons::keep(&connection, &crate::default_skeleton()).unwrap();
        connection
            .execute("INSERT INTO meta (id, skeleton_id, fps, program) VALUES (1, ?1, 60.0, '0')", [skeleton])
            .unwrap();
        let clip = ugoki_sample::clip("nod").unwrap();
        let own = skeletons::keep(&connection, clip.skeleton()).unwrap();
        connection
            .execute(
                "INSERT INTO clips (name, take, skeleton_id, fps, frames, tpose, motion_seconds, fingerprint, underived) \
                 VALUES ('nod', 0, ?1, 60.0, ?2, 0, 1.0, x'', 'too old')",
                (own, clip.num_frames()),
            )
            .unwrap();
        let bytes = crate::blob::fold(&clip).unwrap();
        connection.execute("INSERT INTO sources (clip_id, bytes) VALUES (1, ?1)", [bytes]).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    }

    #[test]
    fn every_earlier_version_becomes_the_newest_and_keeps_its_clips() {
        for from in 1..VERSION {
            for read_only in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("old.ugoki");
                create_version(&path, from);
                let database =
                    if read_only { Database::open_read_only(&path) } else { Database::open(&path) }.unwrap();
                assert_eq!(version(&database.connection).unwrap(), VERSION);
                let id = database.find("nod").unwrap();
                assert_eq!(
                    database.source(id).unwrap().rotations(),
                    ugoki_sample::clip("nod").unwrap().rotations()
                );
                drop(database);
                let mut database = Database::open(&path).unwrap();
                database.put_built("network", "n", 1, &[1]).unwrap();
                database.add_clip(&ugoki_sample::clip("wave").unwrap()).unwrap();
                assert!(!database.built("network", "n").unwrap().unwrap().is_current);
                let report = database.check(&mut no_progress()).unwrap();
                assert!(report.sound, "{report:?}");
            }
        }
    }

    /// The tables of a new database are those of an old one brought up to date.
    #[test]
    fn migrated_and_new_databases_have_the_same_tables() {
        let folder = tempfile::tempdir().unwrap();
        let tables = |database: &Database| -> Vec<String> {
            let mut query = database
                .connection
                .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
                .unwrap();
            query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        let old = folder.path().join("old.ugoki");
        create_version(&old, 1);
        let new = Database::create(&folder.path().join("new.ugoki"), &CreateConfig::default()).unwrap();
        assert_eq!(tables(&Database::open(&old).unwrap()), tables(&new));
    }

    #[test]
    fn impossible_versions_are_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "user_version", -3).unwrap();
        assert!(migrate(&mut connection, VERSION).is_err());
        connection.pragma_update(None, "user_version", VERSION + 1).unwrap();
        assert_eq!(
            migrate(&mut connection, VERSION),
            Err(Error::Newer { found: VERSION + 1, known: VERSION })
        );
    }
}
