//! Rotations, means, Euler orders, easing curves, banded equations, statistics and seeded randomness.
//!
//! Everything here is a plain function on `glam` types. Rotations are unit quaternions; `q` and
//! `−q` are the same rotation, and every function says where that matters.

mod banded;
mod easing;
mod euler;
mod lines;
mod mean;
mod random;
mod rotation;
mod stats;

pub use banded::Banded;
pub use easing::{minimum_jerk, smoothstep};
pub use euler::{Axis, EulerOrder};
pub use lines::{lines_apart, nearest_points};
pub use mean::{MeanError, mean, mean64};
pub use random::Random;
pub use rotation::{align_sign, angle_between, angle_between64, exp, exp64, log, log64, slerp, swing_twist};
pub use stats::{mean_of, median, quantile, rank_correlation};
