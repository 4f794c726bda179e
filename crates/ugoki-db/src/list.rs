//! What is in the database, as `db list` and `db show` tell it.

use std::collections::HashMap;

use ugoki_base::clip::Clip;

use crate::{
    ClipDetails, ClipRow, ContactsFrom, ContactsRow, DatabaseDetails, FileRow, KeptFinding, Measures,
    Selection,
};
use ugoki_formats::Format;
use ugoki_formats::Reading;

use crate::hash::hex;
use crate::{Database, Error, schema};

const ROWS: &str = "SELECT clips.id, clips.name, coalesce(derived.frames / (SELECT fps FROM meta), \
     clips.frames / clips.fps), coalesce(derived.frames, clips.frames), \
     CASE WHEN derived.frames IS NULL THEN clips.fps ELSE (SELECT fps FROM meta) END, files.path, \
     measures.speed_m_s, original.name, derived.frames IS NOT NULL FROM clips \
     LEFT JOIN derived ON derived.clip_id = clips.id LEFT JOIN files ON files.id = clips.file_id \
     LEFT JOIN measures ON measures.clip_id = clips.id LEFT JOIN clips original ON original.id = clips.duplicate_of";

impl Database {
    /// The clips that fit, in the order they were added.
    ///
    /// # Errors
    /// When a name fits nothing or the database cannot be read.
    pub fn list(&self, selection: &Selection) -> Result<Vec<ClipRow>, Error> {
        let ids = self.select(selection)?;
        let mut tags: HashMap<i64, Vec<String>> = HashMap::new();
        let mut query =
            self.connection.prepare("SELECT DISTINCT clip_id, tag FROM tags ORDER BY clip_id, tag")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            tags.entry(row.get(0)?).or_default().push(row.get(1)?);
        }
        let mut rows = self.rows(&ids)?;
        for row in &mut rows {
            row.tags = tags.remove(&row.id).unwrap_or_default();
        }
        Ok(rows)
    }

    /// Clips with any of these tags on the database's skeleton, sorted by name; at most `most` of each tag. Clips without such a
    /// form are left out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn tagged_clips(&self, tags: &[&str], most: usize) -> Result<Vec<Clip>, Error> {
        let mut clips: Vec<Clip> = Vec::new();
        for &tag in tags {
            let selection = Selection { tags: vec![tag.to_owned()], ..Selection::default() };
            for row in self.list(&selection)?.into_iter().take(most) {
                if let Ok(mut clip) = self.clip(row.id) {
                    clip.name = row.name;
                    clips.push(clip);
                }
            }
        }
        clips.sort_by(|a, b| a.name.cmp(&b.name));
        clips.dedup_by(|a, b| a.name == b.name);
        Ok(clips)
    }

    fn rows(&self, ids: &[i64]) -> Result<Vec<ClipRow>, Error> {
        let list = ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let mut query =
            self.connection.prepare(&format!("{ROWS} WHERE clips.id IN ({list}) ORDER BY clips.id"))?;
        let rows = query.query_map([], |row| {
            Ok(ClipRow {
                id: row.get(0)?,
                name: row.get(1)?,
                seconds: row.get(2)?,
                frames: row.get(3)?,
                fps: row.get(4)?,
                tags: Vec::new(),
                source: row.get(5)?,
                speed_m_s: row.get(6)?,
                duplicate_of: row.get(7)?,
                derived: row.get(8)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Everything about one clip.
    ///
    /// # Errors
    /// When there is no such clip or the database cannot be read.
    pub fn details(&self, id: i64) -> Result<ClipDetails, Error> {
        let unknown = || Error::UnknownClip { name: format!("id:{id}"), near: Vec::new() };
        let mut row = self.rows(&[id])?.pop().ok_or_else(unknown)?;
        let (user_tags, automatic_tags) = (self.tags(id, false)?, self.tags(id, true)?);
        row.tags = user_tags.iter().chain(&automatic_tags).cloned().collect();
        row.tags.sort();
        row.tags.dedup();
        let details = self.connection.query_row(
            "SELECT take, clips.frames, clips.fps, num_joints, tpose, underived, length(sources.bytes), \
             length(derived.bytes), file_id FROM clips JOIN skeletons ON skeletons.id = skeleton_id \
             JOIN sources ON sources.clip_id = clips.id LEFT JOIN derived ON derived.clip_id = clips.id \
             WHERE clips.id = ?1",
            [id],
            |r| {
                let details = ClipDetails {
                    row,
                    user_tags,
                    automatic_tags,
                    take: r.get(0)?,
                    source_frames: r.get(1)?,
                    source_fps: r.get(2)?,
                    source_joints: r.get(3)?,
                    tpose_frame: r.get(4)?,
                    underived: r.get(5)?,
                    source_bytes: r.get(6)?,
                    derived_bytes: r.get(7)?,
                    loop_frames: None,
                    contacts: None,
                    measures: None,
                    file: None,
                };
                Ok((details, r.get::<_, Option<i64>>(8)?))
            },
        )?;
        let (mut details, file_id) = details;
        details.measures = self.measures(id)?;
        details.contacts = self.contacts_row(id)?;
        details.loop_frames = self.loop_frames(id)?.map(|range| [range.start, range.end]);
        details.file = file_id.map(|file| self.file(file)).transpose()?;
        Ok(details)
    }

    /// Tags of a clip, the user's or the program's, sorted.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn tags(&self, id: i64, automatic: bool) -> Result<Vec<String>, Error> {
        let mut query = self
            .connection
            .prepare_cached("SELECT tag FROM tags WHERE clip_id = ?1 AND automatic = ?2 ORDER BY tag")?;
        Ok(query.query_map((id, automatic), |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    fn contacts_row(&self, id: i64) -> Result<Option<ContactsRow>, Error> {
        let Some(contacts) = self.contacts(id)? else { return Ok(None) };
        let from = match self.given_contacts(id)? {
            Some(_) => ContactsFrom::Given,
            None => ContactsFrom::Found,
        };
        let [left, right] = contacts.feet.map(|foot| foot.any().len());
        Ok(Some(ContactsRow { from, left, right }))
    }

    fn measures(&self, id: i64) -> Result<Option<Measures>, Error> {
        let mut query = self.connection.prepare_cached(
            "SELECT speed_m_s, peak_m_s, path_m, turn_deg, left_deg, right_deg, rise_m, steps, flights FROM measures \
             WHERE clip_id = ?1",
        )?;
        let found = query.query_map([id], |row| {
            Ok(Measures {
                speed_m_s: row.get(0)?,
                peak_m_s: row.get(1)?,
                path_m: row.get(2)?,
                turn_deg: row.get(3)?,
                left_deg: row.get(4)?,
                right_deg: row.get(5)?,
                rise_m: row.get(6)?,
                steps: row.get(7)?,
                flights: row.get(8)?,
            })
        })?;
        Ok(found.collect::<Result<Vec<_>, _>>()?.pop())
    }

    fn file(&self, id: i64) -> Result<FileRow, Error> {
        let row = self.connection.query_row(
            "SELECT path, files.hash, format, options, findings, name, text FROM files \
             LEFT JOIN licences ON licences.id = licence_id WHERE files.id = ?1",
            [id],
            |row| {
                let format: Option<String> = row.get(2)?;
                let (options, findings): (String, String) = (row.get(3)?, row.get(4)?);
                Ok(FileRow {
                    path: row.get(0)?,
                    sha256: hex(&row.get::<_, Vec<u8>>(1)?),
                    format: format.as_deref().and_then(Format::from_extension),
                    options: serde_json::from_str::<Reading>(&options).unwrap_or_default(),
                    findings: serde_json::from_str::<Vec<KeptFinding>>(&findings).unwrap_or_default(),
                    licence: row.get(5)?,
                    licence_text: row.get(6)?,
                })
            },
        )?;
        Ok(row)
    }

    /// Everything about the database.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn about(&self) -> Result<DatabaseDetails, Error> {
        let count =
            |sql: &str| -> Result<usize, Error> { Ok(self.connection.query_row(sql, [], |row| row.get(0))?) };
        let mut query = self.connection.prepare(
            "SELECT tag, count(DISTINCT clip_id) AS clips FROM tags GROUP BY tag ORDER BY clips DESC, tag",
        )?;
        let tags = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        Ok(DatabaseDetails {
            version: schema::version(&self.connection)?,
            program: self.connection.query_row("SELECT program FROM meta", [], |row| row.get(0))?,
            fps: self.fps,
            joints: self.skeleton.num_joints(),
            clips: self.num_clips()?,
            underived: count("SELECT count(*) FROM clips WHERE underived IS NOT NULL")?,
            seconds: self.connection.query_row(
                "SELECT coalesce(sum(coalesce(derived.frames / (SELECT fps FROM meta), clips.frames / clips.fps)), 0.0) \
                 FROM clips LEFT JOIN derived ON derived.clip_id = clips.id",
                [],
                |row| row.get(0),
            )?,
            files: count("SELECT count(*) FROM files")?,
            refused: count("SELECT count(*) FROM files WHERE status = 'refused'")?,
            skeletons: count("SELECT count(*) FROM skeletons")?,
            bytes: self.bytes()?,
            tags,
        })
    }

    /// Size of the database, bytes.
    pub(crate) fn bytes(&self) -> Result<u64, Error> {
        let pragma = |name: &str| -> Result<u64, Error> {
            Ok(self.connection.pragma_query_value(None, name, |row| row.get(0))?)
        };
        Ok(pragma("page_count")? * pragma("page_size")?)
    }
}
