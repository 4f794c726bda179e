//! Writing what was prepared: one transaction per file, so that a file is in the database whole or not at all.

use crate::{Added, ClipNote, Duplicate, Sameness};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use ugoki_formats::Problem;
use ugoki_formats::{Format, Severity};

use super::file_history::{KeptProblem, Status};
use super::licence::Licence;
use super::places::Stat;
use super::prepare::{Prepared, Take};
use crate::clips::LOOP;
use crate::derive::{DERIVED_VERSION, Derived, Outcome};
use crate::fingerprint::{LENGTH_TOLERANCE_S, same_motion};
use crate::hash::sha256;
use crate::open::PROGRAM;
use crate::tag::tag_of_take;
use crate::{Error, names, provenance, skeletons};

/// A file as the database keeps it.
pub(crate) struct FileEntry<'a> {
    /// Relative to the database's folder.
    pub(crate) path: &'a str,
    pub(crate) stat: Stat,
    pub(crate) options: &'a str,
    pub(crate) licence: Option<&'a Licence>,
}

/// Begins a change, waiting for other writers.
pub(crate) fn begin(connection: &mut Connection) -> Result<Transaction<'_>, Error> {
    Ok(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

/// The clips have changed: what was built from them may be out of date.
pub(crate) fn touch(connection: &Connection) -> Result<(), Error> {
    connection.prepare_cached("UPDATE meta SET generation = generation + 1")?.execute([])?;
    Ok(())
}

/// The file is where it was known under another path, or has only a new time.
pub(crate) fn store_place(connection: &mut Connection, id: i64, path: &str, stat: Stat) -> Result<(), Error> {
    let transaction = begin(connection)?;
    // A forgotten entry of the new path gives way. One with clips was about a file that is no longer there: it waits under
    // a name that no file has until its content turns up elsewhere.
    transaction
        .execute("DELETE FROM files WHERE path = ?1 AND id <> ?2 AND status <> 'imported'", (path, id))?;
    transaction.execute(
        "UPDATE files SET path = path || ' (gone, ' || id || ')' WHERE path = ?1 AND id <> ?2",
        (path, id),
    )?;
    transaction.execute(
        "UPDATE files SET path = ?2, size = ?3, modified_ns = ?4 WHERE id = ?1",
        (id, path, stat.size, stat.modified_ns),
    )?;
    Ok(transaction.commit()?)
}

/// Tags and licence that the user gives for a file that is as it was; says whether anything changed by it.
pub(crate) fn store_labels(
    connection: &mut Connection,
    file_id: i64,
    tags: &[String],
    licence: Option<&Licence>,
) -> Result<bool, Error> {
    let transaction = begin(connection)?;
    let mut changed = 0;
    for tag in tags {
        changed += transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO tags (clip_id, tag, automatic) SELECT id, ?2, 0 FROM clips WHERE file_id = ?1",
            )?
            .execute((file_id, tag))?;
    }
    if let Some(licence) = licence {
        let id = put_licence(&transaction, licence)?;
        changed += transaction
            .prepare_cached("UPDATE files SET licence_id = ?2 WHERE id = ?1 AND licence_id IS NOT ?2")?
            .execute((file_id, id))?;
        transaction.execute(
            "DELETE FROM licences WHERE id NOT IN (SELECT licence_id FROM files WHERE licence_id IS NOT NULL)",
            [],
        )?;
    }
    transaction.commit()?;
    Ok(changed > 0)
}

/// The file could not be used. Clips of an earlier, better version of it stay; says how many.
pub(crate) fn store_refusal(
    connection: &mut Connection,
    entry: &FileEntry<'_>,
    prepared: &Prepared,
    problem: &Problem,
) -> Result<usize, Error> {
    let transaction = begin(connection)?;
    let id = put_file(&transaction, entry, prepared, Status::Refused, Some(problem))?;
    let kept =
        transaction.query_row("SELECT count(*) FROM clips WHERE file_id = ?1", [id], |row| row.get(0))?;
    transaction.commit()?;
    Ok(kept)
}

