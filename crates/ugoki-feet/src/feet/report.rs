//! What planting changed, before and after.

use std::fmt;
use std::ops::Range;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::{FootContacts, runs};
use ugoki_base::math::angle_between;
use ugoki_base::pose::ModelPose;

use crate::contact::Feet;

/// Horizontal speed of heels and toes while they stand, mm/s.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Skate {
    /// Mean over all contact frames.
    pub mean_mm_s: f64,
    /// Worst frame.
    pub max_mm_s: f64,
}

/// Why a contact was not planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// Its point moves too far for a stance.
    Slides,
    /// Holding it would bend a knee too much, or the leg does not reach.
    Reach,
}

/// A contact that was not planted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftAlone {
    /// 0 the left foot, 1 the right.
    pub foot: usize,
    /// The heel's contact, not the toe's.
    pub heel: bool,
    /// Its first frame.
    pub start: usize,
    /// One past its last frame.
    pub end: usize,
    /// What was in the way.
    pub why: Why,
}

impl LeftAlone {
    pub(super) fn new(foot: usize, heel: bool, frames: Range<usize>, why: Why) -> Self {
        Self { foot, heel, start: frames.start, end: frames.end, why }
    }
}

/// Before and after planting.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlantReport {
    /// Slipping of the source where its contacts stand, without landing and rolling off.
    pub skate_before: Skate,
    /// The same after.
    pub skate_after: Skate,
    /// Slipping of the source in all frames in which heel or toe is on the ground by its height and speed alone, held or not.
    pub ground_skate_before: Skate,
    /// The same frames after.
    pub ground_skate_after: Skate,
    /// Deepest heel or toe point under the floor in the source, mm.
    pub penetration_before_mm: f64,
    /// The same after.
    pub penetration_after_mm: f64,
    /// Tilt of the source's floor that was removed, mm per metre.
    pub tilt_mm_m: f64,
    /// Height of the source's floor that was removed, metres.
    pub offset_m: f64,
    /// Largest change of a knee's angle, degrees.
    pub knee_change_deg: f64,
    /// Largest shift of the hips after levelling, mm.
    pub hip_shift_mm: f64,
    /// Largest angular acceleration of a knee in the source, degrees/s².
    pub knee_acceleration_before: f64,
    /// The same after.
    pub knee_acceleration_after: f64,
    /// Fraction of the contacts' frames that are held: the rest lands, rolls off, slides or was let go.
    pub held_share: f64,
    /// How many contacts slid too far to be a stance and were left alone.
    pub slid: usize,
    /// How many contacts no leg could hold without bending too much, and were let go.
    pub released: usize,
    /// The contacts counted in `slid` and `released`.
    pub left_alone: Vec<LeftAlone>,
    /// Frames in which a foot jumps away and back; left as they are, and not counted as skate.
    pub glitch_frames: usize,
    /// Farthest that a standing point stays from its place, mm: where legs do not reach.
    pub miss_mm: f64,
}

impl fmt::Display for PlantReport {
    /// A table of before and after, and what was corrected.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = (self.skate_before, self.skate_after);
        writeln!(f, "                 before     after")?;
        writeln!(f, "skate, mean   {:>9.1} {:>9.1}  mm/s", before.mean_mm_s, after.mean_mm_s)?;
        writeln!(f, "skate, worst  {:>9.1} {:>9.1}  mm/s", before.max_mm_s, after.max_mm_s)?;
        let (before, after) = (self.ground_skate_before.mean_mm_s, self.ground_skate_after.mean_mm_s);
        writeln!(f, "all on ground {before:>9.1} {after:>9.1}  mm/s")?;
        let (before, after) = (self.penetration_before_mm, self.penetration_after_mm);
        writeln!(f, "penetration   {before:>9.1} {after:>9.1}  mm")?;
        let (tilt, offset) = (self.tilt_mm_m, self.offset_m);
        writeln!(f, "floor         {tilt:.1} mm per metre of tilt and {offset:.3} m of height removed")?;
        let (hips, knees) = (self.hip_shift_mm, self.knee_change_deg);
        write!(f, "corrections   hips up to {hips:.1} mm, knees up to {knees:.1}°")?;
        if self.released > 0 {
            let count = self.released;
            write!(f, "\nreleased      {count} contacts that could not be held without spoiling the motion")?;
        }
        if self.slid > 0 {
            write!(f, "\nleft alone    {} contacts that slide on purpose", self.slid)?;
        }
        Ok(())
    }
}

/// Half the span of a knee's second difference, seconds: one frame at 60 Hz, where a pop shows.
const KNEE_HALF_S: f64 = 1.0 / 60.0;

/// Heel and toe points of both feet: `[left ankle, left toe, right ankle, right toe]`.
fn points(feet: &Feet, pose: &ModelPose) -> [Vec3; 4] {
    let [l, r] = &feet.feet;
    [pose.positions[l.ankle], l.toe.position(pose), pose.positions[r.ankle], r.toe.position(pose)]
}

