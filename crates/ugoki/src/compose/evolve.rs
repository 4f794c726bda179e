//! Generations: ranking selection, exchange with parent competition, mutation; populations that look away from what was found.

use super::exchange::{cross, mutate};
use super::paths::cheapest;
use super::polish::polish;
use super::pool::{Entry, Pool};
use super::score::Search;
use super::strand::{Gene, Marks, Population};
use super::tabu::Tabu;
use super::walk::Ways;
use super::{ComposeConfig, Weights};
use crate::math::{Random, median};
use crate::{Cancelled, Progress, report};

/// Offspring of the best rank in linear ranking \[baker1987\]; the worst has the rest to two.
const BEST_OFFSPRING: f64 = 1.5;

/// Chromosomes of a population that go into the pool when it is replaced.
const HARVEST: usize = 24;

/// Kinds of walks that the pool keeps beyond those wanted.
const SPARE: usize = 6;

/// Populations without a new kind of walk after which the cheapest paths are asked for more.
const STALE: usize = 3;

/// Populations at least: the first finds the best walk, the others what differs from it.
const FEWEST: usize = 3;

/// Walks that are tried for each chromosome of a first population.
pub(super) const TRIES: usize = 20;

/// Best walks by time and transitions that the first population begins with; an eighth of the usual number.
const BEST_WALKS: usize = 25;

/// Share of worse mutants that stay, for variety.
const DRIFT: f64 = 0.05;

/// Share of its mean F that the chosen must win by a further population for one more to be worth while.
const WORTH: f64 = 0.95;

/// F_v as a share of the first population's median F.
const VALID_SHARE: f64 = 0.5;

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
}

/// A state between generations; `ugoki-bench` times them.
#[derive(Debug)]
pub(super) struct Evolution {
    pub(super) now: Population,
    next: Population,
    kids: Population,
    offspring: Vec<u32>,
    order: Vec<u64>,
    mates: Vec<u32>,
    random: Random,
    mutation: f64,
    torso_hz: f64,
}

/// A first population by random walks, or `None` when there is not a single one.
pub(super) fn first_population(
    search: &Search<'_>,
    ways: &[Ways],
    size: usize,
    random: &mut Random,
) -> Option<Population> {
    let mut population = Population::new(size, &search.caps());
    let mut strands: Vec<Vec<Vec<Gene>>> = Vec::with_capacity(ways.len());
    for (layer, ways) in ways.iter().enumerate() {
        let mut found = Vec::with_capacity(size);
        for attempt in 0..size * TRIES {
            // Where not one walk of the right size turned up in the first half, any walk will do; F tells how bad it is.
            let strict = attempt < size * TRIES / 2 || !found.is_empty();
            if let Some(strand) = ways.strand(search, layer, strict, random) {
                found.push(strand);
                if found.len() == size {
                    break;
                }
            }
        }
        if found.is_empty() {
            return None;
        }
        strands.push(found);
    }
    for slot in 0..size {
        for (layer, found) in strands.iter().enumerate() {
            if !population.put(slot, layer, &found[slot % found.len()]) {
                return None;
            }
        }
    }
    Some(population)
}

/// Puts walks that look ahead into every second slot, where there are any; in every second of these all layers walk as the base
/// does, where they may: a torso that stays whole is the most natural.
fn plant(search: &Search<'_>, ways: &[Ways], population: &mut Population, random: &mut Random) {
    let layers = std::iter::once(search.base).chain((0..ways.len()).filter(|&layer| layer != search.base));
    for layer in layers {
        for slot in (1..population.marks.len()).step_by(2) {
            let twin = (layer != search.base && slot % 4 == 1)
                .then(|| twin(search, layer, population.strand(slot, search.base)))
                .flatten();
            // From almost always the best step to any of the few best: 40 to 1.
            let greed = random.range(0.0, 3.7).exp();
            let strand = twin.or_else(|| ways[layer].strand_ahead(search, layer, greed, random));
            if let Some(strand) = strand {
                population.put(slot, layer, &strand);
            }
        }
    }
}

