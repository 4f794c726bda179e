//! From a document to a motion: every step is a job of the library. Results of steps are kept for a while, so that a
//! slider of the last one does not run the others again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::Value;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::perform::Model;
use ugoki_verbs::perform::Request as Perform;
use ugoki_verbs::walk::Ready;
use ugoki_verbs::{Error, Request};

use super::composing::{Candidate, Tell, composed};
use super::protocol::{BEFORE, Document, Problem, Reaction, Tool};
use super::reaction::reaction;
use super::shared::Studio;

/// Results of steps that are kept.
const MOST_KEPT: usize = 40;
/// Walks that are kept ready to be walked anew.
const MOST_WALKS: usize = 4;

/// What one step made.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) clip: Arc<Clip>,
    /// As `--json` gives it, without numbers of every frame.
    pub(super) report: Value,
    pub(super) reaction: Option<Reaction>,
    /// What later steps may run, by the name that they know it under.
    model: Option<(String, Arc<Model>)>,
    /// Another motion to be seen beside the result.
    beside: Option<Arc<Clip>>,
    /// Performances of which the document picks one.
    pub(super) candidates: Vec<Candidate>,
}

/// A document computed.
#[derive(Debug)]
pub(super) struct Evaluated {
    pub(super) clip: Arc<Clip>,
    /// What the tool in use works on, when it does something.
    pub(super) ghost: Option<Arc<Clip>>,
    pub(super) made: Vec<Arc<Made>>,
    pub(super) problem: Option<Problem>,
}

/// Why there is nothing to show.
#[derive(Debug)]
pub(super) enum Fault {
    /// Nobody wants it any more.
    Cancelled,
    /// It cannot be.
    Problem(Problem),
}

impl Problem {
    /// The library's "what was found; what to do", in two.
    pub(super) fn advised(message: &str) -> Self {
        let (message, hint) = match message.split_once("; ") {
            Some((found, advice)) => (found.to_owned(), Some(advice.to_owned())),
            None => (message.to_owned(), None),
        };
        Self { file: None, step: None, message, hint }
    }
}

/// Values by what they were made from, newest last.
#[derive(Debug)]
struct Recent<T> {
    values: Mutex<Vec<(String, Arc<T>)>>,
    most: usize,
}

impl<T> Recent<T> {
    fn new(most: usize) -> Self {
        Self { values: Mutex::default(), most }
    }

