//! Clips out of the database.

use std::ops::Range;
use ugoki_base::no_progress;

use rusqlite::OptionalExtension;
use ugoki_base::bytes::BytesError;
use ugoki_base::clip::{Clip, PackedClip};
use ugoki_base::contact_labels::FootContacts;
use ugoki_feet::contact::Contacts;
use ugoki_formats::Marks;
use ugoki_formats::{Reading, Tpose};

use crate::derive::derive;
use crate::{Database, Error, blob, provenance};

/// Kind of the segment that marks a loop; it comes with the file, so deriving again does not change it.
pub(crate) const LOOP: &str = "loop";

impl Database {
    /// Name of a clip.
    ///
    /// # Errors
    /// When there is no such clip.
    pub fn name(&self, id: i64) -> Result<String, Error> {
        let name = self
            .connection
            .prepare_cached("SELECT name FROM clips WHERE id = ?1")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        name.ok_or_else(|| Error::UnknownClip { name: format!("id:{id}"), near: Vec::new() })
    }

    /// The clip as it came, on its own skeleton and at its own rate, to the last bit; without its added T-pose where
    /// the user wanted it read so.
    ///
    /// # Errors
    /// When there is no such clip or it does not decode.
    pub fn source(&self, id: i64) -> Result<Clip, Error> {
        Ok(self.reading(id)?.apply(self.whole_source(id)?))
    }

    /// How the user wanted the clip's file read.
    fn reading(&self, id: i64) -> Result<Reading, Error> {
        let options: Option<String> = self
            .connection
            .prepare_cached(
                "SELECT options FROM files JOIN clips ON clips.file_id = files.id WHERE clips.id = ?1",
            )?
            .query_row([id], |row| row.get(0))
            .optional()?;
        Ok(options.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// [`Database::source`] with its T-pose, which shows how the body stands: what is derived comes from this.
    pub(crate) fn whole_source(&self, id: i64) -> Result<Clip, Error> {
        let name = self.name(id)?;
        let bytes: Vec<u8> = self
            .blob("sources", id)?
            .ok_or_else(|| Error::damaged(format!("clip {name:?} has no source")))?;
        let mut clip = blob::unfold(&bytes).map_err(|error| about(&name, error))?;
        clip.tags = self.tags(id, false)?;
        clip.name = name;
        Ok(clip)
    }

    /// The clip on the database's skeleton at its rate, ready to decode frames from.
    ///
    /// # Errors
    /// When there is no such clip, it has no such form, or it does not decode.
    pub fn packed(&self, id: i64) -> Result<PackedClip, Error> {
        let name = self.name(id)?;
        let Some(bytes) = self.blob("derived", id)? else {
            let reason: Option<String> = self
                .connection
                .prepare_cached("SELECT underived FROM clips WHERE id = ?1")?
                .query_row([id], |row| row.get(0))?;
            return Err(Error::Underived { name, reason: reason.unwrap_or_else(|| "unknown".to_owned()) });
        };
        let mut packed = match PackedClip::from_bytes(&self.skeleton, &bytes) {
            Ok(packed) => packed,
            // An older program's, until `db add` makes all of them again.
            Err(BytesError::Old { .. }) => {
                let (clip, given) = (self.whole_source(id)?, self.whole_given_contacts(id)?);
                let go_on = &mut no_progress();
                match derive(&clip, given.as_ref(), &self.skeleton, self.fps, go_on)? {
                    Ok(derived) => derived.packed,
                    Err(reason) => return Err(Error::Underived { name, reason }),
                }
            }
            Err(error) => return Err(Error::DamagedForm { name, detail: error.to_string() }),
        };
        packed.tags = self.tags(id, false)?;
        packed.name = name;
        Ok(packed)
    }

    /// All frames of the clip on the database's skeleton at its rate.
    ///
    /// # Errors
    /// As [`Database::packed`].
    pub fn clip(&self, id: i64) -> Result<Clip, Error> {
        Ok(self.packed(id)?.to_clip())
    }

    /// The floor and contacts of the clip on the database's skeleton; `None` when no feet were found.
    ///
    /// # Errors
    /// When they do not decode.
    pub fn contacts(&self, id: i64) -> Result<Option<Contacts>, Error> {
        let Some(bytes) = self.blob("contacts", id)? else { return Ok(None) };
        let contacts = Contacts::from_bytes(&bytes).map_err(|error| Error::DamagedForm {
            name: self.name(id).unwrap_or_default(),
            detail: format!("its contacts: {error}"),
        })?;
        Ok(Some(contacts))
    }

    /// Contacts that the clip's file marks, in frames of [`Database::source`]; `None` when it marks none.
    ///
    /// # Errors
    /// When there is no such clip or they do not decode.
    pub fn given_contacts(&self, id: i64) -> Result<Option<[FootContacts; 2]>, Error> {
        let contacts = self.whole_given_contacts(id)?;
        if self.reading(id)?.tpose != Tpose::Drop {
            return Ok(contacts);
        }
        Ok(Marks { contacts, ..Marks::default() }.without_first_frame().contacts)
    }

    /// The same in frames of [`Database::whole_source`].
    pub(crate) fn whole_given_contacts(&self, id: i64) -> Result<Option<[FootContacts; 2]>, Error> {
        let found: Option<(String, usize)> = self
            .connection
            .prepare_cached(
                "SELECT feet, frames FROM given_contacts JOIN clips ON clips.id = clip_id WHERE clip_id = ?1",
            )?
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        found.map(|(text, frames)| provenance::from_text(&text, frames)).transpose()
    }

    /// Frames of the derived clip that form a loop: as its file marks them, else all of a clip tagged `loop`.
    ///
    /// # Errors
    /// When there is no such clip or the database cannot be read.
    pub fn loop_frames(&self, id: i64) -> Result<Option<Range<usize>>, Error> {
        let frames: Option<usize> = self
            .connection
            .prepare_cached("SELECT frames FROM derived WHERE clip_id = ?1")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        let Some(frames) = frames else { return Ok(None) };
        if let Some(marked) = self.segments(id, LOOP)?.first() {
            return Ok(Some(marked.start..marked.end).filter(|range| range.end <= frames));
        }
        let tagged = self.tags(id, false)?.iter().any(|tag| tag == Marks::LOOP_TAG);
        Ok((tagged && frames > 0).then_some(0..frames))
    }

    /// The bytes kept about a clip in one of the tables of blobs.
    pub(crate) fn blob(&self, table: &'static str, id: i64) -> Result<Option<Vec<u8>>, Error> {
        let mut query =
            self.connection.prepare_cached(&format!("SELECT bytes FROM {table} WHERE clip_id = ?1"))?;
        Ok(query.query_row([id], |row| row.get(0)).optional()?)
    }
}

/// Says which clip an error is about.
fn about(name: &str, error: Error) -> Error {
    match error {
        Error::Damaged { detail } => Error::damaged(format!("clip {name:?}: {detail}")),
        error => error,
    }
}
