//! Bodies rebuilt around moved handles: particles and distance constraints, then back to rotations.
//!
//! Handles are edited one by one, so the bones between them no longer fit. [`Frame::build`] finds, once per skeleton
//! and choice of handles, which joints are particles and what holds them together; [`rebuild_into`] then gives the
//! body of one frame: limbs are closed to their handles first, what they cannot reach pulls the trunk by relaxation
//! \[jakobsen2001\], the trunk's joints turn as little as possible to follow, and limbs are closed again, exactly.
//! Bone lengths are those of the source frame; twist, fingers and everything else that no handle carries come from it.

mod build;
mod fit;
mod rebuild;
mod relax;

pub use build::{Frame, MAX_SWEEPS, Rebuild, RebuildError};
pub(crate) use rebuild::limb_reach_m;
pub use rebuild::{Residual, Scratch, Target, rebuild_into};
