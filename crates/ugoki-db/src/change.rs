//! Tags put on and taken off, clips thrown out, derived forms made again.

use ugoki_base::no_progress;

use crate::{RemoveReport, Selection, TaggedClip};
use ugoki_base::Progress;

use crate::derive::{DERIVED_VERSION, derive};
use crate::import::{begin, put_derived, put_tags, touch};
use crate::segments_and_models::PERFORMANCE;
use crate::tag::normal_tags;
use crate::{Database, Error, skeletons};

impl Database {
    /// Puts the user's tags on clips and takes others off.
    ///
    /// # Errors
    /// When a tag cannot be kept or the database cannot be written.
    pub fn tag(&mut self, ids: &[i64], add: &[String], remove: &[String]) -> Result<Vec<TaggedClip>, Error> {
        let add = normal_tags(add)?;
        let transaction = begin(&mut self.connection)?;
        for &id in ids {
            put_tags(&transaction, id, add.iter().map(String::as_str), false)?;
            let mut delete =
                transaction.prepare_cached("DELETE FROM tags WHERE clip_id = ?1 AND tag = ?2")?;
            for tag in remove {
                delete.execute((id, tag.to_lowercase()))?;
            }
        }
        transaction.commit()?;
        ids.iter().map(|&id| Ok(TaggedClip { name: self.name(id)?, tags: self.tags(id, false)? })).collect()
    }

    /// Removes clips, with the performance models that were learned from them, and gives their room back.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn remove(&mut self, ids: &[i64]) -> Result<RemoveReport, Error> {
        let bytes_before = self.bytes()?;
        let removed = ids.iter().map(|&id| self.name(id)).collect::<Result<Vec<_>, _>>()?;
        // What was learned of an actor cannot be played without his clip.
        let learned = self.built_names(PERFORMANCE)?;
        let models: Vec<String> = removed.iter().filter(|name| learned.contains(name)).cloned().collect();
        let transaction = begin(&mut self.connection)?;
        for name in &models {
            transaction.execute("DELETE FROM built WHERE kind = ?1 AND name = ?2", (PERFORMANCE, name))?;
        }
        for id in ids {
            transaction
                .prepare_cached(
                    "INSERT OR IGNORE INTO removed_takes (file_id, take) \
                     SELECT file_id, take FROM clips WHERE id = ?1 AND file_id IS NOT NULL",
                )?
                .execute([id])?;
            transaction.prepare_cached("DELETE FROM clips WHERE id = ?1")?.execute([id])?;
        }
        // Remembered, so that importing their folder again does not bring them back.
        transaction.execute(
            "UPDATE files SET status = 'removed', licence_id = NULL WHERE status = 'imported' \
             AND NOT EXISTS (SELECT 1 FROM clips WHERE file_id = files.id)",
            [],
        )?;
        transaction.execute(
            "DELETE FROM licences WHERE id NOT IN (SELECT licence_id FROM files WHERE licence_id IS NOT NULL)",
            [],
        )?;
        skeletons::drop_unused(&transaction)?;
        touch(&transaction)?;
        transaction.commit()?;
        self.compact()?;
        Ok(RemoveReport { removed, models, bytes_before, bytes_after: self.bytes()? })
    }

    /// Gives unused pages back to the system.
    fn compact(&mut self) -> Result<(), Error> {
        let mut vacuum = self.connection.prepare("PRAGMA incremental_vacuum")?;
        let mut rows = vacuum.query([])?;
        while rows.next()?.is_some() {}
        drop(rows);
        drop(vacuum);
        // Fails while others read; then the room is given back when the last of them closes.
        self.checkpoint();
        Ok(())
    }

    /// Moves what is in the write-ahead log into the file itself; a busy database keeps its log.
    pub fn checkpoint(&self) {
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    /// Makes derived forms again that an older program made; gives how many.
    ///
    /// # Errors
    /// When a source does not decode, the database cannot be written, or the caller stops.
    pub fn renew(&mut self, progress: Progress<'_>) -> Result<usize, Error> {
        let ids: Vec<i64> = self
            .connection
            .prepare("SELECT clip_id FROM derived WHERE version < ?1 ORDER BY clip_id")?
            .query_map([DERIVED_VERSION], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        for (index, &id) in ids.iter().enumerate() {
            if progress(index as f32 / ids.len() as f32).is_break() {
                return Err(Error::Cancelled);
            }
            self.derive_again(id)?;
        }
        Ok(ids.len())
    }

    /// Derives everything again that is derived from a clip.
    fn derive_again(&mut self, id: i64) -> Result<(), Error> {
        let (clip, given) = (self.whole_source(id)?, self.whole_given_contacts(id)?);
        let go_on = &mut no_progress();
        let derived = derive(&clip, given.as_ref(), &self.skeleton, self.fps, go_on)?;
        let transaction = begin(&mut self.connection)?;
        put_derived(&transaction, id, &derived)?;
        touch(&transaction)?;
        Ok(transaction.commit()?)
    }

    /// Makes derived forms again that are damaged, missing or of an older program; gives the names of their clips. What
    /// has no sound source stays as it is, and [`Database::check`] reports it.
    ///
    /// # Errors
    /// When the database cannot be read or written at all, or the caller stops.
    pub fn repair(&mut self, progress: Progress<'_>) -> Result<Vec<String>, Error> {
        let ids = self.select(&Selection::default())?;
        let mut repaired = Vec::new();
        for (index, &id) in ids.iter().enumerate() {
            ugoki_base::report(progress, index as f32 / ids.len() as f32)?;
            if self.is_sound(id, progress)? {
                continue;
            }
            match self.derive_again(id) {
                Ok(()) => repaired.push(self.name(id)?),
                Err(Error::Damaged { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(repaired)
    }
}
