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
use ugoki_verbs::{Budget, Error, Host, NewMotion, Opened, Reading, Request};

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
}

impl<'a> StepHost<'a> {
    /// A host for a step; some requests are beyond what a page shows.
    pub(super) fn new(given: &'a Given<'a>, request: &Request) -> Result<Self, Fault> {
        let mut host = Self { given, motion: None, model: None, performance: None, candidates: Vec::new() };
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
    fn open(&mut self, name: &str, _: &Reading) -> Result<Opened, Error> {
        let clip = self.clip(name)?;
        Ok(Opened::Motion(Box::new(Read::from_clip(Clip::clone(&clip), Marks::default()))))
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

    fn write_motion(&mut self, _: &str, motion: &NewMotion<'_>) -> Result<(), Error> {
        self.motion = Some(motion.clip.clone());
        Ok(())
    }

    fn write(&mut self, _: &str, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }

    fn create_folder(&mut self, _: &str) -> Result<(), Error> {
        Ok(())
    }

    fn database(&mut self, _: &str) -> Result<Database, Error> {
        Ok(Database::open_read_only(&self.given.studio.path)?)
    }

    fn catalogue(
        &mut self,
        _: &str,
        config: &CatalogueConfig,
        progress: Progress<'_>,
    ) -> Result<(FoundCatalogue, bool), Error> {
        self.given.studio.catalogue(config, progress).map(|found| (found, true))
    }

    fn model(&mut self, name: &str) -> Result<Arc<Model>, Error> {
        let known = self.given.made.iter().rev().filter_map(|made| made.model.as_ref());
        let model = known.into_iter().find(|(known, _)| known == name).map(|(_, model)| model.clone());
        model.ok_or_else(|| Error::refused("nothing was learned yet").hint("choose an imitation first"))
    }

    fn write_model(&mut self, name: &str, model: Model) -> Result<Vec<String>, Error> {
        let names = model.motions.iter().map(|motion| motion.name().to_owned()).collect();
        self.model = Some((name.to_owned(), Arc::new(model)));
        Ok(names)
    }

    fn candidate(&mut self, number: usize, count: usize, clip: &Clip, report: &dyn Fn() -> Value) {
        // Later searches replace what earlier ones found; what stays keeps its stream.
        if self.candidates.get(number).is_some_and(|(known, _)| **known == *clip) {
            return;
        }
        let candidate = (Arc::new(clip.clone()), report());
        (self.given.tell)(number, count, &candidate);
        self.candidates.truncate(number);
        self.candidates.push(candidate);
    }

    fn note(&mut self, _: &str) {}

    fn cached(&mut self, key: &str) -> Option<Arc<dyn Any + Send + Sync>> {
        self.given.studio.kept.prepared.get(&format!("{key} {}", self.given.key))
    }

    fn cache(&mut self, key: &str, value: Arc<dyn Any + Send + Sync>) {
        self.given.studio.kept.prepared.put(format!("{key} {}", self.given.key), value);
    }

    fn budget(&self) -> Budget {
        Budget::default()
    }
}
