//! From a clip as it came to the form on the database's skeleton and rate, and what is known about it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::Measures;
use glam::Quat;
use ugoki_base::Progress;
use ugoki_base::clip::{Clip, PackedClip};
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};
use ugoki_feet::contact::{ContactConfig, Contacts, find_contacts, find_feet};
use ugoki_formats::gltf::vrma_body;
use ugoki_motion::retarget::{RetargetConfig, RetargetError, retarget};

use crate::Error;
use crate::describe::describe;
use crate::provenance::{Feet, on_derived};

/// Goes up when derived forms, contacts, measures or automatic tags come out differently: older ones are made again
/// from the source.
pub const DERIVED_VERSION: i64 = 6;

/// What is derived from a clip.
#[derive(Debug, Clone)]
pub(crate) struct Derived {
    pub(crate) packed: PackedClip,
    pub(crate) contacts: Option<Contacts>,
    pub(crate) measures: Option<Measures>,
    pub(crate) tags: Vec<String>,
    /// What the user should look at.
    pub(crate) warnings: Vec<String>,
}

/// A derived form, or why there is none.
pub(crate) type Outcome = Result<Derived, String>;

/// A clip on the database's skeleton.
pub(crate) struct Moved {
    pub(crate) clip: Clip,
    /// Frames that were captured: measures and tags leave out what stands before and after them.
    captured: Range<usize>,
    /// What the user should look at.
    warnings: Vec<String>,
}

