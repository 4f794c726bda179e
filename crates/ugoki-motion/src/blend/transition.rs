//! From one clip into another: a cross-fade over a window in which both play.
//!
//! The second clip is turned and shifted on the ground to meet the first over the window, and the weight
//! goes from one to the other along a curve without jumps in speed or acceleration. Before the window the
//! result is the first clip as it is; after it, the second as it was moved.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use ugoki_base::clip::{Clip, ClipError, RotationTracks, Translation, VectorTrack};
use ugoki_base::ground::{GroundFrame, wrap_angle};
use ugoki_base::signal::{align_track_signs, for_each_joint};
use ugoki_base::{Cancelled, Progress};

use super::follow::{competing_frames, follow};
use super::ground::{Course, mean_heading};
use super::interpolation::skeleton_difference;
use super::mix::{Tracks, Weights, mix_track};

/// How to go from one clip into another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TransitionConfig {
    /// How long both play, seconds.
    pub seconds: f64,
    /// Whether the second clip is turned and shifted on the ground to meet the first.
    pub ground: bool,
}

impl Default for TransitionConfig {
    /// A third of a second, as interactive systems use \[kovar2002\], with the ground aligned.
    fn default() -> Self {
        Self { seconds: 1.0 / 3.0, ground: true }
    }
}

/// What a transition did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TransitionReport {
    /// First frame of the result in which the second clip has weight.
    pub start: usize,
    /// Frames in which both play.
    pub frames: usize,
    /// Turn about the vertical the second clip got, degrees.
    pub turn_deg: f64,
    /// Shift along the ground it got, metres.
    pub shift_m: f32,
    /// Largest angle between the two clips' joints inside the window, degrees: how much there was to hide.
    pub largest_gap_deg: f32,
}

/// Two clips as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    /// The result, on the first clip's skeleton at its rate.
    pub clip: Clip,
    /// What was done.
    pub report: TransitionReport,
}

