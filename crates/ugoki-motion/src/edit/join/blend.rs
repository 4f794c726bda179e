//! Two clips brought together: the end of one and the start of the next are bent to their common mean.
//!
//! The seam lies between sample n of the first and sample 0 of the second. The first's look-ahead n+1 would be where the
//! second's sample 0 is, the second's look-back −1 where the first's n is; both pairs go to the middle between
//! them, half of the way each, so place and velocity agree. Rotations do the same in the tangent space of every
//! sample. What is left of a bend at the far end of its window is nothing, in place and in velocity.

use std::ops::Range;

use glam::{DQuat, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{exp64, log64};
use ugoki_base::pose::Pose;

use super::Part;
use crate::edit::span::{Ends, Span};

/// Part of a path's mean speed that is added to the speed of every sample before a displacement is spread in proportion to it:
/// wholly in proportion would put all of a joint's correction into its few fastest frames; swept in docs/results/segments.md.
const EVEN: f64 = 4.0;

/// The parts one after another, bent to each other at each seam over so many frames before and after it.
pub(in crate::edit) fn blended(parts: &[Part<'_>], windows: &[[usize; 2]]) -> Clip {
    let mut moving: Vec<usize> =
        parts.iter().flat_map(|part| part.clip.translations().iter().map(|t| t.joint)).collect();
    moving.sort_unstable();
    moving.dedup();
    // Joints that leave their offsets in some clip do so in all.
    let complete = |mut pose: Pose| {
        let place = |joint: usize| match pose.translations.iter().find(|t| t.0 == joint) {
            Some(moved) => *moved,
            None => (joint, parts[0].clip.skeleton().joint(joint).offset),
        };
        pose.translations = moving.iter().map(|&joint| place(joint)).collect();
        pose
    };
    let poses =
        |part: &Part<'_>| part.frames.clone().map(|frame| complete(part.pose(frame as isize))).collect();
    let mut all: Vec<Vec<Pose>> = parts.iter().map(poses).collect();
    for ((seam, pair), [before, after]) in parts.windows(2).enumerate().zip(windows) {
        let samples = |part: &Part<'_>, at: usize| [-1, 0].map(|by| complete(part.pose(at as isize + by)));
        let (end, begin) = (samples(&pair[0], pair[0].frames.end), samples(&pair[1], pair[1].frames.start));
        let last = all[seam].len();
        let ends = |d: [DVec3; 2]| Ends { end: d[0], after: d[1], ..Ends::default() };
        bend(&mut all[seam], &end, &begin, last.saturating_sub(before + 1)..last, ends);
        let first = (after + 1).min(all[seam + 1].len());
        let ends = |d: [DVec3; 2]| Ends { before: d[0], start: d[1], ..Ends::default() };
        bend(&mut all[seam + 1], &begin, &end, 0..first, ends);
    }
    from_poses(parts[0].clip, &all.concat())
}

/// Clips of one skeleton and rate, one after another.
pub(in crate::edit) fn concatenated(clips: &[Clip]) -> Clip {
    let poses = clips.iter().flat_map(|clip| (0..clip.num_frames()).map(|frame| clip.pose(frame)));
    from_poses(&clips[0], &poses.collect::<Vec<_>>())
}

/// A clip of other poses, with the name and tags of `first`.
fn from_poses(first: &Clip, poses: &[Pose]) -> Clip {
    match Clip::from_poses(first.skeleton().clone(), first.fps(), poses) {
        Ok(mut clip) => {
            clip.name.clone_from(&first.name);
            clip.tags.clone_from(&first.tags);
            clip
        }
        Err(error) => unreachable!("the first clip's own rate: {error}"),
    }
}

/// Bends some of successive poses half of the way from samples of their clip to those of another.
fn bend(
    poses: &mut [Pose],
    from: &[Pose; 2],
    to: &[Pose; 2],
    frames: Range<usize>,
    ends: impl Fn([DVec3; 2]) -> Ends,
) {
    let last = poses.len() - 1;
    let at = |sample: usize| (frames.start + sample).saturating_sub(1).min(last);
    let spread_by = |step: &dyn Fn(usize, usize) -> f64, d: [DVec3; 2]| {
        let own: Vec<f64> = (0..frames.len() + 1).map(|k| step(at(k), at(k + 1))).collect();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        let speeds: Vec<f64> = own.iter().map(|v| v + EVEN * mean).collect();
        frames.clone().zip(spread(&speeds, &ends(d)))
    };
    for joint in 0..from[0].rotations.len() {
        let of = |pose: &Pose| pose.rotations[joint].as_dquat().normalize();
        let d = half_turns(from.each_ref().map(of), to.each_ref().map(of));
        if d != [DVec3::ZERO; 2] {
            let turn = |a: usize, b: usize| log64(of(&poses[a]).conjugate() * of(&poses[b])).length();
            for (frame, d) in spread_by(&turn, d) {
                poses[frame].rotations[joint] = (of(&poses[frame]) * exp64(d)).as_quat().normalize();
            }
        }
    }
    let d = [0, 1].map(|k| 0.5 * (to[k].root - from[k].root).as_dvec3());
    let step = |a: usize, b: usize| f64::from(poses[b].root.distance(poses[a].root));
    for (frame, d) in spread_by(&step, d) {
        poses[frame].root = (poses[frame].root.as_dvec3() + d).as_vec3();
    }
    for index in 0..from[0].translations.len() {
        let of = |pose: &Pose| pose.translations[index].1;
        let d = [0, 1].map(|k| 0.5 * (of(&to[k]) - of(&from[k])).as_dvec3());
        let step = |a: usize, b: usize| f64::from(of(&poses[b]).distance(of(&poses[a])));
        for (frame, d) in spread_by(&step, d) {
            poses[frame].translations[index].1 = (of(&poses[frame]).as_dvec3() + d).as_vec3();
        }
    }
}

/// Half the turns between two samples each, in the tangent spaces of the first.
fn half_turns(from: [DQuat; 2], to: [DQuat; 2]) -> [DVec3; 2] {
    let [mut first, mut second] = [0, 1].map(|k| 0.5 * log64(from[k].conjugate() * to[k]));
    // Near half a turn apart the two samples may find opposite ways round: the longer one takes the other's.
    if (first - second).length() > std::f64::consts::FRAC_PI_2 {
        let longer = if first.length() > second.length() { &mut first } else { &mut second };
        *longer -= longer.normalize_or_zero() * std::f64::consts::PI;
    }
    [first, second]
}

/// Displacements of samples 0 … n for speeds |v_{−1}| … |v_n|. Too few samples to bend are spread evenly.
fn spread(speeds: &[f64], ends: &Ends) -> Vec<DVec3> {
    let n = speeds.len() - 2;
    match Span::build(speeds) {
        Ok(span) => {
            let bend = span.bend(ends);
            (0..=n).map(|i| span.at(&bend, i)).collect()
        }
        Err(_) if n == 0 => vec![if ends.end == DVec3::ZERO { ends.start } else { ends.end }],
        Err(_) => (0..=n).map(|i| ends.start.lerp(ends.end, i as f64 / n as f64)).collect(),
    }
}
