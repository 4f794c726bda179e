//! Bytes of motion files to clips and back, with every problem reported.
//!
//! This is the only place with foreign axes, units and orders. A reader gives a [`Read`]: the clip in
//! Ugoki's conventions and a list of [`Finding`]s that says what the file does unusually and what was
//! assumed. A file that cannot be used gives a [`ReadError`] with line, column and a hint.

pub mod acclaim;
mod axes;
mod body;
pub mod bvh;
pub mod c3d;
mod contents;
pub mod csv;
pub mod deepmimic;
mod detect;
mod error;
mod faces;
pub mod fbx;
mod finding;
mod footsteps;
mod format;
pub mod gltf;
#[cfg(feature = "toml")]
mod label_map;
mod length;
mod motion_file;
mod motion_findings;
pub mod npz;
mod open;
mod points;
mod rate;
mod reading;
mod save;
mod scene;
mod takes;
mod text;
pub mod trc;
mod units;
mod up;

pub use contents::{Contents, FileWarning, JointSummary, MarkerSummary};
pub use detect::detect;
pub use error::ReadError;
pub use finding::{Finding, Severity, T_POSE_LEFT_OUT};
pub(crate) use finding::{Findings, counted};
pub use footsteps::{FootstepsError, PlannedStep, read_footsteps};
pub use format::Format;
#[cfg(feature = "toml")]
pub use label_map::{LabelMapError, parse_label_map};
pub use length::{LengthScale, LengthUnit};
pub use motion_file::{Companion, Fetch, Gap, Marks, Read, ReadOptions};
pub use open::{read, read_with};
pub use points::{ReadMarkers, read_markers, write_markers};
pub use reading::{Problem, Reading, Tpose};
pub use save::{WriteError, WriteOptions, Written, write, written_format};
pub use ugoki_base::clip::{OffsetMode, UpAxis};
