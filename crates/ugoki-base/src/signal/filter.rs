//! Convolution in time: every joint's rotations, the root's path and other joints' paths through one kernel.

use std::ops::Range;

use glam::{DQuat, DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::combine::{Method, combine, lee_shin_track};
use super::global_mean::{global_mean, lower_mean};
use super::joints::{align_track_signs, for_each_joint};
use super::kernel::Kernel;
use super::unrolled::{OPEN_STEP_RAD, Unrolled};
use super::window::{Padded, filter_track};
use crate::clip::{Clip, RotationTrack, VectorTrack};
use crate::markers::Markers;
use crate::math::angle_between;
use crate::{Cancelled, Progress, report};

/// Weights that are left at a cut-off end cannot be brought to sum 1 below this; the frame then stays.
const MIN_WEIGHT: f64 = 1e-9;
/// Ambiguous frames this near to each other are reported as one interval, seconds.
const JOINED_S: f64 = 0.1;

/// What happens where the kernel reaches over an end of the motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "options", derive(clap::ValueEnum, schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum Edge {
    /// Those frames stay as they are.
    Copy,
    /// The motion goes on, point-reflected at its end: q₋ₖ = q₀·qₖ⁻¹·q₀, p₋ₖ = 2p₀ − pₖ.
    #[default]
    Reflect,
    /// The end pose is held.
    Clamp,
    /// Missing frames are left out and the other weights brought to sum 1.
    Truncate,
}

/// How to filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FilterConfig {
    /// How rotations are combined.
    pub method: Method,
    /// What happens at the ends.
    pub edge: Edge,
}

/// Why a motion cannot be filtered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FilterError {
    /// The kernel must fit into the motion.
    #[error("a kernel of {taps} taps is longer than the motion of {frames} frames")]
    TooLong {
        /// Taps of the kernel.
        taps: usize,
        /// Frames of motion.
        frames: usize,
        /// Largest odd count that fits.
        most: usize,
    },
    /// Nothing to filter.
    #[error("the clip has no frames of motion")]
    Empty,
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// What filtering did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FilterReport {
    /// How rotations were combined.
    pub method: Method,
    /// What happened at the ends.
    pub edge: Edge,
    /// Taps of the kernel.
    pub taps: usize,
    /// Frames of motion, without an added T-pose.
    pub frames: usize,
    /// Joint-frames whose exact mean did not converge, for which the one step was taken instead.
    pub fallbacks: usize,
    /// Joints and times at which a window turns so far that several means compete.
    pub ambiguous: Vec<AmbiguousJoint>,
    /// The largest turn any joint got, degrees.
    pub largest_change_deg: f32,
    /// The joint that got it; none when nothing turned.
    pub largest_change_joint: Option<String>,
    /// The frame it got it in, counted with an added T-pose.
    pub largest_change_frame: usize,
}

/// When a joint's windows have several means that compete: `exact` takes the lowest and may jump from one to another, `path`
/// follows the unwrapped curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AmbiguousJoint {
    /// The joint.
    pub joint: String,
    /// How many frames.
    pub frames: usize,
    /// From when to when, seconds; 0 is the first frame of the clip, also when it is an added T-pose.
    pub times_s: Vec<[f64; 2]>,
}

impl AmbiguousJoint {
    /// Frames in order, those within a tenth of a second of each other joined.
    #[must_use]
    pub fn new(joint: &str, frames: &[usize], fps: f64) -> Self {
        let mut times_s: Vec<[f64; 2]> = Vec::new();
        for &frame in frames {
            let (start, end) = (frame as f64 / fps, (frame + 1) as f64 / fps);
            match times_s.last_mut() {
                Some(last) if start - last[1] <= JOINED_S => last[1] = end,
                _ => times_s.push([start, end]),
            }
        }
        Self { joint: joint.to_owned(), frames: frames.len(), times_s }
    }
}

/// A filtered motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Filtered {
    /// The result, on the same skeleton at the same rate.
    pub clip: Clip,
    /// What was done.
    pub report: FilterReport,
}

