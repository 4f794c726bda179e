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

use super::path::FootPath;
use super::stances::standing_parts_of;
use super::track::Displacement;
use crate::contact::{Contacts, Feet, SPEED_HALF_S};

/// Half the span of the accelerations that are compared, seconds: noise of video and suits is slower than 5 Hz.
const ACCELERATION_HALF_S: f64 = 0.1;
/// Part of the move that is the root's, from which on some of it and all of it is made.
const ROOT_PART: [f64; 2] = [0.4, 0.7];

/// Root mean square of a move, metres for a leg of 0.85 m, from which on it is noise, and all of it is made: 2 cm of noise on each axis of
/// the root of a walk give 0.012 to 0.020, clean captures mostly less than 0.010.
const ROOT_NOISE_M: [f64; 2] = [0.008, 0.012];

/// Stiffness of a standing foot in the move that separates noise of the root from that of the legs, s²: forgotten after two seconds, since noise has no mean.
const KEEPS_S2: f64 = 4.0;
/// Stiffness of a resting point against noise of the root, s²: the noise is known within a few frames' wavering of a captured foot. From 4 to 160 on
/// noisy walks for tuning joints are nearest to the clean ones from 40 on.
const NOISE_S2: f64 = 40.0;
/// Resistance of the noise to bending where no foot stands, s⁴: 0.14⁴, the time for which noise of video and suits keeps its value.
const NOISE_BEND_S4: f64 = 4e-4;
/// A point of a contact that the shift leaves faster than this does not stand but lands or rolls, m/s for a leg of 0.85 m.
const REST_M_S: f64 = 0.03;
/// Rounds of weighting points by their speed; more gain nothing on the noisy walks for tuning.
const NOISE_ROUNDS: usize = 4;

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

/// Shift of the root in every frame that takes its noise and drift out; `None` where there is neither. `paths` are those of the clip's feet.
pub(super) fn steady_root(
    clip: &Clip,
    poses: &[ModelPose],
    feet: &Feet,
    mut paths: [FootPath; 2],
    contacts: &Contacts,
) -> Option<Vec<DVec3>> {
    let (fps, scale) = (clip.fps(), feet.scale());
    let mut steps = standing_steps(&paths, contacts, clip, scale);
    let drift = drift(&steps, fps, scale);
    if let Some(drift) = &drift {
        paths.iter_mut().for_each(|path| path.shift(drift));
        for (step, pair) in steps.iter_mut().flat_map(|steps| steps.iter_mut().zip(drift.windows(2))) {
            *step = step.map(|step| step + pair[1] - pair[0]);
        }
    }
    let hips: Vec<DVec3> = poses.iter().map(|pose| feet.between_hips(pose)).collect();
    let part = noise_part(&steps, &hips, clip, scale);
    let noise: Option<Vec<DVec3>> =
        (part > 0.0).then(|| noise(contacts, &paths, fps, scale).into_iter().map(|by| by * part).collect());
    match (drift, noise) {
        (Some(drift), Some(noise)) => Some(drift.into_iter().zip(noise).map(|(a, b)| a + b).collect()),
        (drift, noise) => drift.or(noise),
    }
}

