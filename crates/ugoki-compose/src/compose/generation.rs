//! One generation: ranking selection, exchange with parent competition, mutation.

use ugoki_base::math::Random;

use super::ComposeConfig;
use super::chromosome::{Gene, Marks, Population};
use super::exchange::{cross, mutate};
use super::score::Search;

/// Offspring of the best rank in linear ranking \[baker1987\]; the worst has the rest to two.
const BEST_OFFSPRING: f64 = 1.5;

/// Fraction of worse mutants that stay, for variety.
const DRIFT: f64 = 0.05;

/// A state between generations; `ugoki-bench` times them.
#[derive(Debug)]
pub(super) struct Evolution {
    pub(super) now: Population,
    next: Population,
    kids: Population,
    offspring: Vec<u32>,
    order: Vec<u64>,
    mates: Vec<u32>,
    pub(super) random: Random,
    mutation: f64,
    torso_hz: f64,
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
        let offspring_up_to =
            |rank: f64| BEST_OFFSPRING * rank - (BEST_OFFSPRING - 1.0) * rank * rank / size as f64;
        let offspring = (0..size).map(|rank| {
            (offspring_up_to(rank as f64 + 1.0).round() - offspring_up_to(rank as f64).round()) as u32
        });
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
        for (&(_, parent), slot) in all.iter().zip([slot_a, slot_b]) {
            match parent {
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
