//! Transitions that a search may take, and the way back along them.

use std::collections::BTreeSet;

use crate::network::Network;

/// Edges that lead to every node, by node; built once for all intervals.
#[derive(Debug)]
pub(super) struct Incoming {
    /// Row n is `offsets[n]..offsets[n + 1]`.
    offsets: Vec<u32>,
    sources: Vec<u32>,
    costs: Vec<f32>,
}

impl Incoming {
    pub(super) fn new(network: &Network) -> Self {
        let n = network.num_nodes();
        let mut offsets = vec![0_u32; n + 1];
        for from in 0..n {
            network.successors(from).iter().for_each(|&to| offsets[to as usize + 1] += 1);
        }
        for node in 0..n {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let (mut sources, mut costs) = (vec![0; network.num_edges()], vec![0.0; network.num_edges()]);
        for from in 0..n {
            for (&to, &cost) in network.successors(from).iter().zip(network.costs(from)) {
                let place = &mut next[to as usize];
                (sources[*place as usize], costs[*place as usize]) = (from as u32, cost);
                *place += 1;
            }
        }
        Self { offsets, sources, costs }
    }

    pub(super) fn edges(&self, node: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
        let row = self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize;
        self.sources[row.clone()].iter().copied().zip(self.costs[row].iter().copied())
    }
}

/// Which transitions a search may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits<'a> {
    /// Transitions that cost as much or more are left out.
    pub(super) threshold: f32,
    /// By layer, transitions that were rejected.
    pub(super) rejected: &'a [BTreeSet<(u32, u32)>],
}

impl Limits<'_> {
    pub(super) fn allows(&self, layer: usize, from: u32, to: u32, cost: f32) -> bool {
        cost < self.threshold && self.rejected.get(layer).is_none_or(|gone| !gone.contains(&(from, to)))
    }
}
