//! Feet that two clips want in different places take a step from the one to the other: what stands does not glide.
//!
//! A foot that stands in both clips, or swings too little in one of them to get there, leaves its place in time, is lifted in a bell, and
//! lands where the next clip has it. One that swings anyhow keeps its swing, raised where the bend of the seam would drag it along the ground.

use std::ops::Range;

use glam::Vec3;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::math::{minimum_jerk, slerp};
use ugoki_base::pose::ModelPose;
use ugoki_feet::contact::Feet;
use ugoki_feet::feet::smooth_above;

use super::Footing;
use super::carry::SWING_S;
use crate::edit::FootTrack;

/// Feet nearer than this are in one place, metres for a leg of 0.85 m: held, they give way by no more.
const SAME_M: f64 = 0.02;
/// Time for a step of a metre, seconds; others take the square root of their length, so that all accelerate alike: by 5.8 m/s² at most, as
/// paths of least jerk do. Below what seams may show, and a side step of 0.15 m takes 0.39 s.
const STEP_S: f64 = 1.0;
/// No step takes less or more, seconds: a quick side step, and a slow walk's swing.
const TIMES_S: [f64; 2] = [0.3, 0.7];
/// How high a foot is lifted, metres for a leg of 0.85 m: for the shortest step, for each metre of its length, and at most.
const LIFT_M: [f64; 3] = [0.04, 0.15, 0.09];
/// No lift accelerates by more, m/s²: a little more than the way over the ground does.
const LIFT_M_S2: f64 = 8.0;
/// Share of a step's time at either end in which the foot goes straight up or down.
const UP: f64 = 0.15;
/// A foot must be this part of the way to its nearer end above the ground, up to the height after it, metres: toes of walks pass so.
const CLEAR: f64 = 0.35;
const CLEAR_M: f64 = 0.05;
/// A bend of this length asks for all of that clearance, metres for a leg of 0.85 m; a shorter one for its part.
const DRAG_M: f64 = 0.03;
/// Frames that a stance keeps when it gives way to a step.
const KEPT: usize = 2;

/// A seam: its first frame, and how far apart the two clips have each foot there, metres.
#[derive(Debug, Clone, Copy)]
pub(in crate::edit) struct Crossing {
    pub(in crate::edit) frame: usize,
    pub(in crate::edit) miss_m: [f64; 2],
}

impl Crossing {
    /// Of bodies that end with the samples of `last` and begin with those of `first`, at the same times.
    pub(in crate::edit) fn between(
        last: &[ModelPose; 2],
        first: &[ModelPose; 2],
        feet: &Feet,
        frame: usize,
    ) -> Self {
        let miss_m = [0, 1].map(|side: usize| {
            let foot = &feet.feet[side];
            let place = |pose: &ModelPose| 0.5 * (pose.positions[foot.ankle] + foot.toe.position(pose));
            let apart = |k: usize| place(&first[k]) - place(&last[k]);
            f64::from((0.5 * (apart(0) + apart(1))).length())
        });
        Self { frame, miss_m }
    }
}

/// What a foot does over a seam.
enum FootChange {
    /// It goes from the end of one stance to the start of the next by a step of its own.
    Step(Range<usize>),
    /// It goes there in a swing of its own.
    Swing(Range<usize>),
    /// It stands over the seam and goes there in the swings before and after.
    Held(Vec<Range<usize>>),
}

