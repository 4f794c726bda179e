//! What turns and shifts of a foot bring its points to where they stand, and let them go again.

use std::ops::Range;

use glam::{DQuat, DVec3};
use ugoki_base::math::{exp64, log64};

use super::curve::fill;
use super::free_foot::beside;
use super::solution::{FootShift, grip};
use super::spread::Pace;
use super::target::Target;
use super::targets::{FootPath, Targets};

/// A point's place in a frame, and the number of its target.
type Placed = Option<(usize, DVec3)>;

/// A foot whose level part is a smaller share of its length points up or down and has no heading.
const MIN_LEVEL: f64 = 0.3;

/// Turns and shifts that hold every target exactly, go along with the `guide` beside it while that is down, and fade over
/// `fade` frames elsewhere. With a guide no foot is led faster than that goes nearby, by more than [`MAX_SHIFT_M_S`] and
/// [`MAX_TURN_RAD_S`]; holds too near each other for that lose their ends.
pub(super) fn corrections(
    path: &FootPath,
    guide: Option<&FootPath>,
    targets: &Targets,
    fade: usize,
    fps: f64,
    scale: f64,
    noise: f64,
) -> FootShift {
    let num_frames = path.ankle.len();
    let grip = grip(&targets.frames(), num_frames, fps);
    let at = |list: &[Target]| {
        let mut placed: Vec<Placed> = vec![None; num_frames];
        for (id, target) in list.iter().enumerate() {
            placed[target.frames.clone()].fill(Some((id, target.point)));
        }
        placed
    };
    let (heel, toe) = (at(&targets.heel), at(&targets.toe));
    // Over the ground a foot goes along with the guide's beside its holds; its height and pitch come and go without one.
    let beside = |list: &[Target], own: &[Placed], points: &[DVec3], guide: Option<&Vec<DVec3>>| match guide {
        Some(guide) => {
            let beside = beside(list, points, guide, path.start, fps, scale);
            own.iter().zip(beside).map(|(held, beside)| held.or(beside)).collect()
        }
        None => own.to_vec(),
    };
    let heel_near: Vec<Placed> = beside(&targets.heel, &heel, &path.ankle, guide.map(|guide| &guide.ankle));
    let toe_near: Vec<Placed> = beside(&targets.toe, &toe, &path.toe, guide.map(|guide| &guide.toe));
    let held = |f: usize| heel[f].is_some() || toe[f].is_some();

    let (mut turn, mut yaw) = (vec![DVec3::ZERO; num_frames], vec![DVec3::ZERO; num_frames]);
    let (mut known, mut known_yaw) = (vec![false; num_frames], vec![false; num_frames]);
    for frame in 0..num_frames {
        let now = path.toe[frame] - path.ankle[frame];
        if let (Some((_, heel)), Some((_, toe))) = (heel[frame], toe[frame]) {
            let wanted = toe - heel;
            if now.length() > 1e-4 && wanted.length() > 1e-4 {
                turn[frame] = log64(DQuat::from_rotation_arc(now.normalize(), wanted.normalize()));
            }
            yaw[frame] = DVec3::Y * turn[frame].y;
            known[frame] = !path.glitch[frame];
            known_yaw[frame] = known[frame];
        } else if let (Some((_, heel)), Some((_, toe))) = (heel_near[frame], toe_near[frame]) {
            let (from, to) = (now.with_y(0.0), (toe - heel).with_y(0.0));
            if from.length().min(to.length()) > MIN_LEVEL * path.length.max(1e-4) {
                yaw[frame] = DVec3::Y * from.cross(to).y.atan2(from.dot(to));
                known_yaw[frame] = !path.glitch[frame];
            }
        }
    }
    // A foot's direction comes and goes faster than its place: it costs the leg less.
    let fade_turn = fade.div_ceil(2);
    match guide {
        Some(guide) => {
            fill(&mut turn, &known, fade_turn);
            fill(&mut yaw, &known_yaw, fade_turn);
            turn.iter_mut().zip(&yaw).for_each(|(turn, yaw)| turn.y = yaw.y);
            let flat: Vec<bool> = (0..num_frames).map(|f| heel[f].is_some() && toe[f].is_some()).collect();
            let (own, guide) = (turns(path), turns(guide));
            let most = MAX_TURN_RAD_S / fps;
            Pace { own: &own, guide: &guide, keep: &flat, start: path.start, most }.spread(&mut turn);
        }
        None => {
            let pairs: Vec<_> =
                heel.iter().zip(&toe).map(|(heel, toe)| Some((heel.as_ref()?.0, toe.as_ref()?.0))).collect();
            release(&turn, &mut known, &pairs, noise * MAX_TURN_RAD_S / fps);
            fill(&mut turn, &known, fade_turn);
        }
    }

    let line = |frame: usize| exp64(turn[frame]) * (path.toe[frame] - path.ankle[frame]);
    let frames = |list: &[Target], placed: Placed| placed.map_or(0, |(id, _)| list[id].frames.len());
    // Flat, both say the same, but for frames where the turn was let go: there the longer contact holds.
    let toe_leads =
        |heel: Placed, toe: Placed| toe.is_some() && frames(&targets.heel, heel) <= frames(&targets.toe, toe);
    let ankle = |frame: usize, heel: Placed, toe: Placed| match (heel, toe) {
        (_, Some((_, place))) if toe_leads(heel, toe) => Some(place - line(frame)),
        (heel, _) => heel.map(|(_, place)| place),
    };
    let mut shift = vec![DVec3::ZERO; num_frames];
    for frame in (0..num_frames).filter(|&f| held(f)) {
        shift[frame] = ankle(frame, heel[frame], toe[frame]).map_or(DVec3::ZERO, |to| to - path.ankle[frame]);
    }
    let mut known: Vec<bool> = (0..num_frames).map(|f| held(f) && !path.glitch[f]).collect();
    let most = noise * MAX_SHIFT_M_S * scale / fps;
    let Some(guide) = guide else {
        release(&shift, &mut known, &stances(&heel, &toe), most);
        fill(&mut shift, &known, fade);
        return FootShift { turn, shift, grip, led: vec![1.0; num_frames] };
    };
    let (mut along, mut known_along) = (shift.clone(), known.clone());
    fill(&mut shift, &known, fade);
    for frame in (0..num_frames).filter(|&f| !held(f)) {
        if let Some(to) = ankle(frame, heel_near[frame], toe_near[frame]) {
            along[frame] = to - path.ankle[frame];
            known_along[frame] = !path.glitch[frame];
        }
    }
    fill(&mut along, &known_along, fade);
    shift.iter_mut().zip(along).for_each(|(shift, along)| *shift = along.with_y(shift.y));
    // Heel and toe, one hold and the next lead the foot by turns, and do not quite agree: no step of the point that leads is
    // to be longer than the guide's.
    let led_by_toe: Vec<bool> = (0..num_frames)
        .map(|f| match held(f) {
            true => toe_leads(heel[f], toe[f]),
            false => toe_leads(heel_near[f], toe_near[f]),
        })
        .collect();
    let (mut own, mut wanted) = (vec![DVec3::ZERO; num_frames], vec![DVec3::ZERO; num_frames]);
    for f in 1..num_frames {
        own[f] = path.ankle[f] - path.ankle[f - 1];
        wanted[f] = guide.ankle[f] - guide.ankle[f - 1];
        if led_by_toe[f - 1] && led_by_toe[f] {
            own[f] += line(f) - line(f - 1);
            wanted[f] = guide.toe[f] - guide.toe[f - 1];
        }
    }
    let keep: Vec<bool> = (0..num_frames).map(held).collect();
    Pace { own: &own, guide: &wanted, keep: &keep, start: path.start, most }.spread(&mut shift);
    FootShift { turn, shift, grip, led: vec![1.0; num_frames] }
}

/// How the line from ankle to toe turns from each frame to the next, rotation vectors.
fn turns(path: &FootPath) -> Vec<DVec3> {
    let line = |f: usize| (path.toe[f] - path.ankle[f]).try_normalize();
    (0..path.ankle.len())
        .map(|f| match (f.checked_sub(1).and_then(line), line(f)) {
            (Some(before), Some(now)) => log64(DQuat::from_rotation_arc(before, now)),
            _ => DVec3::ZERO,
        })
        .collect()
}

/// Frames of one stance share a number: heel and toe places that overlap fit each other.
fn stances(heel: &[Placed], toe: &[Placed]) -> Vec<Option<usize>> {
    let mut stances: Vec<Option<usize>> = vec![None; heel.len()];
    let same = |placed: &[Placed], frame: usize| match (placed[frame - 1], placed[frame]) {
        (Some((before, _)), Some((now, _))) => before == now,
        _ => false,
    };
    for frame in 0..heel.len() {
        if heel[frame].is_some() || toe[frame].is_some() {
            let shares = frame > 0 && (same(heel, frame) || same(toe, frame));
            stances[frame] = if shares { stances[frame - 1] } else { Some(frame) };
        }
    }
    stances
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
