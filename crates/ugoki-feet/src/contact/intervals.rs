//! Contacts grown out of bearing frames: gaps, hysteresis.

use std::ops::Range;

use glam::DVec3;
use ugoki_base::contact_labels::runs;

/// A contact of one point with the height it has.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Contact {
    pub(super) frames: Range<usize>,
    pub(super) height: f64,
}

/// What one point does, frame by frame.
pub(super) struct PointTrack<'a> {
    pub(super) path: &'a [DVec3],
    pub(super) heights: &'a [f64],
    pub(super) speeds: &'a [f64],
    /// Speed under which a contact lasts.
    pub(super) off_m_s: &'a [f64],
    /// Slow and bearing the body.
    pub(super) bears: &'a [bool],
}

/// Bounds for growing contacts out of bearing frames, already in frames and scaled metres.
pub(super) struct Bounds {
    pub(super) band_m: f64,
    pub(super) slip_m: f64,
    pub(super) min_bearing: usize,
    pub(super) min_frames: usize,
    pub(super) max_gap: usize,
}

/// Grows every bearing run while the point stays slower than its `off_m_s`, within `slip_m` of where the run
/// begins or ends, and within `band_m` of the run's height.
pub(super) fn grow(track: &PointTrack<'_>, bounds: &Bounds) -> Vec<Contact> {
    let mut contacts: Vec<Contact> = Vec::new();
    for run in runs(0..track.bears.len(), |frame| track.bears[frame]) {
        // A slow lift changes height within one run: each interval of one height is judged alone.
        for (frames, height) in level_intervals(track.heights, run, bounds.band_m) {
            if frames.len() < bounds.min_bearing {
                continue;
            }
            let stays = |frame: usize, edge: usize| {
                track.speeds[frame] < track.off_m_s[frame]
                    && (track.heights[frame] - height).abs() <= bounds.band_m
                    && (track.path[frame] - track.path[edge]).length() <= bounds.slip_m
            };
            let mut start = frames.start;
            while start > 0 && stays(start - 1, frames.start) {
                start -= 1;
            }
            let mut end = frames.end;
            while end < track.heights.len() && stays(end, frames.end - 1) {
                end += 1;
            }
            contacts.push(Contact { frames: start..end, height });
        }
    }
    let mut joined: Vec<Contact> = Vec::new();
    for contact in contacts {
        match joined.last_mut() {
            Some(last)
                if contact.frames.start <= last.frames.end
                    || (contact.frames.start <= last.frames.end + bounds.max_gap
                        && (contact.height - last.height).abs() <= bounds.band_m) =>
            {
                // The longer one keeps its height.
                if contact.frames.len() > last.frames.len() {
                    last.height = contact.height;
                }
                last.frames.end = last.frames.end.max(contact.frames.end);
            }
            _ => joined.push(contact),
        }
    }
    joined.retain(|contact| contact.frames.len() >= bounds.min_frames);
    joined
}

/// Cuts a run where its height leaves the band about the median of what came before.
fn level_intervals(heights: &[f64], run: Range<usize>, band_m: f64) -> Vec<(Range<usize>, f64)> {
    let mut found = Vec::new();
    let mut rest = run;
    while !rest.is_empty() {
        // The whole rest if it is level; else the frames within the band of its lowest part, then on.
        let height = ugoki_base::math::median(&heights[rest.clone()]).unwrap_or(0.0);
        let outside = rest.clone().find(|&frame| (heights[frame] - height).abs() > band_m);
        let Some(_) = outside else {
            found.push((rest, height));
            break;
        };
        let first = heights[rest.start];
        let end = rest
            .clone()
            .find(|&frame| (heights[frame] - first).abs() > band_m)
            .unwrap_or(rest.end)
            .max(rest.start + 1);
        let part = rest.start..end;
        let height = ugoki_base::math::median(&heights[part.clone()]).unwrap_or(first);
        found.push((part, height));
        rest = end..rest.end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flicker_is_bridged_and_a_slow_lift_ends_the_contact() {
        let heights: Vec<f64> =
            (0..60).map(|i| if i < 30 { 0.0 } else { 0.004 * f64::from(i - 30) }).collect();
        let speeds = vec![0.1; 60];
        let mut bears: Vec<bool> = (0..60).map(|i| i < 34).collect();
        bears[10] = false;
        let bounds = Bounds { band_m: 0.02, slip_m: 0.01, min_bearing: 2, min_frames: 4, max_gap: 3 };
        let contacts = grow(
            &PointTrack {
                path: &vec![DVec3::ZERO; 60],
                heights: &heights,
                speeds: &speeds,
                off_m_s: &[0.5; 60],
                bears: &bears,
            },
            &bounds,
        );
        assert_eq!(contacts.len(), 1);
        assert_eq!(contacts[0].frames, 0..36);
    }
}
