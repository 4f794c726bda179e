//! Planting: feet that stand stand still, on a level floor, without a jerk.

use std::ops::Range;

use glam::{DQuat, DVec3};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::pose::ModelPose;
use ugoki_base::{Progress, report};

use super::config::STEP_M;
use super::glitch::jumps;
use super::legs::Leg;
use super::path::{FootPath, median_height};
use super::plan::{FootPlan, Stance, stance_frames};
use super::plant_config::{PlantConfig, PlantError, Planted};
use super::reach::bring_within_reach;
use super::report::{self as measure, LeftAlone, PlantReport, Why};
use super::solve::{FeetSolution, FootShift, HipsConfig};
use super::stances::{Limits, Stances, find_stances, release};
use super::steady_root::steady_root;
use super::track::track;
use crate::contact::{Contacts, Feet, Floor, Support, estimate_floor, find_feet};

/// Times that contacts are let go and the rest is planted again; each time at least one goes.
const ROUNDS: usize = 6;

/// Holds every standing heel and toe still, levels the floor to y = 0 and lets hips and knees follow smoothly.
///
/// Bone lengths and everything above the hips keep their rotations; an added T-pose frame is left alone.
///
/// # Errors
/// When the legs are not known by role, or the caller asks to stop.
pub fn plant_feet(
    clip: &Clip,
    contacts: &Contacts,
    config: &PlantConfig,
    progress: Progress<'_>,
) -> Result<Planted, PlantError> {
    plant_feet_like(clip, None, contacts, config, progress)
}

/// The motion that a clip was made from, frame by frame and at its size.
#[derive(Debug, Clone, Copy)]
pub struct Guide<'a> {
    /// The source motion.
    pub clip: &'a Clip,
    /// How much higher left and right foot are to be than the clip has them, in all frames, metres.
    pub raise_m: [f64; 2],
    /// Height at which toes stand on the floor, metres.
    pub toe_m: f64,
}

