//! What became of the steps of a walk, from its frames.

use std::ops::Range;

use glam::Vec3;
use ugoki_base::contact_labels::FootContacts;

use super::plan::Footstep;
use super::walked::WalkedStep;
use crate::edit::player::index;

/// A step that was made.
pub(super) struct Landed {
    pub(super) frame: usize,
    /// Height of the ankle over the ground in the stance it stands in, metres.
    pub(super) rest_m: f32,
    /// That of the toe, for a foot that is never flat: there the ankle rises and sinks while it stands.
    pub(super) toe_rest_m: Option<f32>,
}

/// What was seen of one foot in one frame.
pub(super) struct Seen {
    pub(super) ankle: Vec3,
    pub(super) toe: Vec3,
    pub(super) stands: [bool; 2],
}

/// What became of every step.
pub(super) fn judge(
    plan: &[Footstep],
    landed: &[Landed],
    seen: &[Vec<Seen>; 2],
    fps: f64,
) -> Vec<WalkedStep> {
    plan.iter()
        .zip(landed)
        .map(|(&planned, landed)| {
            let (foot, land) = (index(planned.foot), landed.frame);
            let seen = &seen[foot];
            let any = |frame: usize| seen[frame].stands[0] || seen[frame].stands[1];
            let mut end = land;
            while end < seen.len() && (any(end) || end < land + 2) {
                end += 1;
            }
            let mut lift = land.min(seen.len() - 1);
            while lift > 0 && !any(lift - 1) {
                lift -= 1;
            }
            let stands = land.min(seen.len() - 1)..end;
            let middle = middle_of(seen, &stands);
            let at = &seen[middle];
            let ahead = at.toe - at.ankle;
            WalkedStep {
                planned,
                reached: at
                    .ankle
                    .with_y(landed.toe_rest_m.map_or(at.ankle.y - landed.rest_m, |rest| at.toe.y - rest)),
                heading_deg: ahead.x.atan2(ahead.z).to_degrees(),
                start_s: lift as f64 / fps,
                end_s: land as f64 / fps,
                slip_m: slip(seen, &stands),
            }
        })
        .collect()
}

/// The middle of the flat phase within a stance, or of the toe's contact, or of the whole.
fn middle_of(seen: &[Seen], stands: &Range<usize>) -> usize {
    let run = |which: &dyn Fn(&Seen) -> bool| {
        let mut best: Option<Range<usize>> = None;
        let mut from = stands.start;
        let ends = stands.clone().filter(|&frame| !which(&seen[frame])).chain([stands.end]);
        for end in ends {
            if end > from && best.as_ref().is_none_or(|best| end - from > best.len()) {
                best = Some(from..end);
            }
            from = end + 1;
        }
        best.map(|run| (run.start + run.end - 1) / 2)
    };
    let whole = (stands.start + stands.end.max(stands.start + 1) - 1) / 2;
    run(&|seen| seen.stands == [true; 2]).or_else(|| run(&|seen| seen.stands[1])).unwrap_or(whole)
}

/// Farthest that a labelled point is from where it stood first in the stance.
fn slip(seen: &[Seen], stands: &Range<usize>) -> f32 {
    let mut worst = 0.0_f32;
    for point in 0..2 {
        let place = |frame: usize| if point == 0 { seen[frame].ankle } else { seen[frame].toe };
        let mut first = None;
        for frame in stands.clone() {
            if !seen[frame].stands[point] {
                first = None;
                continue;
            }
            let from = *first.get_or_insert(place(frame));
            worst = worst.max(place(frame).distance(from));
        }
    }
    worst
}

/// The frames in which heel and toe stand.
pub(super) fn labels(seen: &[Seen]) -> FootContacts {
    let ranges = |point: usize| {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (frame, seen) in seen.iter().enumerate().filter(|(_, seen)| seen.stands[point]) {
            let _ = seen;
            match ranges.last_mut() {
                Some(last) if last.end == frame => last.end += 1,
                _ => ranges.push(frame..frame + 1),
            }
        }
        ranges
    };
    FootContacts { heel: ranges(0), toe: ranges(1) }
}
