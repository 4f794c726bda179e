//! The genetic search of the paper \[tanaka2003\] and nothing else.
//!
//! The first population are random walks with as many nodes as fit the time. Each generation, ranking selection gives the
//! better chromosomes more offspring; pairs exchange the part between two cut points of the base layer, and other layers
//! between the feasible points nearest in time; of two parents and two children the best two stay. The search ends with M
//! distinct chromosomes that are better than F_v. Valid is whatever was one in some generation. M begins with the candidates asked for and falls by one whenever a
//! generation limit passes. There is no mutation: the paper describes none.

use ugoki_base::math::{Random, median};
use ugoki_base::{Cancelled, Progress, report};

use super::chromosome::{Gene, Marks, Population};
use super::evolve::{Evolved, usual_bar, weigh};
use super::exchange::{Cut, exchange};
use super::initial_population::{Walks, first_population};
use super::score::Search;
use super::walk::Ways;
use super::{ComposeConfig, CutRule, Generation, Weights};

/// Offspring of the best rank in linear ranking \[baker1987\]; the worst has the rest to two.
const BEST_OFFSPRING: f64 = 1.5;

/// Valid chromosomes that are remembered.
const MOST_VALID: usize = 4096;

/// Searches one interval. `Err` is cancellation only; `None` means that no walk of the right size was found.
pub(super) fn evolve_as_published(
    search: &mut Search<'_>,
    ways: &[Ways],
    config: &ComposeConfig,
    seed: u64,
    progress: Progress<'_>,
) -> Result<Option<Evolved>, Cancelled> {
    let mut random = Random::new(seed);
    let walks = Walks { plain: true };
    let Some(mut now) = first_population(search, ways, config.population, walks, &mut random) else {
        return Ok(None);
    };
    search.weights = config.weights.unwrap_or(Weights { time: 1.0, roughness: 1.0, torso: 1.0 });
    score_all(search, &mut now, config.torso_hz);
    if config.weights.is_none() {
        search.weights = weigh(&now.marks);
        score_all(search, &mut now, config.torso_hz);
    }
    let valid_f = config.valid_f.unwrap_or_else(|| {
        let best = ranked(&now).into_iter().find(|&slot| now.marks[slot].late == 0.0);
        let least = best.map_or(0.0, |slot| exact_f(search, &strands(&now, slot)));
        usual_bar(&now.marks).max(least + 1e-9 * least.abs())
    });
    let size = now.marks.len();
    let mut next = now.clone();
    let mut kids = Population::new(2, &search.caps());
    let (mut wanted, mut limit) = (config.candidates, config.generations);
    let lowered_after = config.generations / 8 + 1;
    let most = config.generations + config.candidates * lowered_after;
    // All that have appeared so far.
    let mut valid: Vec<(f64, Vec<Vec<Gene>>)> = Vec::new();
    let mut log = Vec::new();
    let mut number = 0;
    loop {
        let ranked = ranked(&now);
        appear(search, &now, &ranked, valid_f, config, &mut valid);
        let fs: Vec<f64> = now.marks.iter().map(|marks| marks.f).collect();
        let best_f = fs.iter().copied().fold(f64::INFINITY, f64::min);
        log.push(Generation {
            number,
            wanted,
            valid: valid.len(),
            best_f,
            median_f: median(&fs).unwrap_or(best_f),
        });
        // A population of equals stays as it is.
        let settled = (1..size).all(|slot| now.same(slot, &now, 0));
        while (number >= limit || settled) && wanted > valid.len() {
            wanted -= 1;
            limit += lowered_after;
            if number < limit && !settled {
                break;
            }
        }
        if valid.len() >= wanted {
            let of = |strands: Vec<Vec<Gene>>| -> (Vec<Vec<Gene>>, Marks) {
                let views: Vec<&[Gene]> = strands.iter().map(Vec::as_slice).collect();
                let marks = search.exact(&views);
                (strands, marks)
            };
            let best = ranked.first().map(|&slot| of(strands(&now, slot)));
            let alone = settled && number == 0;
            valid.sort_by(|a, b| a.0.total_cmp(&b.0));
            let chosen = valid.into_iter().take(wanted).map(|(_, strands)| of(strands)).collect();
            return Ok(Some(Evolved { chosen, best, generations: number, valid_f, alone, log }));
        }
        // Baker's line from the best's offspring to the rest of two, rounded so that counts add up.
        let up_to = |rank: f64| BEST_OFFSPRING * rank - (BEST_OFFSPRING - 1.0) * rank * rank / size as f64;
        let mut mates: Vec<usize> = Vec::with_capacity(size);
        for (rank, &slot) in ranked.iter().enumerate() {
            let offspring = (up_to(rank as f64 + 1.0).round() - up_to(rank as f64).round()) as usize;
            mates.extend(std::iter::repeat_n(slot, offspring));
        }
        for i in (1..mates.len()).rev() {
            mates.swap(i, random.index(i + 1));
        }
        for (pair, both) in mates.chunks(2).enumerate() {
            let &[a, b] = both else {
                next.copy(2 * pair, &now, both[0]);
                continue;
            };
            let crossed = cross(search, config.cut_rule, &now, (a, b), &mut kids, &mut random);
            let mut all = vec![(now.marks[a].rank(), 0), (now.marks[b].rank(), 1)];
            for kid in 0..if crossed { 2 } else { 0 } {
                kids.marks[kid] = score(search, &kids, kid, config.torso_hz);
                all.push((kids.marks[kid].rank(), 2 + kid));
            }
            all.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            for (&(_, from), slot) in all.iter().zip([2 * pair, 2 * pair + 1]) {
                match from {
                    0 => next.copy(slot, &now, a),
                    1 => next.copy(slot, &now, b),
                    kid => next.copy(slot, &kids, kid - 2),
                }
            }
        }
        std::mem::swap(&mut now, &mut next);
        number += 1;
        if number % 16 == 0 {
            report(progress, (number as f32 / most as f32).min(1.0))?;
        }
    }
}

