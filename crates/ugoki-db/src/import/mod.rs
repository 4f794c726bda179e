//! Import: files and folders into the database, incremental, parallel, one transaction per file.
//!
//! ```text
//! names ─scan→ files ─file_history→ those that changed ─worker_pool→ prepare (threads) ─→ store (this thread, in
//! order)
//! ```
//!
//! Size and modification time identify most unchanged files; files that look changed are hashed before they are read.
//! Files that could not be used are remembered with the reason, so that a second run does nothing.

mod file_history;
#[cfg(test)]
mod full_disk;
mod labels;
mod licence;
mod places;
mod prepare;
mod scan;
mod store;
mod upload;
mod worker_pool;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use ugoki_base::no_progress;

use crate::{AddReport, Skipped};
use rusqlite::OptionalExtension as _;
use ugoki_base::clip::Clip;
use ugoki_formats::{Problem, Reading};

use self::file_history::{KeptProblem, Known, Memory, Status, options_text};
use self::labels::{check_named, label_map};
use self::licence::Licences;
use self::prepare::{Prepared, Take, Target, content, prepare};
use self::scan::{Found, scan};
use self::store::FileEntry;
use crate::derive::derive;
use crate::fingerprint::fingerprint;
use crate::open::PROGRAM;
use crate::tag::normal_tags;
use crate::{Database, Error, blob};

pub(crate) use self::places::{relative, resolve};
pub(crate) use self::store::{begin, find_duplicate, put_derived, put_tags, touch};
pub use self::upload::Upload;

/// How to import.
#[derive(Debug, Clone, Default)]
pub struct ImportConfig {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Licence of all of them; searched for next to them when absent.
    pub licence: Option<String>,
    /// Tags for every clip.
    pub tags: Vec<String>,
    /// How to read them.
    pub reading: Reading,
    /// Threads to work with; as many as the machine has cores when absent.
    pub threads: Option<usize>,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImportStep<'a> {
    /// Files done.
    pub done: usize,
    /// Files to do.
    pub total: usize,
    /// The file whose clips have just been made permanent.
    pub stored: Option<&'a str>,
}

