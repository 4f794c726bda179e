//! From features to a graph: of each node the cheapest edges that leave it and the cheapest that enter it.
//!
//! Edges are found pair by pair, block by block, or through the index; both give the same bits. Only new nodes, and nodes
//! that lost one of their edges, are searched when clips come or go (`update_network`).

use serde::{Deserialize, Serialize};
use ugoki_base::{Progress, report};

use super::cost::{all_at_least, best_costs};
use super::features::{Features, LANES};
use super::graph::Found;
use super::index::Index;
use super::{Edge, Network, NetworkError};

/// How pairs are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The index from [`NetworkConfig::INDEX_FROM`] nodes on, every pair below.
    #[default]
    Auto,
    /// Every pair.
    Brute,
    /// Only pairs that the index cannot rule out. Networks with interior transitions are built pair by pair all the
    /// same.
    Index,
}

/// Which transitions become edges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkConfig {
    /// d: costs at or above this are no edges, rad².
    pub threshold: f64,
    /// Edges kept per node: the cheapest that leave it and as many that enter it; all when absent.
    pub most: Option<u32>,
    /// How pairs are found.
    pub method: Method,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        // (0.22 rad)²: a weighted mean difference of 13 degrees per joint, or of 2.2 rad/s.
        Self { threshold: 0.05, most: Some(Self::MOST), method: Method::Auto }
    }
}

impl NetworkConfig {
    /// Edges kept per node unless another number is given; 20, 50 and 100 are compared in `docs/results/compose.md`.
    pub const MOST: u32 = 50;

    /// Nodes from which `Auto` uses the index; `ugoki-bench` measures both.
    pub const INDEX_FROM: usize = 4096;

    fn check(&self) -> Result<(), NetworkError> {
        if !(self.threshold > 0.0 && self.threshold <= 1e6) {
            let expected = "a cost above 0";
            return Err(NetworkError::Config { name: "threshold", value: self.threshold, expected });
        }
        if self.most == Some(0) {
            return Err(NetworkError::Config {
                name: "most",
                value: 0.0,
                expected: "at least one edge per clip",
            });
        }
        Ok(())
    }
}

/// Ends that are compared with one block of starts before the next block: both stay in the first cache.
const ENDS: usize = 16;

/// Ends between two calls of `progress`, and the work of one thread under `parallel`.
const BATCH: usize = 256;

/// Edges of a graph that still fits ordinary memory: two gigabytes of targets and costs.
const MOST_EDGES: usize = 1 << 28;

/// Nodes to search for, as a fraction of all, below which an index takes longer to build than it saves.
const FEW: f64 = 0.1;

/// The transitions below the threshold, the cheapest of each node.
///
/// # Errors
/// When a setting is not usable, there are too many edges, or the caller stops.
pub fn build_network(
    features: &Features,
    config: &NetworkConfig,
    progress: Progress<'_>,
) -> Result<Network, NetworkError> {
    config.check()?;
    let none = Network::empty(config.threshold as f32, config.most, features.places > 1);
    update(&none, &[], features, config, progress)
}

/// The network over `features` from one over other nodes: node `i` of the first `kept.len()` nodes is node `kept[i]` of
/// `network`, ascending; the others are new. It equals the network that [`build_network`] makes of `features`.
///
/// # Errors
/// As [`build_network`]; also when `kept` does not fit.
pub fn update_network(
    network: &Network,
    kept: &[usize],
    features: &Features,
    progress: Progress<'_>,
) -> Result<Network, NetworkError> {
    let old = network.num_nodes();
    let fits = kept.is_sorted_by(|a, b| a < b) && kept.last().is_none_or(|&last| last < old);
    if !fits || kept.len() > features.num_nodes || (network.is_interior() && features.places == 1) {
        let (kept, new) = (kept.len(), features.num_nodes);
        let what = format!("{kept} of {old} nodes cannot be kept by features of {new} nodes");
        return Err(NetworkError::Unfit { what });
    }
    let config =
        NetworkConfig { threshold: f64::from(network.threshold), most: network.most, method: Method::Auto };
    update(network, kept, features, &config, progress)
}

fn update(
    network: &Network,
    kept: &[usize],
    features: &Features,
    config: &NetworkConfig,
    progress: Progress<'_>,
) -> Result<Network, NetworkError> {
    if features.num_nodes == 0 {
        return Err(NetworkError::Empty);
    }
    let mut number = vec![None; network.num_nodes()];
    kept.iter().enumerate().for_each(|(new, &old)| number[old] = Some(new as u32));
    let bounded = config.most.is_some();
    let parts = if bounded { 2.0 } else { 1.0 };
    let leaving = Direction { features, known: Known::leaving(network, kept, &number), config };
    let mut rows = leaving.cheapest(&mut |done| progress(done / parts))?;
    if bounded {
        let reversed = features.reversed();
        let entering =
            Direction { features: &reversed, known: Known::entering(network, kept, &number), config };
        let columns = entering.cheapest(&mut |done| progress((1.0 + done) / parts))?;
        for (to, column) in columns.into_iter().enumerate() {
            for found in column {
                rows[found.far as usize].push(Found { cost: found.cost, far: to as u32 });
            }
        }
        for row in &mut rows {
            row.sort_unstable_by_key(|found| found.far);
            row.dedup_by_key(|found| found.far);
        }
    }
    let edges = |(from, row): (usize, &Vec<Found>)| -> Vec<Edge> {
        row.iter().map(|found| features.edge(from, *found)).collect()
    };
    let rows: Vec<Vec<Edge>> = rows.iter().enumerate().map(edges).collect();
    Ok(Network::from_rows(&rows, config.threshold as f32, config.most, features.places > 1))
}

