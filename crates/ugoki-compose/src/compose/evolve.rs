//! Genetic search of one interval: successive populations, some of which avoid earlier results, and a pool of the best.

use ugoki_base::math::{Random, median};
use ugoki_base::{Cancelled, Progress, report};

use super::chromosome::{Gene, Marks};
use super::generation::Evolution;
use super::initial_population::{Walks, first_population, plant, plant_best};
use super::paths::cheapest;
use super::polish::polish;
use super::pool::{Entry, Pool};
use super::score::Search;
use super::tabu::Tabu;
use super::walk::Ways;
use super::{ComposeConfig, Generation, Weights};

/// Chromosomes of a population that go into the pool when it is replaced.
const HARVEST: usize = 24;

/// Kinds of walks that the pool keeps beyond those wanted.
const SPARE: usize = 6;

/// Populations without a new kind of walk after which the cheapest paths are asked for more.
const STALE: usize = 3;

/// Populations at least: the first finds the best walk, the others what differs from it.
const FEWEST: usize = 3;

/// Fraction of its mean F that the chosen must win by a further population for one more to be worth while.
const WORTH: f64 = 0.95;

/// F_v as a fraction of the first population's median F.
const VALID_FRACTION: f64 = 0.5;

/// A finished search.
#[derive(Debug)]
pub(super) struct Evolved {
    /// Distinct valid chromosomes, best first.
    pub(super) chosen: Vec<(Vec<Vec<Gene>>, Marks)>,
    /// The best of all, valid or not.
    pub(super) best: Option<(Vec<Vec<Gene>>, Marks)>,
    pub(super) generations: usize,
    pub(super) valid_f: f64,
    /// Whether there is only one way, so that fewer candidates than wanted are no loss.
    pub(super) alone: bool,
    /// F generation by generation, best of each.
    pub(super) log: Vec<Generation>,
}

/// F_v where none is given: half the median of plain walks, but nothing that the best of those does not reach that keep
/// their time; where only one walk is possible, it is good enough.
pub(super) fn usual_bar(marks: &[Marks]) -> f64 {
    let fs: Vec<f64> = marks.iter().map(|marks| marks.f).collect();
    let least = |on_time: bool| {
        let kept = marks.iter().filter(|marks| marks.late == 0.0 || !on_time);
        kept.map(|marks| marks.f).reduce(f64::min)
    };
    let least = least(true).or_else(|| least(false)).unwrap_or(0.0);
    // A walk that is judged again comes out the same but for rounding.
    (VALID_FRACTION * median(&fs).unwrap_or(0.0)).max(least + 1e-9 * least.abs())
}

/// α, β, δ such that at the median β·f2 is 1 and the others half of that.
pub(super) fn weigh(marks: &[Marks]) -> Weights {
    let middle = |of: fn(&Marks) -> f64| median(&marks.iter().map(of).collect::<Vec<f64>>()).unwrap_or(0.0);
    // Below these, terms are as good as 0: a tenth of a second, a rad² in ten thousand, one degree.
    let (time, roughness, torso) =
        (middle(|m| m.f1).max(0.01), middle(|m| m.f2).max(1e-4), middle(|m| m.f3).max(3e-4));
    Weights { time: 0.5 / time, roughness: 1.0 / roughness, torso: 0.5 / torso }
}

