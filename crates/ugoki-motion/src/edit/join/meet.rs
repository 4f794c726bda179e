//! Two clips brought together: the end of one and the start of the next are bent to their common mean.
//!
//! The seam lies between sample n of the first and sample 0 of the second. The first's look-ahead n+1 would be where the
//! second's sample 0 is, the second's look-back −1 where the first's n is; both pairs go to the middle between
//! them, half of the way each, so place and velocity agree. Rotations do the same in the tangent space of every
//! sample. What is left of a bend at the far end of its window is nothing, in place and in velocity.

use glam::{DVec3, Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::{exp64, log64};
use ugoki_base::pose::Pose;

use crate::edit::GroundFrame;
use crate::edit::span::{Ends, Span};

/// Share of a path's mean speed that is added to the speed of every sample before a displacement is spread in proportion to it:
/// wholly in proportion would put all of a joint's correction into its few fastest frames; swept in docs/results/segments.md.
const EVEN: f64 = 4.0;

/// How far one body is from the other over the seam, half of it: per joint the displacements of two samples.
pub(in crate::edit) struct Gap {
    root: [DVec3; 2],
    /// In the tangent space of each sample, radians.
    rotations: Vec<[DVec3; 2]>,
    translations: Vec<(usize, [DVec3; 2])>,
}

/// Frame `at` of a clip's motion, which may lie one beyond either end: the last velocity goes on there.
pub(in crate::edit) fn sample(clip: &Clip, at: isize) -> Pose {
    let motion = clip.motion_frames();
    let inside = |frame: isize| {
        usize::try_from(frame)
            .unwrap_or(0)
            .clamp(motion.start, motion.end.saturating_sub(1).max(motion.start))
    };
    let frame = inside(at);
    let here = clip.pose(frame);
    let beyond = at - frame as isize;
    if beyond == 0 {
        return here;
    }
    let before = clip.pose(inside(frame as isize - beyond.signum()));
    let go_on = |x: Vec3, was: Vec3| 2.0 * x - was;
    let mut out = here.clone();
    out.root = go_on(here.root, before.root);
    for (q, (now, was)) in out.rotations.iter_mut().zip(here.rotations.iter().zip(&before.rotations)) {
        *q = (*now * was.inverse() * *now).normalize();
    }
    for (path, (now, was)) in
        out.translations.iter_mut().zip(here.translations.iter().zip(&before.translations))
    {
        path.1 = go_on(now.1, was.1);
    }
    out
}

impl Gap {
    /// From samples of the body that moves to those where the other has them.
    pub(in crate::edit) fn between(from: &[Pose; 2], to: &[Pose; 2], rest: impl Fn(usize) -> Vec3) -> Self {
        let half = |a: Vec3, b: Vec3| 0.5 * (b.as_dvec3() - a.as_dvec3());
        let rotations = (0..from[0].rotations.len())
            .map(|joint| {
                half_turns([0, 1].map(|k| from[k].rotations[joint]), [0, 1].map(|k| to[k].rotations[joint]))
            })
            .collect();
        let mut joints: Vec<usize> =
            from.iter().chain(to).flat_map(|pose| pose.translations.iter().map(|t| t.0)).collect();
        joints.sort_unstable();
        joints.dedup();
        let place = |pose: &Pose, joint: usize| {
            pose.translations.iter().find(|t| t.0 == joint).map_or_else(|| rest(joint), |t| t.1)
        };
        let translations = joints
            .into_iter()
            .map(|joint| (joint, [0, 1].map(|k| half(place(&from[k], joint), place(&to[k], joint)))))
            .collect();
        Self { root: [0, 1].map(|k| half(from[k].root, to[k].root)), rotations, translations }
    }

    /// The same gap seen from where `placement` takes it back from.
    pub(in crate::edit) fn seen_before(mut self, placement: &GroundFrame) -> Self {
        let back = Quat::from_rotation_y(-placement.yaw).as_dquat();
        self.root = self.root.map(|d| back * d);
        self
    }
}

/// Bends the last `window` frames of the motion: the gap's samples are the last frame and the one after it.
pub(in crate::edit) fn bend_end(clip: &mut Clip, gap: &Gap, window: usize) {
    let end = clip.motion_frames().end;
    let Some(last) = end.checked_sub(1) else { return };
    let first = last.saturating_sub(window).max(clip.motion_frames().start);
    let ends = |d: &[DVec3; 2]| Ends { before: DVec3::ZERO, start: DVec3::ZERO, end: d[0], after: d[1] };
    bend(clip, gap, first, last, ends);
}

/// Bends the first `window` frames of the motion: the gap's samples are the one before it and the first frame.
pub(in crate::edit) fn bend_start(clip: &mut Clip, gap: &Gap, window: usize) {
    let motion = clip.motion_frames();
    if motion.is_empty() {
        return;
    }
    let last = (motion.start + window).min(motion.end - 1);
    let ends = |d: &[DVec3; 2]| Ends { before: d[0], start: d[1], end: DVec3::ZERO, after: DVec3::ZERO };
    bend(clip, gap, motion.start, last, ends);
}

fn bend(clip: &mut Clip, gap: &Gap, first: usize, last: usize, ends: impl Fn(&[DVec3; 2]) -> Ends) {
    let motion = clip.motion_frames();
    let at = |sample: usize| (first + sample).saturating_sub(1).clamp(motion.start, motion.end - 1);
    let speeds = |step: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        let own: Vec<f64> = (0..last - first + 2).map(|k| step(at(k), at(k + 1))).collect();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        own.iter().map(|v| v + EVEN * mean).collect()
    };
    let along = |track: &dyn Fn(usize) -> Vec3| speeds(&|a, b| (track(b) - track(a)).as_dvec3().length());
    let by = spread(&along(&|frame| clip.root().get(frame)), &ends(&gap.root));
    for (i, d) in by.iter().enumerate().filter(|(_, d)| **d != DVec3::ZERO) {
        let moved = clip.root().get(first + i).as_dvec3() + *d;
        clip.root_mut().set(first + i, moved.as_vec3());
    }
    for (joint, d) in gap.rotations.iter().enumerate().filter(|(_, d)| **d != [DVec3::ZERO; 2]) {
        let turn = speeds(&|a, b| {
            let (p, q) = (clip.rotation(joint, a).as_dquat(), clip.rotation(joint, b).as_dquat());
            log64(p.inverse() * q).length()
        });
        for (i, d) in spread(&turn, &ends(d)).iter().enumerate().filter(|(_, d)| **d != DVec3::ZERO) {
            let q = clip.rotation(joint, first + i).as_dquat().normalize() * exp64(*d);
            clip.set_rotation(joint, first + i, q.as_quat().normalize());
        }
    }
    for (joint, d) in gap.translations.iter().filter(|(_, d)| *d != [DVec3::ZERO; 2]) {
        let by = spread(&along(&|frame| clip.local_position(*joint, frame)), &ends(d));
        let moved: Vec<Vec3> = by
            .iter()
            .enumerate()
            .map(|(i, d)| (clip.local_position(*joint, first + i).as_dvec3() + *d).as_vec3())
            .collect();
        // A joint that leaves its offset in the other clip only gets its path here.
        if !clip.translations().iter().any(|t| t.joint == *joint) {
            let mut pose = clip.pose(first);
            pose.translations.push((*joint, moved[0]));
            pose.translations.sort_by_key(|t| t.0);
            clip.set_pose(first, &pose);
        }
        if let Some(path) = clip.translations_mut().iter_mut().find(|t| t.joint == *joint) {
            for (i, p) in moved.iter().enumerate() {
                path.track.set(first + i, *p);
            }
        }
    }
}

/// Half the turns between two samples each, in the tangent spaces of the first.
pub(super) fn half_turns(from: [Quat; 2], to: [Quat; 2]) -> [DVec3; 2] {
    let [mut first, mut second] = [0, 1].map(|k| {
        let (a, b) = (from[k].as_dquat().normalize(), to[k].as_dquat().normalize());
        0.5 * log64(a.inverse() * b)
    });
    // Near half a turn apart the two samples may find opposite ways round: the longer one takes the other's.
    if (first - second).length() > std::f64::consts::FRAC_PI_2 {
        let longer = if first.length() > second.length() { &mut first } else { &mut second };
        *longer -= longer.normalize_or_zero() * std::f64::consts::PI;
    }
    [first, second]
}

/// Displacements of samples 0 … n for speeds |v_{−1}| … |v_n|. Too few samples to bend take a straight share.
pub(super) fn spread(speeds: &[f64], ends: &Ends) -> Vec<DVec3> {
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
