//! The last touch: a few neighbouring free genes are replaced by the best one or two there are, until nothing gets better.
//!
//! Generations find the region, not its lowest point: chance rarely draws the one cheapest successor among a hundred. Here every pair
//! x, y with edges before → x → y → after is looked at, but for those whose first step alone costs more than the whole could gain. A walk may become
//! longer or shorter by one.

use super::chromosome::{Gene, Marks};
use super::score::Search;

/// Rounds over all genes at most.
const ROUNDS: usize = 6;

/// How many genes are replaced by how many.
const WINDOWS: [(usize, usize); 5] = [(2, 2), (1, 1), (2, 1), (1, 2), (3, 2)];

/// Improves a chromosome in place; F never grows.
pub(super) fn polish(search: &Search<'_>, strands: &mut [Vec<Gene>], marks: &mut Marks, torso_hz: f64) {
    for _ in 0..ROUNDS {
        let before = marks.rank();
        for layer in 0..strands.len() {
            let mut at = 1;
            while at + 1 < strands[layer].len() {
                for window in WINDOWS {
                    if let Some(better) = best_window(search, layer, &strands[layer], at, window) {
                        let old = std::mem::replace(&mut strands[layer], better);
                        let views: Vec<&[Gene]> = strands.iter().map(Vec::as_slice).collect();
                        let new = search.score(&views, torso_hz, marks.rank());
                        if new.rank() < marks.rank() {
                            *marks = new;
                        } else {
                            strands[layer] = old;
                        }
                    }
                }
                at += 1;
            }
        }
        // Less than a thousandth is not worth another round.
        if marks.rank() > 0.999 * before {
            break;
        }
    }
}

/// The strand with the `width` genes from `at` on replaced by the `count` of least α·f1 + β·f2; `None` where none are better, or one
/// of them is a key.
fn best_window(
    search: &Search<'_>,
    layer: usize,
    strand: &[Gene],
    at: usize,
    (width, count): (usize, usize),
) -> Option<Vec<Gene>> {
    let end = at + width;
    let leg = strand[at - 1].leg;
    if end >= strand.len()
        || strand.len() - width + count > search.tables[layer].cap
        || strand[at..end].iter().any(|gene| gene.leg != leg)
    {
        return None;
    }
    let steps = strand.len() - width + count - 1;
    let network = search.tables[layer].network;
    let (before, after) = (strand[at - 1].node, strand[end]);
    let window = &strand[at..=end];
    let (cost, advance) = sums(window);
    // What the leg is off by without the window.
    let times = search.leg_times(layer, strand);
    let off =
        f64::from(*search.tables[layer].legs_s.get(leg as usize)?) - times[leg as usize] + f64::from(advance);
    let all: f32 = strand.iter().map(|gene| gene.cost).sum();
    let rest = f64::from(all - cost).max(0.0);
    let judge = |cost: f32, advance: f32, steps: usize| {
        search.weights.roughness * (rest + f64::from(cost)) / steps as f64
            + search.weights.time * (off - f64::from(advance)).powi(2)
    };
    let mut least = judge(cost, advance, strand.len() - 1) * (1.0 - 1e-6);
    let too_dear =
        |cost: f32, least: f64| search.weights.roughness * (rest + f64::from(cost)) >= least * steps as f64;
    let mut best: Option<[Gene; 3]> = None;
    for &x in network.successors(before as usize) {
        let Some(first) = search.step(layer, before, x, leg) else { continue };
        if too_dear(first.cost, least) {
            continue;
        }
        let last = |from: u32| {
            search
                .has(layer, from, after.node)
                .then(|| search.step(layer, from, after.node, after.leg))
                .flatten()
        };
        if count == 1 {
            let Some(third) = last(x) else { continue };
            let (cost, advance) = sums(&[first, third]);
            if judge(cost, advance, steps) < least {
                least = judge(cost, advance, steps);
                best = Some([first, third, third]);
            }
            continue;
        }
        for &y in network.successors(x as usize) {
            let Some(third) = last(y) else { continue };
            let Some(second) = search.step(layer, x, y, leg) else { continue };
            let (cost, advance) = sums(&[first, second, third]);
            if judge(cost, advance, steps) < least {
                least = judge(cost, advance, steps);
                best = Some([first, second, third]);
            }
        }
    }
    let best = best?;
    let mut better = strand[..at].to_vec();
    better.extend_from_slice(&best[..=count]);
    better.extend_from_slice(&strand[end + 1..]);
    Some(better)
}

fn sums(genes: &[Gene]) -> (f32, f32) {
    genes.iter().fold((0.0, 0.0), |(cost, advance), gene| (cost + gene.cost, advance + gene.advance))
}
