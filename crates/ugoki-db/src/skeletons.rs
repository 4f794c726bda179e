//! Skeletons, each kept once.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};
use ugoki_base::skeleton::Skeleton;

use crate::Error;
use crate::hash::sha256;

/// The id of this skeleton, which is added if it is new.
pub(crate) fn keep(connection: &Connection, skeleton: &Skeleton) -> Result<i64, Error> {
    let bytes = skeleton.to_bytes();
    let hash = sha256(&bytes);
    let known = connection
        .prepare_cached("SELECT id FROM skeletons WHERE hash = ?1")?
        .query_row([hash.as_slice()], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    connection
        .prepare_cached("INSERT INTO skeletons (hash, num_joints, bytes) VALUES (?1, ?2, ?3)")?
        .execute((hash.as_slice(), skeleton.num_joints(), bytes))?;
    Ok(connection.last_insert_rowid())
}

/// The skeleton with this id.
pub(crate) fn load(connection: &Connection, id: i64) -> Result<Arc<Skeleton>, Error> {
    let bytes: Vec<u8> = connection
        .prepare_cached("SELECT bytes FROM skeletons WHERE id = ?1")?
        .query_row([id], |row| row.get(0))?;
    Skeleton::from_bytes(&bytes).map_err(|error| Error::damaged(format!("skeleton {id}: {error}")))
}

/// Forgets skeletons that nothing is on.
pub(crate) fn drop_unused(connection: &Connection) -> Result<(), Error> {
    connection.execute(
        "DELETE FROM skeletons WHERE id NOT IN (SELECT skeleton_id FROM clips) \
         AND id NOT IN (SELECT skeleton_id FROM meta)",
        [],
    )?;
    Ok(())
}
