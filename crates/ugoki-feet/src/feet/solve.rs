//! Shifts of feet and hips, solved for the hips and applied to a clip: the last steps of every operation that moves a body over the ground.
//!
//! ```text
//! shifts of both feet ─follow→ hips that change the legs least ─calm→ without jitter ─lower→ within reach ─apply→ bent legs
//! ```

use glam::DVec3;
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::math::smoothstep;
use ugoki_base::pose::ModelPose;
use ugoki_base::{Cancelled, Progress, report};

use super::config::{FREE_S, REPORT_EVERY};
use super::curve::smooth_above;
use super::hips::{LegFrame, calm, follow};
use super::knees::Knees;
use super::legs::{Leg, bend_leg};
use crate::contact::Feet;

/// Corrections smaller than this, metres or radians, are rounding (of f32 at some metres) and leave a frame's bits alone.
const NOTHING: f64 = 5e-6;
/// A held foot may miss its place by this, metres: half of the millimetre that splicing promises.
const MISS_M: f64 = 5e-4;
/// Times that hips are lowered a little more for legs that do not reach.
const LOWER_ROUNDS: usize = 6;
/// Half the time over which such a lowering comes and goes, seconds.
const LOWER_S: f64 = 0.08;
/// Weight of a free foot's leg when hips are calmed; a held one has 1.
const FREE_WEIGHT: f64 = 0.02;

/// How one foot differs from where the clip has it, frame by frame.
#[derive(Debug, Clone, Default)]
pub struct FootShift {
    /// Shift of the ankle, metres.
    pub shift: Vec<DVec3>,
    /// Turn put before the foot's world rotation, rotation vectors.
    pub turn: Vec<DVec3>,
    /// How firmly the foot is held at a place in the world, 0 to 1; at 1 it is reached exactly.
    pub grip: Vec<f64>,
    /// How far its shift is planned, 0 to 1; for the rest the hips carry it along and it does not pull them.
    pub led: Vec<f64>,
}

/// Grip of a foot that is held during `contacts`: 1 there, fading to 0 within a tenth of a second.
#[must_use]
pub fn grip(contacts: &FootContacts, num_frames: usize, fps: f64) -> Vec<f64> {
    let mut stands = vec![0.0; num_frames];
    for range in contacts.any() {
        stands[range.start.min(num_frames)..range.end.min(num_frames)].fill(1.0);
    }
    grip_around(&stands, fps)
}

/// The same of a foot that stands as firmly as 0 to 1.
#[must_use]
pub fn grip_around(stands: &[f64], fps: f64) -> Vec<f64> {
    let half = ((0.5 * FREE_S * fps).round() as usize).max(1);
    smooth_above(stands, half).into_iter().map(|grip| grip.clamp(0.0, 1.0)).collect()
}

impl FootShift {
    fn changes(&self, frame: usize) -> bool {
        self.shift[frame].length().max(self.turn[frame].length()) > NOTHING
    }
}

/// What hips do on top of changing the legs least.
#[derive(Debug, Clone, Copy)]
pub struct HipsConfig {
    /// Whether hips that jitter with their feet are calmed where those are held.
    pub calm: bool,
    /// Whether hips come down to held feet that a leg would not reach.
    pub exact: bool,
    /// How much more their shift costs, as a factor: where the noise is that of the legs, hips stay.
    pub stiffness: f64,
}

impl Default for HipsConfig {
    fn default() -> Self {
        Self { calm: false, exact: false, stiffness: 1.0 }
    }
}

/// Shifts of both feet and the hips.
#[derive(Debug, Clone)]
pub struct FeetSolution {
    /// Shift of the hips, metres.
    pub hips: Vec<DVec3>,
    /// Left foot, right foot.
    pub feet: [FootShift; 2],
    /// Weight of all changes, 0 to 1; frames with 0 keep their bits.
    pub weight: Vec<f64>,
}

