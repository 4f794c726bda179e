//! Travel: a body whose steps were changed goes as far as its feet now carry it.
//!
//! Gains on the legs change how far they stride while the root still goes its old way, and every standing foot slides.
//! So the standing feet say how the root moves, as they do in life:
//!
//! ```text
//! source ─contact→ who stands when ─feet→ how much more the changed feet move than the captured ones
//!        ─its sum over time→ the root's shift ─guide, hold→ what is left of it held ─legs→ hips and knees
//! ```
//!
//! Only the difference to the captured feet is taken out, so that an unchanged motion comes back unchanged, and all
//! depends continuously on the change.

use std::fmt;

use glam::{DQuat, DVec3};
use serde::Serialize;
use ugoki_base::clip::Clip;
use ugoki_base::math::{exp64, log64};
use ugoki_base::signal::{
    EqualizeConfig, EqualizeError, EqualizeReport, Equalized, Part, equalize, keep_hinges, num_bands,
};
use ugoki_base::{Cancelled, Progress, report};
use ugoki_feet::contact::{Feet, find_feet};
use ugoki_feet::feet::{FeetSolution, HipsConfig, smooth_above};

use super::contacts::Standing;
use super::foot_track::FootTrack;
use super::guide::{GRIP_S, Guide};
use super::smoothing::smoothed;
use super::toes::{heights, raise_toes, tips};

/// Deviation of the Gaussian that the root's added speed passes, seconds: the hand-over from foot to foot, about a fifth
/// of a second, must not jerk the body.
const SMOOTH_S: f64 = 0.06;
/// Standing feet that slide faster than this, and faster than the body goes, are those of a motion in place, m/s for a
/// leg of 0.85 m: five times what captures slide.
const TREADMILL_M_S: f64 = 0.4;
/// Feet that moved less than this are as they were, metres: rounding of splitting and putting together.
const UNCHANGED_M: f64 = 1e-5;
/// Standing feet that slide this much faster than captured show, m/s: more than captures differ by.
const WORSE_SLIDE_M_S: f64 = 0.03;

/// What following the feet did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TravelReport {
    /// Whether the source steps in place, its standing feet sliding: then only heights were kept.
    pub in_place: bool,
    /// Way of the root over the ground, metres: before, after.
    pub way_m: [f64; 2],
    /// Mean speed of standing heels and toes over the ground, m/s: captured, changed, and after following them.
    pub slide_m_s: [f64; 3],
}

/// A motion that goes where its feet carry it.
#[derive(Debug, Clone, PartialEq)]
pub struct Travelled {
    /// The result.
    pub clip: Clip,
    /// What was done; nothing when legs are not known, nothing stands, or no foot moves other than captured.
    pub report: Option<TravelReport>,
}

impl TravelReport {
    /// Whether standing feet slide faster than captured, by more than captures differ by.
    #[must_use]
    pub fn slides(&self) -> bool {
        let [captured, _, kept] = self.slide_m_s.map(|speed| 100.0 * speed);
        !self.in_place && kept > captured + 100.0 * WORSE_SLIDE_M_S
    }
}

impl fmt::Display for TravelReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.in_place {
            return f.write_str(
                "in place       feet keep their height; their steps now slide under the body at another pace",
            );
        }
        let [before, after] = self.way_m;
        let [captured, plain, kept] = self.slide_m_s.map(|speed| 100.0 * speed);
        write!(
            f,
            "way            {before:.2} m before, {after:.2} m as the steps now carry it; standing feet slide at {kept:.1} cm/s \
             ({captured:.1} captured, {plain:.1} on the old way)"
        )
    }
}

/// Scales the frequency bands of a motion as [`equalize`] does, keeps knees and elbows within what a body can do, and lets the body
/// travel as its steps then carry it. Bands without a gain keep theirs.
///
/// # Errors
/// When a gain or the part cannot be used, the motion is too short, or the caller stops.
pub fn equalize_body(
    clip: &Clip,
    gains: &[f64],
    part: Option<Part>,
    progress: Progress<'_>,
) -> Result<(Travelled, EqualizeReport), EqualizeError> {
    let mut equalized = equalize_free(clip, gains, part, &mut |part| progress(0.7 * part))?;
    keep_hinges(clip, &mut equalized.clip);
    let travelled = follow_feet(clip, equalized.clip, &mut |part| progress(0.7 + 0.3 * part))?;
    Ok((travelled, equalized.report))
}

/// Scales the frequency bands of a motion and no more. Bands without a gain keep theirs.
///
/// # Errors
/// As [`equalize_body`].
pub fn equalize_free(
    clip: &Clip,
    gains: &[f64],
    part: Option<Part>,
    progress: Progress<'_>,
) -> Result<Equalized, EqualizeError> {
    let mut gains = gains.to_vec();
    // Gains for the low bands leave the high ones alone.
    gains.resize(gains.len().max(num_bands(clip.motion_frames().len())), 1.0);
    equalize(clip, &EqualizeConfig { gains, part }, progress)
}

