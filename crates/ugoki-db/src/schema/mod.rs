//! The tables and how an older database becomes a newer one.
//!
//! Each version has one script that turns the version before into it; version 1's makes the tables of an empty
//! file. Scripts that were released never change. The tables are told in `docs/formats/database.md`.

use rusqlite::{Connection, TransactionBehavior};

use crate::Error;

/// `UGOK`: marks the SQLite file as ours; `file` and our own opening look at it.
pub const APPLICATION_ID: u32 = 0x5547_4F4B;

/// Scripts by version, the first making version 1.
const MIGRATIONS: &[&str] = &[include_str!("0001_clips.sql"), include_str!("0002_built.sql")];

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
