//! What can be reached from where: strongly connected components \[tarjan1972\], strays and the nearest bridges to them.

use serde::Serialize;

use super::Network;
use super::cost::best_costs;
use super::features::{Features, LANES};

/// The cheapest transition that would join a stray to the main component.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bridge {
    /// Node before.
    pub from: usize,
    /// Node after.
    pub to: usize,
    /// What it costs; a threshold above this makes it an edge.
    pub cost: f32,
}

/// A node that is not in the main component.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stray {
    /// The node.
    pub node: usize,
    /// Whether a way leads from the main component to it.
    pub entered: bool,
    /// Whether a way leads from it to the main component.
    pub left: bool,
    /// Where none leads to it: the cheapest transition from the main component.
    pub way_in: Option<Bridge>,
    /// Where none leads from it: the cheapest transition to the main component.
    pub way_out: Option<Bridge>,
}

/// Which nodes can be walked between.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reach {
    /// Strongly connected component of every node, numbered by first node.
    pub component: Vec<usize>,
    /// How many components there are.
    pub num_components: usize,
    /// The largest component, of equals the one with the lowest node; where walks can go on for ever, if any can.
    pub main: usize,
    /// Nodes outside it.
    pub strays: Vec<Stray>,
}

/// Components, and for nodes outside the largest the nearest bridges where `features` are at hand.
#[must_use]
pub fn reach(network: &Network, features: Option<&Features>) -> Reach {
    let component = components(network);
    let num_components = component.iter().max().map_or(0, |&most| most + 1);
    let mut sizes = vec![0_usize; num_components];
    component.iter().for_each(|&c| sizes[c] += 1);
    let main = (0..num_components).rev().max_by_key(|&c| sizes[c]).unwrap_or(0);
    if num_components < 2 {
        return Reach { strays: Vec::new(), component, num_components, main };
    }
    let inside: Vec<u32> =
        (0..network.num_nodes()).filter(|&v| component[v] == main).map(|v| v as u32).collect();
    let entered = flooded(&inside, |v| network.successors(v), network.num_nodes());
    let predecessors = network.predecessors();
    let left = flooded(&inside, |v| &predecessors[v], network.num_nodes());
    let features = features.filter(|features| features.num_nodes == network.num_nodes());
    let is_main: Vec<bool> = component.iter().map(|&c| c == main).collect();
    let reversed = features.map(Features::reversed);
    let strays = (0..network.num_nodes()).filter(|&v| component[v] != main).map(|node| {
        let cheapest = |from_main: bool| {
            let features = if from_main { reversed.as_ref() } else { features }?;
            let (cost, other) = nearest(features, node, &is_main)?;
            let (from, to) = if from_main { (other, node) } else { (node, other) };
            Some(Bridge { from, to, cost })
        };
        Stray {
            node,
            entered: entered[node],
            left: left[node],
            way_in: if entered[node] { None } else { cheapest(true) },
            way_out: if left[node] { None } else { cheapest(false) },
        }
    });
    Reach { strays: strays.collect(), component, num_components, main }
}

/// The cheapest edge from a node to one of `those`, of equal ones the lowest; its cost and the node there.
fn nearest(features: &Features, node: usize, those: &[bool]) -> Option<(f32, usize)> {
    let mut best: Option<(f32, usize)> = None;
    for block in 0..those.len().div_ceil(LANES) {
        let limit = best.map_or(f32::INFINITY, |best| best.0);
        let (costs, _) = best_costs(features, node, block, limit);
        for (other, &cost) in (block * LANES..those.len()).zip(&costs) {
            if those[other] && best.is_none_or(|best| cost < best.0) {
                best = Some((cost, other));
            }
        }
    }
    best
}

/// All that can be reached from `from`.
fn flooded<'a>(from: &[u32], next: impl Fn(usize) -> &'a [u32], num_nodes: usize) -> Vec<bool> {
    let mut seen = vec![false; num_nodes];
    let mut open: Vec<u32> = from.to_vec();
    from.iter().for_each(|&v| seen[v as usize] = true);
    while let Some(v) = open.pop() {
        for &w in next(v as usize) {
            if !seen[w as usize] {
                seen[w as usize] = true;
                open.push(w);
            }
        }
    }
    seen
}

/// Tarjan's algorithm with its own stack, so that long chains do not overflow the thread's.
fn components(network: &Network) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let n = network.num_nodes();
    let (mut index, mut low) = (vec![NEW; n], vec![0; n]);
    // A node that was met and has no component yet is on the stack.
    let mut component = vec![NEW; n];
    let (mut stack, mut calls) = (Vec::new(), Vec::new());
    let (mut next_index, mut count) = (0, 0);
    for root in 0..n {
        if index[root] != NEW {
            continue;
        }
        calls.push((root, 0));
        while let Some(&mut (v, ref mut at)) = calls.last_mut() {
            if *at == 0 {
                index[v] = next_index;
                low[v] = next_index;
                next_index += 1;
                stack.push(v);
            }
            let mut least = low[v];
            let rest = &network.successors(v)[*at..];
            let new = rest.iter().position(|&w| {
                let w = w as usize;
                if index[w] != NEW && component[w] == NEW {
                    least = least.min(index[w]);
                }
                index[w] == NEW
            });
            low[v] = least;
            if let Some(new) = new {
                *at += new + 1;
                calls.push((rest[new] as usize, 0));
                continue;
            }
            calls.pop();
            if let Some(&(caller, _)) = calls.last() {
                low[caller] = low[caller].min(low[v]);
            }
            if low[v] == index[v] {
                while let Some(w) = stack.pop() {
                    component[w] = count;
                    if w == v {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    // Numbered by their first node.
    let mut names = vec![NEW; count];
    let mut next = 0;
    for c in &mut component {
        if names[*c] == NEW {
            names[*c] = next;
            next += 1;
        }
        *c = names[*c];
    }
    component
}

/// The least threshold at which a walk from one of `from` to one of `to` exists: its dearest transition must cost less.
/// `None` when either is empty. Walks have at least one transition.
#[must_use]
pub fn least_threshold(features: &Features, from: &[u32], to: &[u32]) -> Option<f32> {
    let n = features.num_nodes;
    let valid = |nodes: &[u32]| !nodes.is_empty() && nodes.iter().all(|&v| (v as usize) < n);
    if !valid(from) || !valid(to) {
        return None;
    }
    // Dijkstra on the largest cost of a walk; rows of costs are made when a node is settled.
    let mut dearest = vec![f32::INFINITY; n];
    let mut settled = vec![false; n];
    let relax = |v: usize, so_far: f32, dearest: &mut [f32]| {
        for block in 0..n.div_ceil(LANES) {
            let (costs, _) = best_costs(features, v, block, f32::INFINITY);
            for (lane, cost) in costs.iter().enumerate().filter(|(lane, _)| block * LANES + lane < n) {
                let through = cost.max(so_far);
                let w = block * LANES + lane;
                dearest[w] = dearest[w].min(through);
            }
        }
    };
    for &v in from {
        relax(v as usize, 0.0, &mut dearest);
    }
    loop {
        let v = (0..n).filter(|&v| !settled[v]).min_by(|&a, &b| dearest[a].total_cmp(&dearest[b]))?;
        if to.contains(&(v as u32)) {
            return Some(dearest[v]);
        }
        settled[v] = true;
        relax(v, dearest[v], &mut dearest);
    }
}
