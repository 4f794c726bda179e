//! Contacts and loops that an animation's extras tell, as the writer puts them there.

use std::ops::Range;

use serde_json::Value;
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;

use crate::{Findings, Marks, Severity};

/// What the extras say about the frames of `clip`; what does not fit is left out and reported.
pub(super) fn read(extras: &Value, clip: &Clip, findings: &mut Findings) -> Marks {
    let stated = extras.get("fps").and_then(Value::as_f64).filter(|fps| fps.is_finite() && *fps > 0.0);
    // Frames are of the rate they were written at; the motion may have been sampled at another.
    let frames = Frames { ratio: clip.fps() / stated.unwrap_or(clip.fps()), count: clip.num_frames() };
    let mut odd = Vec::new();
    let contacts = extras.get("contacts").and_then(|contacts| {
        let found = frames.foot(contacts.get("left")).zip(frames.foot(contacts.get("right")));
        if found.is_none() {
            odd.push("contacts");
        }
        found.map(|(left, right)| [left, right])
    });
    let loop_frames = extras.get("loop").and_then(|range| {
        let found = frames.range(range);
        if found.is_none() {
            odd.push("loop");
        }
        found
    });
    for what in odd {
        let message = format!("the {what} in the animation's extras are no frames of it");
        findings.note(Severity::Warning, None, "extras-odd", message, "left out");
    }
    Marks { contacts, loop_frames, ..Marks::default() }
}

struct Frames {
    /// Frames of the clip per frame in the file.
    ratio: f64,
    count: usize,
}

impl Frames {
    fn foot(&self, foot: Option<&Value>) -> Option<FootContacts> {
        let list = |name: &str| -> Option<Vec<Range<usize>>> {
            let ranges = foot?.get(name)?.as_array()?.iter().map(|range| self.range(range));
            let ranges = ranges.collect::<Option<Vec<_>>>()?;
            let in_order = ranges.windows(2).all(|pair| pair[0].end <= pair[1].start);
            in_order.then_some(ranges)
        };
        Some(FootContacts { heel: list("heel")?, toe: list("toe")? })
    }

    /// `[start, end]`; at another rate the nearest frames.
    fn range(&self, range: &Value) -> Option<Range<usize>> {
        let [start, end] = range.as_array()?.as_slice() else { return None };
        let frame = |value: &Value| Some((value.as_u64()? as f64 * self.ratio).round() as usize);
        let (start, end) = (frame(start)?, frame(end)?);
        // A rounded end may be one frame past the last.
        let end = if self.ratio == 1.0 { end } else { end.min(self.count) };
        (start < end && end <= self.count).then_some(start..end)
    }
}
