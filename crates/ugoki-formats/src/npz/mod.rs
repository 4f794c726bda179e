//! Arrays for numpy: a zip of `.npy` files, as `numpy.savez` writes.
//!
//! The arrays, their shapes and types are in `docs/formats/npz.md`. Arrays of motion generators and of AMASS are read too, and
//! joint positions as markers.

mod amass;
mod archive;
mod array;
mod array_motion;
mod generated;
mod inflate;
mod joints;
mod marks;
mod read;
mod smpl;
#[cfg(test)]
mod tests;
mod write;
mod zip;

pub(crate) use joints::read_markers;
pub use read::read;
pub(super) use write::report_losses;
pub use write::write;

/// Whether the bytes start like an archive of arrays.
#[must_use]
pub fn looks_like(bytes: &[u8]) -> bool {
    archive::looks_like(bytes) || is_joints(bytes)
}

/// Whether the bytes are one array, which is read as markers.
#[must_use]
pub(crate) fn is_joints(bytes: &[u8]) -> bool {
    joints::looks_like(bytes)
}