/// Puts the best walks by time and transitions into some slots, beside each those of the other layers that fit it best.
fn plant_best(search: &Search<'_>, ways: &[Ways], population: &mut Population, torso_hz: f64) {
    if ways.iter().any(|ways| ways.best.is_empty()) {
        return;
    }
    let slots = (3..population.marks.len()).step_by(4).take(BEST_WALKS);
    for (slot, walk) in slots.zip(&ways[search.base].best) {
        let mut strands: Vec<&[Gene]> = ways.iter().map(|ways| ways.best[0].as_slice()).collect();
        strands[search.base] = walk;
        for layer in (0..ways.len()).filter(|&layer| layer != search.base) {
            let (mut least, mut best) = (f64::INFINITY, strands[layer]);
            for other in &ways[layer].best {
                strands[layer] = other;
                let rank = search.score(&strands, torso_hz, least).rank();
                if rank < least {
                    (least, best) = (rank, other);
                }
            }
            strands[layer] = best;
        }
        for (layer, strand) in strands.iter().enumerate() {
            population.put(slot, layer, strand);
        }
    }
}

/// The base layer's walk on another layer, where keys and edges allow it.
fn twin(search: &Search<'_>, layer: usize, walk: &[Gene]) -> Option<Vec<Gene>> {
    if search.stretch.tracks[layer] != search.stretch.tracks[search.base] {
        return None;
    }
    let mut strand = vec![*walk.first()?];
    for pair in walk.windows(2) {
        strand.push(search.step(layer, pair[0].node, pair[1].node, pair[1].leg)?);
    }
    Some(strand)
}

impl Evolution {
    pub(super) fn new(
        population: Population,
        caps: &[usize],
        config: &ComposeConfig,
        random: Random,
    ) -> Self {
        let size = population.marks.len();
        // Baker's line from the best's offspring to the rest of two, rounded so that counts add up.
        let share = |rank: f64| BEST_OFFSPRING * rank - (BEST_OFFSPRING - 1.0) * rank * rank / size as f64;
        let offspring =
            (0..size).map(|rank| (share(rank as f64 + 1.0).round() - share(rank as f64).round()) as u32);
        Self {
            next: population.clone(),
            now: population,
            kids: Population::new(2, caps),
            offspring: offspring.collect(),
            order: Vec::with_capacity(size),
            mates: Vec::with_capacity(size + 1),
            random,
            mutation: config.mutation,
            torso_hz: config.torso_hz,
        }
    }

    pub(super) fn score_all(&mut self, search: &Search<'_>) {
        for slot in 0..self.now.marks.len() {
            self.now.marks[slot] = score(search, &self.now, slot, self.torso_hz, f64::INFINITY);
        }
    }

    /// Slots from best to worst; of equals the lower slot first.
    pub(super) fn ranked(&mut self) -> &[u64] {
        self.order.clear();
        self.order.extend(self.now.marks.iter().enumerate().map(|(slot, marks)| {
            // f32 bits that sort like the numbers, negative ones too; the slot makes them distinct.
            let bits = (marks.rank() as f32).to_bits();
            let sortable = if bits >> 31 == 1 { !bits } else { bits | (1 << 31) };
            (u64::from(sortable) << 32) | slot as u64
        }));
        self.order.sort_unstable();
        &self.order
    }

    /// One generation.
    pub(super) fn step(&mut self, search: &Search<'_>) {
        self.ranked();
        self.mates.clear();
        for (&key, &count) in self.order.iter().zip(&self.offspring) {
            for _ in 0..count {
                self.mates.push(key as u32);
            }
        }
        for i in (1..self.mates.len()).rev() {
            self.mates.swap(i, self.random.index(i + 1));
        }
        let best = self.order[0] as u32;
        let size = self.now.marks.len();
        for pair in 0..size / 2 {
            let (a, b) = (self.mates[2 * pair] as usize, self.mates[2 * pair + 1] as usize);
            self.compete(search, a, b, pair, best as usize);
        }
        if size % 2 == 1 {
            self.next.copy(size - 1, &self.now, self.mates[size - 1] as usize);
        }
        std::mem::swap(&mut self.now, &mut self.next);
    }

