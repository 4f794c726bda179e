//! The part of a library that one interval is searched in.
//!
//! A search over thousands of clips would spend its time on nodes that no good walk visits. Around each key, Dijkstra's
//! algorithm settles the nodes that are cheapest to reach from it and those from which it is cheapest to reach, a bounded
//! number of them, until both sides of every gap meet. Costs are multiplied by a factor drawn for each node, so that other
//! seeds give other spaces. What a search costs then depends on the gap and not on the size of the library.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use ugoki_base::math::Random;

use super::transitions::{Incoming, Limits};
use super::{Anchor, Criterion, FreeNode, Interval, Library, Track};
use crate::network::{Edge, Network, Node, Origin};

/// Nodes of a space unless more are needed.
pub(super) const NODES: usize = 1500;

/// Nodes that each direction of a leg has at least, however many legs are in one space.
const LEAST: usize = 200;

/// Cost of a step besides its transition's, rad²: of equal ways the one with fewer steps.
const STEP: f32 = 0.005;

/// Range of the factor on a node's costs.
const JITTER: (f64, f64) = (0.5, 2.0);

/// What criteria add to the factor of a node at most.
const GUIDED: f64 = 4.0;

/// Nodes from which a space grows that has no key.
const SEEDS: usize = 48;

/// A small library of its own, with the interval in its numbers.
#[derive(Debug)]
pub(super) struct SearchSpace {
    /// The library's numbers of its nodes, ascending.
    numbers: Vec<u32>,
    nodes: Vec<Node>,
    networks: Vec<Network>,
    origins: Vec<Origin>,
    pub(super) interval: Interval,
}

/// A leg whose two ends no transitions connect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unconnected {
    pub(super) layer: usize,
    pub(super) leg: usize,
}

