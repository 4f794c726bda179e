//! A whole clip: pose by pose, then the feet that stand are held.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::math::{angle_between, median};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Side, Skeleton, is_t_pose};
use ugoki_base::{Progress, report};
use ugoki_feet::contact::{ContactConfig, Contacts, Foot, find_contacts, find_feet};
use ugoki_feet::feet::config::REPORT_EVERY;
use ugoki_feet::feet::standing_contacts;

use super::apart::set_apart;
use super::build::{MAX_RISE, Rule};
use super::hold::hold;
use super::level::{TELLING_S, level, stands_at};
use super::limbs::feet as feet_of;
use super::still::add_still_feet;
use super::{
    Held, Retarget, RetargetConfig, RetargetError, RetargetReport, RetargetScratch, Stance, Whose,
    build_retarget, retarget_pose_into,
};

/// A clip on its new skeleton and what was done.
#[derive(Debug, Clone)]
pub struct Retargeted {
    /// The clip on the target's skeleton, at the source's rate.
    pub clip: Clip,
    /// What was done.
    pub report: RetargetReport,
}

/// A joint that turns by less than this over a motion is rigid, radians: 0.1°, what two decimals of a file round off.
const RIGID: f32 = 1.7e-3;

/// Moves a clip onto another skeleton: rest poses matched, travel in proportion to the legs, the floor at y = 0, feet
/// that stand held. A clip already on that skeleton is returned as it is.
///
/// The source's stance is taken from the clip ([`Stance::from_clip`]), the target's from its rest pose; with a
/// target whose rest pose is no body, build the map from a clip on it and use [`retarget_with`].
///
/// # Errors
/// When hips or legs of either are not known, a stance cannot be found, or the caller asks to stop.
pub fn retarget(
    clip: &Clip,
    target: &Arc<Skeleton>,
    config: &RetargetConfig,
    progress: Progress<'_>,
) -> Result<Retargeted, RetargetError> {
    let source = Stance::clip(clip, Whose::Source)?;
    let target =
        if **target == **clip.skeleton() { source.clone() } else { Stance::rest(target, Whose::Target)? };
    retarget_with(&build_retarget(&source, &target)?, clip, config, progress)
}

/// [`retarget`] onto the skeleton of another clip, whose motion shows how that body stands.
///
/// # Errors
/// As [`retarget`].
pub fn retarget_onto(
    clip: &Clip,
    target: &Clip,
    config: &RetargetConfig,
    progress: Progress<'_>,
) -> Result<Retargeted, RetargetError> {
    onto(clip, target, &OnceCell::new(), config, progress)
}

/// [`retarget_onto`]; contacts of the target are found once, and kept in `seen`.
fn onto(
    clip: &Clip,
    target: &Clip,
    seen: &OnceCell<Option<Contacts>>,
    config: &RetargetConfig,
    progress: Progress<'_>,
) -> Result<Retargeted, RetargetError> {
    let mut map = build_retarget(&Stance::clip(clip, Whose::Source)?, &Stance::clip(target, Whose::Target)?)?;
    let find = || find_contacts(target, &ContactConfig::default()).ok();
    if map.same_rig
        && let Ok(feet) = find_feet(target.skeleton())
        && let Some(contacts) = seen.get_or_init(find)
    {
        let seen = [0, 1].map(|side| flat_rise(target, &feet.feet[side], &contacts.feet[side]));
        map.flat_rises = [0, 1].map(|side| seen[side].or(map.flat_rises[side]));
        keep_rigid_joints(&mut map, clip, target);
    }
    retarget_with(&map, clip, config, progress)
}

/// The motion on `target`, a skeleton in T-pose, unless its own skeleton rests in one: then `None`. Receivers of live motion expect
/// a T-pose.
///
/// # Errors
/// As [`retarget`].
pub fn retarget_onto_t_pose(
    clip: &Clip,
    target: &Arc<Skeleton>,
    progress: Progress<'_>,
) -> Result<Option<Retargeted>, RetargetError> {
    if is_t_pose(clip.skeleton(), &clip.skeleton().rest_positions()) {
        return Ok(None);
    }
    let map = build_retarget(&Stance::from_clip(clip)?, &Stance::from_rest(target)?)?;
    retarget_with(&map, clip, &RetargetConfig::default(), progress).map(Some)
}

