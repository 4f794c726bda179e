//! Frames with durations of their own to one rate.

use glam::Vec3;
use ugoki_base::math::median;
use ugoki_base::pose::Pose;

use crate::text::decimals;
use crate::{Findings, ReadError, Severity, rate};

/// Relative difference of durations that rounding makes; files print six digits.
const SAME: f64 = 1e-3;

/// Rate assumed when no duration gives one, frames per second: that of most published files.
const DEFAULT_FPS: f64 = 30.0;

/// Seconds a frame may last; motions of hours are none of these.
const MAX_DURATION: f64 = 3600.0;

/// Decimals of a duration that mean something: more are the noise of f32, as in 0.0166660007 for 60 per second.
const TRUE_DECIMALS: i32 = 6;

/// Poses at one rate.
pub(super) struct Timed {
    pub fps: f64,
    /// Seconds per frame as written.
    pub frame_time: f64,
    pub poses: Vec<Pose>,
}

/// Gives every pose its time; where durations differ, the motion is resampled. `max_frames` bounds that,
/// `line_of` gives a frame's line.
pub(super) fn at_one_rate(
    poses: Vec<Pose>,
    durations: &[f64],
    wanted_fps: Option<f64>,
    max_frames: usize,
    line_of: &dyn Fn(usize) -> Option<u32>,
    findings: &mut Findings,
) -> Result<Timed, ReadError> {
    // The last frame only ends the motion; its duration, mostly 0, says nothing.
    let steps = &durations[..durations.len().saturating_sub(1)];
    let sound = |d: &f64| *d > 0.0 && *d <= MAX_DURATION;
    if let Some(bad) = steps.iter().position(|d| !sound(d)) {
        let message = format!("frame {bad} lasts {} s, expected more than 0", steps[bad]);
        findings.note(Severity::Warning, line_of(bad), "duration-bad", message, "as long as the others");
    }
    let good: Vec<f64> = steps.iter().copied().filter(sound).collect();
    let Some(usual) = median(&good) else {
        let fps = wanted_fps.unwrap_or(DEFAULT_FPS);
        if poses.len() > 1 {
            let message = "no frame has a duration";
            let assumed = format!("{fps} frames per second");
            findings.note(Severity::Warning, None, "duration-missing", message, assumed);
        }
        return Ok(Timed { fps, frame_time: 1.0 / fps, poses });
    };
    let decimals = decimals(format!("{usual}").as_bytes()).min(TRUE_DECIMALS);
    let fps = rate::snap(usual, decimals);
    let even = steps.iter().all(|d| !sound(d) || (d / usual - 1.0).abs() <= SAME);
    if even {
        if (fps * usual - 1.0).abs() > 1e-9 {
            let message = format!("frames last {usual} s");
            let assumed = format!("{} frames per second", rate::short(fps));
            findings.note(Severity::Info, line_of(0), "frame-time-rounded", message, assumed);
        }
        return Ok(Timed { fps, frame_time: usual, poses });
    }
    let fps = wanted_fps.unwrap_or(fps);
    let message = "frames last differently";
    let assumed = format!("sampled at {} frames per second", rate::short(fps));
    findings.note(Severity::Info, None, "durations-differ", message, assumed);
    let mut times = vec![0.0];
    for d in steps {
        times.push(times[times.len() - 1] + if sound(d) { *d } else { usual });
    }
    let num_frames = (times[times.len() - 1] * fps).round() + 1.0;
    if num_frames > max_frames as f64 {
        return Err(ReadError::TooManyFrames { frames: num_frames, fps, max_frames });
    }
    let poses = (0..num_frames as usize).map(|frame| sample(&poses, &times, frame as f64 / fps)).collect();
    Ok(Timed { fps, frame_time: usual, poses })
}

/// The pose at `time`, between the two around it.
fn sample(poses: &[Pose], times: &[f64], time: f64) -> Pose {
    let after = times.partition_point(|t| *t <= time).min(poses.len() - 1);
    let before = after.saturating_sub(1);
    let span = times[after] - times[before];
    let fraction = if span > 0.0 { ((time - times[before]) / span).clamp(0.0, 1.0) as f32 } else { 0.0 };
    let (a, b) = (&poses[before], &poses[after]);
    let root: Vec3 = a.root.lerp(b.root, fraction);
    let rotations = a.rotations.iter().zip(&b.rotations).map(|(a, b)| a.slerp(*b, fraction)).collect();
    Pose { root, rotations, translations: Vec::new() }
}
