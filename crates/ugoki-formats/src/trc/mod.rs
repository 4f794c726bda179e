//! TRC marker files, in and out: text, tabs between columns.
//!
//! What writers do differently and every finding's code are in `docs/formats/trc.md`.

mod head;
mod read;
mod write;

pub use read::{looks_like, read_markers};
pub use write::{write_clip, write_markers};