/// The steps that each standing foot makes to the next frame.
fn standing_steps(
    paths: &[FootPath; 2],
    contacts: &Contacts,
    clip: &Clip,
    scale: f64,
) -> [Vec<Option<DVec3>>; 2] {
    let motion = clip.motion_frames();
    [0, 1].map(|side: usize| {
        let path = &paths[side];
        let standing = standing_parts_of(path, &contacts.feet[side], clip.fps(), scale, contacts.noise);
        let steady =
            |f: usize| f >= motion.start && f + 1 < motion.end && !path.glitch[f] && !path.glitch[f + 1];
        (0..clip.num_frames()).map(|f| steady(f).then(|| step(path, &standing, f)).flatten()).collect()
    })
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

/// Shift that takes out the noise that standing feet and the hips have in common.
///
/// A contact's point moves with the noise while it stands, and on its own while it lands or rolls off. Which is which is not known before the noise
/// is; so points are weighted by how near to rest the shift found so far brings them, in several rounds.
fn noise(contacts: &Contacts, paths: &[FootPath; 2], fps: f64, scale: f64) -> Vec<DVec3> {
    let num_frames = paths[0].num_frames();
    let points: Vec<(&[DVec3], Vec<bool>)> = paths
        .iter()
        .zip(&contacts.feet)
        .flat_map(|(path, foot)| [(path, true, &foot.heel), (path, false, &foot.toe)])
        .map(|(path, heel, ranges)| {
            let mut stands = vec![false; num_frames.saturating_sub(1)];
            for frame in
                ranges.iter().flat_map(|range| range.start..range.end.min(num_frames).saturating_sub(1))
            {
                stands[frame] = !path.glitch[frame] && !path.glitch[frame + 1];
            }
            (path.point(heel), stands)
        })
        .collect();
    let mut shift = vec![DVec3::ZERO; num_frames];
    let half = ((SPEED_HALF_S * fps).round() as usize).max(1);
    for round in 0..=NOISE_ROUNDS {
        let mut system = Displacement::bending(num_frames, fps, NOISE_BEND_S4);
        (0..num_frames).for_each(|frame| system.place(frame, 1.0, DVec3::ZERO));
        let mut weights = vec![0.0; num_frames.saturating_sub(1)];
        let mut steps = vec![DVec3::ZERO; weights.len()];
        for (path, stands) in &points {
            let speeds: Vec<f64> = (0..stands.len())
                .map(|f| ((path[f + 1] + shift[f + 1]) - (path[f] + shift[f])).length() * fps / scale)
                .collect();
            for frame in (0..stands.len()).filter(|&frame| stands[frame]) {
                let near = &speeds[frame.saturating_sub(half)..(frame + half + 1).min(speeds.len())];
                let speed = near.iter().sum::<f64>() / near.len() as f64;
                let weight = if round == 0 { 1.0 } else { (1.0 + (speed / REST_M_S).powi(2)).powi(-2) };
                weights[frame] += weight;
                steps[frame] += (path[frame] - path[frame + 1]) * weight;
            }
        }
        for (frame, (weight, step)) in weights.into_iter().zip(steps).enumerate() {
            if weight > 0.0 {
                system.step(frame, DVec3::splat(NOISE_S2 * weight.min(1.0)), step / weight);
            }
        }
        shift = system.solve();
    }
    shift
}

/// How far a move that keeps standing feet in their places is noise of the root, 0 to 1.
fn noise_part(steps: &[Vec<Option<DVec3>>; 2], hips: &[DVec3], clip: &Clip, scale: f64) -> f64 {
    let (fps, motion) = (clip.fps(), clip.motion_frames());
    let mut system = Displacement::new(hips.len(), fps);
    (0..hips.len()).for_each(|frame| system.place(frame, 1.0, DVec3::ZERO));
    for (frame, step) in steps.iter().flat_map(|steps| steps.iter().enumerate()) {
        if let Some(step) = step {
            system.step(frame, DVec3::splat(KEEPS_S2), -*step);
        }
    }
    let shift = system.solve();
    let half = ((ACCELERATION_HALF_S * fps).round() as usize).max(1);
    let bend = |path: &[DVec3], frame: usize| path[frame - half] - 2.0 * path[frame] + path[frame + half];
    let (mut both, mut own) = (0.0, 0.0);
    for frame in motion.start + half..motion.end.saturating_sub(half) {
        let (hips, moved) = (bend(hips, frame), bend(&shift, frame));
        both -= hips.dot(moved);
        own += moved.dot(moved);
    }
    let part = if own > 0.0 { both / own } else { 0.0 };
    let rms = (shift.iter().map(|s| s.length_squared()).sum::<f64>() / hips.len().max(1) as f64).sqrt();
    smoothstep((part - ROOT_PART[0]) / (ROOT_PART[1] - ROOT_PART[0]))
        * smoothstep((rms / scale - ROOT_NOISE_M[0]) / (ROOT_NOISE_M[1] - ROOT_NOISE_M[0]))
}

/// The step that a standing foot makes to the next frame: of its middle where it is flat, of heel or toe where it rolls.
fn step(path: &FootPath, standing: &FootContacts, frame: usize) -> Option<DVec3> {
    let of = |heel: bool, list: &[Range<usize>]| {
        let stands = list.iter().any(|range| range.contains(&frame) && range.contains(&(frame + 1)));
        stands.then(|| path.point(heel)[frame + 1] - path.point(heel)[frame])
    };
    match (of(true, &standing.heel), of(false, &standing.toe)) {
        (Some(heel), Some(toe)) => Some(0.5 * (heel + toe)),
        (heel, toe) => heel.or(toe),
    }
}
