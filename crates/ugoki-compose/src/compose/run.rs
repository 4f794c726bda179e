//! Entry point: plans the timeline, searches each gap, scores candidates on every frame and concatenates them.

use std::collections::BTreeSet;

use serde::Serialize;
use ugoki_base::math::{Random, rank_correlation};
use ugoki_base::{Cancelled, Progress, report};

use super::chromosome::{Gene, Marks};
use super::concatenate::joined;
use super::evolve::{Evolved, evolve, usual_bar, weigh};
use super::explain::{explain, explain_best};
use super::generation::Evolution;
use super::genetic_paper::evolve_as_published;
use super::initial_population::{TRIES, Walks, first_population};
use super::opening::Opening;
use super::paths::{cheapest, combined};
use super::plan::{gap, plan_openings};
use super::relaxation::rules;
use super::score::Search;
use super::search_space::{NODES, SearchSpace, Unconnected};
use super::suggestions::{TRIED, can_rebuild, remedies};
use super::transitions::{Incoming, Limits};
use super::walk::Ways;
use super::{
    Candidate, ComposeConfig, ComposeError, Criterion, Generation, Interval, Item, Library, Method, Plan,
    Remedy, Sequence, Timeline, Weights, Why, diversity,
};
use crate::network::Network;

/// Factor by which a space that has no way grows.
const WIDER: usize = 4;

/// Largest space, in units of [`NODES`].
const WIDEST: usize = 16;

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
    /// F of each of them, of the paper's search.
    #[serde(skip)]
    pub log: Vec<Generation>,
    /// Ways to fill it, best first.
    pub candidates: Vec<Candidate>,
    /// Whether nothing can stand between its keys, so that there is one way only.
    pub alone: bool,
    /// Transitions cost less than this, rad².
    pub threshold: f32,
    /// Whether clips leave the beat.
    pub off_beat: bool,
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
    match fill(library, timeline, criteria, config, Earlier::default(), progress) {
        Err(ComposeError::Gap { gap, why, remedies: known, .. }) => {
            let mut remedies = remedies(library, timeline, criteria, config, (&gap, &why), progress)?;
            // Where other times do not help and more transitions do, these are what is lacking.
            let strict = matches!(remedies[..], [Remedy::Threshold { .. }]);
            let threshold = last_threshold(library, config);
            let why = if strict { Why::NoPath { threshold } } else { why };
            if remedies.is_empty() && library.nodes.len() > TRIED {
                // Nothing was tried: what follows from the times alone.
                remedies = known;
            }
            Err(ComposeError::Gap { gap, why, remedies, tried: can_rebuild(library) })
        }
        made => made,
    }
}

/// The highest threshold that a search may use.
pub(super) fn last_threshold(library: &Library<'_>, config: &ComposeConfig) -> f32 {
    let own = library.networks.first().map_or(0.0, Network::threshold);
    config.thresholds.last().map_or(own, |&last| (last as f32).min(own))
}

/// What an earlier search of the same timeline found, and which of its transitions were rejected.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Earlier<'a> {
    /// By interval; empty where there was no search.
    pub(super) intervals: &'a [Searched],
    /// By layer.
    pub(super) rejected: &'a [BTreeSet<(u32, u32)>],
}