/// Moves the root of `changed` so that feet which stand in `source`, frame by frame, slide no more than they do there.
///
/// Heights of standing feet are the captured ones; what the root cannot do for both feet at once the legs do. Rotations
/// of the root and of all above it stay as they are.
///
/// # Errors
/// When the caller stops.
///
/// # Panics
/// When the clips differ in skeleton or length.
pub fn follow_feet(source: &Clip, changed: Clip, progress: Progress<'_>) -> Result<Travelled, Cancelled> {
    assert!(source.skeleton() == changed.skeleton() && source.num_frames() == changed.num_frames());
    let motion = source.motion_frames();
    if motion.len() < 2 {
        return Ok(Travelled { clip: changed, report: None });
    }
    let captured = without_t_pose(source);
    let Some((feet, standing)) = find_feet(source.skeleton()).ok().zip(Standing::whole(&captured)) else {
        return Ok(Travelled { clip: changed, report: None });
    };
    report(progress, 0.2)?;
    let mut clip = without_t_pose(&changed);
    let was = FootTrack::both(&captured, &feet);
    let plain = FootTrack::both(&clip, &feet);
    if same(&was, &plain) {
        return Ok(Travelled { clip: changed, report: None });
    }
    report(progress, 0.4)?;
    let firm = standing.lists();
    let speeds = [&captured, &clip].map(|clip| slide_m_s(clip, &feet, firm));
    let in_place = firm.iter().flatten().all(|&f| f == 0.0)
        || (speeds[0] > TREADMILL_M_S * feet.scale() && speeds[0] > way_m(&captured) / captured.seconds());
    let shift = if in_place {
        lowest_shift(&was, &plain, clip.fps())
    } else {
        root_shift(&was, &plain, firm, clip.fps())
    };
    for (frame, &shift) in shift.iter().enumerate() {
        let root = clip.root().get(frame).as_dvec3() + shift;
        clip.root_mut().set(frame, root.as_vec3());
    }
    if !in_place {
        let carried = plain.map(|track| track.shifted(&shift));
        let fixes = [0, 1].map(|side| {
            let firm = [&firm[2 * side][..], &firm[2 * side + 1]];
            guide(&was[side], &carried[side], firm, clip.fps()).fix(&carried[side])
        });
        let poses = clip.model_poses();
        let solution = FeetSolution::solve(
            &poses,
            &feet,
            fixes,
            vec![1.0; poses.len()],
            HipsConfig::default(),
            clip.fps(),
        );
        solution.apply(&mut clip, &poses, &feet, &mut |part| progress(0.6 + 0.4 * part))?;
    }
    let tips = tips(clip.skeleton(), &feet);
    raise_toes(&mut clip, &tips, &heights(&captured, &tips));
    let report = TravelReport {
        in_place,
        way_m: [way_m(&captured), way_m(&clip)],
        slide_m_s: [speeds[0], speeds[1], slide_m_s(&clip, &feet, firm)],
    };
    let mut result = changed;
    for frame in 0..clip.num_frames() {
        result.set_pose(motion.start + frame, &clip.pose(frame));
    }
    result.align_signs();
    Ok(Travelled { clip: result, report: Some(report) })
}

fn without_t_pose(clip: &Clip) -> Clip {
    clip.trimmed(clip.motion_frames()).expect("the motion frames of a clip are a range of it")
}

fn same(a: &[FootTrack; 2], b: &[FootTrack; 2]) -> bool {
    let near = |p: &[DVec3], q: &[DVec3]| p.iter().zip(q).all(|(p, q)| p.distance(*q) < UNCHANGED_M);
    a.iter().zip(b).all(|(a, b)| near(&a.ankle, &b.ankle) && near(&a.toe, &b.toe))
}

/// The way of the root that makes standing points of `plain` move over the ground as those of `was`, at their height.
fn root_shift(was: &[FootTrack; 2], plain: &[FootTrack; 2], firm: &[Vec<f64>; 4], fps: f64) -> Vec<DVec3> {
    let num_frames = was[0].ankle.len();
    // By point: how far the changed one is from the captured one.
    let apart: [Vec<DVec3>; 4] = std::array::from_fn(|point| {
        let (side, heel) = (point / 2, point % 2 == 0);
        let (was, plain) = (was[side].point(heel), plain[side].point(heel));
        was.iter().zip(plain).map(|(was, plain)| *was - *plain).collect()
    });
    let mean = |weight: &dyn Fn(usize) -> f64, of: &dyn Fn(&[DVec3]) -> DVec3| -> Option<DVec3> {
        let total: f64 = (0..4).map(weight).sum();
        let sum: DVec3 = (0..4).map(|point| of(&apart[point]) * weight(point)).sum();
        (total > 0.0).then(|| sum / total)
    };
    let steps: Vec<Option<DVec3>> = (0..num_frames - 1)
        .map(|f| mean(&|point| firm[point][f].min(firm[point][f + 1]), &|apart| apart[f + 1] - apart[f]))
        .collect();
    let heights: Vec<Option<DVec3>> =
        (0..num_frames).map(|f| mean(&|point| firm[point][f], &|apart| apart[f])).collect();
    let steps = smoothed(&bridged(&steps), SMOOTH_S * fps);
    let heights = smoothed(&bridged(&heights), SMOOTH_S * fps);
    let mut place = DVec3::ZERO;
    let mut shift = Vec::with_capacity(num_frames);
    for (frame, height) in heights.iter().enumerate() {
        shift.push(place.with_y(height.y));
        place += steps.get(frame).copied().unwrap_or_default();
    }
    shift
}

