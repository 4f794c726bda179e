//! Long motions from key motions \[tanaka2003\]: the user names key motions and their times, the gaps are filled by walks
//! through the network, several ways, layer by layer, and the user chooses.
//!
//! ```text
//! Timeline ─plan─► Interval (anchors per layer) ─walks─► first population ─generations─► pool ─distinct─► Candidate
//!                                              └─paths (baseline)───────────────────────────┘
//! Candidate ─render─► runs per layer ─splice─► layers ─merge─► Clip
//! search ⇄ render: rough transitions are removed and the search is repeated (compose)
//! ```
//!
//! A *chromosome* is one walk per layer. Time error, roughness of transitions and naturalness of the torso are weighed into
//! one number F, less is better; users add criteria of their own. Same seed, same candidates. The maths is in
//! `docs/methods/compose.md`.

mod beam;
mod candidate;
mod chromosome;
mod concatenate;
mod config;
mod cost_to_go;
mod criteria;
mod error;
mod evolve;
mod exchange;
mod explain;
mod footwork;
mod generation;
mod genetic_paper;
mod initial_population;
mod interior;
mod library;
mod lyrics;
mod merge;
mod motion_distance;
mod opening;
mod paths;
mod performance;
mod plan;
mod polish;
mod pool;
mod refine;
mod relaxation;
mod render;
mod run;
mod runs;
mod score;
mod seam;
mod search_space;
mod shown;
mod song;
mod source;
mod stepping;
mod suggestions;
mod tabu;
mod tempo;
mod timeline;
mod transitions;
mod walk;

pub use candidate::{Candidate, Item, KeyTime, Sequence, diversity};
pub use config::{ComposeConfig, CutRule, Generation, Method, Weights};
pub use criteria::{
    Criterion, Draft, DraftLayer, FreeNode, NodeMeasure, Preferences, energy_of_keys, level_ground,
    repetition, repetition_of, same_clip, tag_preference, travel_direction,
};
pub use error::{ComposeError, Gap, Remedy, Why};
pub use footwork::{Footwork, Glide, Played, footwork, glides};
pub use interior::INTERIOR_S;
pub use library::{Library, LoadClip};
pub use lyrics::{Sung, lyric_keys, parse_lrc};
pub use motion_distance::{APART_M, Apart};
pub use performance::{Performance, PerformanceClip, PerformanceKey, SearchSummary, describe, moved_keys};
pub use plan::{Anchor, Interval, Plan, Track, plan};
pub use refine::{Callbacks, Composed, Preview, ROUGH, compose};
pub use render::{
    LayerSeam, RenderConfig, RenderError, Rendered, accelerations, clips_of, joint_accelerations, render,
};
pub use run::{Composition, Searched, search};
pub use seam::{SeamLook, look_at_seams};
pub use shown::{Run, edit_distance};
pub use song::{Song, SongError, add_song};
pub use source::{Source, Steps};
pub use suggestions::HIGHEST_THRESHOLD;
pub use tempo::Tempo;
pub use timeline::{Key, Timeline, TimelineError, line_of};
pub use weight_list::WeightList;

#[cfg(test)]
mod tests;
mod weight_list;
