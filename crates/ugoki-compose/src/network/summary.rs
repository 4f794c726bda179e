//! The networks of a catalogue in numbers, motions by name.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::catalogue::Catalogue;
use super::reach::{Bridge, reach};

/// One layer's network in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerSummary {
    /// Transitions.
    pub edges: usize,
    /// Parts that can be walked through and through.
    pub components: usize,
    /// Nodes of the largest of them.
    pub largest: usize,
    /// Nodes that nothing follows.
    pub dead_ends: usize,
    /// Whether each node is in the largest.
    #[serde(skip)]
    pub in_largest: Vec<bool>,
}

/// A transition that would join a stray to the rest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedBridge {
    /// Motion before.
    pub from: String,
    /// Motion after.
    pub to: String,
    /// A threshold above this makes it possible.
    pub cost: f32,
}

/// A motion outside the largest component.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedStray {
    /// The motion.
    pub name: String,
    /// The layer.
    pub layer: String,
    /// Whether a way leads to it.
    pub entered: bool,
    /// Whether a way leads from it.
    pub left: bool,
    /// The nearest way in where there is none.
    pub way_in: Option<NamedBridge>,
    /// The nearest way out where there is none.
    pub way_out: Option<NamedBridge>,
}

/// Networks in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NetworkSummary {
    /// Clips that nodes are cut from.
    pub clips: usize,
    /// Nodes: clips and their movements.
    pub nodes: usize,
    /// Transitions over all layers.
    pub edges: usize,
    /// d, rad².
    pub threshold: f64,
    /// Each layer in numbers.
    pub layers: BTreeMap<String, LayerSummary>,
    /// Motions outside the largest component of a layer.
    pub unreachable: Vec<NamedStray>,
}

/// The networks of these layers of a catalogue in numbers.
#[must_use]
pub fn summarize(catalogue: &Catalogue, layers: &[usize]) -> NetworkSummary {
    let name = |node: usize| catalogue.nodes()[node].name.clone();
    let bridge = |bridge: Option<Bridge>| {
        bridge.map(|Bridge { from, to, cost }| NamedBridge { from: name(from), to: name(to), cost })
    };
    let mut summary = NetworkSummary {
        clips: catalogue.clips().len(),
        nodes: catalogue.nodes().len(),
        edges: 0,
        threshold: catalogue.config().network.threshold,
        layers: BTreeMap::new(),
        unreachable: Vec::new(),
    };
    for &layer in layers {
        let network = &catalogue.networks()[layer];
        let layer_name = &catalogue.layers().layers()[layer].name;
        let found = reach(network, Some(&catalogue.features()[layer]));
        let in_largest: Vec<bool> =
            found.component.iter().map(|&component| component == found.main).collect();
        summary.edges += network.num_edges();
        let numbers = LayerSummary {
            edges: network.num_edges(),
            components: found.num_components,
            largest: in_largest.iter().filter(|&&inside| inside).count(),
            dead_ends: (0..network.num_nodes()).filter(|&v| network.successors(v).is_empty()).count(),
            in_largest,
        };
        summary.unreachable.extend(found.strays.iter().map(|stray| NamedStray {
            name: name(stray.node),
            layer: layer_name.clone(),
            entered: stray.entered,
            left: stray.left,
            way_in: bridge(stray.way_in),
            way_out: bridge(stray.way_out),
        }));
        summary.layers.insert(layer_name.clone(), numbers);
    }
    summary
}

/// Motions outside the largest component that the text lists.
const SHOWN: usize = 12;

impl fmt::Display for NetworkSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clips, nodes, edges, threshold, layers, unreachable } = self;
        write!(f, "{nodes} nodes from {clips} clips, {edges} transitions below {threshold}")?;
        for (name, layer) in layers {
            write!(
                f,
                "\n  {name}: {} transitions, {:.1} per node; the largest part in which every motion can be reached has {} nodes",
                layer.edges,
                layer.edges as f64 / (*nodes).max(1) as f64,
                layer.largest
            )?;
            if layer.dead_ends > 0 {
                write!(f, "; nothing follows {}", layer.dead_ends)?;
            }
        }
        for stray in unreachable.iter().take(SHOWN) {
            let ways = match (stray.entered, stray.left) {
                (false, false) => "no way to it and none from it",
                (false, true) => "no way to it",
                (true, false) => "no way from it",
                (true, true) => "reached and left, but not both from one place",
            };
            write!(f, "\n  {} ({}): {ways}", stray.name, stray.layer)?;
            for (bridge, what) in [(&stray.way_in, "into"), (&stray.way_out, "out of")] {
                if let Some(bridge) = bridge {
                    let other = if what == "into" { &bridge.from } else { &bridge.to };
                    if f64::from(bridge.cost) < *threshold {
                        write!(
                            f,
                            "; a transition of {} {what} it by {other} is left out, as a node keeps only its best",
                            bridge.cost
                        )?;
                    } else {
                        write!(f, "; a threshold above {} leads {what} it by {other}", bridge.cost)?;
                    }
                }
            }
        }
        if unreachable.len() > SHOWN {
            write!(f, "\n  and {} more", unreachable.len() - SHOWN)?;
        }
        Ok(())
    }
}
