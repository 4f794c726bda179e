//! Biovision hierarchy files, in and out.
//!
//! ```text
//! bytes ─normalise→ text ─hierarchy, motion→ Channels ─interpret (unit, up axis)→ poses → Clip + findings
//! Clip ─write→ bytes, from the source's own numbers wherever the pose is still theirs
//! ```
//!
//! What dialects exist, what is assumed for each and every finding's code are in `docs/formats/bvh.md`.

mod channel_findings;
mod channels;
mod columns;
mod euler_batch;
mod hierarchy;
mod interpret;
mod layout;
mod motion;
mod normalise;
mod poses;
mod print;
mod read;
mod row_parser;
mod rows;
mod structure;
mod wide;
mod write;

pub use super::{WriteOptions, Written};
pub use channels::{Channels, read_channels};
pub use hierarchy::ChannelJoint;
pub use read::{looks_like, read};
pub use rows::{Row, RowReader};
pub use write::{write, write_with};
