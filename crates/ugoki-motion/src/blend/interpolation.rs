//! N clips into one: each frame is the exact mean of corresponding frames.
//!
//! Building aligns: skeletons are compared, rates made equal, times warped onto one another
//! ([`super::align`], [`super::clock`]), and every frame is led along the ground to where the blend is then
//! ([`super::ground`]). What is left is a set of clips of equal length and a weight for each at every frame;
//! running mixes them, eight frames at a time, and does not allocate.

use std::sync::Arc;

use glam::Vec3;
use ugoki_base::clip::{Clip, RotationTracks, Translation, VectorTrack};
use ugoki_base::ground::wrap_angle;
use ugoki_base::signal::{AmbiguousJoint, align_track_signs, for_each_joint, sum_over_joints};
use ugoki_base::skeleton::Skeleton;
use ugoki_base::{Cancelled, Progress};

use super::blend_config::{BlendConfig, BlendError, BlendMethod, BlendReport, BlendedClip};
use super::clock::Clock;
use super::contacts::{Mixed, Standing, keep_contacts};
use super::follow::{competing_frames, far_frames, follow};
use super::ground::{Course, Led};
use super::mix::{MAX_CLIPS, Tracks, Weights, mix_track};

/// Rest offsets that differ by no more than this, metres, are the same body.
const SAME_OFFSET: f32 = 1e-3;

/// Clips of less weight have no say in the report.
const HEAVY: f32 = 0.1;

/// Clips made ready for mixing: equal length, rate and place, with weights of sum 1 for every frame.
#[derive(Debug, Clone)]
pub struct Blend {
    clips: Vec<Clip>,
    weights: Weights,
    method: BlendMethod,
    report: BlendReport,
    /// By clip, then frame: the time in the clip as it was given, motion frames.
    times: Vec<Vec<f64>>,
    /// By clip; fewer when feet are not to be kept or legs are not known.
    standing: Vec<Standing>,
    led: Vec<Led>,
    /// Joints whose sources are far apart at some time, with what they do.
    followed: Vec<Followed>,
    /// The first clip's, whether it takes part or not.
    skeleton: Arc<Skeleton>,
}

