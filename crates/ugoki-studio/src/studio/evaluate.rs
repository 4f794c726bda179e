//! From a document to a motion: every step is a verb. Results of steps are kept for a while, so that a slider of the last
//! one does not run the others again.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::perform::Model;
use ugoki_verbs::{AnyVerb as _, Error, OneOrMany, Request, Written, react};

use super::commands::names_file;
use super::protocol::{Document, Problem, Tool};
use super::reaction::reaction;
use super::results::{Candidate, Fault, Made, Tell};
use super::shared::Studio;
use super::step_host::{Given, StepHost};

/// A document computed.
#[derive(Debug)]
pub(super) struct Evaluated {
    pub(super) clip: Arc<Clip>,
    /// What the tool in use works on, when it does something.
    pub(super) ghost: Option<Arc<Clip>>,
    pub(super) made: Vec<Arc<Made>>,
    pub(super) problem: Option<Problem>,
}

/// Whether a step belongs to a tool.
pub(super) fn belongs(request: &Request, tool: Tool) -> bool {
    match tool {
        Tool::Clean => matches!(request, Request::Filter(_) | Request::Equalize(_) | Request::Plant(_)),
        Tool::Blend => matches!(request, Request::Blend(_)),
        Tool::Edit => matches!(request, Request::Edit(_)),
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
        return Err(Fault::Problem(Problem::new("no clip is chosen").hint("choose one on the left")));
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
            let overall = |part: f32| (at as f32 + part) / count;
            let files = &document.files;
            let given = Given { before: &done.clip, key: &before, made: &done.made, studio, files, tell };
            match step(request, &given, &mut |part| progress(overall(part))) {
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
        if document.tool == Tool::Perform && made.performance.is_some() {
            self.ghost.clone_from(&made.performance);
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

/// Texts of the files that a request names, for its key.
fn texts(request: &Request, files: &BTreeMap<String, String>) -> String {
    files.iter().filter(|(name, _)| names_file(request, name)).map(|(_, text)| text.as_str()).collect()
}

/// Whether a verb can be a step: it makes a motion, or something that later steps use.
fn is_step(request: &Request) -> bool {
    use Tool::{Blend, Clean, Compose, Edit, Perform, React, Walk};
    [Clean, Blend, Edit, Walk, Compose, React, Perform].iter().any(|&tool| belongs(request, tool))
}

/// Runs one verb.
pub(super) fn step(request: &Request, given: &Given<'_>, progress: Progress<'_>) -> Result<Made, Fault> {
    if !is_step(request) {
        return Err(Fault::Problem(Problem::new(format!("{} is not a step of a document", request.name()))));
    }
    let mut host = StepHost::new(given, request)?;
    let report = request.run_any(&mut host, progress).map_err(fault)?;
    let mut value = report.value().map_err(|error| Fault::Problem(Problem::new(error.to_string())))?;
    let StepHost { motion, model, performance, candidates, .. } = host;
    let mut clip = motion.unwrap_or_else(|| Clip::clone(given.before));
    let mut reaction_of = None;
    if let Some(OneOrMany::One(done)) = report.as_any().downcast_ref::<OneOrMany<Written<react::Report>>>() {
        reaction_of = Some(reaction(&clip, &done.report.reaction));
        value["frames"] = Value::Array(Vec::new());
    }
    given.before.name.clone_into(&mut clip.name);
    Ok(Made { clip: Arc::new(clip), report: value, reaction: reaction_of, model, performance, candidates })
}

/// The report of a verb that makes nothing, on the motion before the step.
pub(super) fn ask(request: &Request, given: &Given<'_>, progress: Progress<'_>) -> Result<Value, Fault> {
    let mut host = StepHost::for_report(given, request)?;
    let report = request.run_any(&mut host, progress).map_err(fault)?;
    report.value().map_err(|error| Fault::Problem(Problem::new(error.to_string())))
}

fn fault(error: Error) -> Fault {
    match error {
        Error::Cancelled => Fault::Cancelled,
        error => Fault::Problem(error.problem().into()),
    }
}
