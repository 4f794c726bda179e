//! Time alignment: which moment of one clip corresponds to which of another.
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

use super::features::Features;
use super::registration::Registration;
use super::warp::{Limits, Table};

/// Samples of the longer clip that are compared; longer clips are compared at every second, third … frame.
const MAX_GRID: usize = 1024;
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
    /// Mean distance of compared joints in corresponding frames, hips and heading taken out, metres.
    pub distance_m: f32,
    /// The same if one clip were stretched uniformly onto the other, metres.
    pub uniform_distance_m: f32,
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
    /// Corresponding joints are compared.
    #[error("the clips have {reference} and {other} joints")]
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

/// Aligns the motion of `other` to that of `reference`; exchanged, they give the inverse.
///
/// # Errors
/// When a clip has fewer than two frames, the joints differ or the caller stops.
pub fn align(reference: &Clip, other: &Clip, progress: Progress<'_>) -> Result<Alignment, AlignError> {
    let frames = [reference, other].map(|clip| clip.motion_frames().len());
    let shortest = frames[0].min(frames[1]);
    if shortest < 2 {
        return Err(AlignError::TooShort { frames: shortest });
    }
    if reference.num_joints() != other.num_joints() {
        return Err(AlignError::Joints { reference: reference.num_joints(), other: other.num_joints() });
    }
    // Both at one pace: a sample of either lasts as long.
    let seconds = [(frames[0], reference), (frames[1], other)].map(|(n, clip)| (n - 1) as f64 / clip.fps());
    let finest = ((frames[0].max(frames[1]) - 1) as f64).min((MAX_GRID - 1) as f64);
    let samples = |own: f64| ((finest * own / seconds[0].max(seconds[1])).round() as usize + 1).max(2);
    let rows = Features::of(reference, samples(seconds[0]));
    let columns = Features::of(other, samples(seconds[1]));
    let exchanged = rows.order(&columns).is_gt();
    let sides = if exchanged { [&columns, &rows] } else { [&rows, &columns] };
    let frame_s =
        if exchanged { [other, reference] } else { [reference, other] }.map(|clip| 1.0 / clip.fps());
    let (kind, mut curve, [misfit, uniform]) = Pair { sides, frame_s }.fit(progress)?;
    if exchanged {
        curve = curve.exchanged();
    }

    let [n, m] = frames;
    let [[start, _], [end, _]] = curve.ends();
    // Rounding must not cost a frame at either end.
    let first = (start * reference.fps() - 1e-6).ceil().max(0.0) as usize;
    let last = ((end * reference.fps() + 1e-6).floor() as usize).min(n - 1);
    let times: Vec<f64> = (first..=last)
        .map(|frame| (curve.at(frame as f64 / reference.fps()) * other.fps()).clamp(0.0, (m - 1) as f64))
        .collect();
    let [slowest, fastest] = curve.speeds();
    let report = AlignReport {
        kind,
        distance_m: misfit,
        uniform_distance_m: uniform,
        slowest,
        fastest,
        unmatched_reference_s: [first, n - 1 - last].map(|frames| frames as f64 / reference.fps()),
        unmatched_s: [times[0], (m - 1) as f64 - times[times.len() - 1]].map(|f| f / other.fps()),
    };
    Ok(Alignment { frames: first..last + 1, times, report })
}

/// Two clips in an order that does not depend on which was named first.
struct Pair<'a> {
    sides: [&'a Features; 2],
    /// From a frame to the next, seconds.
    frame_s: [f64; 2],
}

impl Pair<'_> {
    /// The simplest correspondence that none clearly betters, with its mean distance and that of a uniform stretch.
    fn fit(&self, progress: Progress<'_>) -> Result<(AlignKind, Registration, [f32; 2]), Cancelled> {
        let [a, b] = self.sides;
        let limits = self.limits();
        let step = a.step_s + b.step_s;
        let uniform = Registration::line([0.0; 2], [a.seconds(), b.seconds()], step);
        let mut best = (AlignKind::Uniform, uniform.clone());
        // The shorter comes first, so only the second has an end of its own.
        let rest = b.len() - a.len();
        if rest <= limits.end[1] && a.len() > limits.need[0].max(limits.need[1]) {
            let same = a.seconds().min(b.seconds());
            let unwarped = (AlignKind::Unwarped, Registration::line([0.0; 2], [same; 2], step));
            if !self.clearly_better(&uniform, &unwarped.1) {
                best = unwarped;
            }
        }
        report(progress, 0.1)?;
        let table = Table::build([a.len(), b.len()], |i, j| a.distance(i, b, j), progress)?;
        let usual = median(&table.minima()).unwrap_or(0.0);
        for ratio in DROP_RATIOS {
            let drop_cost = (ratio * usual).max(MIN_DROP_COST) as f32;
            let Some(cells) = table.cheapest(drop_cost, limits, progress)? else { break };
            let pairs: Vec<[f64; 2]> =
                cells.iter().map(|&[i, j]| [i as f64 * a.step_s, j as f64 * b.step_s]).collect();
            let warped = Registration::through(&pairs, step).smoothed(SMOOTH_S);
            let nearer = f64::from(self.distance(&warped)) < CLEAR_GAIN * f64::from(self.distance(&uniform));
            let better = [&best.1, &uniform].iter().all(|than| self.clearly_better(&warped, than));
            if self.has_frames(&warped) && nearer && better {
                best = (AlignKind::Warped, warped);
            }
        }
        let distances = [self.distance(&best.1), self.distance(&uniform)];
        Ok((best.0, best.1, distances))
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
        let [a, b] = self.sides;
        let (mut sum, mut count) = (0.0, 0.0);
        for [s, t] in curve.pairs() {
            sum += f64::from(a.distance(a.nearest(s), b, b.nearest(t)));
            count += 1.0;
        }
        (sum / count) as f32
    }
}