/// A joint whose mean follows its sources over time.
#[derive(Debug, Clone)]
struct Followed {
    joint: usize,
    /// x, y, z, w by frame.
    rotations: [Vec<f32>; 4],
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
        let mixed = Mixed {
            clips: &built.clips,
            weights: built.weights.by_clip(),
            times: &built.times,
            standing: &built.standing,
            led: &built.led,
        };
        let kept = keep_contacts(&mut clip, &mixed, progress)?;
        report.contacts = kept.contacts;
        report.hips_correction_m = kept.hips_m;
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
    // A clip whose weight is 0 at all times takes no part: not in what corresponds, not in the length.
    let taking: Vec<usize> = (0..clips.len()).filter(|&k| !config.weights[k].is_zero()).collect();
    if taking.is_empty() {
        return Err(BlendError::ZeroSum { sum: 0.0, time_s: 0.0 });
    }
    let weights = taking.iter().map(|&k| config.weights[k].clone()).collect();
    let config = &BlendConfig { weights, ..config.clone() };
    let fps = clips[0].fps();
    let mut sources = Vec::with_capacity(taking.len());
    for &index in &taking {
        let clip = clips[index];
        let same = clip.resampled(fps).map_err(|source| BlendError::Rate {
            clip: index,
            name: clip.name.clone(),
            source,
        })?;
        sources.push(same);
    }
    let clock = Clock::build(&sources, config, progress).map_err(|error| match error {
        BlendError::Align { clip, name, source } => BlendError::Align { clip: taking[clip], name, source },
        BlendError::NothingInCommon { clip, name, other, reference, matched_s, other_s } => {
            BlendError::NothingInCommon { clip: taking[clip], name, other, reference, matched_s, other_s }
        }
        error => error,
    })?;
    let mut moved: Vec<Clip> = sources
        .iter()
        .zip(&clock.times)
        .map(|(clip, times)| {
            let start = clip.motion_frames().start as f64;
            let at: Vec<f64> = times.iter().map(|t| start + t).collect();
            clip.at_frames(&at, fps)
        })
        .collect();
    same_translations(&mut moved);
    let led =
        if config.ground { lead(&mut moved, &clock.weights) } else { vec![Led::nowhere(); moved.len()] };
    let standing = match config.keep_contacts {
        // One clip alone is itself.
        true if sources.len() > 1 => sources.iter().map_while(Standing::of).collect(),
        _ => Vec::new(),
    };
    let weights: Vec<Vec<f32>> =
        clock.weights.iter().map(|list| list.iter().map(|&w| w as f32).collect()).collect();
    let frames = clock.num_frames();
    let part = |index: usize| {
        let clip = clips[index];
        let name = clip.name.clone();
        let seconds = |frames: f64| frames.max(0.0) / fps;
        let Some(k) = taking.iter().position(|&other| other == index) else {
            let whole = (clip.motion_frames().len() - 1) as f64 / clip.fps();
            let (aligned, left_out_s) = (None, [0.0, whole]);
            return BlendedClip {
                name,
                takes_part: false,
                resampled: false,
                aligned,
                left_out_s,
                turn_deg: 0.0,
                shift_m: 0.0,
            };
        };
        let last = (sources[k].motion_frames().len() - 1) as f64;
        BlendedClip {
            name,
            takes_part: true,
            resampled: (clip.fps() / fps - 1.0).abs() >= 1e-9,
            aligned: clock.aligned[k],
            left_out_s: [clock.times[k][0], last - clock.times[k][frames - 1]].map(seconds),
            turn_deg: wrap_angle(led[k].turn(0)).to_degrees(),
            shift_m: led[k].shift(0),
        }
    };
    let weights = Weights::new(weights);
    let (followed, far_apart) = follow_all(&moved, &weights, progress)?;
    let report = BlendReport {
        frames,
        clips: (0..clips.len()).map(part).collect(),
        fallbacks: 0,
        far_apart,
        contacts: Vec::new(),
        hips_correction_m: 0.0,
    };
    let (method, skeleton, times) = (config.method, clips[0].skeleton().clone(), clock.times);
    Ok(Blend { clips: moved, weights, method, report, times, standing, led, followed, skeleton })
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
        let translations = clip.translations().to_vec();
        let rotations = RotationTracks::identity(clip.num_joints(), self.num_frames());
        let root = VectorTrack::constant(Vec3::ZERO, self.num_frames());
        match Clip::from_tracks(self.skeleton.clone(), clip.fps(), root, rotations, translations) {
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
        let fallbacks = sum_over_joints(out.rotations_mut(), progress, |joint, mut track| {
            if let Ok(at) = self.followed.binary_search_by_key(&joint, |followed| followed.joint) {
                for (values, known) in track.iter_mut().zip(&self.followed[at].rotations) {
                    values.copy_from_slice(known);
                }
                return 0;
            }
            let mut rotations = [[&[] as &[f32]; 4]; MAX_CLIPS];
            let tracks = tracks_of(&self.clips, &self.weights, joint, &mut rotations);
            let fallbacks = mix_track(exactly, &tracks, track.each_mut().map(|v| &mut v[..]));
            align_track_signs(track);
            fallbacks
        })?;
        self.mix_paths(Clip::root, out.root_mut());
        for (index, translation) in out.translations_mut().iter_mut().enumerate() {
            self.mix_paths(|clip| &clip.translations()[index].track, &mut translation.track);
        }
        Ok(fallbacks)
    }

    /// Weighted sums of paths, as differences to the first clip's: equal paths keep their bits.
    fn mix_paths<'a>(&'a self, path: impl Fn(&'a Clip) -> &'a VectorTrack, out: &mut VectorTrack) {
        let part = |select: fn(&VectorTrack) -> &[f32], out: &mut [f32]| {
            let first = select(path(&self.clips[0]));
            out.copy_from_slice(first);
            for (clip, weights) in self.clips.iter().zip(self.weights.by_clip()).skip(1) {
                let values = select(path(clip)).iter().zip(first);
                for ((value, (&p, &base)), &w) in out.iter_mut().zip(values).zip(weights) {
                    *value += w * (p - base);
                }
            }
        };
        part(|t| &t.x, &mut out.x);
        part(|t| &t.y, &mut out.y);
        part(|t| &t.z, &mut out.z);
    }
}