/// [`plant_feet`] of a clip made from a `guide`: next to its contacts a foot on the ground moves as the guide's does.
///
/// # Errors
/// As [`plant_feet`].
pub fn plant_feet_like(
    clip: &Clip,
    guide: Option<Guide<'_>>,
    contacts: &Contacts,
    config: &PlantConfig,
    progress: Progress<'_>,
) -> Result<Planted, PlantError> {
    let feet = find_feet(clip.skeleton())?;
    let before = clip.model_poses();
    report(progress, 0.1)?;
    let (fps, scale, motion) = (clip.fps(), feet.scale(), clip.motion_frames());
    let own_paths = |poses: &[ModelPose]| {
        feet.feet.each_ref().map(|foot| FootPath::build(poses, foot, fps, scale).starting_at(motion.start))
    };
    let mut steady = clip.clone();
    let mut floor = contacts.floor;
    let shift =
        if config.whole { None } else { steady_root(clip, &before, &feet, own_paths(&before), contacts) };
    if let Some(shift) = shift {
        for frame in motion.clone() {
            let root = clip.root().get(frame).as_dvec3() + shift[frame];
            steady.root_mut().set(frame, root.as_vec3());
        }
        // The noise was in the heights of the contacts too.
        floor = floor_under(&own_paths(&steady.model_poses()), contacts, floor, &feet, fps);
    }
    let floor = if config.level { floor } else { Floor::default() };
    let levelled = levelled(&steady, &floor);
    let poses = levelled.model_poses();
    let mut paths = own_paths(&poses);
    // Noisy legs are moved by centimetres: a jump of the whole body would go into their knees many times over.
    for path in paths.iter_mut().filter(|_| !config.whole && contacts.noise > 1.0) {
        let jumps = jumps(&path.hip, fps, scale);
        path.glitch.iter_mut().zip(jumps).for_each(|(glitch, jump)| *glitch |= jump);
    }
    report(progress, 0.2)?;

    let guide = guide.filter(|guide| guide.clip.num_frames() == clip.num_frames());
    // Feet of a noisy capture are moved and turned farther.
    let noise = if config.whole { 1.0 } else { contacts.noise };
    let limits = Limits {
        snap_m: config.snap_m * noise * scale,
        slide_m: config.slide_m * noise * scale,
        scale,
        noise,
        whole: config.whole,
        toe_m: guide.map(|guide| guide.toe_m),
    };
    let raise = guide.map_or([0.0; 2], |guide| guide.raise_m);
    for (path, raise) in paths.iter_mut().zip(raise) {
        path.shift(&vec![DVec3::Y * raise; poses.len()]);
    }
    let guides: [Option<FootPath>; 2] = match guide {
        Some(guide) => {
            let feet = find_feet(guide.clip.skeleton())?;
            FootPath::both(guide.clip, &feet).map(|path| Some(path.starting_at(motion.start)))
        }
        None => [None, None],
    };
    let found: [Stances; 2] =
        [0, 1].map(|side| find_stances(&paths[side], &contacts.feet[side], fps, &limits));
    let mut left_alone: Vec<LeftAlone> = Vec::new();
    for (side, found) in found.iter().enumerate() {
        let slid = found.slid.iter().cloned();
        left_alone.extend(slid.map(|(heel, frames)| LeftAlone::new(side, heel, frames, Why::Slides)));
    }
    let standing = found.each_ref().map(|found| found.standing.clone());
    let mut stances = found.map(|found| found.stances);
    // Contacts well under the floor stand on lower steps; nothing is lifted off those.
    let toes = stances.iter().flatten().filter(|stance| !stance.heel);
    let lowest = toes.fold(0.0, |low: f64, stance| low.min(stance.anchor.y));
    let ground = if lowest < -STEP_M * scale { lowest } else { 0.0 };
    let floors = [ground, ground + limits.toe_m.unwrap_or(0.0)];
    let weight: Vec<f64> = (0..poses.len()).map(|f| if motion.contains(&f) { 1.0 } else { 0.0 }).collect();
    let stiffness = if config.whole { 1.0 } else { config.hips_stiffness * noise * noise };
    let hips_config = HipsConfig { stiffness, calm: !config.whole, ..HipsConfig::default() };
    // Where noisy legs leave a foot is uncertain by centimetres; where they reach is not.
    for (side, stances) in stances.iter_mut().enumerate().filter(|_| noise > 1.0) {
        bring_within_reach(stances, &paths[side], &poses, &feet.feet[side], scale);
    }
    let mut round = 0;
    let solution = loop {
        let shifts = [0, 1].map(|side| {
            let (path, guide) = (&paths[side], guides[side].as_ref());
            let plan = FootPlan::from_stances(path, &stances[side], guide, floors, scale);
            let mut shift = track(path, &plan, fps, scale);
            shift.shift.iter_mut().for_each(|shift| shift.y += raise[side]);
            shift
        });
        let solution = FeetSolution::solve(&poses, &feet, shifts, weight.clone(), hips_config, fps);
        round += 1;
        report(progress, 0.2 + 0.1 * round as f32 / ROUNDS as f32)?;
        if round == ROUNDS {
            break solution;
        }
        let mut let_go = false;
        for (side, stances) in stances.iter_mut().enumerate() {
            let FootShift { shift, .. } = &solution.feet[side];
            let gone = release(stances, |frame| {
                let leg = Leg::new(&poses[frame], &feet.feet[side]);
                let (bend, _) = leg.cost(solution.hips[frame], shift[frame]);
                bend.to_degrees() > config.max_knee_deg * noise
                    || shift[frame].length() > config.max_shift_m * noise * scale
            });
            let_go |= !gone.is_empty();
            let gone = gone.into_iter();
            left_alone.extend(gone.map(|(heel, frames)| LeftAlone::new(side, heel, frames, Why::Reach)));
        }
        if !let_go {
            break solution;
        }
    };

    let mut planted = levelled.clone();
    let inner = &mut |part: f32| progress(0.3 + 0.6 * part);
    solution.apply(&mut planted, &poses, &feet, inner)?;
    let after = planted.model_poses();
    report(progress, 0.95)?;
    let knees = [measure::knees_deg(&before, &feet), measure::knees_deg(&after, &feet)];
    let on_ground = measure::on_ground(clip, &before, &feet);
    let glitched = [&paths[0].glitch[..], &paths[1].glitch[..]];
    let report = PlantReport {
        skate_before: measure::skate(clip, &before, &feet, &standing, &glitched),
        skate_after: measure::skate(&planted, &after, &feet, &standing, &glitched),
        ground_skate_before: measure::skate(clip, &before, &feet, &on_ground, &glitched),
        ground_skate_after: measure::skate(&planted, &after, &feet, &on_ground, &glitched),
        penetration_before_mm: measure::penetration_mm(clip, &before, &feet, |p| {
            floor.height_at(f64::from(p.x), f64::from(p.z))
        }),
        penetration_after_mm: measure::penetration_mm(&planted, &after, &feet, |_| ground),
        tilt_mm_m: 1e3 * floor.slope[0].hypot(floor.slope[1]),
        offset_m: floor.height,
        knee_change_deg: measure::knee_change_deg(clip, &planted, &feet),
        hip_shift_mm: 1e3 * solution.hips_m(),
        knee_acceleration_before: measure::knee_acceleration(clip, &knees[0]),
        knee_acceleration_after: measure::knee_acceleration(&planted, &knees[1]),
        slid: left_alone.iter().filter(|left| left.why == Why::Slides).count(),
        released: left_alone.iter().filter(|left| left.why == Why::Reach).count(),
        left_alone,
        glitch_frames: (0..poses.len()).filter(|&f| paths.iter().any(|path| path.glitch[f])).count(),
        held_share: held_share(&stances, contacts),
        miss_mm: miss_mm(&poses, &after, &feet, &solution.feet, &stances),
    };
    Ok(Planted { clip: planted, report })
}