/// Gives feet their steps over all seams. `plain` are the paths before anything was bent.
pub(in crate::edit) fn step_over(
    footing: &mut Footing,
    plain: &Footing,
    labels: &mut [FootContacts; 2],
    crossings: &[Crossing],
    windows: &[Range<usize>],
    fps: f64,
    scale: f64,
) {
    for (crossing, window) in crossings.iter().zip(windows) {
        let changes = [0, 1].map(|side| change(&plain.0[side], &labels[side], crossing, side, fps, scale));
        let both = changes.iter().all(|change| matches!(change, Some(FootChange::Step(_))));
        for (side, change) in changes.into_iter().enumerate() {
            match change {
                Some(FootChange::Step(free)) => {
                    // One foot after the other: the body has to stand on one.
                    let track = &plain.0[side];
                    let timed = |early: f64| room_for(&labels[side], &free, early, track, fps, scale);
                    let in_air =
                        |free: &Range<usize>| free.clone().filter(|&f| !labels[1 - side].touches(f)).count();
                    let times = if both { &[[1.0, 0.0][side]][..] } else { &[0.5, 0.0, 1.0] };
                    let Some(free) = times.iter().map(|&early| timed(early)).min_by_key(in_air) else {
                        continue;
                    };
                    give_way(&mut labels[side], &free);
                    step(&mut footing.0[side], &plain.0[side], &free, window, fps, scale);
                }
                Some(FootChange::Swing(free)) => {
                    let miss_m = crossing.miss_m[side];
                    let asked = (miss_m / (DRAG_M * scale)).min(1.0);
                    let clear = |_, nearer_m: f64| asked * (CLEAR * nearer_m).min(CLEAR_M * scale);
                    raise(&mut footing.0[side], &free, clear, fps);
                }
                Some(FootChange::Held(swings)) => {
                    for free in &swings {
                        let lift = lift_m(crossing.miss_m[side], scale).min(gentle_m(free, fps, scale));
                        let clear = |part: f64, _| lift * (std::f64::consts::PI * part).sin().powi(2);
                        raise(&mut footing.0[side], free, clear, fps);
                    }
                }
                None => {}
            }
        }
    }
}

fn change(
    track: &FootTrack,
    labels: &FootContacts,
    crossing: &Crossing,
    side: usize,
    fps: f64,
    scale: f64,
) -> Option<FootChange> {
    let (seam, miss_m) = (crossing.frame, crossing.miss_m[side]);
    let stances = track.stances(labels);
    let before = stances.iter().rposition(|stance| stance.start < seam)?;
    let after = stances.iter().position(|stance| stance.end > seam)?;
    if miss_m < SAME_M * scale {
        return None;
    }
    if before == after {
        // Held in one place, the foot goes the missing way in the swings next to this stance.
        let near = |pair: &[Range<usize>]| pair[0].end..pair[1].start;
        return Some(FootChange::Held(
            stances[before.saturating_sub(1)..].windows(2).take(1 + before.min(1)).map(near).collect(),
        ));
    }
    let free = stances[before].end..stances[after].start;
    let (from, to) = (middle(track, free.start - 1), middle(track, free.end));
    // A foot that is lifted as high as a step of that length would lift it, in a kick or a jump, needs no other step.
    let rises = free.clone().map(|frame| middle(track, frame).y - from.y.max(to.y)).fold(0.0, f32::max);
    let lifted = f64::from(rises) >= lift_m(miss_m, scale);
    let swings = free.len() as f64 > SWING_S * fps && (miss_m < 0.5 * over_ground(to - from) || lifted);
    Some(if swings { FootChange::Swing(free) } else { FootChange::Step(free) })
}

/// The frames of a step if the stances beside it give way until there is time for it; `early` is the share of that before it.
fn room_for(
    labels: &FootContacts,
    free: &Range<usize>,
    early: f64,
    track: &FootTrack,
    fps: f64,
    scale: f64,
) -> Range<usize> {
    let way = over_ground(middle(track, free.end) - middle(track, free.start - 1));
    let wanted = (STEP_S * (way / scale).sqrt()).clamp(TIMES_S[0], TIMES_S[1]) * fps;
    let lacks = (wanted.ceil() as usize).saturating_sub(free.len());
    let stances = track.stances(labels);
    let room = |at: &dyn Fn(&Range<usize>) -> bool| {
        stances.iter().find(|stance| at(stance)).map_or(0, |stance| stance.len().saturating_sub(KEPT))
    };
    let (room_before, room_after) = (room(&|s| s.end == free.start), room(&|s| s.start == free.end));
    let before = ((early * lacks as f64).round() as usize).min(room_before);
    let after = (lacks - before).min(room_after);
    let before = (lacks - after).min(room_before);
    free.start - before..free.end + after
}

