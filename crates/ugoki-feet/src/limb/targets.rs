//! Where the points of a planted foot stand still.

use std::ops::Range;

use glam::DVec3;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::math::{median, quantile};

use super::free_foot::stays_down;
use super::target::{Target, median_height};

/// Paths of one foot in the levelled clip.
pub(super) struct FootPath {
    pub(super) ankle: Vec<DVec3>,
    pub(super) toe: Vec<DVec3>,
    /// Frames in which the foot jumps away and back.
    pub(super) glitch: Vec<bool>,
    /// Ankle to toe point, metres.
    pub(super) length: f64,
    /// First frame of the motion: an added T-pose before it is no neighbour of it.
    pub(super) start: usize,
}

/// Lengths that decide about contacts, metres, already scaled to the body.
pub(super) struct Limits {
    /// Contacts this near the foot's usual height stand on the main floor.
    pub(super) snap_m: f64,
    /// Contacts whose point strays farther from its mean slide on purpose.
    pub(super) slide_m: f64,
    /// Body size against a leg of 0.85 m.
    pub(super) scale: f64,
    /// Factor of the capture's noise; 1 for a clean one.
    pub(super) noise: f64,
    /// Whether contacts are held whole instead of only the parts that stand.
    pub(super) whole: bool,
    /// Height at which toes stand on the floor, where it is known.
    pub(super) toe_m: Option<f64>,
}

/// Fixed places of one foot's contacts.
pub(super) struct Targets {
    pub(super) heel: Vec<Target>,
    pub(super) toe: Vec<Target>,
    /// Contacts left alone because they slide: whether of the heel, and frames.
    pub(super) slid: Vec<(bool, Range<usize>)>,
    /// The parts of all contacts in which their points truly stand.
    pub(super) standing: FootContacts,
}

impl Targets {
    /// The frames held, as contacts.
    pub(super) fn frames(&self) -> FootContacts {
        let frames = |list: &[Target]| list.iter().map(|target| target.frames.clone()).collect();
        FootContacts { heel: frames(&self.heel), toe: frames(&self.toe) }
    }

    /// Removes the contacts in which some frame is `too_much`, and says which: whether of the heel, and frames.
    pub(super) fn let_go(&mut self, too_much: impl Fn(usize) -> bool) -> Vec<(bool, Range<usize>)> {
        let mut gone = Vec::new();
        for (heel, list) in [(true, &mut self.heel), (false, &mut self.toe)] {
            list.retain(|target| {
                let goes = target.frames.clone().any(&too_much);
                if goes {
                    gone.push((heel, target.frames.clone()));
                }
                !goes
            });
        }
        gone
    }
}

/// Speed that a standing point has anyhow, m/s for a leg of 0.85 m: slower frames say no better where it stands.
const STILL_M_S: f64 = 0.03;
/// A point that moves otherwise than its contact's middle by more than this, m/s for a leg of 0.85 m, lands or rolls.
const ROLLING_M_S: f64 = 0.06;
/// In a noisy capture a point moves otherwise than most of its contact from this many times the contact's quiet unrest on.
const TIMES_NOISE: f64 = 2.5;
/// Share of a contact's frames with less unrest than the quiet one.
const QUIET_QUANTILE: f64 = 0.25;
/// Faster frames between two standing parts that are part of the standing, seconds.
const GAP_S: f64 = 0.05;
/// A point that leaves its place by no more than this and comes back only wobbles, metres for a leg of 0.85 m.
const WOBBLE_M: f64 = 0.01;
/// A point this far from its standing height at either end of a part has left it, metres for a leg of 0.85 m.
const RISE_M: f64 = 0.006;
/// A foot that slips more slowly than this between two standing parts skates; a faster one is moved, m/s for a leg of 0.85 m.
const SHUFFLE_M_S: f64 = 0.2;
/// Shortest part worth holding, seconds.
const MIN_PART_S: f64 = 0.06;
/// Half the span of the speeds that say how still a point stands, seconds.
const SPEED_HALF_S: f64 = 0.025;
/// Heights this near the foot's usual one stay as they are, metres for a leg of 0.85 m: feet differ and toes flex.
const LEVEL_M: f64 = 0.005;
/// Heights that differ by less are no step, metres for a leg of 0.85 m: under any stair, over what captures waver by.
const STEP_M: f64 = 0.05;

