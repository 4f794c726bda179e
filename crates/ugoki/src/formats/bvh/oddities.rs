//! Findings about the motion itself: added T-pose, dropouts, jumps, glitches, facing.

use std::ops::Range;

use glam::Vec3;

use super::channels::Parsed;
use super::interpret::{advice, sample_frames};
use super::poses::Conventions;
use crate::clip::{ChannelKind, Clip};
use crate::formats::{Findings, Severity, counted};
use crate::math::angle_between;
use crate::skeleton::{Role, Skeleton, facing, is_t_pose, up_direction};

/// Reports what is odd about the motion and marks an added T-pose.
pub(super) fn report(
    clip: &mut Clip,
    parsed: &Parsed,
    height: Option<f64>,
    means: Conventions,
    findings: &mut Findings,
) {
    clip.tpose_frame = clip.starts_with_added_t_pose();
    if clip.tpose_frame {
        let message = "frame 0 is a T-pose from which the motion jumps away";
        let assumed = "added by a tool, not part of the motion";
        findings.note(Severity::Info, parsed.row_line(0), "tpose-frame", message, assumed);
    }
    let motion = clip.motion_frames();
    if (1..=2).contains(&motion.len()) {
        let message = format!("{} of motion", counted(motion.len(), "frame", "frames"));
        findings.info(parsed.row_line(motion.start), "few-frames", message);
    }
    if let Some(hips) = clip.skeleton().find(Role::Hips).filter(|hips| *hips != 0) {
        let (root, hips) = (&clip.skeleton().joint(0).name, &parsed.joints[hips]);
        let message = format!("the hips {:?} are not the root; {root:?} is above them", hips.name);
        findings.note(Severity::Info, Some(hips.line), "root-above-hips", message, "kept as written");
    }
    report_zero_rows(clip, parsed, findings);
    report_jumps(clip, parsed, findings);
    report_glitches(clip, parsed, findings);
    if let Some(height) = height {
        report_rest(clip.skeleton(), findings);
        report_hands(clip, findings);
        report_floor(clip, height as f32, means, findings);
    }
}

/// Rows in which every number is 0, although others are not: the capture dropped out.
fn report_zero_rows(clip: &Clip, parsed: &Parsed, findings: &mut Findings) {
    let width = parsed.columns.len();
    // In tables this narrow all zeros may well be meant.
    if width < 6 {
        return;
    }
    let zero = |frame: usize| {
        let row = &parsed.values[frame * width..(frame + 1) * width];
        row[0] == 0.0 && row.iter().all(|v| *v == 0.0)
    };
    let motion = clip.motion_frames();
    let mut runs: Vec<Range<usize>> = Vec::new();
    for frame in motion.clone().filter(|&frame| zero(frame)) {
        match runs.last_mut() {
            Some(run) if run.end == frame => run.end += 1,
            _ => runs.push(frame..frame + 1),
        }
    }
    if runs.first() == Some(&motion) {
        // Zeros that stand in for lost numbers are nobody's rest pose; the loss has its own finding.
        if ["not-finite", "too-large", "number-bad"].iter().all(|code| findings.count(code) == 0) {
            let line = parsed.row_line(motion.start);
            findings.info(line, "zero-frames", "every frame is zero: the rest pose");
        }
        return;
    }
    for run in runs {
        let place = if run.start == motion.start { "the motion starts with" } else { "the motion contains" };
        let message = {
            let frames = counted(run.len(), "frame", "frames");
            format!("{place} {frames} of zeros, {}..{}", run.start, run.end)
        };
        let line = parsed.row_line(run.start);
        if run == (0..1) {
            findings.info(line, "zero-frames", "the first frame is all zeros: the rest pose");
            continue;
        }
        findings.note(Severity::Warning, line, "zero-frames", message, "a dropout; kept as written");
    }
}

/// Step of one rotation channel, degrees, that no joint makes in a frame: a wrap or the other Euler branch.
const CHANNEL_JUMP_DEGREES: f64 = 120.0;

