//! How the hips of a planted clip give way to its feet.

use glam::DVec3;

use super::PlantConfig;
use super::corrections::Correction;
use super::curve::away_from_contact;
use super::hips::{LegFrame, calm, follow};
use super::leg::Leg;
use super::targets::Targets;
use crate::clip::Clip;
use crate::contact::Feet;
use crate::pose::ModelPose;

/// Time beside a contact within which its foot becomes free, seconds, and how much a free foot's leg counts.
const FREE_S: f64 = 0.1;
const FREE_WEIGHT: f64 = 0.02;

/// The shift of the hips that changes both legs least.
pub(super) fn hip_shifts(
    clip: &Clip,
    poses: &[ModelPose],
    feet: &Feet,
    fixes: &[Correction],
    config: &PlantConfig,
) -> Vec<DVec3> {
    let motion = clip.motion_frames();
    let legs: Vec<[LegFrame; 2]> = motion
        .clone()
        .map(|frame| {
            [0, 1].map(|side| {
                let leg = Leg::new(&poses[frame], &feet.feet[side], config.reach);
                leg.frame(fixes[side].shift[frame])
            })
        })
        .collect();
    let mut shifts = vec![DVec3::ZERO; motion.start];
    shifts.extend(follow(&legs, clip.fps(), feet.scale()));
    shifts
}

/// Lets hips and free feet give way to jitter that was taken out of the held ones.
pub(super) fn calm_hips(
    clip: &Clip,
    poses: &[ModelPose],
    feet: &Feet,
    fixes: &mut [Correction],
    hips: &mut [DVec3],
    targets: &[Targets],
    config: &PlantConfig,
) {
    if hips.iter().all(|shift| *shift == DVec3::ZERO) {
        return;
    }
    let motion = clip.motion_frames();
    let beside = ((FREE_S * clip.fps()).round() as usize).max(1);
    let free: Vec<Vec<f64>> =
        targets.iter().map(|targets| away_from_contact(&targets.frames(), poses.len(), beside)).collect();
    let leg = |frame: usize, side: usize| {
        let leg = Leg::new(&poses[frame], &feet.feet[side], config.reach).frame(fixes[side].shift[frame]);
        LegFrame { weight: (1.0 - free[side][frame]).max(FREE_WEIGHT), ..leg }
    };
    let legs: Vec<[LegFrame; 2]> = motion.clone().map(|frame| [leg(frame, 0), leg(frame, 1)]).collect();
    let path: Vec<DVec3> = poses[motion.clone()].iter().map(|pose| feet.between_hips(pose)).collect();
    let calmed = calm(&legs, &hips[motion.clone()], &path, clip.fps(), feet.scale());
    for (frame, shift) in motion.zip(calmed) {
        hips[frame] += shift;
        for (fix, free) in fixes.iter_mut().zip(&free) {
            fix.shift[frame] += shift * free[frame];
        }
    }
}
