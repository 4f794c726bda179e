//! A walk as it was made, step by step.

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;

use super::effort::Effort;
use super::plan::Footstep;

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
    /// Farthest that the hips sink under where the feet carry them, metres, and the frame.
    pub sunk_m: (f32, usize),
    /// What it takes of the body.
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