fn report_jumps(clip: &Clip, parsed: &Parsed, findings: &mut Findings) {
    let width = parsed.columns.len();
    let limits: Vec<f64> = parsed
        .columns
        .iter()
        .map(|channel| match channel.kind {
            ChannelKind::Rotation(_) => CHANNEL_JUMP_DEGREES,
            ChannelKind::Position(_) => f64::INFINITY,
        })
        .collect();
    let motion = clip.motion_frames();
    if motion.len() < 2 {
        return;
    }
    let rows = &parsed.values[motion.start * width..];
    let mut count = 0;
    let mut first = None;
    for (frame, pair) in rows.windows(2 * width).step_by(width).enumerate() {
        let (before, after) = pair.split_at(width);
        // One comparison over the whole row first: it is wide, and mostly all there is to do.
        let steps = || before.iter().zip(after).zip(&limits).map(|((a, b), limit)| (a - b).abs() > *limit);
        if steps().fold(false, |any, jump| any | jump) {
            count += steps().filter(|jump| *jump).count();
            first.get_or_insert(motion.start + frame + 1);
        }
    }
    if let Some(first) = first {
        let message = format!(
            "{} {CHANNEL_JUMP_DEGREES} degrees, first into frame {first}",
            counted(count, "step of a rotation channel exceeds", "steps of rotation channels exceed")
        );
        let assumed = "angles wrapped or on another branch; rotations are continuous";
        findings.note(Severity::Info, parsed.row_line(first), "channel-jumps", message, assumed);
    }
}

/// Speed, degrees per second, beyond which turning there and back within two frames is a glitch: 15
/// degrees at 120 frames per second, which clean captures never do.
const GLITCH_DEGREES_PER_SECOND: f64 = 1800.0;

fn report_glitches(clip: &Clip, parsed: &Parsed, findings: &mut Findings) {
    let motion = clip.motion_frames();
    if motion.len() < 3 {
        return;
    }
    let limit = (GLITCH_DEGREES_PER_SECOND / clip.fps()).clamp(15.0, 90.0).to_radians() as f32;
    let same = (0.5 * limit).cos();
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
        let before = count;
        for f in motion.start + 1..motion.end - 1 {
            let (a, b, c) = (track.get(f - 1), track.get(f), track.get(f + 1));
            if a.dot(b).abs() < same && b.dot(c).abs() < same {
                let (there, back) = (angle_between(a, b), angle_between(b, c));
                if angle_between(a, c) < 0.5 * there.min(back) {
                    count += 1;
                    first = Some(first.map_or(f, |first| first.min(f)));
                }
            }
        }
        joints += usize::from(count > before);
    }
    if let Some(first) = first {
        let degrees = limit.to_degrees();
        let message = format!(
            "{} of one frame in {} (more than {degrees:.0} degrees there and back), \
             first in frame {first}",
            counted(count, "glitch", "glitches"),
            counted(joints, "joint", "joints")
        );
        let line = parsed.row_line(first);
        findings.note(Severity::Info, line, "glitches", message, "kept as written");
    }
}

/// Angle, degrees, from +Z beyond which a rest pose faces elsewhere.
const FACING_DEGREES: f32 = 30.0;

/// Cosine from +Y within which a rest pose stands.
const STANDS: f32 = 0.8;

/// Cosine to the facing under which toes point backward, whatever the ankle does.
const BACKWARD: f32 = -0.3;

fn report_rest(skeleton: &Skeleton, findings: &mut Findings) {
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
fn report_hands(clip: &Clip, findings: &mut Findings) {
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
        findings.note(Severity::Warning, None, "left-handed", message, "right-handed, as BVH is");
    }
}

/// Share of the body's height by which it must be sunk before the root's height counts as relative.
const SUNK_SHARE: f32 = 0.25;

/// Whether the body is under the floor throughout, as it is when root positions count from the rest pose.
fn report_floor(clip: &Clip, height: f32, means: Conventions, findings: &mut Findings) {
    let motion = clip.motion_frames();
    if motion.is_empty() {
        return;
    }
    let step = motion.len().div_ceil(9);
    let lowest =
        |frame: usize| clip.model_pose(frame).positions.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    let lows: Vec<f64> = motion.step_by(step).map(|frame| f64::from(lowest(frame))).collect();
    let Some(low) = crate::math::median(&lows) else { return };
    if (low as f32) < -SUNK_SHARE * height {
        let message =
            format!("the body reaches {:.2} m below 0: root heights count from the rest pose", -low);
        let assumed = advice(means.offset, clip.skeleton().joint(0).offset.y);
        findings.note(Severity::Info, None, "root-height-relative", message, assumed);
    }
}
