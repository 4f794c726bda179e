//! How clips of the database are written as files.

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_feet::contact::{ContactConfig, find_contacts};
use ugoki_formats::{Format, UpAxis, WriteOptions};

use crate::{Database, Error};

impl Database {
    /// How to write a clip in a format, with its tags, contacts and loop. `clip` is [`Database::source`] when `source`, else
    /// [`Database::clip`].
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn write_options(
        &self,
        id: i64,
        clip: &Clip,
        source: bool,
        format: Format,
    ) -> Result<WriteOptions, Error> {
        // The file's own numbers stay where the format does.
        let keeps_source = source && clip.source().is_some() && format == Format::Bvh;
        let mut options = WriteOptions::default();
        if !keeps_source {
            options.up = Some(UpAxis::Y);
            options.unit_metres = Some(format.usual_unit_metres());
        }
        options.automatic_tags = self.tags(id, true)?;
        let marked = self.loop_frames(id)?;
        if source {
            // The contacts that the file gave are in the clip's own frames.
            let given = self.given_contacts(id)?;
            let found = || Some(find_contacts(clip, &ContactConfig::default()).ok()?.feet);
            options.contacts = given.or_else(found);
            options.loop_frames = marked.map(|range| source_frames(range, self.fps(), clip));
        } else {
            options.contacts = self.contacts(id)?.map(|contacts| contacts.feet);
            options.loop_frames = marked;
        }
        Ok(options)
    }
}

/// Frames of the derived clip as frames of the clip as it came.
fn source_frames(range: Range<usize>, fps: f64, clip: &Clip) -> Range<usize> {
    let motion = clip.motion_frames();
    let frame =
        |frame: usize| (motion.start + (frame as f64 * clip.fps() / fps).round() as usize).min(motion.end);
    frame(range.start)..frame(range.end)
}
