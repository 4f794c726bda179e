//! Why an interval cannot be filled: no path, too short, too long, or too strict.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::chromosome::Gene;
use super::plan::gap;
use super::score::Search;
use super::walk::Ways;
use super::{ComposeError, Timeline, Why};
use crate::network::Network;

/// Why there can be no walk that keeps its time; `None` when nothing stands against one. Only a `thorough` look, worth
/// its time after a failed search, finds gaps that are too long.
pub(super) fn explain(
    search: &Search<'_>,
    ways: &[Ways],
    timeline: &Timeline,
    tempo_change: f64,
    thorough: bool,
) -> Option<ComposeError> {
    for (layer, ways) in ways.iter().enumerate() {
        let track = &search.interval.tracks[layer];
        for (leg, &want) in track.legs_s.iter().enumerate() {
            let fail = |why: Why| {
                let gap = gap(search.interval, layer, leg, timeline, &search.library);
                Some(ComposeError::Gap { gap: Box::new(gap), why, remedies: Vec::new(), tried: false })
            };
            let network = search.tables[layer].network;
            let all: Vec<u32> = (0..network.num_nodes() as u32).collect();
            let heads = track.anchor_before(leg).map_or(&all, |anchor| &anchor.nodes);
            let ends = track.anchor_after(leg).map_or(&all, |anchor| &anchor.nodes);
            if heads.iter().all(|&head| ways.hops(search, layer, leg, head).is_none()) {
                // An open end needs no transition where one clip fills it.
                let one = heads
                    .iter()
                    .any(|&head| search.library.nodes[head as usize].seconds >= want * (1.0 - tempo_change));
                if track.anchor_after(leg).is_none() && one {
                    continue;
                }
                return fail(Why::NoPath { threshold: network.threshold() });
            }
            if track.anchor_after(leg).is_some() {
                let least = least_time(search, layer, heads, ends);
                if least > want * (1.0 + tempo_change) {
                    return fail(Why::TooShort { by_s: least - want });
                }
            }
            let open = track.anchor_after(leg).is_none();
            if open && track.anchor_before(leg).is_none() {
                // Even the shortest clip alone lasts too long. (A key may last beyond the end; it is cut there.)
                let own = |&head: &u32| search.library.nodes[head as usize].seconds;
                let least = heads.iter().map(own).fold(f64::INFINITY, f64::min);
                if least > want * (1.0 + tempo_change) {
                    return fail(Why::TooShort { by_s: least - want });
                }
            }
            let most = if thorough { most_time(search, layer, heads, ends, open) } else { None };
            if let Some(by_s) = most.map(|most| want - most).filter(|&by_s| by_s > want * tempo_change) {
                return fail(Why::TooLong { by_s });
            }
        }
    }
    None
}

/// Why the best walk found is not good enough.
pub(super) fn explain_best(
    search: &Search<'_>,
    strands: &[Vec<Gene>],
    valid_f: f64,
    tempo_change: f64,
    timeline: &Timeline,
) -> ComposeError {
    // The leg that is off by most, else the one of the roughest walk.
    let mut worst = (tempo_change, None);
    let mut roughest = (f32::NEG_INFINITY, 0);
    for (layer, strand) in strands.iter().enumerate() {
        let wanted = &search.interval.tracks[layer].legs_s;
        for (leg, (&time, &want)) in search.leg_times(layer, strand).iter().zip(wanted).enumerate() {
            let off = (time / want.max(f64::MIN_POSITIVE) - 1.0).abs();
            if off > worst.0 {
                worst = (off, Some((layer, leg, time - want)));
            }
        }
        let mean = strand.iter().map(|gene| gene.cost).sum::<f32>() / strand.len() as f32;
        if mean > roughest.0 && !wanted.is_empty() {
            roughest = (mean, layer);
        }
    }
    let (layer, leg, why) = match worst.1 {
        Some((layer, leg, by_s)) if by_s > 0.0 => (layer, leg, Why::TooShort { by_s }),
        Some((layer, leg, by_s)) => (layer, leg, Why::TooLong { by_s: -by_s }),
        None => {
            let views: Vec<&[Gene]> = strands.iter().map(Vec::as_slice).collect();
            (roughest.1, 0, Why::Strict { valid_f, best_f: search.exact(&views).f })
        }
    };
    let gap = Box::new(gap(search.interval, layer, leg, timeline, &search.library));
    ComposeError::Gap { gap, why, remedies: Vec::new(), tried: false }
}

