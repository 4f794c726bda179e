//! The blend's clock: which moment of every clip, and which weights, belong to each frame of the result.
//!
//! With tₖ(s) the time of clip k that corresponds to frame s of the reference, the result's clock runs as
//! τ′(s) = Σ wₖ(τ)·tₖ′(s): it lasts as long as the weighted mean, and weight 1 on a clip gives that clip's own
//! clock.
//!
//! What one clip has before or after all that corresponds is left out, but for a clip of nearly all the weight: from
//! a weight of 0.8 on its own beginning and end come back, whole at weight 1, and the others fade in and out
//! beside them. So weight 1 gives the whole clip, and no weight is a brink.

use std::ops::Range;

use ugoki_base::Progress;
use ugoki_base::clip::Clip;
use ugoki_base::signal::WeightCurve;

use super::align::{AlignError, AlignReport, Prepared, align_prepared, prepare};
use super::blend_config::{BlendConfig, BlendError, TimeAlign};

/// Weights whose sum is nearer to 0 than this share of their sizes cannot be brought to sum 1: motions enlarged a hundred
/// times are noise.
const MIN_SUM: f64 = 0.01;
/// How many times as long as the longest clip a blend may be: weights beyond 0 and 1 stretch time too.
const MAX_STRETCH: usize = 10;
/// Weight from which on a clip's own beginning and end begin to come back.
const OWN_ENDS: f64 = 0.8;
/// Time over which the other clips fade beside a beginning or end that is one clip's own, seconds: a quarter of a
/// stride.
const FADE_S: f64 = 0.25;
/// Times nearer to a whole frame than this are that frame, so that rounding costs no digits.
const WHOLE_FRAME: f64 = 1e-6;

/// What happens in each frame of the result.
pub(super) struct Clock {
    /// By clip, then frame: the time in motion frames of that clip.
    pub(super) times: Vec<Vec<f64>>,
    /// By clip, then frame: the weight, sum 1.
    pub(super) weights: Vec<Vec<f64>>,
    /// By clip; none for the reference and without time alignment.
    pub(super) aligned: Vec<Option<AlignReport>>,
}

impl Clock {
    /// For clips of one rate and skeleton, each of at least one frame of motion.
    pub(super) fn build(
        clips: &[Clip],
        config: &BlendConfig,
        progress: Progress<'_>,
    ) -> Result<Self, BlendError> {
        match config.align {
            TimeAlign::Time => warped(clips, config, progress),
            TimeAlign::None => {
                let frames = clips.iter().map(|clip| clip.motion_frames().len()).min().unwrap_or(0);
                let times = vec![(0..frames).map(|frame| frame as f64).collect(); clips.len()];
                let mut weights = vec![Vec::with_capacity(frames); clips.len()];
                check_sum(&config.weights, frames.saturating_sub(1) as f64 / clips[0].fps())?;
                for frame in 0..frames {
                    let now = weights_at(&config.weights, frame as f64 / clips[0].fps())?;
                    weights.iter_mut().zip(now).for_each(|(list, w)| list.push(w));
                }
                Ok(Self { times, weights, aligned: vec![None; clips.len()] })
            }
        }
    }

    pub(super) fn num_frames(&self) -> usize {
        self.times.first().map_or(0, Vec::len)
    }
}

/// All weights at a time, brought to sum 1.
pub(super) fn weights_at(curves: &[WeightCurve], time_s: f64) -> Result<Vec<f64>, BlendError> {
    let weights: Vec<f64> = curves.iter().map(|curve| curve.at(time_s)).collect();
    let sum: f64 = weights.iter().sum();
    let size: f64 = weights.iter().map(|w| w.abs()).sum();
    if !(size.is_finite() && sum.abs() > MIN_SUM * size) {
        return Err(BlendError::ZeroSum { sum, time_s });
    }
    Ok(weights.into_iter().map(|w| w / sum).collect())
}

