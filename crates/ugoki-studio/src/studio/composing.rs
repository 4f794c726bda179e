//! Performances between key motions: the document's timeline, the database's network, candidates as they are found.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::compose::ComposeError;
use ugoki_verbs::Error;
use ugoki_verbs::compose::{
    Fault as Wrong, Request, Song, Which, fill, on_one_beat, parse_timeline, run_shown,
};

use super::evaluate::{Fault, fault};
use super::protocol::Problem;
use super::shared::Studio;

/// Performances of one search at most: as many as a page still shows as moving cards.
const MOST_CANDIDATES: usize = 24;
/// Share of the work that the network is, the rest being search and motions.
const NETWORK: f32 = 0.3;

/// A performance: its motion and what it is made of.
pub(super) type Candidate = (Arc<Clip>, Value);

/// What a search found, best first.
#[derive(Debug)]
pub(super) struct Composed {
    pub(super) candidates: Vec<Candidate>,
    pub(super) report: Value,
}

/// Told of every candidate as it is found: its place, how many there will be, and itself.
pub(super) type Tell<'a> = &'a dyn Fn(usize, usize, &Candidate);

/// Fills the timeline in `text` from the studio's database.
pub(super) fn composed(
    request: &Request,
    text: &str,
    studio: &Studio,
    tell: Tell<'_>,
    progress: Progress<'_>,
) -> Result<Composed, Fault> {
    if request.candidates > MOST_CANDIDATES {
        let (wanted, most) = (request.candidates, MOST_CANDIDATES);
        return Err(refused(&format!("{wanted} performances are more than a page shows; ask for {most}")));
    }
    let mut timeline = parse_timeline(text, false).map_err(|wrong| wrong_timeline(&wrong))?;
    if timeline.lyrics.is_some() || request.lyrics.is_some() || request.gestures.is_some() {
        return Err(refused("lyrics are read by the command line only; use `ugoki compose --lyrics`"));
    }
    let mut building = request.building.clone();
    let mut notes = on_one_beat(&mut timeline, &mut building).map_err(fault)?;
    let Some(layers) = building.named_layers() else {
        let message = format!("there are no layers {:?}; use upper-lower or full", building.layers);
        return Err(refused(&message));
    };
    let catalogue = studio.catalogue(&building.config(layers), &mut |share| progress(NETWORK * share))?;
    let song = Song { lyrics: None, layer: request.gesture_layer.as_deref(), gestures: &BTreeMap::new() };
    let (timeline, more) = fill(timeline, &song, &catalogue).map_err(|wrong| wrong_timeline(&wrong))?;
    notes.extend(more);
    let mut load = |number: usize| {
        let mark = &catalogue.clips()[number];
        studio
            .clip_of(mark.id)
            .map_err(|problem| Error::Network(format!("clip {:?}: {}", mark.name, problem.message)))
    };
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut show = |shown: ugoki_verbs::compose::Shown<'_>| {
        // Later searches replace what earlier ones found; what stays keeps its stream.
        if candidates.get(shown.number).is_some_and(|(clip, _)| **clip == shown.motion.clip) {
            return;
        }
        // A report is plain data: writing it as JSON cannot fail.
        let report = serde_json::to_value(shown.report).unwrap_or_default();
        let candidate = (Arc::new(shown.motion.clip.clone()), report);
        tell(shown.number, shown.count, &candidate);
        candidates.truncate(shown.number);
        candidates.push(candidate);
    };
    let rest = |share: f32| NETWORK + (1.0 - NETWORK) * share;
    let done =
        run_shown(request, &timeline, &catalogue, &mut load, &mut show, &mut |share| progress(rest(share)))
            .map_err(|error| match error {
            Error::Compose(ComposeError::Timeline(error)) => refused(&error.message),
            error => fault(error),
        })?;
    candidates.truncate(done.motions.len());
    let mut report = done.report;
    report.notes.splice(0..0, notes);
    if candidates.is_empty() {
        return Err(refused("no performance was found; move the keys apart or raise the threshold"));
    }
    Ok(Composed { candidates, report: serde_json::to_value(report).unwrap_or_default() })
}

fn refused(message: &str) -> Fault {
    Fault::Problem(Problem::advised(message))
}

fn wrong_timeline(wrong: &Wrong) -> Fault {
    refused(&match wrong.file {
        Which::Option(option) => format!("{option}: {}", wrong.message),
        _ => wrong.message.clone(),
    })
}
