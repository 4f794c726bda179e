//! The studio as a host of verbs: inputs are clips of the database and the motion before the step, results stay in memory.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::formats::{Marks, Read, ReadMarkers};
use ugoki::network::CatalogueConfig;
use ugoki::perform::Model;
use ugoki_db::{Database, FoundCatalogue};
use ugoki_verbs::perform::Perform;
use ugoki_verbs::{Budget, Error, Host, NewMotion, Opened, Reading, Request, read_again};

use super::protocol::{BEFORE, Problem};
use super::results::{Candidate, Fault, Made, Tell};
use super::shared::Studio;

/// Performances of one search at most: as many as a page still shows as moving cards.
const MOST_CANDIDATES: usize = 24;

/// What a step may work on.
pub(super) struct Given<'a> {
    /// What the step before made.
    pub(super) before: &'a Arc<Clip>,
    /// What that was made from.
    pub(super) key: &'a str,
    /// What all steps before made.
    pub(super) made: &'a [Arc<Made>],
    pub(super) studio: &'a Studio,
    pub(super) files: &'a BTreeMap<String, String>,
    pub(super) tell: Tell<'a>,
}

/// The host of one step.
pub(super) struct StepHost<'a> {
    given: &'a Given<'a>,
    /// The motion that the step made.
    pub(super) motion: Option<Clip>,
    /// The model that the step learned, by the name that later steps know it under.
    pub(super) model: Option<(String, Arc<Model>)>,
    /// The performance that drives the result.
    pub(super) performance: Option<Arc<Clip>>,
    /// Performances of which the document picks one.
    pub(super) candidates: Vec<Candidate>,
    /// All that were found so far: what is offered again keeps its stream.
    found: Vec<Candidate>,
    /// Whether a motion or model that is made goes on in the document.
    keeps: bool,
    /// Whether files are only part of what the verb makes, and left out: `compose` makes a folder, `edit` a plot whose paths are in the report.
    leaves_files_out: bool,
}

impl<'a> StepHost<'a> {
    /// A host for a step; some requests are beyond what a page shows.
    pub(super) fn new(given: &'a Given<'a>, request: &Request) -> Result<Self, Fault> {
        let leaves_files_out = matches!(request, Request::Compose(_) | Request::Edit(_));
        let mut host = Self {
            given,
            motion: None,
            model: None,
            performance: None,
            candidates: Vec::new(),
            found: Vec::new(),
            keeps: true,
            leaves_files_out,
        };
        let refused = |message: String, hint: String| Err(Fault::Problem(Problem::new(message).hint(hint)));
        match request {
            Request::Compose(compose) if compose.candidates > MOST_CANDIDATES => {
                let message = format!("{} performances are more than a page shows", compose.candidates);
                return refused(message, format!("ask for {MOST_CANDIDATES}"));
            }
            Request::Compose(compose) if compose.lyrics.is_some() || compose.gestures.is_some() => {
                let message = "lyrics are read by the command line only".to_owned();
                return refused(message, "compose with lyrics there".to_owned());
            }
            Request::Perform(Perform::Run(run)) => {
                host.performance =
                    Some(host.clip(&run.input).map_err(|error| Fault::Problem(error.problem().into()))?);
            }
            _ => {}
        }
        Ok(host)
    }

    /// A host for a question, whose answer is only its report.
    pub(super) fn for_report(given: &'a Given<'a>, request: &Request) -> Result<Self, Fault> {
        Ok(Self { keeps: false, leaves_files_out: false, ..Self::new(given, request)? })
    }

    /// Refuses to pretend that a question writes a file; without a name its result is only for the report.
    fn check_kept(&self, name: &str) -> Result<(), Error> {
        match self.keeps || name.is_empty() {
            true => Ok(()),
            false => Err(Error::refused("a question makes nothing")
                .hint("make it a step of the document, or run it from the command line")
                .in_file(name)),
        }
    }

    /// Refuses a database that is not the studio's, which has no name here.
    fn check_database(&self, name: &str) -> Result<(), Error> {
        match name.is_empty() || std::path::Path::new(name) == self.given.studio.path {
            true => Ok(()),
            false => Err(Error::refused("is not the database of this studio")
                .hint("leave the name empty, or open a studio on that database")
                .in_file(name)),
        }
    }

    /// Refuses a file.
    fn check_left_out(&self, name: &str) -> Result<(), Error> {
        match self.leaves_files_out {
            true => Ok(()),
            false => Err(Error::refused("the studio writes no files")
                .hint("export what is on stage, or run this from the command line")
                .in_file(name)),
        }
    }

