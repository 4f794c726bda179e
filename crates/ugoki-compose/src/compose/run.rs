//! Entry point: plans the timeline, searches each gap, scores candidates on every frame and concatenates them.

use serde::Serialize;
use ugoki_base::Progress;
use ugoki_base::math::{Random, rank_correlation};

use super::chromosome::{Gene, Marks};
use super::concatenate::joined;
use super::evolve::{Evolved, evolve, usual_bar, weigh};
use super::explain::{explain, explain_best};
use super::generation::Evolution;
use super::initial_population::{TRIES, first_population};
use super::paths::cheapest;
use super::plan::gap;
use super::relaxation::rules;
use super::score::Search;
use super::suggestions::{can_rebuild, remedies};
use super::walk::Ways;
use super::{
    Candidate, ComposeConfig, ComposeError, Criterion, Interval, Judge, Library, Method, Remedy, Timeline,
    Weights, Why, diversity, plan,
};
use crate::network::Network;

/// Genes of a population at most: 512 MB for two generations of them.
const MOST_GENES: usize = 1 << 24;

/// What one search gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Searched {
    /// Start of the interval, seconds.
    pub start_s: f64,
    /// When it ends.
    pub end_s: f64,
    /// α, β, δ.
    pub weights: Weights,
    /// F_v.
    pub valid_f: f64,
    /// Generations it took; 0 for paths.
    pub generations: usize,
    /// Ways to fill it, best first.
    pub candidates: Vec<Candidate>,
    /// Whether nothing can stand between its keys, so that there is one way only.
    pub alone: bool,
    /// Rank correlation (Spearman) of f3 as sampled in the search with f3 on every frame; `None` for fewer than three.
    pub torso_correlation: Option<f64>,
}

/// Complete motions, best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Composition {
    /// Length, seconds.
    pub seconds: f64,
    /// Complete ways through the timeline.
    pub candidates: Vec<Candidate>,
    /// Mean edit distance between them, as a fraction of their length.
    pub diversity: f64,
    /// The searches they come from.
    pub intervals: Vec<Searched>,
    /// What the user should know: fewer candidates than asked for, and so on.
    pub notes: Vec<String>,
}

