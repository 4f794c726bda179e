//! A walk as it was made, step by step.

use std::ops::Range;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::{FootContacts, runs};

use super::effort::Effort;
use super::plan::Footstep;
use crate::edit::player::{index, middle_of_stance};

/// A walk as planned.
#[derive(Debug, Clone, PartialEq)]
pub struct Walked {
    /// The motion, starting above the origin facing +Z.
    pub clip: Clip,
    /// What became of each step.
    pub steps: Vec<WalkedStep>,
    /// Frames in which heels and toes stand: left, right.
    pub contacts: [FootContacts; 2],
    /// First frame of the source's motion that was used, seconds from its start.
    pub source_start_s: f64,
    /// How often the source's stride was repeated.
    pub laps: usize,
    /// Frames in which a segment of the source begins, after the first: in the middle of every flat stance, and where the
    /// stride begins again.
    pub seams: Vec<usize>,
    /// Farthest that the hips sink under where the feet carry them, metres.
    pub lowering_m: f32,
    /// What it demands of the body.
    pub effort: Effort,
    /// The slowest that a step is taken against the pace that its length gives: slower where knees, feet or hips would be
    /// faster than the source's ever are. The source's own steps are never slowed.
    pub slowed: f32,
    /// Largest distance of a standing foot from its place, metres: what legs could not reach.
    pub residual_m: f32,
    /// Farthest that toes would have been bent beyond the source's range and 10°, degrees; they are kept within it.
    pub toes_clamped_deg: f32,
}

/// One step of a walk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WalkedStep {
    /// The step as planned, after clamping.
    pub planned: Footstep,
    /// Where the foot stands in the middle of its flat phase: x and z, and its ankle's height against that of the same stance over the
    /// ground in the source, metres; its toe's, for a foot that is never flat.
    pub reached: Vec3,
    /// Ankle to toe there, degrees from +Z to the left.
    pub heading_deg: f32,
    /// When the foot lifted, seconds.
    pub start_s: f64,
    /// When it stood, seconds.
    pub end_s: f64,
    /// Farthest that its heel or toe moves from where it stands while its contact label is set, metres.
    pub slip_m: f32,
}

impl WalkedStep {
    /// From where the foot was to stand to where it stands, metres.
    pub(super) fn missed(&self) -> Vec3 {
        self.reached - self.planned.place
    }
}

/// A step that was made.
pub(super) struct Landed {
    pub(super) frame: usize,
    /// Whether its toe shows its height: the foot is never flat, so its ankle rises and sinks while it stands.
    pub(super) toe: bool,
    /// Height over the ground of its ankle, or of that toe, in the stance it stands in, metres.
    pub(super) rest_m: f32,
}

/// What was seen of one foot in one frame.
pub(super) struct Seen {
    pub(super) ankle: Vec3,
    pub(super) toe: Vec3,
    /// Whether heel and toe stand.
    pub(super) stands: [bool; 2],
}

/// What became of every step.
pub(super) fn walked_steps(
    plan: &[Footstep],
    landed: &[Landed],
    seen: &[Vec<Seen>; 2],
    fps: f64,
) -> Vec<WalkedStep> {
    let step = |(&planned, landed): (&Footstep, &Landed)| {
        let seen = &seen[index(planned.foot)];
        let stands = |frame: usize| seen[frame].stands != [false; 2];
        let last = seen.len() - 1;
        let land = landed.frame.min(last);
        let end = (land + 2..seen.len()).find(|&frame| !stands(frame)).unwrap_or(seen.len());
        let lift = (1..=land).rev().find(|&frame| stands(frame - 1)).unwrap_or(0);
        let (middle, _) = middle_of_stance(|frame| seen[frame].stands, land..end);
        let at = &seen[middle];
        let ahead = at.toe - at.ankle;
        let shown = if landed.toe { at.toe } else { at.ankle };
        WalkedStep {
            planned,
            reached: at.ankle.with_y(shown.y - landed.rest_m),
            heading_deg: ahead.x.atan2(ahead.z).to_degrees(),
            start_s: lift as f64 / fps,
            end_s: landed.frame as f64 / fps,
            slip_m: slip(seen, land..end),
        }
    };
    plan.iter().zip(landed).map(step).collect()
}

/// Farthest that a labelled point is from where it stood first in the stance, metres.
fn slip(seen: &[Seen], stance: Range<usize>) -> f32 {
    let points: [fn(&Seen) -> Vec3; 2] = [|seen| seen.ankle, |seen| seen.toe];
    let stances = points.iter().enumerate().flat_map(|(point, place)| {
        let seen = &seen[stance.clone()];
        runs(0..seen.len(), |i| seen[i].stands[point]).into_iter().map(move |run| {
            let first = place(&seen[run.start]);
            seen[run].iter().map(|seen| place(seen).distance(first)).fold(0.0, f32::max)
        })
    });
    stances.fold(0.0, f32::max)
}

/// The frames in which heel and toe stand.
pub(super) fn labels(seen: &[Seen]) -> FootContacts {
    let [heel, toe] = [0, 1].map(|point: usize| runs(0..seen.len(), |i| seen[i].stands[point]));
    FootContacts { heel, toe }
}
