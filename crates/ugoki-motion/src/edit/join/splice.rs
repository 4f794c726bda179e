//! Clips one after another as one motion.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use ugoki_base::clip::{Clip, ClipError, RotationTracks, Translation, VectorTrack};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics};
use ugoki_base::{Cancelled, Progress, report};
use ugoki_feet::contact::{ContactConfig, Contacts, Feet, find_contacts, find_feet};

use super::ground::hips_at;
use super::{
    BodyTrace, Crossing, FeetAt, FootGap, Footing, Gap, Looks, Own, Part, SPEED_COST_S, SeamBody, SeamStep,
    SourceBody, Stands, bend_end, bend_start, labels, ordinary, sample, seam_step, stand, standing,
    standing_at, steadied, step_over, turn_between,
};
use crate::edit::GroundFrame;

/// How clips are joined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpliceConfig {
    /// How long a seam is spread, seconds: half before it, half after.
    pub blend_s: f64,
    /// Most that may be cut off each side of a seam where the clips meet better there, seconds; 0 joins end to start exactly.
    pub trim_s: f64,
    /// Which standing feet are held.
    pub feet: FeetAt,
}

impl Default for SpliceConfig {
    /// 0.6 s over each seam, found within the last and first half second; swept in `docs/results/segments.md`.
    fn default() -> Self {
        Self { blend_s: 0.6, trim_s: 0.5, feet: FeetAt::All }
    }
}

/// How many times longer windows and trims are tried where a seam is larger than ordinary.
const LONGER: [f64; 2] = [1.6, 2.4];
/// How much less another try must show to be taken: by less than eyes see, the first is as good, and rounding does not choose.
pub(in crate::edit) const BETTER: f64 = 0.98;
/// What a second of motion that is cut off costs against a better meeting, metres of gap: half a second must win 2 cm.
const TRIM_COST: f64 = 0.04;
/// How many times longer windows are tried at each cut where the hips accelerate beyond the limit.
const WINDOWS: [f64; 4] = [1.0, 1.6, 2.4, 3.3];
/// Parts of the trim on each side of such a seam; each pair of parts gives one pair of cuts.
const CUT_PARTS: usize = 4;
/// How much farther feet may slide for that, millimetres.
const MORE_SLIDE_MM: f64 = 20.0;
/// What a difference of 1 m/s between the hips costs there against a better meeting, metres.
const HIPS_COST_S: f64 = 0.2;
/// Share of a clip that may at most be cut off at one of its ends.
const TRIM_SHARE: f64 = 0.25;
/// Time about a seam within which legs are its own doing, seconds to either side, besides half its window.
const BESIDE_S: f64 = 0.2;
/// Clips that may be joined, so that reports stay readable and memory bounded by what was read.
pub const MAX_CLIPS: usize = 10_000;

/// One clip's part in the result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SplicedClip {
    /// Its name.
    pub name: String,
    /// First frame of the result that is its.
    pub start: usize,
    /// How many frames of the result are its.
    pub frames: usize,
    /// Seconds cut off at its start and end.
    pub trimmed_s: [f64; 2],
    /// Where it was put.
    #[serde(skip)]
    pub placement: GroundFrame,
    /// Its frames that are used, counted as in the clip.
    #[serde(skip)]
    pub source: Range<usize>,
    /// Turn about the vertical it got, degrees.
    pub turn_deg: f32,
    /// Shift it got, metres: x, y, z.
    pub shift_m: [f32; 3],
    /// Whether its rate was changed.
    pub resampled: bool,
}

/// Where two clips meet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Seam {
    /// The first frame after it in the result.
    pub frame: usize,
    /// Its time in the result, seconds.
    pub at_s: f64,
    /// The step over it had the clips only been put one after the other.
    pub before: SeamStep,
    /// The step over it in the result.
    pub after: SeamStep,
    /// What it demands of the body.
    pub body: SeamBody,
}

