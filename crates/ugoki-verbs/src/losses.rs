//! Tracking losses in words.

use std::fmt;
use std::ops::Range;

use ugoki::formats::Gap;
use ugoki::perform::{Loss, loss_lines};

/// [`loss_lines`], each after a line end.
pub(crate) fn write_losses(f: &mut fmt::Formatter<'_>, losses: &[Loss], done: &str) -> fmt::Result {
    loss_lines(losses, done).iter().try_for_each(|line| write!(f, "\n{line}"))
}

/// Gaps of a file as [`ugoki::perform::unseen`] takes them.
pub(crate) fn joint_gaps(gaps: &[Gap]) -> Vec<(usize, Range<usize>)> {
    gaps.iter().map(|gap| (gap.joint, gap.frames.clone())).collect()
}
