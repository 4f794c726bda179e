//! Room for what is built from clips: segments with their coefficients, networks, performance models.
//!
//! The bytes belong to the library's modules, which know their layout by `kind` and `version`; the database keeps them,
//! says whether the clips have changed since, and forgets segments with their clip.

use rusqlite::OptionalExtension;

use crate::import::begin;
use crate::{Database, Error};

/// The kind of what was learned of an actor's clip, kept under the clip's name.
pub const PERFORMANCE: &str = "performance";

/// An interval of a clip with the data a module stores for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSegment {
    /// First frame of the derived clip.
    pub start: usize,
    /// Frame after the last.
    pub end: usize,
    /// Version of `bytes`.
    pub version: u32,
    /// The module's own.
    pub bytes: Vec<u8>,
}

/// Something built from many clips.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// Version of `bytes`.
    pub version: u32,
    /// Whether no clip was added, changed or removed since it was built.
    pub is_current: bool,
    /// The module's own.
    pub bytes: Vec<u8>,
}

impl Database {
    /// Keeps the segments of a clip that a module cut, in place of its earlier ones.
    ///
    /// # Errors
    /// When there is no such clip, a segment is empty, or the database cannot be written.
    pub fn put_segments(&mut self, clip: i64, kind: &str, segments: &[StoredSegment]) -> Result<(), Error> {
        self.name(clip)?;
        if let Some(empty) = segments.iter().find(|segment| segment.start >= segment.end) {
            return Err(Error::Unfit { detail: format!("segment {}:{} is empty", empty.start, empty.end) });
        }
        let transaction = begin(&mut self.connection)?;
        transaction.execute("DELETE FROM segments WHERE clip_id = ?1 AND kind = ?2", (clip, kind))?;
        for segment in segments {
            transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO segments (clip_id, kind, start, \"end\", version, bytes) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute((clip, kind, segment.start, segment.end, segment.version, &segment.bytes))?;
        }
        Ok(transaction.commit()?)
    }

    /// The segments of a clip that a module cut, in order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn segments(&self, clip: i64, kind: &str) -> Result<Vec<StoredSegment>, Error> {
        let mut query = self.connection.prepare_cached(
            "SELECT start, \"end\", version, bytes FROM segments WHERE clip_id = ?1 AND kind = ?2 ORDER BY start, \"end\"",
        )?;
        let rows = query.query_map((clip, kind), |row| {
            Ok(StoredSegment {
                start: row.get(0)?,
                end: row.get(1)?,
                version: row.get(2)?,
                bytes: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Keeps something built from the clips as they are now, in place of an earlier one of that name.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn put_built(&mut self, kind: &str, name: &str, version: u32, bytes: &[u8]) -> Result<(), Error> {
        self.connection.execute(
            "INSERT INTO built (kind, name, version, generation, bytes) \
             VALUES (?1, ?2, ?3, (SELECT generation FROM meta), ?4) \
             ON CONFLICT (kind, name) DO UPDATE SET version = ?3, generation = excluded.generation, bytes = ?4",
            (kind, name, version, bytes),
        )?;
        Ok(())
    }

    /// Something built earlier; `None` when there is none of that name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn built(&self, kind: &str, name: &str) -> Result<Option<Built>, Error> {
        let mut query = self.connection.prepare_cached(
            "SELECT version, generation = (SELECT generation FROM meta), bytes FROM built WHERE kind = ?1 AND name = ?2",
        )?;
        let found = query.query_row((kind, name), |row| {
            Ok(Built { version: row.get(0)?, is_current: row.get(1)?, bytes: row.get(2)? })
        });
        Ok(found.optional()?)
    }

    /// Forgets everything of a kind whose bytes are of another version.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn remove_built_by_others(&mut self, kind: &str, version: u32) -> Result<(), Error> {
        self.connection.execute("DELETE FROM built WHERE kind = ?1 AND version <> ?2", (kind, version))?;
        Ok(())
    }

    /// Names of everything of a kind that was built, sorted.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn built_names(&self, kind: &str) -> Result<Vec<String>, Error> {
        let mut query =
            self.connection.prepare_cached("SELECT name FROM built WHERE kind = ?1 ORDER BY name")?;
        Ok(query.query_map([kind], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// Forgets something that was built; says whether it was there.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn remove_built(&mut self, kind: &str, name: &str) -> Result<bool, Error> {
        Ok(self.connection.execute("DELETE FROM built WHERE kind = ?1 AND name = ?2", (kind, name))? > 0)
    }
}
