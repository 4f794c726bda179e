//! One contact with its fixed place.

use std::ops::Range;

use glam::DVec3;
use ugoki_base::math::median;

/// A contact's fixed place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Target {
    pub(super) frames: Range<usize>,
    pub(super) point: DVec3,
}

/// Median height of a path over a range, metres.
pub(super) fn median_height(path: &[DVec3], range: &Range<usize>) -> f64 {
    let heights: Vec<f64> = path[range.clone()].iter().map(|p| p.y).collect();
    median(&heights).unwrap_or(0.0)
}
