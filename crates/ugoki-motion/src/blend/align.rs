//! Time alignment: which moment of one clip corresponds to which of another.
//!
//! Poses are compared as points seen from the hips on usual bones, heading taken out, so that neither place nor size matters, and
//! lasting differences of posture are taken out as the correspondence becomes known \[hsu2005\] ([`super::features`]).
//!
//! Three answers are tried, the simpler first: both clips at their own pace from their first frames on; one stretched
//! evenly onto the other; and the cheapest path through the table of distances between their frames, by dynamic time
//! warping \[sakoe1978\] ([`super::warp`]). A less simple one is taken only where it clearly fits better.
//!
//! The path's ends are open: where the clips begin or end in different phases of a movement, what has no counterpart is
//! left out, whole strides if need be. But an end at which both clips rest is the beginning or end of a gesture, of
//! which nothing but rest is left out. Slopes of the path stay between 1/2 and 2; it is smoothed into a
//! registration curve \[kovar2003\] ([`super::registration`]). Nothing depends on which clip is named first.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use ugoki_base::clip::Clip;
use ugoki_base::math::median;
use ugoki_base::{Cancelled, Progress, report};

use super::features::{Features, Points, Posture};
use super::registration::Registration;
use super::warp::{Limits, Table};

/// Samples of the longer clip that are compared; longer clips are compared at every second, third … frame.
const MAX_GRID: usize = 768;
/// Deviation of the smoothing Gaussian, seconds: shorter than any stroke of a limb.
const SMOOTH_S: f64 = 0.1;
/// Leaving a frame out costs as much as matching it this many times worse than poses of these clips usually can be
/// matched. With the first only what fits badly is left out; with the second whole strides rather than that steps
/// are paired with half steps.
const DROP_RATIOS: [f64; 2] = [4.0, 1.2];
/// Leaving out never costs less than this, metres: takes of one movement differ by a few centimetres anyhow, and half of a
/// walk is not left out for one.
const MIN_DROP_COST: f64 = 0.05;
/// Least share of the shorter clip's time, and of either clip's own, that is matched.
const LEAST_SHARE: [f64; 2] = [0.5, 0.25];
/// Shortest clip that holds a movement of its own, seconds: a stride of a fast run takes half a second.
const SHORTEST_LOOP_S: f64 = 0.4;
/// A correspondence of the next kind is taken only if its misfit is less than this share of the simpler one's.
const CLEAR_GAIN: f64 = 0.9;
/// How much farther apart a correspondence counts that leaves out all but nothing of the movement, metres: a third of
/// what a walk and a run are apart. Two walks, a few centimetres apart anyhow, keep nearly all of theirs.
const DROPPED_M: f64 = 0.06;
/// How much worse, as a share, one counts whose pace goes up and down by a factor of 2 about its mean: the hips' speed does as much.
const BENT_MISFIT: f64 = 0.2;
/// The same for one that plays a clip at half or twice its pace, and again for every further factor of 2.
const STRETCHED_MISFIT: f64 = 0.1;

/// Rounds of warping and taking out postures; differences settle to centimetres in two.
const POSTURE_ROUNDS: usize = 3;
/// A posture that changed by less, metres, is settled.
const SETTLED_M: f32 = 0.01;
/// Corresponding moments must be nearer than this fraction of the distance of any two moments to be called a match; chosen
/// on the table of `docs/results/signal.md`, so that table is no blind check of it.
const MATCH: f32 = 0.75;
/// Poses this near, metres, match however little there is to compare: no pose is taken twice to the centimetre.
const NEAR_M: f32 = 0.05;
/// Farther apart, metres, nothing is a match: the breadth of two hands.
const NO_MATCH_M: f32 = 0.15;
/// A mirror image is reported when its misfit is less than this fraction.
const MIRROR_GAIN: f64 = 0.7;
/// Clips nearer than this fraction of the distance of any two moments match well as they are: mirror images of a walk do so half a
/// stride later.
const WELL: f32 = 0.25;
/// Time over which the distance is averaged to find where clips fit worst, seconds.
const WORST_S: f64 = 0.5;

/// Which moment of `other` corresponds to which frame of `reference`.
#[derive(Debug, Clone, PartialEq)]
pub struct Alignment {
    /// The motion frames of the reference that have a counterpart, counted without an added T-pose.
    pub frames: Range<usize>,
    /// For each of them the time in the other clip in motion frames, strictly growing.
    pub times: Vec<f64>,
    /// What was found.
    pub report: AlignReport,
}

/// How moments were made to correspond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AlignKind {
    /// Both at their own pace from their first frames on.
    Unwarped,
    /// One stretched evenly onto the other.
    Uniform,
    /// By dynamic time warping, with slopes between 1/2 and 2.
    Warped,
}