/// What long imports call; `Break` ends them after the file at hand.
pub type ImportProgress<'a> = &'a mut dyn FnMut(ImportStep<'_>) -> ControlFlow<()>;

/// What a worker found out about a file.
enum Finished {
    Unreadable(String),
    Unchanged(i64),
    /// Content that is known under other places: the entries that may have been this file.
    Known(Vec<i64>),
    Read(Box<Prepared>),
    Failed(Error),
}

impl Database {
    /// Takes files and folders in. What is finished stays when the import is stopped or killed.
    ///
    /// # Errors
    /// When the database cannot be written. Files that cannot be used are in the report.
    pub fn import(
        &mut self,
        config: &ImportConfig,
        progress: ImportProgress<'_>,
    ) -> Result<AddReport, Error> {
        let config = &ImportConfig { tags: normal_tags(&config.tags)?, ..config.clone() };
        check_named(&config.reading)?;
        let mut report =
            AddReport { database: self.path.to_string_lossy().into_owned(), ..AddReport::default() };
        report.renewed = self.renew(&mut |_| progress(ImportStep { done: 0, total: 0, stored: None }))?;
        let folder = self.path.parent().map(Path::to_owned).unwrap_or_default();
        let scan = scan(&config.paths, &self.path);
        report.ignored = scan.ignored;
        for (file, error) in scan.unreadable {
            let hint = error.hint();
            let problem = Problem { file: Some(file), line: None, message: error.to_string(), hint };
            report.skipped.push(Skipped { problem, known: false, named: true, cause: Some(error) });
        }
        let options = options_text(&config.reading)?;
        let memory = Memory::load(&self.connection)?;
        let mut work: Vec<(Found, String)> = Vec::new();
        let mut as_they_were = Vec::new();
        for found in scan.found {
            let place = places::relative(&found.path, &folder);
            match memory
                .by_path
                .get(&place)
                .filter(|known| known.is_unchanged(&found.path, found.stat, &options))
            {
                Some(known) if !pass(known, &found, &mut report) => work.push((found, place)),
                Some(known) if known.status == Status::Imported => as_they_were.push(known.id),
                Some(_) => {}
                None => work.push((found, place)),
            }
        }
        let target = Target {
            skeleton: self.skeleton.clone(),
            fps: self.fps,
            reading: config.reading.clone(),
            labels: label_map(&config.reading)?,
        };
        let sizes: Vec<u64> = work.iter().map(|(found, _)| found.stat.size).collect();
        let threads = config.threads.unwrap_or_else(ugoki_base::threads::count);
        let mut licences = Licences::new(config.licence.as_deref());
        for id in as_they_were {
            self.label(id, config, &mut report)?;
        }
        let total = work.len();
        let mut failure = None;
        let mut stopped = false;
        let progress = std::cell::RefCell::new(progress);
        let step =
            |done: usize, stored: Option<&str>| (progress.borrow_mut())(ImportStep { done, total, stored });
        let done = std::cell::Cell::new(0);
        worker_pool::in_order(
            &sizes,
            threads,
            |index, stop| {
                let (found, place) = &work[index];
                look(found, place, &memory, &options, &target, stop)
            },
            |index, finished| {
                let (found, place) = &work[index];
                let licence = licences.find(&found.path, &found.top);
                let entry = FileEntry {
                    path: place,
                    stat: found.stat,
                    options: &options,
                    licence: licence.as_deref(),
                };
                let result = self.take(found, &entry, finished, &target, config, &mut report);
                done.set(index + 1);
                match result {
                    Ok(()) => {
                        let flow = step(index + 1, Some(&found.shown));
                        stopped |= flow.is_break();
                        flow
                    }
                    Err(error) => {
                        failure = Some(error);
                        ControlFlow::Break(())
                    }
                }
            },
            || {
                let flow = step(done.get(), None);
                if flow.is_break() {
                    done.set(total + 1);
                }
                flow
            },
        );
        stopped |= done.get() > total;
        report.stopped = stopped;
        // Merges the journal into the file now, while no caller waits.
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        match failure {
            Some(Error::Cancelled) => {
                report.stopped = true;
                Ok(report)
            }
            Some(error) => Err(error),
            None => Ok(report),
        }
    }

    /// Stores what a worker found out.
    fn take(
        &mut self,
        found: &Found,
        entry: &FileEntry<'_>,
        finished: Finished,
        target: &Target,
        config: &ImportConfig,
        report: &mut AddReport,
    ) -> Result<(), Error> {
        let prepared = match finished {
            Finished::Failed(error) => return Err(error),
            Finished::Unreadable(message) => {
                report.skipped.push(skipped(found, message));
                return Ok(());
            }
            Finished::Unchanged(id) => {
                store::store_place(&mut self.connection, id, entry.path, entry.stat)?;
                report.passed.unchanged += 1;
                return self.label(id, config, report);
            }
            Finished::Known(ids) => {
                if let Some(id) = self.free_entry(&ids, found)?
                    && self.take_over(id, found, entry, config, report)?
                {
                    return Ok(());
                }
                // Every place it is known from has its file: this one is a copy. Or it is read in another way now.
                match content(&found.path) {
                    Ok(content) => prepare(&found.path, &content, target, &mut no_progress())?,
                    Err(message) => {
                        report.skipped.push(skipped(found, message));
                        return Ok(());
                    }
                }
            }
            Finished::Read(prepared) => *prepared,
        };
        match &prepared.takes {
            Err(problem) => {
                let kept = store::store_refusal(&mut self.connection, entry, &prepared, problem)?;
                let mut problem = KeptProblem::new(problem).about(&found.shown);
                if kept > 0 {
                    let clips = if kept == 1 { "clip" } else { "clips" };
                    problem.message =
                        format!("{}; the {kept} {clips} of its earlier content stay", problem.message);
                }
                report.skipped.push(Skipped { problem, known: false, named: found.named, cause: None });
            }
            Ok(takes) => {
                let stem = found.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
                let stem = stem.unwrap_or_default();
                let whole = config.reading.take.is_none();
                let connection = &mut self.connection;
                let (mut added, duplicates) =
                    store::store_takes(connection, entry, &stem, &prepared, takes, &config.tags, whole)?;
                added.file.clone_from(&found.shown);
                report.added.push(added);
                report.duplicates.extend(duplicates);
            }
        }
        Ok(())
    }

    /// Gives an unchanged file's clips the tags and the licence that the user names now.
    fn label(&mut self, id: i64, config: &ImportConfig, report: &mut AddReport) -> Result<(), Error> {
        let given = Licences::given(config.licence.as_deref());
        if (given.is_some() || !config.tags.is_empty())
            && store::store_labels(&mut self.connection, id, &config.tags, given.as_ref())?
        {
            report.relabelled += 1;
        }
        Ok(())
    }

    /// The first of these entries, all of the content of the file found, whose own place does not have that content any
    /// more: the file was moved, or the database was, and its places now mean other files or none.
    fn free_entry(&self, ids: &[i64], found: &Found) -> Result<Option<i64>, Error> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let mut free = None;
        for &id in ids {
            let known: Option<(String, Vec<u8>)> = self
                .connection
                .prepare_cached("SELECT path, hash FROM files WHERE id = ?1")?
                .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((path, hash)) = known else { continue };
            let place = places::resolve(&path, folder);
            // The same file seen from another folder: surely this one.
            if place.canonicalize().is_ok_and(|place| place == found.path) {
                return Ok(Some(id));
            }
            let there = place.metadata().is_ok_and(|data| data.len() == found.stat.size)
                && content(&place).is_ok_and(|content| content.hash.as_slice() == hash);
            free = free.or((!there).then_some(id));
        }
        Ok(free)
    }

    /// Lets a known entry be about the file found; `false` when the file has to be read all the same.
    fn take_over(
        &mut self,
        id: i64,
        found: &Found,
        entry: &FileEntry<'_>,
        config: &ImportConfig,
        report: &mut AddReport,
    ) -> Result<bool, Error> {
        store::store_place(&mut self.connection, id, entry.path, entry.stat)?;
        let known = Known::load(&self.connection, id)?;
        if !known.is_read_alike(&found.path, entry.options) {
            return Ok(false);
        }
        let unchanged = report.passed.unchanged;
        if !pass(&known, found, report) {
            return Ok(false);
        }
        if known.status == Status::Imported {
            report.passed.unchanged = unchanged;
            report.passed.moved += 1;
            self.label(id, config, report)?;
        }
        Ok(true)
    }

    /// Puts a clip in that comes from no file, under its name made unique, with its tags; gives its id.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn add_clip(&mut self, clip: &Clip) -> Result<i64, Error> {
        let tags = normal_tags(&clip.tags)?;
        let go_on = &mut no_progress();
        let motion = clip.motion_frames();
        let take = Take {
            name: None,
            index: 0,
            loop_frames: None,
            contacts: None,
            skeleton: clip.skeleton().clone(),
            fps: clip.fps(),
            frames: clip.num_frames(),
            tpose: clip.tpose_frame,
            motion_seconds: motion.len() as f64 / clip.fps(),
            fingerprint: fingerprint(clip),
            source: blob::fold(clip)?,
            derived: derive(clip, None, &self.skeleton, self.fps, go_on)?,
            tags,
            notes: Vec::new(),
        };
        let transaction = begin(&mut self.connection)?;
        let (id, _) = store::put_clip(&transaction, None, 0, &clip.name, &take)?;
        put_tags(&transaction, id, take.tags.iter().map(String::as_str), false)?;
        touch(&transaction)?;
        transaction.commit()?;
        Ok(id)
    }
}