/// Places of the heel and toe contacts: toes where they stand stillest, near the floor's height, heels where a
/// rigid foot puts them from there, and the other way round for toes that tap beside a standing heel.
/// A `guide` is the same foot in the motion that this one was made from: see [`follow_guide`].
pub(super) fn find_targets(
    path: &FootPath,
    guide: Option<&FootPath>,
    contacts: &FootContacts,
    fps: f64,
    limits: &Limits,
) -> Targets {
    let num_frames = path.ankle.len();
    let inside = |range: &Range<usize>| !range.is_empty() && range.end <= num_frames;
    let mut slid = Vec::new();
    let mut standing = FootContacts::default();
    let mut pick =
        |heel: bool, points: &[DVec3], ranges: &[Range<usize>], standing: &mut Vec<Range<usize>>| {
            let (mut kept, mut places) = (Vec::new(), Vec::new());
            let whole = ranges.iter().filter(|range| inside(range));
            let parts = |range: &Range<usize>| match limits.whole {
                true => vec![range.clone()],
                false => standing_parts(points, range, fps, limits.scale * limits.noise, limits.noise),
            };
            for range in &whole.flat_map(parts).collect::<Vec<_>>() {
                standing.push(range.clone());
                let place = stillest(points, &path.glitch, range, fps, limits.scale);
                let stays =
                    |f: usize| path.glitch[f] || (points[f] - place).with_y(0.0).length() <= limits.slide_m;
                if range.clone().all(stays) {
                    kept.push(range.clone());
                    places.push(place);
                } else {
                    slid.push((heel, range.clone()));
                }
            }
            (kept, places)
        };
    let (toes, mut toe_points) = pick(false, &path.toe, &contacts.toe, &mut standing.toe);
    let (heels, mut heel_points) = pick(true, &path.ankle, &contacts.heel, &mut standing.heel);
    let usual_toe = level(&toes, &mut toe_points, limits.toe_m, limits);
    let usual_heel = level(&heels, &mut heel_points, None, limits);
    for (range, point) in toes.iter().zip(&mut toe_points) {
        // A toe under the floor while its ankle is not is bad data, not a lower step.
        let ankle = median_height(&path.ankle, range);
        if !heels.is_empty() && point.y < usual_toe - limits.snap_m && ankle > usual_heel - limits.snap_m {
            point.y = usual_toe;
        }
    }
    if let Some(guide) = guide {
        let places = |points: &[DVec3], ranges: &[Range<usize>]| -> Vec<DVec3> {
            ranges.iter().map(|range| stillest(points, &guide.glitch, range, fps, limits.scale)).collect()
        };
        follow_guide(&toes, &mut toe_points, (&guide.toe, &places(&guide.toe, &toes)), limits.scale);
        follow_guide(&heels, &mut heel_points, (&guide.ankle, &places(&guide.ankle, &heels)), limits.scale);
    }
    if path.length > 1e-4 {
        link(path, (&toes, &mut toe_points), (&heels, &mut heel_points));
    }
    let join = |ranges: Vec<Range<usize>>, points: Vec<DVec3>| {
        ranges.into_iter().zip(points).map(|(frames, point)| Target { frames, point }).collect()
    };
    Targets { heel: join(heels, heel_points), toe: join(toes, toe_points), slid, standing }
}

/// Velocity of a point at a frame, m/s.
fn velocity(points: &[DVec3], frame: usize, fps: f64) -> DVec3 {
    let half = ((SPEED_HALF_S * fps).round() as usize).max(1);
    let (from, to) = (frame.saturating_sub(half), (frame + half).min(points.len() - 1));
    (points[to] - points[from]) * (fps / (to - from).max(1) as f64)
}

/// The parts of a contact in which its point truly stands: it moves as most of the contact does.
///
/// A skating foot drifts steadily and stands by this measure; a foot that lands, is shuffled, or rolls off over its
/// toes does not. A wobble of under [`WOBBLE_M`] between two parts is part of the standing.
fn standing_parts(
    points: &[DVec3],
    range: &Range<usize>,
    fps: f64,
    scale: f64,
    noise: f64,
) -> Vec<Range<usize>> {
    let velocities: Vec<DVec3> = range.clone().map(|frame| velocity(points, frame, fps)).collect();
    let middle = |axis: usize| median(&velocities.iter().map(|v| v[axis]).collect::<Vec<_>>()).unwrap_or(0.0);
    let drift = DVec3::new(middle(0), middle(1), middle(2));
    let speeds: Vec<f64> = velocities.iter().map(|v| (*v - drift).length()).collect();
    let unrest = quantile(&speeds, QUIET_QUANTILE).unwrap_or(0.0);
    let limit = (ROLLING_M_S * scale).max(TIMES_NOISE * unrest);
    let mean = |part: &Range<usize>| points[part.clone()].iter().sum::<DVec3>() / part.len() as f64;
    let mut parts: Vec<Range<usize>> = Vec::new();
    for frame in range.clone().filter(|frame| speeds[frame - range.start] <= limit) {
        match parts.last_mut() {
            Some(part) if part.end == frame => part.end = frame + 1,
            _ => parts.push(frame..frame + 1),
        }
    }
    let mut joined: Vec<Range<usize>> = Vec::new();
    for part in parts {
        if let Some(last) = joined.last_mut() {
            let place = mean(last);
            let near = |p: &DVec3| (*p - place).length() <= WOBBLE_M * scale;
            let gap = last.end..part.start;
            let slips = gap.clone().all(|frame| speeds[frame - range.start] <= SHUFFLE_M_S * scale);
            if gap.len() as f64 <= GAP_S * noise * fps
                || slips
                || (near(&mean(&part)) && points[gap].iter().all(near))
            {
                last.end = part.end;
                continue;
            }
        }
        joined.push(part);
    }
    // A heel may rise, or a toe come down, more slowly than anything stands still in a capture.
    for part in &mut joined {
        let height = median_height(points, part);
        let level = |frame: &usize| (points[*frame].y - height).abs() <= RISE_M * scale;
        let (first, last) = (part.clone().find(level), part.clone().rfind(level));
        *part = first.unwrap_or(part.start)..last.map_or(part.end, |last| last + 1);
    }
    let longest = joined.iter().map(Range::len).max().unwrap_or(0);
    joined.retain(|part| part.len() == longest || part.len() as f64 >= MIN_PART_S * fps);
    joined
}