/// What an earlier network knows of the nodes that stay: their cheapest edges in one direction among themselves.
struct Known {
    /// By node, in the new numbers.
    lists: Vec<Vec<Found>>,
    /// Whether the list must be searched for again: one of its edges is gone, and the next cheapest was not kept.
    stale: Vec<bool>,
}

impl Known {
    fn leaving(network: &Network, kept: &[usize], number: &[Option<u32>]) -> Self {
        let list = |&old: &usize| -> Vec<Found> {
            network.edges(old).map(|edge| Found { cost: edge.cost, far: edge.to }).collect()
        };
        Self::new(kept.iter().map(list).collect(), network.most, number)
    }

    fn entering(network: &Network, kept: &[usize], number: &[Option<u32>]) -> Self {
        let mut lists = vec![Vec::new(); kept.len()];
        for from in 0..network.num_nodes() {
            for edge in network.edges(from) {
                if let Some(to) = number[edge.to as usize] {
                    lists[to as usize].push(Found { cost: edge.cost, far: from as u32 });
                }
            }
        }
        Self::new(lists, network.most, number)
    }

    fn new(mut lists: Vec<Vec<Found>>, most: Option<u32>, number: &[Option<u32>]) -> Self {
        let stale = lists.iter_mut().map(|list| {
            keep_cheapest(list, most);
            let full = most.is_some_and(|most| list.len() >= most as usize);
            let before = list.len();
            list.retain_mut(|found| {
                let now = number[found.far as usize];
                found.far = now.unwrap_or(u32::MAX);
                now.is_some()
            });
            full && list.len() < before
        });
        let stale = stale.collect();
        Self { lists, stale }
    }
}

/// Edges in one direction: of `features` those that leave, of reversed features those that enter.
struct Direction<'a> {
    features: &'a Features,
    known: Known,
    config: &'a NetworkConfig,
}

impl Direction<'_> {
    /// The cheapest edges of every node, by number.
    fn cheapest(self, progress: Progress<'_>) -> Result<Vec<Vec<Found>>, NetworkError> {
        let Self { features, known, config } = self;
        let kept = known.lists.len();
        let limit = config.threshold as f32;
        let most = config.most;
        let searched: Vec<u32> =
            (0..features.num_nodes as u32).filter(|&v| known.stale.get(v as usize) != Some(&false)).collect();
        let many = searched.len() as f64 > FEW * features.num_nodes as f64;
        let indexed = match config.method {
            Method::Auto => features.num_nodes >= NetworkConfig::INDEX_FROM && many,
            Method::Brute => false,
            Method::Index => true,
        };
        let index = (indexed && features.places == 1).then(|| Index::build(features));
        // Neighbours in the order of the index visit the same blocks.
        let searched = index.as_ref().filter(|_| many).map_or(searched, |index| {
            let order = index.order().into_iter();
            order.filter(|&v| known.stale.get(v as usize) != Some(&false)).collect()
        });
        let clean: Vec<u32> = (0..kept as u32).filter(|&v| !known.stale[v as usize]).collect();
        let total = (searched.len() + clean.len()).max(1) as f32;
        let searched_part = searched.len() as f32 / total;
        let mut lists = known.lists;
        lists.resize(features.num_nodes, Vec::new());
        let work = |nodes: &[u32]| -> Vec<Vec<Found>> {
            let mut found = match &index {
                Some(index) => index.rows(features, nodes, limit, most),
                None => brute_rows(features, nodes, 0, &vec![limit; nodes.len()]),
            };
            found.iter_mut().for_each(|list| keep_cheapest(list, most));
            found
        };
        let mut count = 0;
        let mut add = |found: usize| -> Result<(), NetworkError> {
            count += found;
            if count > MOST_EDGES {
                return Err(NetworkError::TooManyEdges { most: MOST_EDGES, threshold: config.threshold });
            }
            Ok(())
        };
        in_batches(&searched, &work, &mut |done| progress(searched_part * done), &mut |v, list| {
            add(list.len())?;
            lists[v as usize] = list;
            Ok(())
        })?;
        if kept < features.num_nodes && !clean.is_empty() {
            // Of a list that is full, only what is cheaper than its dearest edge is of interest.
            let bounds: Vec<f32> = (0..kept).map(|v| bound(&lists[v], most, limit)).collect();
            let work = |nodes: &[u32]| -> Vec<Vec<Found>> {
                let limits: Vec<f32> = nodes.iter().map(|&v| bounds[v as usize]).collect();
                brute_rows(features, nodes, kept, &limits)
            };
            let part = |done: f32| searched_part + (1.0 - searched_part) * done;
            in_batches(&clean, &work, &mut |done| progress(part(done)), &mut |v, mut more| {
                add(more.len())?;
                let list = &mut lists[v as usize];
                list.append(&mut more);
                keep_cheapest(list, most);
                Ok(())
            })?;
        }
        Ok(lists)
    }
}

