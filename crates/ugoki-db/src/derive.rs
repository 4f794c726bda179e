//! From a clip as it came to the form on the database's skeleton and rate, and what is known about it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use ugoki::Progress;
use ugoki::clip::{Clip, PackedClip};
use ugoki::contact::{ContactConfig, Contacts, find_contacts};
use ugoki::job::db::Measures;
use ugoki::pose::Pose;
use ugoki::retarget::{RetargetConfig, RetargetError, retarget};
use ugoki::skeleton::{Role, Skeleton};

use crate::Error;
use crate::describe::describe;
use crate::given::{Feet, on_derived};

/// Goes up when derived forms, contacts, measures or automatic tags come out differently: older ones are made again
/// from the source.
pub const DERIVED_VERSION: i64 = 5;

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

/// The clip on `skeleton` at `fps`, without its T-pose frame. Frames in which nothing was captured hold the pose beside
/// them, so that every frame keeps its time.
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
        Err(ugoki::clip::ClipError::Cancelled(_)) => return Err(Error::Cancelled),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let known = same_body(&resampled, skeleton);
    let resampled = known.unwrap_or(resampled);
    let (moved, warning) = match retarget(&resampled, skeleton, &RetargetConfig::default(), progress) {
        Ok(moved) => (moved.clip, moved.report.warning()),
        Err(RetargetError::Cancelled(_)) => return Err(Error::Cancelled),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let motion = moved.motion_frames();
    if motion.is_empty() {
        return Ok(Err("it has no frames of motion".to_owned()));
    }
    let mut warnings: Vec<String> = warning.map(str::to_owned).into_iter().collect();
    warnings.extend(lost.iter().map(|lost| {
        format!(
            "frames {} to {} hold nothing that was captured: on the database's skeleton they hold the pose beside them, \
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

/// The clip on `skeleton` as it is, if its own is the same body with its joints in another order, rounded or named
/// otherwise, as files are that were exported from a database; `None` for any other.
fn same_body(clip: &Clip, skeleton: &Arc<Skeleton>) -> Option<Clip> {
    let own = clip.skeleton();
    if own.fingerprint() == skeleton.fingerprint()
        || own.num_joints() != skeleton.num_joints()
        || !clip.translations().is_empty()
    {
        return None;
    }
    let role = |body: &Skeleton, joint: Option<usize>| joint.map(|joint| body.joint(joint).role);
    let mut from = Vec::with_capacity(skeleton.num_joints());
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let other = own.find(joint.role?)?;
        let near = own.joint(other).offset.distance(joint.offset) <= SAME_OFFSET_M || index == 0;
        if !near || (index == 0) != (other == 0) {
            return None;
        }
        if role(own, own.parent(other)) != role(skeleton, joint.parent) {
            return None;
        }
        from.push(other);
    }
    let mut out = Clip::at_rest(skeleton.clone(), clip.fps(), clip.num_frames()).ok()?;
    (out.name, out.tags, out.tpose_frame) = (clip.name.clone(), clip.tags.clone(), clip.tpose_frame);
    let mut pose = Pose::rest(skeleton);
    for frame in 0..clip.num_frames() {
        pose.root = clip.root().get(frame);
        for (rotation, &other) in pose.rotations.iter_mut().zip(&from) {
            *rotation = clip.rotation(other, frame);
        }
        out.set_pose(frame, &pose);
    }
    out.align_signs();
    Some(out)
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
        Err(ugoki::clip::PackError::Cancelled(_)) => return Err(Error::Cancelled),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let mut contacts = find_contacts(&moved, &ContactConfig::default()).ok();
    let description = match captured == (0..moved.num_frames()) {
        true => describe(&moved, contacts.as_ref()),
        false => moved.trimmed(captured.clone()).ok().and_then(|seen| {
            describe(&seen, contacts.as_ref().map(|contacts| within(contacts, &captured)).as_ref())
        }),
    };
    // Measures and tags are of the motion; what the file marks may leave out steps.
    if let (Some(contacts), Some(given)) = (&mut contacts, given) {
        contacts.feet = on_derived(given, clip, &moved);
    }
    let (measures, tags) = description.map(|d| (Some(d.measures), d.tags)).unwrap_or_default();
    warnings.extend(absent_parts(clip.skeleton()));
    Ok(Ok(Derived { packed, contacts, measures, tags, warnings }))
}

/// Contacts as seen from a stretch of their clip.
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
