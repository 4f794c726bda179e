//! Measures that several crates use.
//!
//! [`compare`] sets two clips side by side: joint angles, LAFAN1's L2P, L2Q and NPSS, jerk and foot skate.
//! [`pose_distance`] is the distance between poses, or short windows of poses, wherever they stand on the ground.

mod compare;
mod jerk;
mod npss;
mod pose_distance;
mod skate;

pub use compare::{AngleError, CompareError, Compared, Comparison, Stats, compare};
pub use jerk::mean_jerk;
pub use npss::npss;
pub use pose_distance::{GroundAlignment, pose_distance};
pub use skate::{ToeSkate, foot_skate, toe_skate};