/// Clips as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Spliced {
    /// The result, on the first clip's skeleton at its rate, without added T-poses.
    pub clip: Clip,
    /// The sources' contacts, carried along; `None` without legs.
    pub contacts: Option<Contacts>,
    /// What became of every clip, in order.
    pub clips: Vec<SplicedClip>,
    /// One fewer than clips.
    pub seams: Vec<Seam>,
    /// What changes from frame to frame in the sources: 99 % of their steps stay under it.
    pub ordinary: SeamStep,
    /// What bodies do in the sources, as they were captured.
    pub sources: SourceBody,
    /// Frames that may differ from their sources in their places.
    pub edited: Vec<Range<usize>>,
    /// Largest shift of the hips for feet that stand, metres.
    pub hips_m: f64,
    /// Contact labels of the sources that were not kept because the foot slides on purpose.
    pub slides: usize,
    /// Frames in which the hips of a clip jumped away and back over standing feet, put between their neighbours.
    pub mended: usize,
    /// How long seams were spread, seconds; the longest of all.
    pub blend_s: f64,
    /// How many times more than the clips ever do the result asks of the legs, of knees' speed or of room between them; up to 1 it does
    /// not show.
    pub strain: f64,
    /// The same of the seams alone.
    pub strain_at_seams: f64,
}

impl Spliced {
    /// How much the seams show: 1 and less is as in the clips.
    fn shows(&self) -> f64 {
        self.excess().max(self.strain_at_seams)
    }

    /// Whether the hips accelerate beyond the limit at a seam.
    fn is_over(&self, seam: usize) -> bool {
        self.seams[seam].body.hips_m_s2 > self.sources.hips_limit_m_s2()
    }

    /// How far all seams together are beyond the limits of the body.
    fn body_excess(&self) -> f64 {
        self.seams.iter().map(|seam| (seam.body.ratio(&self.sources) - 1.0).max(0.0)).sum()
    }

    /// Fills in what the seams demand of the body.
    fn measure_body(&mut self, sources: SourceBody) {
        self.sources = sources;
        let fps = self.clip.fps();
        let stands = Stands::of(&self.clip, self.contacts.as_ref());
        let trace = BodyTrace::new(&self.clip);
        for (index, seam) in self.seams.iter_mut().enumerate() {
            let frames = self.clips[index].start..self.clips[index + 1].start + self.clips[index + 1].frames;
            let step = stands.floor_step(seam.frame, &frames, fps);
            seam.body = SeamBody { floor_step_mm: step.map(|step| 1e3 * step), ..trace.at(seam.frame) };
        }
    }

    /// How many times as large as ordinary the largest seam is, in the respect in which it is largest.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.seams.iter().map(|seam| seam.after.over(&self.ordinary)).fold(0.0, f64::max)
    }
}

/// Why clips cannot be joined.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpliceError {
    /// Nothing to join.
    #[error("{clips} clips cannot be joined, expected {least} to {most}")]
    Count {
        /// How many there are.
        clips: usize,
        /// How many must be.
        least: usize,
        /// How many may be.
        most: usize,
    },
    /// A clip without motion.
    #[error("{name:?} has no frames of motion")]
    Empty {
        /// Which one, from 0.
        clip: usize,
        /// Its name.
        name: String,
    },
    /// Joints must correspond.
    #[error("{name:?} has another skeleton than the first motion")]
    Skeleton {
        /// Which one, from 0.
        clip: usize,
        /// Its name.
        name: String,
    },
    /// A time must be a time.
    #[error("{what} of {seconds} s is not possible, expected 0 or more")]
    Seconds {
        /// Which time.
        what: &'static str,
        /// What it is.
        seconds: f64,
    },
    /// The rate of a clip cannot be changed.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl SpliceError {
    /// The clip to blame, from 0.
    #[must_use]
    pub fn clip(&self) -> Option<usize> {
        match self {
            Self::Empty { clip, .. } | Self::Skeleton { clip, .. } => Some(*clip),
            _ => None,
        }
    }
}

/// How one seam is made.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SeamPlan {
    /// How long it is spread, seconds.
    blend_s: f64,
    /// Most that may be cut off each side, seconds.
    trim_s: f64,
    /// Frames to cut off each side; `None` where the clips meet best.
    cut: Option<[usize; 2]>,
    /// Lays hips on hips even where the same feet stand; the feet then step.
    by_hips: bool,
}

