//! The way over the ground and the turns on it.

use ugoki_base::clip::Clip;
use ugoki_base::ground::headings;
use ugoki_base::math::quantile;
use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::Role;

use super::smooth;

/// Sway of the hips within a step is averaged away over this time: about one step, seconds.
const STEP_S: f64 = 0.5;

/// The largest turn to one side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Turn {
    pub(super) degrees: f64,
    /// Way of the hips meanwhile, metres.
    pub(super) path_m: f64,
}

/// Where the body goes and looks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Path {
    pub(super) speed_m_s: f64,
    pub(super) peak_m_s: f64,
    pub(super) path_m: f64,
    pub(super) turn_deg: f64,
    pub(super) left: Turn,
    pub(super) right: Turn,
    pub(super) rise_m: f64,
    /// Fraction of the time in which the hips travel.
    pub(super) moving_fraction: f64,
    /// Seconds in which the hips travel.
    pub(super) moving_s: f64,
    /// Mean speed in that time, m/s.
    pub(super) moving_m_s: f64,
    /// Farthest that the hips get from where they began, over the ground, metres.
    pub(super) reach_m: f64,
    /// Mean speed along where the body faces, over mean speed: 1 forwards, −1 backwards, 0 sideways.
    pub(super) forward: f64,
}

/// Hips faster than this over the ground travel, m/s: a third of a slow walk, above the sway of standing people.
pub(super) const TRAVEL_M_S: f64 = 0.3;

impl Path {
    pub(super) fn measure(clip: &Clip, poses: &[ModelPose]) -> Option<Self> {
        let skeleton = clip.skeleton();
        let hips = skeleton.find(Role::Hips)?;
        let (first, last) = (poses.first()?, poses.last()?);
        let fps = clip.fps();
        let axis = |pick: fn(glam::Vec3) -> f32| -> Vec<f64> {
            let raw: Vec<f64> = poses.iter().map(|pose| f64::from(pick(pose.positions[hips]))).collect();
            smooth(&raw, fps, STEP_S)
        };
        let (x, z) = (axis(|p| p.x), axis(|p| p.z));
        let steps: Vec<(f64, f64)> = (1..x.len()).map(|i| (x[i] - x[i - 1], z[i] - z[i - 1])).collect();
        let lengths: Vec<f64> = steps.iter().map(|(dx, dz)| dx.hypot(*dz)).collect();
        let speeds: Vec<f64> = lengths.iter().map(|length| length * fps).collect();
        let headings = smooth(&headings(clip.skeleton(), poses), fps, STEP_S);
        let path_m: f64 = lengths.iter().sum();
        let moving: Vec<f64> = speeds.iter().copied().filter(|&v| v > TRAVEL_M_S).collect();
        let mut along = 0.0;
        for (i, (dx, dz)) in steps.iter().enumerate() {
            if let Some(heading) = headings.get(i) {
                along += dx * heading.sin() + dz * heading.cos();
            }
        }
        let (left, right) = turns(&headings, &lengths);
        let reach_m = (0..x.len()).map(|i| (x[i] - x[0]).hypot(z[i] - z[0])).fold(0.0, f64::max);
        Some(Self {
            speed_m_s: path_m * fps / lengths.len().max(1) as f64,
            peak_m_s: quantile(&speeds, 0.95).unwrap_or(0.0),
            path_m,
            turn_deg: match (headings.first(), headings.last()) {
                (Some(first), Some(last)) => (last - first).to_degrees(),
                _ => 0.0,
            },
            left,
            right,
            rise_m: f64::from(last.positions[hips].y - first.positions[hips].y),
            moving_fraction: moving.len() as f64 / speeds.len().max(1) as f64,
            moving_s: moving.len() as f64 / fps,
            moving_m_s: moving.iter().sum::<f64>() / moving.len().max(1) as f64,
            reach_m,
            forward: if path_m > 0.0 { along / path_m } else { 0.0 },
        })
    }
}

/// The largest turn to the left and to the right between any two moments.
fn turns(headings: &[f64], lengths: &[f64]) -> (Turn, Turn) {
    let mut best = [Turn::default(); 2];
    for (turn, sign) in best.iter_mut().zip([1.0, -1.0]) {
        let mut lowest = 0;
        for (i, heading) in headings.iter().enumerate() {
            if sign * heading < sign * headings[lowest] {
                lowest = i;
            }
            let degrees = (sign * (heading - headings[lowest])).to_degrees();
            if degrees > turn.degrees {
                *turn = Turn { degrees, path_m: lengths[lowest..i.min(lengths.len())].iter().sum() };
            }
        }
    }
    (best[0], best[1])
}
