//! What composing found, as `candidates.json` and as text.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use ugoki::compose::{Candidate, Composition, Key, Rendered, Timeline, Weights};
use ugoki::network::Catalogue;

use super::Compose;
use crate::outcome::Outcome;
use crate::verb::Stream;
use crate::words::plural;

/// The page, in the output's folder.
pub(super) const PAGE: &str = "index.html";

/// A key motion in a performance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeyReport {
    /// The clip that stands there.
    pub clip: String,
    /// The layer.
    pub layer: String,
    /// When the timeline wants it, seconds.
    pub wanted_s: f64,
    /// When it starts, on the beat where there is one.
    pub at_s: f64,
    /// When it would start without stretching what comes before it.
    pub unstretched_s: f64,
}

/// A clip in a performance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClipReport {
    /// The clip, or movement of one.
    pub name: String,
    /// When it starts, seconds.
    pub start_s: f64,
    /// When the next starts.
    pub end_s: f64,
    /// How fast it plays: 1.02 is 2 % faster than captured, be it for the beat or for a key's time.
    pub speed: f64,
    /// How much later it ends than it would at that speed, seconds: it slows down and waits for the beat.
    pub held_s: f64,
    /// Cost of the transition into it.
    pub cost: f32,
    /// Whether it is a key motion.
    pub key: bool,
}

/// A performance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CandidateReport {
    /// Its motion file, in the output's folder.
    pub file: String,
    /// How good it is, less is better.
    pub f: f64,
    /// Squared time error, s².
    pub f1: f64,
    /// Mean cost of transitions, rad².
    pub f2: f64,
    /// Mean squared difference of the torsos, rad².
    pub f3: f64,
    /// The criteria by name, unweighted.
    pub extras: BTreeMap<String, f64>,
    /// Length, seconds.
    pub seconds: f64,
    /// Largest change of speed of any clip, for the beat and for keys' times: 0.03 is 3 %.
    pub stretch: f64,
    /// Names of the clips of each layer in order.
    pub layers: BTreeMap<String, Vec<String>>,
    /// The same with times.
    pub clips: BTreeMap<String, Vec<ClipReport>>,
    /// Every key on every layer.
    pub keys: Vec<KeyReport>,
    /// Seams over all layers; fewer than transitions where clips simply go on.
    pub seams: usize,
    /// Largest joint acceleration at a seam over the 99th percentile of the clips' own.
    pub roughest_seam: f64,
}

/// One search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StretchReport {
    /// When the stretch begins, seconds.
    pub start_s: f64,
    /// When it ends.
    pub end_s: f64,
    /// α, β, δ.
    pub weights: Weights,
    /// F_v.
    pub valid_f: f64,
    /// Generations it took; 0 for paths.
    pub generations: usize,
    /// Ways found.
    pub candidates: usize,
    /// Rank correlation of f3 as sampled in the search with f3 on every frame.
    pub torso_correlation: Option<f64>,
}

/// Performances, best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The database as named.
    pub database: String,
    /// The timeline as named.
    pub timeline: String,
    /// The performances.
    pub candidates: Vec<CandidateReport>,
    /// Mean edit distance between them, as a ratio of their length.
    pub diversity: f64,
    /// The searches.
    pub stretches: Vec<StretchReport>,
    /// What the user should know; no part of the text.
    pub notes: Vec<String>,
    /// The page, in the output's folder.
    pub page: Option<String>,
}

pub(super) fn report(
    request: &Compose,
    timeline: &Timeline,
    composition: &Composition,
    candidates: Vec<CandidateReport>,
) -> Report {
    let mut notes = composition.notes.clone();
    notes.extend(moved(timeline));
    Report {
        database: request.database.clone(),
        timeline: request.timeline.clone(),
        candidates,
        diversity: composition.diversity,
        stretches: composition
            .stretches
            .iter()
            .map(|stretch| StretchReport {
                start_s: stretch.start_s,
                end_s: stretch.end_s,
                weights: stretch.weights,
                valid_f: stretch.valid_f,
                generations: stretch.generations,
                candidates: stretch.candidates.len(),
                torso_correlation: stretch.torso_correlation,
            })
            .collect(),
        notes,
        page: (!request.no_page).then(|| PAGE.to_owned()),
    }
}

/// Keys that a note names at most; the report has the times of all.
const MOST_NAMED: usize = 8;

