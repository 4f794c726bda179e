//! Feet that stand in the source stand on the target: toes kept over the floor, contacts held.

use std::ops::Range;

use glam::{DVec3, Quat};
use ugoki_base::Progress;
use ugoki_base::clip::Clip;
use ugoki_base::math::median;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_feet::contact::{Contacts, Feet, LEAVES_M, find_feet};
use ugoki_feet::feet::config::{GLITCH_HALF_S, STEP_M};
use ugoki_feet::feet::{
    FootPath, Guide, LeftAlone, PlantConfig, PlantError, Planted, face_knees, plant_feet_like, stays_down,
};

use super::{Held, Retarget, RetargetConfig, RetargetError};

/// Holds the feet that stand in the source, each raised by so much; `None` where a leg is not known.
pub(super) fn hold(
    map: &Retarget,
    mut raw: Clip,
    scaled: &Clip,
    standing: &Contacts,
    raise: [f64; 2],
    config: &RetargetConfig,
    progress: Progress<'_>,
) -> Result<(Clip, Option<Held>), RetargetError> {
    let (Ok(feet), Ok(source_feet)) = (find_feet(&map.target), find_feet(scaled.skeleton())) else {
        return Ok((raw, None));
    };
    keep_toes_up(map, &mut raw, &feet, standing, raise);
    // In whichever way feet are then held, no knee changes its side from one frame to the next.
    face_knees(&mut raw, &feet);
    let plant = PlantConfig {
        level: false,
        whole: true,
        max_shift_m: config.max_shift_m,
        max_knee_deg: config.max_knee_deg,
        ..PlantConfig::default()
    };
    let guide = Guide { clip: scaled, raise_m: raise, toe_m: map.toe_m };
    let inner = &mut |part: f32| progress(0.4 + 0.5 * part);
    let planted = match plant_feet_like(&raw, Some(guide), standing, &plant, inner) {
        Ok(planted) => planted,
        Err(PlantError::Cancelled(cancelled)) => return Err(cancelled.into()),
        Err(PlantError::Contact(_)) => return Ok((raw, None)),
    };
    let held = held(&planted, scaled, [&feet, &source_feet], standing, map.toe_m);
    Ok((planted.clip, Some(held)))
}

/// Turns feet whose toes would go under the floor up about their ankles, at most until they are flat.
///
/// Another body's feet are longer or its ankles higher, so a foot that just touches in the source may point through
/// the floor on the target.
fn keep_toes_up(map: &Retarget, clip: &mut Clip, feet: &Feet, standing: &Contacts, raise: [f64; 2]) {
    let skeleton = clip.skeleton().clone();
    let mut pose = Pose::rest(&skeleton);
    let mut model = ModelPose::default();
    let lowest = lowest_step(map, clip, feet, standing, raise) + map.toe_m;
    for frame in clip.motion_frames() {
        clip.pose_into(frame, &mut pose);
        forward_kinematics_into(&skeleton, &pose, &mut model);
        for ((foot, toes), raise) in feet.feet.iter().zip([Role::LeftToes, Role::RightToes]).zip(raise) {
            let floor = lowest - raise;
            let (ankle, toe) = (model.positions[foot.ankle].as_dvec3(), foot.toe.position(&model).as_dvec3());
            let line = toe - ankle;
            let length = line.length();
            if toe.y >= floor || length < 1e-6 {
                continue;
            }
            let flat = (map.ground.target_ankle_m - map.toe_m) / length;
            let now = (-line.y / length).clamp(-1.0, 1.0).asin();
            let wanted = ((ankle.y - floor) / length).max(flat).clamp(-1.0, 1.0).asin();
            let Some(axis) = line.cross(DVec3::Y).try_normalize().filter(|_| wanted < now) else { continue };
            let turn = Quat::from_axis_angle(axis.as_vec3(), (now - wanted) as f32);
            turn_foot(clip, frame, &model, foot.ankle, skeleton.find(toes), turn);
        }
    }
    clip.align_signs();
}

/// Turns a foot in the world; the toes keep their direction.
fn turn_foot(clip: &mut Clip, frame: usize, model: &ModelPose, foot: usize, toes: Option<usize>, turn: Quat) {
    let skeleton: &Skeleton = clip.skeleton();
    let above = skeleton.parent(foot).map_or(Quat::IDENTITY, |parent| model.rotations[parent]);
    let world = turn * model.rotations[foot];
    let toes = toes.filter(|&toes| skeleton.parent(toes) == Some(foot));
    clip.set_rotation(foot, frame, (above.conjugate() * world).normalize());
    if let Some(toes) = toes {
        clip.set_rotation(toes, frame, (world.conjugate() * model.rotations[toes]).normalize());
    }
}

/// Height of the lowest step that feet stand on, metres: 0 but for contacts well under the floor.
fn lowest_step(map: &Retarget, clip: &Clip, feet: &Feet, standing: &Contacts, raise: [f64; 2]) -> f64 {
    let mut lowest = 0.0_f64;
    for ((foot, contacts), raise) in feet.feet.iter().zip(&standing.feet).zip(raise) {
        for part in &contacts.toe {
            // The middle frame of a standing part tells where it stands.
            let middle = usize::midpoint(part.start, part.end).min(clip.num_frames().saturating_sub(1));
            let pose = clip.model_pose(middle);
            // A toe under the floor while its ankle is not is bad data, not a lower step.
            let toe = f64::from(foot.toe.position(&pose).y) - map.toe_m;
            let ankle = f64::from(pose.positions[foot.ankle].y) - map.ground.target_ankle_m;
            lowest = lowest.min(toe.max(ankle) + raise);
        }
    }
    if lowest < -STEP_M * feet.scale() { lowest } else { 0.0 }
}