/// Searches one interval. `Err` is cancellation only; `None` means that no walk exists.
pub(super) fn evolve(
    search: &mut Search<'_>,
    ways: &mut [Ways],
    config: &ComposeConfig,
    seed: u64,
    progress: Progress<'_>,
) -> Result<Option<Evolved>, Cancelled> {
    let mut random = Random::new(seed);
    let caps = search.caps();
    let mut pool = Pool::default();
    let (mut wanted, mut limit) = (config.candidates, config.generations);
    let most_generations = config.generations + config.candidates * (config.generations / 8 + 1);
    let mut generation = 0;
    let mut valid_f = config.valid_f;
    let mut best: Option<(Vec<Vec<Gene>>, Marks)> = None;
    // Mean F of the chosen when the last population began.
    let mut means = f64::INFINITY;
    // Populations so far, those since the last new kind, and whether the cheapest paths have been asked.
    let (mut populations, mut stale, mut asked) = (0, 0, false);
    loop {
        search.tabu = Tabu::default();
        let Some(population) =
            first_population(search, ways, config.population, Walks::default(), &mut random)
        else {
            return Ok(None);
        };
        let mut evolution = Evolution::new(population, &caps, config, random.clone());
        if best.is_none() {
            // Weights and bar come from plain walks alone.
            if let Some(weights) = config.weights {
                search.weights = weights;
                evolution.score_all(search);
            } else {
                // Everything is judged once for the medians; δ above 0, or the torso would not be looked at.
                search.weights = Weights { time: 1.0, roughness: 1.0, torso: 1.0 };
                evolution.score_all(search);
                search.weights = weigh(&evolution.now.marks);
                evolution.score_all(search);
            }
            ways.iter_mut().enumerate().for_each(|(layer, ways)| ways.look_ahead(search, layer));
        }
        let bar = *valid_f.get_or_insert_with(|| usual_bar(&evolution.now.marks));
        // Every second population looks away from the best that were found, one more each time; all do while there are
        // too few.
        if populations % 2 == 1 || pool.kinds.len() < wanted {
            let found: Vec<&Vec<Vec<u32>>> =
                pool.kinds.iter().take(populations).map(|&best| &pool.entries[best].walks).collect();
            search.tabu = Tabu::new(&search.library, &found, config.distance);
        }
        plant(search, ways, &mut evolution.now, &mut evolution.random);
        if best.is_none() {
            // Once; later populations are to find something else.
            plant_best(search, ways, &mut evolution.now, config.torso_hz);
        }
        evolution.score_all(search);
        let alone =
            best.is_none() && (1..config.population).all(|slot| evolution.now.same(slot, &evolution.now, 0));
        harvest(search, config, &mut evolution, bar, &mut pool, &mut best);
        let (mut least, mut since) = (f64::INFINITY, 0);
        while since < config.patience && generation < limit && !alone {
            evolution.step(search);
            generation += 1;
            since += 1;
            let now = evolution.now.marks.iter().map(Marks::rank).fold(f64::INFINITY, f64::min);
            if now < least {
                (least, since) = (now, 0);
            }
            if generation % 64 == 0 {
                report(progress, (generation as f32 / most_generations as f32).min(1.0))?;
            }
        }
        let mut bar = bar;
        if config.valid_f.is_none() && pool.entries.is_empty() {
            // A bar that was only estimated is no reason to fail while there are walks that keep their time.
            let first = evolution.ranked().first().map_or(0, |&key| (key & 0xffff_ffff) as usize);
            if evolution.now.marks[first].late == 0.0 {
                let strands = (0..caps.len()).map(|layer| evolution.now.strand(first, layer).to_vec());
                let least = Entry::new(search, strands.collect()).marks.f;
                bar = bar.max(least + 1e-9 * least.abs());
                valid_f = Some(bar);
            }
        }
        harvest(search, config, &mut evolution, bar, &mut pool, &mut best);
        random = evolution.random;
        populations += 1;
        let before = pool.kinds.len();
        pool.sort(config.distance, config.candidates, config.candidates + SPARE);
        stale = if pool.kinds.len() > before { 0 } else { stale + 1 };
        if alone {
            // Two keys in a row, or a network with one way through: there is nothing to search.
            let chosen: Vec<usize> = (0..pool.entries.len().min(1)).collect();
            let made = finish(search, config, &pool, &chosen, best, generation, bar);
            return Ok(Some(Evolved { alone, ..made }));
        }
        if pool.kinds.len() < wanted && !asked && (stale >= STALE || generation >= limit) {
            // Chance finds nothing more: what the cheapest paths know is asked once.
            asked = true;
            search.tabu = Tabu::default();
            let paths = cheapest(search, config, 64 * config.candidates, progress)?;
            paths.entries.into_iter().filter(|entry| entry.marks.f <= bar).for_each(|entry| pool.put(entry));
            pool.sort(config.distance, config.candidates, config.candidates + SPARE);
            stale = 0;
        }
        let chosen: Vec<usize> = pool.kinds.iter().copied().take(wanted).collect();
        // Enough, and the last population brought nothing that would be worth another.
        let mean = chosen.iter().map(|&i| pool.entries[i].marks.f).sum::<f64>() / chosen.len().max(1) as f64;
        let settled = mean >= WORTH * means && populations >= FEWEST;
        means = if chosen.len() >= wanted { mean } else { f64::INFINITY };
        if chosen.len() >= wanted && (settled || generation >= limit) {
            return Ok(Some(finish(search, config, &pool, &chosen, best, generation, bar)));
        }
        if generation >= limit {
            // Fewer will do from now on; at none the search has failed.
            wanted -= 1;
            limit += config.generations / 8 + 1;
            if wanted <= chosen.len() {
                // Distinct ones are rare: fill up with near ones rather than return fewer.
                let chosen = pool.filled(config.candidates.min(pool.entries.len()));
                return Ok(Some(finish(search, config, &pool, &chosen, best, generation, bar)));
            }
        }
    }
}

