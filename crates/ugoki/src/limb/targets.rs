//! Where the points of a planted foot stand still, and what turns and shifts of the foot bring them there.

use std::ops::Range;

use glam::{DQuat, DVec3};

use super::curve::fill;
use crate::contact::FootContacts;
use crate::math::{exp64, log64, median};

/// A contact's fixed place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Target {
    pub(super) frames: Range<usize>,
    pub(super) point: DVec3,
}

/// Paths of one foot in the levelled clip.
pub(super) struct FootPath {
    pub(super) ankle: Vec<DVec3>,
    pub(super) toe: Vec<DVec3>,
    /// Ankle to toe point, metres.
    pub(super) length: f64,
}

/// Lengths that decide about contacts, metres, already scaled to the body.
pub(super) struct Limits {
    /// Contacts this near the foot's usual height stand on the main floor.
    pub(super) snap_m: f64,
    /// Contacts whose point strays farther from its mean slide on purpose.
    pub(super) slide_m: f64,
}

/// Fixed places of one foot's contacts and how many contacts were left alone because they slide.
pub(super) struct Targets {
    pub(super) heel: Vec<Target>,
    pub(super) toe: Vec<Target>,
    pub(super) slid: usize,
}

/// Places of the heel and toe contacts: toes at their mean place and the floor's height, heels where a rigid foot
/// puts them from there, and the other way round for toes that tap beside a standing heel.
pub(super) fn find_targets(path: &FootPath, contacts: &FootContacts, limits: &Limits) -> Targets {
    let num_frames = path.ankle.len();
    let inside = |range: &Range<usize>| !range.is_empty() && range.end <= num_frames;
    let still = |points: &[DVec3], range: &Range<usize>| {
        let mean = mean(&points[range.clone()]);
        points[range.clone()].iter().all(|p| (*p - mean).with_y(0.0).length() <= limits.slide_m)
    };
    let pick = |points: &[DVec3], ranges: &[Range<usize>]| -> Vec<Range<usize>> {
        ranges.iter().filter(|r| inside(r) && still(points, r)).cloned().collect()
    };
    let toes = pick(&path.toe, &contacts.toe);
    let heels = pick(&path.ankle, &contacts.heel);
    let slid = contacts.toe.len() + contacts.heel.len() - toes.len() - heels.len();
    let (mut toe_points, usual_toe) = level_points(&path.toe, &toes, limits.snap_m);
    let (mut heel_points, usual_heel) = level_points(&path.ankle, &heels, limits.snap_m);
    for (range, point) in toes.iter().zip(&mut toe_points) {
        // A toe under the floor while its ankle is not is bad data, not a lower step.
        let ankle = median_height(&path.ankle, range);
        if !heels.is_empty() && point.y < usual_toe - limits.snap_m && ankle > usual_heel - limits.snap_m {
            point.y = usual_toe;
        }
    }
    if path.length > 1e-4 {
        link(path, (&toes, &mut toe_points), (&heels, &mut heel_points));
    }
    let join = |ranges: Vec<Range<usize>>, points: Vec<DVec3>| {
        ranges.into_iter().zip(points).map(|(frames, point)| Target { frames, point }).collect()
    };
    Targets { heel: join(heels, heel_points), toe: join(toes, toe_points), slid }
}

fn mean(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len().max(1) as f64
}

fn median_height(path: &[DVec3], range: &Range<usize>) -> f64 {
    let heights: Vec<f64> = path[range.clone()].iter().map(|p| p.y).collect();
    median(&heights).unwrap_or(0.0)
}

/// Mean places and the usual height; heights near it take it, so that a flat floor is flat and steps stay steps.
fn level_points(path: &[DVec3], ranges: &[Range<usize>], snap_m: f64) -> (Vec<DVec3>, f64) {
    let heights: Vec<f64> = ranges.iter().map(|range| median_height(path, range)).collect();
    // The height most contacts are near, by number of frames.
    let near = |level: f64| {
        let near = ranges.iter().zip(&heights).filter(|(_, h)| (*h - level).abs() <= snap_m);
        near.fold((0.0, 0.0), |(frames, sum), (r, h)| (frames + r.len() as f64, sum + h * r.len() as f64))
    };
    let (frames, sum) =
        heights.iter().map(|&h| near(h)).fold((0.0, 0.0), |best, n| if n.0 > best.0 { n } else { best });
    let usual = sum / f64::max(frames, 1.0);
    let points = ranges
        .iter()
        .zip(&heights)
        .map(|(range, &height)| {
            let height = if (height - usual).abs() <= snap_m { usual } else { height };
            mean(&path[range.clone()]).with_y(height)
        })
        .collect();
    (points, usual)
}

/// Makes overlapping heel and toe places fit the rigid foot, starting in each chain of overlaps from its longest toe.
fn link(
    path: &FootPath,
    (toes, toe_points): (&[Range<usize>], &mut Vec<DVec3>),
    (heels, heel_points): (&[Range<usize>], &mut Vec<DVec3>),
) {
    let mut toe_done = vec![false; toes.len()];
    let mut heel_done = vec![false; heels.len()];
    let mut order: Vec<usize> = (0..toes.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(toes[i].len()));
    let offset = |overlap: Range<usize>| {
        let sum: DVec3 = overlap.map(|f| path.toe[f] - path.ankle[f]).sum();
        sum.normalize_or_zero() * path.length
    };
    for start in order {
        let mut stack = vec![(true, start)];
        if toe_done[start] {
            continue;
        }
        toe_done[start] = true;
        while let Some((is_toe, i)) = stack.pop() {
            let (mine, others, done) =
                if is_toe { (&toes[i], heels, &mut heel_done) } else { (&heels[i], toes, &mut toe_done) };
            for (j, other) in others.iter().enumerate() {
                let overlap = mine.start.max(other.start)..mine.end.min(other.end);
                if overlap.is_empty() || done[j] {
                    continue;
                }
                done[j] = true;
                if is_toe {
                    heel_points[j] = toe_points[i] - offset(overlap);
                } else {
                    toe_points[j] = heel_points[i] + offset(overlap);
                }
                stack.push((!is_toe, j));
            }
        }
    }
}

