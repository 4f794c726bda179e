//! First populations: plain random walks, walks that look ahead, and the best walks by time and transitions.

use ugoki_base::math::Random;

use super::chromosome::{Gene, Population};
use super::score::Search;
use super::walk::Ways;

/// Walks that are tried for each chromosome of a first population.
pub(super) const TRIES: usize = 20;

/// Best walks by time and transitions that the first population begins with; an eighth of the usual number.
const BEST_WALKS: usize = 25;

/// Which random walks a population begins with.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Walks {
    /// Any successor that leads to the key about in time, and not the cheaper of two; always as many nodes as fit.
    pub(super) plain: bool,
}

/// A first population by random walks, or `None` when there is not a single one.
pub(super) fn first_population(
    search: &Search<'_>,
    ways: &[Ways],
    size: usize,
    walks: Walks,
    random: &mut Random,
) -> Option<Population> {
    let mut population = Population::new(size, &search.caps());
    let mut strands: Vec<Vec<Vec<Gene>>> = Vec::with_capacity(ways.len());
    for (layer, ways) in ways.iter().enumerate() {
        let mut found = Vec::with_capacity(size);
        for attempt in 0..size * TRIES {
            // Where not one walk of the right size turned up in the first half, any walk will do; F measures how bad it
            // is.
            let strict = walks.plain || attempt < size * TRIES / 2 || !found.is_empty();
            if let Some(strand) = ways.strand(search, layer, (strict, walks.plain), random) {
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

/// Puts walks guided by the cost-to-go into every second slot, where there are any.
pub(super) fn plant(search: &Search<'_>, ways: &[Ways], population: &mut Population, random: &mut Random) {
    let layers = std::iter::once(search.base).chain((0..ways.len()).filter(|&layer| layer != search.base));
    for layer in layers {
        for slot in (1..population.marks.len()).step_by(2) {
            // From almost always the best step to any of the few best: 40 to 1.
            let greed = random.range(0.0, 3.7).exp();
            let strand = ways[layer].strand_ahead(search, layer, greed, random);
            if let Some(strand) = strand {
                population.put(slot, layer, &strand);
            }
        }
    }
}

/// Puts the best walks by time and transitions into some slots, each with the best-fitting walks of the other layers.
pub(super) fn plant_best(search: &Search<'_>, ways: &[Ways], population: &mut Population, torso_hz: f64) {
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
