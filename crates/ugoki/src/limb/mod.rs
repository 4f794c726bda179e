//! Limbs: the two-bone solve, foot lock and planting.

mod two_bone;

pub use two_bone::{TwoBone, solve_two_bone};