/// The file's motions go in; those of an earlier import of it are replaced and keep their ids, names and users' tags.
/// Where only one take was asked for, the others stay as they are.
pub(crate) fn store_takes(
    connection: &mut Connection,
    entry: &FileEntry<'_>,
    stem: &str,
    prepared: &Prepared,
    takes: &[Take],
    tags: &[String],
    whole: bool,
) -> Result<(Added, Vec<Duplicate>), Error> {
    let transaction = begin(connection)?;
    let file_id = put_file(&transaction, entry, prepared, Status::Imported, None)?;
    let mut added = Added {
        file: String::new(),
        clips: Vec::new(),
        replaced: false,
        underived: Vec::new(),
        warnings: Vec::new(),
    };
    let mut duplicates = Vec::new();
    let doubtful = prepared.findings.iter().filter(|finding| finding.severity == Severity::Warning);
    let mut doubts: Vec<String> =
        doubtful.map(|finding| format!("{} [{}]", finding.message, finding.code)).collect();
    added.replaced = forget_others(&transaction, file_id, takes, whole)?;
    for take in takes {
        let (id, name) = put_clip(&transaction, Some(file_id), take.index, stem, take)?;
        put_tags(&transaction, id, tags.iter().chain(&take.tags).map(String::as_str), false)?;
        if let Some(tag) = take.name.as_deref().and_then(tag_of_take) {
            put_tags(&transaction, id, [tag.as_str()], false)?;
        }
        let note = |text: &String| ClipNote { clip: name.clone(), note: text.clone() };
        match &take.derived {
            Err(reason) => added.underived.push(note(reason)),
            Ok(derived) => {
                // What the reader was in doubt about concerns the whole file, so it is reported once.
                let doubts = std::mem::take(&mut doubts);
                added.warnings.extend(derived.warnings.iter().chain(&doubts).map(note));
            }
        }
        added.warnings.extend(take.notes.iter().map(note));
        duplicates.extend(find_duplicate(&transaction, id, &name, take.motion_seconds, &take.fingerprint)?);
        added.clips.push(name);
    }
    touch(&transaction)?;
    transaction.commit()?;
    Ok((added, duplicates))
}

fn put_file(
    connection: &Connection,
    entry: &FileEntry<'_>,
    prepared: &Prepared,
    status: Status,
    problem: Option<&Problem>,
) -> Result<i64, Error> {
    let json = |error: serde_json::Error| Error::Unfit { detail: error.to_string() };
    let licence_id = entry.licence.map(|licence| put_licence(connection, licence)).transpose()?;
    let reason = problem.map(|problem| serde_json::to_string(&KeptProblem::new(problem)));
    let id = connection
        .prepare_cached(
            "INSERT INTO files (path, size, modified_ns, hash, companions, format, options, findings, licence_id, \
             status, reason, program) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) \
             ON CONFLICT (path) DO UPDATE SET size = ?2, modified_ns = ?3, hash = ?4, companions = ?5, format = ?6, \
             options = ?7, findings = ?8, licence_id = ?9, status = ?10, reason = ?11, program = ?12 RETURNING id",
        )?
        .query_row(
            (
                entry.path,
                entry.stat.size,
                entry.stat.modified_ns,
                prepared.hash.as_slice(),
                serde_json::to_string(&prepared.companions).map_err(json)?,
                prepared.format.map(Format::extension),
                entry.options,
                serde_json::to_string(&prepared.findings).map_err(json)?,
                licence_id,
                status.name(),
                reason.transpose().map_err(json)?,
                PROGRAM,
            ),
            |row| row.get(0),
        )?;
    Ok(id)
}