/// How the standing parts of the source stand on the target.
fn held(
    planted: &Planted,
    scaled: &Clip,
    [feet, source_feet]: [&Feet; 2],
    standing: &Contacts,
    toe_m: f64,
) -> Held {
    let said = &planted.report;
    let mut held = Held {
        out_of_reach: said.released,
        shortfall_mm: said.miss_mm,
        hip_shift_mm: said.hip_shift_mm,
        knee_change_deg: said.knee_change_deg,
        ..Held::default()
    };
    let (paths, source_paths) = (FootPath::both(&planted.clip, feet), FootPath::both(scaled, source_feet));
    let lowest =
        planted.clip.motion_frames().flat_map(|frame| paths.each_ref().map(|path| path.toe[frame].y));
    held.under_floor_mm = 1e3 * lowest.fold(0.0, |deep: f64, y| deep.max(toe_m - y));
    let fps = scaled.fps();
    for (side, foot) in standing.feet.iter().enumerate() {
        for (heel, parts) in [(true, &foot.heel), (false, &foot.toe)] {
            let (path, source) = (paths[side].point(heel), source_paths[side].point(heel));
            let mut before: Option<Range<usize>> = None;
            for part in parts {
                held.contacts += 1;
                let free = |left: &LeftAlone| {
                    left.foot == side && left.heel == heel && left.start < part.end && part.start < left.end
                };
                if said.left_alone.iter().any(free) {
                    before = None;
                    continue;
                }
                let firm = firm(path, part, fps, MAX_SLIP_M * feet.scale());
                if 2 * firm.len() < part.len() {
                    before = None;
                    continue;
                }
                if let Some(last) = before.replace(firm.clone())
                    && stays_down(source, &last, &firm, feet.scale())
                {
                    let moved = 1e3 * between(path, &last, &firm);
                    if moved > held.between_mm {
                        (held.between_mm, held.source_between_mm) =
                            (moved, 1e3 * between(source, &last, &firm));
                    }
                    let more = moved - 1e3 * between(source, &last, &firm);
                    held.between_added_mm = held.between_added_mm.max(more);
                }
                held.held += 1;
                held.held_frames += part.len();
                held.released_frames += part.len() - firm.len();
                held.slip_mm = held.slip_mm.max(1e3 * slip(path, &firm, fps));
                let more = 1e3 * beside(path, source, &firm, (BESIDE_S * fps).round() as usize, feet.scale());
                held.beside_mm = held.beside_mm.max(more);
                held.source_slip_mm = held.source_slip_mm.max(1e3 * slip(source, part, fps));
            }
        }
    }
    held
}

/// A point that strays farther than this from its mean place does not stand, metres for a leg of 0.85 m.
const MAX_SLIP_M: f64 = 0.010;

/// The part of a contact in which its point stands: frames at either end in which it is elsewhere left out.
fn firm(path: &[DVec3], part: &Range<usize>, fps: f64, max_slip: f64) -> Range<usize> {
    let mut firm = part.clone();
    while firm.len() > 1 && slip(path, &firm, fps) > max_slip {
        let mean = path[firm.clone()].iter().sum::<DVec3>() / firm.len() as f64;
        let away = |frame: usize| (path[frame] - mean).with_y(0.0).length();
        if away(firm.start) >= away(firm.end - 1) {
            firm.start += 1;
        } else {
            firm.end -= 1;
        }
    }
    firm
}

/// How far apart over the ground two places are at which a point stands, metres.
fn between(path: &[DVec3], a: &Range<usize>, b: &Range<usize>) -> f64 {
    let mean = |part: &Range<usize>| path[part.clone()].iter().sum::<DVec3>() / part.len().max(1) as f64;
    (mean(b) - mean(a)).with_y(0.0).length()
}

/// How long before and after a hold a point is looked at, seconds: as long as a foot may roll off.
const BESIDE_S: f64 = 0.3;

/// Most that a point moves farther than the source's within `frames` before or after it is held, as long as the
/// source's is still down, metres over the ground.
fn beside(path: &[DVec3], source: &[DVec3], part: &Range<usize>, frames: usize, scale: f64) -> f64 {
    let mut worst = 0.0_f64;
    let mut look = |edge: usize, near: &mut dyn Iterator<Item = usize>| {
        for frame in near {
            if source[frame].y - source[edge].y > LEAVES_M * scale {
                break;
            }
            let moved = |path: &[DVec3]| (path[frame] - path[edge]).with_y(0.0).length();
            worst = worst.max(moved(path) - moved(source));
        }
    };
    if part.is_empty() {
        return 0.0;
    }
    look(part.end - 1, &mut (part.end..(part.end + frames).min(path.len())));
    look(part.start, &mut (part.start.saturating_sub(frames)..part.start).rev());
    worst
}

/// Farthest over the ground that a point strays from its mean place, metres; glitches of one or two frames aside.
fn slip(path: &[DVec3], part: &Range<usize>, fps: f64) -> f64 {
    let points = &path[part.clone()];
    let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let half = ((GLITCH_HALF_S * fps).round() as usize).max(1);
    let away: Vec<f64> = points.iter().map(|p| (*p - mean).with_y(0.0).length()).collect();
    // The window shrinks at the ends, so that a drift to the very end counts.
    let calm = |frame: usize| {
        let half = half.min(frame).min(away.len() - 1 - frame);
        median(&away[frame - half..=frame + half]).unwrap_or(0.0)
    };
    (0..away.len()).map(calm).fold(0.0, f64::max)
}
