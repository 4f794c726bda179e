//! Acclaim files: a skeleton (ASF) and its motions (AMC).
//!
//! ```text
//! ASF bytes ─lines→ bones ─tree→ joints, parents first ┐
//! AMC bytes ─lines→ rows of values ────────────────────┴─pose→ Clip + findings
//! ```
//!
//! A bone `b` turns about its own start, where its parent's end is. Its `axis` gives the frame `C` in which its
//! angles are measured, so its rotation relative to its parent is `C·M·C⁻¹` with `M` the product of the angles in
//! the order of its `dof`, the first applied first. In the rest pose all of them are the identity, which is
//! Ugoki's own convention. What is assumed and every finding's code are in `docs/formats/acclaim.md`.

mod amc;
mod asf;
mod bone;
mod lines;
mod pose;
mod read;
mod tree;

pub use read::{looks_like_amc, looks_like_asf, read_amc, read_asf};
