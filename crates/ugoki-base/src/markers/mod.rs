//! Labelled points over time, with gaps: what optical capture gives before a skeleton exists; and the way from
//! them to a clip.
//!
//! ```text
//! labels ─resolve (name sets, LabelMap)→ landmarks ─solve→ gaps filled → joint centres → skeleton of constant
//! lengths in T-pose → rotations → Clip, with what is left over between markers and body
//! ```
//!
//! The method is in `docs/methods/markers.md`, its figures in `docs/results/markers.md`.

mod label_map;
mod landmark;
mod points;
mod resolve;
mod sets;
mod solve;

pub use label_map::{BodyWidths, LabelMap};
pub use landmark::{Landmark, Part, Place};
pub use points::{Markers, MarkersError};
pub use resolve::{Resolved, UnknownLabels, resolve, resolve_subject, up_direction};
pub use solve::{GroupResidual, SolveConfig, SolveError, Solved, solve};
