//! Markers to a clip.
//!
//! `cloud` gathers the markers by landmark and `fill` closes their gaps; `pelvis`, `trunk` and `limb` find joint
//! centres and the turning of each part, frame by frame and without asking which way is up; `build` makes a
//! skeleton of constant lengths from their medians and poses it; `residual` says how far markers and body are
//! apart.

mod build;
mod centres;
mod cloud;
mod fill;
mod frame;
mod kabsch;
mod limb;
mod pelvis;
mod place_joints;
mod residual;
mod run;
mod template;
mod trunk;

pub use residual::GroupResidual;
pub use run::{SolveConfig, SolveError, Solved, solve};
