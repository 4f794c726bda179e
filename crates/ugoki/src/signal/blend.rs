//! N clips into one: each frame is the exact mean of corresponding frames.
//!
//! Building aligns: skeletons are compared, rates made equal, times warped onto one another
//! ([`super::align`]), and starts brought together on the ground. What is left is a set of clips of equal
//! length and a weight for each at every frame; running mixes them, eight frames at a time.

use super::align::{AlignError, AlignReport, align};
use super::blend_config::{BlendConfig, BlendError, BlendMethod, BlendReport, BlendedClip, TimeAlign};
use super::contacts::keep_contacts;
use super::ground::{GroundMove, mean_heading, stance, wrapped};
use super::joints::{align_track_signs, for_each_joint};
use super::mix::{Tracks, Weights, mix_track};
use super::weights::WeightCurve;
use crate::clip::{Clip, RotationTracks, Translation, VectorTrack};
use crate::skeleton::Skeleton;
use crate::{Cancelled, Progress};
use glam::Vec3;

/// Rest offsets that differ by no more than this, metres, are the same body.
const SAME_OFFSET: f32 = 1e-3;
/// Weights whose sum is nearer to 0 than this share of their sizes cannot be brought to sum 1.
const MIN_SUM: f64 = 1e-6;

/// Clips of less than this share of the weight have no say in contacts and warnings.
pub(super) const HEAVY: f32 = 0.1;

/// Clips made ready for mixing: equal length, rate and place, with weights of sum 1 for every frame.
#[derive(Debug, Clone)]
pub struct Blend {
    clips: Vec<Clip>,
    weights: Weights,
    method: BlendMethod,
    report: BlendReport,
}

/// A blended motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Blended {
    /// The result, on the first clip's skeleton at its rate.
    pub clip: Clip,
    /// What was done.
    pub report: BlendReport,
}

/// Builds, mixes and keeps contacts in one go.
///
/// # Errors
/// As [`build_blend`].
pub fn blend(clips: &[&Clip], config: &BlendConfig, progress: Progress<'_>) -> Result<Blended, BlendError> {
    let built = build_blend(clips, config, progress)?;
    let mut clip = built.empty_clip();
    let fallbacks = built.mix_into(&mut clip, progress)?;
    let mut report = built.report.clone();
    report.fallbacks = fallbacks;
    if config.keep_contacts {
        report.contacts = keep_contacts(&mut clip, &built.clips, built.weights.by_clip(), progress)?;
    }
    Ok(Blended { clip, report })
}

/// Makes clips ready for mixing.
///
/// # Errors
/// When clips or weights do not fit each other, saying which and why, or the caller stops.
pub fn build_blend(
    clips: &[&Clip],
    config: &BlendConfig,
    progress: Progress<'_>,
) -> Result<Blend, BlendError> {
    check(clips, config)?;
    let fps = clips[0].fps();
    let mut sources = Vec::with_capacity(clips.len());
    for (index, clip) in clips.iter().enumerate() {
        let same = clip.resampled(fps).map_err(|source| BlendError::Rate { clip: index, source })?;
        sources.push(same);
    }
    let lengths: Vec<usize> = sources.iter().map(|clip| clip.motion_frames().len()).collect();
    let (times, weights, aligned) = match config.align {
        TimeAlign::None => {
            let frames = lengths.iter().copied().min().unwrap_or(0);
            let times = vec![(0..frames).map(|frame| frame as f64).collect::<Vec<_>>(); clips.len()];
            let weights = (0..frames)
                .map(|frame| weights_at(&config.weights, frame as f64 / fps))
                .collect::<Result<Vec<_>, _>>()?;
            (times, weights, vec![None; clips.len()])
        }
        TimeAlign::Time => warped(&sources, config, progress)?,
    };
    let mut moved: Vec<Clip> = sources
        .iter()
        .zip(&times)
        .map(|(clip, times)| {
            let start = clip.motion_frames().start as f64;
            let at: Vec<f64> = times.iter().map(|t| start + t).collect();
            clip.at_frames(&at, fps)
        })
        .collect();
    let moves = if config.ground { meet(&moved, &weights[0]) } else { vec![None; clips.len()] };
    for (clip, m) in moved.iter_mut().zip(&moves) {
        if let Some(m) = m {
            m.apply(clip);
        }
    }
    let frames = weights.len();
    let weights: Vec<Vec<f32>> =
        (0..clips.len()).map(|k| weights.iter().map(|at| at[k] as f32).collect()).collect();
    let report = BlendReport {
        frames,
        clips: (0..clips.len())
            .map(|k| BlendedClip {
                name: clips[k].name.clone(),
                resampled: (clips[k].fps() / fps - 1.0).abs() >= 1e-9,
                aligned: aligned[k],
                turn_deg: moves[k].map_or(0.0, |m| m.yaw.to_degrees()),
                shift_m: moves[k].map_or(0.0, |m| m.shift.length()),
            })
            .collect(),
        fallbacks: 0,
        far_apart: far_apart(&moved, &weights),
        contacts: Vec::new(),
    };
    Ok(Blend { clips: moved, weights: Weights::new(weights), method: config.method, report })
}