/// Gaps, in which nothing stands, filled by straight lines; beyond the first and the last the value stays.
fn bridged(values: &[Option<DVec3>]) -> Vec<DVec3> {
    let known: Vec<(usize, DVec3)> =
        values.iter().enumerate().filter_map(|(frame, value)| value.map(|v| (frame, v))).collect();
    (0..values.len())
        .map(|frame| {
            let next = known.partition_point(|&(at, _)| at < frame);
            match (next.checked_sub(1).map(|before| known[before]), known.get(next)) {
                (Some((a, p)), Some(&(b, q))) => p.lerp(q, (frame - a) as f64 / (b - a) as f64),
                (Some((_, p)), None) | (None, Some(&(_, p))) => p,
                (None, None) => DVec3::ZERO,
            }
        })
        .collect()
}

/// The height of the root at which the lowest foot is as low as captured, where nothing is known to stand.
fn lowest_shift(was: &[FootTrack; 2], plain: &[FootTrack; 2], fps: f64) -> Vec<DVec3> {
    let lowest = |tracks: &[FootTrack; 2], frame: usize| {
        let heights = tracks.iter().map(|track| track.ankle[frame].y.min(track.toe[frame].y));
        heights.fold(f64::INFINITY, f64::min)
    };
    let heights: Vec<DVec3> =
        (0..was[0].ankle.len()).map(|f| DVec3::Y * (lowest(was, f) - lowest(plain, f))).collect();
    smoothed(&heights, SMOOTH_S * fps)
}

/// Leads a foot where it goes anyhow: points that stand as high as captured, flat feet as flat.
fn guide<'a>(was: &FootTrack, carried: &FootTrack, firm: [&'a [f64]; 2], fps: f64) -> Guide<'a> {
    let steps = |path: &[DVec3]| path.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let heights = |path: &[DVec3]| -> Vec<f64> { path.iter().map(|p| p.y).collect() };
    let half = ((GRIP_S * fps).round() as usize).max(1);
    let [heel, toe] = firm.map(|firm| smooth_above(firm, half));
    let (mut ankle, mut rotation) = (carried.ankle.clone(), carried.rotation.clone());
    for frame in 0..ankle.len() {
        let (heel, toe) = (heel[frame].clamp(0.0, 1.0), toe[frame].clamp(0.0, 1.0));
        let (now, then) = (carried.rotation[frame], was.rotation[frame]);
        // The captured tilt under the changed heading.
        let tilt = DQuat::from_rotation_arc((now * then.conjugate() * DVec3::Y).normalize(), DVec3::Y);
        rotation[frame] = exp64(log64(tilt) * heel.min(toe)) * now;
        if heel + toe > 0.0 {
            let arm = rotation[frame] * (now.conjugate() * (carried.toe[frame] - carried.ankle[frame]));
            let [by_heel, by_toe] = [was.ankle[frame].y, was.toe[frame].y - arm.y];
            ankle[frame].y = (heel * by_heel + toe * by_toe) / (heel + toe);
        }
    }
    Guide {
        ankle,
        rotation,
        steps: [steps(&was.ankle), steps(&was.toe)],
        turns: was.rotation.windows(2).map(|pair| log64(pair[1] * pair[0].conjugate())).collect(),
        led_heights: [heights(&was.ankle), heights(&was.toe)],
        free_heights: [heights(&was.ankle), heights(&was.toe)],
        firm,
        fps,
    }
}

/// Way of the root over the ground, metres.
fn way_m(clip: &Clip) -> f64 {
    let places: Vec<DVec3> = clip.root().iter().map(|p| p.as_dvec3().with_y(0.0)).collect();
    places.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// Mean speed of standing heels and toes over the ground, m/s.
fn slide_m_s(clip: &Clip, feet: &Feet, firm: &[Vec<f64>; 4]) -> f64 {
    let tracks = FootTrack::both(clip, feet);
    let (mut sum, mut total) = (0.0, 0.0);
    for (point, firm) in firm.iter().enumerate() {
        let path = tracks[point / 2].point(point % 2 == 0);
        for frame in 1..path.len() {
            let weight = firm[frame].min(firm[frame - 1]);
            sum += weight * (path[frame] - path[frame - 1]).with_y(0.0).length() * clip.fps();
            total += weight;
        }
    }
    if total > 0.0 { sum / total } else { 0.0 }
}