/// Refuses weights whose sum passes through 0, or too near it, before `until_s`: also between two frames.
fn check_sum(curves: &[WeightCurve], until_s: f64) -> Result<(), BlendError> {
    let sum = |time_s: f64| -> f64 { curves.iter().map(|curve| curve.at(time_s)).sum() };
    let keys = curves.iter().flat_map(|curve| curve.keys().iter().map(|key| key.time_s));
    let mut times: Vec<f64> = keys.filter(|time| (0.0..until_s).contains(time)).collect();
    times.extend([0.0, until_s]);
    times.sort_by(f64::total_cmp);
    let mut before = (0.0, sum(0.0));
    for pair in times.windows(2) {
        let at = |u: f64| pair[0] + u * (pair[1] - pair[0]);
        // Between keys the sum is a cubic: it is farthest out at its ends or where its slope 3c₃u² + 2c₂u + c₁ is 0.
        let [f0, f1, f2, f3] = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(|u| sum(at(u)));
        let c1 = -5.5 * f0 + 9.0 * f1 - 4.5 * f2 + f3;
        let c2 = 9.0 * f0 - 22.5 * f1 + 18.0 * f2 - 4.5 * f3;
        let c3 = 4.5 * (f3 - f0) + 13.5 * (f1 - f2);
        let root = (c2 * c2 - 3.0 * c3 * c1).max(0.0).sqrt();
        // In the form that loses no digits where c₃ is small; what divides by 0 is not between the ends.
        let q = -(c2 + root.copysign(c2));
        let mut places: Vec<f64> =
            [q / (3.0 * c3), c1 / q].into_iter().filter(|u| *u > 0.0 && *u < 1.0).collect();
        places.push(1.0);
        places.sort_by(f64::total_cmp);
        for time_s in places.into_iter().map(at) {
            let now = sum(time_s);
            if now * before.1 < 0.0 {
                let (mut low, mut high) = (before.0, time_s);
                // To a millionth of the interval.
                for _ in 0..20 {
                    let middle = 0.5 * (low + high);
                    if sum(middle) * before.1 > 0.0 { low = middle } else { high = middle }
                }
                return Err(BlendError::ZeroSum { sum: 0.0, time_s: low });
            }
            weights_at(curves, time_s)?;
            before = (time_s, now);
        }
    }
    Ok(())
}

/// The clip of largest weight.
pub(super) fn heaviest(weights: &[f64]) -> usize {
    (0..weights.len()).fold(0, |best, k| if weights[k] > weights[best] { k } else { best })
}

/// A beginning or end that is one clip's own.
struct OwnEnd {
    /// The clip.
    clip: usize,
    /// How much of what it has there is kept, 0 to 1.
    share: f64,
    /// How long that is, frames.
    frames: f64,
}

impl OwnEnd {
    fn new(weights: &[f64], has: impl Fn(usize) -> f64) -> Self {
        let clip = heaviest(weights);
        let has = has(clip);
        let share = smooth((weights[clip] - OWN_ENDS) / (1.0 - OWN_ENDS));
        // An end shorter than this is rounding, and would put two knots on one moment.
        let share = if share * has > WHOLE_FRAME { share } else { 0.0 };
        Self { clip, share, frames: share * has }
    }

    /// What is left of the other clips' weights `inside` frames within what corresponds (negative: outside).
    fn others(&self, inside: f64, fade: f64) -> f64 {
        if inside < 0.0 {
            (1.0 - self.share) * (1.0 - smooth(-inside / fade))
        } else {
            1.0 - self.share * (1.0 - smooth(inside / fade))
        }
    }
}

/// 3u² − 2u³ between 0 and 1.
pub(super) fn smooth(u: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}

/// All clips against one of them.
struct Registered {
    reference: usize,
    /// By clip: the first frame of the reference that it corresponds to, and its times from there on.
    curves: Vec<(usize, Vec<f64>)>,
    /// By clip; none for the reference.
    aligned: Vec<Option<AlignReport>>,
}