impl Blend {
    /// How many frames the result has.
    #[must_use]
    pub fn num_frames(&self) -> usize {
        self.report.frames
    }

    /// What building found.
    #[must_use]
    pub fn report(&self) -> &BlendReport {
        &self.report
    }

    /// A clip of the right size for [`Blend::mix_into`].
    #[must_use]
    pub fn empty_clip(&self) -> Clip {
        let clip = &self.clips[0];
        let mut joints: Vec<usize> =
            self.clips.iter().flat_map(|c| c.translations().iter().map(|t| t.joint)).collect();
        joints.sort_unstable();
        joints.dedup();
        let translations = joints
            .into_iter()
            .map(|joint| {
                let rest = clip.skeleton().joint(joint).offset;
                Translation { joint, track: VectorTrack::constant(rest, self.num_frames()) }
            })
            .collect();
        let rotations = RotationTracks::identity(clip.num_joints(), self.num_frames());
        let root = VectorTrack::constant(Vec3::ZERO, self.num_frames());
        match Clip::from_tracks(clip.skeleton().clone(), clip.fps(), root, rotations, translations) {
            Ok(mut empty) => {
                empty.name.clone_from(&clip.name);
                empty.tags.clone_from(&clip.tags);
                empty
            }
            // The rate is another clip's and has been checked there.
            Err(error) => unreachable!("{error}"),
        }
    }

    /// Mixes every frame into `out`, a clip from [`Blend::empty_clip`]; gives the means that did not settle.
    ///
    /// # Errors
    /// When the caller stops.
    ///
    /// # Panics
    /// If `out` is not of the right size.
    pub fn mix_into(&self, out: &mut Clip, progress: Progress<'_>) -> Result<usize, Cancelled> {
        assert_eq!(out.num_frames(), self.num_frames(), "a clip from `empty_clip`");
        let exactly = self.method == BlendMethod::Exact;
        let fallbacks = for_each_joint(out.rotations_mut(), progress, |joint, mut track| {
            let rotations: Vec<[&[f32]; 4]> = self
                .clips
                .iter()
                .map(|clip| {
                    let track = clip.rotations().track(joint);
                    [track.x, track.y, track.z, track.w]
                })
                .collect();
            let tracks = Tracks { rotations: &rotations, weights: &self.weights };
            let fallbacks = mix_track(exactly, &tracks, track.each_mut().map(|v| &mut v[..]));
            align_track_signs(track);
            fallbacks
        })?;
        let sources: Vec<&VectorTrack> = self.clips.iter().map(Clip::root).collect();
        self.mix_paths(&sources, out.root_mut());
        let mut rest = Vec::new();
        for translation in out.translations_mut() {
            let joint = translation.joint;
            rest.clear();
            rest.extend(self.clips.iter().map(|clip| path_of(clip, joint)));
            let sources: Vec<&VectorTrack> = rest.iter().map(AsRef::as_ref).collect();
            self.mix_paths(&sources, &mut translation.track);
        }
        Ok(fallbacks.iter().sum())
    }