/// A clip on its way into the result.
#[derive(Clone)]
struct Piece {
    clip: Clip,
    contacts: Option<Contacts>,
    stands: Stands,
    placement: GroundFrame,
    used: Range<usize>,
    resampled: bool,
}

/// Joins clips end to start on the ground: each is turned and shifted to meet the one before, the frames on both sides of
/// each seam are bent to meet in place and velocity, and feet that stand stay.
///
/// A seam that stays larger than what is ordinary in the clips, or at which knees snap or legs meet, is tried again with longer windows and more to choose from, and the
/// best try is given: a foot in full swing needs longer to stop. Seams at which the hips accelerate beyond
/// [`SourceBody::hips_limit_m_s2`] are then tried with other cuts and windows, and the one with the least acceleration is kept.
///
/// # Errors
/// When there are no clips, skeletons differ, a clip has no motion, a time is not one, or the caller stops.
pub fn splice(
    clips: &[&Clip],
    config: &SpliceConfig,
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    splice_captured(clips, clips, config, progress)
}

/// What is known of a piece from the whole clip that it was cut from, in frames of the piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    /// Heels and toes that stand.
    pub contacts: Contacts,
    /// Height of the ground that bears the body in every frame, metres; empty where it is not known. Pieces are put on each other's ground exactly.
    pub ground_m: Vec<f32>,
}

/// [`splice`] of pieces whose standing feet are known: a short piece does not tell what [`standing_labels`] of the whole clip does. `labels` are
/// one per piece.
///
/// # Errors
/// As [`splice`].
///
/// # Panics
/// If there are not as many labels as clips.
pub fn splice_labelled(
    clips: &[&Clip],
    labels: &[Option<Labels>],
    config: &SpliceConfig,
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    check(clips, config)?;
    assert_eq!(clips.len(), labels.len(), "labels for every clip");
    splice_best(clips, clips, Some(labels), config, progress)
}

/// Contacts of a clip in which heels and toes truly stand, and how many labels were left out because the foot slides on purpose; `None` without legs.
#[must_use]
pub fn standing_labels(clip: &Clip) -> Option<(Contacts, usize)> {
    let feet = find_feet(clip.skeleton()).ok()?;
    let found = find_contacts(clip, &ContactConfig::default()).ok()?;
    Some(standing(clip, &found, &feet))
}

/// [`splice`] of clips that were moved onto one skeleton, with the motions as they were `captured`: what legs may be asked for is measured
/// in those, since what retargeting did to legs is no excuse.
///
/// # Errors
/// As [`splice`].
pub fn splice_captured(
    clips: &[&Clip],
    captured: &[&Clip],
    config: &SpliceConfig,
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    check(clips, config)?;
    splice_best(clips, captured, None, config, progress)
}

/// The best of some tries.
fn splice_best(
    clips: &[&Clip],
    captured: &[&Clip],
    labels: Option<&[Option<Labels>]>,
    config: &SpliceConfig,
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    let prepared = Prepared::new(clips, labels, config.feet, &mut |part| progress(0.3 * part))?;
    let own = prepared.feet.as_ref().map(|feet| Own::of(captured, feet));
    let sources = SourceBody::new(captured);
    let mut once = |plans: &[SeamPlan]| {
        let mut done = prepared.splice(plans, config, &mut |part| progress(0.3 + 0.7 * part))?;
        if let (Some(feet), Some(own)) = (&prepared.feet, &own) {
            let beside = ((0.5 * done.blend_s + BESIDE_S) * done.clip.fps()).round() as usize;
            let about = done.seams.iter().map(|seam| seam.frame.saturating_sub(beside)..seam.frame + beside);
            done.strain_at_seams = own.strain(&done.clip, feet, about);
            done.strain = own.strain(&done.clip, feet, std::iter::once(0..done.clip.num_frames()));
        }
        done.measure_body(sources);
        Ok::<_, SpliceError>(done)
    };
    let all = |factor: f64| {
        let plan = SeamPlan {
            blend_s: factor * config.blend_s,
            trim_s: factor * config.trim_s,
            cut: None,
            by_hips: false,
        };
        vec![plan; clips.len() - 1]
    };
    let mut best = once(&all(1.0))?;
    for factor in LONGER {
        if best.shows() <= 1.0 || config.trim_s == 0.0 {
            break;
        }
        let again = once(&all(factor))?;
        if again.shows() < BETTER * best.shows() {
            best = again;
        }
    }
    // Pieces with labels were cut by a search of their own.
    if labels.is_some() || config.trim_s == 0.0 || !(0..best.seams.len()).any(|seam| best.is_over(seam)) {
        return Ok(best);
    }
    slow_down(best, &prepared, config, &mut once)
}

