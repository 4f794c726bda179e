//! Candidates with the names of their clips: what is shown to the user.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Candidate, Key, Rendered, Searched, Timeline, Weights};
use crate::network::Catalogue;

/// A key motion in a performance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PerformanceKey {
    /// The clip that stands there.
    pub clip: String,
    /// The layer.
    pub layer: String,
    /// When the timeline has it, seconds.
    pub wanted_s: f64,
    /// When it starts, on the beat where there is one.
    pub at_s: f64,
    /// When it would start without stretching what comes before it.
    pub unstretched_s: f64,
}

/// A clip in a performance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PerformanceClip {
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
pub struct Performance {
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
    #[serde(rename = "stretch")]
    pub tempo_change: f64,
    /// Names of the clips of each layer in order.
    pub layers: BTreeMap<String, Vec<String>>,
    /// The same with times.
    pub clips: BTreeMap<String, Vec<PerformanceClip>>,
    /// Every key on every layer.
    pub keys: Vec<PerformanceKey>,
    /// Seams over all layers; fewer than transitions where clips simply go on.
    pub seams: usize,
    /// Largest joint acceleration at a seam over the 99th percentile of the clips' own.
    pub roughest_seam: f64,
}

/// One search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchSummary {
    /// When the interval begins, seconds.
    pub start_s: f64,
    /// When it ends.
    pub end_s: f64,
    /// α, β, δ.
    pub weights: Weights,
    /// F_v.
    pub valid_f: f64,
    /// Generations it took; 0 for paths.
    pub generations: usize,
    /// Ways found, spare ones included; the performances are chosen from them.
    pub candidates: usize,
    /// Rank correlation of f3 as sampled in the search with f3 on every frame.
    pub torso_correlation: Option<f64>,
}

impl From<&Searched> for SearchSummary {
    fn from(search: &Searched) -> Self {
        Self {
            start_s: search.start_s,
            end_s: search.end_s,
            weights: search.weights,
            valid_f: search.valid_f,
            generations: search.generations,
            candidates: search.candidates.len(),
            torso_correlation: search.torso_correlation,
        }
    }
}

/// Keys that a note names at most; the report has the times of all.
const MOST_NAMED: usize = 8;

/// Which keys were moved to the beat and by how much, in words; `None` when all stand on it.
#[must_use]
pub fn moved_keys(timeline: &Timeline) -> Option<String> {
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

/// What one performance is made of. `criteria` are the names of the criteria it was judged by, `seconds` the length of
/// the timeline, `roughest_seam` as in [`super::Composed`].
#[must_use]
pub fn describe(
    catalogue: &Catalogue,
    candidate: &Candidate,
    motion: &Rendered,
    criteria: &[String],
    seconds: f64,
    roughest_seam: f64,
) -> Performance {
    let name = |node: usize| catalogue.nodes()[node].name.clone();
    let clips: BTreeMap<String, Vec<PerformanceClip>> = candidate
        .layers
        .iter()
        .map(|layer| {
            let items = layer.items.iter().map(|item| PerformanceClip {
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
    Performance {
        f: candidate.f,
        f1: candidate.f1,
        f2: candidate.f2,
        f3: candidate.f3,
        extras: criteria.iter().cloned().zip(candidate.extras.iter().copied()).collect(),
        seconds: motion.clip.seconds(),
        tempo_change: candidate.tempo_change,
        layers: clips
            .iter()
            .map(|(layer, clips)| (layer.clone(), clips.iter().map(|clip| clip.name.clone()).collect()))
            .collect(),
        clips,
        keys: candidate
            .keys
            .iter()
            .map(|key| PerformanceKey {
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
