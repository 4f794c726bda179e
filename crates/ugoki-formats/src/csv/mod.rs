//! One row per frame for spreadsheets and data frames, out only: world positions and rotations of all joints.
//!
//! The columns are in `docs/formats/csv.md`.

mod write;

pub use write::write;
