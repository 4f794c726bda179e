//! Feet that all blended clips plant stay where they are in the blend.
//!
//! Means of two planted feet slide: the legs that carry them are mixed joint by joint. Where every clip of
//! weight has a heel or toe in contact at corresponding frames, the blend is given that contact and `limb`
//! holds it: first the root's path gives way, then hips and knees follow smoothly. Where one clip has all the weight nothing is held, so that
//! clip comes back as it was captured.

use std::ops::Range;

use glam::{Vec2, Vec3};

use super::blend::HEAVY;
use super::blend_config::{BlendError, KeptContact};
use crate::clip::Clip;
use crate::contact::{ContactConfig, Contacts, Feet, FootContacts, find_contacts, find_feet};
use crate::limb::{PlantConfig, PlantError, plant_feet, standing_contacts};
use crate::{Cancelled, Progress};

/// Largest weight from which on a clip counts as the only one.
const ALONE: f32 = 0.999;
/// Shortest contact worth holding, seconds: a foot that only brushes the floor is not planted.
const SHORTEST_S: f64 = 0.05;
/// A blend may slide any distance and still be held: what the clips agree on is no slide on purpose.
const ANY_SLIDE_M: f64 = 10.0;

/// Half the time over which the root's shifts are smoothed, seconds: a third of a stance.
const FOLLOW_S: f64 = 0.15;
/// A foot is held when it slides less than this, metres: half of what is promised.
const STILL_M: f32 = 2.5e-3;
/// The plant solve lets go of the ends of stances that follow each other too closely for a large correction; what
/// is left is smaller, and another round holds it.
const MAX_ROUNDS: usize = 4;

/// Holds in `blended` what all of `clips` plant; gives the feet held. Skeletons without known legs keep all as it is.
pub(super) fn keep_contacts(
    blended: &mut Clip,
    clips: &[Clip],
    weights: &[Vec<f32>],
    progress: Progress<'_>,
) -> Result<Vec<KeptContact>, BlendError> {
    let Ok(feet) = find_feet(blended.skeleton()) else { return Ok(Vec::new()) };
    let mut each = Vec::with_capacity(clips.len());
    for clip in clips {
        let Ok(contacts) = find_contacts(clip, &ContactConfig::default()) else { return Ok(Vec::new()) };
        let Ok(standing) = standing_contacts(clip, &contacts) else { return Ok(Vec::new()) };
        each.push(standing);
    }
    let shortest = ((SHORTEST_S * blended.fps()).ceil() as usize).max(2);
    let side = |foot: usize| {
        let point = |of: fn(&FootContacts) -> &Vec<Range<usize>>| {
            let lists: Vec<&Vec<Range<usize>>> = each.iter().map(|c| of(&c.feet[foot])).collect();
            agreed(&lists, weights, blended.num_frames(), shortest)
        };
        FootContacts { heel: point(|c| &c.heel), toe: point(|c| &c.toe) }
    };
    let contacts = Contacts { feet: [side(0), side(1)], ..each[0].clone() };
    let slides = |clip: &Clip| -> Vec<KeptContact> {
        let poses = clip.model_poses();
        let mut list = Vec::new();
        for (foot, contact) in feet.feet.iter().zip(&contacts.feet) {
            let points =
                [(&contact.heel, foot.ankle, Vec3::ZERO), (&contact.toe, foot.toe.joint, foot.toe.offset)];
            for (ranges, joint, offset) in points {
                for range in ranges {
                    let path: Vec<Vec3> = range.clone().map(|f| poses[f].point(joint, offset)).collect();
                    let (start, end) = (range.start, range.end);
                    let joint = clip.skeleton().joint(joint).name.clone();
                    let slide_after_m = extent(&path);
                    list.push(KeptContact { joint, start, end, slide_before_m: 0.0, slide_after_m });
                }
            }
        }
        list
    };
    let before = slides(blended);
    if before.is_empty() {
        return Ok(before);
    }
    follow_feet(blended, &feet, &contacts);
    // The plant solve takes y = 0 for the floor when it lifts swinging feet; lower the floor to the lowest
    // point any foot has, so that it lifts none.
    let lowest = blended
        .model_poses()
        .iter()
        .flat_map(|pose| feet.feet.map(|foot| pose.positions[foot.ankle].y.min(foot.toe.position(pose).y)))
        .fold(f32::INFINITY, f32::min);
    raise(blended, -lowest);
    let config = PlantConfig {
        level: false,
        snap_m: 0.0,
        slide_m: ANY_SLIDE_M,
        whole: true,
        ..PlantConfig::default()
    };
    let mut kept = before.clone();
    for _ in 0..MAX_ROUNDS {
        match plant_feet(blended, &contacts, &config, progress) {
            Ok(planted) => *blended = planted.clip,
            Err(PlantError::Cancelled(Cancelled)) => return Err(BlendError::Cancelled(Cancelled)),
            // Legs without length cannot stand; the clip stays as it is.
            Err(PlantError::Contact(_)) => break,
        }
        kept = slides(blended);
        if kept.iter().all(|contact| contact.slide_after_m < STILL_M) {
            break;
        }
    }
    raise(blended, lowest);
    for (kept, before) in kept.iter_mut().zip(before) {
        kept.slide_before_m = before.slide_after_m;
    }
    Ok(kept)
}