/// Counts a file that is as it was; `false` when it must be looked at all the same.
fn pass(known: &Known, found: &Found, report: &mut AddReport) -> bool {
    match known.status {
        Status::Imported if found.named && known.removed_takes > 0 => return false,
        Status::Imported => {
            report.passed.unchanged += 1;
            report.passed.removed_takes += known.removed_takes;
        }
        Status::Removed if found.named => return false,
        Status::Removed => report.passed.removed += 1,
        // Another version of the program may read it.
        Status::Refused if known.program != PROGRAM => return false,
        Status::Refused => {
            let problem = known.reason.clone().unwrap_or_else(|| KeptProblem {
                line: None,
                message: "could not be used".to_owned(),
                hint: None,
            });
            let problem = problem.about(&found.shown);
            report.skipped.push(Skipped { problem, known: true, named: found.named, cause: None });
        }
    }
    true
}

/// A worker's part: reads the file if its content is new.
fn look(
    found: &Found,
    place: &str,
    memory: &Memory,
    options: &str,
    target: &Target,
    stop: &AtomicBool,
) -> Finished {
    let content = match content(&found.path) {
        Ok(content) => content,
        Err(message) => return Finished::Unreadable(message),
    };
    let known = memory.by_path.get(place);
    if let Some(known) = known
        && known.status == Status::Imported
        && known.hash == content.hash
        && known.is_read_alike(&found.path, options)
        && !(found.named && known.removed_takes > 0)
    {
        return Finished::Unchanged(known.id);
    }
    // What is known by its content is the same file wherever it lies now, whatever was known of this place.
    let ids = memory.by_hash.get(content.hash.as_slice()).cloned().unwrap_or_default();
    let ids: Vec<i64> = ids.into_iter().filter(|id| known.is_none_or(|known| known.id != *id)).collect();
    if !ids.is_empty() && known.is_none_or(|known| known.hash != content.hash) {
        return Finished::Known(ids);
    }
    let mut go_on = |_: f32| match stop.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    // Readers do not panic on any file; if one does all the same, the other files are not to suffer.
    match catch_unwind(AssertUnwindSafe(|| prepare(&found.path, &content, target, &mut go_on))) {
        Ok(Ok(prepared)) => Finished::Read(Box::new(prepared)),
        Ok(Err(Error::Cancelled)) => Finished::Failed(Error::Cancelled),
        Ok(Err(error)) => Finished::Unreadable(error.to_string()),
        Err(_) => Finished::Unreadable("made the program fail; please report it with the file".to_owned()),
    }
}

fn skipped(found: &Found, message: String) -> Skipped {
    let hint = Error::Io { detail: message.clone() }.hint();
    let problem = Problem { file: Some(found.shown.clone()), line: None, message, hint };
    Skipped { problem, known: false, named: found.named, cause: None }
}
