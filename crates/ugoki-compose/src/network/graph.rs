//! The graph: nodes numbered from 0, edges row by row.

use super::NetworkError;

/// A possible transition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The node that may follow.
    pub to: u32,
    /// Its cost, at least 0.
    pub cost: f32,
    /// What is cut off the end of the node before, seconds; 0 without interior transitions.
    pub exit_s: f32,
    /// What is cut off the start of the node after, seconds.
    pub entry_s: f32,
}

/// An edge of some node that was found; `far` is the node at the other end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) cost: f32,
    pub(super) far: u32,
}

/// Possible transitions of one layer: compressed rows, each sorted by target.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    pub(super) threshold: f32,
    pub(super) most: Option<u32>,
    /// Row m is `offsets[m]..offsets[m + 1]`.
    pub(super) offsets: Vec<u32>,
    pub(super) targets: Vec<u32>,
    pub(super) costs: Vec<f32>,
    /// [exit, entry] of every edge; empty where whole clips are joined.
    pub(super) trims: Vec<[f32; 2]>,
}

impl Network {
    /// A graph of given edges (from, to, cost); costs at or above `threshold` are left out, of doubles the cheapest stays.
    ///
    /// # Errors
    /// When an edge names a node that is not there or costs less than 0.
    pub fn from_edges(
        num_nodes: usize,
        edges: &[(u32, u32, f32)],
        threshold: f32,
    ) -> Result<Self, NetworkError> {
        if num_nodes == 0 {
            return Err(NetworkError::Empty);
        }
        for &(from, to, cost) in edges {
            if from as usize >= num_nodes || to as usize >= num_nodes || cost.is_nan() || cost < 0.0 {
                let what = format!("the edge {from} → {to} of cost {cost} cannot be among {num_nodes} nodes");
                return Err(NetworkError::Unfit { what });
            }
        }
        let mut rows = vec![Vec::new(); num_nodes];
        let mut sorted = edges.to_vec();
        sorted.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        sorted.dedup_by_key(|edge| (edge.0, edge.1));
        for (from, to, cost) in sorted.into_iter().filter(|edge| edge.2 < threshold) {
            rows[from as usize].push(Edge { to, cost, exit_s: 0.0, entry_s: 0.0 });
        }
        Ok(Self::from_rows(&rows, threshold, None, false))
    }

    /// A graph without nodes, to start from.
    pub(super) fn empty(threshold: f32, most: Option<u32>, interior: bool) -> Self {
        Self::from_rows(&[], threshold, most, interior)
    }

    pub(super) fn from_rows(rows: &[Vec<Edge>], threshold: f32, most: Option<u32>, interior: bool) -> Self {
        let count = rows.iter().map(Vec::len).sum();
        let mut network = Self {
            threshold,
            most,
            offsets: Vec::with_capacity(rows.len() + 1),
            targets: Vec::with_capacity(count),
            costs: Vec::with_capacity(count),
            trims: Vec::with_capacity(if interior { count } else { 0 }),
        };
        network.offsets.push(0);
        for row in rows {
            network.targets.extend(row.iter().map(|edge| edge.to));
            network.costs.extend(row.iter().map(|edge| edge.cost));
            if interior {
                network.trims.extend(row.iter().map(|edge| [edge.exit_s, edge.entry_s]));
            }
            network.offsets.push(network.targets.len() as u32);
        }
        network
    }

    /// How many nodes there are.
    #[must_use]
    pub fn num_nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many edges there are.
    #[must_use]
    pub fn num_edges(&self) -> usize {
        self.targets.len()
    }

    /// Costs at or above this are no edges.
    #[must_use]
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Edges kept per node, the cheapest; all when absent.
    #[must_use]
    pub fn most(&self) -> Option<u32> {
        self.most
    }

    /// Whether transitions may lie inside clips.
    #[must_use]
    pub fn is_interior(&self) -> bool {
        !self.trims.is_empty()
    }

    fn row(&self, node: usize) -> std::ops::Range<usize> {
        self.offsets[node] as usize..self.offsets[node + 1] as usize
    }

    /// Nodes that may follow `node`, ascending.
    ///
    /// # Panics
    /// If there is no such node; so do the other accessors by node.
    #[must_use]
    pub fn successors(&self, node: usize) -> &[u32] {
        &self.targets[self.row(node)]
    }

    /// What the steps to [`Network::successors`] cost.
    #[must_use]
    pub fn costs(&self, node: usize) -> &[f32] {
        &self.costs[self.row(node)]
    }

    /// The edges that leave `node`, by target.
    pub fn edges(&self, node: usize) -> impl ExactSizeIterator<Item = Edge> + '_ {
        self.row(node).map(|at| self.at(at))
    }

    /// The edge from `from` to `to`, if there is one.
    #[must_use]
    pub fn edge(&self, from: usize, to: usize) -> Option<Edge> {
        let row = self.row(from);
        let at = self.targets[row.clone()].binary_search(&u32::try_from(to).ok()?).ok()?;
        Some(self.at(row.start + at))
    }

    fn at(&self, at: usize) -> Edge {
        let [exit_s, entry_s] = self.trims.get(at).copied().unwrap_or_default();
        Edge { to: self.targets[at], cost: self.costs[at], exit_s, entry_s }
    }

    /// The same nodes with the edges that cost less than `threshold`.
    #[must_use]
    pub fn below(&self, threshold: f32) -> Self {
        let row =
            |node: usize| -> Vec<Edge> { self.edges(node).filter(|edge| edge.cost < threshold).collect() };
        let rows: Vec<Vec<Edge>> = (0..self.num_nodes()).map(row).collect();
        Self::from_rows(&rows, threshold.min(self.threshold), self.most, self.is_interior())
    }

    /// A network by the same settings with these edges.
    pub(crate) fn with_rows(&self, rows: &[Vec<Edge>]) -> Self {
        Self::from_rows(rows, self.threshold, self.most, self.is_interior())
    }

    /// The same nodes with only those edges (from, to) that are to be kept.
    #[must_use]
    pub fn filtered(&self, keep: impl Fn(u32, u32) -> bool) -> Self {
        let row = |node: usize| -> Vec<Edge> {
            self.edges(node).filter(|edge| keep(node as u32, edge.to)).collect()
        };
        let rows: Vec<Vec<Edge>> = (0..self.num_nodes()).map(row).collect();
        Self::from_rows(&rows, self.threshold, self.most, self.is_interior())
    }

    /// The same nodes with every edge turned round: rows of predecessors, ascending.
    #[must_use]
    pub fn predecessors(&self) -> Vec<Vec<u32>> {
        let mut rows = vec![Vec::new(); self.num_nodes()];
        for from in 0..self.num_nodes() {
            for &to in self.successors(from) {
                rows[to as usize].push(from as u32);
            }
        }
        rows
    }
}