/// The floor under toe contacts of paths that were moved since it was found.
fn floor_under(paths: &[FootPath; 2], contacts: &Contacts, found: Floor, feet: &Feet, fps: f64) -> Floor {
    let supports: Vec<Support> = (0..2)
        .flat_map(|foot| contacts.feet[foot].toe.iter().map(move |range| (foot, range)))
        .filter(|(foot, range)| !range.is_empty() && range.end <= paths[*foot].num_frames())
        .map(|(foot, range)| {
            let points = &paths[foot].toe[range.clone()];
            let mean = points.iter().sum::<DVec3>() / points.len() as f64;
            let point = mean.with_y(median_height(&paths[foot].toe, range));
            Support { point, seconds: points.len() as f64 / fps, foot }
        })
        .collect();
    match supports.is_empty() {
        true => found,
        false => estimate_floor(&supports, 0.0, feet.leg_m, contacts.noise),
    }
}

/// The whole motion turned and sunk rigidly so that the floor is y = 0.
fn levelled(clip: &Clip, floor: &Floor) -> Clip {
    let mut out = clip.clone();
    if floor.height == 0.0 && floor.slope == [0.0; 2] {
        return out;
    }
    let pivot = DVec3::new(floor.origin[0], floor.height, floor.origin[1]);
    let normal = DVec3::new(-floor.slope[0], 1.0, -floor.slope[1]).normalize();
    let turn = DQuat::from_rotation_arc(normal, DVec3::Y);
    for frame in clip.motion_frames() {
        let root = turn * (clip.root().get(frame).as_dvec3() - pivot) + pivot.with_y(0.0);
        out.root_mut().set(frame, root.as_vec3());
        if floor.slope != [0.0; 2] {
            let q = (turn * clip.rotation(0, frame).as_dquat()).as_quat().normalize();
            out.set_rotation(0, frame, q);
        }
    }
    out
}

/// Fraction of the contacts' frames, of heels and toes, that are held; 1 without contacts.
fn held_share(stances: &[Vec<Stance>; 2], contacts: &Contacts) -> f64 {
    let frames = |foot: &FootContacts| foot.heel.iter().chain(&foot.toe).map(Range::len).sum::<usize>();
    let all: usize = contacts.feet.iter().map(frames).sum();
    let held: usize = stances.iter().flatten().map(|stance| stance.frames.len()).sum();
    if all == 0 { 1.0 } else { held as f64 / all as f64 }
}

