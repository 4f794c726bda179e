//! Captured motion made into other motion: blending, retargeting, segmentation, reconstruction, editing.
//!
//! Modules stand in order; one uses only those before it:
//!
//! ```text
//! retarget, segment → blend, reconstruct → edit
//! ```
//!
//! Programs use the facade crate `ugoki`, which re-exports these modules.

pub mod blend;
pub mod edit;
pub mod reconstruct;
pub mod retarget;
pub mod segment;
