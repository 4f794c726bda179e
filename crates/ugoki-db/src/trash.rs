//! Clips set aside: everything the database knows of a clip as bytes, so that one that was thrown out can be brought back
//! as it was, with its id, its tags, where it came from and its licence.
//!
//! ```text
//! version u8, then rows until the end:
//! table text, number of columns u32, for each: name text, kind u8 (0 null, 1 integer, 2 real, 3 text, 4 blob), value
//! ```
//! Numbers are little endian; a text or blob has its length before it as u32.

use rusqlite::OptionalExtension;
use rusqlite::types::Value;

use crate::import::{begin, touch};
use crate::row::{Row, TABLES, kept, rows};
use crate::{Database, Error};

const VERSION: u8 = 1;

impl Database {
    /// All that is known of a clip, for [`Database::bring_back`]. The clip stays.
    ///
    /// # Errors
    /// When there is no such clip or the database cannot be read.
    pub fn set_aside(&self, id: i64) -> Result<Vec<u8>, Error> {
        let connection = &self.connection;
        let mut all = Vec::new();
        for (at, table) in TABLES.iter().enumerate() {
            let key = if at == 0 { "id" } else { "clip_id" };
            all.extend(rows(connection, table, &format!("{key} = ?1"), id)?);
        }
        all.extend(rows(
            connection,
            "skeletons",
            "id = (SELECT skeleton_id FROM clips WHERE clips.id = ?1)",
            id,
        )?);
        all.extend(rows(
            connection,
            "licences",
            "id = (SELECT licence_id FROM clips JOIN files ON files.id = file_id WHERE clips.id = ?1)",
            id,
        )?);
        Ok(to_bytes(&all))
    }

    /// Puts a clip back that was set aside and thrown out; gives its id.
    ///
    /// # Errors
    /// When the bytes are no clip, a clip of its name is there, or the database cannot be written.
    pub fn bring_back(&mut self, bytes: &[u8]) -> Result<i64, Error> {
        let damaged = || Error::damaged("a clip that was set aside does not decode");
        let mut rows = from_bytes(bytes).ok_or_else(damaged)?;
        let of = |rows: &mut Vec<Row>, table: &str| {
            rows.iter().position(|row| row.table == table).map(|at| rows.remove(at))
        };
        let mut clip = of(&mut rows, "clips").ok_or_else(damaged)?;
        let (skeleton, licence) =
            (of(&mut rows, "skeletons").ok_or_else(damaged)?, of(&mut rows, "licences"));
        let Value::Integer(id) = clip.get("id") else { return Err(damaged()) };
        if let Value::Text(name) = clip.get("name")
            && self.find(&name).is_ok()
        {
            return Err(Error::Name { name });
        }
        let transaction = begin(&mut self.connection)?;
        let skeleton_id = kept(&transaction, skeleton)?;
        clip.set("skeleton_id", &skeleton_id);
        // The file is remembered as removed; if even that is gone, the clip is from nowhere.
        let one = |table: &str, value: Value| -> Result<Value, Error> {
            let words = format!("SELECT id FROM {table} WHERE id = ?1");
            Ok(transaction.query_row(&words, [value], |row| row.get(0)).optional()?.unwrap_or(Value::Null))
        };
        let file = one("files", clip.get("file_id"))?;
        let original = one("clips", clip.get("duplicate_of"))?;
        clip.set("file_id", &file);
        clip.set("duplicate_of", &original);
        clip.insert(&transaction, "")?;
        for row in rows.iter().filter(|row| TABLES.contains(&row.table.as_str())) {
            row.insert(&transaction, "")?;
        }
        let licence = licence.map(|licence| kept(&transaction, licence)).transpose()?;
        transaction.execute(
            "UPDATE files SET status = 'imported', licence_id = coalesce(licence_id, ?2) WHERE id = ?1",
            (&file, licence.unwrap_or(Value::Null)),
        )?;
        transaction.execute(
            "DELETE FROM removed_takes WHERE file_id = ?1 AND take = ?2",
            (&file, clip.get("take")),
        )?;
        touch(&transaction)?;
        transaction.commit()?;
        Ok(id)
    }
}

