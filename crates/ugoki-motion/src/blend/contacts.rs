//! Feet that all blended clips plant stay where they are in the blend.
//!
//! ```text
//! clips as captured ─contact→ standing heels and toes ─clock→ how firmly each stands in every frame of the blend
//!                   ─feet→ mean feet, held ─limb→ hips that follow smoothly, legs bent to their feet
//! ```
//!
//! Everything depends continuously on the weights; with one clip, or with clips that are one, nothing is changed.

use std::ops::Range;

use glam::{DVec2, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::{FootContacts, runs};
use ugoki_base::{Progress, report};
use ugoki_feet::contact::{ContactConfig, Contacts, FootPoint, find_contacts, find_feet};
use ugoki_feet::feet::{FeetSolution, FootPath, HipsConfig, standing_contacts};

use super::blend_config::{BlendError, KeptContact, SlideReason};
use super::clock::smooth;
use super::feet::Lead;
use super::ground::Led;
use super::toes::{heights, raise_toes, tips};

/// Clips of at least this share of the weight have a full say in what stands; below, ever less.
const FULL_SAY: f32 = 0.1;
/// Largest weight from which on a clip counts as the only one: its contacts are its own and not reported.
const ALONE: f32 = 0.999;
/// Shortest contact worth reporting, seconds: a foot that only brushes the floor is not planted.
const SHORTEST_S: f64 = 0.05;
/// A foot that slides less than this is held, metres: what issue and users ask for.
const HELD_M: f32 = 5e-3;
/// A foot farther than this from where it was led is one its leg did not reach, metres: half of what may slide.
const MISSED_M: f64 = 2.5e-3;
/// Share of the captured feet's own steps from which on those are why a foot slides.
const MOSTLY: f64 = 0.5;

/// Which heels and toes of one clip stand: left heel, left toe, right heel, right toe, each by motion frame.
#[derive(Debug, Clone)]
pub(super) struct Standing([Vec<f64>; 4]);

impl Standing {
    /// Nothing when the legs are not known.
    pub(super) fn of(clip: &Clip) -> Option<Self> {
        let contacts = find_contacts(clip, &ContactConfig::default()).ok()?;
        Some(Self::build(clip, &standing_contacts(clip, &contacts).ok()?))
    }

    /// With landing and rolling off: for what is to move as captured, not to stand still.
    pub(super) fn whole(clip: &Clip) -> Option<Self> {
        Some(Self::build(clip, &find_contacts(clip, &ContactConfig::default()).ok()?))
    }

    fn build(clip: &Clip, contacts: &Contacts) -> Self {
        let motion = clip.motion_frames();
        let frames = |ranges: &[Range<usize>]| {
            let mut list = vec![0.0; motion.len()];
            for range in ranges {
                list[range.start - motion.start..range.end - motion.start].fill(1.0);
            }
            list
        };
        let [left, right]: &[FootContacts; 2] = &contacts.feet;
        Self([frames(&left.heel), frames(&left.toe), frames(&right.heel), frames(&right.toe)])
    }

    /// How firmly each point stands in every motion frame, 0 to 1.
    pub(super) fn lists(&self) -> &[Vec<f64>; 4] {
        &self.0
    }

    /// How firmly a point stands at a time in motion frames, 0 to 1.
    fn at(&self, point: usize, time: f64) -> f64 {
        let list = &self.0[point];
        let last = list.len().saturating_sub(1);
        let low = (time.max(0.0) as usize).min(last);
        let t = (time - low as f64).clamp(0.0, 1.0);
        list[low] + t * (list[(low + 1).min(last)] - list[low])
    }
}

/// How much say a clip of this weight has, 0 to 1.
fn say(weight: f32) -> f64 {
    smooth(f64::from(weight.abs() / FULL_SAY))
}

/// What keeping feet needs to know of the clips that were mixed.
pub(super) struct Mixed<'a> {
    pub(super) clips: &'a [Clip],
    pub(super) weights: &'a [Vec<f32>],
    pub(super) times: &'a [Vec<f64>],
    pub(super) standing: &'a [Standing],
    pub(super) led: &'a [Led],
}

/// What keeping feet did.
pub(super) struct Kept {
    pub(super) contacts: Vec<KeptContact>,
    pub(super) hips_m: f64,
}

