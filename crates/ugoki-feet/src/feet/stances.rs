//! The parts of contacts in which a foot truly stands, and where.

use std::ops::Range;

use glam::DVec3;
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::{FootContacts, runs};
use ugoki_base::math::{median, quantile};

use super::config::{NEAR_M, STEP_M, STILL_M_S, UNREST_M};
use super::path::{FootPath, median_height, velocity};
use super::plan::Stance;
use crate::contact::{ContactConfig, ContactError, Contacts, find_feet};

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

/// Stances of one foot.
pub(super) struct Stances {
    pub(super) stances: Vec<Stance>,
    /// Contacts left alone because they slide: whether of the heel, and frames.
    pub(super) slid: Vec<(bool, Range<usize>)>,
    /// The parts of all contacts in which their points truly stand.
    pub(super) standing: FootContacts,
}

/// A point that moves otherwise than its contact's middle by more than this, m/s for a leg of 0.85 m, lands or rolls.
const ROLLING_M_S: f64 = 0.06;
/// In a noisy capture a point moves otherwise than most of its contact from this many times the contact's quiet unrest on.
const TIMES_NOISE: f64 = 2.5;
/// Fraction of a contact's frames with less unrest than the quiet one.
const QUIET_QUANTILE: f64 = 0.25;
/// A foot that slips more slowly than this between two standing parts skates; a faster one is moved, m/s for a leg of 0.85 m.
const SHUFFLE_M_S: f64 = 0.2;

/// The parts of `contacts` in which ankles and toes of `clip` truly stand: not landing, not rolling off.
///
/// # Errors
/// When the legs are not known by role.
pub fn standing_contacts(clip: &Clip, contacts: &Contacts) -> Result<Contacts, ContactError> {
    let feet = find_feet(clip.skeleton())?;
    let mut standing = contacts.clone();
    for (path, found) in FootPath::both(clip, &feet).iter().zip(&mut standing.feet) {
        *found = standing_parts_of(path, found, clip.fps(), feet.scale(), contacts.noise);
    }
    Ok(standing)
}

/// The parts of one foot's contacts in which heel and toe truly stand.
pub(super) fn standing_parts_of(
    path: &FootPath,
    contacts: &FootContacts,
    fps: f64,
    scale: f64,
    noise: f64,
) -> FootContacts {
    let parts = |heel: bool, ranges: &[Range<usize>]| {
        let inside = ranges.iter().filter(|range| !range.is_empty() && range.end <= path.num_frames());
        inside.flat_map(|range| standing_parts(path.point(heel), range, fps, scale * noise, noise)).collect()
    };
    FootContacts { heel: parts(true, &contacts.heel), toe: parts(false, &contacts.toe) }
}

/// Stances of heel and toe: each where it stands stillest, near the floor's height.
pub(super) fn find_stances(path: &FootPath, contacts: &FootContacts, fps: f64, limits: &Limits) -> Stances {
    let standing = match limits.whole {
        true => contacts.clone(),
        false => standing_parts_of(path, contacts, fps, limits.scale, limits.noise),
    };
    let mut slid = Vec::new();
    let mut pick = |heel: bool, ranges: &[Range<usize>]| {
        let points = path.point(heel);
        let mut stances = Vec::new();
        for frames in ranges.iter().filter(|range| !range.is_empty() && range.end <= path.num_frames()) {
            let anchor = stillest(points, &path.glitch, frames, fps, limits.scale);
            let away = |f: usize| (points[f] - anchor).with_y(0.0).length();
            if frames.clone().all(|f| path.glitch[f] || away(f) <= limits.slide_m) {
                stances.push(Stance { heel, frames: frames.clone(), anchor });
            } else {
                slid.push((heel, frames.clone()));
            }
        }
        stances
    };
    let mut toes = pick(false, &standing.toe);
    let mut heels = pick(true, &standing.heel);
    level(&mut toes, limits.toe_m, limits);
    level(&mut heels, None, limits);
    // A rigid foot stands on both: the heel goes where the toe with which it stands longest has it.
    for heel in &mut heels {
        let overlap =
            |toe: &Stance| heel.frames.start.max(toe.frames.start)..heel.frames.end.min(toe.frames.end);
        if let Some(toe) =
            toes.iter().max_by_key(|toe| overlap(toe).len()).filter(|toe| !overlap(toe).is_empty())
        {
            let both = overlap(toe);
            let arms: DVec3 = both.clone().map(|f| path.toe[f] - path.ankle[f]).sum();
            heel.anchor = toe.anchor - arms / both.len() as f64;
        }
    }
    toes.extend(heels);
    Stances { stances: toes, slid, standing }
}