/// What a further edge of this list must cost less than.
fn bound(list: &[Found], most: Option<u32>, limit: f32) -> f32 {
    match most {
        Some(most) if list.len() >= most as usize => list.iter().map(|found| found.cost).fold(0.0, f32::max),
        _ => limit,
    }
}

/// Edges from each of `nodes` to the nodes from `first` on, each below the node's limit.
fn brute_rows(features: &Features, nodes: &[u32], first: usize, limits: &[f32]) -> Vec<Vec<Found>> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[allow(unsafe_code, reason = "the processor has just been asked for AVX2")]
        // SAFETY: the feature was detected.
        return unsafe { brute_rows_avx2(features, nodes, first, limits) };
    }
    brute_rows_plain(features, nodes, first, limits)
}

/// The same source for twice as wide registers; nothing is fused or reordered, so the bits are the same.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn brute_rows_avx2(features: &Features, nodes: &[u32], first: usize, limits: &[f32]) -> Vec<Vec<Found>> {
    brute_rows_plain(features, nodes, first, limits)
}

#[inline(always)]
fn brute_rows_plain(features: &Features, nodes: &[u32], first: usize, limits: &[f32]) -> Vec<Vec<Found>> {
    let mut rows = vec![Vec::new(); nodes.len()];
    for ((ends, limits), rows) in nodes.chunks(ENDS).zip(limits.chunks(ENDS)).zip(rows.chunks_mut(ENDS)) {
        for block in first / LANES..features.num_nodes.div_ceil(LANES) {
            for ((&m, &limit), row) in ends.iter().zip(limits).zip(rows.iter_mut()) {
                let (costs, _) = best_costs(features, m as usize, block, limit);
                if all_at_least(&costs, limit) {
                    continue;
                }
                for (lane, &cost) in costs.iter().enumerate() {
                    let n = block * LANES + lane;
                    if cost < limit && n >= first && n < features.num_nodes {
                        row.push(Found { cost, far: n as u32 });
                    }
                }
            }
        }
    }
    rows
}

impl Features {
    /// The edge from a node to one that was found, with what is cut off both where transitions lie inside.
    fn edge(&self, from: usize, Found { cost, far }: Found) -> Edge {
        if self.places == 1 {
            return Edge { to: far, cost, exit_s: 0.0, entry_s: 0.0 };
        }
        let to = far as usize;
        let (costs, at) = best_costs(self, from, to / LANES, f32::INFINITY);
        let (exit, entry) = at[to % LANES];
        Edge {
            to: far,
            cost: costs[to % LANES],
            exit_s: self.trims[from * self.places + usize::from(exit)][1],
            entry_s: self.trims[to * self.places + usize::from(entry)][0],
        }
    }
}

/// Only the cheapest edges, of equal ones those of lower numbers; by number again afterwards.
fn keep_cheapest(list: &mut Vec<Found>, most: Option<u32>) {
    let Some(most) = most.map(|most| most as usize).filter(|&most| list.len() > most) else { return };
    list.sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost).then(a.far.cmp(&b.far)));
    list.truncate(most);
    list.sort_unstable_by_key(|found| found.far);
}

type Work<'a> = &'a (dyn Fn(&[u32]) -> Vec<Vec<Found>> + Sync);
type Take<'a> = &'a mut dyn FnMut(u32, Vec<Found>) -> Result<(), NetworkError>;

/// Works through `nodes`; where threads are allowed, each takes a batch. Rows depend on nothing but their node.
fn in_batches(
    nodes: &[u32],
    work: Work<'_>,
    progress: Progress<'_>,
    take: Take<'_>,
) -> Result<(), NetworkError> {
    #[cfg(feature = "parallel")]
    let at_once = BATCH * rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    let at_once = BATCH;
    let mut done = 0;
    for nodes_now in nodes.chunks(at_once) {
        #[cfg(feature = "parallel")]
        let made: Vec<Vec<Vec<Found>>> = {
            use rayon::prelude::*;
            nodes_now.par_chunks(BATCH).map(work).collect()
        };
        #[cfg(not(feature = "parallel"))]
        let made = [work(nodes_now)];
        for (&node, mut list) in nodes_now.iter().zip(made.into_iter().flatten()) {
            list.shrink_to_fit();
            take(node, list)?;
        }
        done += nodes_now.len();
        report(progress, done as f32 / nodes.len() as f32)?;
    }
    Ok(())
}
