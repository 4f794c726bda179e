//! Recognising a file and reading it, whatever it is.

use super::detect::detect;
use super::error::excerpt;
use super::motion_file::{Fetch, Read, ReadOptions};
use super::{Format, ReadError, acclaim, bvh, c3d, deepmimic, fbx, gltf, npz, points, trc};

/// Reads a motion file that needs no other file.
///
/// # Errors
/// As [`read_with`].
pub fn read(bytes: &[u8], extension: Option<&str>, options: &ReadOptions) -> Result<Read, ReadError> {
    read_with(bytes, extension, options, &mut |_| None)
}

/// Reads a motion file of any known format; `fetch` gives the files it refers to.
///
/// # Errors
/// When the format is unknown or nothing in the file can be used.
pub fn read_with(
    bytes: &[u8],
    extension: Option<&str>,
    options: &ReadOptions,
    fetch: Fetch<'_>,
) -> Result<Read, ReadError> {
    let read = read_any(bytes, extension, options, fetch)?;
    match &options.take {
        // Number 0 is the only one.
        Some(wanted) if read.takes.is_empty() && wanted != "0" => {
            Err(ReadError::OneMotion { wanted: wanted.clone() })
        }
        _ => Ok(read),
    }
}

fn read_any(
    bytes: &[u8],
    extension: Option<&str>,
    options: &ReadOptions,
    fetch: Fetch<'_>,
) -> Result<Read, ReadError> {
    match detect(bytes, extension) {
        Some(Format::Bvh) => bvh::read(bytes, options),
        Some(Format::Glb | Format::Gltf | Format::Vrm | Format::Vrma) => gltf::read(bytes, options, fetch),
        Some(Format::Asf) => acclaim::read_asf(bytes, options),
        Some(Format::Fbx) => fbx::read(bytes, options),
        Some(Format::DeepMimic) => deepmimic::read(bytes, options),
        Some(Format::Amc) => acclaim::read_amc(bytes, options, fetch),
        Some(Format::Npz) if npz::is_joints(bytes) => {
            points::solve_read(npz::read_markers(bytes, options)?, options)
        }
        Some(Format::Npz) => npz::read(bytes, options, fetch),
        Some(Format::C3d) => points::solve_read(c3d::read_markers(bytes, options)?, options),
        Some(Format::Trc) => points::solve_read(trc::read_markers(bytes, options)?, options),
        Some(format) => Err(ReadError::WriteOnly { format }),
        None if bytes.iter().all(u8::is_ascii_whitespace) => Err(ReadError::Empty),
        None => Err(ReadError::UnknownFormat { found: excerpt(bytes) }),
    }
}