/// Leads the feet of `blended` and holds what all clips plant. Skeletons without known legs keep all as it is.
pub(super) fn keep_contacts(
    blended: &mut Clip,
    mixed: &Mixed<'_>,
    progress: Progress<'_>,
) -> Result<Kept, BlendError> {
    let nothing = Kept { contacts: Vec::new(), hips_m: 0.0 };
    let Ok(feet) = find_feet(blended.skeleton()) else { return Ok(nothing) };
    if mixed.standing.len() != mixed.clips.len() {
        return Ok(nothing);
    }
    let num_frames = blended.num_frames();
    let firm: [Vec<f64>; 4] =
        std::array::from_fn(|point| (0..num_frames).map(|frame| mixed.firm(point, frame)).collect());
    let tracks: Vec<[FootPath; 2]> = mixed.clips.iter().map(|clip| FootPath::both(clip, &feet)).collect();
    report(progress, 0.3)?;
    let before = FootPath::both(blended, &feet);
    let fixes = [0, 1].map(|side| {
        let lead = Lead {
            clips: tracks.iter().map(|both| &both[side]).collect(),
            weights: mixed.weights,
            grounds: mixed.led,
            firm: [&firm[2 * side], &firm[2 * side + 1]],
            scale: feet.scale(),
            fps: blended.fps(),
        };
        lead.fix(&before[side])
    });
    report(progress, 0.5)?;
    let [(left, left_own), (right, right_own)] = fixes;
    let (poses, own) = (blended.model_poses(), [left_own, right_own]);
    let solution = FeetSolution::solve(
        &poses,
        &feet,
        [left, right],
        vec![1.0; num_frames],
        HipsConfig::default(),
        blended.fps(),
    );
    solution.apply(blended, &poses, &feet, &mut |part| progress(0.6 + 0.4 * part))?;
    let tips = tips(blended.skeleton(), &feet);
    raise_toes(blended, &tips, &mixed.lowest_tips(&tips));
    let after = FootPath::both(blended, &feet);
    let mut contacts = Vec::new();
    for (point, firm) in firm.iter().enumerate() {
        let (side, heel) = (point / 2, point % 2 == 0);
        let foot = &feet.feet[side];
        let joint = if heel { foot.ankle } else { foot.toe.joint };
        for range in mixed.agreed(firm, blended.fps()) {
            let slide = |tracks: &[FootPath; 2]| extent(&tracks[side].point(heel)[range.clone()]);
            let (slide_before_m, slide_after_m) = (slide(&before), slide(&after));
            contacts.push(KeptContact {
                joint: blended.skeleton().joint(joint).name.clone(),
                start: range.start,
                end: range.end,
                slide_before_m,
                slide_after_m,
                held: slide_after_m <= HELD_M,
                reason: (slide_after_m > HELD_M).then(|| {
                    let (was, is) = (&before[side], &after[side]);
                    let asked = &solution.feet[side].shift;
                    why((asked, &own[side]), was.point(true), is.point(true), range.clone())
                }),
            });
        }
    }
    Ok(Kept { contacts, hips_m: solution.hips_m() })
}

/// Why a foot that was to be held from `was` slides at `is`, ankles both.
fn why((shift, own): (&[DVec3], &[f64]), was: &[DVec3], is: &[DVec3], range: Range<usize>) -> SlideReason {
    let missed = range.clone().any(|frame| is[frame].distance(was[frame] + shift[frame]) > MISSED_M);
    let own: f64 = own[range.clone()].iter().sum::<f64>() / range.len() as f64;
    match (missed, own > MOSTLY) {
        (true, _) => SlideReason::Reach,
        (false, true) => SlideReason::Captured,
        (false, false) => SlideReason::Foot,
    }
}

impl Mixed<'_> {
    /// How firmly a point stands in a frame of the blend: 1 when it does in all clips that have a say.
    fn firm(&self, point: usize, frame: usize) -> f64 {
        let mut firm = 1.0;
        for ((standing, times), weights) in self.standing.iter().zip(self.times).zip(self.weights) {
            firm *= 1.0 - say(weights[frame]) * (1.0 - standing.at(point, times[frame]));
        }
        firm
    }

    /// The lowest that the tip of either foot's toes is in any clip that has a part, by frame.
    fn lowest_tips(&self, tips: &[Option<FootPoint>; 2]) -> [Vec<f64>; 2] {
        let mut lowest = [Vec::new(), Vec::new()];
        for (clip, weights) in self.clips.iter().zip(self.weights) {
            for (lowest, heights) in lowest.iter_mut().zip(heights(clip, tips)) {
                lowest.resize(heights.len(), f64::INFINITY);
                for ((lowest, height), weight) in lowest.iter_mut().zip(heights).zip(weights) {
                    // A clip without a part says nothing; its say comes and goes over a few millimetres at most.
                    if *weight != 0.0 {
                        *lowest = lowest.min(height);
                    }
                }
            }
        }
        lowest
    }

    /// Runs of frames in which a point stands and no clip has all the weight.
    fn agreed(&self, firm: &[f64], fps: f64) -> Vec<Range<usize>> {
        let stands = |frame: usize| firm[frame] >= 0.999 && self.weights.iter().all(|w| w[frame] < ALONE);
        let mut runs = runs(0..firm.len(), stands);
        let shortest = ((SHORTEST_S * fps).ceil() as usize).max(2);
        runs.retain(|run| run.len() >= shortest);
        runs
    }
}

/// The longer side of the box a path keeps in along the ground, metres.
fn extent(path: &[DVec3]) -> f32 {
    let ground = || path.iter().map(|p| DVec2::new(p.x, p.z));
    let low = ground().fold(DVec2::INFINITY, DVec2::min);
    let high = ground().fold(DVec2::NEG_INFINITY, DVec2::max);
    if path.is_empty() { 0.0 } else { (high - low).max_element() as f32 }
}
