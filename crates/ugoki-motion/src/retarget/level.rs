//! The ground is kept: feet that stand flat in the source stand as high over the target's floor.
//!
//! A map takes one height of the ankles for a whole body, from its stance and from flat frames. Bodies are drawn, and
//! calibrated, differently on their two sides: one leg is longer, or one ankle stands higher. So the level is found for each foot
//! by itself. The whole motion is raised by the mean of both, and each leg makes up for what is left.

use std::ops::Range;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::math::{median, quantile};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::Side;
use ugoki_feet::contact::{Contacts, find_feet};
use ugoki_feet::feet::config::STEP_M;

use super::{Retarget, StandsAt};

/// Fewest frames of a flat foot that tell its height, seconds; with less all frames of a standing toe are asked.
pub(super) const TELLING_S: f64 = 0.1;

/// One foot in one frame in which it stands in the source, metres.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Height of the source's toe over its floor, more than where it usually stands.
    over: f64,
    /// How much higher the target's toe is than it stands on y = 0.
    toe: f64,
    /// How much higher the target's ankle is than in a flat foot on y = 0.
    ankle: f64,
    /// Whether the heel stands too.
    flat: bool,
}

/// Raises or sinks the whole motion of `raw` by as much as its standing feet are off, and gives what is left for each leg
/// to make up for, metres.
pub(super) fn level(map: &Retarget, raw: &mut Clip, scaled: &Clip, standing: &Contacts) -> [f64; 2] {
    let told = told(map, raw, scaled, standing);
    let step = STEP_M * scale(map);
    let ground = ground(&told, step);
    let offs: [Option<f64>; 2] = told.each_ref().map(|told| excess(told, ground, step));
    let known: Vec<f64> = offs.iter().flatten().copied().collect();
    if known.is_empty() {
        return [0.0; 2];
    }
    let body = known.iter().sum::<f64>() / known.len() as f64;
    for frame in raw.motion_frames() {
        let root = raw.root().get(frame) - Vec3::Y * body as f32;
        raw.root_mut().set(frame, root);
    }
    offs.map(|off| off.map_or(0.0, |off| body - off))
}

/// How high the feet of the result stand: on the floor, or as high over it as the source's, whichever is nearer.
pub(super) fn stands_at(
    map: &Retarget,
    clip: &Clip,
    scaled: &Clip,
    standing: &Contacts,
) -> [Option<StandsAt>; 2] {
    let told = told(map, clip, scaled, standing);
    let ground = ground(&told, STEP_M * scale(map));
    told.map(|told| {
        let off = |height: fn(&Seen) -> f64| {
            let nearest = |seen: &Seen| {
                let (off, up) = (height(seen), seen.over - ground);
                if (off - up).abs() < off.abs() { off - up } else { off }
            };
            median(&told.iter().map(nearest).collect::<Vec<f64>>())
        };
        let flat = told.first()?.flat;
        Some(StandsAt {
            seconds: told.len() as f64 / clip.fps(),
            toe_off_mm: 1e3 * off(|seen| seen.toe)?,
            ankle_off_mm: off(|seen| seen.ankle).filter(|_| flat).map(|m| 1e3 * m),
        })
    })
}

fn scale(map: &Retarget) -> f64 {
    find_feet(&map.target).map_or(1.0, |feet| feet.scale())
}

