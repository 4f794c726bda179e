//! From labels to landmarks.

use std::collections::BTreeMap;

use glam::Vec3;

use super::label_map::{BodyWidths, LabelMap};
use super::landmark::{Landmark, Part, Place};
use super::points::Markers;
use super::sets::{SETS, Set};
use crate::skeleton::Side;

/// Which marker is what.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// Index of the marker and where it sits, in file order.
    pub landmarks: Vec<(usize, Landmark)>,
    /// Indices of the other markers.
    pub ignored: Vec<usize>,
    /// Whose names they are.
    pub set: String,
    /// The people in the file by the prefix of their labels, in file order; empty without prefixes.
    pub subjects: Vec<String>,
    /// Widths the user gave.
    pub body: BodyWidths,
}

/// Why labels do not tell where the markers are.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "{found} of {total} labels are known, too few for a body; {missing}; the labels are {labels}; known sets are {known}"
)]
pub struct UnknownLabels {
    /// Labels of the set that fits best.
    pub found: usize,
    /// Labels in the file.
    pub total: usize,
    /// What a body would need.
    pub missing: String,
    /// The labels of the file, shortened.
    pub labels: String,
    /// The sets that are known.
    pub known: String,
}

/// Finds out which marker is what: by the user's map, else by the set of names that explains most labels of the
/// person with the most markers.
///
/// # Errors
/// When no set gives a pelvis and a leg.
pub fn resolve(labels: &[String], map: Option<&LabelMap>) -> Result<Resolved, UnknownLabels> {
    resolve_subject(labels, map, None)
}

/// [`resolve`] for one of several people in a file, by the prefix of their labels.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_subject(
    labels: &[String],
    map: Option<&LabelMap>,
    subject: Option<&str>,
) -> Result<Resolved, UnknownLabels> {
    let subjects = subjects(labels);
    let wanted: Vec<Option<&str>> = match subject {
        Some(subject) => vec![Some(subject)],
        None if subjects.is_empty() => vec![None],
        None => subjects.iter().map(|subject| Some(subject.as_str())).collect(),
    };
    let mut best: Option<(usize, Resolved)> = None;
    for subject in wanted {
        for candidate in candidates(labels, map, subject) {
            let score =
                candidate.landmarks.len() + 1000 * usize::from(missing(&candidate.landmarks).is_none());
            if best.as_ref().is_none_or(|(known, _)| score > *known) {
                best = Some((score, Resolved { subjects: subjects.clone(), ..candidate }));
            }
        }
    }
    let Some((_, best)) = best else { return Err(unknown(labels, 0, "no labels")) };
    match missing(&best.landmarks) {
        None => Ok(best),
        Some(missing) => Err(unknown(labels, best.landmarks.len(), missing)),
    }
}

fn candidates(labels: &[String], map: Option<&LabelMap>, subject: Option<&str>) -> Vec<Resolved> {
    let Some(map) = map else {
        return SETS.iter().map(|set| by_names(labels, subject, set, None)).collect();
    };
    match map.base.and_then(|key| SETS.iter().find(|set| set.key == key)) {
        Some(set) => vec![by_names(labels, subject, set, Some(map))],
        None => vec![by_names(labels, subject, &Set { key: "", name: "", tables: &[] }, Some(map))],
    }
}

fn by_names(labels: &[String], subject: Option<&str>, set: &Set, map: Option<&LabelMap>) -> Resolved {
    let names = expand(set);
    let mut taken: Vec<Landmark> = Vec::new();
    let (mut landmarks, mut ignored) = (Vec::new(), Vec::new());
    for (index, label) in labels.iter().enumerate() {
        let is_theirs = subject.is_none_or(|subject| prefix(label) == Some(subject));
        let own = map.and_then(|map| map.markers.get(label).or_else(|| map.markers.get(bare(label))));
        let found = own.copied().or_else(|| forms(label).iter().find_map(|form| names.get(form).copied()));
        let found = found.filter(|found| is_theirs && (found.place.is_tracking() || !taken.contains(found)));
        match found {
            Some(landmark) => {
                taken.push(landmark);
                landmarks.push((index, landmark));
            }
            None => ignored.push(index),
        }
    }
    let set = match (map, set.name) {
        (None, name) => name.to_owned(),
        (Some(_), "") => "the given label map".to_owned(),
        (Some(_), name) => format!("the given label map and {name}"),
    };
    let body = map.map(|map| map.body).unwrap_or_default();
    Resolved { landmarks, ignored, set, subjects: Vec::new(), body }
}