/// Why there is no way from one clip into the other.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TransitionError {
    /// Both must last as long as the window.
    #[error(
        "a transition of {frames} frames does not fit into clips of {first} and {second} frames, at most {most_s:.3} s"
    )]
    TooLong {
        /// Frames of the window.
        frames: usize,
        /// Motion frames of the first clip.
        first: usize,
        /// Motion frames of the second clip.
        second: usize,
        /// The longest window that fits, seconds.
        most_s: f64,
    },
    /// The window must have a length.
    #[error("a transition of {seconds} s is not possible, expected 0 or more")]
    Seconds {
        /// The length given, seconds.
        seconds: f64,
    },
    /// Joints must correspond.
    #[error("the second clip has another skeleton than the first: {difference}")]
    Skeleton {
        /// The joints that differ.
        difference: String,
    },
    /// A clip without motion.
    #[error("a clip has no frames of motion")]
    Empty,
    /// The rate of the second clip cannot be changed.
    #[error(transparent)]
    Rate(#[from] ClipError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Fades from `first` into `second`. Added T-poses are left out.
///
/// # Errors
/// When the window does not fit, the skeletons differ or the caller stops.
pub fn transition(
    first: &Clip,
    second: &Clip,
    config: TransitionConfig,
    progress: Progress<'_>,
) -> Result<Transition, TransitionError> {
    if !(config.seconds.is_finite() && config.seconds >= 0.0) {
        return Err(TransitionError::Seconds { seconds: config.seconds });
    }
    if let Some(difference) = skeleton_difference(first.skeleton(), second.skeleton()) {
        return Err(TransitionError::Skeleton { difference });
    }
    let fps = first.fps();
    let second = second.resampled(fps)?;
    if first.motion_frames().is_empty() || second.motion_frames().is_empty() {
        return Err(TransitionError::Empty);
    }
    let a = first.trimmed(first.motion_frames())?;
    let mut b = second.trimmed(second.motion_frames())?;
    let (n, m) = (a.num_frames(), b.num_frames());
    let window = (config.seconds * fps).round();
    if window > n.min(m) as f64 {
        let most_s = n.min(m) as f64 / fps;
        return Err(TransitionError::TooLong { frames: window as usize, first: n, second: m, most_s });
    }
    let window = window as usize;
    let start = n - window;
    // Weights of the second clip; both ends of the window lie outside it, so no frame plays twice.
    let fade: Vec<f64> = (0..window).map(|i| smooth_step((i + 1) as f64 / (window + 1) as f64)).collect();
    let mut report =
        TransitionReport { start, frames: window, turn_deg: 0.0, shift_m: 0.0, largest_gap_deg: 0.0 };
    if config.ground {
        let m = meeting(&a, &b, start, &fade);
        report.turn_deg = f64::from(m.yaw).to_degrees();
        report.shift_m = m.shift.length();
        b.carry(&m);
    }
    for joint in 0..a.num_joints() {
        for i in 0..window {
            let gap = ugoki_base::math::angle_between(a.rotation(joint, start + i), b.rotation(joint, i));
            report.largest_gap_deg = report.largest_gap_deg.max(gap.to_degrees());
        }
    }
    let clip = joined(&a, &b, start, &fade, progress)?;
    Ok(Transition { clip, report })
}

/// From 0 to 1 with first and second derivative 0 at both ends: 6u⁵ − 15u⁴ + 10u³.
fn smooth_step(u: f64) -> f64 {
    u * u * u * (u * (6.0 * u - 15.0) + 10.0)
}

/// The move that brings `b` onto `a` over the window: mean turn and mean place, counted most where the
/// weights are most even.
fn meeting(a: &Clip, b: &Clip, start: usize, fade: &[f64]) -> GroundFrame {
    let last = a.num_frames() - 1;
    let frames: Vec<(usize, usize, f64)> = if fade.is_empty() {
        vec![(last, 0, 1.0)]
    } else {
        fade.iter().enumerate().map(|(i, w)| (start + i, i, 4.0 * w * (1.0 - w))).collect()
    };
    let total: f64 = frames.iter().map(|f| f.2).sum();
    let weights: Vec<f64> = frames.iter().map(|f| f.2 / total).collect();
    let (there, here) = (Course::of(a), Course::of(b));
    let (mut turns, mut place, mut target) = (Vec::new(), DVec3::ZERO, DVec3::ZERO);
    for (&(i, j, _), &w) in frames.iter().zip(&weights) {
        turns.push(wrap_angle(there.headings[i] - here.headings[j]));
        place += here.places[j] * w;
        target += there.places[i] * w;
    }
    let yaw = mean_heading(&turns, &weights, turns.len() / 2);
    GroundFrame::carrying(place.with_y(0.0).as_vec3(), target.with_y(0.0).as_vec3(), yaw as f32)
}

fn joined(
    a: &Clip,
    b: &Clip,
    start: usize,
    fade: &[f64],
    progress: Progress<'_>,
) -> Result<Clip, TransitionError> {
    let frames = start + b.num_frames();
    let window = fade.len();
    let going = fade.iter().map(|w| (1.0 - w) as f32).collect();
    let weights = Weights::new(vec![going, fade.iter().map(|&w| w as f32).collect()]);
    let mut rotations = RotationTracks::identity(a.num_joints(), frames);
    for_each_joint(&mut rotations, progress, |joint, mut out| {
        let (p, q) = (a.rotations().track(joint), b.rotations().track(joint));
        let (p, q) = ([p.x, p.y, p.z, p.w], [q.x, q.y, q.z, q.w]);
        for c in 0..4 {
            out[c][..start].copy_from_slice(&p[c][..start]);
            out[c][start + window..].copy_from_slice(&q[c][window..]);
        }
        let both = [p.map(|values| &values[start..]), q.map(|values| &values[..window])];
        let tracks = Tracks { rotations: &both, weights: &weights };
        let mut part = out.each_mut().map(|values| &mut values[start..start + window]);
        mix_track(true, &tracks, part.each_mut().map(|values| &mut values[..]));
        follow(&tracks, &competing_frames(&tracks), &mut part);
        align_track_signs(out);
    })?;
    let path = |joint: usize| -> VectorTrack {
        (0..frames)
            .map(|frame| {
                if frame < start {
                    return a.local_position(joint, frame);
                }
                let i = frame - start;
                let q = b.local_position(joint, i);
                if i >= window {
                    return q;
                }
                a.local_position(joint, frame).lerp(q, fade[i] as f32)
            })
            .collect()
    };
    let mut joints: Vec<usize> =
        a.translations().iter().chain(b.translations()).map(|translation| translation.joint).collect();
    joints.sort_unstable();
    joints.dedup();
    let translations = joints.iter().map(|&joint| Translation { joint, track: path(joint) }).collect();
    let mut clip = Clip::from_tracks(a.skeleton().clone(), a.fps(), path(0), rotations, translations)?;
    clip.name.clone_from(&a.name);
    clip.tags.clone_from(&a.tags);
    Ok(clip)
}