/// Removes the stances in which some frame is `too_much`, and says which: whether of the heel, and frames.
pub(super) fn release(
    stances: &mut Vec<Stance>,
    too_much: impl Fn(usize) -> bool,
) -> Vec<(bool, Range<usize>)> {
    let mut gone = Vec::new();
    stances.retain(|stance| {
        let goes = stance.frames.clone().any(&too_much);
        if goes {
            gone.push((stance.heel, stance.frames.clone()));
        }
        !goes
    });
    gone
}

/// The parts of a contact in which its point truly stands: it moves as most of the contact does.
///
/// A skating foot drifts steadily and stands by this measure; a foot that lands, is shuffled, or rolls off over its
/// toes does not.
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
    let parts = runs(range.clone(), |frame| speeds[frame - range.start] <= limit);
    let shortest = ContactConfig::default();
    let mut joined: Vec<Range<usize>> = Vec::new();
    for part in parts {
        if let Some(last) = joined.last_mut() {
            let gap = last.end..part.start;
            let slips = gap.clone().all(|frame| speeds[frame - range.start] <= SHUFFLE_M_S * scale);
            if gap.len() as f64 <= shortest.max_gap_s * noise * fps || slips {
                last.end = part.end;
                continue;
            }
        }
        joined.push(part);
    }
    // A heel may rise, or a toe come down, more slowly than anything stands still in a capture.
    for part in &mut joined {
        let height = median_height(points, part);
        let level = |frame: &usize| (points[*frame].y - height).abs() <= UNREST_M * scale;
        let (first, last) = (part.clone().find(level), part.clone().rfind(level));
        *part = first.unwrap_or(part.start)..last.map_or(part.end, |last| last + 1);
    }
    let longest = joined.iter().map(Range::len).max().unwrap_or(0);
    joined.retain(|part| part.len() == longest || part.len() as f64 >= shortest.min_s * fps);
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
fn level(stances: &mut [Stance], known: Option<f64>, limits: &Limits) {
    // The height most contacts are near, by number of frames.
    let near = |level: f64| {
        let near = stances.iter().filter(|stance| (stance.anchor.y - level).abs() <= limits.snap_m);
        near.fold((0.0, 0.0), |(frames, sum), stance| {
            let len = stance.frames.len() as f64;
            (frames + len, sum + stance.anchor.y * len)
        })
    };
    let (frames, sum) = stances
        .iter()
        .map(|stance| near(stance.anchor.y))
        .fold((0.0, 0.0), |best, n| if n.0 > best.0 { n } else { best });
    let found = sum / f64::max(frames, 1.0);
    let usual = known.filter(|known| (known - found).abs() < STEP_M * limits.scale).unwrap_or(found);
    let level_m = NEAR_M * limits.scale;
    for Stance { anchor, .. } in stances {
        // Near what was found is near what is known, too.
        if (anchor.y - usual).abs().min((anchor.y - found).abs()) <= limits.snap_m {
            anchor.y = anchor.y.clamp(usual - level_m, usual + level_m);
        }
    }
}

/// Whether a point stays on the ground between two parts of its path in which it stands.
#[must_use]
pub fn stays_down(points: &[DVec3], a: &Range<usize>, b: &Range<usize>, scale: f64) -> bool {
    let floor = median_height(points, a).max(median_height(points, b));
    let gap = a.end.min(points.len())..b.start.clamp(a.end, points.len());
    points[gap].iter().all(|p| p.y - floor <= crate::contact::LEAVES_M * scale)
}