    /// Weighted sums of paths, as differences to the first clip's: equal paths keep their bits.
    fn mix_paths(&self, sources: &[&VectorTrack], out: &mut VectorTrack) {
        let part = |select: fn(&VectorTrack) -> &[f32], out: &mut [f32]| {
            let first = select(sources[0]);
            out.copy_from_slice(first);
            for (source, weights) in sources.iter().zip(self.weights.by_clip()).skip(1) {
                for ((value, (&p, &base)), &w) in
                    out.iter_mut().zip(select(source).iter().zip(first)).zip(weights)
                {
                    *value += w * (p - base);
                }
            }
        };
        part(|t| &t.x, &mut out.x);
        part(|t| &t.y, &mut out.y);
        part(|t| &t.z, &mut out.z);
    }
}

/// The path of a joint in its parent's frame, also where the clip keeps none.
fn path_of(clip: &Clip, joint: usize) -> std::borrow::Cow<'_, VectorTrack> {
    use std::borrow::Cow;
    clip.translations().iter().find(|t| t.joint == joint).map_or_else(
        || Cow::Owned(VectorTrack::constant(clip.skeleton().joint(joint).offset, clip.num_frames())),
        |t| Cow::Borrowed(&t.track),
    )
}

fn check(clips: &[&Clip], config: &BlendConfig) -> Result<(), BlendError> {
    if clips.len() < 2 {
        return Err(BlendError::TooFew { clips: clips.len() });
    }
    if config.weights.len() != clips.len() {
        return Err(BlendError::WeightCount { weights: config.weights.len(), clips: clips.len() });
    }
    for (clip, curve) in config.weights.iter().enumerate() {
        curve.check().map_err(|source| BlendError::Weight { clip, source })?;
    }
    for (index, clip) in clips.iter().enumerate() {
        if clip.motion_frames().is_empty() {
            return Err(BlendError::Empty { clip: index, name: clip.name.clone() });
        }
        if let Some(difference) = skeleton_difference(clips[0].skeleton(), clip.skeleton()) {
            return Err(BlendError::Skeleton { clip: index, name: clip.name.clone(), difference });
        }
    }
    Ok(())
}

/// In words, the joints in which `b` differs from `a`; nothing when frames of one fit the other.
pub(super) fn skeleton_difference(a: &Skeleton, b: &Skeleton) -> Option<String> {
    let mut found = Vec::new();
    for index in 0..a.num_joints().max(b.num_joints()) {
        let (one, other) = (a.joints().get(index), b.joints().get(index));
        let words = match (one, other) {
            (Some(one), Some(other)) if one.name != other.name => {
                format!("{:?} where {:?} was expected", other.name, one.name)
            }
            (Some(one), Some(other)) if one.parent != other.parent => {
                format!("{:?} hangs on another joint", other.name)
            }
            (Some(one), Some(other))
                if one.parent.is_some() && one.offset.distance(other.offset) > SAME_OFFSET =>
            {
                let (found, wanted) = (other.offset.length() * 100.0, one.offset.length() * 100.0);
                format!("{:?} is {found:.1} cm from its parent instead of {wanted:.1}", other.name)
            }
            (Some(one), None) => format!("{:?} is missing", one.name),
            (None, Some(other)) => format!("{:?} is new", other.name),
            _ => continue,
        };
        found.push(words);
    }
    // Five tell the reader what kind of difference it is.
    let more = found.len().saturating_sub(5);
    found.truncate(5);
    let mut text = found.join(", ");
    if more > 0 {
        text += &format!(" and {more} more");
    }
    (!text.is_empty()).then_some(text)
}

/// All weights at a time, brought to sum 1.
fn weights_at(curves: &[WeightCurve], time_s: f64) -> Result<Vec<f64>, BlendError> {
    let weights: Vec<f64> = curves.iter().map(|curve| curve.at(time_s)).collect();
    let sum: f64 = weights.iter().sum();
    let size: f64 = weights.iter().map(|w| w.abs()).sum();
    if !(size.is_finite() && sum.abs() > MIN_SUM * size) {
        return Err(BlendError::ZeroSum { sum, time_s });
    }
    Ok(weights.into_iter().map(|w| w / sum).collect())
}

fn heaviest(weights: &[f64]) -> usize {
    (0..weights.len()).fold(0, |best, k| if weights[k] > weights[best] { k } else { best })
}

