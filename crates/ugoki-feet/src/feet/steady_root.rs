//! Noise and drift of a whole body, seen by its standing feet and taken out of its root.
//!
//! A foot that stands moves with the noise of the root, or with that of its leg. Moving the body so that standing feet stay
//! makes the path of the hips smoother in the first case and rougher in the second; a regression of the hips' acceleration on that of the
//! move says how much of it is the root's. A body that stands on both feet while everything drifts at one velocity drifts itself.

use std::ops::Range;

use glam::DVec3;
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::math::smoothstep;
use ugoki_base::pose::ModelPose;

use super::glitch::glitches;
use super::stances::standing_contacts;
use super::track::Displacement;
use crate::contact::{Contacts, Feet, Foot};

/// Half the span of the accelerations that are compared, seconds: noise of video and suits is slower than 5 Hz.
const ACCELERATION_HALF_S: f64 = 0.1;
/// Part of the move that is the root's, from which on some of it and all of it is made.
const ROOT_PART: [f64; 2] = [0.4, 0.7];

/// Root mean square of a move, metres for a leg of 0.85 m, from which on it is noise, and all of it is made: 2 cm of noise on each axis of
/// the root of a walk give 0.012 to 0.020, clean captures mostly less than 0.010.
const ROOT_NOISE_M: [f64; 2] = [0.008, 0.012];

/// Stiffness of a standing foot against noise of the root, s²: a move is forgotten after two seconds, since noise has no mean.
const NOISE_S2: f64 = 4.0;

/// Shortest time on both feet in which a body can drift, seconds.
const DRIFT_S: f64 = 0.7;
/// Shortest way that a standing body drifts, metres for a leg of 0.85 m: farther than it sways.
const DRIFT_M: f64 = 0.03;
/// Most that the ways of both feet differ when the body drifts, as a part of the way: feet that step or slide on purpose differ.
const DRIFT_APART: f64 = 0.25;

/// Fewest such times in a row that show a drift: shorter ones are sways.
const DRIFT_PIECES: usize = 3;
/// Most that the velocity of a drift changes from second to second, as a part of it.
const DRIFT_UNSTEADY: f64 = 0.5;

/// Shift of the root in every frame that takes its noise and drift out; `None` where there is neither.
pub(super) fn steady_root(
    clip: &Clip,
    poses: &[ModelPose],
    feet: &Feet,
    contacts: &Contacts,
) -> Option<Vec<DVec3>> {
    let motion = clip.motion_frames();
    let standing = standing_contacts(clip, contacts).ok()?;
    let mut steps = [0, 1].map(|side: usize| -> Vec<Option<DVec3>> {
        let (foot, contacts) = (&feet.feet[side], &standing.feet[side]);
        let ankle: Vec<DVec3> = poses.iter().map(|pose| pose.positions[foot.ankle].as_dvec3()).collect();
        let jumps = glitches(&ankle, clip.fps(), feet.scale());
        let within = |f: usize| f >= motion.start && f + 1 < motion.end && !jumps[f] && !jumps[f + 1];
        (0..poses.len()).map(|f| within(f).then(|| step(poses, foot, contacts, f)).flatten()).collect()
    });
    let drift = drift(&steps, clip.fps(), feet.scale());
    if let Some(drift) = &drift {
        for (step, pair) in steps.iter_mut().flat_map(|steps| steps.iter_mut().zip(drift.windows(2))) {
            *step = step.map(|step| step + pair[1] - pair[0]);
        }
    }
    let noise = noise(&steps, poses, feet, clip);
    match (drift, noise) {
        (Some(drift), Some(noise)) => Some(drift.into_iter().zip(noise).map(|(a, b)| a + b).collect()),
        (drift, noise) => drift.or(noise),
    }
}