/// Puts what keeps its time and is as good as `bar` into the pool, and remembers the best of all.
fn harvest(
    search: &Search<'_>,
    config: &ComposeConfig,
    evolution: &mut Evolution,
    bar: f64,
    pool: &mut Pool,
    best: &mut Option<(Vec<Vec<Gene>>, Marks)>,
) {
    let layers = evolution.now.num_layers();
    let most = HARVEST.max(config.population / 4);
    let ranked: Vec<usize> =
        evolution.ranked().iter().take(most).map(|&key| (key & 0xffff_ffff) as usize).collect();
    let now = &evolution.now;
    for slot in ranked {
        let marks = now.marks[slot];
        let on_time =
            (0..layers).all(|layer| search.off_time(layer, now.strand(slot, layer)) <= config.tempo_change);
        if best.as_ref().is_none_or(|best| marks.rank() < best.1.rank()) {
            *best = Some(((0..layers).map(|layer| now.strand(slot, layer).to_vec()).collect(), marks));
        }
        if on_time {
            pool.add(search, now, slot, bar);
        }
    }
}

/// Polishes the chosen, as long as they stay far enough from each other.
fn finish(
    search: &mut Search<'_>,
    config: &ComposeConfig,
    pool: &Pool,
    chosen: &[usize],
    best: Option<(Vec<Vec<Gene>>, Marks)>,
    generations: usize,
    valid_f: f64,
) -> Evolved {
    search.tabu = Tabu::default();
    let search = &*search;
    let mut finished: Vec<Entry> = Vec::with_capacity(chosen.len());
    for (number, &i) in chosen.iter().enumerate() {
        let entry = &pool.entries[i];
        let mut strands = entry.strands.clone();
        let views: Vec<&[Gene]> = strands.iter().map(Vec::as_slice).collect();
        let mut marks = search.score(&views, config.torso_hz, f64::INFINITY);
        polish(search, &mut strands, &mut marks, config.torso_hz);
        let fine = Entry::new(search, strands);
        let on_time = (fine.strands.iter().enumerate())
            .all(|(layer, strand)| search.off_time(layer, strand) <= config.tempo_change);
        let waiting = chosen[number + 1..].iter().map(|&later| &pool.entries[later]);
        let mut others = finished.iter().chain(waiting);
        let better = on_time && fine.marks.f <= entry.marks.f;
        let keeps = better && others.all(|other| fine.is_far(other, config.distance));
        finished.push(if keeps { fine } else { entry.clone() });
    }
    let chosen = finished.into_iter().map(|entry| (entry.strands, entry.marks)).collect();
    Evolved { chosen, best, generations, valid_f, alone: false, log: Vec::new() }
}
