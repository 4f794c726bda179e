//! Shared support of the tests: where captures are, bodies and motions to test with, and an allocator that counts.

pub mod bodies;
pub mod captures;
pub mod codec;
mod memory;
pub mod rigs;
pub mod walker;

pub use memory::{Counting, allocations, peak_bytes, requested_bytes};
