//! Feet and ground: floor and contact detection, foot planting, and the metrics that need contacts.
//!
//! ```text
//! contact → feet → metric
//! ```
//!
//! Programs use the facade crate `ugoki`, which re-exports these modules.

pub mod contact;
pub mod feet;
pub mod metric;
