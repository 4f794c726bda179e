//! Clips of other databases taken over as they are: nothing is read or derived again.
//!
//! ```text
//! for each file of the other database, in the order it came in:
//!   same content and options known → its user's tags are added
//!   else → file, licence and clips with all their rows, under new numbers and unique names
//! ```
//! What is derived from a clip does not depend on the other clips, so a merge has the same bytes as a direct import. One file is
//! taken over per transaction, so memory does not grow with the databases.

use std::path::{Component, Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;
use ugoki_base::{Progress, report};

use crate::hash::sha256;
use crate::import::{begin, find_duplicate, relative, resolve, touch};
use crate::row::{Row, TABLES, kept, rows};
use crate::{Database, Duplicate, Error, names};

/// What was taken over from one database.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Merged {
    /// The database.
    pub database: String,
    /// Clips taken over.
    pub clips: usize,
    /// Clips whose file, options and take were there already.
    pub known: usize,
    /// Clips that were given another name, as theirs was taken.
    pub renamed: usize,
}

/// What a merge did.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MergeReport {
    /// The result.
    pub database: String,
    /// What came from where.
    pub merged: Vec<Merged>,
    /// Clips with the same motion as one that was there before; they are kept.
    pub duplicates: Vec<Duplicate>,
}

/// A file of the other database, or a clip that came from none.
enum Unit {
    File(i64),
    Clip(i64),
}

impl Database {
    /// Takes over the clips of another database, all or those of the list.
    ///
    /// # Errors
    /// When the other's skeleton or rate is another, either cannot be read or written, or the caller stops. What was taken over
    /// before stays.
    pub fn merge_from(
        &mut self,
        other: &Self,
        only: Option<&[i64]>,
        progress: Progress<'_>,
    ) -> Result<(Merged, Vec<Duplicate>), Error> {
        if *self.skeleton != *other.skeleton || self.fps.to_bits() != other.fps.to_bits() {
            return Err(Error::Unfit {
                detail: format!(
                    "its clips are on another skeleton or rate ({} joints at {} fps, here {} at {})",
                    other.skeleton.num_joints(),
                    other.fps,
                    self.skeleton.num_joints(),
                    self.fps
                ),
            });
        }
        let mut merged = Merged { database: other.path.to_string_lossy().into_owned(), ..Merged::default() };
        let mut duplicates = Vec::new();
        let units = units(&other.connection)?;
        for (at, unit) in units.iter().enumerate() {
            report(progress, at as f32 / units.len() as f32)?;
            self.take_unit(other, unit, only, &mut merged, &mut duplicates)?;
        }
        report(progress, 1.0)?;
        Ok((merged, duplicates))
    }

    fn take_unit(
        &mut self,
        other: &Self,
        unit: &Unit,
        only: Option<&[i64]>,
        merged: &mut Merged,
        duplicates: &mut Vec<Duplicate>,
    ) -> Result<(), Error> {
        let (file, mut clips) = match unit {
            Unit::File(id) => {
                let file = rows(&other.connection, "files", "id = ?1", *id)?.into_iter().next();
                (file, rows(&other.connection, "clips", "file_id = ?1 ORDER BY take", *id)?)
            }
            Unit::Clip(id) => (None, rows(&other.connection, "clips", "id = ?1", *id)?),
        };
        let is_wanted = |clip: &Row| {
            let id = clip.get("id");
            only.is_none_or(|only| only.iter().any(|one| id == Value::Integer(*one)))
        };
        clips.retain(is_wanted);
        // A selection of clips brings the files of its clips; a whole database also what is known of files without clips.
        if clips.is_empty() && (only.is_some() || file.is_none()) {
            return Ok(());
        }
        let folders = [self.folder(), other.folder()];
        let transaction = begin(&mut self.connection)?;
        let file_id =
            file.map(|file| put_file(&transaction, &other.connection, file, &folders)).transpose()?;
        let mut changed = false;
        for clip in clips {
            let there = match file_id {
                Some(file_id) => transaction
                    .query_row(
                        "SELECT id FROM clips WHERE file_id = ?1 AND take = ?2",
                        (file_id, clip.get("take")),
                        |row| row.get(0),
                    )
                    .optional()?,
                None => same_source(&transaction, &other.connection, &clip)?,
            };
            match there {
                Some(id) => {
                    merged.known += 1;
                    add_tags(&transaction, &other.connection, &clip, id)?;
                }
                None => {
                    changed = true;
                    merged.clips += 1;
                    let duplicate = put_clip(&transaction, &other.connection, clip, file_id, merged)?;
                    duplicates.extend(duplicate);
                }
            }
        }
        if changed {
            touch(&transaction)?;
        }
        Ok(transaction.commit()?)
    }

