//! glTF 2.0 and what is built on it: GLB, VRM avatars, VRMA animations.
//!
//! ```text
//! bytes ─container→ JSON, BIN ─document→ nodes, skins, animations ─buffers, curve→ sampled tracks
//!       ─humanoid, bind→ scene ─formats::scene→ Clip ─expressions→ Clip with its face     Clip ─write→ bytes
//! ```
//!
//! The document types are our own, over `serde_json`, and serve reading and writing alike. The crate
//! `gltf` was not chosen: it refuses whole files for a bad texture index, knows nothing of VRM, and leaves
//! accessors' bounds to panics, while motion needs a tenth of the format.
//! `docs/formats/gltf.md` and `docs/formats/vrm.md` say what is read, written and refused.

mod base64;
mod bind;
mod buffers;
mod container;
mod curve;
mod document;
mod expressions;
mod humanoid;
mod marks;
mod rate;
mod read;
mod write;

pub(crate) use container::looks_like;
pub use read::read;
pub use write::{VrmaBody, vrma_body, write};

use super::ReadError;

/// A broken file, with the usual advice.
fn malformed(message: String) -> ReadError {
    ReadError::Malformed {
        line: None,
        message,
        hint: "export the file again; gltf-validator reports what is wrong",
    }
}