impl Registered {
    /// Frames of the reference that a clip corresponds to.
    fn frames(&self, clip: usize) -> Range<usize> {
        let (start, times) = &self.curves[clip];
        *start..start + times.len()
    }

    /// Frames of the reference that all clips correspond to.
    fn common(&self) -> Range<usize> {
        let all = (0..self.curves.len()).map(|clip| self.frames(clip));
        all.reduce(|a, b| a.start.max(b.start)..a.end.min(b.end)).unwrap_or(0..0)
    }
}

/// Registers all clips against the one that fits the others best; where they have no part of that one in common, against the next best.
fn register(clips: &[Clip], progress: Progress<'_>) -> Result<Registered, BlendError> {
    // Said of the clip that is too short, not of the one it is compared with.
    if let Some(k) = clips.iter().position(|clip| clip.motion_frames().len() < 2).filter(|_| clips.len() > 1)
    {
        let source = AlignError::TooShort { frames: clips[k].motion_frames().len() };
        return Err(BlendError::Align { clip: k, name: clips[k].name.clone(), source });
    }
    let all: Vec<&Clip> = clips.iter().collect();
    let clip_error =
        |source| BlendError::Align { clip: clips.len() - 1, name: all[all.len() - 1].name.clone(), source };
    if clips.len() < 2 {
        let times = (0..clips[0].motion_frames().len()).map(|frame| frame as f64).collect();
        return Ok(Registered { reference: 0, curves: vec![(0, times)], aligned: vec![None] });
    }
    let prepared = prepare(&all).map_err(clip_error)?;
    // Of two clips the first, as it does not matter; of more the one that fits all others best, so that their order does not
    // matter either.
    let mut order: Vec<usize> = (0..clips.len()).collect();
    if clips.len() > 2 {
        let mut misfits = vec![0.0; clips.len()];
        for i in 0..clips.len() {
            for j in i + 1..clips.len() {
                let found = align_prepared(&prepared[i], &prepared[j], false, progress)?;
                let misfit = f64::from(found.report.distance_m);
                misfits[i] += misfit;
                misfits[j] += misfit;
            }
        }
        order.sort_by(|&a, &b| misfits[a].total_cmp(&misfits[b]));
    }
    let mut best: Option<Registered> = None;
    for &reference in &order {
        let found = register_to(clips, &prepared, reference, progress)?;
        // Another reference helps only if all clips match it: what matches nothing is played from its first frame on.
        let matches = best.is_none() || found.aligned.iter().flatten().all(|aligned| aligned.matches);
        if matches && found.common().len() >= 2 {
            return Ok(found);
        }
        best = best.or(Some(found));
    }
    let best = best.ok_or(BlendError::TooFew { clips: 0 })?;
    // The two that lie farthest apart in the best reference.
    let (mut clip, mut other) = (0, 0);
    for k in 0..clips.len() {
        if best.frames(k).end < best.frames(clip).end {
            clip = k;
        }
        if best.frames(k).start > best.frames(other).start {
            other = k;
        }
    }
    let fps = clips[best.reference].fps();
    let seconds = |k: usize| {
        let Range { start, end } = best.frames(k);
        [start as f64 / fps, (end.max(1) - 1) as f64 / fps]
    };
    Err(BlendError::NothingInCommon {
        clip,
        name: clips[clip].name.clone(),
        other: clips[other].name.clone(),
        reference: clips[best.reference].name.clone(),
        matched_s: seconds(clip),
        other_s: seconds(other),
    })
}

fn register_to(
    clips: &[Clip],
    prepared: &[Prepared],
    reference: usize,
    progress: Progress<'_>,
) -> Result<Registered, BlendError> {
    let (mut curves, mut aligned) = (Vec::new(), Vec::new());
    for k in 0..clips.len() {
        if k == reference {
            curves.push((0, (0..clips[k].motion_frames().len()).map(|frame| frame as f64).collect()));
            aligned.push(None);
            continue;
        }
        let found = align_prepared(&prepared[reference], &prepared[k], true, progress)?;
        curves.push((found.frames.start, found.times));
        aligned.push(Some(found.report));
    }
    Ok(Registered { reference, curves, aligned })
}