type Warped = (Vec<Vec<f64>>, Vec<Vec<f64>>, Vec<Option<AlignReport>>);

/// Times in every clip and weights, for each frame of the result.
///
/// With tₖ(s) the time of clip k that corresponds to frame s of the clip heaviest at the start, the result's
/// clock runs as τ′(s) = Σ wₖ(τ)·tₖ′(s): it lasts as long as the weighted mean, and weight 1 on a clip gives
/// that clip's own clock.
fn warped(clips: &[Clip], config: &BlendConfig, progress: Progress<'_>) -> Result<Warped, BlendError> {
    let fps = clips[0].fps();
    let reference = heaviest(&weights_at(&config.weights, 0.0)?);
    let mut curves = Vec::with_capacity(clips.len());
    let mut reports = Vec::with_capacity(clips.len());
    for (k, clip) in clips.iter().enumerate() {
        if k == reference {
            curves.push((0..clip.motion_frames().len()).map(|frame| frame as f64).collect());
            reports.push(None);
            continue;
        }
        let done = align(&clips[reference], clip, progress).map_err(|error| match error {
            AlignError::Cancelled(cancelled) => BlendError::Cancelled(cancelled),
            source => BlendError::Align { clip: k, source },
        })?;
        curves.push(done.times);
        reports.push(Some(done.report));
    }
    let knots = clips[reference].motion_frames().len();
    let mut clock = vec![0.0];
    for s in 1..knots {
        let now = clock[s - 1];
        let weights = weights_at(&config.weights, now / fps)?;
        let step: f64 =
            curves.iter().zip(&weights).map(|(t, w): (&Vec<f64>, &f64)| w * (t[s] - t[s - 1])).sum();
        // Negative weights could stop time; a tenth of the reference's pace always goes on.
        clock.push(now + step.max(0.1));
    }
    // Rounding must not cost the last frame.
    let frames = (clock[knots - 1] + 1e-6).floor() as usize + 1;
    let mut times = vec![Vec::with_capacity(frames); clips.len()];
    let mut weights = Vec::with_capacity(frames);
    for frame in 0..frames {
        let tau = frame as f64;
        let s = clock.partition_point(|&c| c <= tau).clamp(1, knots - 1) - 1;
        let share = ((tau - clock[s]) / (clock[s + 1] - clock[s])).clamp(0.0, 1.0);
        for (times, curve) in times.iter_mut().zip(&curves) {
            times.push(curve[s] + share * (curve[s + 1] - curve[s]));
        }
        weights.push(weights_at(&config.weights, tau / fps)?);
    }
    Ok((times, weights, reports))
}

/// The moves that bring all starts to their weighted mean.
fn meet(clips: &[Clip], weights: &[f64]) -> Vec<Option<GroundMove>> {
    let (places, headings): (Vec<Vec3>, Vec<f64>) = clips.iter().map(|clip| stance(clip, 0)).unzip();
    let first = heaviest(weights);
    let to = mean_heading(&headings, weights, first);
    let base = places[first];
    let target = base + places.iter().zip(weights).map(|(&p, &w)| (p - base) * w as f32).sum::<Vec3>();
    places
        .iter()
        .zip(&headings)
        .map(|(&place, &from)| {
            let still = wrapped(to - from).abs() < 1e-9 && place == target;
            (!still).then(|| GroundMove::between(place, from, target, to))
        })
        .collect()
}

/// Joint-frames in which two clips of at least a tenth of the weight are more than 120° apart.
fn far_apart(clips: &[Clip], weights: &[Vec<f32>]) -> usize {
    // cos(60°): the dot product of two rotations 120° apart.
    const FAR: f32 = 0.5;
    let heavy: Vec<Vec<usize>> = (0..clips[0].num_frames())
        .map(|frame| (0..clips.len()).filter(|&k| weights[k][frame].abs() >= HEAVY).collect())
        .collect();
    let mut count = 0;
    for joint in 0..clips[0].num_joints() {
        for (frame, heavy) in heavy.iter().enumerate() {
            let q = |k: usize| clips[k].rotation(joint, frame);
            count += usize::from(heavy.iter().any(|&k| q(k).dot(q(heavy[0])).abs() < FAR));
        }
    }
    count
}
