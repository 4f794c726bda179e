//! Arrays for numpy: a zip of `.npy` files, as `numpy.savez` writes.
//!
//! The arrays, their shapes and types are in `docs/formats/npz.md`. Arrays of motion generators are read too.

mod archive;
mod array;
mod array_motion;
mod generated;
mod inflate;
mod marks;
mod read;
mod write;
mod zip;

pub use read::read;
pub(super) use write::report_losses;
pub use write::write;

/// Whether the bytes start like an archive of arrays.
#[must_use]
pub fn looks_like(bytes: &[u8]) -> bool {
    archive::looks_like(bytes)
}
