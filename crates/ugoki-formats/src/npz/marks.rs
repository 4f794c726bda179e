//! Contact labels and loops among the arrays.

use std::ops::Range;

use ugoki_base::contact_labels::FootContacts;

use super::array_motion::Arrays;
use crate::{Findings, Marks, ReadError, Severity};

/// Names of the array of contact labels: Ugoki's and the generators'.
const CONTACTS: [&str; 2] = ["contacts", "foot_contacts"];

/// Labels from which on a point stands: generators write truth values or probabilities.
const STANDS: f64 = 0.5;

/// What the arrays say about the frames; what does not fit is left out and reported.
pub(super) fn read(arrays: &Arrays<'_>, frames: usize, findings: &mut Findings) -> Result<Marks, ReadError> {
    let mut odd = |what: &str| {
        let message = format!("the array {what:?} does not fit the frames");
        findings.note(Severity::Warning, None, "array-odd", message, "left out");
    };
    let mut marks = Marks::default();
    if let Some(name) = CONTACTS.into_iter().find(|name| arrays.get(name).is_some()) {
        match arrays.numbers(name, &[frames, 4]) {
            Ok(labels) => marks.contacts = Some(contacts(&labels)),
            Err(_) => odd(name),
        }
    }
    if arrays.get("loop").is_some() {
        match arrays.numbers("loop", &[2])?.as_slice() {
            &[start, end] if 0.0 <= start && start < end && end <= frames as f64 => {
                marks.loop_frames = Some(start as usize..end as usize);
            }
            _ => odd("loop"),
        }
    }
    Ok(marks)
}

/// From rows of left heel, left toe, right heel, right toe.
fn contacts(labels: &[f64]) -> [FootContacts; 2] {
    let column = |point: usize| -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let stands = labels.iter().skip(point).step_by(4).map(|label| *label >= STANDS);
        for (frame, _) in stands.enumerate().filter(|(_, stands)| *stands) {
            match ranges.last_mut() {
                Some(last) if last.end == frame => last.end += 1,
                _ => ranges.push(frame..frame + 1),
            }
        }
        ranges
    };
    [FootContacts { heel: column(0), toe: column(1) }, FootContacts { heel: column(2), toe: column(3) }]
}