    /// Two parents, their two children: the best two go on, one of them perhaps changed.
    fn compete(&mut self, search: &Search<'_>, a: usize, b: usize, pair: usize, best: usize) {
        let (slot_a, slot_b) = (2 * pair, 2 * pair + 1);
        let twins = a == b || self.now.same(a, &self.now, b);
        let crossed = !twins && cross(search, &self.now, (a, b), &mut self.kids, &mut self.random);
        let mut all = [
            (self.now.marks[a].rank(), 0_u8),
            (self.now.marks[b].rank(), 1),
            (f64::INFINITY, 2),
            (f64::INFINITY, 3),
        ];
        if crossed {
            // A child must beat the worse parent to live; one that cannot is not judged to the end.
            let limit = all[0].0.max(all[1].0);
            for kid in 0..2 {
                let marks = score(search, &self.kids, kid, self.torso_hz, limit);
                self.kids.marks[kid] = marks;
                if marks.rank() < limit {
                    all[2 + kid].0 = marks.rank();
                }
            }
        }
        all.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        for (&(_, who), slot) in all.iter().zip([slot_a, slot_b]) {
            match who {
                0 => self.next.copy(slot, &self.now, a),
                1 => self.next.copy(slot, &self.now, b),
                kid => self.next.copy(slot, &self.kids, usize::from(kid) - 2),
            }
        }
        // The second is changed now and then, and always when it is a twin of the first.
        if twins || self.random.uniform() < 2.0 * self.mutation {
            let only_best = !twins && all[1].1 < 2 && [a, b][usize::from(all[1].1)] == best;
            self.kids.copy(0, &self.next, slot_b);
            if !only_best && mutate(search, &mut self.kids, 0, &mut self.random) {
                let free = twins || self.random.uniform() < DRIFT;
                let limit = if free { f64::INFINITY } else { self.next.marks[slot_b].rank() };
                let marks = score(search, &self.kids, 0, self.torso_hz, limit);
                if free || marks.rank() < limit {
                    self.kids.marks[0] = marks;
                    self.next.copy(slot_b, &self.kids, 0);
                }
            }
        }
    }
}

/// Fitness of one slot.
fn score(search: &Search<'_>, population: &Population, slot: usize, torso_hz: f64, limit: f64) -> Marks {
    let mut strands: [&[Gene]; 8] = [&[]; 8];
    let layers = population.num_layers();
    for (layer, strand) in strands.iter_mut().enumerate().take(layers) {
        *strand = population.strand(slot, layer);
    }
    search.score(&strands[..layers], torso_hz, limit)
}

/// F_v where none is given: half the median of plain walks, but nothing that the best of those does not reach that keep their time;
/// where only one walk is possible, it is good enough.
pub(super) fn usual_bar(marks: &[Marks]) -> f64 {
    let fs: Vec<f64> = marks.iter().map(|marks| marks.f).collect();
    let least = |on_time: bool| {
        let kept = marks.iter().filter(|marks| marks.late == 0.0 || !on_time);
        kept.map(|marks| marks.f).reduce(f64::min)
    };
    let least = least(true).or_else(|| least(false)).unwrap_or(0.0);
    // A walk that is judged again comes out the same but for rounding.
    (VALID_SHARE * median(&fs).unwrap_or(0.0)).max(least + 1e-9 * least.abs())
}

/// α, β, δ such that at the median β·f2 is 1 and the others half of that.
pub(super) fn weigh(marks: &[Marks]) -> Weights {
    let middle = |of: fn(&Marks) -> f64| median(&marks.iter().map(of).collect::<Vec<f64>>()).unwrap_or(0.0);
    // Below these, terms are as good as 0: a tenth of a second, a rad² in ten thousand, one degree.
    let (time, roughness, torso) =
        (middle(|m| m.f1).max(0.01), middle(|m| m.f2).max(1e-4), middle(|m| m.f3).max(3e-4));
    Weights { time: 0.5 / time, roughness: 1.0 / roughness, torso: 0.5 / torso }
}

/// Searches one stretch. `Err` is only a wish to stop; `None` means that there is not a single walk.
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
        let Some(population) = first_population(search, ways, config.population, &mut random) else {
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
        // Every second population looks away from the best that were found, one more each time; all do while there are too few.
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
            (0..layers).all(|layer| search.off_time(layer, now.strand(slot, layer)) <= config.stretch);
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
            .all(|(layer, strand)| search.off_time(layer, strand) <= config.stretch);
        let waiting = chosen[number + 1..].iter().map(|&later| &pool.entries[later]);
        let mut others = finished.iter().chain(waiting);
        let better = on_time && fine.marks.f <= entry.marks.f;
        let keeps = better && others.all(|other| fine.is_far(other, config.distance));
        finished.push(if keeps { fine } else { entry.clone() });
    }
    let chosen = finished.into_iter().map(|entry| (entry.strands, entry.marks)).collect();
    Evolved { chosen, best, generations, valid_f, alone: false }
}