/// Filters every joint and path of `clip`. An added T-pose stays as it is and outside every window.
///
/// # Errors
/// When the kernel is longer than the motion, there is no motion, or the caller stops.
pub fn filter(
    clip: &Clip,
    kernel: &Kernel,
    config: FilterConfig,
    progress: Progress<'_>,
) -> Result<Filtered, FilterError> {
    let motion = clip.motion_frames();
    fits(kernel, motion.len())?;
    let mut result = clip.clone();
    let done = for_each_joint(result.rotations_mut(), progress, |joint, mut out| {
        let track = clip.rotations().track(joint).part(motion.clone());
        let part = out.each_mut().map(|values| &mut values[motion.clone()]);
        let doubts = filter_rotations(&track, kernel, config, part);
        align_track_signs(out.each_mut().map(|values| &mut values[..]));
        let (frame, angle) = largest_change(&track, out.each_ref().map(|values| &values[motion.clone()]));
        (doubts, frame, angle)
    })?;
    filter_path(result.root_mut(), &motion, kernel, config.edge);
    for translation in result.translations_mut() {
        filter_path(&mut translation.track, &motion, kernel, config.edge);
    }
    let mut report = FilterReport {
        method: config.method,
        edge: config.edge,
        taps: kernel.taps().len(),
        frames: motion.len(),
        fallbacks: done.iter().map(|(doubts, ..)| doubts.fallbacks).sum(),
        ambiguous: Vec::new(),
        largest_change_deg: 0.0,
        largest_change_joint: None,
        largest_change_frame: motion.start,
    };
    for (joint, (doubts, frame, angle)) in done.into_iter().enumerate() {
        if !doubts.ambiguous.is_empty() {
            let frames: Vec<usize> = doubts.ambiguous.iter().map(|frame| motion.start + frame).collect();
            report.ambiguous.push(AmbiguousJoint::new(
                &clip.skeleton().joint(joint).name,
                &frames,
                clip.fps(),
            ));
        }
        if angle.to_degrees() > report.largest_change_deg {
            report.largest_change_deg = angle.to_degrees();
            report.largest_change_joint = Some(clip.skeleton().joint(joint).name.clone());
            report.largest_change_frame = motion.start + frame;
        }
    }
    Ok(Filtered { clip: result, report })
}

/// The frame that turned most and by how much, radians.
fn largest_change(before: &RotationTrack<'_>, [x, y, z, w]: [&[f32]; 4]) -> (usize, f32) {
    let dot =
        |i: usize| (x[i] * before.x[i] + y[i] * before.y[i] + z[i] * before.z[i] + w[i] * before.w[i]).abs();
    // The smallest |dot product| is the largest angle. Bits of positive numbers are ordered as the numbers are,
    // and integers vectorise where comparisons of floats may not.
    let least = (0..x.len()).map(|i| dot(i).to_bits()).min();
    let at = (0..x.len()).find(|&i| Some(dot(i).to_bits()) == least);
    let frame = at.unwrap_or(0);
    (frame, angle_between(before.get(frame), Quat::from_xyzw(x[frame], y[frame], z[frame], w[frame])))
}

/// What filtering markers did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MarkerFilterReport {
    /// How many markers.
    pub markers: usize,
    /// How many frames.
    pub frames: usize,
    /// Taps of the kernel.
    pub taps: usize,
    /// What happened at the ends.
    pub edge: Edge,
    /// The farthest that a marker was moved, metres.
    pub largest_change_m: f32,
    /// The marker; none when none moved.
    pub largest_change_marker: Option<String>,
    /// The frame it was moved so far in.
    pub largest_change_frame: usize,
}

/// Filtered markers.
#[derive(Debug, Clone, PartialEq)]
pub struct FilteredMarkers {
    /// The result, at the same rate.
    pub markers: Markers,
    /// What was done.
    pub report: MarkerFilterReport,
}

/// Filters every marker's path; gaps stay gaps, and next to them a path goes on point-reflected.
///
/// # Errors
/// As [`filter`].
pub fn filter_markers(
    markers: &Markers,
    kernel: &Kernel,
    edge: Edge,
    progress: Progress<'_>,
) -> Result<FilteredMarkers, FilterError> {
    let frames = markers.num_frames();
    fits(kernel, frames)?;
    let mut points = Vec::new();
    for marker in 0..markers.labels().len() {
        report(progress, marker as f32 / markers.labels().len() as f32)?;
        let track: Vec<Option<DVec3>> =
            (0..frames).map(|frame| markers.get(marker, frame).map(Vec3::as_dvec3)).collect();
        points.extend(vectors(&track, kernel, edge).into_iter().map(|p| p.map_or(Vec3::NAN, DVec3::as_vec3)));
    }
    let smooth = markers.with_points(points);
    let mut report = MarkerFilterReport {
        markers: markers.labels().len(),
        frames,
        taps: kernel.taps().len(),
        edge,
        largest_change_m: 0.0,
        largest_change_marker: None,
        largest_change_frame: 0,
    };
    for (marker, label) in markers.labels().iter().enumerate() {
        for frame in 0..frames {
            let (Some(p), Some(q)) = (markers.get(marker, frame), smooth.get(marker, frame)) else {
                continue;
            };
            if p.distance(q) > report.largest_change_m {
                report.largest_change_m = p.distance(q);
                report.largest_change_marker = Some(label.clone());
                report.largest_change_frame = frame;
            }
        }
    }
    Ok(FilteredMarkers { markers: smooth, report })
}