/// The same without a word on what would help. Intervals that an earlier search filled well enough stay as they are.
pub(super) fn fill(
    library: &Library<'_>,
    timeline: &Timeline,
    criteria: &[Criterion<'_>],
    config: &ComposeConfig,
    earlier: Earlier<'_>,
    progress: Progress<'_>,
) -> Result<Composition, ComposeError> {
    config.check()?;
    let incoming: Vec<Incoming> = library.networks.iter().map(Incoming::new).collect();
    // A held pose is better than a transition that only a relaxed threshold allows.
    let threshold = config.thresholds.first().map_or(f32::INFINITY, |&first| first as f32);
    let limits = Limits { threshold, rejected: &[] };
    let tempo_change = config.tempo_change;
    let (nodes, networks) = (library.nodes, library.networks);
    let opening = Opening { nodes, networks, incoming: &incoming, limits, tempo_change };
    let plan = plan_openings(timeline, library, &opening)?;
    let count = plan.intervals.len().max(1) as f32;
    let mut intervals = Vec::with_capacity(plan.intervals.len());
    let mut notes = plan.notes.clone();
    for (i, interval) in plan.intervals.iter().enumerate() {
        let done = |part: f32| (i as f32 + part) / count;
        let seed = Random::fork(config.seed, i as u64).next_u64();
        let filling = Filling { library, incoming: &incoming, plan: &plan, timeline, criteria, interval };
        let before = earlier.intervals.get(i);
        let searched = match before.map(|before| before.without(earlier.rejected, library)) {
            Some(kept) if kept.is_enough(config.candidates + config.spare) => kept,
            Some(kept) => {
                let (weights, valid_f) = (Some(kept.weights), Some(kept.valid_f));
                let config = &ComposeConfig { weights, valid_f, ..config.clone() };
                let again = filling.search(config, earlier, seed, &mut |part| progress(done(part)));
                match (again, kept.candidates.is_empty()) {
                    (Ok(mut more), _) => {
                        let found = std::mem::take(&mut more.candidates);
                        let mut all = Searched { generations: kept.generations + more.generations, ..kept };
                        all.threshold = all.threshold.max(more.threshold);
                        let most =
                            ComposeConfig { candidates: config.candidates + config.spare, ..config.clone() };
                        all.add(Searched { candidates: found, generations: 0, ..more }, &most);
                        all
                    }
                    (Err(error @ ComposeError::Cancelled(_)), _) => return Err(error),
                    (Err(_), false) => kept,
                    (Err(error), true) => return Err(error),
                }
            }
            None => filling.search(config, earlier, seed, &mut |part| progress(done(part)))?,
        };
        intervals.push(searched);
    }
    for searched in &intervals {
        notes.extend(searched.notes(config));
    }
    let candidates = joined(&intervals);
    Ok(Composition { seconds: plan.seconds, diversity: diversity(&candidates), candidates, intervals, notes })
}

/// One interval of a plan, to be filled.
struct Filling<'a> {
    library: &'a Library<'a>,
    incoming: &'a [Incoming],
    plan: &'a Plan,
    timeline: &'a Timeline,
    criteria: &'a [Criterion<'a>],
    interval: &'a Interval,
}