/// Tries other cuts and windows at the seams where the hips accelerate beyond the limit, and keeps the best of each. Seams hardly depend on
/// each other, so each run tries one plan for every such seam.
fn slow_down(
    first: Spliced,
    prepared: &Prepared,
    config: &SpliceConfig,
    once: &mut dyn FnMut(&[SeamPlan]) -> Result<Spliced, SpliceError>,
) -> Result<Spliced, SpliceError> {
    let fps = first.clip.fps();
    let sources = first.sources;
    let ratio = |done: &Spliced, seam: usize| done.seams[seam].body.ratio(&sources);
    let frames = |seconds: f64| (seconds * fps).round() as usize;
    let mut plans: Vec<SeamPlan> = first
        .clips
        .windows(2)
        .map(|pair| SeamPlan {
            blend_s: first.blend_s,
            trim_s: config.trim_s,
            cut: Some([frames(pair[0].trimmed_s[1]), frames(pair[1].trimmed_s[0])]),
            by_hips: false,
        })
        .collect();
    let mut least: Vec<f64> = (0..plans.len()).map(|seam| ratio(&first, seam)).collect();
    let tries: Vec<Vec<SeamPlan>> = (0..plans.len())
        .map(|seam| {
            if !first.is_over(seam) {
                return Vec::new();
            }
            let mut cuts = vec![plans[seam].cut.unwrap_or_default()];
            cuts.extend(other_cuts(&prepared.pieces[seam], &prepared.pieces[seam + 1], config.trim_s));
            let with = |by_hips: bool| {
                let plan = move |cut: [usize; 2], longer: f64| SeamPlan {
                    blend_s: longer * config.blend_s,
                    trim_s: config.trim_s,
                    cut: Some(cut),
                    by_hips,
                };
                cuts.iter().flat_map(move |&cut| WINDOWS.map(|longer| plan(cut, longer)))
            };
            with(false).chain(with(true)).collect()
        })
        .collect();
    for round in 0..tries.iter().map(Vec::len).max().unwrap_or(0) {
        let open: Vec<usize> =
            (0..plans.len()).filter(|&seam| least[seam] > 1.0 && round < tries[seam].len()).collect();
        if open.is_empty() {
            break;
        }
        let mut trial = plans.clone();
        open.iter().for_each(|&seam| trial[seam] = tries[seam][round]);
        let done = once(&trial)?;
        for seam in open {
            let (was, now) = (&first.seams[seam], &done.seams[seam]);
            // Neither feet nor the step over the seam pay for the hips.
            let is_fair = now.body.slide_mm <= was.body.slide_mm + MORE_SLIDE_MM
                && now.after.over(&done.ordinary) <= was.after.over(&first.ordinary).max(1.0);
            if is_fair && ratio(&done, seam) < BETTER * least[seam] {
                (plans[seam], least[seam]) = (trial[seam], ratio(&done, seam));
            }
        }
    }
    let last = once(&plans)?;
    Ok(if last.body_excess() < first.body_excess() { last } else { first })
}

