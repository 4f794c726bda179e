//! FBX files, in only: Autodesk's interchange format, binary and text, of all versions.
//!
//! ```text
//! bytes ─load (ufbx: versions, pivots, pre- and post-rotations, axes, unit)→ nodes
//!       ─sample (one take at its rate)→ Scene ─scene→ Clip + findings
//! ```
//!
//! What is assumed, every finding's code, and the ways from Ugoki to programs that want FBX are in
//! `docs/formats/fbx.md`.

mod load;
mod read;
mod sample;

pub use read::{looks_like, read};