impl Filling<'_> {
    /// Searches by one threshold after another.
    fn search(
        &self,
        config: &ComposeConfig,
        earlier: Earlier<'_>,
        seed: u64,
        progress: Progress<'_>,
    ) -> Result<Searched, ComposeError> {
        let mut config = ComposeConfig { candidates: config.candidates + config.spare, ..config.clone() };
        let own = self.library.networks.iter().map(Network::threshold).fold(0.0, f32::max);
        let mut thresholds: Vec<f32> = config.thresholds.iter().map(|&t| (t as f32).min(own)).collect();
        thresholds.dedup();
        if thresholds.is_empty() {
            thresholds.push(own);
        }
        let mut failure = None;
        for threshold in thresholds {
            let limits = Limits { threshold, rejected: earlier.rejected };
            match self.below(limits, &mut config, seed, progress) {
                Ok(searched) => return Ok(searched),
                Err(error @ ComposeError::Gap { .. }) => failure = Some(error),
                Err(error) => return Err(error),
            }
        }
        Err(failure.unwrap_or(ComposeError::Cancelled(Cancelled)))
    }

    /// Searches below one threshold, in a larger space where a smaller one has no way.
    fn below(
        &self,
        limits: Limits<'_>,
        config: &mut ComposeConfig,
        seed: u64,
        progress: Progress<'_>,
    ) -> Result<Searched, ComposeError> {
        let whole = self.library.nodes.len();
        let mut most = NODES;
        loop {
            report(progress, 0.0)?;
            let space = SearchSpace::new(
                self.library,
                (self.incoming, self.criteria),
                self.interval,
                limits,
                most,
                seed,
            );
            let space = space.map_err(|Unconnected { layer, leg }| ComposeError::Gap {
                gap: Box::new(gap(self.interval, layer, leg, self.timeline, self.library)),
                why: Why::NoPath { threshold: limits.threshold },
                remedies: Vec::new(),
                tried: false,
            })?;
            match self.inside(&space, limits.threshold, config, seed, progress) {
                Err(ComposeError::Gap { why: Why::TooShort { .. } | Why::NoPath { .. }, .. })
                    if space.len() < whole && most < WIDEST * NODES =>
                {
                    most *= WIDER;
                }
                made => return made,
            }
        }
    }

    /// Searches a space by one rule after another until there are enough candidates.
    fn inside(
        &self,
        space: &SearchSpace,
        threshold: f32,
        config: &mut ComposeConfig,
        seed: u64,
        progress: Progress<'_>,
    ) -> Result<Searched, ComposeError> {
        let library = space.library(self.library);
        let all = self.plan.intervals.iter().flat_map(|interval| &interval.tracks);
        let keys = all.flat_map(|track| &track.anchors).flat_map(|anchor| &anchor.nodes);
        let calm = library.calm(&keys.filter_map(|&node| space.local(node)).collect());
        let mut rules = rules(&library, &calm, &space.interval, config.tempo_change);
        if config.method == Method::GeneticPaper {
            // The paper knows no rules but edges.
            rules.retain(|rule| std::ptr::eq(rule.networks, library.networks));
        }
        let mut config = config.clone();
        let mut found: Option<Searched> = None;
        let mut failure = None;
        for rule in &rules {
            if found.as_ref().is_some_and(|found| found.is_enough(config.candidates) || rule.off_beat) {
                break;
            }
            if let Some(found) = &found {
                (config.weights, config.valid_f) = (Some(found.weights), Some(found.valid_f));
            }
            config.tempo_change = rule.tempo_change;
            let library = Library { networks: rule.networks, ..library };
            match search_interval(
                &library,
                &space.interval,
                self.timeline,
                self.criteria,
                &config,
                seed,
                progress,
            ) {
                Ok(mut more) => {
                    more.off_beat = rule.off_beat;
                    more.threshold = threshold;
                    match &mut found {
                        Some(found) => found.add(more, &config),
                        None => found = Some(more),
                    }
                }
                Err(error @ ComposeError::Gap { .. }) => failure = Some(error),
                Err(error) => return Err(error),
            }
        }
        match (found, failure) {
            (Some(found), _) => Ok(found),
            (None, Some(failure)) => Err(failure),
            (None, None) => Err(ComposeError::Cancelled(Cancelled)),
        }
    }
}

impl Searched {
    /// The candidates that take none of the rejected transitions, by layer.
    fn without(&self, rejected: &[BTreeSet<(u32, u32)>], library: &Library<'_>) -> Self {
        let layers = library.layers.layers();
        let is_rejected = |layer: &Sequence| {
            let number = layers.iter().position(|other| other.name == layer.layer).unwrap_or(0);
            let gone = rejected.get(number);
            let taken = |pair: &[Item]| {
                gone.is_some_and(|gone| gone.contains(&(pair[0].node as u32, pair[1].node as u32)))
            };
            layer.items.windows(2).any(taken)
        };
        let mut kept = self.clone();
        kept.candidates.retain(|candidate| !candidate.layers.iter().any(is_rejected));
        kept
    }

