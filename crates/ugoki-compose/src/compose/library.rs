//! What a search draws on: nodes and one network per layer.

use crate::network::NetworkError;
use std::collections::BTreeSet;
use ugoki_base::clip::Clip;

use super::ComposeError;
use super::shown::Run;
use crate::network::{Features, Layers, Network, Node, Origin};

/// Nodes, layers, and one network per layer over the same nodes.
#[derive(Debug, Clone, Copy)]
pub struct Library<'a> {
    pub(super) nodes: &'a [Node],
    pub(super) layers: &'a Layers,
    pub(super) networks: &'a [Network],
    pub(super) features: &'a [Features],
    pub(super) origins: &'a [Origin],
    /// Of a part of a library: the whole's numbers of its nodes; empty where nodes have their own numbers.
    pub(super) numbers: &'a [u32],
    /// The nodes of the whole.
    pub(super) all: &'a [Node],
}

impl<'a> Library<'a> {
    /// Checks that all belong together. `features` may be empty; with one per layer, failures can tell the threshold
    /// needed.
    ///
    /// # Errors
    /// When counts differ or a node has no length.
    pub fn new(
        nodes: &'a [Node],
        layers: &'a Layers,
        networks: &'a [Network],
        features: &'a [Features],
    ) -> Result<Self, ComposeError> {
        let wrong = |what: String| Err(ComposeError::Library { what });
        if nodes.is_empty() {
            return wrong("there are no clips to compose from; add some to the database".to_owned());
        }
        if networks.len() != layers.layers().len() {
            return wrong(format!(
                "{} networks for {} layers; build one per layer",
                networks.len(),
                layers.layers().len()
            ));
        }
        let counts = networks.iter().map(Network::num_nodes);
        let more = if features.is_empty() { &[] } else { features };
        if !more.is_empty() && more.len() != networks.len() {
            return wrong(format!("features of {} layers for {} networks", more.len(), networks.len()));
        }
        for count in counts.chain(more.iter().map(Features::num_nodes)) {
            if count != nodes.len() {
                return wrong(format!("a network of {count} nodes over {} clips; rebuild it", nodes.len()));
            }
        }
        for node in nodes {
            if !(node.seconds.is_finite() && node.seconds > 0.0) {
                let (name, seconds) = (&node.name, node.seconds);
                return wrong(format!(
                    "clip {name:?} lasts {seconds} s; walks through it would never end, leave it out"
                ));
            }
            if !(node.torso.rate_hz > 0.0 || node.torso.rows.is_empty()) {
                return wrong(format!(
                    "clip {:?} has a torso at {} rows per second",
                    node.name, node.torso.rate_hz
                ));
            }
        }
        Ok(Self { nodes, layers, networks, features, origins: &[], numbers: &[], all: nodes })
    }

    /// With where the nodes' frames come from, one for each: then pieces of one clip are known as such, and nothing is
    /// shown twice running. Without, every node is a clip of its own.
    #[must_use]
    pub fn with_origins(self, origins: &'a [Origin]) -> Self {
        Self { origins, ..self }
    }

    /// A node's number in the whole library.
    #[inline]
    pub(super) fn number(&self, node: u32) -> u32 {
        self.numbers.get(node as usize).copied().unwrap_or(node)
    }

    /// What a node shows.
    pub(super) fn run(&self, node: u32) -> Run {
        let number = if self.origins.is_empty() { self.number(node) } else { node };
        Run::new(self.origins, number as usize)
    }

    /// Networks of fewer steps, strictest first: nothing shows again what was just shown, and before that nor is there
    /// a way through clips that stand still for the beat, other than the `keys`. Where such a network has all steps of
    /// the next one it is left out.
    pub(super) fn calm(&self, keys: &BTreeSet<u32>) -> Vec<Vec<Network>> {
        let runs: Vec<Run> = (0..self.nodes.len() as u32).map(|node| self.run(node)).collect();
        let repeats = |from: u32, to: u32| runs[from as usize].is_repeated_by(runs[to as usize]);
        let stands = |node: u32| self.nodes[node as usize].pace.stands_still() && !keys.contains(&node);
        let only = |networks: &[Network], keep: &dyn Fn(u32, u32) -> bool| -> Option<Vec<Network>> {
            let few: Vec<Network> = networks.iter().map(|all| all.filtered(keep)).collect();
            let fewer = few.iter().zip(networks).any(|(few, all)| few.num_edges() < all.num_edges());
            fewer.then_some(few)
        };
        let lively = only(self.networks, &|from, to| !repeats(from, to));
        let moving =
            only(lively.as_deref().unwrap_or(self.networks), &|from, to| !stands(from) && !stands(to));
        moving.into_iter().chain(lively).collect()
    }

    /// The nodes.
    #[must_use]
    pub fn nodes(&self) -> &'a [Node] {
        self.nodes
    }

    /// The layers.
    #[must_use]
    pub fn layers(&self) -> &'a Layers {
        self.layers
    }

    /// The network of one layer.
    ///
    /// # Panics
    /// If there is no such layer.
    #[must_use]
    pub fn network(&self, layer: usize) -> &'a Network {
        &self.networks[layer]
    }

    pub(super) fn seconds(&self, node: u32) -> f32 {
        self.nodes[node as usize].seconds as f32
    }

    /// Length of the shortest clip, seconds.
    pub(super) fn shortest(&self) -> f64 {
        self.nodes.iter().map(|node| node.seconds).fold(f64::INFINITY, f64::min)
    }
}

/// Loads a clip of a catalogue by number.
pub type LoadClip<'a> = &'a mut dyn FnMut(usize) -> Result<Clip, NetworkError>;
