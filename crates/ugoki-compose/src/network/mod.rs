//! Which clip may follow which: transition costs, one graph per layer of the body, reachability \[tanaka2003\].
//!
//! ```text
//! clips ─describe─► Node (name, length, torso, travel)
//!       └─layer──► Features (how each clip starts and ends) ─build_network─► Network ─reach─► components, bridges
//! ```
//!
//! A *node* is a clip or a segment of one. An edge from `m` to `n` has a cost: how far the end of `m` is from the start
//! of `n` in joint angles and angular velocities, wherever both stand on the ground and whichever way they face. Costs
//! at or above a threshold are no edges. Costs come from a blocked brute force, eight nodes at a time, or through an
//! index that leaves out blocks which cannot be near. The maths is in `docs/methods/compose.md`.

mod build;
mod bytes;
mod catalogue;
mod catalogue_bytes;
mod cost;
mod cut;
mod features;
mod flight;
mod graph;
mod ground;
mod heading;
mod index;
mod layer;
mod limb_speeds;
mod node;
mod pace;
mod play;
mod reach;
mod stepping;
mod summary;
mod varint;

pub use build::{Method, NetworkConfig, build_network, update_network};
pub use catalogue::{Catalogue, CatalogueConfig, Changes, ClipMark, content_mark};
pub use cut::{Cut, CutConfig, cut_clip};
pub use features::{FeatureConfig, Features, role_weight};
pub(crate) use flight::Flights;
pub use graph::{Edge, Network};
pub use ground::{Climb, Ground};
pub use layer::{Channel, Claim, Layer, LayerError, Layers, RotationPart};
pub use limb_speeds::LimbSpeeds;
pub use node::{Node, Origin, TORSO_LANES, Torso};
pub use pace::{EASE_S, Pace, eased};
pub use play::transitions;
pub use reach::{Bridge, Reach, Stray, least_threshold, reach};
pub use summary::{LayerSummary, NamedBridge, NamedStray, NetworkSummary, summarize};

use ugoki_base::Cancelled;

/// Why there is no network.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NetworkError {
    /// Nothing to connect.
    #[error("there are no clips, a network needs at least one")]
    Empty,
    /// A node without motion has neither start nor end, and walks through it would never end.
    #[error("clip {name:?} has no frames of motion")]
    NoFrames {
        /// The clip.
        name: String,
    },
    /// Invalid numbers.
    #[error("clip {name:?} has rotations that are not finite")]
    NotFinite {
        /// The clip.
        name: String,
    },
    /// Joints must correspond.
    #[error("clip {name:?} has another skeleton than the first clip")]
    Skeleton {
        /// The clip.
        name: String,
    },
    /// A setting is not usable.
    #[error("{name} is {value}, expected {expected}")]
    Config {
        /// The field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What would do.
        expected: &'static str,
    },
    /// The layers do not fit the body.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// The graph would not fit into memory.
    #[error("more than {most} transitions are below the threshold of {threshold}")]
    TooManyEdges {
        /// The bound.
        most: usize,
        /// The threshold.
        threshold: f64,
    },
    /// A clip could not be brought.
    #[error("clip {name:?}: {what}")]
    Load {
        /// The clip.
        name: String,
        /// What went wrong.
        what: String,
    },
    /// An edge that cannot be, or features of other clips.
    #[error("{what}")]
    Unfit {
        /// What does not fit.
        what: String,
    },
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

#[cfg(test)]
mod tests;
