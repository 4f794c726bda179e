//! Clips prepared for joining, the frames between which they may be cut, and where the second goes on the ground.

use std::borrow::Cow;
use std::ops::Range;

use ugoki_base::clip::Clip;
use ugoki_base::pose::forward_kinematics;
use ugoki_base::{Progress, report};
use ugoki_feet::contact::{ContactConfig, Contacts, Feet, find_contacts, find_feet};

use super::{
    FeetAt, Looks, SPEED_COST_S, SpliceError, Stands, sample, standing_labels, steadied, turn_between,
};
use crate::edit::GroundFrame;

/// Cost of a second of motion that is cut off, metres of gap: half a second must gain 2 cm.
const TRIM_COST: f64 = 0.04;
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
    pub(super) stands: Stands,
    pub(super) placement: GroundFrame,
    pub(super) used: Range<usize>,
    pub(super) resampled: bool,
    /// Of a piece that was inserted between two clips: when its first frame is in the clip it comes from, seconds. It is not cut.
    pub(super) inserted: Option<f64>,
}

/// Clips with everything that does not depend on how their seams are made.
pub(super) struct Prepared {
    pub(super) pieces: Vec<Piece>,
    pub(super) feet: Option<Feet>,
    pub(super) slides: usize,
    pub(super) mended: usize,
}

impl Prepared {
    pub(super) fn new(
        clips: &[&Clip],
        labels: Option<&[Option<Labels>]>,
        feet_at: FeetAt,
        progress: Progress<'_>,
    ) -> Result<Self, SpliceError> {
        let feet = find_feet(clips[0].skeleton()).ok();
        let mut prepared = Self { pieces: Vec::with_capacity(clips.len()), feet, slides: 0, mended: 0 };
        for (index, clip) in clips.iter().enumerate() {
            report(progress, index as f32 / clips.len() as f32)?;
            let (piece, slides, mended) =
                prepared.piece(clip, clips[0].fps(), labels.map(|all| all[index].as_ref()), feet_at)?;
            prepared.pieces.push(piece);
            prepared.slides += slides;
            prepared.mended += mended;
        }
        Ok(prepared)
    }

    /// The same with other pieces.
    pub(super) fn with(&self, pieces: Vec<Piece>) -> Self {
        Self { pieces, ..*self }
    }

    /// A clip at the common rate with its labels, how many labels slide on purpose and how many frames were mended; `known` are
    /// labels in frames of the clip as given.
    pub(super) fn piece(
        &self,
        clip: &Clip,
        fps: f64,
        known: Option<Option<&Labels>>,
        feet_at: FeetAt,
    ) -> Result<(Piece, usize, usize), SpliceError> {
        let mut own = clip.resampled(fps)?;
        let resampled = (clip.fps() / fps - 1.0).abs() >= 1e-9;
        let known = known.filter(|_| !resampled);
        let (contacts, left) = match known {
            Some(known) => known.map(|known| (known.contacts.clone(), 0)).unzip(),
            None => {
                let feet = find_feet(own.skeleton()).ok();
                let found = find_contacts(&own, &ContactConfig::default()).ok();
                feet.zip(found).map(|(feet, found)| standing_labels(&own, &found, &feet)).unzip()
            }
        };
        let mut mended = 0;
        if let (Some(feet), Some(found), FeetAt::All) = (&self.feet, &contacts, feet_at) {
            let (steady, frames) = steadied(&own, found, feet);
            mended = frames;
            if let Cow::Owned(steady) = steady {
                own = steady;
            }
        }
        let ground_m = known.flatten().map_or(&[][..], |known| &known.ground_m);
        let stands = Stands::of(&own, contacts.as_ref()).on(ground_m);
        let used = own.motion_frames();
        let placement = GroundFrame::HERE;
        let piece = Piece { clip: own, contacts, stands, placement, used, resampled, inserted: None };
        Ok((piece, left.unwrap_or(0), mended))
    }
}

impl Piece {
    /// Most frames that may be cut off one end.
    fn most_cut(&self, trim_s: f64) -> usize {
        if self.inserted.is_some() {
            return 0;
        }
        let part = (TRIM_PART * self.clip.motion_frames().len() as f64) as usize;
        ((trim_s * self.clip.fps()).round() as usize).min(part)
    }

    /// Body features of the frames among which this clip may end, with the most frames that may be cut off.
    pub(super) fn end(&self, trim_s: f64) -> (Looks, usize) {
        let cut = self.most_cut(trim_s);
        (Looks::of(&self.clip, &self.stands, self.used.end - 1 - cut..self.used.end), cut)
    }

    /// The same of the frames among which it may begin.
    pub(super) fn start(&self, trim_s: f64) -> (Looks, usize) {
        let cut = self.most_cut(trim_s);
        (Looks::of(&self.clip, &self.stands, self.used.start..self.used.start + cut + 1), cut)
    }
}

/// Frames to cut off the end of `a` and the start of `b` so that they meet best.
pub(super) fn best_cut(a: &Piece, b: &Piece, trim_s: f64) -> [usize; 2] {
    let fps = a.clip.fps();
    let ((here, cut_a), (there, cut_b)) = (a.end(trim_s), b.start(trim_s));
    let (end, start) = (a.used.end, b.used.start);
    let mut best = (f64::INFINITY, [0, 0]);
    for i in 0..=cut_a {
        for j in 0..=cut_b {
            // The frame after the last one of one side should look like the first of the other.
            let gap = match (i, j) {
                (1.., _) => here.gap(end - i, &there, start + j),
                (0, 1..) => here.gap(end - 1, &there, start + j - 1),
                (0, 0) => here.gap(end - 1, &there, start),
            };
            let speed = here.fastest(end - 1 - i).max(there.fastest(start + j));
            let cost = gap + SPEED_COST_S * speed + TRIM_COST * (i + j) as f64 / fps;
            if cost < best.0 {
                best = (cost, [i, j]);
            }
        }
    }
    best.1
}

/// Other pairs of cuts: the best of each part of a coarse grid over what may be trimmed, best first. Compared with [`best_cut`], a
/// difference in the velocity of the hips counts more.
pub(super) fn other_cuts(a: &Piece, b: &Piece, trim_s: f64) -> Vec<[usize; 2]> {
    let ((here, cut_a), (there, cut_b)) = (a.end(trim_s), b.start(trim_s));
    let mut best = [[(f64::INFINITY, [0, 0]); CUT_PARTS]; CUT_PARTS];
    for i in 0..=cut_a {
        for j in 0..=cut_b {
            let cost = momentum_cost(&here, a.used.end - 1 - i, &there, b.used.start + j);
            let cell = &mut best[i * CUT_PARTS / (cut_a + 1)][j * CUT_PARTS / (cut_b + 1)];
            if cost < cell.0 {
                *cell = (cost, [i, j]);
            }
        }
    }
    let mut cuts: Vec<_> = best.into_iter().flatten().filter(|cell| cell.0.is_finite()).collect();
    cuts.sort_by(|x, y| x.0.total_cmp(&y.0));
    cuts.into_iter().map(|cell| cell.1).collect()
}

/// Gap between two frames with the difference between the velocities of the hips, metres.
pub(super) fn momentum_cost(here: &Looks, last: usize, there: &Looks, first: usize) -> f64 {
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
