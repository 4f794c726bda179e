//! Closing gaps: from the markers on the same part of the body, else between neighbouring frames.

use glam::DVec3;

use super::cloud::{Cloud, Track};
use super::frame::Path;
use super::kabsch::fit;
use crate::markers::landmark::{Part, Place};

/// What was filled, in positions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Filled {
    pub rigid: usize,
    pub short: usize,
}

/// Fills every gap that can be; what was seen stays as it is.
pub(super) fn fill(cloud: &mut Cloud, max_short: usize) -> Filled {
    let mut filled = Filled::default();
    let seen = cloud.clone();
    for index in 0..cloud.tracks.len() {
        let neighbours: Vec<&Path> = seen
            .tracks
            .iter()
            .enumerate()
            .filter(|(other, track)| *other != index && are_rigid(&seen.tracks[index], track))
            .map(|(_, track)| &track.path)
            .collect();
        let path = &mut cloud.tracks[index].path;
        for gap in gaps(path) {
            let (before, after) = (gap.start.checked_sub(1), Some(gap.end).filter(|end| *end < seen.frames));
            for frame in gap.clone() {
                let carry = |reference: Option<usize>| {
                    carried(&neighbours, &seen.tracks[index].path, reference?, frame)
                };
                let (a, b) = (carry(before), carry(after));
                path[frame] = match (a, b, before, after) {
                    // From both ends, so that it meets what was seen at both.
                    (Some(a), Some(b), Some(first), Some(last)) => {
                        Some(a.lerp(b, (frame - first) as f64 / (last - first) as f64))
                    }
                    (a, b, ..) => a.or(b),
                };
                filled.rigid += usize::from(path[frame].is_some());
            }
        }
        for gap in gaps(path) {
            if gap.len() <= max_short && gap.start > 0 && gap.end < path.len() {
                filled.short += gap.len();
                bridge(path, gap.start - 1, gap.end);
            }
        }
    }
    filled
}

/// Whether two markers keep their distance: on one bone, or on the trunk and its shoulders.
fn are_rigid(a: &Track, b: &Track) -> bool {
    let part = |track: &Track| match track.landmark.place {
        // An ankle bone moves with the shin, but stays closer to the foot than anything else does to a gap in it.
        Place::HipCentre | Place::PelvisCentre => None,
        place => Some((place.part(), track.landmark.side)),
    };
    match (part(a), part(b)) {
        (Some((Part::Pelvis, _)), Some((Part::Pelvis, _)))
        | (Some((Part::Chest, _)), Some((Part::Chest, _)))
        | (Some((Part::Head, _)), Some((Part::Head, _))) => true,
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

/// Intervals without a position.
fn gaps(path: &Path) -> Vec<std::ops::Range<usize>> {
    let mut gaps: Vec<std::ops::Range<usize>> = Vec::new();
    for (frame, p) in path.iter().enumerate() {
        match gaps.last_mut() {
            _ if p.is_some() => {}
            Some(gap) if gap.end == frame => gap.end += 1,
            _ => gaps.push(frame..frame + 1),
        }
    }
    gaps
}

/// Where a marker would be in `frame` if its part moved as the neighbouring markers did since `reference`.
fn carried(neighbours: &[&Path], path: &Path, reference: usize, frame: usize) -> Option<DVec3> {
    let from = path[reference]?;
    let pairs: Vec<(DVec3, DVec3)> =
        neighbours.iter().filter_map(|other| Some((other[reference]?, other[frame]?))).collect();
    Some(fit(&pairs)?.apply(from))
}

/// A cubic that meets position and speed at both ends.
fn bridge(path: &mut Path, before: usize, after: usize) {
    let (Some(a), Some(b)) = (path[before], path[after]) else { return };
    let span = (after - before) as f64;
    let speed = |at: usize, other: Option<usize>| {
        other.and_then(|other| Some((path[at]? - (*path.get(other)?)?) * if other < at { 1.0 } else { -1.0 }))
    };
    let straight = (b - a) / span;
    let va = speed(before, before.checked_sub(1)).unwrap_or(straight) * span;
    let vb = speed(after, Some(after + 1)).unwrap_or(straight) * span;
    for (step, filled) in path[before + 1..after].iter_mut().enumerate() {
        let t = (step + 1) as f64 / span;
        let (t2, t3) = (t * t, t * t * t);
        *filled = Some(
            a * (2.0 * t3 - 3.0 * t2 + 1.0)
                + va * (t3 - 2.0 * t2 + t)
                + b * (3.0 * t2 - 2.0 * t3)
                + vb * (t3 - t2),
        );
    }
}
