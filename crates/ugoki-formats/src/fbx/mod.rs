//! FBX files, in only: Autodesk's interchange format, binary and text, of all versions.
//!
//! ```text
//! bytes ─load (ufbx: versions, pivots, pre- and post-rotations, axes, unit)→ nodes
//!       ─sample (one take at its rate)→ Scene ─scene→ Clip + findings
//! ```
//!
//! Reading needs the feature `fbx`, which compiles C code; without it [`read`] fails with [`crate::ReadError::NoFbx`].
//!
//! What is assumed, every finding's code, and the ways from Ugoki to programs that want FBX are in
//! `docs/formats/fbx.md`.

mod detect;
#[cfg(feature = "fbx")]
mod load;
#[cfg(feature = "fbx")]
mod read;
#[cfg(feature = "fbx")]
mod sample;
#[cfg(not(feature = "fbx"))]
mod unsupported;

pub use detect::looks_like;
#[cfg(feature = "fbx")]
pub use read::read;
#[cfg(not(feature = "fbx"))]
pub use unsupported::read;
