//! Stands in for the reader in builds without the feature `fbx`.

use crate::{Read, ReadError, ReadOptions};

/// Fails: this build has no FBX reader.
///
/// # Errors
/// Always [`ReadError::NoFbx`].
pub fn read(_bytes: &[u8], _options: &ReadOptions) -> Result<Read, ReadError> {
    Err(ReadError::NoFbx)
}
