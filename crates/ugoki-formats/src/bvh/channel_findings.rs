//! Findings about the motion: dropouts and jumps of channels, and what any motion may have.

use std::ops::Range;

use ugoki_base::clip::{ChannelKind, Clip};
use ugoki_base::skeleton::Role;

use super::channels::Parsed;
use super::interpret::advice;
use super::poses::Conventions;
use crate::motion_findings::{
    mark_t_pose, report_few_frames, report_floor, report_glitches, report_hands, report_rest,
};
use crate::{Findings, Severity, counted};

/// Reports what is odd about the motion and marks an added T-pose.
pub(super) fn report(
    clip: &mut Clip,
    parsed: &Parsed,
    height: Option<f64>,
    means: Conventions,
    findings: &mut Findings,
) {
    let line_of = |frame: usize| parsed.row_line(frame);
    mark_t_pose(clip, None, line_of(0), findings);
    report_few_frames(clip, &line_of, findings);
    if let Some(hips) = clip.skeleton().find(Role::Hips).filter(|hips| *hips != 0) {
        let (root, hips) = (&clip.skeleton().joint(0).name, &parsed.joints[hips]);
        let message = format!("the hips {:?} are not the root; {root:?} is above them", hips.name);
        findings.note(Severity::Info, Some(hips.line), "root-above-hips", message, "kept as written");
    }
    report_zero_rows(clip, parsed, findings);
    report_jumps(clip, parsed, findings);
    report_glitches(clip, &line_of, findings);
    if let Some(height) = height {
        report_rest(clip.skeleton(), findings);
        report_hands(clip, findings);
        report_floor(clip, height as f32, advice(means.offset, clip.skeleton().joint(0).offset.y), findings);
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
        // Zeros that replace lost numbers are not a rest pose; the loss has its own finding.
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