/// Other pairs of cuts, in frames: the best of each part of a coarse grid over what may be trimmed, best first. Compared with
/// [`find_seam`], a difference in the velocity of the hips counts more.
fn other_cuts(a: &Piece, b: &Piece, trim_s: f64) -> Vec<[usize; 2]> {
    let (cut_a, cut_b) = (a.most_cut(trim_s), b.most_cut(trim_s));
    let (end, start) = (a.used.end, b.used.start);
    let here = Looks::of(&a.clip, &a.stands, end - 1 - cut_a..end);
    let there = Looks::of(&b.clip, &b.stands, start..start + cut_b + 1);
    let mut best = [[(f64::INFINITY, [0, 0]); CUT_PARTS]; CUT_PARTS];
    for i in 0..=cut_a {
        for j in 0..=cut_b {
            let (last, first) = (end - 1 - i, start + j);
            let cost = here.gap(last, &there, first) + HIPS_COST_S * here.hips_gap(last, &there, first);
            let cell = &mut best[i * CUT_PARTS / (cut_a + 1)][j * CUT_PARTS / (cut_b + 1)];
            if cost < cell.0 {
                *cell = (cost, [i, j]);
            }
        }
    }
    let mut cuts: Vec<(f64, [usize; 2])> =
        best.into_iter().flatten().filter(|cell| cell.0.is_finite()).collect();
    cuts.sort_by(|x, y| x.0.total_cmp(&y.0));
    cuts.into_iter().map(|cell| cell.1).collect()
}

/// Clips with all that does not depend on how their seams are made.
struct Prepared {
    pieces: Vec<Piece>,
    feet: Option<Feet>,
    slides: usize,
    mended: usize,
}

impl Prepared {
    fn new(
        clips: &[&Clip],
        labels: Option<&[Option<Labels>]>,
        feet_at: FeetAt,
        progress: Progress<'_>,
    ) -> Result<Self, SpliceError> {
        let first = clips[0];
        let feet = find_feet(first.skeleton()).ok();
        let (mut slides, mut mended) = (0, 0);
        let mut pieces: Vec<Piece> = Vec::with_capacity(clips.len());
        for (index, clip) in clips.iter().enumerate() {
            report(progress, index as f32 / clips.len() as f32)?;
            let mut own = clip.resampled(first.fps())?;
            let resampled = (clip.fps() / first.fps() - 1.0).abs() >= 1e-9;
            // Labels are in frames of the clip as it was given.
            let known = labels.filter(|_| !resampled).map(|labels| labels[index].as_ref());
            let (contacts, left) = match known {
                Some(known) => known.map(|known| (known.contacts.clone(), 0)).unzip(),
                None => standing_labels(&own).unzip(),
            };
            slides += left.unwrap_or(0);
            if let (Some(feet), Some(found), FeetAt::All) = (&feet, &contacts, feet_at) {
                let (steady, frames) = steadied(&own, found, feet);
                mended += frames;
                if let Cow::Owned(steady) = steady {
                    own = steady;
                }
            }
            let ground_m = known.flatten().map_or(&[][..], |known| &known.ground_m);
            let stands = Stands::of(&own, contacts.as_ref()).on(ground_m);
            let used = own.motion_frames();
            pieces.push(Piece { clip: own, contacts, stands, placement: GroundFrame::HERE, used, resampled });
        }
        Ok(Self { pieces, feet, slides, mended })
    }

    /// The clips joined, every seam by its plan.
    fn splice(
        &self,
        plans: &[SeamPlan],
        config: &SpliceConfig,
        progress: Progress<'_>,
    ) -> Result<Spliced, SpliceError> {
        let mut pieces = self.pieces.clone();
        for (index, plan) in plans.iter().enumerate() {
            report(progress, 0.3 * index as f32 / plans.len() as f32)?;
            let (before, after) = pieces.split_at_mut(index + 1);
            let (a, b) = (&mut before[index], &mut after[0]);
            match plan.cut {
                Some([end, start]) => {
                    a.used.end -= end;
                    b.used.start += start;
                }
                None => find_seam(a, b, plan.trim_s),
            }
            b.placement = a.placement.after(&meeting(a, b, plan.by_hips));
        }
        let joined = join(&mut pieces, self.feet.as_ref(), plans);
        report(progress, 0.4)?;
        let feet = self.feet;
        let mut done =
            finish(joined, &pieces, feet, self.slides, config.feet, &mut |part| progress(0.4 + 0.6 * part))?;
        done.mended = self.mended;
        done.blend_s = plans.iter().map(|plan| plan.blend_s).fold(0.0, f64::max);
        Ok(done)
    }
}