    fn get(&self, key: &str) -> Option<Arc<T>> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let at = values.iter().position(|(known, _)| known == key)?;
        let entry = values.remove(at);
        values.push(entry);
        values.last().map(|(_, value)| value.clone())
    }

    fn put(&self, key: String, value: Arc<T>) {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.push((key, value));
        let extra = values.len().saturating_sub(self.most);
        values.drain(..extra);
    }

    fn clear(&self) {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// What was computed and may be wanted again.
#[derive(Debug)]
pub(super) struct Kept {
    made: Recent<Made>,
    walks: Recent<Ready>,
}

impl Default for Kept {
    fn default() -> Self {
        Self { made: Recent::new(MOST_KEPT), walks: Recent::new(MOST_WALKS) }
    }
}

impl Kept {
    /// Forgets everything: clips of the database changed.
    pub(super) fn clear(&self) {
        self.made.clear();
        self.walks.clear();
    }
}

/// Whether a step belongs to a tool.
pub(super) fn belongs(request: &Request, tool: Tool) -> bool {
    match tool {
        Tool::Clean => matches!(request, Request::Filter(_) | Request::Equalize(_) | Request::Plant(_)),
        Tool::Blend => matches!(request, Request::Blend(_)),
        Tool::Walk => matches!(request, Request::Walk(_) | Request::Loop(_) | Request::Splice(_)),
        Tool::Compose => matches!(request, Request::Compose(_)),
        Tool::React => matches!(request, Request::React(_)),
        Tool::Perform => matches!(request, Request::Perform(_)),
        Tool::Segment | Tool::Export => false,
    }
}

/// Computes a document; a step that cannot be done ends it, with the reason.
pub(super) fn evaluate(
    document: &Document,
    studio: &Studio,
    tell: Tell<'_>,
    progress: Progress<'_>,
) -> Result<Evaluated, Fault> {
    let Some(name) = &document.clip else {
        return Err(Fault::Problem(Problem::advised("no clip is chosen; choose one on the left")));
    };
    let base = studio.clip(name).map_err(Fault::Problem)?;
    let mut done = Evaluated { clip: base, ghost: None, made: Vec::new(), problem: None };
    let mut key = format!("{name}\n");
    let count = document.steps.len().max(1) as f32;
    for (at, request) in document.steps.iter().enumerate() {
        // What is composed has nothing to do with the clip before it.
        if done.ghost.is_none() && belongs(request, document.tool) && document.tool != Tool::Compose {
            done.ghost = Some(done.clip.clone());
        }
        let before = key.clone();
        // Serialising a request cannot fail; without a key nothing is kept.
        key += &serde_json::to_string(request).unwrap_or_default();
        key += &texts(request, &document.files);
        let known = studio.kept.made.get(&key);
        let made = if let Some(made) = known {
            made
        } else {
            let share = |part: f32| (at as f32 + part) / count;
            let files = &document.files;
            let given = Given { before: &done.clip, key: &before, made: &done.made, studio, files, tell };
            match step(request, &given, &mut |part| progress(share(part))) {
                Ok(made) => {
                    let made = Arc::new(made);
                    studio.kept.made.put(key.clone(), made.clone());
                    made
                }
                Err(Fault::Cancelled) => return Err(Fault::Cancelled),
                Err(Fault::Problem(problem)) => {
                    done.problem = Some(Problem { step: Some(at as u32), ..problem });
                    return Ok(done);
                }
            }
        };
        if !made.candidates.is_empty() {
            key += &format!("\n{}", document.pick);
        }
        done.take(made, document);
    }
    Ok(done)
}

impl Evaluated {
    fn take(&mut self, made: Arc<Made>, document: &Document) {
        let picked = made.candidates.get(document.pick as usize).or(made.candidates.first());
        self.clip = picked.map_or(&made.clip, |(clip, _)| clip).clone();
        if document.tool == Tool::Perform && made.beside.is_some() {
            self.ghost.clone_from(&made.beside);
        }
        self.made.push(made);
    }

    /// Performances to choose from.
    pub(super) fn candidates(&self) -> &[Candidate] {
        self.made.iter().rev().find(|made| !made.candidates.is_empty()).map_or(&[], |made| &made.candidates)
    }

    /// What was learned last.
    pub(super) fn model(&self) -> Option<Arc<Model>> {
        self.made.iter().rev().find_map(|made| made.model.as_ref()).map(|(_, model)| model.clone())
    }
}

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

/// Texts of the files that a request names, for its key.
fn texts(request: &Request, files: &BTreeMap<String, String>) -> String {
    let names = match request {
        Request::Walk(walk) => vec![&walk.steps],
        Request::React(react) => vec![&react.throw, &react.body],
        Request::Compose(compose) => return files.get(&compose.timeline).cloned().unwrap_or_default(),
        _ => Vec::new(),
    };
    names.into_iter().flatten().filter_map(|name| files.get(name)).cloned().collect()
}

/// Runs one job.
pub(super) fn step(request: &Request, given: &Given<'_>, progress: Progress<'_>) -> Result<Made, Fault> {
    let Given { before, key, made: earlier, studio, files, tell } = given;
    let input = |name: &str| -> Result<Arc<Clip>, Fault> {
        if name == BEFORE {
            return Ok(Arc::clone(before));
        }
        match name.strip_prefix('#') {
            Some(clip) => studio.clip(clip).map_err(Fault::Problem),
            None => Err(Fault::Problem(Problem {
                file: Some(name.to_owned()),
                ..Problem::advised("is no clip of this database; name clips as #walk")
            })),
        }
    };
    let all = |names: &[String]| names.iter().map(|name| input(name)).collect::<Result<Vec<_>, _>>();
    let text = |name: &Option<String>| match name {
        None => Ok(None),
        Some(name) => match files.get(name) {
            Some(text) => Ok(Some(text.as_str())),
            None => Err(Fault::Problem(Problem::advised(&format!("{name:?} is not part of the document")))),
        },
    };
    match request {
        Request::Filter(job) => {
            made(&before.name, ugoki_verbs::filter::run(job, &*input(&job.input)?, progress).map_err(fault)?)
        }
        Request::Equalize(job) => made(
            &before.name,
            ugoki_verbs::equalize::run(job, &*input(&job.input)?, progress).map_err(fault)?,
        ),
        Request::Plant(job) => {
            made(&before.name, ugoki_verbs::plant::run(job, &*input(&job.input)?, progress).map_err(fault)?)
        }
        Request::Blend(job) => {
            let clips = all(&job.inputs)?;
            let lent: Vec<&Clip> = clips.iter().map(AsRef::as_ref).collect();
            made(&before.name, ugoki_verbs::blend::run(job, &lent, progress).map_err(fault)?)
        }
        Request::Splice(job) => {
            let clips = all(&job.inputs)?;
            let lent: Vec<&Clip> = clips.iter().map(AsRef::as_ref).collect();
            let done = ugoki_verbs::splice::run(job, &lent, progress).map_err(fault)?;
            made(&before.name, (done.clip, done.report))
        }
        Request::Loop(job) => {
            let done = ugoki_verbs::loop_::run(job, &*input(&job.input)?, progress).map_err(fault)?;
            made(&before.name, (done.clip, done.report))
        }
        Request::Walk(job) => {
            let plan = text(&job.steps)?.map(ugoki_verbs::walk::read_steps).transpose();
            let plan = plan.map_err(|error| Fault::Problem(Problem::advised(&error.message)))?;
            // Of a walk that is dragged about only the plan changes.
            let place = format!("{} {key}", job.input);
            let ready = match studio.kept.walks.get(&place) {
                Some(ready) => ready,
                None => {
                    let ready =
                        ugoki_verbs::walk::ready(&*input(&job.input)?, &mut |share| progress(0.4 * share));
                    let ready = Arc::new(ready.map_err(fault)?);
                    studio.kept.walks.put(place, ready.clone());
                    ready
                }
            };
            let done = ugoki_verbs::walk::run_ready(job, &ready, plan.as_deref(), progress).map_err(fault)?;
            made(&before.name, (done.clip, done.report))
        }
        Request::React(job) => {
            let named = ugoki_verbs::react::Files { body: text(&job.body)?, throw: text(&job.throw)? };
            let (clip, report) =
                ugoki_verbs::react::run(job, &*input(&job.input)?, named, progress).map_err(fault)?;
            let reaction = reaction(&clip, &report);
            let mut made = made(&before.name, (clip, report))?;
            if let Some(frames) = made.report.get_mut("frames") {
                *frames = Value::Array(Vec::new());
            }
            made.reaction = Some(reaction);
            Ok(made)
        }
        Request::Compose(job) => {
            let Some(timeline) = text(&Some(job.timeline.clone()))? else {
                return Err(Fault::Problem(Problem::advised("there is no timeline; add a key motion")));
            };
            let found = composed(job, timeline, studio, *tell, progress)?;
            let mut made = made(&before.name, (Clip::clone(before), found.report))?;
            made.candidates = found.candidates;
            Ok(made)
        }
        Request::Perform(Perform::Learn(job)) => {
            let clips = all(&job.inputs)?;
            let lent: Vec<&Clip> = clips.iter().map(AsRef::as_ref).collect();
            let (model, report) = ugoki_verbs::perform::learn(job, &lent, &[], progress).map_err(fault)?;
            let mut made = made(&before.name, (Clip::clone(before), report))?;
            made.model = Some((job.output.clone(), Arc::new(model)));
            Ok(made)
        }
        Request::Perform(Perform::Run(job)) => {
            let known = earlier.iter().rev().filter_map(|made| made.model.as_ref());
            let Some((_, model)) = known.into_iter().find(|(name, _)| *name == job.model) else {
                let message = "nothing was learned yet; choose an imitation first";
                return Err(Fault::Problem(Problem::advised(message)));
            };
            let performance = input(&job.input)?;
            let done = ugoki_verbs::perform::run(job, model, &performance, &[], progress).map_err(fault)?;
            let mut made = made(&before.name, done)?;
            made.beside = Some(performance);
            Ok(made)
        }
        _ => {
            let verb = request.command_line().into_iter().next().unwrap_or_default();
            Err(Fault::Problem(Problem::advised(&format!("{verb} is no step of a document"))))
        }
    }
}

fn made(name: &str, (mut clip, report): (Clip, impl Serialize)) -> Result<Made, Fault> {
    name.clone_into(&mut clip.name);
    let report = serde_json::to_value(&report)
        .map_err(|error| Fault::Problem(Problem::advised(&error.to_string())))?;
    Ok(Made {
        clip: Arc::new(clip),
        report,
        reaction: None,
        model: None,
        beside: None,
        candidates: Vec::new(),
    })
}

pub(super) fn fault(error: Error) -> Fault {
    match error {
        Error::Cancelled => Fault::Cancelled,
        error => Fault::Problem(Problem::advised(&error.to_string())),
    }
}
