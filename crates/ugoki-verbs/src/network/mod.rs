//! `network`: which motion of a database may follow which, layer by layer.

mod draw;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::filter::plural;
use super::plots::check_plot_name;
use super::{Arguments, Error};
use ugoki::network::{
    Bridge, Catalogue, CatalogueConfig, Changes, CutConfig, FeatureConfig, Layers, NetworkConfig,
    NetworkError, reach,
};

/// How networks are built, for `network` and `compose` alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Building {
    /// `upper-lower`, `full`, `head-arms-legs`, or a file with layers.
    pub layers: String,
    /// d: transitions at or above this cost are none, rad².
    pub threshold: f64,
    /// Transitions kept per motion, the cheapest; all when absent.
    pub most: Option<u32>,
    /// Entry and exit may lie this far inside a motion, seconds; 0 joins ends to starts.
    pub interior_s: f64,
    /// Whether only whole clips are nodes, and not their movements.
    pub whole: bool,
    /// Beats per minute on which nodes last whole beats.
    pub bpm: Option<f64>,
}

impl Default for Building {
    fn default() -> Self {
        Self {
            layers: "upper-lower".to_owned(),
            threshold: NetworkConfig::default().threshold,
            most: None,
            interior_s: 0.0,
            whole: false,
            bpm: None,
        }
    }
}

/// Seconds inside a motion when `--interior` is given without a number: half of what a seam is spread over.
pub const INTERIOR_S: f64 = 0.3;

impl Building {
    /// The settings on these layers.
    #[must_use]
    pub fn config(&self, layers: Layers) -> CatalogueConfig {
        CatalogueConfig {
            layers,
            cut: CutConfig { pieces: !self.whole, bpm: self.bpm, ..CutConfig::default() },
            features: FeatureConfig { interior_s: self.interior_s, ..FeatureConfig::default() },
            network: NetworkConfig { threshold: self.threshold, most: self.most, ..NetworkConfig::default() },
        }
    }

    /// The layers that the name means; `None` for a file's name.
    #[must_use]
    pub fn named_layers(&self) -> Option<Layers> {
        match self.layers.as_str() {
            "upper-lower" => Some(Layers::upper_lower()),
            "full" => Some(Layers::full()),
            "head-arms-legs" => Some(Layers::head_arms_legs()),
            _ => None,
        }
    }

    pub(super) fn arguments(&self, arguments: Arguments) -> Arguments {
        let usual = Self::default();
        arguments
            .option("layers", (self.layers != usual.layers).then_some(&self.layers))
            .option("threshold", (self.threshold != usual.threshold).then_some(self.threshold))
            .option("most", self.most)
            .option("interior", (self.interior_s != 0.0).then_some(self.interior_s))
            .flag("whole", self.whole)
            .option("bpm", self.bpm)
    }
}

/// Layers from a file: TOML, or JSON where it starts with a brace.
///
/// # Errors
/// Says what is wrong and, where known, in which line.
pub fn parse_layers(text: &str) -> Result<Layers, (Option<usize>, String)> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| (Some(error.line()), error.to_string()));
    }
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        (line, error.message().to_owned())
    })
}

/// Ask for a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The database.
    pub database: String,
    /// Only this layer; `full` is the whole body in one.
    #[serde(default)]
    pub layer: Option<String>,
    /// File for a drawing, SVG.
    #[serde(default)]
    pub plot: Option<String>,
    /// How it is built.
    #[serde(default)]
    pub building: Building,
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        self.building
            .arguments(Arguments::new("network"))
            .option("layer", self.layer.as_ref())
            .option("plot", self.plot.as_ref())
            .file(&self.database)
            .finish()
    }
}

/// One layer's network in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerReport {
    /// Transitions.
    pub edges: usize,
    /// Parts that can be walked through and through.
    pub components: usize,
    /// Nodes of the largest of them.
    pub largest: usize,
    /// Nodes that nothing follows.
    pub dead_ends: usize,
}

/// A transition that would join a stray to the rest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BridgeReport {
    /// Motion before.
    pub from: String,
    /// Motion after.
    pub to: String,
    /// A threshold above this makes it possible.
    pub cost: f32,
}

/// A motion outside the largest component.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrayReport {
    /// The motion.
    pub name: String,
    /// The layer.
    pub layer: String,
    /// Whether a way leads to it.
    pub entered: bool,
    /// Whether a way leads from it.
    pub left: bool,
    /// The nearest way in where there is none.
    pub way_in: Option<BridgeReport>,
    /// The nearest way out where there is none.
    pub way_out: Option<BridgeReport>,
}

/// A network in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The database as named.
    pub database: String,
    /// Clips that nodes are cut from.
    pub clips: usize,
    /// Nodes: clips and their movements.
    pub nodes: usize,
    /// Transitions over all layers.
    pub edges: usize,
    /// d, rad².
    pub threshold: f64,
    /// Each layer in numbers.
    pub layers: BTreeMap<String, LayerReport>,
    /// Motions outside the largest component of a layer.
    pub unreachable: Vec<StrayReport>,
    /// What was new or gone since it was stored; absent when it was built at once.
    pub changes: Option<Changes>,
    /// Whether it is kept in the database.
    pub stored: bool,
}

