//! Whether clips can fill the opening before the first key of a layer or after its last.

use std::collections::HashSet;

use super::transitions::{Incoming, Limits};
use crate::network::{Network, Node};

/// States, nodes with times, that are looked at before an opening counts as one that clips can fill; the search then
/// decides.
const STATES: usize = 1 << 20;

/// Times are compared in these units, seconds.
const TICK_S: f64 = 1e-3;

/// What walks through an opening may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opening<'a> {
    pub(super) nodes: &'a [Node],
    /// By layer.
    pub(super) networks: &'a [Network],
    /// By layer.
    pub(super) incoming: &'a [Incoming],
    pub(super) limits: Limits<'a>,
    /// Fraction by which a leg's time may be off.
    pub(super) tempo_change: f64,
}

impl Opening<'_> {
    /// Whether a walk that ends at one of `ends` takes `want_s` until there.
    pub(super) fn fits_before(&self, layer: usize, ends: &[u32], want_s: f64) -> bool {
        let network = &self.networks[layer];
        let [low, high] = self.range(want_s);
        let step = |v: u32, so_far: f64, found: &mut dyn FnMut(u32, f64)| {
            for (from, cost) in self.incoming[layer].edges(v) {
                if let Some(edge) = network.edge(from as usize, v as usize)
                    && self.limits.allows(layer, from, v, cost)
                {
                    found(from, so_far + self.advance(from, edge.exit_s, edge.entry_s));
                }
            }
        };
        reaches(ends, high, step, |_, so_far| so_far >= low)
    }

    /// Whether a walk that begins at one of `heads` and takes at least one step is over after `want_s`.
    pub(super) fn fits_after(&self, layer: usize, heads: &[u32], want_s: f64) -> bool {
        let network = &self.networks[layer];
        let [low, high] = self.range(want_s);
        let step = |v: u32, so_far: f64, found: &mut dyn FnMut(u32, f64)| {
            for edge in network.edges(v as usize) {
                if self.limits.allows(layer, v, edge.to, edge.cost) {
                    found(edge.to, so_far + self.advance(v, edge.exit_s, edge.entry_s));
                }
            }
        };
        let ends = |v: u32, so_far: f64| {
            let end = so_far + self.nodes[v as usize].seconds;
            end >= low && end <= high
        };
        reaches(heads, high, step, ends)
    }

    fn range(&self, want_s: f64) -> [f64; 2] {
        [want_s * (1.0 - self.tempo_change), want_s * (1.0 + self.tempo_change)]
    }

    fn advance(&self, node: u32, exit_s: f32, entry_s: f32) -> f64 {
        (self.nodes[node as usize].seconds - f64::from(exit_s) - f64::from(entry_s)).max(0.0)
    }
}

/// Whether steps from one of `starts` lead to a node and a time, at most `high`, that is `done`.
fn reaches(
    starts: &[u32],
    high: f64,
    step: impl Fn(u32, f64, &mut dyn FnMut(u32, f64)),
    done: impl Fn(u32, f64) -> bool,
) -> bool {
    let mut seen: HashSet<(u32, u32)> = HashSet::new();
    let mut open: Vec<(u32, f64)> = starts.iter().map(|&v| (v, 0.0)).collect();
    while let Some((v, so_far)) = open.pop() {
        let mut fits = false;
        step(v, so_far, &mut |to, time| {
            fits |= time <= high && done(to, time);
            if time <= high && seen.insert((to, (time / TICK_S).round() as u32)) {
                open.push((to, time));
            }
        });
        if fits || seen.len() > STATES {
            return true;
        }
    }
    false
}