    fn clip(&self, name: &str) -> Result<Arc<Clip>, Error> {
        if name == BEFORE {
            return Ok(Arc::clone(self.given.before));
        }
        match name.strip_prefix('#') {
            Some(clip) => self.given.studio.clip(clip).map_err(|problem| {
                let error = Error::refused(problem.message);
                problem.hint.into_iter().fold(error, Error::hint)
            }),
            None => Err(Error::refused("is not a clip of this database")
                .hint("name clips as #walk")
                .in_file(name)),
        }
    }
}

impl Host for StepHost<'_> {
    fn open(&mut self, name: &str, reading: &Reading) -> Result<Opened, Error> {
        let clip = self.clip(name)?;
        self.budget().check_clip(&clip).map_err(|error| error.in_file(name))?;
        let read = read_again(Read::from_clip(Clip::clone(&clip), Marks::default()), reading);
        read.map(|read| Opened::Motion(Box::new(read))).map_err(|error| error.in_file(name))
    }

    fn markers(&mut self, _: &str, _: &Reading) -> Result<Option<ReadMarkers>, Error> {
        Ok(None)
    }

    fn text(&mut self, name: &str, _: &str) -> Result<String, Error> {
        let text = self.given.files.get(name).cloned();
        text.ok_or_else(|| Error::refused(format!("{name:?} is not part of the document")))
    }

    fn expand(&mut self, names: &[String], _: Option<&str>) -> Result<Vec<String>, Error> {
        Ok(names.to_vec())
    }

    fn is_folder(&self, _: &str) -> bool {
        false
    }

    fn check_outputs(&mut self, _: &[&str], _: &[&str]) -> Result<(), Error> {
        Ok(())
    }

    fn write_motion(&mut self, name: &str, motion: &NewMotion<'_>) -> Result<(), Error> {
        self.check_kept(name)?;
        self.motion = Some(motion.clip.clone());
        Ok(())
    }

    fn write(&mut self, name: &str, _: &[u8]) -> Result<(), Error> {
        self.check_left_out(name)
    }

    fn create_folder(&mut self, name: &str) -> Result<(), Error> {
        self.check_left_out(name)
    }

    fn database(&mut self, name: &str) -> Result<Database, Error> {
        self.check_database(name)?;
        Ok(Database::open_read_only(&self.given.studio.path)?)
    }

    fn catalogue(
        &mut self,
        name: &str,
        config: &CatalogueConfig,
        progress: Progress<'_>,
    ) -> Result<(FoundCatalogue, bool), Error> {
        self.check_database(name)?;
        self.given.studio.catalogue(config, progress).map(|found| (found, true))
    }

    fn model(&mut self, name: &str) -> Result<Arc<Model>, Error> {
        let known = self.given.made.iter().rev().filter_map(|made| made.model.as_ref());
        let model = known.into_iter().find(|(known, _)| known == name).map(|(_, model)| model.clone());
        model.ok_or_else(|| Error::refused("nothing was learned yet").hint("choose an imitation first"))
    }

    fn write_model(&mut self, name: &str, model: Model) -> Result<Vec<String>, Error> {
        self.check_kept(name)?;
        let names = model.motions.iter().map(|motion| motion.name().to_owned()).collect();
        self.model = Some((name.to_owned(), Arc::new(model)));
        Ok(names)
    }

    fn candidate(&mut self, number: usize, count: usize, clip: &Clip, report: &dyn Fn() -> Value) {
        // Later searches replace what earlier ones found.
        if self.candidates.get(number).is_none_or(|(known, _)| **known != *clip) {
            let known = self.found.iter().find(|(known, _)| **known == *clip);
            let clip = known.map_or_else(|| Arc::new(clip.clone()), |(known, _)| known.clone());
            let candidate = (clip, report());
            (self.given.tell)(number, count, &candidate);
            self.found.push(candidate.clone());
            self.candidates.truncate(number);
            self.candidates.push(candidate);
        }
        if number + 1 == count {
            self.candidates.truncate(count);
        }
    }

    fn note(&mut self, _: &str) {}

    fn cached(&mut self, key: &str) -> Option<Arc<dyn Any + Send + Sync>> {
        self.given.studio.kept.prepared.get(&format!("{key} {}", self.given.key))
    }

    fn cache(&mut self, key: &str, value: Arc<dyn Any + Send + Sync>) {
        self.given.studio.kept.prepared.put(format!("{key} {}", self.given.key), value);
    }

    fn budget(&self) -> Budget {
        self.given.studio.budget
    }
}
