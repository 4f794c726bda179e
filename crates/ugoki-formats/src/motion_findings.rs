//! Findings about the motion itself that any format may have: added T-pose, glitches, facing, floor.

use glam::{DQuat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::math::angle_between;
use ugoki_base::signal::{DespikeConfig, rotation_glitches};
use ugoki_base::skeleton::{Role, Skeleton, facing, is_t_pose, up_direction};

use super::body::sample_frames;
use super::{Findings, Severity, counted};

/// Marks an added T-pose in frame 0: what the file states, else what the frames show. `line` is that frame's.
pub(super) fn mark_t_pose(clip: &mut Clip, stated: Option<bool>, line: Option<u32>, findings: &mut Findings) {
    clip.tpose_frame = stated.unwrap_or_else(|| clip.starts_with_reference_frame());
    if clip.tpose_frame {
        let message = match stated {
            Some(_) => "the file states that frame 0 is an added T-pose",
            None => "frame 0 is a T-pose from which the motion jumps away",
        };
        let assumed = "added by a tool, not part of the motion";
        findings.note(Severity::Info, line, "tpose-frame", message, assumed);
    }
}

/// Reports motions of one or two frames; `line_of` gives the line of a frame.
pub(super) fn report_few_frames(
    clip: &Clip,
    line_of: &dyn Fn(usize) -> Option<u32>,
    findings: &mut Findings,
) {
    let motion = clip.motion_frames();
    if (1..=2).contains(&motion.len()) {
        let message = format!("{} of motion", counted(motion.len(), "frame", "frames"));
        findings.info(line_of(motion.start), "few-frames", message);
    }
}

/// Only joints that turn this far there and back within two frames, degrees, are searched for glitches: reading must stay fast.
const LOOKED_AT_DEGREES: f32 = 15.0;

/// Reports joints that jump out and back, by the rule of [`despike`](ugoki_base::signal::despike); `line_of` gives the line of a frame.
pub(super) fn report_glitches(clip: &Clip, line_of: &dyn Fn(usize) -> Option<u32>, findings: &mut Findings) {
    let motion = clip.motion_frames();
    if motion.len() < 3 {
        return;
    }
    let same = (0.5 * LOOKED_AT_DEGREES.to_radians()).cos();
    let mut count = 0;
    let mut joints = 0;
    let mut first: Option<usize> = None;
    for joint in 0..clip.num_joints() {
        let track = clip.rotations().track(joint);
        let (x, y, z, w) = (track.x, track.y, track.z, track.w);
        let n = x.len() - 1;
        let (x0, y0, z0, w0) = (&x[..n], &y[..n], &z[..n], &w[..n]);
        let (x1, y1, z1, w1) = (&x[1..], &y[1..], &z[1..], &w[1..]);
        let mut large = 0u32;
        for i in 0..n {
            large += u32::from(x0[i] * x1[i] + y0[i] * y1[i] + z0[i] * z1[i] + w0[i] * w1[i] < same);
        }
        if large < 2 {
            continue;
        }
        let jumps_back = |f: usize| {
            let (a, b, c) = (track.get(f - 1), track.get(f), track.get(f + 1));
            a.dot(b).abs() < same
                && b.dot(c).abs() < same
                && angle_between(a, c) < 0.5 * angle_between(a, b).min(angle_between(b, c))
        };
        if !(motion.start + 1..motion.end - 1).any(jumps_back) {
            continue;
        }
        let samples: Vec<DQuat> =
            motion.clone().map(|frame| track.get(frame).as_dquat().normalize()).collect();
        let found = rotation_glitches(&samples, clip.fps(), &DespikeConfig::default());
        count += found.len();
        joints += usize::from(!found.is_empty());
        let at = found.first().map(|frame| motion.start + frame);
        first = first.into_iter().chain(at).min();
    }
    if let Some(first) = first {
        let message = format!(
            "joints jump out and back in {} of {}, first in frame {first}",
            counted(count, "frame", "frames"),
            counted(joints, "joint", "joints")
        );
        let line = line_of(first);
        findings.note(Severity::Info, line, "glitches", message, "kept as written");
    }
}

/// Angle, degrees, from +Z beyond which a rest pose faces elsewhere.
const FACING_DEGREES: f32 = 30.0;

/// Cosine from +Y within which a rest pose stands.
const STANDS: f32 = 0.8;

/// Cosine to the facing under which toes point backward, whatever the ankle does.
const BACKWARD: f32 = -0.3;

/// Reports rest poses that are no T-pose or face elsewhere.
pub(super) fn report_rest(skeleton: &Skeleton, findings: &mut Findings) {
    let rest = skeleton.rest_positions();
    if !is_t_pose(skeleton, &rest) {
        findings.info(None, "rest-not-tpose", "the rest pose is not a T-pose");
    }
    // Rigs that zero their joints' own axes have a rest pose that stands nowhere and faces nowhere.
    let stands = up_direction(skeleton, &rest).is_some_and(|up| up.y > STANDS);
    let Some(forward) = facing(skeleton, &rest).filter(|_| stands) else { return };
    let angle = forward.angle_between(Vec3::Z).to_degrees();
    if angle > FACING_DEGREES {
        let [x, y, z] = forward.to_array();
        let message = format!("the rest pose faces ({x:.1}, {y:.1}, {z:.1}), {angle:.0} degrees from +Z");
        findings.note(Severity::Info, None, "facing", message, "kept as written");
    }
}

/// Whether the toes point backward in most of the frames: then left and right are swapped.
pub(super) fn report_hands(clip: &Clip, findings: &mut Findings) {
    let skeleton = clip.skeleton();
    let mut poses: Vec<Vec<Vec3>> =
        sample_frames(clip.num_frames()).iter().map(|&frame| clip.model_pose(frame).positions).collect();
    if poses.is_empty() {
        poses.push(skeleton.rest_positions());
    }
    let backward = |positions: &Vec<Vec3>| -> Option<bool> {
        let forward = facing(skeleton, positions)?;
        let along = |foot: Role, toes: Role| -> Option<f32> {
            let (foot, toes) = (skeleton.find(foot)?, skeleton.find(toes)?);
            Some((positions[toes] - positions[foot]).try_normalize()?.dot(forward))
        };
        let left = along(Role::LeftFoot, Role::LeftToes)?;
        let right = along(Role::RightFoot, Role::RightToes)?;
        Some(left.max(right) < BACKWARD)
    };
    let votes: Vec<bool> = poses.iter().filter_map(backward).collect();
    if votes.iter().filter(|vote| **vote).count() * 2 > votes.len() {
        let message = "the toes point backward: left and right are swapped or the file is left-handed";
        findings.note(Severity::Warning, None, "left-handed", message, "right-handed, as usual");
    }
}

/// Fraction of the body's height by which it must be sunk before the root's height counts as relative.
const SUNK_FRACTION: f32 = 0.25;

/// Whether the body is under the floor throughout, as it is when root positions count from the rest pose.
pub(super) fn report_floor(clip: &Clip, height: f32, assumed: &str, findings: &mut Findings) {
    let motion = clip.motion_frames();
    if motion.is_empty() {
        return;
    }
    let step = motion.len().div_ceil(9);
    let lowest =
        |frame: usize| clip.model_pose(frame).positions.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    let lows: Vec<f64> = motion.step_by(step).map(|frame| f64::from(lowest(frame))).collect();
    let Some(low) = ugoki_base::math::median(&lows) else { return };
    if (low as f32) < -SUNK_FRACTION * height {
        let message =
            format!("the body reaches {:.2} m below 0: root heights count from the rest pose", -low);
        findings.note(Severity::Info, None, "root-height-relative", message, assumed);
    }
}
