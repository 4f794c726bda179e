//! Rigid body dynamics of a character, and its reactions to loads, pushes and collisions.
//!
//! ```text
//! dynamics → react
//! ```
//!
//! Programs use the facade crate `ugoki`, which re-exports these modules.

pub mod dynamics;
pub mod react;