fn score(search: &Search<'_>, population: &Population, slot: usize, torso_hz: f64) -> Marks {
    let strands: Vec<&[Gene]> =
        (0..population.num_layers()).map(|layer| population.strand(slot, layer)).collect();
    search.score(&strands, torso_hz, f64::INFINITY)
}

fn score_all(search: &Search<'_>, population: &mut Population, torso_hz: f64) {
    for slot in 0..population.marks.len() {
        population.marks[slot] = score(search, population, slot, torso_hz);
    }
}

/// Slots from best to worst; of equals the lower slot first.
fn ranked(population: &Population) -> Vec<usize> {
    let mut slots: Vec<usize> = (0..population.marks.len()).collect();
    slots.sort_by(|&a, &b| population.marks[a].rank().total_cmp(&population.marks[b].rank()).then(a.cmp(&b)));
    slots
}

/// F with every frame looked at.
fn exact_f(search: &Search<'_>, strands: &[Vec<Gene>]) -> f64 {
    search.exact(&strands.iter().map(Vec::as_slice).collect::<Vec<&[Gene]>>()).f
}

fn strands(population: &Population, slot: usize) -> Vec<Vec<Gene>> {
    (0..population.num_layers()).map(|layer| population.strand(slot, layer).to_vec()).collect()
}

/// Adds chromosomes that keep their time, are better than F_v and have not appeared before.
fn appear(
    search: &Search<'_>,
    population: &Population,
    ranked: &[usize],
    valid_f: f64,
    config: &ComposeConfig,
    valid: &mut Vec<(f64, Vec<Vec<Gene>>)>,
) {
    for &slot in ranked {
        let f = population.marks[slot].f;
        let on_time = || {
            (0..population.num_layers())
                .all(|layer| search.off_time(layer, population.strand(slot, layer)) <= config.tempo_change)
        };
        let known = |valid: &[(f64, Vec<Vec<Gene>>)]| {
            valid.iter().any(|(_, other)| {
                other.iter().enumerate().all(|(layer, strand)| strand == population.strand(slot, layer))
            })
        };
        if f <= valid_f && valid.len() < MOST_VALID && on_time() && !known(valid) {
            // Judged on every frame, not only on those that a search looks at.
            let own = strands(population, slot);
            let exact = exact_f(search, &own);
            if exact <= valid_f {
                valid.push((exact, own));
            }
        }
    }
}

/// Two children of `a` and `b`; false when there are no two cuts in the base layer.
fn cross(
    search: &Search<'_>,
    rule: CutRule,
    parents: &Population,
    (a, b): (usize, usize),
    kids: &mut Population,
    random: &mut Random,
) -> bool {
    let base = search.base;
    let (first, second) = (parents.strand(a, base), parents.strand(b, base));
    let all = cuts(search, rule, base, first, second);
    if all.is_empty() {
        return false;
    }
    let from = all[random.index(all.len())];
    let after: Vec<Cut> = all.iter().copied().filter(|cut| cut.a > from.a && cut.b > from.b).collect();
    if after.is_empty() {
        return false;
    }
    let to = after[random.index(after.len())];
    if !exchange(search, base, first, second, (from, to), kids) {
        return false;
    }
    let time = |cut: Cut| -> f32 {
        search.tables[base].first_s + first[..=cut.a + 1].iter().map(|gene| gene.advance).sum::<f32>()
    };
    let (from_s, to_s) = (time(from), time(to));
    for layer in (0..search.tables.len()).filter(|&layer| layer != base) {
        let (first, second) = (parents.strand(a, layer), parents.strand(b, layer));
        let all = cuts(search, rule, layer, first, second);
        let start = |cut: &Cut| -> f32 {
            search.tables[layer].first_s + first[..=cut.a + 1].iter().map(|gene| gene.advance).sum::<f32>()
        };
        let nearest = |at_s: f32, after: Option<Cut>| {
            let fits = all.iter().filter(|cut| after.is_none_or(|other| cut.a > other.a && cut.b > other.b));
            fits.min_by(|x, y| (start(x) - at_s).abs().total_cmp(&(start(y) - at_s).abs())).copied()
        };
        let both = nearest(from_s, None).and_then(|from| Some((from, nearest(to_s, Some(from))?)));
        let done = both.is_some_and(|cuts| exchange(search, layer, first, second, cuts, kids));
        if !done {
            kids.put(0, layer, first);
            kids.put(1, layer, second);
        }
    }
    true
}

/// All feasible cuts of two strands.
fn cuts(search: &Search<'_>, rule: CutRule, layer: usize, a: &[Gene], b: &[Gene]) -> Vec<Cut> {
    let mut found = Vec::new();
    for (i, here) in a.windows(2).enumerate() {
        for (j, there) in b.windows(2).enumerate() {
            let edges = match rule {
                CutRule::Figure => [(here[0].node, there[1].node), (there[0].node, here[1].node)],
                CutRule::Text => [(here[0].node, there[0].node), (there[1].node, here[1].node)],
            };
            let feasible = edges.iter().all(|&(from, to)| search.has(layer, from, to));
            if here[0].leg == there[0].leg && feasible {
                found.push(Cut { a: i, b: j });
            }
        }
    }
    found
}
