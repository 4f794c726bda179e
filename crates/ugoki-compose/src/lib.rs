//! Motion networks, and the search for sequences of clips between key motions.
//!
//! ```text
//! network → compose
//! ```
//!
//! Programs use the facade crate `ugoki`, which re-exports these modules.

pub mod compose;
pub mod network;