fn fits(kernel: &Kernel, frames: usize) -> Result<(), FilterError> {
    if frames == 0 {
        return Err(FilterError::Empty);
    }
    let taps = kernel.taps().len();
    if taps > frames {
        let most = frames - usize::from(frames.is_multiple_of(2));
        return Err(FilterError::TooLong { taps, frames, most });
    }
    Ok(())
}

/// Frames of one joint whose mean is in doubt.
#[derive(Default)]
pub(super) struct Doubts {
    /// Means that did not converge, for which one step was taken.
    fallbacks: usize,
    /// Frames where several means compete, in order.
    ambiguous: Vec<usize>,
}

/// One joint's rotations through the kernel into `out`; which means are in doubt.
pub(super) fn filter_rotations(
    samples: &RotationTrack<'_>,
    kernel: &Kernel,
    config: FilterConfig,
    mut out: [&mut [f32]; 4],
) -> Doubts {
    let reach = kernel.reach();
    let n = samples.len();
    let mut doubts = Doubts::default();
    if [samples.x, samples.y, samples.z, samples.w].iter().all(|c| c.windows(2).all(|p| p[0] == p[1])) {
        // A joint that does not turn keeps its bits.
        return doubts;
    }
    // Frames whose window is cut by an end of the motion are not filtered, or by another rule than the rest.
    let cut = |frame: usize| frame < reach || frame + reach >= n;
    let own_rule = |frame: usize| cut(frame) && matches!(config.edge, Edge::Copy | Edge::Truncate);
    let padded = || {
        let range = -(reach as isize)..(n + reach) as isize;
        range.map(|at| extended(samples, at, config.edge).as_dquat().normalize())
    };
    let mut windows = Windows { samples, kernel, config, unrolled: None };
    let redone: Vec<usize> = match config.method {
        Method::Path | Method::Exact | Method::Expmap | Method::Qlerp => {
            let lanes = Padded::new(samples, reach, 1, |at| extended(samples, at, config.edge));
            let taps: Vec<f32> = kernel.taps().iter().map(|&h| h as f32).collect();
            let mut wide = filter_track(config.method, &lanes, &taps, out.each_mut().map(|v| &mut v[..]));
            if config.method == Method::Path && (!wide.is_empty() || has_open_step(samples)) {
                let unrolled = Unrolled::new(padded());
                let long = |frame: &usize| unrolled.takes_longer_way(&(*frame..frame + 2 * reach + 1));
                wide.extend((0..n).filter(long));
                wide.sort_unstable();
                wide.dedup();
                windows.unrolled = Some(unrolled);
            }
            wide
        }
        Method::Leeshin => {
            let padded: Vec<DQuat> = padded().collect();
            let track = lee_shin_track(&padded, kernel.taps());
            track.into_iter().enumerate().for_each(|(frame, q)| put(&mut out, frame, q.as_quat()));
            Vec::new()
        }
        Method::Article | Method::QlerpRaw | Method::LogRaw => (0..n).collect(),
    };
    let truncated = (0..n).filter(|&frame| cut(frame) && config.edge == Edge::Truncate);
    let mut redone: Vec<usize> =
        redone.into_iter().filter(|&frame| !own_rule(frame)).chain(truncated).collect();
    redone.sort_unstable();
    let mut last: Option<(usize, Quat)> = None;
    for &frame in &redone {
        let hint = last.filter(|(before, _)| before + 1 == frame).map(|(_, q)| q);
        let (q, doubt) = windows.combined(frame, hint);
        put(&mut out, frame, q);
        last = Some((frame, q));
        match doubt {
            Some(Doubt::Fallback) => doubts.fallbacks += 1,
            Some(Doubt::Ambiguous) => doubts.ambiguous.push(frame),
            None => {}
        }
    }
    if config.method == Method::Exact {
        // The mean of the next frame may lie in a lower valley, as that of the frame before was tried.
        for pair in redone.windows(2).rev().filter(|pair| pair[0] + 1 == pair[1]) {
            let [q, next] =
                [pair[0], pair[1]].map(|frame| Quat::from_array(out.each_ref().map(|v| v[frame])));
            if let Some(lower) = windows.lower(pair[0], q, next) {
                put(&mut out, pair[0], lower);
            }
        }
    }
    if config.edge == Edge::Copy {
        (0..n).filter(|&frame| cut(frame)).for_each(|frame| put(&mut out, frame, samples.get(frame)));
    }
    doubts
}