/// Shift that undoes a slow drift of the whole body, as sensors have it. Where the body stands on both feet they show its velocity; in
/// between that passes from one to the next.
fn drift(steps: &[Vec<Option<DVec3>>; 2], fps: f64, scale: f64) -> Option<Vec<DVec3>> {
    let num_frames = steps[0].len();
    let both = |frame: &usize| Some((steps[0][*frame]?.with_y(0.0), steps[1][*frame]?.with_y(0.0)));
    let shortest = ((DRIFT_S * fps).ceil() as usize).max(2);
    // Frames and velocities per frame.
    let mut known: Vec<(usize, DVec3)> = Vec::new();
    let (mut drifts, mut start) = (false, 0);
    while start < num_frames {
        let end = (start..num_frames).find(|frame| both(frame).is_none()).unwrap_or(num_frames);
        if end - start >= shortest {
            let way = |range: Range<usize>| {
                let sum = |sum: (DVec3, DVec3), step: (DVec3, DVec3)| (sum.0 + step.0, sum.1 + step.1);
                range.filter_map(|frame| both(&frame)).fold((DVec3::ZERO, DVec3::ZERO), sum)
            };
            let (left, right) = way(start..end);
            let mean = 0.5 * (left + right) / (end - start) as f64;
            let length = 0.5 * (left + right).length();
            let pieces = (end - start) / shortest;
            let found: Vec<(usize, DVec3)> = (0..pieces)
                .map(|piece| {
                    let [from, to] = [piece, piece + 1].map(|i| start + (end - start) * i / pieces);
                    let (left, right) = way(from..to);
                    (usize::midpoint(from, to), 0.5 * (left + right) / (to - from) as f64)
                })
                .collect();
            // Sensors drift steadily; feet that shuffle stop and go.
            let steady =
                found.iter().all(|(_, velocity)| velocity.distance(mean) < DRIFT_UNSTEADY * mean.length());
            let together = (left - right).length() < DRIFT_APART * length && length > DRIFT_M * scale;
            let is_drift = steady && together && pieces >= DRIFT_PIECES;
            drifts |= is_drift;
            known.extend(found.into_iter().map(|(at, v)| (at, if is_drift { v } else { DVec3::ZERO })));
        }
        start = end + 1;
    }
    let velocity = |frame: usize| {
        let next = known.partition_point(|(at, _)| *at <= frame);
        match (next.checked_sub(1).map(|i| known[i]), known.get(next)) {
            (Some((from, a)), Some((to, b))) => a.lerp(*b, (frame - from) as f64 / (to - from) as f64),
            (Some((_, a)), None) => a,
            (None, after) => after.map_or(DVec3::ZERO, |(_, b)| *b),
        }
    };
    let mut shift = vec![DVec3::ZERO; num_frames];
    for frame in 1..num_frames {
        shift[frame] = shift[frame - 1] - velocity(frame - 1);
    }
    drifts.then_some(shift)
}

/// Shift that takes out the noise that standing feet share with the hips.
fn noise(
    steps: &[Vec<Option<DVec3>>; 2],
    poses: &[ModelPose],
    feet: &Feet,
    clip: &Clip,
) -> Option<Vec<DVec3>> {
    let (fps, motion) = (clip.fps(), clip.motion_frames());
    let mut system = Displacement::new(poses.len(), fps);
    (0..poses.len()).for_each(|frame| system.place(frame, 1.0, DVec3::ZERO));
    for (frame, step) in steps.iter().flat_map(|steps| steps.iter().enumerate()) {
        if let Some(step) = step {
            system.step(frame, DVec3::splat(NOISE_S2), -*step);
        }
    }
    let shift = system.solve();
    let path: Vec<DVec3> = poses.iter().map(|pose| feet.between_hips(pose)).collect();
    let half = ((ACCELERATION_HALF_S * fps).round() as usize).max(1);
    let bend = |path: &[DVec3], frame: usize| path[frame - half] - 2.0 * path[frame] + path[frame + half];
    let (mut both, mut own) = (0.0, 0.0);
    for frame in motion.start + half..motion.end.saturating_sub(half) {
        let (hips, moved) = (bend(&path, frame), bend(&shift, frame));
        both -= hips.dot(moved);
        own += moved.dot(moved);
    }
    let part = if own > 0.0 { both / own } else { 0.0 };
    let rms = (shift.iter().map(|s| s.length_squared()).sum::<f64>() / shift.len().max(1) as f64).sqrt();
    let weight = smoothstep((part - ROOT_PART[0]) / (ROOT_PART[1] - ROOT_PART[0]))
        * smoothstep((rms / feet.scale() - ROOT_NOISE_M[0]) / (ROOT_NOISE_M[1] - ROOT_NOISE_M[0]));
    (weight > 0.0).then(|| shift.into_iter().map(|shift| shift * weight).collect())
}

/// The step that a standing foot makes to the next frame: of its middle where it is flat, of heel or toe where it rolls.
fn step(poses: &[ModelPose], foot: &Foot, contacts: &FootContacts, frame: usize) -> Option<DVec3> {
    let stands = |list: &[Range<usize>]| {
        list.iter().any(|range| range.contains(&frame) && range.contains(&(frame + 1)))
    };
    let ankle = |frame: usize| poses[frame].positions[foot.ankle].as_dvec3();
    let toe = |frame: usize| foot.toe.position(&poses[frame]).as_dvec3();
    let (ankle, toe) = (ankle(frame + 1) - ankle(frame), toe(frame + 1) - toe(frame));
    match (stands(&contacts.heel), stands(&contacts.toe)) {
        (true, true) => Some(0.5 * (ankle + toe)),
        (true, false) => Some(ankle),
        (false, true) => Some(toe),
        (false, false) => None,
    }
}