/// Shortest time from the start of a head to the start of an end: Dijkstra's, on seconds.
fn least_time(search: &Search<'_>, layer: usize, heads: &[u32], ends: &[u32]) -> f64 {
    let network = search.tables[layer].network;
    let mut time = vec![f64::INFINITY; network.num_nodes()];
    // Times are not negative, so their bits sort as they do.
    let mut open = BinaryHeap::new();
    let relax = |v: u32, at: f64, time: &mut [f64], open: &mut BinaryHeap<Reverse<(u64, u32)>>| {
        for edge in network.edges(v as usize) {
            let advance = search.seconds[v as usize] - edge.exit_s - edge.entry_s;
            let then = at + f64::from(advance).max(0.0);
            if then < time[edge.to as usize] {
                time[edge.to as usize] = then;
                open.push(Reverse((then.to_bits(), edge.to)));
            }
        }
    };
    heads.iter().for_each(|&head| relax(head, 0.0, &mut time, &mut open));
    while let Some(Reverse((bits, v))) = open.pop() {
        let at = f64::from_bits(bits);
        if at > time[v as usize] {
            continue;
        }
        if ends.binary_search(&v).is_ok() {
            return at;
        }
        relax(v, at, &mut time, &mut open);
    }
    f64::INFINITY
}

/// Longest time from the start of a head to the start of an end (an open one: to its end); `None` when walks can go on
/// for ever.
fn most_time(search: &Search<'_>, layer: usize, heads: &[u32], ends: &[u32], open: bool) -> Option<f64> {
    let network = search.tables[layer].network;
    let n = network.num_nodes();
    let from_head = flood(heads, |v| network.successors(v as usize).to_vec(), n);
    let predecessors = network.predecessors();
    let to_end = flood(ends, |v| predecessors[v as usize].clone(), n);
    let useful: Vec<bool> = (0..n).map(|v| from_head[v] && to_end[v]).collect();
    let order = topological(network, &useful)?;
    // From the back: the longest way from each node to an end.
    let mut longest = vec![f64::NEG_INFINITY; n];
    for &end in ends {
        longest[end as usize] = if open { search.library.nodes[end as usize].seconds } else { 0.0 };
    }
    for &v in order.iter().rev() {
        for edge in network.edges(v as usize).filter(|edge| useful[edge.to as usize]) {
            let advance = f64::from(search.seconds[v as usize] - edge.exit_s - edge.entry_s);
            longest[v as usize] = longest[v as usize].max(advance + longest[edge.to as usize]);
        }
    }
    heads.iter().map(|&head| longest[head as usize]).reduce(f64::max)
}

fn flood(from: &[u32], next: impl Fn(u32) -> Vec<u32>, n: usize) -> Vec<bool> {
    let mut seen = vec![false; n];
    let mut open = from.to_vec();
    from.iter().for_each(|&v| seen[v as usize] = true);
    while let Some(v) = open.pop() {
        for w in next(v) {
            if !std::mem::replace(&mut seen[w as usize], true) {
                open.push(w);
            }
        }
    }
    seen
}

/// Useful nodes, each before its successors; `None` when there is a cycle.
fn topological(network: &Network, useful: &[bool]) -> Option<Vec<u32>> {
    let nodes: Vec<u32> = (0..useful.len() as u32).filter(|&v| useful[v as usize]).collect();
    let mut waiting = vec![0_u32; useful.len()];
    let next = |v: u32| network.successors(v as usize).iter().filter(|&&to| useful[to as usize]);
    nodes.iter().for_each(|&v| next(v).for_each(|&to| waiting[to as usize] += 1));
    let mut order: Vec<u32> = nodes.iter().copied().filter(|&v| waiting[v as usize] == 0).collect();
    let mut at = 0;
    while let Some(&v) = order.get(at) {
        at += 1;
        for &to in next(v) {
            waiting[to as usize] -= 1;
            if waiting[to as usize] == 0 {
                order.push(to);
            }
        }
    }
    (order.len() == nodes.len()).then_some(order)
}