/// What looking at a network gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The numbers.
    pub report: Report,
    /// The drawing, when one was asked for.
    pub plot: Option<String>,
}

/// Looks at a catalogue.
///
/// # Errors
/// When the layer asked for is not among them.
pub fn run(
    request: &Request,
    catalogue: &Catalogue,
    changes: Option<Changes>,
    stored: bool,
) -> Result<Done, Error> {
    request.plot.as_deref().map_or(Ok(()), check_plot_name)?;
    let layers = catalogue.layers().layers();
    let chosen: Vec<usize> = match request.layer.as_deref() {
        None => (0..layers.len()).collect(),
        Some(name) => {
            let mut names: Vec<&str> = layers.iter().map(|layer| layer.name.as_str()).collect();
            if !names.contains(&"full") {
                names.push("full");
            }
            let unknown = || Error::Option {
                option: "--layer",
                message: format!("there is no layer {name:?}; use {}", names.join(", ")),
            };
            vec![catalogue.layers().find(name).ok_or_else(unknown)?]
        }
    };
    let name = |node: usize| catalogue.nodes()[node].name.clone();
    let bridge = |bridge: Option<Bridge>| {
        bridge.map(|bridge| BridgeReport { from: name(bridge.from), to: name(bridge.to), cost: bridge.cost })
    };
    let mut report = Report {
        database: request.database.clone(),
        clips: catalogue.clips().len(),
        nodes: catalogue.nodes().len(),
        edges: 0,
        threshold: catalogue.config().network.threshold,
        layers: BTreeMap::new(),
        unreachable: Vec::new(),
        changes,
        stored,
    };
    let mut panels = Vec::new();
    for layer in chosen {
        let network = &catalogue.networks()[layer];
        let found = reach(network, Some(&catalogue.features()[layer]));
        report.edges += network.num_edges();
        let own = LayerReport {
            edges: network.num_edges(),
            components: found.num_components,
            largest: found.component.iter().filter(|&&c| c == found.main).count(),
            dead_ends: (0..network.num_nodes()).filter(|&v| network.successors(v).is_empty()).count(),
        };
        report.unreachable.extend(found.strays.iter().map(|stray| StrayReport {
            name: name(stray.node),
            layer: layers[layer].name.clone(),
            entered: stray.entered,
            left: stray.left,
            way_in: bridge(stray.way_in),
            way_out: bridge(stray.way_out),
        }));
        report.layers.insert(layers[layer].name.clone(), own);
        if request.plot.is_some() {
            panels.push(draw::Panel { title: layers[layer].name.clone(), network, main: in_main(&found) });
        }
    }
    let names: Vec<&str> = catalogue.nodes().iter().map(|node| node.name.as_str()).collect();
    let plot = request.plot.as_ref().map(|_| draw::svg(&panels, &names));
    Ok(Done { report, plot })
}

fn in_main(found: &ugoki::network::Reach) -> Vec<bool> {
    found.component.iter().map(|&component| component == found.main).collect()
}

impl From<NetworkError> for Error {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError::Cancelled(_) => Self::Cancelled,
            error => Self::Network(error.to_string()),
        }
    }
}

/// Strays that are listed as text; all are in the JSON.
const SHOWN: usize = 12;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} {} from {} {}, {} {} below {}",
            self.database,
            self.nodes,
            plural(self.nodes, "node"),
            self.clips,
            plural(self.clips, "clip"),
            self.edges,
            plural(self.edges, "transition"),
            self.threshold
        )?;
        if let Some(Changes { added, removed, kept }) = self.changes {
            write!(f, "\n  since it was stored: {added} clips added, {removed} removed, {kept} kept")?;
        }
        for (name, layer) in &self.layers {
            write!(
                f,
                "\n  {name}: {} transitions, {:.1} per node; the largest part in which every motion can be reached has {} nodes",
                layer.edges,
                layer.edges as f64 / self.nodes.max(1) as f64,
                layer.largest
            )?;
            if layer.dead_ends > 0 {
                write!(f, "; nothing follows {}", layer.dead_ends)?;
            }
        }
        for stray in self.unreachable.iter().take(SHOWN) {
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
                    if f64::from(bridge.cost) < self.threshold {
                        write!(
                            f,
                            "; a transition of {} {what} it by {other} is left out (--most)",
                            bridge.cost
                        )?;
                    } else {
                        write!(f, "; a threshold above {} leads {what} it by {other}", bridge.cost)?;
                    }
                }
            }
        }
        if self.unreachable.len() > SHOWN {
            write!(f, "\n  and {} more; --json lists them", self.unreachable.len() - SHOWN)?;
        }
        Ok(())
    }
}
