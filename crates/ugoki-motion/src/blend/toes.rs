//! Tips of toes stay over the ground: where a led foot would push them under it the toes bend up.

use glam::{DQuat, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Skeleton;
use ugoki_feet::contact::{Feet, FootPoint};
use ugoki_feet::feet::smooth_above;

use super::guide::{LIFT_S, ROUNDING_M, lowest_near};

/// Farthest that toes are bent up, radians: 30°, what they bend when a foot rolls off.
const MOST: f64 = 0.524;
/// Toes steeper than the first of these are left alone, flatter than the second are bent in full; share of their length
/// that lies along the ground: 60° and 37° of slope. Bending steep toes would turn them aside.
const FLAT: [f64; 2] = [0.5, 0.8];

/// The tip of each foot's toes, where there are joints that can bend it.
pub(super) fn tips(skeleton: &Skeleton, feet: &Feet) -> [Option<FootPoint>; 2] {
    feet.feet.each_ref().map(|foot| {
        let joint = foot.toe.joint;
        let offset =
            skeleton.joint(joint).tips.iter().copied().max_by(|a, b| a.length().total_cmp(&b.length()))?;
        (joint != foot.ankle && foot.toe.offset == glam::Vec3::ZERO && offset.length() > 1e-4)
            .then_some(FootPoint { joint, offset })
    })
}

/// Heights of the tips in every frame, metres; nothing for feet without.
pub(super) fn heights(clip: &Clip, tips: &[Option<FootPoint>; 2]) -> [Vec<f64>; 2] {
    let mut heights = [Vec::new(), Vec::new()];
    if tips.iter().any(Option::is_some) {
        for pose in clip.model_poses() {
            for (tip, heights) in tips.iter().zip(&mut heights) {
                heights.extend(tip.map(|tip| f64::from(tip.position(&pose).y)));
            }
        }
    }
    heights
}

/// Bends toes up whose tips come lower than `least` goes nearby, by foot and frame.
pub(super) fn raise_toes(clip: &mut Clip, tips: &[Option<FootPoint>; 2], least: &[Vec<f64>; 2]) {
    let fps = clip.fps();
    for (tip, least) in tips.iter().zip(least) {
        let Some(tip) = tip else { continue };
        let least = lowest_near(least, fps);
        let poses = clip.model_poses();
        // From the joint to the tip, and how far it has to turn up.
        let arms: Vec<DVec3> =
            poses.iter().map(|pose| (tip.position(pose) - pose.positions[tip.joint]).as_dvec3()).collect();
        let needed: Vec<f64> = arms
            .iter()
            .zip(&poses)
            .zip(&least)
            .map(|((arm, pose), least)| {
                let base = f64::from(pose.positions[tip.joint].y);
                if base + arm.y >= least - ROUNDING_M {
                    return 0.0;
                }
                let wanted = ((least - base) / arm.length()).clamp(-1.0, 1.0).asin();
                let along = arm.with_y(0.0).length() / arm.length();
                let flat = ((along - FLAT[0]) / (FLAT[1] - FLAT[0])).clamp(0.0, 1.0);
                flat * (wanted - (arm.y / arm.length()).asin()).clamp(0.0, MOST)
            })
            .collect();
        let half = ((LIFT_S * fps).round() as usize).max(1);
        for (frame, angle) in smooth_above(&needed, half).into_iter().enumerate() {
            let Some(axis) = arms[frame].cross(DVec3::Y).try_normalize() else { continue };
            let along = arms[frame].with_y(0.0).length() / arms[frame].length();
            let angle = angle * ((along - FLAT[0]) / (FLAT[1] - FLAT[0])).clamp(0.0, 1.0);
            if angle <= 1e-6 {
                continue;
            }
            let world = poses[frame].rotations[tip.joint].as_dquat();
            let turned = world.conjugate() * DQuat::from_axis_angle(axis, angle) * world;
            let local = clip.rotation(tip.joint, frame).as_dquat() * turned;
            clip.set_rotation(tip.joint, frame, local.normalize().as_quat());
        }
    }
}