/// What the standing frames of each foot tell: those of the flat foot, or all of its toe where these are too few.
fn told(map: &Retarget, clip: &Clip, scaled: &Clip, standing: &Contacts) -> [Vec<Seen>; 2] {
    let mut told = [Vec::new(), Vec::new()];
    let (Ok(feet), Ok(source_feet)) = (find_feet(&map.target), find_feet(scaled.skeleton())) else {
        return told;
    };
    let (mut pose, mut model) = (Pose::rest(clip.skeleton()), ModelPose::default());
    let (mut source_pose, mut source) = (Pose::rest(scaled.skeleton()), ModelPose::default());
    let bears = |ranges: &[Range<usize>], frame: usize| ranges.iter().any(|range| range.contains(&frame));
    // A foot that stands on tiptoe all the time may seem to stand on its heel.
    let flat = |side: usize, source: &ModelPose, toe: Vec3| {
        let line = toe - source.positions[source_feet.feet[side].ankle];
        let rise = f64::from((-line.y / line.length().max(1e-9)).clamp(-1.0, 1.0)).asin();
        line == Vec3::ZERO || map.may_be_flat([Side::Left, Side::Right][side], rise)
    };
    for frame in clip.motion_frames() {
        let on_toes = standing.feet.each_ref().map(|foot| bears(&foot.toe, frame));
        if on_toes == [false; 2] {
            continue;
        }
        clip.pose_into(frame, &mut pose);
        forward_kinematics_into(clip.skeleton(), &pose, &mut model);
        scaled.pose_into(frame, &mut source_pose);
        forward_kinematics_into(scaled.skeleton(), &source_pose, &mut source);
        for (side, _) in on_toes.into_iter().enumerate().filter(|(_, stands)| *stands) {
            let here = source_feet.feet[side].toe.position(&source);
            let floor = standing.floor.height_at(f64::from(here.x), f64::from(here.z));
            let foot = &feet.feet[side];
            told[side].push(Seen {
                over: f64::from(here.y) - floor - standing.floor.toe_clearance_m,
                toe: f64::from(foot.toe.position(&model).y) - map.toe_m,
                ankle: f64::from(model.positions[foot.ankle].y) - map.ground.target_ankle_m,
                flat: bears(&standing.feet[side].heel, frame) && flat(side, &source, here),
            });
        }
    }
    let enough = (TELLING_S * clip.fps()).ceil() as usize;
    for told in &mut told {
        if told.iter().filter(|seen| seen.flat).count() >= enough {
            told.retain(|seen| seen.flat);
        } else {
            told.iter_mut().for_each(|seen| seen.flat = false);
        }
    }
    told
}

/// Height of the level that counts as the source's ground: its lowest where there are steps, else what is usual.
fn ground(told: &[Vec<Seen>; 2], step: f64) -> f64 {
    let overs: Vec<f64> = told.iter().flatten().map(|seen| seen.over).collect();
    let (Some(low), Some(high), Some(usual)) = (quantile(&overs, 0.1), quantile(&overs, 0.9), median(&overs))
    else {
        return 0.0;
    };
    if high - low > 2.0 * step { low } else { usual }
}

/// How much higher a target's foot stands than it should: as high over the ground as the source's where that is a step.
fn excess(told: &[Seen], ground: f64, step: f64) -> Option<f64> {
    let off = |seen: &Seen| {
        let up = seen.over - ground;
        if up.abs() < step { seen.toe } else { seen.toe - up }
    };
    median(&told.iter().map(off).collect::<Vec<f64>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(over: f64, toe: f64) -> Seen {
        Seen { over, toe, ankle: toe, flat: true }
    }

    #[test]
    fn feet_on_one_level_stand_on_it_and_steps_stay_steps() {
        // One level, seen 12 cm too low by the floor: what counts is the target, foot by foot.
        let foot =
            |off: f64| (0..40).map(|i| seen(-0.12 + 0.001 * f64::from(i % 3), off)).collect::<Vec<_>>();
        let both = [foot(-0.05), foot(0.03)];
        let found = both.each_ref().map(|told| excess(told, ground(&both, 0.05), 0.05).unwrap());
        assert!((found[0] + 0.05).abs() < 1e-9 && (found[1] - 0.03).abs() < 1e-9);
        // Two thirds of the time on a step of 30 cm, all 2 cm too high.
        let steps: Vec<Seen> =
            (0..60).map(|i| if i < 20 { seen(0.0, 0.02) } else { seen(0.3, 0.32) }).collect();
        let both = [steps.clone(), Vec::new()];
        assert!((excess(&steps, ground(&both, 0.05), 0.05).unwrap() - 0.02).abs() < 1e-9);
        assert_eq!(excess(&[], 0.0, 0.05), None);
    }
}