/// Writes `q` to x, y, z, w of `frame`.
fn put(out: &mut [&mut [f32]; 4], frame: usize, q: Quat) {
    out.iter_mut().zip(q.to_array()).for_each(|(values, value)| values[frame] = value);
}

/// Whether a step is so long that it may have gone the other way round.
fn has_open_step(samples: &RotationTrack<'_>) -> bool {
    let least = (0.5 * OPEN_STEP_RAD).cos() as f32;
    (1..samples.len()).any(|frame| samples.get(frame - 1).dot(samples.get(frame)).abs() < least)
}

/// Why a mean is in doubt.
enum Doubt {
    /// It did not converge; one step was taken.
    Fallback,
    /// Others compete with it.
    Ambiguous,
}

/// Windows of one joint, one at a time in f64.
struct Windows<'a> {
    samples: &'a RotationTrack<'a>,
    kernel: &'a Kernel,
    config: FilterConfig,
    /// The unwrapped curve with the kernel's reach more on either side.
    unrolled: Option<Unrolled>,
}

impl Windows<'_> {
    /// Where the taps of `frame` lie and their weights of sum 1; nothing where cut-off taps cancel.
    fn taps(&self, frame: usize) -> Option<(Vec<isize>, Vec<f64>)> {
        let reach = self.kernel.reach() as isize;
        let inside = 0..self.samples.len() as isize;
        let used = |at: &isize| self.config.edge != Edge::Truncate || inside.contains(at);
        let taps = (-reach..=reach).zip(self.kernel.taps()).map(|(k, &h)| (frame as isize + k, h));
        let (at, mut weights): (Vec<isize>, Vec<f64>) = taps.filter(|(at, _)| used(at)).unzip();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|h| *h /= sum);
        (sum.abs() >= MIN_WEIGHT).then_some((at, weights))
    }

    fn rotations(&self, at: &[isize]) -> Vec<DQuat> {
        at.iter().map(|&at| extended(self.samples, at, self.config.edge).as_dquat().normalize()).collect()
    }

    /// The window of `frame` combined; the mean of a neighbour is a `hint`.
    fn combined(&self, frame: usize, hint: Option<Quat>) -> (Quat, Option<Doubt>) {
        let Some((at, weights)) = self.taps(frame) else {
            // Negative taps may cancel once some are cut off; such a frame stays as it is.
            return (self.samples.get(frame), None);
        };
        let (reach, method) = (self.kernel.reach(), self.config.method);
        if let (Method::Path, Some(unrolled)) = (method, &self.unrolled) {
            let first = (at[0] + reach as isize) as usize;
            let found = unrolled.mean(first..first + at.len(), &weights, frame + reach);
            return (found.mean.as_quat(), found.ambiguous.then_some(Doubt::Ambiguous));
        }
        let window = self.rotations(&at);
        let centre = (frame as isize - at[0]) as usize;
        if method == Method::Exact {
            let near: Vec<DQuat> = std::iter::once(window[centre]).chain(hint.map(Quat::as_dquat)).collect();
            if let Some(found) = global_mean(&window, &weights, &near) {
                return (found.mean.as_quat(), found.ambiguous.then_some(Doubt::Ambiguous));
            }
        }
        let (q, gave_up) = combine(method, &window, &weights, centre);
        (q.as_quat(), gave_up.then_some(Doubt::Fallback))
    }

    /// The mean of `frame` from the start `hint`, where that is lower than `mean`.
    fn lower(&self, frame: usize, mean: Quat, hint: Quat) -> Option<Quat> {
        let (at, weights) = self.taps(frame)?;
        let window = self.rotations(&at);
        lower_mean(&window, &weights, mean.as_dquat().normalize(), hint.as_dquat().normalize())
            .map(DQuat::as_quat)
    }
}