fn warped(clips: &[Clip], config: &BlendConfig, progress: Progress<'_>) -> Result<Clock, BlendError> {
    let fps = clips[0].fps();
    let lengths: Vec<usize> = clips.iter().map(|clip| clip.motion_frames().len()).collect();
    let registered = register(clips, progress)?;
    let Range { start: from, end: to } = registered.common();
    let Registered { curves, aligned, .. } = registered;
    let curves: Vec<&[f64]> = curves.iter().map(|(start, times)| &times[from - start..to - start]).collect();
    let last = to - from - 1;

    // Knots of the clock, each with every clip's time.
    let head = OwnEnd::new(&weights_at(&config.weights, 0.0)?, |k| curves[k][0]);
    let at = |s: usize| -> Vec<f64> { curves.iter().map(|curve| curve[s]).collect() };
    let mut knots: Vec<(f64, Vec<f64>)> = Vec::with_capacity(last + 3);
    if head.frames > 0.0 {
        let mut times = at(0);
        times[head.clip] -= head.frames;
        knots.push((0.0, times));
    }
    let mut now = head.frames;
    knots.push((now, at(0)));
    for s in 1..=last {
        let weights = weights_at(&config.weights, now / fps)?;
        let step: f64 = curves.iter().zip(&weights).map(|(t, w)| w * (t[s] - t[s - 1])).sum();
        // Negative weights could stop time; a tenth of the reference's pace always goes on.
        now += step.max(0.1);
        knots.push((now, at(s)));
    }
    let tail =
        OwnEnd::new(&weights_at(&config.weights, now / fps)?, |k| (lengths[k] - 1) as f64 - curves[k][last]);
    let (begin, end) = (head.frames, now);
    if tail.frames > 0.0 {
        let mut times = at(last);
        times[tail.clip] += tail.frames;
        knots.push((end + tail.frames, times));
    }
    let length = end + tail.frames;

    check_sum(&config.weights, length / fps)?;

    // A whole number of frames, spread over exactly that length.
    let frames = length.round() as usize + 1;
    let most = MAX_STRETCH * lengths.iter().max().copied().unwrap_or(1);
    if frames > most {
        return Err(BlendError::TooLong { frames, most });
    }
    let step = if frames > 1 { length / (frames - 1) as f64 } else { 0.0 };
    let mut clock = Clock {
        times: vec![Vec::with_capacity(frames); clips.len()],
        weights: vec![Vec::with_capacity(frames); clips.len()],
        aligned,
    };
    let fade = FADE_S * fps;
    for frame in 0..frames {
        let tau = frame as f64 * step;
        let next = knots.partition_point(|knot| knot.0 <= tau).clamp(1, knots.len() - 1);
        let ((before, a), (after, b)) = (&knots[next - 1], &knots[next]);
        let share = if after > before { ((tau - before) / (after - before)).clamp(0.0, 1.0) } else { 1.0 };
        let mut weights = weights_at(&config.weights, tau / fps)?;
        keep_own(&mut weights, head.clip, head.others(tau - begin, fade));
        keep_own(&mut weights, tail.clip, tail.others(end - tau, fade));
        for k in 0..clips.len() {
            let time = a[k] + share * (b[k] - a[k]);
            let whole = time.round();
            clock.times[k].push(if (time - whole).abs() < WHOLE_FRAME { whole } else { time });
            clock.weights[k].push(weights[k]);
        }
    }
    Ok(clock)
}

/// Leaves `share` of all weights but one clip's, and gives that one the rest.
fn keep_own(weights: &mut [f64], own: usize, share: f64) {
    if share == 1.0 {
        return;
    }
    let mut rest = 1.0;
    for (_, w) in weights.iter_mut().enumerate().filter(|(k, _)| *k != own) {
        *w *= share;
        rest -= *w;
    }
    weights[own] = rest;
}
