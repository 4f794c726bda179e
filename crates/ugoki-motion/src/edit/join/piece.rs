//! Clips prepared for joining, the frames between which they may be cut, and where the second goes on the ground.

use std::borrow::Cow;
use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_base::pose::forward_kinematics;
use ugoki_base::{Progress, report};
use ugoki_feet::contact::{ContactConfig, Contacts, Feet, find_contacts, find_feet};

use super::{
    BodyFeatures, FeetAt, Footholds, SPEED_COST_S, SpliceError, sample, standing_labels, turn_between,
    without_hip_glitches,
};
use crate::edit::GroundFrame;

/// Cost of a second of motion that is cut off or inserted, metres of gap: half a second must gain 2 cm.
pub(super) const SECOND_COST: f64 = 0.04;
/// Cost of a difference of 1 m/s between the hips where they accelerate too much, metres of gap: that of ten points that differ as much, over 0.1 s.
const HIPS_COST_S: f64 = 0.2;
/// Parts of the trim on each side of such a seam; each pair of parts gives one pair of cuts.
const CUT_PARTS: usize = 4;
/// Part of a clip that may at most be cut off at one of its ends.
const TRIM_PART: f64 = 0.25;

/// A clip and the frames of it that are used.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) clip: Clip,
    pub(super) contacts: Option<Contacts>,
    pub(super) stands: Footholds,
    pub(super) placement: GroundFrame,
    pub(super) used: Range<usize>,
    pub(super) resampled: bool,
    /// Of a piece that was inserted between two clips: when its first frame is in the clip it comes from, seconds. It is not cut.
    pub(super) inserted: Option<f64>,
    /// Labels that slide on purpose.
    pub(super) slides: usize,
    /// Frames in which the hips jumped.
    pub(super) mended: usize,
}

/// Clips with everything that does not depend on how their seams are made.
pub(super) struct Prepared {
    pub(super) pieces: Vec<Piece>,
    pub(super) feet: Option<Feet>,
}

impl Prepared {
    pub(super) fn new(
        clips: &[&Clip],
        labels: Option<&[Option<Labels>]>,
        feet_at: FeetAt,
        progress: Progress<'_>,
    ) -> Result<Self, SpliceError> {
        let mut pieces = Vec::with_capacity(clips.len());
        for (index, clip) in clips.iter().enumerate() {
            report(progress, index as f32 / clips.len() as f32)?;
            pieces.push(Piece::new(clip, clips[0].fps(), labels.map(|all| all[index].as_ref()), feet_at)?);
        }
        Ok(Self { pieces, feet: find_feet(clips[0].skeleton()).ok() })
    }
}

impl Piece {
    /// A clip at the common rate; `known` are labels in frames of the clip as given.
    pub(super) fn new(
        clip: &Clip,
        fps: f64,
        known: Option<Option<&Labels>>,
        feet_at: FeetAt,
    ) -> Result<Self, SpliceError> {
        let mut own = clip.resampled(fps)?;
        let resampled = (clip.fps() / fps - 1.0).abs() >= 1e-9;
        let known = known.filter(|_| !resampled);
        let feet = find_feet(own.skeleton()).ok();
        let found = match known {
            Some(known) => known.map(|known| (known.contacts.clone(), 0)),
            None => feet.as_ref().and_then(|feet| {
                let found = find_contacts(&own, &ContactConfig::default()).ok()?;
                Some(standing_labels(&own, &found, feet))
            }),
        };
        let (contacts, slides) = found.unzip();
        let mut mended = 0;
        if let (Some(feet), Some(found), FeetAt::All) = (&feet, &contacts, feet_at) {
            let (steady, frames) = without_hip_glitches(&own, found, feet);
            mended = frames;
            if let Cow::Owned(steady) = steady {
                own = steady;
            }
        }
        let ground_m = known.flatten().map_or(&[][..], |known| &known.ground_m);
        Ok(Self {
            stands: Footholds::of(&own, contacts.as_ref()).on(ground_m),
            used: own.motion_frames(),
            clip: own,
            contacts,
            placement: GroundFrame::HERE,
            resampled,
            inserted: None,
            slides: slides.unwrap_or(0),
            mended,
        })
    }

    /// Most frames that may be cut off one end.
    fn most_cut(&self, trim_s: f64) -> usize {
        if self.inserted.is_some() {
            return 0;
        }
        let part = (TRIM_PART * self.clip.motion_frames().len() as f64) as usize;
        ((trim_s * self.clip.fps()).round() as usize).min(part)
    }

