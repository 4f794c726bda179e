//! C3D marker files, in.
//!
//! ```text
//! bytes ─header, parameters→ what the file says of itself ─layout→ where the points lie ─points→ Markers + findings
//! ```
//!
//! Three processors (Intel, DEC, SGI/MIPS), integer and real points, parameters in groups, frame counts beyond
//! 65 535. Analog samples are stepped over. What vendors do differently and every finding's code are in
//! `docs/formats/c3d.md`.

mod header;
mod layout;
mod parameters;
mod points;
mod processor;
mod read;

pub use read::{looks_like, read_markers};
