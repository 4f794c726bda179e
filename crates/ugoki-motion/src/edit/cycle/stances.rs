//! Labels of feet over the repeats of a cycle.

use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_feet::contact::{Contacts, Feet};

use crate::edit::join::{Part, labels};

/// Whether a foot stands in one place through the whole cycle and over its seam: then nothing travels.
pub(super) fn stays_put(
    clip: &Clip,
    contacts: Option<&Contacts>,
    frames: &Range<usize>,
    feet: &Feet,
) -> bool {
    let parts = [0; 3].map(|_| Part { clip, contacts, frames: frames.clone() });
    labels(&parts, feet).iter().any(|foot| stands_through(foot, frames.len()))
}

/// Whether a foot stands through all of the second of three repeats.
fn stands_through(foot: &FootContacts, period: usize) -> bool {
    foot.any().iter().any(|stance| stance.start <= period && stance.end >= 2 * period)
}

/// A foot that stands through a whole repeat stands through all three: its heel and toe as one, those of them that stand for
/// at least half of the time, so that every repeat has it in the same place.
pub(super) fn through(foot: FootContacts, period: usize) -> FootContacts {
    if !stands_through(&foot, period) {
        return foot;
    }
    let all = 0..3 * period;
    let mostly = |list: &[Range<usize>]| 2 * list.iter().map(Range::len).sum::<usize>() >= all.len();
    let (heel, toe) = (mostly(&foot.heel), mostly(&foot.toe));
    let label = |set: bool| if set { vec![all.clone()] } else { Vec::new() };
    // One of them at least holds the foot.
    FootContacts { heel: label(heel), toe: label(toe || !heel) }
}

/// Labels of the second of three repeats.
pub(super) fn middle(three: &[FootContacts; 2], period: usize) -> [FootContacts; 2] {
    let part = |list: &[Range<usize>]| {
        list.iter()
            .map(|range| range.start.max(period)..range.end.min(2 * period))
            .filter(|range| !range.is_empty())
            .map(|range| range.start - period..range.end - period)
            .collect()
    };
    three.each_ref().map(|foot| FootContacts { heel: part(&foot.heel), toe: part(&foot.toe) })
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