/// Normalised names of a set with both sides.
fn expand(set: &Set) -> BTreeMap<String, Landmark> {
    let mut names = BTreeMap::new();
    for &(label, place) in set.tables.iter().copied().flatten() {
        let sides: &[(Option<Side>, &str)] = match place.is_sided() {
            true => &[(Some(Side::Left), "l"), (Some(Side::Right), "r")],
            false => &[(None, "")],
        };
        for (side, letter) in sides {
            // A middle place with a side in its name (LBAK, RBAK) is the same place.
            let letters: &[&str] =
                if label.contains('?') && side.is_none() { &["l", "r"] } else { &[letter] };
            for letter in letters {
                names.insert(normal(&label.replace('?', letter)), Landmark { place, side: *side });
            }
        }
    }
    names
}

/// Lower case, letters and digits only.
fn normal(label: &str) -> String {
    label.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The person's name before a colon.
fn prefix(label: &str) -> Option<&str> {
    label.rsplit_once(':').map(|(prefix, _)| prefix.trim()).filter(|prefix| !prefix.is_empty())
}

/// The label without a person's name.
fn bare(label: &str) -> &str {
    label.rsplit_once(':').map_or(label, |(_, bare)| bare).trim()
}

/// The spellings to look up, likeliest first: `LeftHeel` as `lheel`, `heel_l` as `lheel`, `Ann_LHEE` as `lhee`.
fn forms(label: &str) -> Vec<String> {
    let bare = bare(label);
    let mut forms = vec![normal(bare)];
    let lower = bare.to_lowercase();
    for (word, letter) in [("left", "l"), ("right", "r")] {
        if let Some(rest) = lower.strip_prefix(word) {
            forms.push(format!("{letter}{}", normal(rest)));
        }
        if let Some(rest) = lower.strip_suffix(word) {
            forms.push(format!("{letter}{}", normal(rest)));
        }
    }
    if let Some((front, side @ ("l" | "r"))) = lower.rsplit_once(['_', '.', ' ', '-']) {
        forms.push(format!("{side}{}", normal(front)));
    }
    if let Some((_, last)) = lower.split_once('_') {
        forms.push(normal(last));
    }
    forms
}

/// Prefixes of labels, in file order.
fn subjects(labels: &[String]) -> Vec<String> {
    let mut subjects: Vec<String> = Vec::new();
    for subject in labels.iter().filter_map(|label| prefix(label)) {
        if !subjects.iter().any(|known| known == subject) {
            subjects.push(subject.to_owned());
        }
    }
    // No capture has so many people: the colon is part of the names.
    if subjects.len() > 16 { Vec::new() } else { subjects }
}

/// What keeps these landmarks from being a body.
fn missing(landmarks: &[(usize, Landmark)]) -> Option<&'static str> {
    let has =
        |place: Place, side: Option<Side>| landmarks.iter().any(|(_, l)| l.place == place && l.side == side);
    let both = |place: Place| has(place, Some(Side::Left)) && has(place, Some(Side::Right));
    let back = has(Place::Sacrum, None) || both(Place::Psis);
    let hips = both(Place::HipCentre) || (both(Place::Asis) && back);
    let leg = |side: Side| {
        let any = |places: &[Place]| places.iter().any(|&place| has(place, Some(side)));
        let all = |places: &[Place]| places.iter().all(|&place| has(place, Some(side)));
        let knee = any(&[Place::KneeCentre, Place::KneeLateral])
            || all(&[Place::ThighUpper, Place::ThighFront, Place::ThighRear])
            || all(&[Place::ShankUpper, Place::ShankFront, Place::ShankRear]);
        let ankle = any(&[Place::AnkleCentre, Place::AnkleLateral])
            || all(&[Place::Heel, Place::MidfootTop, Place::MidfootSide]);
        knee && ankle
    };
    if !hips {
        Some("a pelvis is missing: both hip centres, or both ASIS with a sacrum or both PSIS")
    } else if !leg(Side::Left) && !leg(Side::Right) {
        Some("a leg is missing: a knee and an ankle on one side")
    } else {
        None
    }
}

