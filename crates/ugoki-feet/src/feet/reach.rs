//! Stances of noisy captures brought within reach of their legs.
//!
//! Noise of a few degrees on the joints of a leg puts the mean place of its foot centimetres away, to where the leg does not reach in every
//! frame of the stance. The hips, which are clean, would have to come down, and knees would snap into their limit.

use glam::DVec3;
use ugoki_base::pose::ModelPose;

use super::config::{STEP_M, WOBBLE_M};
use super::legs::Leg;
use super::path::FootPath;
use super::plan::{Stance, stance_frames};
use crate::contact::Foot;

/// Rounds of moving a place by half of what is lacking: what is left is a hundredth.
const ROUNDS: usize = 8;

/// Cuts frames off the ends of stances for which the leg is too short by more than a wobble, then moves the places of each foot's stances over
/// the ground to where the leg lacks least in all their frames.
pub(super) fn bring_within_reach(
    stances: &mut [Stance],
    path: &FootPath,
    poses: &[ModelPose],
    foot: &Foot,
    scale: f64,
) {
    let ankle = |stance: &Stance, f: usize| path.ankle[f] + stance.anchor - path.point(stance.heel)[f];
    let lacks = |stance: &Stance, f: usize| Leg::new(&poses[f], foot).lacks(ankle(stance, f));
    for stance in stances.iter_mut() {
        let reached = |f: &usize| lacks(stance, *f) <= WOBBLE_M * scale;
        let middle = usize::midpoint(stance.frames.start, stance.frames.end);
        let start = (stance.frames.start..middle).find(reached).unwrap_or(middle);
        let end = (middle..stance.frames.end).rfind(reached).map_or(middle + 1, |last| last + 1);
        stance.frames = start..end;
    }
    // Heel and toe of one foot move together.
    for group in stance_frames(stances).any() {
        let together = |stance: &Stance| stance.frames.start < group.end && group.start < stance.frames.end;
        for _ in 0..ROUNDS {
            // What is lacking most towards either side.
            let mut most = [DVec3::ZERO; 2];
            for stance in stances.iter().filter(|stance| together(stance)) {
                for f in stance.frames.clone() {
                    let line = ankle(stance, f) - poses[f].positions[foot.upper].as_dvec3();
                    let (over, flat) = (lacks(stance, f), line.with_y(0.0));
                    if over <= 0.0 || flat.length() < STEP_M * scale {
                        continue;
                    }
                    let back = -flat.normalize() * (over * line.length() / flat.length()).min(STEP_M * scale);
                    let side = usize::from(most[0].dot(back) < 0.0);
                    if back.length() > most[side].length() {
                        most[side] = back;
                    }
                }
            }
            let by = 0.5 * (most[0] + most[1]);
            stances.iter_mut().filter(|stance| together(stance)).for_each(|stance| stance.anchor += by);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::find_feet;
    use ugoki_testing::walker::Walk;

    #[test]
    fn a_place_out_of_reach_comes_within_it_and_one_within_reach_stays() {
        let clip = Walk { speed_m_s: 0.0, ..Walk::default() }.clip(60.0);
        let (feet, poses) = (find_feet(clip.skeleton()).unwrap(), clip.model_poses());
        let foot = &feet.feet[0];
        let path = &FootPath::both(&clip, &feet)[0];
        let lacks = |stance: &Stance| {
            let frames = stance.frames.clone();
            frames.map(|f| Leg::new(&poses[f], foot).lacks(stance.anchor)).fold(f64::NEG_INFINITY, f64::max)
        };
        for (off, moves) in [(0.0, false), (0.34, true)] {
            let anchor = path.ankle[30] + DVec3::Z * off;
            let mut stances = [Stance { heel: true, frames: 10..50, anchor }];
            let before = lacks(&stances[0]);
            bring_within_reach(&mut stances, path, &poses, foot, feet.scale());
            let after = lacks(&stances[0]);
            let moved = stances[0].anchor - anchor;
            assert_eq!(moved.length() > 1e-3, moves, "{before} {after} {moved}");
            // Half of what is left in every round: 0.4 % of it, under a millimetre.
            assert!(after < 1e-3 && moved.y == 0.0 && moved.z <= 0.0, "{before} {after} {moved}");
        }
    }
}
