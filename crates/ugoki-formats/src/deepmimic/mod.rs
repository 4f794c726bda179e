//! Motion files of DeepMimic \[peng2018\] and of the projects that grew from it: JSON with one list of numbers per
//! frame on a humanoid that the file does not describe.
//!
//! ```text
//! bytes ─json→ rows of 44 numbers ─humanoid (its skeleton)→ poses at their times ─timing→ Clip + findings
//! ```
//!
//! The humanoid faces +X with +Y up and its right at +Z, in metres; hinges turn about +Z. What is assumed and every
//! finding's code are in `docs/formats/deepmimic.md`.

mod humanoid;
mod json;
mod read;
mod timing;

pub use read::{looks_like, read};
