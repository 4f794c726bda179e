//! From features to a graph: every pair, block by block, or through the index.

use serde::{Deserialize, Serialize};
use ugoki_base::{Progress, report};

use super::cost::{all_at_least, best_costs};
use super::features::{Features, LANES};
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
    /// Edges kept per node, the cheapest; all when absent.
    pub most: Option<u32>,
    /// How pairs are found.
    pub method: Method,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        // (0.22 rad)²: a weighted mean difference of 13 degrees per joint, or of 2.2 rad/s.
        Self { threshold: 0.05, most: None, method: Method::Auto }
    }
}

impl NetworkConfig {
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

/// All transitions below the threshold.
///
/// # Errors
/// When a setting is not usable, there are too many edges, or the caller stops.
pub fn build_network(
    features: &Features,
    config: &NetworkConfig,
    progress: Progress<'_>,
) -> Result<Network, NetworkError> {
    config.check()?;
    if features.num_nodes == 0 {
        return Err(NetworkError::Empty);
    }
    let indexed = match config.method {
        Method::Auto => features.num_nodes >= NetworkConfig::INDEX_FROM,
        Method::Brute => false,
        Method::Index => true,
    };
    let index = (indexed && features.places == 1).then(|| Index::build(features));
    let limit = config.threshold as f32;
    let all: Vec<u32> = match &index {
        // Neighbours in the order of the index visit the same blocks.
        Some(index) => index.order(),
        None => (0..features.num_nodes as u32).collect(),
    };
    let mut rows = vec![Vec::new(); features.num_nodes];
    let work = |nodes: &[u32]| -> Vec<Vec<Edge>> {
        let mut out = match &index {
            Some(index) => index.rows(features, nodes, limit, config.most),
            None => brute_rows(features, nodes, 0, limit),
        };
        out.iter_mut().for_each(|row| keep_cheapest(row, config.most));
        out
    };
    in_batches(&all, &mut rows, &work, config, progress)?;
    Ok(Network::from_rows(&rows, limit, config.most, features.places > 1))
}

/// A network for all of `features` from one for its first nodes: only pairs with a new node are compared.
///
/// # Errors
/// As [`build_network`]; also when `features` has fewer nodes than the network.
pub fn extend_network(
    network: &Network,
    features: &Features,
    progress: Progress<'_>,
) -> Result<Network, NetworkError> {
    let old = network.num_nodes();
    if old > features.num_nodes || (network.is_interior() && features.places == 1) {
        let what =
            format!("a network of {old} nodes cannot grow by features of {} nodes", features.num_nodes);
        return Err(NetworkError::Unfit { what });
    }
    let limit = network.threshold;
    let config = NetworkConfig { threshold: f64::from(limit), most: network.most, method: Method::Brute };
    let mut rows = vec![Vec::new(); features.num_nodes];
    let all: Vec<u32> = (0..features.num_nodes as u32).collect();
    let work = |nodes: &[u32]| -> Vec<Vec<Edge>> {
        let split = nodes.partition_point(|&m| (m as usize) < old);
        let mut out = brute_rows(features, &nodes[..split], old, limit);
        for (row, &m) in out.iter_mut().zip(nodes) {
            let mut both: Vec<Edge> = network.edges(m as usize).collect();
            both.append(row);
            *row = both;
        }
        out.extend(brute_rows(features, &nodes[split..], 0, limit));
        out.iter_mut().for_each(|row| keep_cheapest(row, config.most));
        out
    };
    in_batches(&all, &mut rows, &work, &config, progress)?;
    Ok(Network::from_rows(&rows, limit, config.most, features.places > 1))
}

/// Edges from each of `nodes` to the nodes from `first` on.
fn brute_rows(features: &Features, nodes: &[u32], first: usize, limit: f32) -> Vec<Vec<Edge>> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[allow(unsafe_code, reason = "the processor has just been asked for AVX2")]
        // SAFETY: the feature was detected.
        return unsafe { brute_rows_avx2(features, nodes, first, limit) };
    }
    brute_rows_plain(features, nodes, first, limit)
}

/// The same source for twice as wide registers; nothing is fused or reordered, so the bits are the same.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn brute_rows_avx2(features: &Features, nodes: &[u32], first: usize, limit: f32) -> Vec<Vec<Edge>> {
    brute_rows_plain(features, nodes, first, limit)
}

#[inline(always)]
fn brute_rows_plain(features: &Features, nodes: &[u32], first: usize, limit: f32) -> Vec<Vec<Edge>> {
    let mut rows = vec![Vec::new(); nodes.len()];
    for (ends, rows) in nodes.chunks(ENDS).zip(rows.chunks_mut(ENDS)) {
        for block in first / LANES..features.num_nodes.div_ceil(LANES) {
            for (&m, row) in ends.iter().zip(rows.iter_mut()) {
                let (costs, at) = best_costs(features, m as usize, block, limit);
                if all_at_least(&costs, limit) {
                    continue;
                }
                for lane in 0..LANES {
                    let n = block * LANES + lane;
                    if costs[lane] < limit && n >= first && n < features.num_nodes {
                        let (exit, entry) = (usize::from(at[lane].0), usize::from(at[lane].1));
                        row.push(Edge {
                            to: n as u32,
                            cost: costs[lane],
                            exit_s: features.trims[m as usize * features.places + exit][1],
                            entry_s: features.trims[n * features.places + entry][0],
                        });
                    }
                }
            }
        }
    }
    rows
}

/// Only the cheapest edges, of equal ones those to lower numbers; by target again afterwards.
fn keep_cheapest(row: &mut Vec<Edge>, most: Option<u32>) {
    let Some(most) = most.map(|most| most as usize).filter(|&most| row.len() > most) else { return };
    row.sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost).then(a.to.cmp(&b.to)));
    row.truncate(most);
    row.sort_unstable_by_key(|edge| edge.to);
}

type Work<'a> = &'a (dyn Fn(&[u32]) -> Vec<Vec<Edge>> + Sync);

/// Works through `nodes`; where threads are allowed, each takes a batch. Rows depend on nothing but their node.
fn in_batches(
    nodes: &[u32],
    rows: &mut [Vec<Edge>],
    work: Work<'_>,
    config: &NetworkConfig,
    progress: Progress<'_>,
) -> Result<(), NetworkError> {
    #[cfg(feature = "parallel")]
    let at_once = BATCH * rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    let at_once = BATCH;
    let mut count = 0;
    let mut done = 0;
    for nodes_now in nodes.chunks(at_once) {
        #[cfg(feature = "parallel")]
        let made: Vec<Vec<Vec<Edge>>> = {
            use rayon::prelude::*;
            nodes_now.par_chunks(BATCH).map(work).collect()
        };
        #[cfg(not(feature = "parallel"))]
        let made = [work(nodes_now)];
        for (&m, mut row) in nodes_now.iter().zip(made.into_iter().flatten()) {
            count += row.len();
            row.shrink_to_fit();
            rows[m as usize] = row;
        }
        if count > MOST_EDGES {
            return Err(NetworkError::TooManyEdges { most: MOST_EDGES, threshold: config.threshold });
        }
        done += nodes_now.len();
        report(progress, done as f32 / nodes.len() as f32)?;
    }
    Ok(())
}