/// Mean place of a contact, weighted by stillness 1/(v² + v₀²); glitches do not count.
fn stillest(points: &[DVec3], glitch: &[bool], range: &Range<usize>, fps: f64, scale: f64) -> DVec3 {
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    for frame in range.clone().filter(|&f| !glitch[f]) {
        let weight = 1.0 / (velocity(points, frame, fps).length_squared() + (STILL_M_S * scale).powi(2));
        sum += points[frame] * weight;
        total += weight;
    }
    if total > 0.0 { sum / total } else { points[range.start] }
}

/// Finds the usual height and draws heights near it towards it, so that a flat floor is flat and steps stay steps. A height
/// `known` beforehand is the usual one where it is no step away.
fn level(ranges: &[Range<usize>], points: &mut [DVec3], known: Option<f64>, limits: &Limits) -> f64 {
    // The height most contacts are near, by number of frames.
    let near = |level: f64| {
        let near = ranges.iter().zip(points.iter()).filter(|(_, p)| (p.y - level).abs() <= limits.snap_m);
        near.fold((0.0, 0.0), |(frames, sum), (r, p)| (frames + r.len() as f64, sum + p.y * r.len() as f64))
    };
    let (frames, sum) =
        points.iter().map(|p| near(p.y)).fold((0.0, 0.0), |best, n| if n.0 > best.0 { n } else { best });
    let found = sum / f64::max(frames, 1.0);
    let usual = known.filter(|known| (known - found).abs() < STEP_M * limits.scale).unwrap_or(found);
    let level_m = LEVEL_M * limits.scale;
    // Near what was found is near what is known, too.
    for point in points.iter_mut().filter(|p| (p.y - usual).abs().min((p.y - found).abs()) <= limits.snap_m) {
        point.y = point.y.clamp(usual - level_m, usual + level_m);
    }
    usual
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

/// Puts parts between which the guide's point stays down as far from each other over the ground as the guide has them,
/// around where they are on the whole.
///
/// On a body of other proportions a foot that stands wanders when the body above it moves; each part by itself would
/// be held where its own stretch of that wandering has its middle, and the foot would slip from one to the next.
fn follow_guide(
    ranges: &[Range<usize>],
    points: &mut [DVec3],
    (path, places): (&[DVec3], &[DVec3]),
    scale: f64,
) {
    let mut start = 0;
    while start < ranges.len() {
        let mut end = start + 1;
        while end < ranges.len() && stays_down(path, &ranges[end - 1], &ranges[end], scale) {
            end += 1;
        }
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for i in start..end {
            sum += (points[i] - places[i]) * ranges[i].len() as f64;
            total += ranges[i].len() as f64;
        }
        for i in start..end {
            if end > start + 1 && total > 0.0 {
                points[i] = (places[i] + sum / total).with_y(points[i].y);
            }
        }
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn place() -> impl Strategy<Value = DVec3> {
        (-0.3..0.3, 0.0..0.02, -0.3..0.3).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        /// Holds of a foot that stays down are as far apart as the guide's and stay where they are on the whole; a step
        /// in between, or in front, parts them.
        #[test]
        fn holds_are_as_far_apart_as_the_guides(
            own in prop::collection::vec(place(), 3),
            guide in prop::collection::vec(place(), 3),
            rise in 0.0..0.1_f64,
        ) {
            let ranges = [0..10, 14..30, 40..50];
            let mut path = vec![DVec3::ZERO; 50];
            for (range, place) in ranges.iter().zip(&guide) {
                path[range.clone()].fill(*place);
            }
            path[10..14].fill(guide[0].max(guide[1]));
            path[30..40].fill(guide[1].max(guide[2]) + DVec3::Y * rise);
            let mut points = own.clone();
            follow_guide(&ranges, &mut points, (&path, &guide), 1.0);
            let level = |p: DVec3| p.with_y(0.0);
            let same = |a: DVec3, b: DVec3| level(a - b).length() < 1e-12;
            prop_assert!(same(points[1] - points[0], guide[1] - guide[0]));
            let last = if rise > super::super::free_foot::LEAVES_M { 2 } else { 3 };
            if last == 3 {
                prop_assert!(same(points[2] - points[1], guide[2] - guide[1]));
            } else {
                prop_assert_eq!(points[2], own[2]);
            }
            let middle = |points: &[DVec3]| -> DVec3 {
                (0..last).map(|i| points[i] * ranges[i].len() as f64).sum()
            };
            prop_assert!(same(middle(&points), middle(&own)));
            prop_assert!(points.iter().zip(&own).all(|(a, b)| a.y == b.y));
        }
    }
}
