//! Everything a search draws on, built from many clips and stored with them: nodes, where they come from, and one
//! network per layer.
//!
//! ```text
//! clips ─cut─► nodes, origins ─► Features per layer ─► Network per layer ─to_bytes─► database
//!                                   later: clips gone are dropped, new ones compared with all (`updated`)
//! ```

use std::ops::Range;

use serde::{Deserialize, Serialize};
use ugoki_base::bytes::fingerprint;
use ugoki_base::clip::Clip;
use ugoki_base::{Progress, no_progress, report};
use ugoki_feet::feet::ClipFeet;

use super::cut::cut_between;
use super::{
    Cut, CutConfig, FeatureConfig, Features, Flights, Ground, Layers, LimbSpeeds, Network, NetworkConfig,
    NetworkError, Node, Origin, build_network, update_network,
};

/// How a catalogue is built; two of the same settings over the same clips are equal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CatalogueConfig {
    /// The layers.
    pub layers: Layers,
    /// How clips become nodes.
    #[serde(default)]
    pub cut: CutConfig,
    /// How ends and starts are compared.
    #[serde(default)]
    pub features: FeatureConfig,
    /// Which transitions become edges.
    #[serde(default)]
    pub network: NetworkConfig,
}

impl CatalogueConfig {
    /// The usual settings on these layers.
    #[must_use]
    pub fn new(layers: Layers) -> Self {
        Self {
            layers,
            cut: CutConfig::default(),
            features: FeatureConfig::default(),
            network: NetworkConfig::default(),
        }
    }

    /// The name under which a database keeps it: one for each set of layers, whatever the other settings.
    #[must_use]
    pub fn name(&self) -> String {
        let names: Vec<&str> = self.layers.layers().iter().map(|layer| layer.name.as_str()).collect();
        let text = serde_json::to_string(&self.layers).unwrap_or_default();
        format!("{}-{:016x}", names.join("+"), content_mark(text.as_bytes()))
    }

    /// Whether nodes and their features are those of other settings, and only edges differ.
    #[must_use]
    pub fn has_nodes_of(&self, other: &Self) -> bool {
        self.layers == other.layers && self.cut == other.cut && self.features == other.features
    }
}

/// Checksum that detects changed bytes; not cryptographic.
#[must_use]
pub fn content_mark(bytes: &[u8]) -> u64 {
    fingerprint(bytes)
}

/// A clip as the caller knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClipMark {
    /// Its number, which stays.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Changes when the motion does.
    pub mark: u64,
}

/// Nodes over many clips, and one network per layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Catalogue {
    pub(super) config: CatalogueConfig,
    pub(super) clips: Vec<ClipMark>,
    pub(super) nodes: Vec<Node>,
    pub(super) origins: Vec<Origin>,
    pub(super) features: Vec<Features>,
    pub(super) networks: Vec<Network>,
}

/// How far a catalogue was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Changes {
    /// Clips that are new or have changed.
    pub added: usize,
    /// Clips that are gone or have changed.
    pub removed: usize,
    /// Clips that stayed.
    pub kept: usize,
}

/// Nodes at most, so that numbers of edges and rows of features fit.
const MOST_NODES: usize = 1 << 24;

impl Catalogue {
    /// Builds a catalogue of `clips`; `load` gives each of them, on one skeleton.
    ///
    /// # Errors
    /// When a setting is not usable, no clip has motion, `load` fails, or the caller stops.
    pub fn build(
        config: &CatalogueConfig,
        clips: &[ClipMark],
        load: &mut dyn FnMut(&ClipMark) -> Result<Clip, NetworkError>,
        progress: Progress<'_>,
    ) -> Result<Self, NetworkError> {
        let (nodes, origins, features) = describe(config, clips, 0, load, &mut |done| progress(0.5 * done))?;
        let features = features.ok_or(NetworkError::Empty)?;
        let count = features.len() as f32;
        let mut networks = Vec::with_capacity(features.len());
        for (layer, features) in features.iter().enumerate() {
            let done = |part: f32| 0.5 + 0.5 * (layer as f32 + part) / count;
            networks.push(build_network(features, &config.network, &mut |part| progress(done(part)))?);
        }
        Ok(Self { config: config.clone(), clips: clips.to_vec(), nodes, origins, features, networks })
    }