    /// Body features of the frames among which this clip may end, with the most frames that may be cut off.
    pub(super) fn end(&self, trim_s: f64) -> (BodyFeatures, usize) {
        let cut = self.most_cut(trim_s);
        (BodyFeatures::of(&self.clip, &self.stands, self.used.end - 1 - cut..self.used.end), cut)
    }

    /// The same of the frames among which it may begin.
    pub(super) fn start(&self, trim_s: f64) -> (BodyFeatures, usize) {
        let cut = self.most_cut(trim_s);
        (BodyFeatures::of(&self.clip, &self.stands, self.used.start..self.used.start + cut + 1), cut)
    }
}

/// The best pairs of frames to cut off the end of `a` and the start of `b`, one from each cell of a grid of `parts` by `parts`, best first.
/// `cost` is that of the last frame of the one and the first of the other with what is cut off.
fn best_cuts(
    (a, b): (&Piece, &Piece),
    trim_s: f64,
    parts: usize,
    cost: impl Fn(&BodyFeatures, usize, &BodyFeatures, usize, [usize; 2]) -> f64,
) -> Vec<[usize; 2]> {
    let ((here, cut_a), (there, cut_b)) = (a.end(trim_s), b.start(trim_s));
    let mut best = vec![(f64::INFINITY, [0, 0]); parts * parts];
    for i in 0..=cut_a {
        for j in 0..=cut_b {
            let cost = cost(&here, a.used.end - 1 - i, &there, b.used.start + j, [i, j]);
            let cell = &mut best[i * parts / (cut_a + 1) * parts + j * parts / (cut_b + 1)];
            if cost < cell.0 {
                *cell = (cost, [i, j]);
            }
        }
    }
    best.retain(|cell| cell.0.is_finite());
    best.sort_by(|x, y| x.0.total_cmp(&y.0));
    best.into_iter().map(|cell| cell.1).collect()
}

/// Frames to cut off the end of `a` and the start of `b` so that they meet best.
pub(super) fn best_cut(a: &Piece, b: &Piece, trim_s: f64) -> [usize; 2] {
    let fps = a.clip.fps();
    let cost = |here: &BodyFeatures, last: usize, there: &BodyFeatures, first: usize, [i, j]: [usize; 2]| {
        // The frame after the last one of one side should look like the first of the other.
        let gap = match (i, j) {
            (1.., _) => here.gap(last + 1, there, first),
            (0, 1..) => here.gap(last, there, first - 1),
            (0, 0) => here.gap(last, there, first),
        };
        let speed = here.fastest(last).max(there.fastest(first));
        gap + SPEED_COST_S * speed + SECOND_COST * (i + j) as f64 / fps
    };
    best_cuts((a, b), trim_s, 1, cost).first().copied().unwrap_or_default()
}

/// Other pairs of cuts, best first. Compared with [`best_cut`], a difference in the velocity of the hips counts more.
pub(super) fn other_cuts(a: &Piece, b: &Piece, trim_s: f64) -> Vec<[usize; 2]> {
    best_cuts((a, b), trim_s, CUT_PARTS, |here, last, there, first, _| {
        momentum_cost(here, last, there, first)
    })
}

/// Gap between two frames with the difference between the velocities of the hips, metres.
pub(super) fn momentum_cost(here: &BodyFeatures, last: usize, there: &BodyFeatures, first: usize) -> f64 {
    here.gap(last, there, first) + HIPS_COST_S * here.hips_gap(last, there, first)
}

/// Where `b` goes, seen from `a` as captured; `by_hips` lays hips on hips even where the same feet stand.
pub(super) fn meeting(a: &Piece, b: &Piece, by_hips: bool) -> GroundFrame {
    let skeleton = a.clip.skeleton();
    let (n, start) = (a.used.end - 1, b.used.start);
    let end = [0, 1].map(|k| forward_kinematics(skeleton, &sample(&a.clip, n as isize + k)));
    let begin = [-1, 0].map(|k| forward_kinematics(skeleton, &sample(&b.clip, start as isize + k)));
    let yaw = turn_between(skeleton, &end, &begin);
    let mut placement = a.stands.meeting(&b.stands, yaw, &end, &begin, [n, start], by_hips);
    let fps = a.clip.fps();
    if let (Some(here), Some(there)) = (a.stands.floor(n, fps), b.stands.floor(start, fps)) {
        placement.shift.y = (here - there) as f32;
    }
    placement
}

/// What is known of a piece from the whole clip that it was cut from, in frames of the piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    /// Heels and toes that stand.
    pub contacts: Contacts,
    /// Height of the ground that bears the body in every frame, metres; empty where it is not known. Pieces are put on each other's ground exactly.
    pub ground_m: Vec<f32>,
}