impl Piece {
    /// Most frames that may be cut off one end.
    fn most_cut(&self, trim_s: f64) -> usize {
        let part = (TRIM_SHARE * self.clip.motion_frames().len() as f64) as usize;
        ((trim_s * self.clip.fps()).round() as usize).min(part)
    }
}

fn check(clips: &[&Clip], config: &SpliceConfig) -> Result<(), SpliceError> {
    if clips.is_empty() || clips.len() > MAX_CLIPS {
        return Err(SpliceError::Count { clips: clips.len(), least: 1, most: MAX_CLIPS });
    }
    for (what, seconds) in [("a blend", config.blend_s), ("a trim", config.trim_s)] {
        if !(seconds.is_finite() && seconds >= 0.0) {
            return Err(SpliceError::Seconds { what, seconds });
        }
    }
    for (index, clip) in clips.iter().enumerate() {
        let name = || clip.name.clone();
        if clip.motion_frames().is_empty() {
            return Err(SpliceError::Empty { clip: index, name: name() });
        }
        if **clip.skeleton() != **clips[0].skeleton() {
            return Err(SpliceError::Skeleton { clip: index, name: name() });
        }
    }
    Ok(())
}

/// Cuts the end of `a` and the start of `b` to where they meet best, within what may be trimmed.
fn find_seam(a: &mut Piece, b: &mut Piece, trim_s: f64) {
    let fps = a.clip.fps();
    let (cut_a, cut_b) = (a.most_cut(trim_s), b.most_cut(trim_s));
    if cut_a + cut_b == 0 {
        return;
    }
    let (end, start) = (a.used.end, b.used.start);
    let here = Looks::of(&a.clip, &a.stands, end - 1 - cut_a..end);
    let there = Looks::of(&b.clip, &b.stands, start..start + cut_b + 1);
    let mut best = (f64::INFINITY, 0, 0);
    for i in 0..=cut_a {
        for j in 0..=cut_b {
            // What comes after the last frame of one side should look like the first of the other.
            let gap = match (i, j) {
                (1.., _) => here.gap(end - i, &there, start + j),
                (0, 1..) => here.gap(end - 1, &there, start + j - 1),
                (0, 0) => here.gap(end - 1, &there, start),
            };
            let speed = here.fastest(end - 1 - i).max(there.fastest(start + j));
            let cost = gap + SPEED_COST_S * speed + TRIM_COST * (i + j) as f64 / fps;
            if cost < best.0 {
                best = (cost, i, j);
            }
        }
    }
    a.used.end -= best.1;
    b.used.start += best.2;
}

/// Where `b` goes, seen from `a` as captured.
fn meeting(a: &Piece, b: &Piece, by_hips: bool) -> GroundFrame {
    let skeleton = a.clip.skeleton();
    let (n, start) = (a.used.end - 1, b.used.start);
    let end = [0, 1].map(|k| forward_kinematics(skeleton, &sample(&a.clip, n as isize + k)));
    let begin = [-1, 0].map(|k| forward_kinematics(skeleton, &sample(&b.clip, start as isize + k)));
    let yaw = turn_between(skeleton, &end, &begin);
    let mut placement = a.stands.meeting(&b.stands, yaw, &end, &begin, [n, start]);
    if by_hips {
        let hips = |models: &[ModelPose; 2]| {
            (0.5 * (hips_at(skeleton, &models[0]) + hips_at(skeleton, &models[1]))).as_vec3()
        };
        let rise = placement.shift.y;
        placement = GroundFrame::carrying(hips(&begin), hips(&end), yaw);
        placement.shift.y = rise;
    }
    let fps = a.clip.fps();
    if let (Some(here), Some(there)) = (a.stands.floor(n, fps), b.stands.floor(start, fps)) {
        placement.shift.y = (here - there) as f32;
    }
    placement
}

/// The pieces in their places, bent to each other and put one after the other.
struct Joined {
    clip: Clip,
    starts: Vec<usize>,
    before: Vec<SeamStep>,
    windows: Vec<Range<usize>>,
    /// The paths of the feet, where there are feet, bent and as they were.
    footing: Option<[Footing; 2]>,
    crossings: Vec<Crossing>,
}