impl SearchSpace {
    /// The space of an interval; `most` nodes or somewhat more. Libraries with fewer nodes are taken whole.
    pub(super) fn new(
        library: &Library<'_>,
        (incoming, criteria): (&[Incoming], &[Criterion<'_>]),
        interval: &Interval,
        limits: Limits<'_>,
        most: usize,
        seed: u64,
    ) -> Result<Self, Unconnected> {
        let n = library.nodes.len();
        let numbers: Vec<u32> = if n <= most {
            (0..n as u32).collect()
        } else {
            let mut chosen = vec![false; n];
            let drawn = factors(n, seed);
            let factors: Vec<Vec<f32>> = (interval.tracks.iter().enumerate())
                .map(|(layer, track)| guided(library, criteria, &drawn, layer, track))
                .collect();
            let growth = Growth { library, incoming, limits, factors: &factors };
            let legs: usize = interval.tracks.iter().map(|track| track.legs_s.len()).sum();
            let count = (most / (2 * legs.max(1))).max(LEAST);
            for (layer, track) in interval.tracks.iter().enumerate() {
                track.anchors.iter().flat_map(|a| &a.nodes).for_each(|&v| chosen[v as usize] = true);
                for leg in 0..track.legs_s.len() {
                    growth.leg(layer, leg, track, count, seed, &mut chosen)?;
                }
            }
            (0..n as u32).filter(|&v| chosen[v as usize]).collect()
        };
        let mut local = vec![u32::MAX; n];
        numbers.iter().enumerate().for_each(|(new, &old)| local[old as usize] = new as u32);
        let networks = library.networks.iter().enumerate().map(|(layer, network)| {
            network.part(&numbers, &local, |from, edge| limits.allows(layer, from, edge.to, edge.cost))
        });
        let pick = |v: &u32| library.nodes[*v as usize].clone();
        let origin = |v: &u32| library.origins.get(*v as usize).cloned();
        let anchor = |anchor: &Anchor| Anchor {
            nodes: anchor.nodes.iter().map(|&v| local[v as usize]).collect(),
            ..anchor.clone()
        };
        let track =
            |track: &Track| Track { anchors: track.anchors.iter().map(anchor).collect(), ..track.clone() };
        let interval = Interval {
            tracks: interval.tracks.iter().map(track).collect(),
            tempo: Arc::clone(&interval.tempo),
            ..interval.clone()
        };
        Ok(Self {
            nodes: numbers.iter().map(pick).collect(),
            networks: networks.collect(),
            origins: numbers.iter().filter_map(origin).collect(),
            interval,
            numbers,
        })
    }

    /// How many nodes it has.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The space as a library, whose nodes have their own numbers.
    pub(super) fn library<'a>(&'a self, whole: &Library<'a>) -> Library<'a> {
        Library {
            nodes: &self.nodes,
            networks: &self.networks,
            features: &[],
            origins: &self.origins,
            numbers: &self.numbers,
            ..*whole
        }
    }

    /// The space's number of a node of the library.
    pub(super) fn local(&self, number: u32) -> Option<u32> {
        self.numbers.binary_search(&number).ok().map(|place| place as u32)
    }
}

/// A factor for each node.
fn factors(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    let (low, high) = (JITTER.0.ln(), JITTER.1.ln());
    (0..count).map(|_| random.range(low, high).exp() as f32).collect()
}

/// The factors, higher for nodes that the criteria count against.
fn guided(
    library: &Library<'_>,
    criteria: &[Criterion<'_>],
    drawn: &[f32],
    layer: usize,
    track: &Track,
) -> Vec<f32> {
    let keys: Vec<u32> = track.anchors.iter().filter_map(|key| key.nodes.first().copied()).collect();
    let measured: Vec<_> =
        criteria.iter().filter_map(|one| Some((one.weight, one.of_node.as_ref()?))).collect();
    let factor = |(node, &drawn): (usize, &f32)| {
        let free = FreeNode { library: library.nodes, node: node as u32, layer, keys: &keys };
        let counted: f64 = measured.iter().map(|(weight, of_node)| weight * of_node(&free)).sum();
        if counted.is_finite() { drawn * (1.0 + counted.clamp(0.0, GUIDED)) as f32 } else { drawn }
    };
    drawn.iter().enumerate().map(factor).collect()
}

/// What grows around keys.
struct Growth<'a> {
    library: &'a Library<'a>,
    incoming: &'a [Incoming],
    limits: Limits<'a>,
    /// By layer and node.
    factors: &'a [Vec<f32>],
}

/// Nodes settled in one direction.
struct Front {
    cost: Vec<f32>,
    settled: Vec<u32>,
    is_settled: Vec<bool>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Front {
    fn new(from: &[u32], n: usize) -> Self {
        let mut front = Self {
            cost: vec![f32::INFINITY; n],
            settled: Vec::new(),
            is_settled: vec![false; n],
            open: BinaryHeap::new(),
        };
        from.iter().for_each(|&v| front.offer(v, 0.0));
        front
    }

    fn offer(&mut self, node: u32, cost: f32) {
        if cost < self.cost[node as usize] {
            self.cost[node as usize] = cost;
            // Bits of numbers that are not negative sort like the numbers.
            self.open.push(Reverse((cost.to_bits(), node)));
        }
    }

    /// Settles nodes until there are `count`; false when no more can be reached.
    fn grow(&mut self, count: usize, next: Successors<'_>) -> bool {
        while self.settled.len() < count {
            let Some(Reverse((bits, v))) = self.open.pop() else { return false };
            if std::mem::replace(&mut self.is_settled[v as usize], true) {
                continue;
            }
            self.settled.push(v);
            let so_far = f32::from_bits(bits);
            next(v, &mut |to, cost| self.offer(to, so_far + cost));
        }
        true
    }
}

/// Hands every successor of a node, with the cost of the transition, to a function.
type Successors<'a> = &'a dyn Fn(u32, &mut dyn FnMut(u32, f32));

impl Growth<'_> {
    /// Marks the nodes of one leg.
    fn leg(
        &self,
        layer: usize,
        leg: usize,
        track: &Track,
        count: usize,
        seed: u64,
        chosen: &mut [bool],
    ) -> Result<(), Unconnected> {
        let n = self.library.nodes.len();
        let room = 1.05 * track.legs_s[leg];
        let fits = |v: u32| self.library.nodes[v as usize].seconds <= room;
        let step = |v: u32, cost: f32| (cost + STEP) * self.factors[layer][v as usize];
        let network = &self.library.networks[layer];
        let ahead = |v: u32, offer: &mut dyn FnMut(u32, f32)| {
            for (&to, &cost) in network.successors(v as usize).iter().zip(network.costs(v as usize)) {
                if self.limits.allows(layer, v, to, cost) && fits(to) {
                    offer(to, step(to, cost));
                }
            }
        };
        let back = |v: u32, offer: &mut dyn FnMut(u32, f32)| {
            for (from, cost) in self.incoming[layer].edges(v) {
                if self.limits.allows(layer, from, v, cost) && fits(from) {
                    offer(from, step(from, cost));
                }
            }
        };
        let heads = track.anchor_before(leg).map(|anchor| anchor.nodes.as_slice());
        let ends = track.anchor_after(leg).map(|anchor| anchor.nodes.as_slice());
        let (heads, ends) = match (heads, ends) {
            (None, None) => {
                let mut random = Random::fork(seed, layer as u64);
                let drawn: Vec<u32> =
                    (0..SEEDS).map(|_| random.index(n) as u32).filter(|&v| fits(v)).collect();
                (Some(drawn), None)
            }
            (heads, ends) => (heads.map(<[u32]>::to_vec), ends.map(<[u32]>::to_vec)),
        };
        let mut fronts = [heads, ends].map(|from| from.map(|from| Front::new(&from, n)));
        let mut count = count;
        loop {
            let mut grows = false;
            if let Some(front) = &mut fronts[0] {
                grows |= front.grow(count, &ahead);
            }
            if let Some(front) = &mut fronts[1] {
                grows |= front.grow(count, &back);
            }
            let meet = match &fronts {
                [Some(ahead), Some(back)] => {
                    // A key is where its front begins: the other front must reach it by at least one step.
                    let reached = |&&v: &&u32| {
                        back.is_settled[v as usize]
                            && (ahead.cost[v as usize] > 0.0 || back.cost[v as usize] > 0.0)
                    };
                    ahead.settled.iter().any(|v| reached(&v))
                }
                _ => true,
            };
            if meet {
                break;
            }
            if !grows {
                return Err(Unconnected { layer, leg });
            }
            count *= 2;
        }
        fronts.iter().flatten().flat_map(|front| &front.settled).for_each(|&v| chosen[v as usize] = true);
        Ok(())
    }
}

impl Network {
    /// The network of some nodes, in their new numbers `local`, with those of its edges that are to be kept.
    fn part(&self, numbers: &[u32], local: &[u32], keep: impl Fn(u32, &Edge) -> bool) -> Self {
        let row = |&from: &u32| -> Vec<Edge> {
            let edges = self.edges(from as usize).filter(|edge| local[edge.to as usize] != u32::MAX);
            let kept = edges.filter(|edge| keep(from, edge));
            kept.map(|edge| Edge { to: local[edge.to as usize], ..edge }).collect()
        };
        self.with_rows(&numbers.iter().map(row).collect::<Vec<_>>())
    }
}
