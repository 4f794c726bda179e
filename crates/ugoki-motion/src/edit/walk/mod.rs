//! Footsteps in, motion out: a captured walk whose feet land where they are planned.
//!
//! ```text
//! Clip ─Gait::build→ steps, the stride that repeats ─plan / check→ Footsteps ─walk→ Walked
//! ```
//!
//! The steps of the source are played in order, the best stride again and again when more are planned; see
//! [`crate::edit::player`] for how each is bent. The method stands in `docs/methods/segments.md`.

mod choice;
mod effort;
mod error;
mod gait;
mod limits;
mod make;
mod onward;
mod plan;
mod play;
mod report;
mod walked;

pub use choice::{StepSummary, build_gait, rank_walks};
pub(in crate::edit) use effort::Trace;
pub use effort::{Effort, legs_apart_m};
pub use error::{Excess, StepFault, Strain, WalkError};
pub use gait::{Gait, other};
pub use limits::{BROKEN_BEND_S, BROKEN_BOB_M_S};
pub use plan::{Footstep, MAX_STEPS, Strides};
pub use report::{BrokenSource, WalkReport};
pub use walked::{Walked, WalkedStep};