/// Lets labels end where a step begins and begin where it ends.
fn give_way(labels: &mut FootContacts, free: &Range<usize>) {
    for list in [&mut labels.heel, &mut labels.toe] {
        for range in list.iter_mut() {
            if range.start < free.start && range.end > free.start {
                range.end = free.start;
            } else if range.start >= free.start && range.start < free.end {
                range.start = range.end.min(free.end);
            }
        }
        list.retain(|range| !range.is_empty());
    }
}

/// A step of its own over `free`: as captured up to it and after it, and between a bell.
fn step(
    out: &mut FootTrack,
    plain: &FootTrack,
    free: &Range<usize>,
    window: &Range<usize>,
    fps: f64,
    scale: f64,
) {
    let frames = window.start.min(free.start)..window.end.max(free.end).min(plain.ankle.len());
    out.ankle[frames.clone()].copy_from_slice(&plain.ankle[frames.clone()]);
    out.rotation[frames.clone()].copy_from_slice(&plain.rotation[frames]);
    let (from, to) = (free.start - 1, free.end);
    let way = over_ground(middle(plain, to) - middle(plain, from));
    let lift = lift_m(way, scale).min(gentle_m(free, fps, scale)) as f32;
    for frame in free.clone() {
        let u = (frame - from) as f32 / (to - from) as f32;
        let along = minimum_jerk(f64::from((u - UP as f32) / (1.0 - 2.0 * UP as f32))) as f32;
        let up = (std::f32::consts::PI * u).sin().powi(2) * lift;
        out.ankle[frame] = plain.ankle[from].lerp(plain.ankle[to], along) + Vec3::Y * up;
        out.rotation[frame] = slerp(plain.rotation[from], plain.rotation[to], along);
    }
}

/// How high a step of some length lifts the foot, metres.
fn lift_m(way_m: f64, scale: f64) -> f64 {
    let [least, per_metre, most] = LIFT_M;
    (least * scale + per_metre * way_m).min(most * scale)
}

/// How high a foot may be lifted in some frames, metres: h sin² πu over T seconds accelerates by 2π² h/T².
fn gentle_m(free: &Range<usize>, fps: f64, scale: f64) -> f64 {
    let seconds = (free.len() + 1) as f64 / fps;
    LIFT_M_S2 * scale * (seconds / std::f64::consts::PI).powi(2) / 2.0
}

/// Raises a swing that would be dragged along the ground; `clear` is the height that is needed at a part of its way, so many metres over the
/// ground from its nearer end.
fn raise(track: &mut FootTrack, free: &Range<usize>, clear: impl Fn(f64, f64) -> f64, fps: f64) {
    let (a, b) = (middle(track, free.start - 1), middle(track, free.end));
    let needed: Vec<f64> = free
        .clone()
        .map(|frame| {
            let here = middle(track, frame);
            let ends = [over_ground(here - a), over_ground(here - b)];
            let part = ends[0] / (ends[0] + ends[1]).max(1e-9);
            let ground = f64::from(a.y) + part * f64::from(b.y - a.y);
            (clear(part, ends[0].min(ends[1])) - (f64::from(here.y) - ground)).max(0.0)
        })
        .collect();
    let half = ((0.5 * SWING_S * fps).round() as usize).max(1);
    let edge = |frame: usize| {
        let inside = (frame + 1 - free.start).min(free.end - frame) as f32 / half as f32;
        minimum_jerk(f64::from(inside)) as f32
    };
    for (frame, up) in free.clone().zip(smooth_above(&needed, half)) {
        track.ankle[frame].y += up as f32 * edge(frame);
    }
}

/// The middle of the foot.
fn middle(track: &FootTrack, frame: usize) -> Vec3 {
    track.ankle[frame] + 0.5 * (track.rotation[frame] * track.toe)
}

fn over_ground(v: Vec3) -> f64 {
    f64::from(v.with_y(0.0).length())
}