/// Clips on the first one's skeleton; those that were on another are owned.
///
/// # Errors
/// As [`retarget`], with the index of the clip at fault.
pub fn retarget_onto_first<'a>(
    clips: &[&'a Clip],
    progress: Progress<'_>,
) -> Result<Vec<Cow<'a, Clip>>, (usize, RetargetError)> {
    let seen = OnceCell::new();
    let one = |(index, &clip): (usize, &&'a Clip)| {
        if **clip.skeleton() == **clips[0].skeleton() {
            return Ok(Cow::Borrowed(clip));
        }
        let progress = &mut |part: f32| progress((index as f32 + part) / clips.len() as f32);
        let moved = onto(clip, clips[0], &seen, &RetargetConfig::default(), progress);
        moved.map(|moved| Cow::Owned(moved.clip)).map_err(|error| {
            let at_fault = if error.whose() == Some(Whose::Target) { 0 } else { index };
            (at_fault, error)
        })
    };
    clips.iter().enumerate().map(one).collect()
}

/// [`retarget`] with a map built before.
///
/// # Errors
/// When the clip is on another skeleton than the map's source, or the caller asks to stop.
pub fn retarget_with(
    map: &Retarget,
    clip: &Clip,
    config: &RetargetConfig,
    progress: Progress<'_>,
) -> Result<Retargeted, RetargetError> {
    if clip.num_joints() != map.source.num_joints() {
        let (found, expected) = (clip.num_joints(), map.source.num_joints());
        return Err(RetargetError::OtherSkeleton { found, expected });
    }
    let mut said = RetargetReport {
        unchanged: false,
        mapping: map.mapping().clone(),
        floor_m: 0.0,
        dropout_frames: 0,
        feet: None,
    };
    if *map.source == *map.target {
        said.unchanged = true;
        return Ok(Retargeted { clip: clip.clone(), report: said });
    }
    report(progress, 0.0)?;
    let dropouts = clip.dropouts();
    said.dropout_frames = dropouts.iter().map(Range::len).sum();
    let mut whole = Cow::Borrowed(clip);
    if !dropouts.is_empty() {
        whole.to_mut().hold_through(&dropouts);
    }
    let clip = &*whole;
    // At the target's size lengths mean the same everywhere below.
    let scaled = clip.scaled(map.scale as f32);
    let contacts = match config.hold_feet || config.find_floor {
        true => find_contacts(&scaled, &config.contact).ok(),
        false => None,
    };
    report(progress, 0.2)?;
    // What truly stands: not landing, not rolling off.
    let mut standing = contacts.and_then(|contacts| standing_contacts(&scaled, &contacts).ok());
    if let Some(standing) = &mut standing {
        add_still_feet(&scaled, standing);
    }
    let mut map = grounded(map, &scaled, standing.as_ref(), config);
    said.floor_m = map.ground.floor.height / map.scale;
    let mut raw = pose_by_pose(&map, clip, progress)?;
    if let Some(standing) = standing.as_ref().filter(|_| map.same_rig) {
        map = with_flat_feet(map, &raw, standing);
        raw = pose_by_pose(&map, clip, progress)?;
    }
    let Some(standing) = standing else { return Ok(Retargeted { clip: raw, report: said }) };
    let wider = match (config.hold_feet, find_feet(&map.target), find_feet(scaled.skeleton())) {
        (true, Ok(feet), Ok(source_feet)) => set_apart(&mut raw, &feet, &scaled, &source_feet),
        _ => 0.0,
    };
    let raise = match config.find_floor {
        true => level(&map, &mut raw, &scaled, &standing),
        false => [0.0; 2],
    };
    if !config.hold_feet {
        return Ok(Retargeted { clip: raw, report: said });
    }
    let (held, feet) = hold(&map, raw, &scaled, &standing, raise, config, progress)?;
    said.feet = feet.map(|feet| Held {
        stands_at: stands_at(&map, &held, &scaled, &standing),
        wider_mm: 1e3 * wider,
        ..feet
    });
    Ok(Retargeted { clip: held, report: said })
}