fn to_bytes(rows: &[Row]) -> Vec<u8> {
    fn lengthy(out: &mut Vec<u8>, bytes: &[u8]) {
        // SQLite's own limit on one value is below this.
        out.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
        out.extend(bytes);
    }
    let mut out = vec![VERSION];
    for row in rows {
        lengthy(&mut out, row.table.as_bytes());
        out.extend((row.columns.len() as u32).to_le_bytes());
        for (name, value) in &row.columns {
            lengthy(&mut out, name.as_bytes());
            match value {
                Value::Null => out.push(0),
                Value::Integer(number) => {
                    out.push(1);
                    out.extend(number.to_le_bytes());
                }
                Value::Real(number) => {
                    out.push(2);
                    out.extend(number.to_le_bytes());
                }
                Value::Text(text) => {
                    out.push(3);
                    lengthy(&mut out, text.as_bytes());
                }
                Value::Blob(bytes) => {
                    out.push(4);
                    lengthy(&mut out, bytes);
                }
            }
        }
    }
    out
}

fn from_bytes(bytes: &[u8]) -> Option<Vec<Row>> {
    let (&version, mut rest) = bytes.split_first()?;
    if version != VERSION {
        return None;
    }
    let rest = &mut rest;
    let mut rows = Vec::new();
    while !rest.is_empty() {
        let table = text(rest)?;
        let count = u32::from_le_bytes(*take(rest)?);
        let mut columns = Vec::new();
        for _ in 0..count {
            let name = text(rest)?;
            let [kind] = *take(rest)?;
            let value = match kind {
                0 => Value::Null,
                1 => Value::Integer(i64::from_le_bytes(*take(rest)?)),
                2 => Value::Real(f64::from_le_bytes(*take(rest)?)),
                3 => Value::Text(text(rest)?),
                4 => Value::Blob(lengthy(rest)?.to_vec()),
                _ => return None,
            };
            columns.push((name, value));
        }
        rows.push(Row { table, columns });
    }
    Some(rows)
}

fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(first)
}

fn lengthy<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = u32::from_le_bytes(*take(rest)?) as usize;
    let (first, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(first)
}

fn text(rest: &mut &[u8]) -> Option<String> {
    String::from_utf8(lengthy(rest)?.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use ugoki_base::no_progress;

    use crate::Selection;
    use ugoki_formats::{Format, WriteOptions, write};

    use super::*;
    use crate::{CreateConfig, Upload};

    fn uploaded() -> Database {
        let mut database = Database::in_memory(&CreateConfig::default()).unwrap();
        for name in ["nod", "wave", "bow"] {
            let clip = ugoki_sample::clip(name).unwrap();
            let go_on = &mut no_progress();
            let bytes = write(&clip, Format::Bvh, &WriteOptions::default(), go_on).unwrap().bytes;
            let name = format!("{name}.bvh");
            let upload = Upload { name: &name, bytes: &bytes, licence: Some("only for looking at") };
            database.add_upload(&upload, &mut |_| None, go_on).unwrap().unwrap();
        }
        database
    }

    #[test]
    fn a_clip_that_was_thrown_out_comes_back_as_it_was() {
        let mut database = uploaded();
        let id = database.find("wave").unwrap();
        database.tag(&[id], &["mine".to_owned()], &[]).unwrap();
        let all = |database: &Database| {
            let rows = database.list(&Selection::default()).unwrap();
            let more: Vec<_> = rows
                .iter()
                .map(|row| (database.details(row.id).unwrap(), database.source(row.id).unwrap()))
                .collect();
            (rows, more)
        };
        let before = all(&database);
        let aside = database.set_aside(id).unwrap();
        database.remove(&[id]).unwrap();
        assert_eq!(database.num_clips().unwrap(), 2);
        assert_eq!(database.bring_back(&aside).unwrap(), id);
        assert_eq!(all(&database), before);
        assert!(before.1[1].0.file.as_ref().unwrap().licence_text.is_some());
        assert!(matches!(database.bring_back(&aside), Err(Error::Name { .. })), "it is there already");
        // All of them gone: their skeleton and licence come back too.
        let asides: Vec<_> = before.0.iter().map(|row| database.set_aside(row.id).unwrap()).collect();
        database.remove(&before.0.iter().map(|row| row.id).collect::<Vec<_>>()).unwrap();
        for aside in asides.iter().rev() {
            database.bring_back(aside).unwrap();
        }
        assert_eq!(all(&database), before);
    }

    #[test]
    fn bytes_that_are_no_clip_are_refused() {
        let mut database = uploaded();
        let id = database.find("wave").unwrap();
        let good = database.set_aside(id).unwrap();
        assert_eq!(to_bytes(&from_bytes(&good).unwrap()), good);
        database.remove(&[id]).unwrap();
        for end in (0..good.len()).step_by(97) {
            assert!(database.bring_back(&good[..end]).is_err(), "cut at {end}");
        }
        assert_eq!(database.num_clips().unwrap(), 2);
    }
}
