//! Which format a file has.

use super::{Format, acclaim, bvh, c3d, deepmimic, fbx, gltf, npz, trc};

/// What the bytes are: by content, then by extension.
#[must_use]
pub fn detect(bytes: &[u8], extension: Option<&str>) -> Option<Format> {
    if bvh::looks_like(bytes) {
        return Some(Format::Bvh);
    }
    if let Some(format) = gltf::looks_like(bytes) {
        return Some(format);
    }
    if fbx::looks_like(bytes) {
        return Some(Format::Fbx);
    }
    if deepmimic::looks_like(bytes) {
        return Some(Format::DeepMimic);
    }
    if acclaim::looks_like_asf(bytes) {
        return Some(Format::Asf);
    }
    if acclaim::looks_like_amc(bytes) {
        return Some(Format::Amc);
    }
    if c3d::looks_like(bytes) {
        return Some(Format::C3d);
    }
    if npz::looks_like(bytes) {
        return Some(Format::Npz);
    }
    if trc::looks_like(bytes) {
        return Some(Format::Trc);
    }
    // Text of any kind is called .txt and .json: there the extension alone is not enough.
    let by_name = |format: &Format| format.is_read() && *format != Format::DeepMimic;
    extension.and_then(Format::from_extension).filter(by_name)
}