fn join(pieces: &mut [Piece], feet: Option<&Feet>, plans: &[SeamPlan]) -> Joined {
    let fps = pieces[0].clip.fps();
    let mut starts = Vec::with_capacity(pieces.len());
    let mut total = 0;
    for piece in pieces.iter_mut() {
        piece.clip.carry(&piece.placement);
        starts.push(total);
        total += piece.used.len();
    }
    // A clip between two seams lends at most half of itself to each.
    let room = |seam: usize, index: usize| {
        let half = (0.5 * plans[seam].blend_s * fps).round() as usize;
        let len = pieces[index].used.len();
        let inner = index > 0 && index + 1 < pieces.len();
        half.min(if inner { len.saturating_sub(1) / 2 } else { len - 1 })
    };
    let mut before = Vec::new();
    let mut windows = Vec::new();
    let mut bends: Vec<[Option<(Gap, usize)>; 2]> = pieces.iter().map(|_| [None, None]).collect();
    let mut steps: Vec<Footing> = match feet {
        Some(feet) => pieces.iter().map(|p| Footing::of(&p.clip, p.used.clone(), feet)).collect(),
        None => Vec::new(),
    };
    let plain = feet.map(|_| Footing::joined(&steps));
    let mut crossings = Vec::new();
    for index in 1..pieces.len() {
        let (a, b) = (&pieces[index - 1], &pieces[index]);
        let (n, start) = (a.used.end - 1, b.used.start);
        before.push(seam_step(&a.clip, n + 1, &b.clip, start, &GroundFrame::HERE));
        let end = [0, 1].map(|k| sample(&a.clip, n as isize + k));
        let begin = [-1, 0].map(|k| sample(&b.clip, start as isize + k));
        let rest = |joint: usize| a.clip.skeleton().joint(joint).offset;
        if let Some(feet) = feet {
            let skeleton = a.clip.skeleton();
            let models = |poses: &[Pose; 2]| [0, 1].map(|k| forward_kinematics(skeleton, &poses[k]));
            let (last, first) = (models(&end), models(&begin));
            crossings.push(Crossing::between(&last, &first, feet, starts[index]));
            let stands = standing_at(&a.stands, n, &b.stands, start, fps);
            let swapped = stands.map(|[here, there]| [there, here]);
            steps[index - 1]
                .bend_end(&FootGap::both(&last, &first, feet, stands), room(index - 1, index - 1));
            steps[index].bend_start(&FootGap::both(&first, &last, feet, swapped), room(index - 1, index));
        }
        bends[index - 1][1] = Some((Gap::between(&end, &begin, rest), room(index - 1, index - 1)));
        bends[index][0] = Some((Gap::between(&begin, &end, rest), room(index - 1, index)));
        windows.push(starts[index] - room(index - 1, index - 1)..starts[index] + room(index - 1, index) + 1);
    }
    let mut bent: Vec<Clip> = Vec::with_capacity(pieces.len());
    for (piece, [start, end]) in pieces.iter().zip(bends) {
        // The frames that are used; what lies beyond has told its velocity.
        let mut part = trimmed(&piece.clip, piece.used.clone());
        if let Some((gap, window)) = start {
            bend_start(&mut part, &gap, window);
        }
        if let Some((gap, window)) = end {
            bend_end(&mut part, &gap, window);
        }
        bent.push(part);
    }
    let footing = plain.map(|plain| [Footing::joined(&steps), plain]);
    Joined { clip: concatenated(&bent), starts, before, windows, footing, crossings }
}

/// The frames `used` of a clip, without an added T-pose and without the file's own numbers.
fn trimmed(clip: &Clip, used: Range<usize>) -> Clip {
    match clip.trimmed(used) {
        Ok(mut part) => {
            part.tpose_frame = false;
            part.set_source(None);
            part
        }
        Err(error) => unreachable!("pieces keep at least one frame: {error}"),
    }
}

