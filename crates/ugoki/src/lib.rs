//! Ugoki (動き, movement) turns captured human motion into new motion.
//!
//! This crate is the library: it reads no files, opens no sockets and asks no clock. Callers pass
//! bytes and times. Inside everything is metres, seconds, radians, right-handed, +Y up, and a
//! character in rest pose faces +Z; `formats` alone knows other axes, units and orders.
//!
//! The modules stand in order; one may use only those above it:
//!
//! ```text
//! bytes → math → skeleton → pose → clip, markers → contact → limb → metric → picture → retarget → formats → … → sample
//! ```

use std::ops::ControlFlow;

pub mod bytes;
pub mod clip;
pub mod compose;
pub mod contact;
pub mod dynamics;
pub mod edit;
pub mod formats;
pub mod limb;
pub mod live;
pub mod markers;
pub mod math;
pub mod metric;
pub mod network;
pub mod perform;
pub mod picture;
pub mod pose;
pub mod react;
pub mod reconstruct;
pub mod retarget;
pub mod sample;
pub mod segment;
pub mod signal;
pub mod skeleton;

/// How long work reports how far it is (0 to 1) and learns whether to go on.
pub type Progress<'a> = &'a mut dyn FnMut(f32) -> ControlFlow<()>;

/// The caller's [`Progress`] asked to stop; nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Reports to `progress` and turns its wish to stop into [`Cancelled`].
///
/// # Errors
/// When the caller asks to stop.
pub fn report(progress: Progress<'_>, share: f32) -> Result<(), Cancelled> {
    match progress(share) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Cancelled),
    }
}
