//! Contact labels carried from the sources: cut to the frames that are used, brought together over seams.

use std::ops::Range;

use glam::{DVec3, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::pose::ModelPose;
use ugoki_feet::contact::{Contacts, Feet};
use ugoki_feet::feet::{FootPath, PlantConfig, standing_contacts};

use super::Part;
use super::ground::ONE_PLACE_M;

/// Labels of both feet over all parts one after another, whose feet move along `paths`. A heel or toe that stands within `near` frames of a
/// seam on both sides stands through it when its places are near each other.
pub(super) fn joined_labels(
    parts: &[Part<'_>],
    paths: [&FootPath; 2],
    near: usize,
    scale: f64,
) -> [FootContacts; 2] {
    [0, 1].map(|side: usize| {
        let all = |heel: bool| {
            let points = paths[side].point(heel);
            let (mut out, mut start) = (Vec::new(), 0);
            for part in parts {
                let foot = part.contacts.map(|contacts| &contacts.feet[side]);
                let list = foot.map_or(&[][..], |foot| if heel { &foot.heel } else { &foot.toe });
                let cut = list.iter().map(|range| {
                    let inside = range.start.max(part.frames.start)..range.end.min(part.frames.end);
                    inside.start.saturating_sub(part.frames.start) + start
                        ..inside.end.saturating_sub(part.frames.start) + start
                });
                let mut cut = cut.filter(|range| !range.is_empty());
                if let Some(first) = cut.next() {
                    join_over_seam(&mut out, first, points, near, scale);
                }
                out.extend(cut);
                start += part.frames.len();
            }
            out
        };
        one_flat_run(FootContacts { heel: all(true), toe: all(false) })
    })
}

/// Adds the first label after a seam.
fn join_over_seam(
    out: &mut Vec<Range<usize>>,
    mut first: Range<usize>,
    points: &[DVec3],
    near: usize,
    scale: f64,
) {
    if let Some(last) = out.last_mut() {
        if first.start - last.end <= near
            && points[first.start].distance(points[last.end - 1]) <= ONE_PLACE_M * scale
        {
            last.end = first.end;
            return;
        }
        // Two stances have a frame between them.
        first.start += usize::from(first.start == last.end);
    }
    if !first.is_empty() {
        out.push(first);
    }
}

/// A heel that lifts and comes down again within one stance keeps its longest label only: the toe holds the foot meanwhile.
fn one_flat_run(mut foot: FootContacts) -> FootContacts {
    for stance in foot.any() {
        let inside = |heel: &&Range<usize>| stance.contains(&heel.start);
        let longest = foot.heel.iter().filter(inside).max_by_key(|heel| heel.len()).cloned();
        foot.heel.retain(|heel| !inside(&heel) || Some(heel) == longest.as_ref());
    }
    foot
}

/// Whether a foot stands through all of the middle one of some repeats.
pub(in crate::edit) fn stands_through(foot: &FootContacts, period: usize, repeats: usize) -> bool {
    let start = repeats / 2 * period;
    foot.any().iter().any(|stance| stance.start <= start && stance.end >= start + period)
}

/// A foot that stands through a whole repeat stands through all: its heel and toe as one, those of them that stand for at least half of the time, so that
/// every repeat has it in the same place.
pub(super) fn through(foot: FootContacts, period: usize, repeats: usize) -> FootContacts {
    if !stands_through(&foot, period, repeats) {
        return foot;
    }
    let all = 0..repeats * period;
    let mostly = |list: &[Range<usize>]| 2 * list.iter().map(Range::len).sum::<usize>() >= all.len();
    let (heel, toe) = (mostly(&foot.heel), mostly(&foot.toe));
    let label = |set: bool| if set { vec![all.clone()] } else { Vec::new() };
    // One of them at least holds the foot.
    FootContacts { heel: label(heel), toe: label(toe || !heel) }
}

/// The parts of a clip's contacts in which heels and toes truly stand, without those that slide on purpose, and how many slide. Landing and
/// rolling off also have labels; held still, they would bend knees by 20° (`docs/methods/plant.md`, step 2).
#[must_use]
pub fn standing_labels(clip: &Clip, contacts: &Contacts, feet: &Feet) -> (Contacts, usize) {
    let mut kept = standing_contacts(clip, contacts).unwrap_or_else(|_| contacts.clone());
    let mut slides = 0;
    let far = PlantConfig::default().slide_m * feet.scale();
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
        check(&mut labels.heel, &|pose| pose.positions[foot.ankle]);
        check(&mut labels.toe, &|pose| foot.toe.position(pose));
    }
    (kept, slides)
}