impl FeetSolution {
    /// Solves for the hips: they change the legs of led feet least, smoothly. The other feet go along.
    #[must_use]
    pub fn solve(
        poses: &[ModelPose],
        feet: &Feet,
        shifts: [FootShift; 2],
        weight: Vec<f64>,
        config: HipsConfig,
        fps: f64,
    ) -> Self {
        let mut solution = Self { hips: vec![DVec3::ZERO; poses.len()], feet: shifts, weight };
        let Some(first) = solution.weight.iter().position(|&weight| weight > 0.0) else { return solution };
        let last = solution.weight.iter().rposition(|&weight| weight > 0.0).unwrap_or(first);
        let range = first..last + 1;
        let leg = |frame: usize, side: usize| Leg::new(&poses[frame], &feet.feet[side]);
        let legs: Vec<[LegFrame; 2]> = range
            .clone()
            .map(|frame| {
                [0, 1].map(|side| {
                    let foot = &solution.feet[side];
                    LegFrame { weight: foot.led[frame], ..leg(frame, side).frame(foot.shift[frame]) }
                })
            })
            .collect();
        let mut hips = follow(&legs, config.stiffness, fps, feet.scale());
        if hips.iter().any(|shift| *shift != DVec3::ZERO) {
            let path: Vec<DVec3> = poses[range.clone()].iter().map(|pose| feet.between_hips(pose)).collect();
            let grip = |frame: usize, side: usize| solution.feet[side].grip[frame].max(FREE_WEIGHT);
            let held = |(frame, pair): (usize, &[LegFrame; 2])| {
                [0, 1].map(|side| LegFrame { weight: grip(frame, side), ..pair[side] })
            };
            let held: Vec<[LegFrame; 2]> = range.clone().zip(&legs).map(held).collect();
            let calmed = match config.calm {
                true => calm(&held, &hips, &path, fps, feet.scale()),
                false => vec![DVec3::ZERO; hips.len()],
            };
            for ((frame, shift), calmed) in range.clone().zip(&mut hips).zip(calmed) {
                let weight = solution.weight[frame];
                for foot in &mut solution.feet {
                    // Over the ground; in height only with the hips' jitter.
                    let along = shift.with_y(0.0) * (1.0 - foot.led[frame]);
                    foot.shift[frame] += (along + calmed * (1.0 - foot.grip[frame])) * weight;
                }
                *shift = (*shift + calmed) * weight;
            }
        }
        let half = ((LOWER_S * fps).round() as usize).max(1);
        for _ in 0..if config.exact { LOWER_ROUNDS } else { 0 } {
            let miss = |frame: usize, hips: DVec3, side: usize| {
                let foot = &solution.feet[side];
                if foot.grip[frame] < 1.0 { 0.0 } else { leg(frame, side).cost(hips, foot.shift[frame]).1 }
            };
            let needed: Vec<f64> = range
                .clone()
                .zip(&hips)
                .map(|(frame, &hips)| miss(frame, hips, 0).max(miss(frame, hips, 1)))
                .map(|worst| worst * smoothstep(2.0 * worst / MISS_M - 1.0))
                .collect();
            if needed.iter().all(|&lower| lower == 0.0) {
                break;
            }
            for ((frame, shift), lower) in range.clone().zip(&mut hips).zip(smooth_above(&needed, half)) {
                shift.y -= lower * solution.weight[frame];
            }
        }
        solution.hips[range].copy_from_slice(&hips);
        solution
    }

    /// Largest shift of the hips, metres.
    #[must_use]
    pub fn hips_m(&self) -> f64 {
        self.hips.iter().fold(0.0, |most, shift| most.max(shift.length()))
    }

    /// Shifts the hips of `clip`, whose model poses are `poses`, and bends its legs. Knees captured past straight are brought to their side
    /// in legs that change.
    ///
    /// # Errors
    /// When the caller asks to stop.
    pub fn apply(
        &self,
        clip: &mut Clip,
        poses: &[ModelPose],
        feet: &Feet,
        progress: Progress<'_>,
    ) -> Result<(), Cancelled> {
        let moves = |frame: usize| self.hips[frame].length() > NOTHING;
        let changes = |side: usize, frame: usize| moves(frame) || self.feet[side].changes(frame);
        let frames: Vec<usize> = (0..poses.len()).filter(|&frame| self.weight[frame] > 0.0).collect();
        let changed = [0, 1].map(|side| frames.iter().any(|&frame| changes(side, frame)));
        let mut knees = Knees::build(clip, frames.iter().map(|&frame| &poses[frame]), feet, changed);
        let poles = knees.poles();
        for &frame in &frames {
            if frame % REPORT_EVERY == 0 {
                report(progress, frame as f32 / poses.len() as f32)?;
            }
            let pose = knees.face(clip, frame, &poses[frame], self.weight[frame] as f32);
            if moves(frame) {
                let root = clip.root().get(frame).as_dvec3() + self.hips[frame];
                clip.root_mut().set(frame, root.as_vec3());
            }
            for (side, (foot, by)) in feet.feet.iter().zip(&self.feet).enumerate() {
                if changes(side, frame) {
                    let (turn, shift) = (by.turn[frame], by.shift[frame]);
                    bend_leg(clip, frame, pose, foot, turn, shift, self.hips[frame], poles[side]);
                }
            }
        }
        clip.align_signs();
        Ok(())
    }
}
