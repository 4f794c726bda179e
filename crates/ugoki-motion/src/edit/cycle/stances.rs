//! Labels of feet over the repeats of a cycle.

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_feet::contact::{Contacts, Feet};

use crate::edit::GroundFrame;
use crate::edit::join::{FootPlans, Part, stands_through};

/// Whether a foot stands in one place through the whole cycle and over its seam: then nothing travels.
pub(super) fn stays_put(
    clip: &Clip,
    contacts: Option<&Contacts>,
    frames: &Range<usize>,
    feet: &Feet,
) -> bool {
    let part = || Part { clip, placement: GroundFrame::HERE, contacts, frames: frames.clone() };
    let labels = FootPlans::new(&[part(), part(), part()], feet).labels;
    labels.iter().any(|foot| stands_through(foot, frames.len(), 3))
}

/// Labels of one of some repeats.
pub(super) fn labels_of(repeat: &Range<usize>, all: &[FootContacts; 2]) -> [FootContacts; 2] {
    let part = |list: &[Range<usize>]| {
        list.iter()
            .map(|range| range.start.max(repeat.start)..range.end.min(repeat.end))
            .filter(|range| !range.is_empty())
            .map(|range| range.start - repeat.start..range.end - repeat.start)
            .collect()
    };
    all.each_ref().map(|foot| FootContacts { heel: part(&foot.heel), toe: part(&foot.toe) })
}

/// Labels of one repeat over all of them, joined where they meet.
pub(super) fn repeat_labels(foot: &FootContacts, period: usize, cycles: usize) -> FootContacts {
    let all = |list: &[Range<usize>]| {
        let mut out: Vec<Range<usize>> = Vec::new();
        for start in (0..cycles).map(|k| k * period) {
            for range in list {
                let moved = range.start + start..range.end + start;
                match out.last_mut() {
                    Some(last) if last.end == moved.start => last.end = moved.end,
                    _ => out.push(moved),
                }
            }
        }
        out
    };
    FootContacts { heel: all(&foot.heel), toe: all(&foot.toe) }
}
