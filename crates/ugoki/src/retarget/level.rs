//! The ground is kept: feet that stand flat in the source stand as high over the target's floor.
//!
//! A map takes one height of the ankles for a whole body, from its stance and from flat frames. A body that is drawn
//! differently on its two sides, or stands on one foot nearly all the time, would come out under the floor or above it.

use std::ops::Range;

use glam::Vec3;

use super::Retarget;
use crate::clip::Clip;
use crate::contact::{Contacts, find_feet};
use crate::limb::standing_contacts;
use crate::math::{median, quantile};
use crate::pose::{ModelPose, Pose, forward_kinematics_into};

/// Fewest frames of flat feet that tell the height, seconds; with less all standing toes are asked.
const TELLING_S: f64 = 0.1;

/// Heights that differ by less are one level, metres for a leg of 0.85 m: under any stair, over what captures waver by.
const STEP_M: f64 = 0.05;

/// Raises or sinks the whole motion of `raw` by as much as its standing toes are off in the median, metres; gives that.
pub(super) fn level(map: &Retarget, raw: &mut Clip, scaled: &Clip, contacts: &Contacts) -> f64 {
    let (Ok(feet), Ok(source_feet), Ok(standing)) =
        (find_feet(&map.target), find_feet(scaled.skeleton()), standing_contacts(scaled, contacts))
    else {
        return 0.0;
    };
    // How high a toe of the source is over its floor, and of the target over its own.
    let (mut flat, mut any): (Vec<[f64; 2]>, Vec<[f64; 2]>) = (Vec::new(), Vec::new());
    let (mut pose, mut model) = (Pose::rest(raw.skeleton()), ModelPose::default());
    let (mut source_pose, mut source) = (Pose::rest(scaled.skeleton()), ModelPose::default());
    let bears = |ranges: &[Range<usize>], frame: usize| ranges.iter().any(|range| range.contains(&frame));
    for frame in raw.motion_frames() {
        let on_toes = standing.feet.each_ref().map(|foot| bears(&foot.toe, frame));
        if on_toes == [false; 2] {
            continue;
        }
        raw.pose_into(frame, &mut pose);
        forward_kinematics_into(raw.skeleton(), &pose, &mut model);
        scaled.pose_into(frame, &mut source_pose);
        forward_kinematics_into(scaled.skeleton(), &source_pose, &mut source);
        for (side, _) in on_toes.into_iter().enumerate().filter(|(_, stands)| *stands) {
            let here = source_feet.feet[side].toe.position(&source);
            let floor = contacts.floor.height_at(f64::from(here.x), f64::from(here.z));
            let over = f64::from(here.y) - floor - contacts.floor.toe_clearance_m;
            let off = f64::from(feet.feet[side].toe.position(&model).y) - map.toe_m;
            any.push([over, off]);
            if bears(&standing.feet[side].heel, frame) {
                flat.push([over, off]);
            }
        }
    }
    let enough = (TELLING_S * raw.fps()).ceil() as usize;
    let told = if flat.len() >= enough { flat } else { any };
    let Some(off) = excess(&told, STEP_M * feet.scale()) else { return 0.0 };
    for frame in raw.motion_frames() {
        let root = raw.root().get(frame) - Vec3::Y * off as f32;
        raw.root_mut().set(frame, root);
    }
    -off
}

/// How much higher the target's feet stand than they should: as high over their lowest level as the source's, whatever
/// level that is; heights that differ by less than `step` are one level.
fn excess(told: &[[f64; 2]], step: f64) -> Option<f64> {
    let overs: Vec<f64> = told.iter().map(|[over, _]| *over).collect();
    let [low, high] = [quantile(&overs, 0.1)?, quantile(&overs, 0.9)?];
    let ground = if high - low > 2.0 * step { low } else { median(&overs)? };
    let offs: Vec<f64> = told
        .iter()
        .map(|&[over, off]| {
            let up = over - ground;
            if up.abs() < step { off } else { off - up }
        })
        .collect();
    median(&offs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feet_on_one_level_stand_on_it_and_steps_stay_steps() {
        // One level, seen 12 cm too low by the floor: what counts is the target.
        let level: Vec<[f64; 2]> = (0..40).map(|i| [-0.12 + 0.001 * f64::from(i % 3), -0.05]).collect();
        assert!((excess(&level, 0.05).unwrap() + 0.05).abs() < 1e-9);
        // Two thirds of the time on a step of 30 cm, all 2 cm too high.
        let steps: Vec<[f64; 2]> = (0..60).map(|i| if i < 20 { [0.0, 0.02] } else { [0.3, 0.32] }).collect();
        assert!((excess(&steps, 0.05).unwrap() - 0.02).abs() < 1e-9);
        assert_eq!(excess(&[], 0.05), None);
    }
}
