//! What all pages use: the database, the session, results that are kept, files on their way.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::network::CatalogueConfig;
use ugoki_db::{Database, Error, FoundCatalogue, Selection, normal_tags};
use ugoki_verbs::Budget;

use super::outbox::Outbox;
use super::protocol::{Answer, ClipRow, Problem};
use super::results::Kept;
use super::session::{Effect, Session};
use super::transfers::{self, Exports, Uploads};

/// Kind and name under which the database keeps the session.
const SESSION: (&str, &str) = ("studio-session", "main");
/// Kind under which the database keeps clips that may come back by undoing.
const TRASH: &str = "studio-trash";
/// Versions of what is kept under both.
const KEPT_VERSION: u32 = 2;
const TRASH_VERSION: u32 = 2;
/// Clips of the database that are kept decoded.
const MOST_CLIPS: usize = 32;
/// Pages at once.
pub(super) const MOST_PAGES: usize = 128;

/// The studio behind all pages. Locks are taken in the order of the fields.
#[derive(Debug)]
pub(super) struct Studio {
    session: Mutex<Session>,
    database: Mutex<Database>,
    clips: Mutex<Vec<(String, Arc<Clip>)>>,
    pages: Mutex<Vec<Weak<Outbox>>>,
    pub(super) kept: Kept,
    pub(super) uploads: Uploads,
    pub(super) exports: Exports,
    pub(super) path: PathBuf,
    /// What each step may use.
    pub(super) budget: Budget,
    streams: AtomicU32,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic in one job must not end the others; what is behind these locks is whole between any two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An error of the database in a page's words.
pub(super) fn problem(error: &Error) -> Problem {
    Problem { file: None, line: None, step: None, message: error.to_string(), hint: error.hint() }
}

impl Studio {
    /// Takes the database over, with the session that it keeps.
    pub(super) fn new(mut database: Database, budget: Budget) -> Result<Self, Error> {
        let kept = database.built(SESSION.0, SESSION.1)?.filter(|kept| kept.version == KEPT_VERSION);
        // A session of another version is forgotten; the clips are all there.
        let mut session: Session =
            kept.and_then(|kept| serde_json::from_slice(&kept.bytes).ok()).unwrap_or_default();
        if session.document().clip.is_none()
            && let Some(first) = database.list(&Selection::default())?.into_iter().find(|row| row.derived)
        {
            session = Session::on(&first.name);
        }
        // What no undoing brings back any more need not be kept.
        for name in database.built_names(TRASH)? {
            if !session.mentions(&name) {
                database.remove_built(TRASH, &name)?;
            }
        }
        Ok(Self {
            path: database.path().to_owned(),
            budget,
            session: Mutex::new(session),
            database: Mutex::new(database),
            clips: Mutex::default(),
            pages: Mutex::default(),
            kept: Kept::default(),
            uploads: Uploads::default(),
            exports: Exports::default(),
            streams: AtomicU32::new(1),
        })
    }

    /// A number that no motion had.
    pub(super) fn next_stream(&self) -> u32 {
        self.streams.fetch_add(1, Ordering::Relaxed)
    }

    /// Name of the database.
    pub(super) fn name(&self) -> String {
        self.path.file_stem().map_or_else(|| "sample".to_owned(), |stem| stem.to_string_lossy().into_owned())
    }

    /// A page that came; `false` when there are too many.
    pub(super) fn enter(&self, page: &Arc<Outbox>) -> bool {
        let mut pages = lock(&self.pages);
        pages.retain(|page| page.strong_count() > 0);
        pages.push(Arc::downgrade(page));
        pages.len() <= MOST_PAGES
    }

    fn pages(&self) -> Vec<Arc<Outbox>> {
        lock(&self.pages).iter().filter_map(Weak::upgrade).collect()
    }

    /// Moves what was written last into the file of the database.
    pub(super) fn checkpoint(&self) {
        lock(&self.database).checkpoint();
    }

    /// Sends an answer to every page.
    pub(super) fn tell(&self, answer: &Answer) {
        for page in self.pages() {
            page.answer(answer);
        }
    }

    /// The session, to read or change; a caller that changes it calls [`Studio::keep`].
    pub(super) fn session(&self) -> MutexGuard<'_, Session> {
        lock(&self.session)
    }

    /// Writes the session into the database and sends it to all pages; the one that made the edit hears its number.
    pub(super) fn keep(&self, session: &Session, by: Option<(&Outbox, u32)>) -> Result<(), Problem> {
        let bytes = serde_json::to_vec(session).map_err(|error| Problem::new(error.to_string()))?;
        let kept = lock(&self.database).put_built(SESSION.0, SESSION.1, KEPT_VERSION, &bytes);
        for page in self.pages() {
            let number =
                by.filter(|(other, _)| std::ptr::eq(*other, &raw const *page)).map(|(_, number)| number);
            page.answer(&Self::document(session, number));
        }
        kept.map_err(|error| problem(&error))
    }

    /// The document as it is sent to pages.
    pub(super) fn document(session: &Session, number: Option<u32>) -> Answer {
        Answer::Document {
            number,
            document: session.document().clone(),
            undo: session.undo_label().map(ToOwned::to_owned),
            redo: session.redo_label().map(ToOwned::to_owned),
        }
    }

    /// All clips as they are sent to pages.
    pub(super) fn list(&self) -> Result<Answer, Problem> {
        let rows = lock(&self.database).list(&Selection::default()).map_err(|error| problem(&error))?;
        let row = |row: ugoki_db::ClipRow| ClipRow {
            name: row.name,
            seconds: row.seconds as f32,
            tags: row.tags,
            source: row.source,
            usable: row.derived,
        };
        Ok(Answer::Clips { clips: rows.into_iter().map(row).collect() })
    }