/// How well two clips fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AlignReport {
    /// How moments were made to correspond.
    pub kind: AlignKind,
    /// Mean distance of compared points in corresponding frames on the usual body; hips, heading and posture taken out; metres.
    pub distance_m: f32,
    /// The same if one clip were stretched uniformly onto the other, metres.
    pub uniform_distance_m: f32,
    /// The same of any two moments of the clips, metres: what clips without a common movement have.
    pub any_distance_m: f32,
    /// Whether the clips match: corresponding moments are much nearer than any two.
    pub matches: bool,
    /// Where half a second fits worst, seconds in the reference and in the other clip.
    pub worst_s: [f64; 2],
    /// Distance there, metres.
    pub worst_distance_m: f32,
    /// Distance of the other clip's mirror image, metres, where that matches clearly better.
    pub mirrored_distance_m: Option<f32>,
    /// Smallest speed of the other clip relative to the reference.
    pub slowest: f64,
    /// Largest speed of the other clip relative to the reference.
    pub fastest: f64,
    /// Start and end of the reference without a counterpart, seconds.
    pub unmatched_reference_s: [f64; 2],
    /// Start and end of the other clip without a counterpart, seconds.
    pub unmatched_s: [f64; 2],
}

/// Why clips cannot be aligned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AlignError {
    /// Two frames at least are needed on either side.
    #[error("a motion of {frames} {} cannot be aligned in time", if *frames == 1 { "frame" } else { "frames" })]
    TooShort {
        /// Frames of the shorter motion.
        frames: usize,
    },
    /// Corresponding joints are compared, by role, or by number where few roles are known.
    #[error("the clips have {reference} and {other} joints and too few known body parts in common")]
    Joints {
        /// Joints of the reference.
        reference: usize,
        /// Joints of the other clip.
        other: usize,
    },
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A clip made ready for alignment with others.
pub(super) struct Prepared {
    features: Features,
    mirrored: Option<Features>,
    /// Motion frames.
    frames: usize,
    fps: f64,
}

/// Makes clips ready; a sample of any of them lasts as long.
pub(super) fn prepare(clips: &[&Clip]) -> Result<Vec<Prepared>, AlignError> {
    let frames = |clip: &Clip| clip.motion_frames().len();
    if let Some(short) = clips.iter().find(|clip| frames(clip) < 2) {
        return Err(AlignError::TooShort { frames: frames(short) });
    }
    let Some(points) = Points::common(clips) else {
        let other = clips.iter().find(|clip| clip.num_joints() != clips[0].num_joints());
        let [reference, other] = [clips.first(), other].map(|clip| clip.map_or(0, |clip| clip.num_joints()));
        return Err(AlignError::Joints { reference, other });
    };
    let seconds = |clip: &Clip| (frames(clip) - 1) as f64 / clip.fps();
    let longest = clips.iter().map(|clip| seconds(clip)).fold(0.0, f64::max);
    let finest = clips.iter().map(|clip| frames(clip)).max().unwrap_or(2).min(MAX_GRID) - 1;
    let one = |(clip, points): (&&Clip, &Points)| {
        let grid = ((finest as f64 * seconds(clip) / longest).round() as usize + 1).max(2);
        let features = Features::of(clip, points, grid);
        Prepared { mirrored: features.mirrored(), features, frames: frames(clip), fps: clip.fps() }
    };
    Ok(clips.iter().zip(&points).map(one).collect())
}

/// Aligns the motion of `other` to that of `reference`; exchanged, they give the inverse.
///
/// # Errors
/// When a clip has fewer than two frames, too little of the bodies corresponds or the caller stops.
pub fn align(reference: &Clip, other: &Clip, progress: Progress<'_>) -> Result<Alignment, AlignError> {
    let prepared = prepare(&[reference, other])?;
    Ok(align_prepared(&prepared[0], &prepared[1], true, progress)?)
}

