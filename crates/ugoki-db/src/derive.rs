//! From a clip as it came to the form on the database's skeleton and rate, and what is known about it.

use std::sync::Arc;

use ugoki::Progress;
use ugoki::clip::{Clip, PackedClip};
use ugoki::contact::{ContactConfig, Contacts, find_contacts};
use ugoki::job::db::Measures;
use ugoki::retarget::{RetargetConfig, RetargetError, retarget};
use ugoki::skeleton::{Role, Skeleton};

use crate::Error;
use crate::describe::describe;
use crate::given::{Feet, on_derived};

/// Goes up when derived forms, contacts, measures or automatic tags come out differently: older ones are made again
/// from the source.
pub const DERIVED_VERSION: i64 = 4;

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

/// The clip on `skeleton` at `fps`, without its T-pose frame.
pub(crate) fn on_skeleton(
    clip: &Clip,
    skeleton: &Arc<Skeleton>,
    fps: f64,
    progress: Progress<'_>,
) -> Result<Result<(Clip, Option<&'static str>), String>, Error> {
    // First the rate: half the frames of most captures need not be moved.
    let clip = match clip.resampled_with(fps, progress) {
        Ok(clip) => clip,
        Err(ugoki::clip::ClipError::Cancelled(_)) => return Err(Error::Cancelled),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let (moved, warning) = match retarget(&clip, skeleton, &RetargetConfig::default(), progress) {
        Ok(moved) => (moved.clip, moved.report.warning()),
        Err(RetargetError::Cancelled(_)) => return Err(Error::Cancelled),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let motion = moved.motion_frames();
    if motion.is_empty() {
        return Ok(Err("it has no frames of motion".to_owned()));
    }
    match moved.trimmed(motion) {
        Ok(mut moved) => {
            moved.tpose_frame = false;
            moved.set_source(None);
            Ok(Ok((moved, warning)))
        }
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// Everything that is derived from a clip; contacts `given` with it, in its own frames, go before those found.
pub(crate) fn derive(
    clip: &Clip,
    given: Option<&Feet>,
    skeleton: &Arc<Skeleton>,
    fps: f64,
    progress: Progress<'_>,
) -> Result<Outcome, Error> {
    let (mut moved, warning) = match on_skeleton(clip, skeleton, fps, progress)? {
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
    if let (Some(contacts), Some(given)) = (&mut contacts, given) {
        contacts.feet = on_derived(given, clip, &moved);
    }
    let description = describe(&moved, contacts.as_ref());
    let (measures, tags) = description.map(|d| (Some(d.measures), d.tags)).unwrap_or_default();
    let warnings = warning.map(str::to_owned).into_iter().chain(absent_parts(clip.skeleton())).collect();
    Ok(Ok(Derived { packed, contacts, measures, tags, warnings }))
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