fn unknown(labels: &[String], found: usize, missing: &str) -> UnknownLabels {
    let mut list = labels.iter().take(24).map(String::as_str).collect::<Vec<_>>().join(", ");
    if labels.len() > 24 {
        list.push_str(&format!(" and {} more", labels.len() - 24));
    }
    let known = SETS.iter().map(|set| set.name).collect::<Vec<_>>().join(", ");
    UnknownLabels { found, total: labels.len(), missing: missing.to_owned(), labels: list, known }
}

/// Unit direction from the feet to the pelvis and chest, the mean over the frames that show both; `None` when they
/// show it in every direction or not at all.
#[must_use]
pub fn up_direction(markers: &Markers, found: &Resolved) -> Option<Vec3> {
    let mut sum = Vec3::ZERO;
    let mut frames = 0;
    for frame in 0..markers.num_frames() {
        let mean = |parts: &[Part]| {
            let points = found.landmarks.iter().filter(|(_, l)| parts.contains(&l.place.part()));
            let points: Vec<Vec3> = points.filter_map(|(marker, _)| markers.get(*marker, frame)).collect();
            (!points.is_empty()).then(|| points.iter().sum::<Vec3>() / points.len() as f32)
        };
        let high = mean(&[Part::Chest, Part::Shoulder]).or_else(|| mean(&[Part::Pelvis]));
        if let (Some(low), Some(high)) = (mean(&[Part::Foot]).or_else(|| mean(&[Part::LowerLeg])), high) {
            sum += (high - low).normalize_or_zero();
            frames += 1;
        }
    }
    (frames > 0 && sum.length() > 0.5 * frames as f32).then(|| sum.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(names: &str) -> Vec<String> {
        names.split(' ').map(|name| name.replace('~', " ")).collect()
    }

    #[test]
    fn spellings_of_one_set_are_all_understood() {
        for names in [
            "LASI RASI SACR LKNE LANK",
            "lasi rasi sacr lkne lank",
            "Ann:LASI Ann:RASI Ann:SACR Ann:LKNE Ann:LANK",
            "Ann_LASI Ann_RASI Ann_SACR Ann_LKNE Ann_LANK",
            "L.ASIS R.ASIS V.Sacral L.Knee.Lat L.Ankle.Lat",
            "LeftHip RightHip nose left_knee Left~Ankle",
            "hip_l hip_r nose knee.l ankle-l",
        ] {
            let found = resolve(&labels(names), None).unwrap_or_else(|error| panic!("{names}: {error}"));
            assert_eq!(found.landmarks.len(), 5, "{names}: {found:?}");
        }
    }

    #[test]
    fn unknown_labels_are_refused_with_the_labels_and_the_sets() {
        let error = resolve(&labels("Ball1 Ball2 Ball3"), None).unwrap_err().to_string();
        assert!(error.contains("Ball1, Ball2, Ball3") && error.contains("Plug-in Gait"), "{error}");
        let error = resolve(&labels("LKNE LANK RKNE RANK"), None).unwrap_err().to_string();
        assert!(error.contains("pelvis is missing"), "{error}");
    }

    #[test]
    fn of_two_people_the_one_with_more_markers_is_taken_by_default() {
        let names = labels("A:LASI A:RASI A:SACR A:LKNE A:LANK B:LASI B:RASI B:SACR B:LKNE B:LANK B:LHEE");
        let found = resolve(&names, None).unwrap();
        assert_eq!(found.subjects, ["A", "B"]);
        assert!(found.landmarks.iter().all(|(index, _)| *index >= 5));
        let found = resolve_subject(&names, None, Some("A")).unwrap();
        assert!(found.landmarks.iter().all(|(index, _)| *index < 5));
    }
}