/// Which keys were moved to the beat and by how much.
fn moved(timeline: &Timeline) -> Option<String> {
    let tempo = timeline.tempo();
    let keys = timeline.keys.iter().map(|key| (key, tempo.nearest(key.at)));
    // Half a thousandth of a second is not seen in the times as written.
    let moved: Vec<(&Key, f64)> = keys.filter(|(key, at)| (at - key.at).abs() > 5e-4).collect();
    let farthest = moved.iter().map(|(key, at)| (at - key.at).abs()).fold(0.0, f64::max);
    let words = |(key, at): &(&Key, f64)| format!("{:?} from {:.2} s to {at:.2} s", key.named(), key.at);
    let mut named: Vec<String> = moved.iter().take(MOST_NAMED).map(words).collect();
    if moved.len() > MOST_NAMED {
        named.push(format!("and {} more", moved.len() - MOST_NAMED));
    }
    let (count, all) = (moved.len(), timeline.keys.len());
    let were = if count == 1 { "was" } else { "were" };
    (count > 0).then(|| {
        format!(
            "{count} of {all} keys {were} moved to the nearest beat, by {farthest:.2} s at most: {}",
            named.join(", ")
        )
    })
}

/// What one performance is made of.
pub(super) fn one(
    request: &Compose,
    catalogue: &Catalogue,
    candidate: &Candidate,
    motion: &Rendered,
    criteria: &[String],
    seconds: f64,
    roughest_seam: f64,
) -> CandidateReport {
    let name = |node: usize| catalogue.nodes()[node].name.clone();
    let clips: BTreeMap<String, Vec<ClipReport>> = candidate
        .layers
        .iter()
        .map(|layer| {
            let items = layer.items.iter().map(|item| ClipReport {
                name: name(item.node),
                start_s: item.start_s,
                end_s: item.end_s.min(seconds),
                speed: item.speed,
                held_s: item.held_s,
                cost: item.cost,
                key: item.key.is_some(),
            });
            (layer.layer.clone(), items.collect())
        })
        .collect();
    CandidateReport {
        file: format!("{}.{}", motion.clip.name, request.format),
        f: candidate.f,
        f1: candidate.f1,
        f2: candidate.f2,
        f3: candidate.f3,
        extras: criteria.iter().cloned().zip(candidate.extras.iter().copied()).collect(),
        seconds: motion.clip.seconds(),
        stretch: candidate.stretch,
        layers: clips
            .iter()
            .map(|(layer, clips)| (layer.clone(), clips.iter().map(|clip| clip.name.clone()).collect()))
            .collect(),
        clips,
        keys: candidate
            .keys
            .iter()
            .map(|key| KeyReport {
                clip: name(key.node),
                layer: key.layer.clone(),
                wanted_s: key.wanted_s,
                at_s: starts_at(candidate, key.key, &key.layer).unwrap_or(key.at_s),
                unstretched_s: key.unstretched_s,
            })
            .collect(),
        seams: motion.seams.len(),
        roughest_seam,
    }
}

/// When a key starts on a layer, as its sequence has it.
fn starts_at(candidate: &Candidate, key: usize, layer: &str) -> Option<f64> {
    let sequence = candidate.layers.iter().find(|sequence| sequence.layer == layer)?;
    let item = sequence.items.iter().find(|item| item.key == Some(key))?;
    Some(item.start_s - item.enter_s / item.speed)
}

impl crate::Report for Report {
    const STREAM: Stream = Stream::Result;

    fn outcome(&self) -> Outcome {
        if self.candidates.is_empty() { Outcome::NothingFound } else { Outcome::Done }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.candidates.len();
        let seconds = self.candidates.first().map_or(0.0, |candidate| candidate.seconds);
        write!(f, "{count} {} of {seconds:.2} s", plural(count, "performance"))?;
        if count > 1 {
            write!(f, "; they differ in {:.0} % of their clips", 100.0 * self.diversity)?;
        }
        for candidate in &self.candidates {
            write!(
                f,
                "\n  {}  F {:.3} (time {:.4} s², transitions {:.4}, torso {:.4} rad²), speeds within {:.1} %",
                candidate.file,
                candidate.f,
                candidate.f1,
                candidate.f2,
                candidate.f3,
                100.0 * candidate.stretch
            )?;
            for (layer, names) in &candidate.layers {
                write!(f, "\n    {layer}: {}", names.join(" "))?;
            }
        }
        Ok(())
    }
}