    fn folder(&self) -> PathBuf {
        self.path.parent().map(Path::to_owned).unwrap_or_default()
    }

    /// The clips for which a condition of SQL holds, in the order of their numbers. Columns are those of `clips` and `measures`,
    /// `seconds`, `tag`, `path` and `format`; a clip fits when the condition holds with one of its tags.
    ///
    /// # Errors
    /// When the condition is none.
    pub fn select_by(&self, condition: &str) -> Result<Vec<i64>, Error> {
        let words = format!(
            "SELECT DISTINCT clip FROM (SELECT clips.id AS clip, clips.name AS name, clips.motion_seconds AS seconds, \
             clips.fps AS fps, clips.frames AS frames, clips.take AS take, tags.tag AS tag, files.path AS path, files.format AS \
             format, speed_m_s, peak_m_s, path_m, turn_deg, left_deg, right_deg, rise_m, steps, flights FROM clips LEFT JOIN tags \
             ON tags.clip_id = clips.id LEFT JOIN measures ON measures.clip_id = clips.id LEFT JOIN files ON files.id = \
             clips.file_id) WHERE ({condition}) ORDER BY clip"
        );
        let wrong =
            |error: rusqlite::Error| Error::Unfit { detail: format!("the condition {condition:?}: {error}") };
        let mut query = self.connection.prepare(&words).map_err(wrong)?;
        if !query.readonly() || query.column_count() != 1 || query.parameter_count() != 0 {
            return Err(Error::Unfit { detail: format!("{condition:?} is no condition") });
        }
        let found = query.query_map([], |row| row.get(0))?;
        found.collect::<Result<_, _>>().map_err(wrong)
    }

    /// What each clip is, whatever database it is in: SHA-256 of its file, how that was read, and the take; for a clip of no file,
    /// SHA-256 of its content.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn clip_keys(&self) -> Result<Vec<(i64, String)>, Error> {
        let mut query = self.connection.prepare(
            "SELECT clips.id, lower(hex(files.hash)) || ' ' || files.options || ' ' || clips.take FROM clips LEFT JOIN files ON \
             files.id = clips.file_id ORDER BY clips.id",
        )?;
        let found = query.query_map([], |row| Ok((row.get(0)?, row.get::<_, Option<String>>(1)?)))?;
        let mut keys = Vec::new();
        for one in found {
            let (id, key) = one?;
            let content = || -> Result<String, Error> {
                let bytes: Vec<u8> = self
                    .connection
                    .prepare_cached("SELECT bytes FROM sources WHERE clip_id = ?1")?
                    .query_row([id], |row| row.get(0))?;
                Ok(hex(&sha256(&bytes)))
            };
            keys.push((id, key.map_or_else(content, Ok)?));
        }
        Ok(keys)
    }
}