/// Fills a timeline, several ways.
///
/// # Errors
/// Names the key or gap that stands against it and what would help; or the caller stops.
pub fn search(
    library: &Library<'_>,
    timeline: &Timeline,
    criteria: &[Criterion<'_>],
    config: &ComposeConfig,
    progress: Progress<'_>,
) -> Result<Composition, ComposeError> {
    match fill(library, timeline, criteria, config, progress) {
        // An earlier search went well: what became of it is not the timeline's fault.
        Err(ComposeError::Gap { gap, why, .. }) if config.judges.is_empty() => {
            let remedies = remedies(library, timeline, criteria, config, (&gap, &why), progress)?;
            // Where other times do not help and more transitions do, these are what is lacking.
            let strict = matches!(remedies[..], [Remedy::Threshold { .. }]);
            let threshold = library.networks.first().map_or(0.0, Network::threshold);
            let why = if strict { Why::NoPath { threshold } } else { why };
            Err(ComposeError::Gap { gap, why, remedies, tried: can_rebuild(library) })
        }
        made => made,
    }
}

/// The same without a word on what would help.
pub(super) fn fill(
    library: &Library<'_>,
    timeline: &Timeline,
    criteria: &[Criterion<'_>],
    config: &ComposeConfig,
    progress: Progress<'_>,
) -> Result<Composition, ComposeError> {
    config.check()?;
    let plan = plan(timeline, library)?;
    let count = plan.intervals.len().max(1) as f32;
    let mut intervals = Vec::with_capacity(plan.intervals.len());
    let mut notes = plan.notes.clone();
    let anchors =
        plan.intervals.iter().flat_map(|interval| &interval.tracks).flat_map(|track| &track.anchors);
    let calm = library.calm(&anchors.flat_map(|anchor| anchor.nodes.iter().copied()).collect());
    for (i, interval) in plan.intervals.iter().enumerate() {
        let done = |part: f32| (i as f32 + part) / count;
        let seed = Random::fork(config.seed, i as u64).next_u64();
        let mut config = config.clone();
        if let Some(judge) = config.judges.get(i) {
            (config.weights, config.valid_f) = (Some(judge.weights), Some(judge.valid_f));
        }
        let rules = rules(library, &calm, interval, config.tempo_change);
        let mut found: Option<Searched> = None;
        let (mut failure, mut off_beat) = (None, false);
        for rule in &rules {
            if found.as_ref().is_some_and(|found| found.is_enough(config.candidates) || rule.off_beat) {
                break;
            }
            if let Some(found) = &found {
                (config.weights, config.valid_f) = (Some(found.weights), Some(found.valid_f));
            }
            config.tempo_change = rule.tempo_change;
            let library = Library { networks: rule.networks, ..*library };
            let progress = &mut |part| progress(done(part));
            match search_interval(&library, interval, timeline, criteria, &config, seed, progress) {
                Ok(more) => {
                    off_beat |= rule.off_beat;
                    match &mut found {
                        Some(found) => found.add(more, &config),
                        None => found = Some(more),
                    }
                }
                Err(error @ ComposeError::Gap { .. }) => failure = Some(error),
                Err(error) => return Err(error),
            }
        }
        let searched = match (found, failure) {
            (Some(found), _) => found,
            (None, Some(failure)) => return Err(failure),
            (None, None) => continue,
        };
        let (start, end) = (searched.start_s, searched.end_s);
        let repeating = searched.candidates.iter().filter(|candidate| candidate.repeats() > 0).count();
        if repeating > 0 {
            notes.push(format!(
                "{start:.2} s to {end:.2} s: {repeating} ways repeat a clip straight away; nothing else fits"
            ));
        }
        let waiting = searched.candidates.iter().filter(|candidate| candidate.waits()).count();
        if waiting > 0 {
            notes.push(format!(
                "{start:.2} s to {end:.2} s: {waiting} ways stand still for the beat; nothing else fits"
            ));
        }
        if off_beat {
            notes.push(format!("{start:.2} s to {end:.2} s: clips leave the beat; nothing else fits"));
        }
        if !searched.is_enough(config.candidates) {
            let found = searched.candidates.len();
            let why = match config.method {
                Method::Genetic => format!(
                    "no other walks are as good as F = {:.3} and keep their time; more clips would give more",
                    searched.valid_f
                ),
                Method::Paths => "the cheapest walks are alike; the genetic search finds others".to_owned(),
            };
            let wanted = config.candidates;
            notes.push(format!("{start:.2} s to {end:.2} s: {found} of {wanted} candidates found, {why}"));
        }
        intervals.push(searched);
    }
    let candidates = joined(&intervals);
    Ok(Composition { seconds: plan.seconds, diversity: diversity(&candidates), candidates, intervals, notes })
}

impl Composition {
    /// What its intervals were judged by, for [`ComposeConfig::judges`].
    #[must_use]
    pub fn judges(&self) -> Vec<Judge> {
        self.intervals.iter().map(|s| Judge { weights: s.weights, valid_f: s.valid_f }).collect()
    }
}

impl Searched {
    fn is_enough(&self, wanted: usize) -> bool {
        self.candidates.len() >= wanted || self.alone
    }

    /// Fills up with what a less strict search found: first what differs from all there is, then what is near.
    fn add(&mut self, more: Self, config: &ComposeConfig) {
        self.generations += more.generations;
        let (far, near): (Vec<Candidate>, Vec<Candidate>) = more
            .candidates
            .into_iter()
            .partition(|one| self.candidates.iter().all(|other| other.distance(one) >= config.distance));
        for one in far.into_iter().chain(near) {
            let known = self.candidates.iter().any(|other| other.walks() == one.walks());
            if self.candidates.len() < config.candidates && !known {
                self.candidates.push(one);
            }
        }
        self.candidates.sort_by(|a, b| a.f.total_cmp(&b.f));
    }
}

fn search_interval(
    library: &Library<'_>,
    interval: &Interval,
    timeline: &Timeline,
    criteria: &[Criterion<'_>],
    config: &ComposeConfig,
    seed: u64,
    progress: Progress<'_>,
) -> Result<Searched, ComposeError> {
    let mut search = Search::new(*library, interval, criteria, config.tempo_change);
    let mut ways: Vec<Ways> = (0..search.tables.len()).map(|layer| Ways::new(&search, layer)).collect();
    let genes: usize = search.caps().iter().sum();
    if genes.saturating_mul(config.population) > MOST_GENES {
        let (value, high) = (config.population as f64, (MOST_GENES / genes) as f64);
        return Err(ComposeError::Config { name: "population", value, low: 4.0, high });
    }
    if let Some(error) = explain(&search, &ways, timeline, config.tempo_change, false) {
        return Err(error);
    }
    let evolved = match config.method {
        Method::Genetic => evolve(&mut search, &mut ways, config, seed, progress)?,
        Method::Paths => by_paths(&mut search, &ways, config, seed, progress)?,
    };
    let at_fault = || explain(&search, &ways, timeline, config.tempo_change, true);
    let fail = |why: Why| {
        let gap = gap(interval, search.base, 0, timeline, library);
        ComposeError::Gap { gap: Box::new(gap), why, remedies: Vec::new(), tried: false }
    };
    let Some(evolved) = evolved else {
        return Err(at_fault().unwrap_or_else(|| fail(Why::NotFound { tries: TRIES * config.population })));
    };
    if evolved.chosen.is_empty() {
        return Err(at_fault().unwrap_or_else(|| match &evolved.best {
            Some((strands, _)) => {
                explain_best(&search, strands, evolved.valid_f, config.tempo_change, timeline)
            }
            None => fail(Why::NotFound { tries: TRIES * config.population }),
        }));
    }
    Ok(finished(&search, &evolved, config.torso_hz))
}

/// The path search in the manner of the genetic one: same weights, same F_v.
fn by_paths(
    search: &mut Search<'_>,
    ways: &[Ways],
    config: &ComposeConfig,
    seed: u64,
    progress: Progress<'_>,
) -> Result<Option<Evolved>, ComposeError> {
    let mut random = Random::new(seed);
    let Some(population) = first_population(search, ways, config.population, &mut random) else {
        return Ok(None);
    };
    let mut evolution = Evolution::new(population, &search.caps(), config, random);
    search.weights = config.weights.unwrap_or(Weights { time: 1.0, roughness: 1.0, torso: 1.0 });
    evolution.score_all(search);
    if config.weights.is_none() {
        search.weights = weigh(&evolution.now.marks);
        evolution.score_all(search);
    }
    let valid_f = config.valid_f.unwrap_or_else(|| usual_bar(&evolution.now.marks));
    let mut pool = cheapest(search, config, 64 * config.candidates, progress)?;
    let best = pool.entries.first().map(|entry| (entry.strands.clone(), entry.marks));
    let alone = pool.entries.len() == 1;
    pool.entries.retain(|entry| entry.marks.f <= valid_f);
    pool.sort(config.distance, config.candidates, config.candidates);
    let of = |&kind: &usize| (pool.entries[kind].strands.clone(), pool.entries[kind].marks);
    let chosen: Vec<(Vec<Vec<Gene>>, Marks)> = pool.kinds.iter().map(of).collect();
    Ok(Some(Evolved { chosen, best, generations: 0, valid_f, alone }))
}

/// The candidates of a search, ranked.
fn finished(search: &Search<'_>, evolved: &Evolved, torso_hz: f64) -> Searched {
    let mut sampled = Vec::new();
    let mut candidates = Vec::new();
    for (strands, marks) in &evolved.chosen {
        let strands: Vec<&[Gene]> = strands.iter().map(Vec::as_slice).collect();
        sampled.push(search.torso(&strands, torso_hz, f64::INFINITY));
        candidates.push(Candidate::new(search, &strands, *marks));
    }
    let exact: Vec<f64> = candidates.iter().map(|candidate| candidate.f3).collect();
    let torso_correlation = rank_correlation(&sampled, &exact);
    candidates.sort_by(|a, b| a.f.total_cmp(&b.f));
    Searched {
        start_s: search.interval.start_s,
        end_s: search.interval.end_s,
        weights: search.weights,
        valid_f: evolved.valid_f,
        generations: evolved.generations,
        candidates,
        alone: evolved.alone && candidates_are_keys(evolved),
        torso_correlation,
    }
}

/// Whether nothing stands between the keys: then one solution is enough.
fn candidates_are_keys(evolved: &Evolved) -> bool {
    evolved.chosen.iter().flat_map(|(strands, _)| strands).all(|strand| strand.len() <= 2)
}