/// Farthest that a corrected ankle in contact stays from where it was sent, mm.
fn miss_mm(
    poses: &[ModelPose],
    after: &[ModelPose],
    feet: &Feet,
    shifts: &[FootShift],
    stances: &[Vec<Stance>; 2],
) -> f64 {
    let mut worst = 0.0_f64;
    for ((foot, by), stances) in feet.feet.iter().zip(shifts).zip(stances) {
        for frame in stance_frames(stances).any().into_iter().flatten() {
            let wanted = poses[frame].positions[foot.ankle].as_dvec3() + by.shift[frame];
            worst = worst.max(1e3 * (after[frame].positions[foot.ankle].as_dvec3() - wanted).length());
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactConfig, find_contacts};
    use glam::{Quat, Vec3};
    use proptest::prelude::*;
    use std::ops::ControlFlow;
    use ugoki_base::Cancelled;
    use ugoki_base::math::angle_between;
    use ugoki_base::no_progress;
    use ugoki_testing::walker::{Walk, mirrored, moved};

    fn contacts(clip: &Clip) -> Contacts {
        find_contacts(clip, &ContactConfig::default()).unwrap()
    }

    fn plant(clip: &Clip, contacts: &Contacts) -> Planted {
        plant_feet(clip, contacts, &PlantConfig::default(), &mut no_progress()).unwrap()
    }

    /// The walk with its root drifting sideways and along: feet skate by that much.
    fn skating(fps: f64, drift_m_s: f32) -> Clip {
        let clean = Walk::default().clip(fps);
        let mut clip = clean.clone();
        for frame in 0..clip.num_frames() {
            let t = frame as f32 / fps as f32;
            let drift = Vec3::new(drift_m_s * t, 0.003 * (5.0 * t).sin(), 0.01 * (5.0 * t).sin());
            clip.root_mut().set(frame, clean.root().get(frame) + drift);
        }
        clip
    }

    /// Largest distance between equal joints, metres, and angle between equal rotations, radians.
    fn apart(a: &Clip, b: &Clip) -> (f32, f32) {
        let (mut distance, mut angle) = (0.0_f32, 0.0_f32);
        for frame in 0..a.num_frames() {
            let (p, q) = (a.model_pose(frame), b.model_pose(frame));
            for joint in 0..a.num_joints() {
                distance = distance.max((p.positions[joint] - q.positions[joint]).length());
                angle = angle.max(angle_between(a.rotation(joint, frame), b.rotation(joint, frame)));
            }
        }
        (distance, angle)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn standing_points_stand_still(fps in prop::sample::select(vec![30.0, 60.0, 120.0]), drift in -0.1..0.1_f32) {
            // In its last stance, of 1.2 s, the walker drifts by at most the 6 cm to either side that a foot is moved by.
            let clip = skating(fps, drift);
            let contacts = contacts(&clip);
            let planted = plant(&clip, &contacts);
            let feet = find_feet(clip.skeleton()).unwrap();
            let poses = planted.clip.model_poses();
            // The walker's feet land and leave gently: the ends of contacts are not standing, their middle half is.
            let middle = |range: &Range<usize>| range.start + range.len() / 4..range.end - range.len() / 4;
            for (foot, contact) in feet.feet.iter().zip(&contacts.feet) {
                for range in contact.toe.iter().map(middle) {
                    let first = foot.toe.position(&poses[range.start]);
                    for frame in range.clone() {
                        prop_assert!((foot.toe.position(&poses[frame]) - first).length() < 1e-3, "frame {frame} of {range:?}");
                    }
                }
                for range in contact.heel.iter().map(middle) {
                    let first = poses[range.start].positions[foot.ankle];
                    for frame in range.clone() {
                        prop_assert!((poses[frame].positions[foot.ankle] - first).length() < 1e-3, "frame {frame} of {range:?}");
                    }
                }
            }
            let r = &planted.report;
            prop_assert!(r.left_alone.is_empty() && r.skate_after.mean_mm_s < 2.0 && r.skate_after.max_mm_s < 1e3 * fps * 2e-3, "{r:?}");
        }

        #[test]
        fn place_and_heading_do_not_matter(x in -5.0..5.0_f32, z in -5.0..5.0_f32, yaw in -3.1..3.1_f32) {
            let clip = skating(60.0, 0.1);
            let place = Vec3::new(x, 0.0, z);
            let there = moved(&clip, place, yaw);
            let (a, b) = (plant(&clip, &contacts(&clip)), plant(&there, &contacts(&there)));
            // 0.1 mm and 0.03°: f32 positions metres from the origin, through an arc cosine.
            let (distance, angle) = apart(&moved(&a.clip, place, yaw), &b.clip);
            prop_assert!(distance < 1e-4 && angle < 5e-4, "{distance} {angle}");
        }
    }

    #[test]
    fn perfect_feet_are_left_alone() {
        for walk in [Walk::default(), Walk { rise_m: 0.15, speed_m_s: 0.7, ..Walk::default() }] {
            let clip = walk.clip(60.0);
            // The very stances: found contacts also hold the gentle first and last frames of the swings.
            let mut contacts = contacts(&clip);
            for (side, foot) in contacts.feet.iter_mut().enumerate() {
                foot.toe = walk.stances(side, 60.0);
                foot.heel = walk.stances(side, 60.0);
            }
            let (distance, angle) = apart(&clip, &plant(&clip, &contacts).clip);
            assert!(distance < 1e-3 && angle < 0.1_f32.to_radians(), "{distance} m, {angle} rad");
            let (distance, angle) = apart(&clip, &plant(&clip, &super::tests::contacts(&clip)).clip);
            assert!(
                distance < 2e-3 && angle < 0.5_f32.to_radians(),
                "found contacts: {distance} m, {angle} rad"
            );
        }
    }

    #[test]
    fn planting_twice_is_planting_once() {
        let clip = skating(60.0, 0.1);
        let contacts = contacts(&clip);
        let once = plant(&clip, &contacts);
        let again = plant(
            &once.clip,
            &Contacts { floor: Floor { height: 0.0, slope: [0.0; 2], ..contacts.floor }, ..contacts },
        );
        let (distance, angle) = apart(&once.clip, &again.clip);
        assert!(distance < 1e-3 && angle < 5e-3, "{distance} m, {angle} rad");
    }

    #[test]
    fn planting_the_result_again_with_its_own_contacts_changes_little() {
        let once = plant(&skating(60.0, 0.1), &contacts(&skating(60.0, 0.1))).clip;
        let (distance, angle) = apart(&once, &plant(&once, &contacts(&once)).clip);
        assert!(distance < 5e-3 && angle < 2.0_f32.to_radians(), "{distance} m, {angle} rad");
    }

    #[test]
    fn a_jump_of_one_frame_stays_and_its_neighbours_do_not_notice() {
        let clip = skating(120.0, 0.05);
        let found = contacts(&clip);
        let frame = found.feet[0].toe[1].start + found.feet[0].toe[1].len() / 2;
        let mut jumping = clip.clone();
        jumping.root_mut().set(frame, clip.root().get(frame) + Vec3::new(0.02, 0.02, -0.02));
        let (a, b) = (plant(&clip, &found), plant(&jumping, &found));
        assert_eq!(b.report.glitch_frames, 1);
        for near in (frame - 8..frame + 9).filter(|&near| near != frame) {
            let (p, q) = (a.clip.model_pose(near), b.clip.model_pose(near));
            let moved =
                p.positions.iter().zip(&q.positions).map(|(p, q)| (*p - *q).length()).fold(0.0, f32::max);
            assert!(moved < 2e-3, "frame {near}: {moved} m");
        }
        let knee = |clip: &Clip| clip.rotation(4, frame);
        assert!(angle_between(knee(&a.clip), knee(&b.clip)) < 1.0_f32.to_radians());
    }

    #[test]
    fn contacts_that_need_more_than_allowed_are_let_go_and_listed() {
        let clip = skating(60.0, 0.1);
        let strict = PlantConfig { max_shift_m: 0.002, ..PlantConfig::default() };
        let planted = plant_feet(&clip, &contacts(&clip), &strict, &mut no_progress()).unwrap();
        let r = &planted.report;
        assert!(r.released > 0 && r.left_alone.len() == r.slid + r.released, "{r:?}");
        assert!(r.held_share < plant(&clip, &contacts(&clip)).report.held_share);
        assert!(r.left_alone.iter().all(|left| left.why == Why::Reach && left.start < left.end));
    }

    #[test]
    fn the_mirror_image_is_planted_as_the_mirror_image() {
        let clip = skating(60.0, 0.1);
        let other = mirrored(&clip);
        let (a, b) = (plant(&clip, &contacts(&clip)), plant(&other, &contacts(&other)));
        let (distance, angle) = apart(&mirrored(&a.clip), &b.clip);
        assert!(distance < 1e-4 && angle < 5e-4, "{distance} m, {angle} rad");
    }

    #[test]
    fn a_tilted_floor_becomes_level_and_bones_keep_their_length() {
        let flat = Walk::default().clip(60.0);
        let tilt = Quat::from_rotation_x(-0.02);
        let mut clip = flat.clone();
        for frame in 0..clip.num_frames() {
            clip.root_mut().set(frame, tilt * flat.root().get(frame) + Vec3::Y * 0.01);
            clip.set_rotation(0, frame, tilt * flat.rotation(0, frame));
        }
        let found = contacts(&clip);
        assert!((found.floor.slope[1] - 0.02).abs() < 2e-3, "{:?}", found.floor);
        let planted = plant(&clip, &found);
        let feet = find_feet(clip.skeleton()).unwrap();
        let poses = planted.clip.model_poses();
        let mut heights = Vec::new();
        for (foot, contact) in feet.feet.iter().zip(&found.feet) {
            heights.extend(contact.toe.iter().map(|r| foot.toe.position(&poses[(r.start + r.end) / 2]).y));
        }
        let spread =
            heights.iter().fold(f32::MIN, |a, &b| a.max(b)) - heights.iter().fold(f32::MAX, |a, &b| a.min(b));
        assert!(spread < 2e-3, "{heights:?}");
        for pose in &poses {
            for (joint, rest) in clip.skeleton().joints().iter().enumerate().skip(1) {
                let length = (pose.positions[joint] - pose.positions[rest.parent.unwrap()]).length();
                assert!((length - rest.offset.length()).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn nothing_above_the_hips_turns_and_no_knee_pops() {
        let clip = skating(120.0, 0.1);
        let planted = plant(&clip, &contacts(&clip));
        for frame in 0..clip.num_frames() {
            for joint in 0..3 {
                assert_eq!(clip.rotation(joint, frame), planted.clip.rotation(joint, frame));
            }
        }
        let r = &planted.report;
        // The walker's own swings give its knees 10,000 °/s²; correcting may add as much again, a pop is ten times that.
        assert!(r.knee_acceleration_after < 2.0 * r.knee_acceleration_before + 2000.0, "{r:?}");
        assert!(r.hip_shift_mm < 60.0 && r.miss_mm < 1.0, "{r:?}");
    }

    #[test]
    fn a_toe_under_the_floor_in_swing_is_lifted() {
        let clip = Walk::default().clip(60.0);
        let found = contacts(&clip);
        let mut deep = clip.clone();
        let toe_swing = found.feet[0].toe[0].end + 11;
        let foot = find_feet(clip.skeleton()).unwrap().feet[0].ankle;
        for frame in toe_swing - 2..toe_swing + 3 {
            let q = deep.rotation(foot, frame) * Quat::from_rotation_x(1.2);
            deep.set_rotation(foot, frame, q);
            let sunk = deep.root().get(frame) - Vec3::Y * 0.05;
            deep.root_mut().set(frame, sunk);
        }
        let planted = plant(&deep, &found);
        assert!(planted.report.penetration_before_mm > 5.0, "{:?}", planted.report);
        assert!(planted.report.penetration_after_mm < 0.5, "{:?}", planted.report);
    }

    #[test]
    fn an_added_tpose_and_a_wish_to_stop_are_respected() {
        let clip = skating(60.0, 0.1);
        let mut poses: Vec<_> = (0..clip.num_frames()).map(|f| clip.pose(f)).collect();
        poses.insert(0, ugoki_base::pose::Pose::rest(clip.skeleton()));
        let mut with = Clip::from_poses(clip.skeleton().clone(), 60.0, &poses).unwrap();
        with.tpose_frame = true;
        let planted = plant(&with, &contacts(&with));
        assert_eq!(planted.clip.pose(0), with.pose(0));
        let stopped =
            plant_feet(&clip, &contacts(&clip), &PlantConfig::default(), &mut |_| ControlFlow::Break(()));
        assert_eq!(stopped, Err(PlantError::Cancelled(Cancelled)));
    }
}