/// Horizontal speeds of standing points, but for glitches of their foot.
pub(super) fn skate(
    clip: &Clip,
    poses: &[ModelPose],
    feet: &Feet,
    standing: &[FootContacts; 2],
    glitched: &[&[bool]; 2],
) -> Skate {
    let [l, r] = standing;
    let lists = [&l.heel, &l.toe, &r.heel, &r.toe];
    let (mut sum, mut count, mut max) = (0.0, 0usize, 0.0_f64);
    for (i, list) in lists.into_iter().enumerate() {
        for range in list {
            for frame in range.start + 1..range.end.min(poses.len()) {
                if glitched[i / 2][frame] || glitched[i / 2][frame - 1] {
                    continue;
                }
                let step = points(feet, &poses[frame])[i] - points(feet, &poses[frame - 1])[i];
                let speed = 1e3 * f64::from(step.with_y(0.0).length()) * clip.fps();
                sum += speed;
                count += 1;
                max = max.max(speed);
            }
        }
    }
    Skate { mean_mm_s: if count == 0 { 0.0 } else { sum / count as f64 }, max_mm_s: max }
}

/// A point is on the ground while slower than the second and at some moment than the first, m/s for a leg of 0.85 m; as in `scripts/quality`.
const GROUND_M_S: [f64; 2] = [0.2, 0.35];
/// The same for its height over its lowest place within [`GROUND_S`], metres for a leg of 0.85 m.
const GROUND_M: [f64; 2] = [0.03, 0.05];
/// Half the time within which a point's lowest place is its ground, seconds.
const GROUND_S: f64 = 0.6;
/// Shortest time on the ground, and what is left out at either end, where a foot lands or rolls off, seconds.
const GROUND_MIN_S: f64 = 0.1;
const GROUND_TRIM_S: f64 = 0.04;

/// When heels and toes are on the ground by height and speed alone: a measure that knows nothing of the contacts that were found.
pub(super) fn on_ground(clip: &Clip, poses: &[ModelPose], feet: &Feet) -> [FootContacts; 2] {
    let (fps, scale, motion) = (clip.fps(), feet.scale(), clip.motion_frames());
    let frames = |seconds: f64| ((seconds * fps).round() as usize).max(1);
    let (window, half, trim) = (frames(GROUND_S), frames(1.0 / 60.0), frames(GROUND_TRIM_S));
    let ranges = |point: usize| {
        let path: Vec<Vec3> = poses.iter().map(|pose| points(feet, pose)[point]).collect();
        let at = |frame: usize, grade: usize| {
            let near = frame.saturating_sub(window).max(motion.start)..(frame + window + 1).min(motion.end);
            let lowest = path[near].iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
            let (a, b) = (frame.saturating_sub(half).max(motion.start), (frame + half).min(motion.end - 1));
            let speed = f64::from(path[a].distance(path[b])) * fps / (b - a).max(1) as f64;
            speed < GROUND_M_S[grade] * scale && f64::from(path[frame].y - lowest) < GROUND_M[grade] * scale
        };
        let mut ranges = runs(motion.clone(), |frame| at(frame, 1));
        ranges.retain(|range| range.len() >= frames(GROUND_MIN_S) && range.clone().any(|frame| at(frame, 0)));
        let trimmed = ranges.into_iter().map(|range| range.start + trim..range.end.saturating_sub(trim));
        trimmed.filter(|range| range.len() >= 2).collect()
    };
    [0, 2].map(|point| FootContacts { heel: ranges(point), toe: ranges(point + 1) })
}

/// Deepest point under a floor, mm.
pub(super) fn penetration_mm(
    clip: &Clip,
    poses: &[ModelPose],
    feet: &Feet,
    floor: impl Fn(Vec3) -> f64,
) -> f64 {
    let depth = |p: Vec3| 1e3 * (floor(p) - f64::from(p.y));
    clip.motion_frames()
        .flat_map(|f| points(feet, &poses[f]))
        .fold(0.0, |deepest: f64, p| deepest.max(depth(p)))
}

/// Bend of both knees in every frame, degrees.
pub(super) fn knees_deg(poses: &[ModelPose], feet: &Feet) -> [Vec<f64>; 2] {
    feet.feet.map(|foot| {
        let bend = |pose: &ModelPose| {
            let thigh = (pose.positions[foot.lower] - pose.positions[foot.upper]).as_dvec3();
            let shin = (pose.positions[foot.ankle] - pose.positions[foot.lower]).as_dvec3();
            thigh.cross(shin).length().atan2(thigh.dot(shin)).to_degrees()
        };
        poses.iter().map(bend).collect()
    })
}

/// Largest second difference of the knees' bend, degrees/s².
pub(super) fn knee_acceleration(clip: &Clip, knees: &[Vec<f64>; 2]) -> f64 {
    let half = ((KNEE_HALF_S * clip.fps()).round() as usize).max(1);
    let seconds = half as f64 / clip.fps();
    let motion = clip.motion_frames();
    let mut worst = 0.0_f64;
    for knee in knees {
        for frame in motion.start + half..motion.end.saturating_sub(half) {
            let change = knee[frame - half] - 2.0 * knee[frame] + knee[frame + half];
            worst = worst.max((change / (seconds * seconds)).abs());
        }
    }
    worst
}

/// Largest change of the knees' local rotations, degrees.
pub(super) fn knee_change_deg(a: &Clip, b: &Clip, feet: &Feet) -> f64 {
    let change = |foot: &crate::contact::Foot, f: usize| {
        f64::from(angle_between(a.rotation(foot.lower, f), b.rotation(foot.lower, f))).to_degrees()
    };
    a.motion_frames().flat_map(|f| feet.feet.iter().map(move |foot| change(foot, f))).fold(0.0, f64::max)
}