/// The clip on `skeleton` at `fps`, without its T-pose frame. Frames in which nothing was captured hold the pose next
/// to them, so that every frame keeps its time.
pub(crate) fn on_skeleton(
    clip: &Clip,
    skeleton: &Arc<Skeleton>,
    fps: f64,
    progress: Progress<'_>,
) -> Result<Result<Moved, String>, Error> {
    let lost = clip.dropouts();
    let mut held = Cow::Borrowed(clip);
    if !lost.is_empty() {
        held.to_mut().hold_through(&lost);
    }
    // First the rate: half the frames of most captures need not be moved.
    let resampled = match held.resampled_with(fps, progress) {
        Ok(clip) => clip,
        Err(ugoki_base::clip::ClipError::Cancelled(_)) => return Err(Error::Cancelled),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let known = same_body(&resampled, skeleton);
    let resampled = known.unwrap_or(resampled);
    let (moved, mut warnings) = match retarget(&resampled, skeleton, &RetargetConfig::default(), progress) {
        Ok(moved) => (moved.clip, moved.report.notes()),
        Err(RetargetError::Cancelled(_)) => return Err(Error::Cancelled),
        Err(error) => {
            return Ok(Err(match error.hint() {
                Some(hint) => format!("{error}; {hint}"),
                None => error.to_string(),
            }));
        }
    };
    let motion = moved.motion_frames();
    if motion.is_empty() {
        return Ok(Err("it has no frames of motion".to_owned()));
    }
    warnings.extend(lost.iter().map(|lost| {
        format!(
            "frames {} to {} hold nothing that was captured: on the database's skeleton they hold the adjacent pose, \
             and measures and tags leave them out [dropout]",
            lost.start,
            lost.end - 1
        )
    }));
    match moved.trimmed(motion) {
        Ok(mut moved) => {
            moved.tpose_frame = false;
            moved.set_source(None);
            let captured = captured(clip, &lost, &moved);
            Ok(Ok(Moved { clip: moved, captured, warnings }))
        }
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// How far a joint may be from where the database's skeleton has it, metres: what text files round to.
const SAME_OFFSET_M: f32 = 1e-5;

/// The clip on `skeleton` as it is, if its own is the same body with its joints in another order, rounded, named
/// otherwise, in T-pose or with another face, as files are that were exported from a database; `None` for any other.
fn same_body(clip: &Clip, skeleton: &Arc<Skeleton>) -> Option<Clip> {
    let own = clip.skeleton();
    let moves = clip.translations().iter().any(|path| !own.joint(path.joint).is_expression);
    if own.fingerprint() == skeleton.fingerprint() || moves {
        return None;
    }
    // VRMA's rest pose is the T-pose, whatever ours is: its rotations are others, for the same places.
    let (from, turns) = match same_joints(own, skeleton) {
        Some(from) => (from, None),
        None => {
            let body = vrma_body(skeleton)?;
            (same_joints(own, &body.skeleton)?, Some(body.turns))
        }
    };
    let mut out = Clip::at_rest(skeleton.clone(), clip.fps(), clip.num_frames()).ok()?;
    (out.name, out.tags, out.tpose_frame) = (clip.name.clone(), clip.tags.clone(), clip.tpose_frame);
    let mut pose = Pose::rest(skeleton);
    for frame in 0..clip.num_frames() {
        pose.root = clip.root().get(frame);
        pose.translations.clear();
        for (joint, &other) in from.iter().enumerate() {
            let Some(other) = other else { continue };
            if skeleton.joint(joint).is_expression {
                pose.translations.push((joint, clip.local_position(other, frame)));
                continue;
            }
            let mut rotation = clip.rotation(other, frame);
            if let Some(turns) = &turns {
                // With R = W·T in the world, R(parent)⁻¹·R(joint) = T(parent)⁻¹ · own · T(joint).
                let above = skeleton.parent(joint).map_or(Quat::IDENTITY, |parent| turns[parent]);
                rotation = (above.conjugate() * rotation * turns[joint]).normalize();
            }
            pose.rotations[joint] = rotation;
        }
        out.set_pose(frame, &pose);
    }
    out.align_signs();
    Some(out)
}

/// The joint of `own` for each of `body`, if both are the same body; faces may differ, and of an expression that `own`
/// lacks there is none.
fn same_joints(own: &Skeleton, body: &Skeleton) -> Option<Vec<Option<usize>>> {
    let num_places = |skeleton: &Skeleton| skeleton.num_joints() - skeleton.expressions().count();
    if num_places(own) != num_places(body) {
        return None;
    }
    let role = |body: &Skeleton, joint: Option<usize>| joint.map(|joint| body.joint(joint).role);
    let mut from = Vec::with_capacity(body.num_joints());
    for (index, joint) in body.joints().iter().enumerate() {
        if joint.is_expression {
            from.push(own.find_expression(&joint.name));
            continue;
        }
        let other = own.find(joint.role?)?;
        let near = own.joint(other).offset.distance(joint.offset) <= SAME_OFFSET_M || index == 0;
        if !near || (index == 0) != (other == 0) {
            return None;
        }
        if role(own, own.parent(other)) != role(body, joint.parent) {
            return None;
        }
        from.push(Some(other));
    }
    Some(from)
}

/// The frames of `moved` between what was lost at the start and at the end of `clip`.
fn captured(clip: &Clip, lost: &[Range<usize>], moved: &Clip) -> Range<usize> {
    let motion = clip.motion_frames();
    let start = lost.first().filter(|lost| lost.start == motion.start).map_or(motion.start, |lost| lost.end);
    let end = lost.last().filter(|lost| lost.end == motion.end).map_or(motion.end, |lost| lost.start);
    let frame = |frame: usize| (frame - motion.start) as f64 * moved.fps() / clip.fps();
    let (start, end) = (frame(start).ceil() as usize, (frame(end).floor() as usize).min(moved.num_frames()));
    // The last frame stands for the time after it too, so a whole clip stays whole.
    let end = if lost.last().is_some_and(|lost| lost.end == motion.end) { end } else { moved.num_frames() };
    if start < end { start..end } else { 0..moved.num_frames() }
}

/// Everything that is derived from a clip; contacts `given` with it, in its own frames, go before those found.
pub(crate) fn derive(
    clip: &Clip,
    given: Option<&Feet>,
    skeleton: &Arc<Skeleton>,
    fps: f64,
    progress: Progress<'_>,
) -> Result<Outcome, Error> {
    let Moved { clip: mut moved, captured, mut warnings } = match on_skeleton(clip, skeleton, fps, progress)?
    {
        Ok(moved) => moved,
        Err(reason) => return Ok(Err(reason)),
    };
    // Names and tags may change; they are kept in their tables only.
    moved.name.clear();
    moved.tags.clear();
    let packed = match PackedClip::pack(&moved, progress) {
        Ok(packed) => packed,
        Err(ugoki_base::clip::PackError::Cancelled(_)) => return Err(Error::Cancelled),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let mut contacts = find_contacts(&moved, &ContactConfig::default()).ok();
    let description = match captured == (0..moved.num_frames()) {
        true => describe(&moved, contacts.as_ref()),
        false => moved.trimmed(captured.clone()).ok().and_then(|seen| {
            describe(&seen, contacts.as_ref().map(|contacts| within(contacts, &captured)).as_ref())
        }),
    };
    if let Some(contacts) = &mut contacts {
        lift_heels(contacts, &moved);
    }
    // Measures and tags are of the motion; what the file marks may leave out steps.
    if let (Some(contacts), Some(given)) = (&mut contacts, given) {
        contacts.feet = on_derived(given, clip, &moved);
    }
    let (measures, tags) = description.map(|d| (Some(d.measures), d.tags)).unwrap_or_default();
    warnings.extend(absent_parts(clip.skeleton()));
    Ok(Ok(Derived { packed, contacts, measures, tags, warnings }))
}

/// An ankle this much higher over its toe than in the rest pose is on tiptoe, metres for a leg of 0.85 m: contacts are
/// found within 3.5 cm, and feet that roll off stay in them for a moment more.
const TIPTOE_M: f64 = 0.05;

/// Takes out the frames of heel contacts in which the foot is on tiptoe. Contacts are found by what a capture shows,
/// and a foot that is on tiptoe all the time shows no other flat foot; the database's skeleton stands flat in its rest
/// pose.
fn lift_heels(contacts: &mut Contacts, clip: &Clip) {
    let Ok(feet) = find_feet(clip.skeleton()) else { return };
    let rest = forward_kinematics(clip.skeleton(), &Pose::rest(clip.skeleton()));
    let (mut pose, mut model) = (Pose::rest(clip.skeleton()), ModelPose::default());
    for (foot, on) in feet.feet.iter().zip(&mut contacts.feet) {
        let over = |pose: &ModelPose| f64::from(pose.positions[foot.ankle].y - foot.toe.position(pose).y);
        let most = over(&rest) + TIPTOE_M * feet.scale();
        let mut down: Vec<Range<usize>> = Vec::with_capacity(on.heel.len());
        for range in &on.heel {
            let mut from = None;
            for frame in range.clone() {
                clip.pose_into(frame, &mut pose);
                forward_kinematics_into(clip.skeleton(), &pose, &mut model);
                if over(&model) <= most {
                    from.get_or_insert(frame);
                } else if let Some(from) = from.take() {
                    down.push(from..frame);
                }
            }
            down.extend(from.map(|from| from..range.end));
        }
        on.heel = down;
    }
}

/// Contacts relative to an interval of their clip.
fn within(contacts: &Contacts, frames: &Range<usize>) -> Contacts {
    let list = |ranges: &[Range<usize>]| -> Vec<Range<usize>> {
        let cut = |on: &Range<usize>| {
            on.start.max(frames.start) - frames.start..on.end.min(frames.end).max(frames.start) - frames.start
        };
        ranges.iter().map(cut).filter(|on| !on.is_empty()).collect()
    };
    let mut contacts = contacts.clone();
    for foot in &mut contacts.feet {
        (foot.heel, foot.toe) = (list(&foot.heel), list(&foot.toe));
    }
    contacts
}

/// Says which parts of a body the skeleton has not, as marker sets of the legs alone: they stay at rest.
fn absent_parts(skeleton: &Skeleton) -> Option<String> {
    const PARTS: [(&str, &[Role]); 2] = [
        ("arms", &[Role::LeftUpperArm, Role::RightUpperArm, Role::LeftLowerArm, Role::RightLowerArm]),
        ("head", &[Role::Head, Role::Neck]),
    ];
    let absent = |roles: &[Role]| roles.iter().all(|&role| skeleton.find(role).is_none());
    let parts: Vec<&str> = PARTS.iter().filter(|(_, roles)| absent(roles)).map(|(part, _)| *part).collect();
    (!parts.is_empty()).then(|| {
        let parts = parts.join(" and no ");
        format!("the capture has no {parts}: these stay as they are in the rest pose [part-absent]")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On tiptoe through the whole clip, no heel stands; flat, nothing changes.
    #[test]
    fn heels_on_tiptoe_do_not_stand() {
        let clip = ugoki_sample::clip("idle").unwrap();
        let feet = find_feet(clip.skeleton()).unwrap();
        let found = find_contacts(&clip, &ContactConfig::default()).unwrap();
        let mut flat = found.clone();
        lift_heels(&mut flat, &clip);
        assert_eq!(flat, found);
        assert!(found.feet.iter().all(|foot| !foot.heel.is_empty()));
        let mut tiptoe = clip.clone();
        for foot in &feet.feet {
            for frame in 0..clip.num_frames() {
                let q = clip.rotation(foot.ankle, frame) * Quat::from_rotation_x(0.6);
                tiptoe.set_rotation(foot.ankle, frame, q);
            }
        }
        let mut up = found.clone();
        lift_heels(&mut up, &tiptoe);
        assert!(up.feet.iter().all(|foot| foot.heel.is_empty()), "{:?}", up.feet);
        assert_eq!([&up.feet[0].toe, &up.feet[1].toe], [&found.feet[0].toe, &found.feet[1].toe]);
    }
}