/// Clips of one skeleton and rate, one after another.
pub(in crate::edit) fn concatenated(clips: &[Clip]) -> Clip {
    let first = &clips[0];
    let frames: usize = clips.iter().map(Clip::num_frames).sum();
    let mut joints: Vec<usize> =
        clips.iter().flat_map(|clip| clip.translations().iter().map(|t| t.joint)).collect();
    joints.sort_unstable();
    joints.dedup();
    let path = |joint: usize| -> VectorTrack {
        clips
            .iter()
            .flat_map(|clip| (0..clip.num_frames()).map(move |f| clip.local_position(joint, f)))
            .collect()
    };
    let mut rotations = RotationTracks::identity(first.num_joints(), frames);
    for joint in 0..first.num_joints() {
        let all = clips.iter().flat_map(|clip| (0..clip.num_frames()).map(move |f| clip.rotation(joint, f)));
        for (frame, q) in all.enumerate() {
            rotations.set(joint, frame, q);
        }
    }
    let translations = joints.iter().map(|&joint| Translation { joint, track: path(joint) }).collect();
    match Clip::from_tracks(first.skeleton().clone(), first.fps(), path(0), rotations, translations) {
        Ok(mut clip) => {
            clip.name.clone_from(&first.name);
            clip.tags.clone_from(&first.tags);
            clip.align_signs();
            clip
        }
        Err(error) => unreachable!("the first clip's own rate: {error}"),
    }
}

fn finish(
    joined: Joined,
    pieces: &[Piece],
    feet: Option<Feet>,
    slides: usize,
    feet_at: FeetAt,
    progress: Progress<'_>,
) -> Result<Spliced, SpliceError> {
    let Joined { mut clip, starts, before, windows, footing, crossings } = joined;
    let mut edited = windows.clone();
    let mut hips_m = 0.0;
    let mut contacts = None;
    if let (Some(feet), Some([mut footing, plain])) = (feet, footing) {
        let parts: Vec<Part<'_>> = pieces
            .iter()
            .map(|piece| Part {
                clip: &piece.clip,
                contacts: piece.contacts.as_ref(),
                frames: piece.used.clone(),
            })
            .collect();
        let mut found = labels(&parts, &feet);
        step_over(&mut footing, &plain, &mut found, &crossings, &windows, clip.fps(), feet.scale());
        let stood = stand(&mut clip, &footing, &found, &feet, feet_at, &windows, progress)?;
        edited.extend(stood.touched);
        hips_m = stood.hips_m;
        // The floor is the first clip's; the others were put onto it.
        contacts = pieces
            .iter()
            .find_map(|piece| piece.contacts.as_ref())
            .map(|first| Contacts { feet: found, ..first.clone() });
    }
    let ordinary =
        pieces.iter().map(|piece| ordinary(&piece.clip)).fold(SeamStep::default(), |a, b| SeamStep {
            position_mm: a.position_mm.max(b.position_mm),
            velocity_mm_s: a.velocity_mm_s.max(b.velocity_mm_s),
            rotation_deg: a.rotation_deg.max(b.rotation_deg),
        });
    let fps = clip.fps();
    let seams = before
        .into_iter()
        .zip(&starts[1..])
        .map(|(before, &frame)| Seam {
            frame,
            at_s: frame as f64 / fps,
            before,
            after: seam_step(&clip, frame, &clip, frame, &GroundFrame::HERE),
            body: SeamBody::default(),
        })
        .collect();
    let clips = pieces
        .iter()
        .zip(&starts)
        .map(|(piece, &start)| {
            let motion = piece.clip.motion_frames();
            let cut = [piece.used.start - motion.start, motion.end - piece.used.end];
            SplicedClip {
                name: piece.clip.name.clone(),
                start,
                frames: piece.used.len(),
                trimmed_s: cut.map(|frames| frames as f64 / fps),
                placement: piece.placement,
                source: piece.used.clone(),
                turn_deg: piece.placement.yaw.to_degrees(),
                shift_m: piece.placement.shift.to_array(),
                resampled: piece.resampled,
            }
        })
        .collect();
    edited.sort_by_key(|range| range.start);
    Ok(Spliced {
        clip,
        contacts,
        clips,
        seams,
        ordinary,
        sources: SourceBody::default(),
        edited,
        hips_m,
        slides,
        mended: 0,
        blend_s: 0.0,
        strain: 0.0,
        strain_at_seams: 0.0,
    })
}
