//! Contact labels carried from the sources: cut to the frames that are used, brought together over seams.

use std::ops::Range;

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::pose::ModelPose;
use ugoki_feet::contact::{Contacts, Feet, Foot};
use ugoki_feet::feet::standing_contacts;

/// A label whose point strays farther than this from its mean slides on purpose and is not kept, metres for a leg of 0.85 m; as
/// in planting.
const SLIDE_M: f64 = 0.08;
/// No swing of any gait is shorter, seconds: a foot that is off the ground for less only seems to be, and one that stands this near to a seam
/// stands there.
pub(super) const SWING_S: f64 = 0.15;
/// Places this near are one place at which the foot stays; farther ones need a step between them, metres for a leg of 0.85 m.
pub(super) const ONE_PLACE_M: f64 = 0.12;
/// How long a foot gets for such a step, seconds: a quick side step.
const STEP_S: f64 = 0.35;

/// One source's share in a joined clip.
pub(in crate::edit) struct Part<'a> {
    /// The clip, in its place.
    pub(in crate::edit) clip: &'a Clip,
    /// Its labels, or none.
    pub(in crate::edit) contacts: Option<&'a Contacts>,
    /// The frames of it that are used.
    pub(in crate::edit) frames: Range<usize>,
}

/// Labels of both feet over all parts one after another. A foot that stands on both sides of a seam is one stance when
/// its places are near each other; when they are not, its labels give way to a step.
pub(in crate::edit) fn labels(parts: &[Part<'_>], feet: &Feet) -> [FootContacts; 2] {
    [0, 1].map(|side| {
        let foot = &feet.feet[side];
        let heel = point_labels(
            parts,
            feet.scale(),
            |contacts| &contacts.feet[side].heel,
            |pose| pose.positions[foot.ankle],
        );
        let toe = point_labels(
            parts,
            feet.scale(),
            |contacts| &contacts.feet[side].toe,
            |pose| foot.toe.position(pose),
        );
        one_flat_run(FootContacts { heel, toe })
    })
}

fn point_labels<'a>(
    parts: &[Part<'a>],
    scale: f64,
    list: impl Fn(&'a Contacts) -> &'a Vec<Range<usize>>,
    point: impl Fn(&ModelPose) -> Vec3,
) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    // Place of the last label's end, to compare with where the next part's first label begins.
    let mut place: Option<Vec3> = None;
    let mut start = 0;
    for part in parts {
        let fps = part.clip.fps();
        let mut first = true;
        for range in part.contacts.map_or(&[][..], |contacts| list(contacts)) {
            let cut = range.start.max(part.frames.start)..range.end.min(part.frames.end);
            if cut.is_empty() {
                continue;
            }
            let moved = start + cut.start - part.frames.start..start + cut.end - part.frames.start;
            let here = point(&part.clip.model_pose(cut.start));
            let gap = out.last().map(|last| moved.start - last.end);
            let near = (SWING_S * fps).round() as usize;
            match (out.last_mut(), gap, place) {
                (Some(last), Some(gap), Some(there)) if first && start > 0 && gap <= near => {
                    if f64::from((here - there).length()) <= ONE_PLACE_M * scale {
                        last.end = moved.end;
                    } else {
                        let step = ((STEP_S * fps).round() as usize).saturating_sub(gap) / 2;
                        last.end = last.end.saturating_sub(step).max(last.start);
                        out.push((moved.start + step).min(moved.end)..moved.end);
                    }
                }
                _ => out.push(moved),
            }
            place = Some(point(&part.clip.model_pose(cut.end - 1)));
            first = false;
        }
        start += part.frames.len();
    }
    out.retain(|range| !range.is_empty());
    out
}

/// A heel that lifts and comes down again within one stance keeps its longest label only: the toe holds the foot meanwhile.
fn one_flat_run(mut foot: FootContacts) -> FootContacts {
    for stance in foot.any() {
        let longest = foot
            .heel
            .iter()
            .filter(|heel| stance.contains(&heel.start))
            .max_by_key(|heel| heel.len())
            .cloned();
        foot.heel.retain(|heel| !stance.contains(&heel.start) || Some(heel) == longest.as_ref());
    }
    foot
}

/// The parts of a clip's contacts in which heels and toes truly stand, without those that slide on purpose, and how many slide. Landing and
/// rolling off also have labels; held still, they would bend knees by 20° (`docs/methods/plant.md`, step 2).
#[must_use]
pub fn standing_labels(clip: &Clip, contacts: &Contacts, feet: &Feet) -> (Contacts, usize) {
    let mut kept = standing_contacts(clip, contacts).unwrap_or_else(|_| contacts.clone());
    let mut slides = 0;
    let far = SLIDE_M * feet.scale();
    let mut check = |list: &mut Vec<Range<usize>>, point: &dyn Fn(&ModelPose) -> Vec3| {
        list.retain(|range| {
            let places: Vec<Vec3> = range.clone().map(|frame| point(&clip.model_pose(frame))).collect();
            let mean = places.iter().sum::<Vec3>() / places.len().max(1) as f32;
            let stays = places.iter().all(|p| f64::from(p.distance(mean)) <= far);
            slides += usize::from(!stays);
            stays
        });
    };
    for (foot, labels) in feet.feet.iter().zip(&mut kept.feet) {
        let foot: &Foot = foot;
        check(&mut labels.heel, &|pose| pose.positions[foot.ankle]);
        check(&mut labels.toe, &|pose| foot.toe.position(pose));
    }
    (kept, slides)
}