/// A name for a set of clips: the start of the SHA-256 of their keys in order.
#[must_use]
pub fn name_of_clips<'a>(keys: impl IntoIterator<Item = &'a str>) -> String {
    let mut keys: Vec<&str> = keys.into_iter().collect();
    keys.sort_unstable();
    hex(&sha256(keys.join("\n").as_bytes())[..8])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Files in the order they came in, then clips of no file.
fn units(connection: &Connection) -> Result<Vec<Unit>, Error> {
    let ids = |words: &str| -> Result<Vec<i64>, Error> {
        let mut query = connection.prepare(words)?;
        let found = query.query_map([], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    };
    let files = ids("SELECT id FROM files ORDER BY id")?.into_iter().map(Unit::File);
    let clips = ids("SELECT id FROM clips WHERE file_id IS NULL ORDER BY id")?.into_iter().map(Unit::Clip);
    Ok(files.chain(clips).collect())
}

/// The number of the other's file here, put in when its content is not known as it was read there.
fn put_file(
    connection: &Connection,
    other: &Connection,
    mut file: Row,
    [here, there]: &[PathBuf; 2],
) -> Result<i64, Error> {
    let known = connection
        .prepare_cached("SELECT id FROM files WHERE hash = ?1 AND options = ?2 AND status = ?3 ORDER BY id")?
        .query_row((file.get("hash"), file.get("options"), file.get("status")), |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    if let Value::Text(path) = file.get("path") {
        let place = relative(&without_dots(&resolve(&path, there)), here);
        let mut free = place.clone();
        let mut taken = connection.prepare_cached("SELECT 1 FROM files WHERE path = ?1")?;
        let mut number = 2_u64;
        while taken.exists([&free])? {
            free = format!("{place} ({number})");
            number += 1;
        }
        file.set("path", &Value::Text(free));
    }
    if let Value::Integer(licence) = file.get("licence_id") {
        let row = rows(other, "licences", "id = ?1", licence)?.into_iter().next();
        let id = row.map(|row| kept(connection, row)).transpose()?;
        file.set("licence_id", &id.unwrap_or(Value::Null));
    }
    let removed = match file.get("id") {
        Value::Integer(id) => rows(other, "removed_takes", "file_id = ?1", id)?,
        _ => Vec::new(),
    };
    file.without("id").insert(connection, "")?;
    let id = connection.last_insert_rowid();
    for mut take in removed {
        take.set("file_id", &Value::Integer(id));
        take.insert(connection, "")?;
    }
    Ok(id)
}

/// Puts a clip in with everything that is known of it.
fn put_clip(
    connection: &Connection,
    other: &Connection,
    mut clip: Row,
    file_id: Option<i64>,
    merged: &mut Merged,
) -> Result<Option<Duplicate>, Error> {
    let (Value::Integer(there), Value::Integer(skeleton), Value::Text(wanted)) =
        (clip.get("id"), clip.get("skeleton_id"), clip.get("name"))
    else {
        return Err(Error::damaged("a clip without number, skeleton or name"));
    };
    let skeleton = rows(other, "skeletons", "id = ?1", skeleton)?.into_iter().next();
    let skeleton = skeleton.ok_or_else(|| Error::damaged("a clip without its skeleton"))?;
    clip.set("skeleton_id", &kept(connection, skeleton)?);
    let name = names::unique(connection, &wanted)?;
    merged.renamed += usize::from(name != wanted);
    clip.set("name", &Value::Text(name.clone()));
    clip.set("file_id", &file_id.map_or(Value::Null, Value::Integer));
    clip.set("duplicate_of", &Value::Null);
    let (seconds, fingerprint) = (clip.get("motion_seconds"), clip.get("fingerprint"));
    clip.without("id").insert(connection, "")?;
    let id = connection.last_insert_rowid();
    for table in &TABLES[1..] {
        for mut row in rows(other, table, "clip_id = ?1", there)? {
            row.set("clip_id", &Value::Integer(id));
            row.insert(connection, "")?;
        }
    }
    match (seconds, fingerprint) {
        (Value::Real(seconds), Value::Blob(fingerprint)) => {
            find_duplicate(connection, id, &name, seconds, &fingerprint)
        }
        _ => Ok(None),
    }
}

/// The clip of no file with the same content.
fn same_source(connection: &Connection, other: &Connection, clip: &Row) -> Result<Option<i64>, Error> {
    let Value::Integer(id) = clip.get("id") else { return Ok(None) };
    let bytes: Option<Vec<u8>> =
        other.query_row("SELECT bytes FROM sources WHERE clip_id = ?1", [id], |row| row.get(0)).optional()?;
    let found = connection
        .prepare_cached(
            "SELECT clips.id FROM clips JOIN sources ON clip_id = clips.id WHERE file_id IS NULL AND motion_seconds = ?1 AND \
             bytes = ?2 ORDER BY clips.id",
        )?
        .query_row((clip.get("motion_seconds"), bytes), |row| row.get(0))
        .optional()?;
    Ok(found)
}

/// Adds the tags that the user put on the clip in the other database.
fn add_tags(connection: &Connection, other: &Connection, clip: &Row, id: i64) -> Result<(), Error> {
    let Value::Integer(there) = clip.get("id") else { return Ok(()) };
    for mut tag in rows(other, "tags", "clip_id = ?1 AND automatic = 0", there)? {
        tag.set("clip_id", &Value::Integer(id));
        tag.insert(connection, "OR IGNORE")?;
    }
    Ok(())
}

/// A path without `.` and `..`, by its words alone: the file need not be there any more.
fn without_dots(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::fs;

    use ugoki_base::no_progress;
    use ugoki_formats::{Format, WriteOptions, write};

    use super::*;
    use crate::{CreateConfig, ImportConfig, Selection};

    fn files(folder: &Path, names: &[&str]) {
        fs::create_dir_all(folder).unwrap();
        for name in names {
            let clip = ugoki_sample::clip(name).unwrap();
            let bytes =
                write(&clip, Format::Bvh, &WriteOptions::default(), &mut no_progress()).unwrap().bytes;
            fs::write(folder.join(format!("{name}.bvh")), bytes).unwrap();
        }
        fs::write(folder.join("LICENSE"), format!("of {}", names.join(" "))).unwrap();
    }

    fn imported(path: &Path, folders: &[&Path]) -> Database {
        let mut database = Database::create(path, &CreateConfig::default()).unwrap();
        let config = ImportConfig {
            paths: folders.iter().map(|folder| (*folder).to_owned()).collect(),
            ..ImportConfig::default()
        };
        database.import(&config, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
        database
    }

    /// Everything of a clip that importing made, but numbers.
    fn contents(database: &Database) -> Vec<(String, Vec<Row>, Option<String>)> {
        let mut all = Vec::new();
        for row in database.list(&Selection::default()).unwrap() {
            let mut of_clip = Vec::new();
            for table in &TABLES[1..] {
                let found = rows(&database.connection, table, "clip_id = ?1", row.id).unwrap();
                of_clip.extend(found.into_iter().map(|row| row.without("clip_id")));
            }
            let details = database.details(row.id).unwrap();
            all.push((row.name, of_clip, details.file.and_then(|file| file.licence_text)));
        }
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    #[test]
    fn merged_databases_are_what_a_direct_import_gives_to_the_byte() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        files(&a, &["nod", "wave"]);
        files(&b, &["bow", "wave"]);
        let one = imported(&folder.path().join("one.ugoki"), &[&a]);
        let two = imported(&folder.path().join("two.ugoki"), &[&b]);
        let direct = imported(&folder.path().join("direct.ugoki"), &[&a, &b]);
        let mut merged = Database::create(&folder.path().join("m.ugoki"), &CreateConfig::default()).unwrap();
        for other in [&one, &two] {
            merged.merge_from(other, None, &mut no_progress()).unwrap();
        }
        // The file `wave` lies in both folders with the same content: a direct import keeps both, a merge one.
        let of_direct: Vec<_> = contents(&direct).into_iter().filter(|(name, ..)| name != "wave-2").collect();
        assert_eq!(contents(&merged), of_direct);
        let report = merged.check(&mut no_progress()).unwrap();
        assert!(report.sound, "{report:?}");
        let paths = |database: &Database| -> Vec<String> {
            let mut query = database.connection.prepare("SELECT path FROM files ORDER BY path").unwrap();
            query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(paths(&merged), ["a/nod.bvh", "a/wave.bvh", "b/bow.bvh"]);
    }

    #[test]
    fn merging_again_changes_nothing_but_tags() {
        let folder = tempfile::tempdir().unwrap();
        files(&folder.path().join("a"), &["nod", "wave"]);
        let mut one = imported(&folder.path().join("one.ugoki"), &[&folder.path().join("a")]);
        one.add_clip(&ugoki_sample::clip("bow").unwrap()).unwrap();
        let mut merged = Database::create(&folder.path().join("m.ugoki"), &CreateConfig::default()).unwrap();
        let (first, _) = merged.merge_from(&one, None, &mut no_progress()).unwrap();
        assert_eq!((first.clips, first.known, first.renamed), (3, 0, 0));
        let before = contents(&merged);
        let id = one.find("nod").unwrap();
        one.tag(&[id], &["mine".to_owned()], &[]).unwrap();
        let (again, _) = merged.merge_from(&one, None, &mut no_progress()).unwrap();
        assert_eq!((again.clips, again.known), (0, 3));
        let after = contents(&merged);
        assert_eq!(after.len(), before.len());
        let tagged =
            merged.select(&Selection { tags: vec!["mine".to_owned()], ..Selection::default() }).unwrap();
        assert_eq!(tagged.len(), 1);
    }

    #[test]
    fn clips_of_the_same_name_and_other_content_are_both_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut all = Vec::new();
        for (name, motion) in [("x", "nod"), ("y", "wave")] {
            let path = folder.path().join(name);
            files(&path, &[motion]);
            fs::rename(path.join(format!("{motion}.bvh")), path.join("take.bvh")).unwrap();
            all.push(imported(&folder.path().join(format!("{name}.ugoki")), &[&path]));
        }
        let mut merged = Database::create(&folder.path().join("m.ugoki"), &CreateConfig::default()).unwrap();
        for other in &all {
            merged.merge_from(other, None, &mut no_progress()).unwrap();
        }
        let rows = merged.list(&Selection::default()).unwrap();
        assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["take", "take-2"]);
        let only = merged.select_by("name = 'take-2'").unwrap();
        assert_eq!(only.len(), 1);
        assert!(merged.select_by("1) UNION SELECT (2").is_ok_and(|ids| ids.len() <= 3));
        assert!(merged.select_by("name = ").is_err() && merged.select_by("?1 = 1").is_err());
    }

    #[test]
    fn a_database_on_another_rate_is_refused() {
        let mut one = Database::in_memory(&CreateConfig::default()).unwrap();
        let two = Database::in_memory(&CreateConfig { fps: 30.0, ..CreateConfig::default() }).unwrap();
        assert!(matches!(one.merge_from(&two, None, &mut no_progress()), Err(Error::Unfit { .. })));
    }
}
