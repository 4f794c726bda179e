//! Arrays for numpy, out only: an uncompressed zip of `.npy` files, as `numpy.savez` writes.
//!
//! The arrays, their shapes and types are in `docs/formats/npz.md`.

mod array;
mod write;
mod zip;

pub(super) use write::report_losses;
pub use write::write;