    /// Names of all clips.
    pub(super) fn names(&self) -> Result<Vec<String>, Problem> {
        let rows = lock(&self.database).list(&Selection::default()).map_err(|error| problem(&error))?;
        Ok(rows.into_iter().map(|row| row.name).collect())
    }

    /// The clip after this one in the list, or the one before the last.
    pub(super) fn neighbour(&self, name: &str) -> Result<Option<String>, Problem> {
        let rows = lock(&self.database).list(&Selection::default()).map_err(|error| problem(&error))?;
        let usable: Vec<_> = rows.into_iter().filter(|row| row.derived || row.name == name).collect();
        let at = usable.iter().position(|row| row.name == name).unwrap_or(0);
        let next = usable.get(at + 1).or_else(|| usable.get(at.checked_sub(1)?));
        Ok(next.map(|row| row.name.clone()))
    }

    /// What putting tags on and taking others off changes, if anything: undoing must not take off what was there
    /// before.
    pub(super) fn tagging(
        &self,
        clip: &str,
        add: &[String],
        remove: &[String],
    ) -> Result<Option<Effect>, Problem> {
        let database = lock(&self.database);
        let tags = database.find(clip).and_then(|id| {
            let [all, own] = [database.tags(id, true)?, database.tags(id, false)?];
            Ok(all.into_iter().chain(own).collect::<Vec<_>>())
        });
        drop(database);
        let tags = tags.map_err(|error| problem(&error))?;
        let (mut add, mut remove) = (
            normal_tags(add).map_err(|error| problem(&error))?,
            remove.iter().map(|tag| tag.to_lowercase()).collect::<Vec<_>>(),
        );
        add.retain(|tag| !tags.contains(tag));
        remove.retain(|tag| tags.contains(tag));
        let changes = !(add.is_empty() && remove.is_empty());
        Ok(changes.then(|| Effect::Tagged { clip: clip.to_owned(), add, remove }))
    }

    /// A clip on the database's skeleton and rate.
    pub(super) fn clip(&self, name: &str) -> Result<Arc<Clip>, Problem> {
        if let Some((_, clip)) = lock(&self.clips).iter().find(|(known, _)| known == name) {
            return Ok(clip.clone());
        }
        let database = lock(&self.database);
        let clip = database.find(name).and_then(|id| database.clip(id)).map_err(|error| problem(&error))?;
        drop(database);
        let clip = Arc::new(clip);
        let mut clips = lock(&self.clips);
        clips.push((name.to_owned(), clip.clone()));
        let extra = clips.len().saturating_sub(MOST_CLIPS);
        clips.drain(..extra);
        Ok(clip)
    }

    /// The motion network of all clips. A second connection builds it, so that other pages go on meanwhile.
    pub(super) fn catalogue(
        &self,
        config: &CatalogueConfig,
        progress: Progress<'_>,
    ) -> Result<FoundCatalogue, ugoki_verbs::Error> {
        let found = Database::open_read_only(&self.path)?.catalogue(config, progress)?;
        if found.fresh {
            lock(&self.database).keep_catalogue(&found.catalogue)?;
        }
        Ok(found)
    }

    /// Puts clips in; gives their names.
    pub(super) fn add(&self, clips: &[Clip]) -> Result<Vec<String>, Problem> {
        let mut database = lock(&self.database);
        let mut names = Vec::with_capacity(clips.len());
        for clip in clips {
            let id = database.add_clip(clip).map_err(|error| problem(&error))?;
            names.push(database.name(id).map_err(|error| problem(&error))?);
        }
        Ok(names)
    }

    /// Takes uploaded files in; gives the names of their clips and what could not be used.
    pub(super) fn import(
        &self,
        files: &[(String, Vec<u8>)],
        progress: Progress<'_>,
    ) -> Result<(Vec<String>, Vec<Problem>), Problem> {
        // Reading files takes long: it is done with another connection, so that other pages go on meanwhile.
        let done = if self.path.is_file() {
            Database::open(&self.path).and_then(|mut own| transfers::store(files, &mut own, progress))
        } else {
            transfers::store(files, &mut lock(&self.database), progress)
        };
        // The same file again may have replaced clips.
        lock(&self.clips).clear();
        self.kept.clear();
        done.map_err(|error| problem(&error))
    }

    /// Does to the database what undo, redo or an intent requires.
    pub(super) fn apply(&self, effect: &Effect) -> Result<(), Problem> {
        let mut database = lock(&self.database);
        let done = match effect {
            Effect::Removed(names) => names.iter().try_for_each(|name| {
                let id = database.find(name)?;
                let bytes = database.set_aside(id)?;
                database.put_built(TRASH, name, TRASH_VERSION, &bytes)?;
                database.remove(&[id]).map(drop)
            }),
            Effect::Added(names) => names.iter().try_for_each(|name| {
                let gone = || Error::UnknownClip { name: name.clone(), near: Vec::new() };
                let kept = database.built(TRASH, name)?.filter(|kept| kept.version == TRASH_VERSION);
                database.bring_back(&kept.ok_or_else(gone)?.bytes)?;
                database.remove_built(TRASH, name).map(drop)
            }),
            Effect::Tagged { clip, add, remove } => {
                database.find(clip).and_then(|id| database.tag(&[id], add, remove).map(drop))
            }
        };
        drop(database);
        lock(&self.clips).clear();
        self.kept.clear();
        done.map_err(|error| problem(&error))
    }
}