fn put_licence(connection: &Connection, licence: &Licence) -> Result<i64, Error> {
    let hash = sha256(format!("{}\n{}", licence.name, licence.text).as_bytes());
    connection
        .prepare_cached("INSERT INTO licences (hash, name, text) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?
        .execute((hash.as_slice(), &licence.name, &licence.text))?;
    let id = connection
        .prepare_cached("SELECT id FROM licences WHERE hash = ?1")?
        .query_row([hash.as_slice()], |row| row.get(0))?;
    Ok(id)
}

/// Takes that a new version of the `whole` file has no more are removed; says whether there was an earlier version of
/// one of those that come.
fn forget_others(connection: &Connection, file_id: i64, takes: &[Take], whole: bool) -> Result<bool, Error> {
    let list = takes.iter().map(|take| take.index.to_string()).collect::<Vec<_>>().join(",");
    if whole {
        connection.execute("DELETE FROM removed_takes WHERE file_id = ?1", [file_id])?;
        connection
            .execute(&format!("DELETE FROM clips WHERE file_id = ?1 AND take NOT IN ({list})"), [file_id])?;
    }
    let mut known =
        connection.prepare(&format!("SELECT 1 FROM clips WHERE file_id = ?1 AND take IN ({list})"))?;
    Ok(known.exists([file_id])?)
}

/// Puts a clip in, or replaces the one of the same file and take.
pub(crate) fn put_clip(
    connection: &Connection,
    file_id: Option<i64>,
    index: usize,
    wanted_name: &str,
    take: &Take,
) -> Result<(i64, String), Error> {
    let skeleton_id = skeletons::keep(connection, &take.skeleton)?;
    let known: Option<(i64, String)> = connection
        .prepare_cached("SELECT id, name FROM clips WHERE file_id = ?1 AND take = ?2")?
        .query_map((file_id, index), |row| Ok((row.get(0)?, row.get(1)?)))?
        .next()
        .transpose()?;
    let name = match &known {
        Some((_, name)) => name.clone(),
        None => names::unique(connection, wanted_name)?,
    };
    let id: i64 = connection
        .prepare_cached(
            "INSERT INTO clips (id, name, file_id, take, skeleton_id, fps, frames, tpose, motion_seconds, fingerprint) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (id) DO UPDATE SET skeleton_id = ?5, \
             fps = ?6, frames = ?7, tpose = ?8, motion_seconds = ?9, fingerprint = ?10, duplicate_of = NULL RETURNING id",
        )?
        .query_row(
            (
                known.as_ref().map(|(id, _)| *id),
                &name,
                file_id,
                index,
                skeleton_id,
                take.fps,
                take.frames,
                take.tpose,
                take.motion_seconds,
                &take.fingerprint,
            ),
            |row| row.get(0),
        )?;
    connection
        .prepare_cached("INSERT OR REPLACE INTO sources (clip_id, bytes) VALUES (?1, ?2)")?
        .execute((id, &take.source))?;
    connection
        .prepare_cached("DELETE FROM removed_takes WHERE file_id = ?1 AND take = ?2")?
        .execute((file_id, index))?;
    put_given(connection, id, take)?;
    put_derived(connection, id, &take.derived)?;
    put_loop(connection, id, take)?;
    Ok((id, name))
}

/// The contacts that the file marks.
fn put_given(connection: &Connection, id: i64, take: &Take) -> Result<(), Error> {
    connection.prepare_cached("DELETE FROM given_contacts WHERE clip_id = ?1")?.execute([id])?;
    if let Some(feet) = &take.contacts {
        connection
            .prepare_cached("INSERT INTO given_contacts (clip_id, feet) VALUES (?1, ?2)")?
            .execute((id, provenance::to_text(feet)?))?;
    }
    Ok(())
}

/// The loop that the file marks, in frames of the derived clip.
fn put_loop(connection: &Connection, id: i64, take: &Take) -> Result<(), Error> {
    connection
        .prepare_cached("DELETE FROM segments WHERE clip_id = ?1 AND kind = ?2")?
        .execute((id, LOOP))?;
    let (Some(marked), Ok(derived)) = (&take.loop_frames, &take.derived) else { return Ok(()) };
    let frame = |frame: usize| (frame as f64 * derived.packed.fps() / take.fps).round() as usize;
    let (start, end) = (frame(marked.start), frame(marked.end).min(derived.packed.num_frames()));
    if start < end {
        connection
            .prepare_cached(
                "INSERT INTO segments (clip_id, kind, start, \"end\", version, bytes) VALUES (?1, ?2, ?3, ?4, 1, x'')",
            )?
            .execute((id, LOOP, start, end))?;
    }
    Ok(())
}

/// Replaces everything that was derived from a clip.
pub(crate) fn put_derived(connection: &Connection, id: i64, derived: &Outcome) -> Result<(), Error> {
    for table in ["derived", "measures", "contacts"] {
        connection.prepare_cached(&format!("DELETE FROM {table} WHERE clip_id = ?1"))?.execute([id])?;
    }
    connection
        .prepare_cached("DELETE FROM segments WHERE clip_id = ?1 AND kind <> ?2")?
        .execute((id, LOOP))?;
    connection.prepare_cached("DELETE FROM tags WHERE clip_id = ?1 AND automatic = 1")?.execute([id])?;
    let reason = derived.as_ref().err();
    connection.prepare_cached("UPDATE clips SET underived = ?2 WHERE id = ?1")?.execute((id, reason))?;
    let Ok(Derived { packed, contacts, measures, tags, .. }) = derived else { return Ok(()) };
    connection
        .prepare_cached("INSERT INTO derived (clip_id, version, frames, bytes) VALUES (?1, ?2, ?3, ?4)")?
        .execute((id, DERIVED_VERSION, packed.num_frames(), packed.to_bytes()))?;
    if let Some(contacts) = contacts {
        connection
            .prepare_cached("INSERT INTO contacts (clip_id, bytes) VALUES (?1, ?2)")?
            .execute((id, contacts.to_bytes()))?;
    }
    if let Some(m) = measures {
        connection
            .prepare_cached(
                "INSERT INTO measures (clip_id, speed_m_s, peak_m_s, path_m, turn_deg, left_deg, right_deg, rise_m, \
                 steps, flights) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute((
                id, m.speed_m_s, m.peak_m_s, m.path_m, m.turn_deg, m.left_deg, m.right_deg, m.rise_m, m.steps, m.flights,
            ))?;
    }
    put_tags(connection, id, tags.iter().map(String::as_str), true)
}