    /// What the user should know about it.
    fn notes(&self, config: &ComposeConfig) -> Vec<String> {
        let span = format!("{:.2} s to {:.2} s", self.start_s, self.end_s);
        let mut notes = Vec::new();
        let count =
            |is: fn(&Candidate) -> bool| self.candidates.iter().filter(|candidate| is(candidate)).count();
        if config.thresholds.first().is_some_and(|&first| self.threshold > first as f32) {
            notes.push(format!(
                "{span}: nothing fits below the usual threshold of {}; transitions of up to {} rad² are taken",
                config.thresholds[0], self.threshold
            ));
        }
        let repeating = count(|candidate| candidate.repeats() > 0);
        if repeating > 0 {
            notes.push(format!("{span}: {repeating} ways repeat a clip straight away; nothing else fits"));
        }
        let waiting = count(Candidate::waits);
        if waiting > 0 {
            notes.push(format!("{span}: {waiting} ways stand still for the beat; nothing else fits"));
        }
        if self.off_beat {
            notes.push(format!("{span}: clips leave the beat; nothing else fits"));
        }
        if !self.is_enough(config.candidates) {
            let why = match config.method {
                Method::Paths | Method::Beam => {
                    "the cheapest walks are alike; the genetic search finds others".to_owned()
                }
                Method::Genetic | Method::GeneticPaper => format!(
                    "no other walks are as good as F = {:.3} and keep their time; more clips would give more",
                    self.valid_f
                ),
            };
            let (found, wanted) = (self.candidates.len(), config.candidates);
            notes.push(format!("{span}: {found} of {wanted} candidates found, {why}"));
        }
        notes
    }

    fn is_enough(&self, wanted: usize) -> bool {
        self.candidates.len() >= wanted || self.alone
    }

    /// Fills up with what a less strict search found: first what differs from all there is, then what is near.
    fn add(&mut self, more: Self, config: &ComposeConfig) {
        self.generations += more.generations;
        self.off_beat |= more.off_beat;
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
        Method::GeneticPaper => evolve_as_published(&mut search, &ways, config, seed, progress)?,
        Method::Beam | Method::Paths => by_walks(&mut search, &mut ways, config, seed, progress)?,
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

/// The searches without generations, judged by the same weights and F_v.
fn by_walks(
    search: &mut Search<'_>,
    ways: &mut [Ways],
    config: &ComposeConfig,
    seed: u64,
    progress: Progress<'_>,
) -> Result<Option<Evolved>, ComposeError> {
    let mut random = Random::new(seed);
    let Some(population) = first_population(search, ways, config.population, Walks::default(), &mut random)
    else {
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
    let most = 64 * config.candidates;
    let mut pool = if config.method == Method::Beam {
        ways.iter_mut().enumerate().for_each(|(layer, ways)| ways.look_ahead(search, layer));
        let strands = ways.iter().map(|ways| ways.best.clone()).collect();
        combined(search, strands, config, most, progress)?
    } else {
        cheapest(search, config, most, progress)?
    };
    let best = pool.entries.first().map(|entry| (entry.strands.clone(), entry.marks));
    let alone = pool.entries.len() == 1;
    pool.entries.retain(|entry| entry.marks.f <= valid_f);
    pool.sort(config.distance, config.candidates, config.candidates);
    let of = |&kind: &usize| (pool.entries[kind].strands.clone(), pool.entries[kind].marks);
    let chosen: Vec<(Vec<Vec<Gene>>, Marks)> = pool.kinds.iter().map(of).collect();
    Ok(Some(Evolved { chosen, best, generations: 0, valid_f, alone, log: Vec::new() }))
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
        log: evolved.log.clone(),
        candidates,
        alone: evolved.alone && candidates_are_keys(evolved),
        torso_correlation,
        threshold: 0.0,
        off_beat: false,
    }
}

/// Whether nothing stands between the keys: then one solution is enough.
fn candidates_are_keys(evolved: &Evolved) -> bool {
    evolved.chosen.iter().flat_map(|(strands, _)| strands).all(|strand| strand.len() <= 2)
}