/// Moves the root along the ground so that planted points stay where they are, as far as one shift can.
///
/// Each frame's shift is what the points planted in it and in the one before moved by, on the mean; the rest of the
/// time the root goes on as blended. The shifts are smoothed, and what that leaves is small enough for the legs.
fn follow_feet(blended: &mut Clip, feet: &Feet, contacts: &Contacts) {
    let num_frames = blended.num_frames();
    let poses = blended.model_poses();
    let mut shifts = vec![Vec3::ZERO; num_frames];
    for frame in 1..num_frames {
        let (mut sum, mut count) = (Vec3::ZERO, 0.0);
        for (foot, contact) in feet.feet.iter().zip(&contacts.feet) {
            for (ranges, joint, offset) in
                [(&contact.heel, foot.ankle, Vec3::ZERO), (&contact.toe, foot.toe.joint, foot.toe.offset)]
            {
                if ranges.iter().any(|range| range.contains(&frame) && range.contains(&(frame - 1))) {
                    sum -= poses[frame].point(joint, offset) - poses[frame - 1].point(joint, offset);
                    count += 1.0;
                }
            }
        }
        if count > 0.0 {
            shifts[frame] = Vec3::new(sum.x / count, 0.0, sum.z / count);
        }
    }
    let half = ((FOLLOW_S * blended.fps()).round() as isize).max(1);
    let weights: Vec<f32> =
        (-half..=half).map(|i| 1.0 + (std::f32::consts::PI * i as f32 / (half + 1) as f32).cos()).collect();
    let total: f32 = weights.iter().sum();
    let mut shift = Vec3::ZERO;
    for frame in 0..num_frames {
        let at = |i: isize| usize::try_from(frame as isize + i).ok().and_then(|f| shifts.get(f)).copied();
        let sum: Vec3 = (-half..=half).zip(&weights).filter_map(|(i, &w)| Some(at(i)? * w)).sum();
        shift += sum / total;
        let p = blended.root().get(frame) + shift;
        blended.root_mut().set(frame, p);
    }
}

/// Frames in which all clips of weight are in contact, in runs of at least `shortest`.
fn agreed(
    lists: &[&Vec<Range<usize>>],
    weights: &[Vec<f32>],
    num_frames: usize,
    shortest: usize,
) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for frame in 0..num_frames {
        let alone = weights.iter().any(|w| w[frame] >= ALONE);
        let all = lists
            .iter()
            .zip(weights)
            .all(|(ranges, w)| w[frame].abs() < HEAVY || ranges.iter().any(|range| range.contains(&frame)));
        if alone || !all {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.end == frame => run.end = frame + 1,
            _ => runs.push(frame..frame + 1),
        }
    }
    runs.retain(|run| run.len() >= shortest);
    runs
}

/// The longer side of the box a path keeps in along the ground, metres.
fn extent(path: &[Vec3]) -> f32 {
    let ground = || path.iter().map(|p| Vec2::new(p.x, p.z));
    let low = ground().fold(Vec2::INFINITY, Vec2::min);
    let high = ground().fold(Vec2::NEG_INFINITY, Vec2::max);
    if path.is_empty() { 0.0 } else { (high - low).max_element() }
}

fn raise(clip: &mut Clip, by: f32) {
    clip.root_mut().y.iter_mut().for_each(|y| *y += by);
}