/// The map over the floor that the contacts show, with feet as flat as they are seen to stand.
fn grounded(map: &Retarget, scaled: &Clip, contacts: Option<&Contacts>, config: &RetargetConfig) -> Retarget {
    let map = map.clone();
    let (Some(contacts), Ok(feet)) = (contacts, find_feet(scaled.skeleton())) else { return map };
    let rest = scaled.skeleton().rest_positions();
    let mut ground = *map.ground();
    let mut map = map;
    let (mut sum, mut count) = (0.0, 0.0);
    for (i, side) in [Side::Left, Side::Right].into_iter().enumerate() {
        let foot = &feet.feet[i];
        let flat_m = flat_height(scaled, foot, &contacts.feet[i]).unwrap_or(contacts.flat_m[i]);
        // Without a flat frame the height is that of the rest pose, which the stance knows better.
        let at_rest = f64::from(rest[foot.ankle].y - rest[foot.toe.joint].y - foot.toe.offset.y);
        let seen = (flat_m / foot.length_m.max(flat_m.abs()).max(1e-9)).asin();
        if (flat_m - at_rest).abs() > 1e-9 && foot.length_m > 0.0 && map.may_be_flat(side, seen) {
            map = map.with_rise(side, seen);
            sum += flat_m;
            count += 1.0;
        }
        if let Some(seen) = toes_while_flat(&map, scaled, contacts, side) {
            map = map.with_toes(side, seen);
        }
    }
    if config.find_floor {
        ground.floor = contacts.floor;
        if count > 0.0 {
            ground.source_ankle_m = sum / count + contacts.floor.toe_clearance_m;
        }
    }
    map.with_ground(ground)
}

/// Joints without a role that never turn belong to the body, not to the motion: they stay as they are on the target.
fn keep_rigid_joints(map: &mut Retarget, clip: &Clip, target: &Clip) {
    let rigid = |clip: &Clip, joint: usize| {
        let frames = clip.motion_frames();
        let first = clip.rotation(joint, frames.start);
        frames
            .step_by(REPORT_EVERY / 16)
            .all(|frame| angle_between(clip.rotation(joint, frame), first) < RIGID)
    };
    if clip.motion_frames().is_empty() || target.motion_frames().is_empty() {
        return;
    }
    for joint in 0..target.num_joints() {
        let moves = map.target.joint(joint).role.is_some();
        if !moves && rigid(clip, joint) && rigid(target, joint) {
            map.rules[joint] = Rule::Rest(target.rotation(joint, target.motion_frames().start));
        }
    }
}

/// The map between two bodies of one rig, on which feet that are flat in the source are flat: how copied rotations put them is seen on
/// the result, not in a rest pose.
fn with_flat_feet(mut map: Retarget, raw: &Clip, contacts: &Contacts) -> Retarget {
    let Ok(feet) = find_feet(&map.target) else { return map };
    map.toe_m = contacts.floor.toe_clearance_m;
    let mut heights = Vec::new();
    for (side, foot) in feet.feet.iter().enumerate() {
        let Some(copied) = flat_rise(raw, foot, &contacts.feet[side]) else { continue };
        let flat = map.flat_rises[side].unwrap_or(copied);
        let lower = (copied - flat).clamp(-MAX_RISE, MAX_RISE);
        heights.push(foot.length_m * (copied - lower).sin() + map.toe_m);
        let left: Vec3 = flat_frames(&contacts.feet[side])
            .map(|frame| {
                let pose = raw.model_pose(frame);
                let line = foot.toe.position(&pose) - pose.positions[foot.ankle];
                pose.rotations[foot.ankle].conjugate() * Vec3::Y.cross(line).normalize_or_zero()
            })
            .sum();
        if let (Some(left), Rule::Copy { turn, .. }) = (left.try_normalize(), &mut map.rules[foot.ankle]) {
            // About the sole's left a negative angle turns the front up.
            *turn = (*turn * Quat::from_axis_angle(left, -lower as f32)).normalize();
        }
    }
    if !heights.is_empty() {
        map.ground.target_ankle_m = heights.iter().sum::<f64>() / heights.len() as f64;
    }
    map
}