    /// The catalogue brought up to date with `present`: clips that are gone leave, new ones are compared with all, the
    /// others stay as they are. Nodes of clips that stayed come first.
    ///
    /// # Errors
    /// As [`Catalogue::build`].
    pub fn updated(
        self,
        present: &[ClipMark],
        load: &mut dyn FnMut(&ClipMark) -> Result<Clip, NetworkError>,
        progress: Progress<'_>,
    ) -> Result<(Self, Changes), NetworkError> {
        let same = |a: &ClipMark, b: &ClipMark| a.id == b.id && a.mark == b.mark;
        let stays: Vec<Option<usize>> =
            self.clips.iter().map(|old| present.iter().position(|now| same(old, now))).collect();
        let fresh: Vec<ClipMark> =
            present.iter().filter(|now| !self.clips.iter().any(|old| same(old, now))).cloned().collect();
        let kept = stays.iter().flatten().count();
        let changes = Changes { added: fresh.len(), removed: self.clips.len() - kept, kept };
        if kept == 0 {
            return Ok((Self::build(&self.config, present, load, progress)?, changes));
        }
        // What stays, in the old order, under the names of today.
        let mut place = vec![None; self.clips.len()];
        let mut clips: Vec<ClipMark> = Vec::with_capacity(present.len());
        for (old, now) in stays.iter().enumerate() {
            if let Some(now) = now {
                place[old] = Some(clips.len());
                clips.push(present[*now].clone());
            }
        }
        let rows: Vec<usize> =
            (0..self.nodes.len()).filter(|&v| place[self.origins[v].clip].is_some()).collect();
        let mut nodes: Vec<Node> = Vec::with_capacity(rows.len());
        let mut origins: Vec<Origin> = Vec::with_capacity(rows.len());
        for &v in &rows {
            let old = self.origins[v].clip;
            let mut node = self.nodes[v].clone();
            if let Some(now) = place[old] {
                let tail = node.name.strip_prefix(self.clips[old].name.as_str()).unwrap_or("").to_owned();
                node.name = format!("{}{tail}", clips[now].name);
                origins.push(Origin { clip: now, frames: self.origins[v].frames.clone() });
            }
            nodes.push(node);
        }
        let mut features = self.features;
        if rows.len() < self.nodes.len() {
            features = features.iter().map(|features| features.only(&rows)).collect();
        }
        let first = clips.len();
        clips.extend(fresh.iter().cloned());
        let (more_nodes, more_origins, more) =
            describe(&self.config, &fresh, first, load, &mut |done| progress(0.5 * done))?;
        nodes.extend(more_nodes);
        origins.extend(more_origins);
        for (layer, new) in more.iter().flatten().enumerate() {
            features[layer] = features[layer].appended(new)?;
        }
        let mut networks = self.networks;
        if nodes.len() > rows.len() || rows.len() < self.nodes.len() {
            let count = features.len() as f32;
            for (layer, (network, features)) in networks.iter_mut().zip(&features).enumerate() {
                let done = |part: f32| 0.5 + 0.5 * (layer as f32 + part) / count;
                *network = update_network(network, &rows, features, &mut |part| progress(done(part)))?;
            }
        }
        Ok((Self { config: self.config, clips, nodes, origins, features, networks }, changes))
    }

    /// The same nodes with edges by other settings.
    ///
    /// # Errors
    /// As [`build_network`].
    pub fn with_edges(mut self, config: NetworkConfig, progress: Progress<'_>) -> Result<Self, NetworkError> {
        let count = self.features.len() as f32;
        for (layer, (network, features)) in self.networks.iter_mut().zip(&self.features).enumerate() {
            let done = |part: f32| (layer as f32 + part) / count;
            *network = build_network(features, &config, &mut |part| progress(done(part)))?;
        }
        self.config.network = config;
        Ok(self)
    }

    /// Only transitions that cost less than `threshold`.
    #[must_use]
    pub fn below(mut self, threshold: f64) -> Self {
        self.networks = self.networks.iter().map(|network| network.below(threshold as f32)).collect();
        self.config.network.threshold = self.config.network.threshold.min(threshold);
        self
    }

    /// The settings it was built by.
    #[must_use]
    pub fn config(&self) -> &CatalogueConfig {
        &self.config
    }

    /// The layers.
    #[must_use]
    pub fn layers(&self) -> &Layers {
        &self.config.layers
    }

    /// The clips that nodes are cut from; origins count in this order.
    #[must_use]
    pub fn clips(&self) -> &[ClipMark] {
        &self.clips
    }

    /// The nodes.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Where each node's motion is.
    #[must_use]
    pub fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// How nodes start and end, by layer.
    #[must_use]
    pub fn features(&self) -> &[Features] {
        &self.features
    }

