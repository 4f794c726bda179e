//! Tracking losses in words.

use std::fmt;
use std::ops::Range;

use ugoki::formats::Gap;
use ugoki::perform::Loss;

/// Most lines of text; all losses are in the `--json` report.
const MAX_LINES: usize = 12;

/// Joints with the same interval in one line each, with what was done about it.
pub(crate) fn lines(losses: &[Loss], done: &str) -> Vec<String> {
    let mut shared: Vec<(f64, Option<f64>, Vec<&str>)> = Vec::new();
    for loss in losses {
        match shared.iter_mut().find(|(from, to, _)| (*from, *to) == (loss.from, loss.to)) {
            Some((.., joints)) => joints.push(&loss.joint),
            None => shared.push((loss.from, loss.to, vec![&loss.joint])),
        }
    }
    let line = |(from, to, joints): &(f64, Option<f64>, Vec<&str>)| {
        let to = to.map_or_else(|| "on".to_owned(), |to| format!("to {to:.2} s"));
        format!("not seen from {from:.2} s {to}, {done}: {}", joints.join(", "))
    };
    let mut lines: Vec<String> = shared.iter().take(MAX_LINES).map(line).collect();
    if shared.len() > MAX_LINES {
        lines.push(format!("and {} times more; --json has all", shared.len() - MAX_LINES));
    }
    lines
}

/// The same, each after a line end.
pub(crate) fn write_losses(f: &mut fmt::Formatter<'_>, losses: &[Loss], done: &str) -> fmt::Result {
    lines(losses, done).iter().try_for_each(|line| write!(f, "\n{line}"))
}

/// Gaps of a file as [`ugoki::perform::unseen`] takes them.
pub(crate) fn joint_gaps(gaps: &[Gap]) -> Vec<(usize, Range<usize>)> {
    gaps.iter().map(|gap| (gap.joint, gap.frames.clone())).collect()
}
