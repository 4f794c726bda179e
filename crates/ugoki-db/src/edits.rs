//! Segments ready to be bent, kept with their clip: δ, γ, ε and the handles' paths, as `ugoki_motion::edit` writes them.

use ugoki_motion::edit::EditBasis;

use crate::{Database, Error, StoredSegment};

/// What segments of this kind hold.
const KIND: &str = "edit";

impl Database {
    /// Keeps the edit bases of a clip's segments, in place of its earlier ones. They are of the clip on the database's skeleton.
    ///
    /// # Errors
    /// When there is no such clip, a segment reaches beyond it, or the database cannot be written.
    pub fn put_edit_bases(&mut self, clip: i64, bases: &[EditBasis]) -> Result<(), Error> {
        let frames = self.clip(clip)?.num_frames();
        if let Some(beyond) = bases.iter().map(EditBasis::frames).find(|range| range.end > frames) {
            let detail = format!("segment {}:{} reaches beyond {frames} frames", beyond.start, beyond.end);
            return Err(Error::Unfit { detail });
        }
        let stored: Vec<StoredSegment> = (bases.iter())
            .map(|basis| StoredSegment {
                start: basis.frames().start,
                end: basis.frames().end,
                version: u32::from(EditBasis::BYTES_VERSION),
                bytes: basis.to_bytes(),
            })
            .collect();
        self.put_segments(clip, KIND, &stored)
    }

    /// The edit bases of a clip's segments, in order and bit by bit as they were kept. Those that an older program wrote in
    /// another form are left out: they are to be built again.
    ///
    /// # Errors
    /// When the database cannot be read or what it holds does not decode.
    pub fn edit_bases(&self, clip: i64) -> Result<Vec<EditBasis>, Error> {
        let current = |segment: &StoredSegment| segment.version == u32::from(EditBasis::BYTES_VERSION);
        (self.segments(clip, KIND)?.iter())
            .filter(|segment| current(segment))
            .map(|segment| {
                EditBasis::from_bytes(&segment.bytes).map_err(|error| Error::damaged(error.to_string()))
            })
            .collect()
    }
}