/// Gives every clip a path for each joint that has one in any of them.
fn same_translations(clips: &mut [Clip]) {
    let mut joints: Vec<usize> =
        clips.iter().flat_map(|clip| clip.translations().iter().map(|t| t.joint)).collect();
    joints.sort_unstable();
    joints.dedup();
    for clip in clips {
        if clip.translations().iter().map(|t| t.joint).eq(joints.iter().copied()) {
            continue;
        }
        let path = |&joint: &usize| {
            let own = clip.translations().iter().find(|t| t.joint == joint).cloned();
            own.unwrap_or_else(|| {
                let rest = clip.skeleton().joint(joint).offset;
                Translation { joint, track: VectorTrack::constant(rest, clip.num_frames()) }
            })
        };
        let paths = joints.iter().map(path).collect();
        let (root, rotations) = (clip.root().clone(), clip.rotations().clone());
        // The rate and the sizes are the clip's own, so nothing can be refused.
        if let Ok(mut full) = Clip::from_tracks(clip.skeleton().clone(), clip.fps(), root, rotations, paths) {
            full.name.clone_from(&clip.name);
            full.tags.clone_from(&clip.tags);
            *clip = full;
        }
    }
}

/// Leads every clip along the ground onto the mean of their courses.
fn lead(clips: &mut [Clip], weights: &[Vec<f64>]) -> Vec<Led> {
    let courses: Vec<Course> = clips.iter().map(Course::of).collect();
    let mean = Arc::new(Course::mean(&courses, weights));
    courses.into_iter().zip(clips).map(|(course, clip)| course.lead(clip, &mean)).collect()
}

fn check(clips: &[&Clip], config: &BlendConfig) -> Result<(), BlendError> {
    if clips.len() < 2 {
        return Err(BlendError::TooFew { clips: clips.len() });
    }
    if clips.len() > MAX_CLIPS {
        return Err(BlendError::TooMany { clips: clips.len(), most: MAX_CLIPS });
    }
    if config.weights.len() != clips.len() {
        return Err(BlendError::WeightCount { weights: config.weights.len(), clips: clips.len() });
    }
    for (clip, curve) in config.weights.iter().enumerate() {
        let name = || clips[clip].name.clone();
        curve.check().map_err(|source| BlendError::Weight { clip, name: name(), source })?;
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

/// One joint of all clips.
fn tracks_of<'a>(
    clips: &'a [Clip],
    weights: &'a Weights,
    joint: usize,
    rotations: &'a mut [[&'a [f32]; 4]; MAX_CLIPS],
) -> Tracks<'a> {
    for (rotations, clip) in rotations.iter_mut().zip(clips) {
        let track = clip.rotations().track(joint);
        *rotations = [track.x, track.y, track.z, track.w];
    }
    Tracks { rotations: &rotations[..clips.len()], weights }
}

/// Joints whose sources are more than 120° apart at some time, followed; and where clips of weight are so far apart.
fn follow_all(
    clips: &[Clip],
    weights: &Weights,
    progress: Progress<'_>,
) -> Result<(Vec<Followed>, Vec<AmbiguousJoint>), Cancelled> {
    let (num_frames, skeleton, fps) = (clips[0].num_frames(), clips[0].skeleton(), clips[0].fps());
    let mut mixed = RotationTracks::identity(clips[0].num_joints(), num_frames);
    let done = for_each_joint(&mut mixed, progress, |joint, mut out| {
        let mut rotations = [[&[] as &[f32]; 4]; MAX_CLIPS];
        let tracks = tracks_of(clips, weights, joint, &mut rotations);
        let far = competing_frames(&tracks);
        if far.is_empty() {
            return None;
        }
        mix_track(true, &tracks, out.each_mut().map(|values| &mut values[..]));
        follow(&tracks, &far, &mut out);
        align_track_signs(out.each_mut().map(|values| &mut values[..]));
        let rotations = out.map(|values| values.to_vec());
        Some((Followed { joint, rotations }, far_frames(&tracks, HEAVY)))
    })?;
    let (mut followed, mut far_apart) = (Vec::new(), Vec::new());
    for (joint, far) in done.into_iter().flatten() {
        if !far.is_empty() {
            far_apart.push(AmbiguousJoint::new(&skeleton.joint(joint.joint).name, &far, fps));
        }
        followed.push(joint);
    }
    Ok((followed, far_apart))
}