/// How steeply an ankle stands over its toe while heel and toe stand, median, radians.
fn flat_rise(clip: &Clip, foot: &Foot, contacts: &FootContacts) -> Option<f64> {
    let height = flat_height(clip, foot, contacts).filter(|_| foot.length_m > 0.0)?;
    Some((height / foot.length_m).clamp(-1.0, 1.0).asin())
}

/// Frames of a flat foot that are looked at: enough for a median.
const FLAT_FRAMES: usize = 64;

/// Frames in which heel and toe of a foot stand, at most [`FLAT_FRAMES`].
fn flat_frames(contacts: &FootContacts) -> impl Iterator<Item = usize> {
    let flat: Vec<usize> = contacts.flat().into_iter().flatten().collect();
    let step = flat.len().div_ceil(FLAT_FRAMES).max(1);
    flat.into_iter().step_by(step)
}

/// Height of an ankle over its toe while heel and toe stand, median, metres.
fn flat_height(clip: &Clip, foot: &Foot, contacts: &FootContacts) -> Option<f64> {
    let frames: usize = contacts.flat().iter().map(Range::len).sum();
    let heights: Vec<f64> = flat_frames(contacts)
        .map(|frame| {
            let pose = clip.model_pose(frame);
            f64::from(pose.positions[foot.ankle].y - foot.toe.position(&pose).y)
        })
        .collect();
    median(&heights).filter(|_| frames as f64 >= TELLING_S * clip.fps())
}

/// How far the source's toes point up while heel and toes of their foot stand, median, radians: a capture's toes may hang
/// through the floor or be drawn bent.
fn toes_while_flat(map: &Retarget, clip: &Clip, contacts: &Contacts, side: Side) -> Option<f64> {
    let (toes, foot) =
        (clip.skeleton().find(feet_of(side).1)?, &contacts.feet[usize::from(side == Side::Right)]);
    let (mut pose, mut model) = (Pose::rest(clip.skeleton()), ModelPose::default());
    let mut seen = Vec::with_capacity(FLAT_FRAMES);
    for frame in flat_frames(foot) {
        clip.pose_into(frame, &mut pose);
        forward_kinematics_into(clip.skeleton(), &pose, &mut model);
        let front = map.toes_front(side, model.rotations[toes])?;
        seen.push(f64::from(front.y.clamp(-1.0, 1.0)).asin());
    }
    median(&seen)
}

/// Every frame by itself.
fn pose_by_pose(map: &Retarget, clip: &Clip, progress: Progress<'_>) -> Result<Clip, RetargetError> {
    let mut out = Clip::at_rest(Arc::clone(&map.target), clip.fps(), clip.num_frames())?;
    out.name.clone_from(&clip.name);
    out.tags.clone_from(&clip.tags);
    out.tpose_frame = clip.tpose_frame;
    let mut scratch = RetargetScratch::default();
    let (mut from, mut to) = (Pose::rest(&map.source), Pose::rest(&map.target));
    for frame in 0..clip.num_frames() {
        if frame % REPORT_EVERY == 0 {
            report(progress, 0.2 + 0.2 * frame as f32 / clip.num_frames() as f32)?;
        }
        clip.pose_into(frame, &mut from);
        retarget_pose_into(map, &from, &mut scratch, &mut to);
        out.set_pose(frame, &to);
    }
    out.align_signs();
    Ok(out)
}
