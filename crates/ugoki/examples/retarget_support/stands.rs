//! Where ankles and toes of a capture stand, judged by nothing but their paths, and how far they stray there in the result.

use glam::Vec3;
use ugoki::clip::Clip;
use ugoki::contact::{Foot, find_feet};
use ugoki::math::{median, quantile};
use ugoki::pose::ModelPose;

/// A point slower than this stands, m/s.
const SLOW_M_S: f32 = 0.05;
/// For at least so long, seconds.
const LEAST_S: f64 = 0.17;
/// And no higher than this over its lowest tenth, metres.
const LOW_M: f64 = 0.03;
/// Half the span of the speed, seconds.
const HALF_S: f64 = 1.0 / 60.0;

/// One stand of one point.
pub(crate) struct Stand {
    /// Which point.
    pub(crate) point: &'static str,
    /// When it begins, seconds.
    pub(crate) start_s: f64,
    /// Farthest over the ground from its median place in the source at the target's size, and in the result, mm.
    pub(crate) strays_mm: [f64; 2],
}

impl Stand {
    /// How much farther the result strays, mm.
    pub(crate) fn more_mm(&self) -> f64 {
        self.strays_mm[1] - self.strays_mm[0]
    }
}

/// All stands of `source`, which is scaled to the size of `result`.
pub(crate) fn stands(source: &Clip, result: &Clip) -> Vec<Stand> {
    type Point = fn(&Foot, &ModelPose) -> Vec3;
    let (Ok(feet), Ok(own)) = (find_feet(source.skeleton()), find_feet(result.skeleton())) else {
        return Vec::new();
    };
    let points: [(&str, usize, Point); 4] = [
        ("left ankle", 0, |foot, pose| pose.positions[foot.ankle]),
        ("left toe", 0, |foot, pose| foot.toe.position(pose)),
        ("right ankle", 1, |foot, pose| pose.positions[foot.ankle]),
        ("right toe", 1, |foot, pose| foot.toe.position(pose)),
    ];
    let (poses, result) = (source.model_poses(), result.model_poses());
    let (motion, fps) = (source.motion_frames(), source.fps());
    let half = ((HALF_S * fps).round() as usize).max(1);
    let mut found = Vec::new();
    for (name, side, point) in points {
        let path: Vec<Vec3> = poses.iter().map(|pose| point(&feet.feet[side], pose)).collect();
        let there: Vec<Vec3> = result.iter().map(|pose| point(&own.feet[side], pose)).collect();
        let heights: Vec<f64> = path[motion.clone()].iter().map(|p| f64::from(p.y)).collect();
        let Some(low) = quantile(&heights, 0.1) else { continue };
        let stands = |f: usize| {
            let inside = f >= motion.start + half && f + half < motion.end;
            inside
                && f64::from(path[f].y) < low + LOW_M
                && (path[f + half] - path[f - half]).length() * fps as f32 / (2 * half) as f32 <= SLOW_M_S
        };
        let mut start = motion.start;
        while start < motion.end {
            let end = (start..motion.end).find(|&f| !stands(f)).unwrap_or(motion.end);
            if (end - start) as f64 >= LEAST_S * fps {
                let strays_mm = [stray_mm(&path[start..end]), stray_mm(&there[start..end])];
                found.push(Stand { point: name, start_s: start as f64 / fps, strays_mm });
            }
            start = end + 1;
        }
    }
    found
}

/// Farthest over the ground from the median place, mm.
fn stray_mm(points: &[Vec3]) -> f64 {
    let middle =
        |axis: usize| median(&points.iter().map(|p| f64::from(p[axis])).collect::<Vec<_>>()).unwrap_or(0.0);
    let (x, z) = (middle(0), middle(2));
    points.iter().map(|p| 1e3 * (f64::from(p.x) - x).hypot(f64::from(p.z) - z)).fold(0.0, f64::max)
}