    /// What may follow what, by layer.
    #[must_use]
    pub fn networks(&self) -> &[Network] {
        &self.networks
    }

    /// Puts the tags of today on the nodes; `tags` are those of each clip, in the order of [`Catalogue::clips`].
    pub fn set_tags(&mut self, tags: &[Vec<String>]) {
        for (node, origin) in self.nodes.iter_mut().zip(&self.origins) {
            if let Some(tags) = tags.get(origin.clip) {
                node.tags.clone_from(tags);
            }
        }
    }
}

type Described = (Vec<Node>, Vec<Origin>, Option<Vec<Features>>);

/// Clips that are loaded before any of them is described: enough for many threads, few enough for memory.
const AT_ONCE: usize = 32;

/// Nodes and features of clips, which are numbered from `first` on.
fn describe(
    config: &CatalogueConfig,
    clips: &[ClipMark],
    first: usize,
    load: &mut dyn FnMut(&ClipMark) -> Result<Clip, NetworkError>,
    progress: Progress<'_>,
) -> Result<Described, NetworkError> {
    let (mut nodes, mut origins) = (Vec::new(), Vec::new());
    let mut parts: Vec<Vec<Features>> = vec![Vec::new(); config.layers.layers().len()];
    for (batch, marks) in clips.chunks(AT_ONCE).enumerate() {
        let mut loaded = Vec::with_capacity(marks.len());
        for mark in marks {
            report(progress, (batch * AT_ONCE + loaded.len()) as f32 / clips.len() as f32)?;
            let mut clip = load(mark)?;
            clip.name.clone_from(&mark.name);
            loaded.push(clip);
        }
        #[cfg(feature = "parallel")]
        let described: Vec<_> = {
            use rayon::prelude::*;
            loaded.par_iter().map(|clip| describe_clip(config, clip)).collect()
        };
        #[cfg(not(feature = "parallel"))]
        let described: Vec<_> = loaded.iter().map(|clip| describe_clip(config, clip)).collect();
        for (number, found) in described.into_iter().enumerate() {
            let clip = first + batch * AT_ONCE + number;
            let Some((cuts, features)) = found? else { continue };
            for (node, frames) in cuts {
                nodes.push(node);
                origins.push(Origin { clip, frames });
            }
            parts.iter_mut().zip(features).for_each(|(parts, features)| parts.push(features));
        }
        if nodes.len() > MOST_NODES {
            return Err(NetworkError::Unfit {
                what: format!("more than {MOST_NODES} nodes; compose from fewer clips"),
            });
        }
    }
    if nodes.is_empty() {
        return Ok((nodes, origins, None));
    }
    let features = parts.iter().map(|parts| Features::joined(parts)).collect::<Result<Vec<_>, _>>()?;
    Ok((nodes, origins, Some(features)))
}

/// Nodes of one clip with their frames, and their features by layer.
type DescribedClip = (Vec<(Node, Range<usize>)>, Vec<Features>);

/// Nodes and features of one clip; `None` of one without motion.
fn describe_clip(config: &CatalogueConfig, clip: &Clip) -> Result<Option<DescribedClip>, NetworkError> {
    // Looked for once for all: cuts, features of every layer, and the ground.
    let feet = ClipFeet::find(clip).ok();
    let flights = Flights::new(feet.as_ref(), clip);
    let cuts = cut_between(clip, &mut || flights.clone(), &config.cut, &mut no_progress())?;
    if cuts.is_empty() {
        return Ok(None);
    }
    let ranges: Vec<_> = cuts.iter().map(|cut| (clip, cut.frames.clone())).collect();
    let still: Vec<bool> = cuts.iter().map(|cut| cut.pace.held_s > 0.0).collect();
    let flights = vec![&flights; ranges.len()];
    let layers = 0..config.layers.layers().len();
    let features = layers.map(|layer| {
        Features::build_with(&ranges, &still, Some(&flights), &config.layers, layer, &config.features)
    });
    let features = features.collect::<Result<Vec<_>, _>>()?;
    let ground = feet.as_ref().map(Ground::of).unwrap_or_default();
    let limbs = LimbSpeeds::measure(clip);
    let node = |cut: &Cut| Ok((Node::from_cut(clip, &ground, &limbs, cut)?, cut.frames.clone()));
    let nodes = cuts.iter().map(node).collect::<Result<Vec<_>, NetworkError>>()?;
    Ok(Some((nodes, features)))
}