/// [`align`] of clips made ready; a mirror image is only looked at when asked for.
pub(super) fn align_prepared(
    reference: &Prepared,
    other: &Prepared,
    mirror: bool,
    progress: Progress<'_>,
) -> Result<Alignment, Cancelled> {
    let exchanged = reference.features.order(&other.features).is_gt();
    let [first, second] = if exchanged { [other, reference] } else { [reference, other] };
    let frame_s = [first, second].map(|clip| 1.0 / clip.fps);
    let fit = Pair { sides: [&first.features, &second.features], frame_s }.fit(POSTURE_ROUNDS, progress)?;
    // Only the second is seen in the mirror: mirroring both changes nothing.
    let mirrored_distance_m =
        match second.mirrored.as_ref().filter(|_| mirror && fit.distance > WELL * fit.any_distance) {
            Some(image) => {
                let image = Pair { sides: [&first.features, image], frame_s }.fit(1, progress)?;
                (image.matches() && image.misfit < MIRROR_GAIN * fit.misfit).then_some(image.distance)
            }
            None => None,
        };
    let curve = if exchanged { fit.curve.exchanged() } else { fit.curve.clone() };
    let [n, m] = [reference.frames, other.frames];
    let [[start, _], [end, _]] = curve.ends();
    // Rounding must not cost a frame at either end.
    let first = (start * reference.fps - 1e-6).ceil().max(0.0) as usize;
    let last = ((end * reference.fps + 1e-6).floor() as usize).min(n - 1);
    let times: Vec<f64> = (first..=last)
        .map(|frame| (curve.at(frame as f64 / reference.fps) * other.fps).clamp(0.0, (m - 1) as f64))
        .collect();
    let [slowest, fastest] = curve.speeds();
    let report = AlignReport {
        kind: fit.kind,
        distance_m: fit.distance,
        uniform_distance_m: fit.uniform_distance,
        any_distance_m: fit.any_distance,
        matches: fit.matches(),
        worst_s: if exchanged { [fit.worst_s[1], fit.worst_s[0]] } else { fit.worst_s },
        worst_distance_m: fit.worst_distance,
        mirrored_distance_m,
        slowest,
        fastest,
        unmatched_reference_s: [first, n - 1 - last].map(|frames| frames as f64 / reference.fps),
        unmatched_s: [times[0], (m - 1) as f64 - times[times.len() - 1]].map(|f| f / other.fps),
    };
    Ok(Alignment { frames: first..last + 1, times, report })
}

/// The correspondence that was chosen.
struct Fit {
    kind: AlignKind,
    curve: Registration,
    misfit: f64,
    distance: f32,
    uniform_distance: f32,
    any_distance: f32,
    worst_s: [f64; 2],
    worst_distance: f32,
}

impl Fit {
    fn matches(&self) -> bool {
        self.distance < NEAR_M.max((MATCH * self.any_distance).min(NO_MATCH_M))
    }
}

/// Two clips in an order that does not depend on which was named first.
struct Pair<'a> {
    sides: [&'a Features; 2],
    /// From a frame to the next, seconds.
    frame_s: [f64; 2],
}