/// Puts tags on a clip.
pub(crate) fn put_tags<'a>(
    connection: &Connection,
    id: i64,
    tags: impl IntoIterator<Item = &'a str>,
    automatic: bool,
) -> Result<(), Error> {
    let mut insert = connection
        .prepare_cached("INSERT OR IGNORE INTO tags (clip_id, tag, automatic) VALUES (?1, ?2, ?3)")?;
    for tag in tags {
        insert.execute((id, tag, automatic))?;
    }
    Ok(())
}

/// Finds the first other clip with the same motion, and remembers it.
pub(crate) fn find_duplicate(
    connection: &Connection,
    id: i64,
    name: &str,
    motion_seconds: f64,
    fingerprint: &[u8],
) -> Result<Option<Duplicate>, Error> {
    let mut others = connection.prepare_cached(
        "SELECT clips.id, clips.name, clips.fingerprint, files.hash = (SELECT hash FROM files f JOIN clips own ON \
         own.file_id = f.id WHERE own.id = ?1 AND f.id <> files.id) FROM clips LEFT JOIN files ON files.id = clips.file_id \
         WHERE motion_seconds BETWEEN ?2 AND ?3 AND clips.id <> ?1 AND duplicate_of IS NOT ?1 ORDER BY clips.id",
    )?;
    let range = (motion_seconds - LENGTH_TOLERANCE_S, motion_seconds + LENGTH_TOLERANCE_S);
    let mut rows = others.query((id, range.0, range.1))?;
    while let Some(row) = rows.next()? {
        let known = row.get_ref(2)?.as_blob().unwrap_or_default();
        if same_motion(known, fingerprint) {
            let (other, of): (i64, String) = (row.get(0)?, row.get(1)?);
            let same_bytes: Option<bool> = row.get(3)?;
            connection
                .prepare_cached("UPDATE clips SET duplicate_of = ?2 WHERE id = ?1")?
                .execute((id, other))?;
            let how = if same_bytes == Some(true) { Sameness::SameBytes } else { Sameness::SameMotion };
            return Ok(Some(Duplicate { clip: name.to_owned(), of, how }));
        }
    }
    Ok(None)
}
