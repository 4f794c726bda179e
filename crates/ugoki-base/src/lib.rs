//! The base of Ugoki: skeletons, poses, clips, markers, foot contact labels, two-bone inverse kinematics and rotation filters.
//!
//! Everything here is metres, seconds, radians, right-handed, +Y up; a character in rest pose faces +Z. The crate does no
//! I/O and reads no clock. Modules stand in order; one uses only those before it:
//!
//! ```text
//! bytes, document → math → skeleton → pose → ground → clip, markers → contact_labels, ik, bend_axes, signal, mannequin
//! ```
//!
//! Programs use the facade crate `ugoki`, which re-exports these modules.

use std::ops::ControlFlow;

pub mod bend_axes;
pub mod bytes;
pub mod clip;
pub mod contact_labels;
pub mod document;
pub mod ground;
pub mod ik;
pub mod mannequin;
pub mod markers;
pub mod math;
pub mod pose;
pub mod signal;
pub mod skeleton;
pub mod threads;
pub mod tracking_loss;

/// How long work reports how far it is (0 to 1) and learns whether to go on.
pub type Progress<'a> = &'a mut dyn FnMut(f32) -> ControlFlow<()>;

/// The caller's [`Progress`] asked to stop; nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Reports to `progress` and turns a request to stop into [`Cancelled`].
///
/// # Errors
/// When the caller asks to stop.
pub fn report(progress: Progress<'_>, fraction: f32) -> Result<(), Cancelled> {
    match progress(fraction) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Cancelled),
    }
}

/// A [`Progress`] that ignores reports and never cancels: pass `&mut no_progress()`.
///
/// ```
/// use ugoki_base::{no_progress, report};
///
/// assert!(report(&mut no_progress(), 0.5).is_ok());
/// ```
pub fn no_progress() -> impl FnMut(f32) -> ControlFlow<()> {
    |_| ControlFlow::Continue(())
}