impl Pair<'_> {
    /// The simplest correspondence that none clearly betters.
    fn fit(&self, rounds: usize, progress: Progress<'_>) -> Result<Fit, Cancelled> {
        let [a, b] = self.sides;
        let limits = self.limits();
        let step = a.step_s + b.step_s;
        let uniform = Registration::line([0.0; 2], [a.seconds(), b.seconds()], step);
        let mut simple = (AlignKind::Uniform, uniform.clone());
        // The shorter comes first, so only the second has an end of its own.
        let rest = b.len() - a.len();
        if rest <= limits.end[1] && a.len() > limits.need[0].max(limits.need[1]) {
            let same = a.seconds().min(b.seconds());
            let unwarped = (AlignKind::Unwarped, Registration::line([0.0; 2], [same; 2], step));
            if !self.clearly_better(&uniform, &unwarped.1) {
                simple = unwarped;
            }
        }
        report(progress, 0.1)?;
        let mut best = simple.clone();
        let mut posture = a.same_posture();
        let mut any_distance = 0.0;
        for round in 0..rounds {
            let table = Table::build([a.len(), b.len()], |i, j| a.distance(i, b, j, &posture), progress)?;
            any_distance = table.mean();
            let usual = median(&table.minima()).unwrap_or(0.0);
            best = simple.clone();
            let mut nearest: Option<(f64, Registration)> = None;
            for ratio in DROP_RATIOS {
                let drop_cost = (ratio * usual).max(MIN_DROP_COST) as f32;
                let Some(cells) = table.cheapest(drop_cost, limits, progress)? else { break };
                let pairs: Vec<[f64; 2]> =
                    cells.iter().map(|&[i, j]| [i as f64 * a.step_s, j as f64 * b.step_s]).collect();
                let warped = Registration::through(&pairs, step).smoothed(SMOOTH_S);
                if !self.has_frames(&warped) {
                    continue;
                }
                let misfit = self.misfit(&warped);
                let nearer =
                    f64::from(self.distance(&warped)) < CLEAR_GAIN * f64::from(self.distance(&uniform));
                if nearer && [&best.1, &uniform].iter().all(|than| self.clearly_better(&warped, than)) {
                    best = (AlignKind::Warped, warped.clone());
                }
                if nearest.as_ref().is_none_or(|(least, _)| misfit < *least) {
                    nearest = Some((misfit, warped));
                }
            }
            let Some((_, nearest)) = nearest else { break };
            let next = self.posture(&nearest);
            let change = next.change(&posture);
            if round + 1 < rounds && change < SETTLED_M {
                break;
            }
            posture = next;
        }
        let (kind, curve) = best;
        let (worst_s, worst_distance) = self.worst(&curve);
        Ok(Fit {
            kind,
            misfit: self.misfit(&curve),
            distance: self.distance(&curve),
            uniform_distance: self.distance(&uniform),
            any_distance,
            worst_s,
            worst_distance,
            curve,
        })
    }

    /// Where both rest nothing but rest may be left out; elsewhere as much as leaves enough.
    fn limits(&self) -> Limits {
        let steps = self.sides.map(|side| side.len() - 1);
        let [of_shorter, of_own] = LEAST_SHARE;
        let shorter = of_shorter * steps[0].min(steps[1]) as f64;
        // A short loop may be matched with a tenth of a long walk, but a moment with no less than a quarter.
        let [a, b] = self.sides.map(Features::seconds);
        let least = if a.min(b) < SHORTEST_LOOP_S { usize::MAX } else { steps[0].min(steps[1]) } as f64;
        let need = |own: usize| shorter.max((of_own * own as f64).min(least));
        let need = steps.map(|own| (need(own).ceil() as usize).clamp(1, own));
        let most = |end: usize| {
            let still = self.sides.map(|side| side.still[end]);
            let closed = still.iter().all(|&samples| samples > 0);
            [0, 1].map(|side| if closed { still[side] } else { steps[side] - need[side] })
        };
        Limits { start: most(0), end: most(1), need }
    }

    /// Whether at least two frames of either clip are matched.
    fn has_frames(&self, curve: &Registration) -> bool {
        let [start, end] = curve.ends();
        (0..2).all(|side| {
            let [from, to] = [start, end].map(|pair| pair[side] / self.frame_s[side]);
            (to + 1e-6).floor() >= (from - 1e-6).ceil() + 1.0
        })
    }

    fn clearly_better(&self, curve: &Registration, than: &Registration) -> bool {
        self.misfit(curve) < CLEAR_GAIN * self.misfit(than)
    }

    /// Mean distance, larger by what of the movement is left out and by how time is bent and stretched for it.
    fn misfit(&self, curve: &Registration) -> f64 {
        let [start, end] = curve.ends();
        let mut dropped = 0.0;
        let mut whole = 0.0;
        for (side, clip) in self.sides.iter().enumerate() {
            let still = clip.still.map(|samples| samples as f64 * clip.step_s);
            dropped += (start[side] - still[0]).max(0.0) + (clip.seconds() - end[side] - still[1]).max(0.0);
            whole += clip.seconds();
        }
        let [stretch, bend] = curve.octaves();
        let worse = BENT_MISFIT * bend + STRETCHED_MISFIT * stretch.abs();
        f64::from(self.distance(curve)) * (1.0 + worse) + DROPPED_M * dropped / whole
    }

    /// Mean distance of corresponding samples along the curve, metres.
    fn distance(&self, curve: &Registration) -> f32 {
        let distances = self.distances(curve);
        (distances.iter().map(|d| f64::from(*d)).sum::<f64>() / distances.len() as f64) as f32
    }

    fn samples(&self, [s, t]: [f64; 2]) -> [usize; 2] {
        let [a, b] = self.sides;
        [a.nearest(s), b.nearest(t)]
    }

    /// The lasting difference of posture along the curve.
    fn posture(&self, curve: &Registration) -> Posture {
        let [a, b] = self.sides;
        a.posture(b, curve.pairs().map(|pair| self.samples(pair)))
    }

    /// Distances along the curve, its own difference of posture taken out.
    fn distances(&self, curve: &Registration) -> Vec<f32> {
        let [a, b] = self.sides;
        let posture = self.posture(curve);
        let distance = |[i, j]: [usize; 2]| a.distance(i, b, j, &posture);
        curve.pairs().map(|pair| distance(self.samples(pair))).collect()
    }

    /// Where the clips are farthest apart over half a second: times in either, and the mean distance there.
    fn worst(&self, curve: &Registration) -> ([f64; 2], f32) {
        let distances = self.distances(curve);
        let pairs: Vec<[f64; 2]> = curve.pairs().collect();
        let step = 0.5 * (self.sides[0].step_s + self.sides[1].step_s);
        let length = ((WORST_S / step).round() as usize).clamp(1, distances.len());
        let mut worst = ([0.0; 2], 0.0);
        for (start, window) in distances.windows(length).enumerate() {
            let mean = window.iter().sum::<f32>() / length as f32;
            if mean > worst.1 {
                worst = (pairs[start + length / 2], mean);
            }
        }
        worst
    }
}