/// Sample `at`, which may lie outside, by the rule of `edge`.
pub(super) fn extended(samples: &RotationTrack<'_>, at: isize, edge: Edge) -> Quat {
    let last = samples.len() as isize - 1;
    let inside = at.clamp(0, last);
    let q = samples.get(inside as usize);
    if at == inside || edge != Edge::Reflect {
        return q;
    }
    let mirrored = samples.get((2 * inside - at).clamp(0, last) as usize);
    let (end, mirrored): (DQuat, DQuat) = (q.as_dquat(), mirrored.as_dquat());
    (end * mirrored.conjugate() * end).normalize().as_quat()
}

/// A joint's path through the kernel.
pub(super) fn filter_path(track: &mut VectorTrack, motion: &Range<usize>, kernel: &Kernel, edge: Edge) {
    for values in [&mut track.x, &mut track.y, &mut track.z] {
        let values = &mut values[motion.clone()];
        let (reach, n) = (kernel.reach(), values.len());
        let last = n as isize - 1;
        let padded: Vec<f64> = (-(reach as isize)..(n + reach) as isize)
            .map(|at| {
                let inside = at.clamp(0, last);
                let p = f64::from(values[inside as usize]);
                if at == inside || edge != Edge::Reflect {
                    return p;
                }
                2.0 * p - f64::from(values[(2 * inside - at).clamp(0, last) as usize])
            })
            .collect();
        let centre = &padded[reach..reach + n];
        // Relative to the centre, so that constants keep their bits. Tap by tap, which vectorises.
        let mut sums = vec![0.0; n];
        for (k, &h) in kernel.taps().iter().enumerate() {
            for ((sum, &p), &c) in sums.iter_mut().zip(&padded[k..k + n]).zip(centre) {
                *sum += h * (p - c);
            }
        }
        for frame in 0..n {
            let cut = frame < reach || frame + reach >= n;
            let sum = match edge {
                Edge::Copy if cut => continue,
                Edge::Truncate if cut => {
                    let taps = reach.saturating_sub(frame)..kernel.taps().len().min(n - frame + reach);
                    let (mut sum, mut weight) = (0.0, 0.0);
                    for k in taps {
                        sum += kernel.taps()[k] * (padded[frame + k] - centre[frame]);
                        weight += kernel.taps()[k];
                    }
                    if weight.abs() < MIN_WEIGHT { 0.0 } else { sum / weight }
                }
                _ => sums[frame],
            };
            values[frame] = (centre[frame] + sum) as f32;
        }
    }
}

/// A path through the kernel; points missing on both sides have no weight, and a missing centre stays missing.
fn vectors(points: &[Option<DVec3>], kernel: &Kernel, edge: Edge) -> Vec<Option<DVec3>> {
    let reach = kernel.reach() as isize;
    let last = points.len() as isize - 1;
    let at = |i: isize| -> Option<DVec3> {
        let inside = i.clamp(0, last);
        let p = points[inside as usize];
        match edge {
            _ if i == inside => p,
            Edge::Clamp => p,
            Edge::Reflect => Some(2.0 * p? - points[(2 * inside - i).clamp(0, last) as usize]?),
            Edge::Copy | Edge::Truncate => None,
        }
    };
    (0..=last)
        .map(|frame| {
            let centre = points[frame as usize]?;
            let cut = frame < reach || frame + reach > last;
            if edge == Edge::Copy && cut {
                return Some(centre);
            }
            // Relative to the centre, so that far from the origin no digits are lost.
            let (mut sum, mut weight) = (DVec3::ZERO, 0.0);
            for (k, &h) in (-reach..=reach).zip(kernel.taps()) {
                // Missing frames are extrapolated symmetrically: a moving marker is not pulled back next to a gap.
                let opposite = || match (0..=last).contains(&(frame + k)) {
                    true => at(frame - k).map(|p| 2.0 * centre - p),
                    false => None,
                };
                if let Some(p) = at(frame + k).or_else(opposite) {
                    sum += (p - centre) * h;
                    weight += h;
                }
            }
            Some(if weight.abs() < MIN_WEIGHT { centre } else { centre + sum / weight })
        })
        .collect()
}