/// How one foot moves: a turn put before the foot's world rotation, and a shift of its ankle.
pub(super) struct Correction {
    /// Rotation vectors, radians.
    pub(super) turn: Vec<DVec3>,
    /// Metres.
    pub(super) shift: Vec<DVec3>,
}

/// Turns and shifts that hold every target exactly and fade over `fade` frames elsewhere.
pub(super) fn corrections(
    path: &FootPath,
    targets: &Targets,
    fade: usize,
    fps: f64,
    scale: f64,
) -> Correction {
    let num_frames = path.ankle.len();
    let at = |list: &[Target]| {
        let (mut points, mut ids) = (vec![None; num_frames], vec![None; num_frames]);
        for (id, target) in list.iter().enumerate() {
            points[target.frames.clone()].fill(Some(target.point));
            ids[target.frames.clone()].fill(Some(id));
        }
        (points, ids)
    };
    let ((heel, heel_id), (toe, toe_id)) = (at(&targets.heel), at(&targets.toe));
    let mut turn = vec![DVec3::ZERO; num_frames];
    let mut known = vec![false; num_frames];
    for frame in 0..num_frames {
        if let (Some(heel), Some(toe)) = (heel[frame], toe[frame]) {
            let now = path.toe[frame] - path.ankle[frame];
            let wanted = toe - heel;
            if now.length() > 1e-4 && wanted.length() > 1e-4 {
                turn[frame] = log64(DQuat::from_rotation_arc(now.normalize(), wanted.normalize()));
            }
            known[frame] = true;
        }
    }
    // A foot's direction comes and goes faster than its place: it costs the leg less.
    let pairs: Vec<_> = (0..num_frames).map(|f| heel_id[f].zip(toe_id[f])).collect();
    release(&turn, &mut known, &pairs, MAX_TURN_RAD_S / fps);
    fill(&mut turn, &known, fade.div_ceil(2));
    let mut shift = vec![DVec3::ZERO; num_frames];
    let mut known: Vec<bool> = (0..num_frames).map(|f| heel[f].is_some() || toe[f].is_some()).collect();
    for frame in 0..num_frames {
        // Flat, both say the same, but for frames where the turn was let go: there the longer contact holds.
        let frames = |list: &[Target], id: Option<usize>| id.map_or(0, |id| list[id].frames.len());
        let heel_holds = frames(&targets.heel, heel_id[frame]) > frames(&targets.toe, toe_id[frame]);
        let ankle = match (heel[frame], toe[frame]) {
            (Some(heel), Some(_)) if heel_holds => heel,
            (_, Some(toe)) => toe - exp64(turn[frame]) * (path.toe[frame] - path.ankle[frame]),
            (Some(heel), None) => heel,
            (None, None) => continue,
        };
        shift[frame] = ankle - path.ankle[frame];
    }
    // Frames of one stance share a number: heel and toe places that overlap fit each other.
    let mut stances: Vec<Option<usize>> = vec![None; num_frames];
    for frame in 0..num_frames {
        let shares = frame > 0
            && ((heel_id[frame].is_some() && heel_id[frame] == heel_id[frame - 1])
                || (toe_id[frame].is_some() && toe_id[frame] == toe_id[frame - 1]));
        if known[frame] {
            stances[frame] = if shares { stances[frame - 1] } else { Some(frame) };
        }
    }
    release(&shift, &mut known, &stances, MAX_SHIFT_M_S * scale / fps);
    fill(&mut shift, &known, fade);
    Correction { turn, shift }
}

/// Fastest that a correction may move between two stances, m/s for a leg of 0.85 m: a slow shuffle.
const MAX_SHIFT_M_S: f64 = 0.4;
/// Fastest that a foot's direction may be corrected between two stances, rad/s.
const MAX_TURN_RAD_S: f64 = 3.0;

/// Lets go of the ends of stances that follow each other too closely for the way between them.
fn release<T: PartialEq + Copy>(
    curve: &[DVec3],
    known: &mut [bool],
    stances: &[Option<T>],
    max_per_frame: f64,
) {
    let runs: Vec<Range<usize>> = {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (frame, stance) in stances.iter().enumerate().filter(|(_, stance)| stance.is_some()) {
            match runs.last_mut() {
                Some(run) if run.end == frame && stances[frame - 1] == *stance => run.end = frame + 1,
                _ => runs.push(frame..frame + 1),
            }
        }
        runs
    };
    for pair in runs.windows(2) {
        let (last, first) = (pair[0].end - 1, pair[1].start);
        let wanted = ((curve[first] - curve[last]).length() / max_per_frame).ceil() as usize;
        let missing = wanted.saturating_sub(first - last);
        // Half of either stance always holds.
        let back = missing.div_ceil(2).min(pair[0].len() / 2);
        let ahead = missing.div_ceil(2).min(pair[1].len() / 2);
        known[pair[0].end - back..pair[0].end].fill(false);
        known[pair[1].start..pair[1].start + ahead].fill(false);
    }
}
