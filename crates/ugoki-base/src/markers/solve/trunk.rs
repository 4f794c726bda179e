//! Chest, neck, shoulders and head.

use glam::DVec3;

use super::cloud::{Cloud, follow};
use super::frame::{Path, Turns, between, distance, frame_xy, level, zip};
use super::kabsch::Rigid;
use crate::markers::landmark::{Part, Place};
use crate::skeleton::Side;

/// From the skin over C7 to the notch of the breastbone, the fraction at which the spine lies \[deleva1996\] puts the
/// cervicale on the skin; a vertebra's body lies a third of the way in.
const SPINE_FRACTION: f64 = 1.0 / 3.0;

/// The shoulder joint lies below the acromion by this fraction of the distance between the two \[rab2002\].
const SHOULDER_DROP: f64 = 0.17;

const BOTH: [Side; 2] = [Side::Left, Side::Right];

/// The base of the neck by whatever shows it best.
pub(super) fn top(cloud: &Cloud) -> Option<Path> {
    if let Some(neck) = cloud.get(Place::NeckCentre, None) {
        return Some(neck.clone());
    }
    let pair = |place: Place| {
        Some(between(cloud.get(place, Some(Side::Left))?, cloud.get(place, Some(Side::Right))?, 0.5))
    };
    let front = cloud.get(Place::Clavicle, None).cloned().or_else(|| pair(Place::Collar));
    if let (Some(back), Some(front)) = (cloud.get(Place::C7, None), front) {
        return Some(between(back, &front, SPINE_FRACTION));
    }
    pair(Place::ShoulderCentre)
        .or_else(|| pair(Place::Acromion))
        .or_else(|| cloud.get(Place::C7, None).cloned())
}

/// The chest's turning, its up levelled along hips and neck in the median.
pub(super) fn chest(cloud: &Cloud, hips: &Path, top: &Path) -> Option<Turns> {
    let sides =
        |place: Place| Some([cloud.get(place, Some(Side::Left))?, cloud.get(place, Some(Side::Right))?]);
    let pair = [Place::ShoulderCentre, Place::Acromion, Place::Collar].into_iter().find_map(sides);
    let middle = |place: Place| cloud.get(place, None);
    let trunk = zip(top, hips, |top, hips| top - hips);
    let up: Path =
        match (middle(Place::C7), middle(Place::Clavicle), middle(Place::T10), middle(Place::Sternum)) {
            (Some(a), Some(b), Some(c), Some(d)) => {
                zip(&between(a, b, 0.5), &between(c, d, 0.5), |high, low| high - low)
            }
            _ => trunk.clone(),
        };
    let left: Path = match (pair, middle(Place::C7), middle(Place::Clavicle)) {
        (Some([left, right]), ..) => zip(left, right, |left, right| left - right),
        (None, Some(back), Some(front)) => {
            let forward = zip(front, back, |front, back| front - back);
            zip(&up, &forward, DVec3::cross)
        }
        _ => return None,
    };
    let frame = |f: usize| Some(Rigid { rotation: frame_xy(left[f]?, up[f]?)?, translation: top[f]? });
    let measured: Vec<Option<Rigid>> = (0..cloud.frames).map(frame).collect();
    let group = cloud.part(Part::Chest, None);
    let frames = if group.len() >= 3 { follow(&group, &measured) } else { measured };
    let mut turns: Turns = frames.iter().map(|frame| frame.map(|frame| frame.rotation)).collect();
    level(&mut turns, &trunk);
    turns.iter().any(Option::is_some).then_some(turns)
}

/// The shoulder joints; a drop below the acromion where only that is seen.
pub(super) fn shoulder(cloud: &Cloud, side: Side, chest: &Turns) -> Option<Path> {
    if let Some(centre) = cloud.get(Place::ShoulderCentre, Some(side)) {
        return Some(centre.clone());
    }
    let [left, right] = BOTH.map(|side| cloud.get(Place::Acromion, Some(side)));
    let width = distance(left?, right?)?;
    let top = if side == Side::Left { left? } else { right? };
    let drop = |f: usize| Some(top[f]? - chest[f]? * DVec3::Y * (SHOULDER_DROP * width));
    Some((0..cloud.frames).map(drop).collect())
}

/// The base of the skull and the head's turning where three markers show it.
pub(super) struct Head {
    pub centre: Path,
    pub turns: Option<Turns>,
}

/// Fractions of stature from what the markers show down and back to the base of the skull (0.890 of stature high):
/// a band over the forehead lies at 0.94, temples, eyes and ears at 0.935, the crown at 1.
const BAND_DROP: f64 = 0.05;
const FACE_DROP: f64 = 0.045;
const FACE_DEPTH: f64 = 0.05;
/// Fraction of the way from the base of the neck (0.842) to the crown at which the skull's base lies.
const SKULL_FRACTION: f64 = 0.30;

/// Finds the head.
pub(super) fn head(cloud: &Cloud, top: &Path, chest: Option<&Turns>, stature: f64) -> Option<Head> {
    let sides =
        |place: Place| Some([cloud.get(place, Some(Side::Left))?, cloud.get(place, Some(Side::Right))?]);
    let middle = |[a, b]: [&Path; 2]| between(a, b, 0.5);
    let across = |[a, b]: [&Path; 2]| zip(a, b, |left, right| left - right);
    let crown = cloud.get(Place::HeadTop, None);
    let nose = cloud.get(Place::Nose, None);
    // Left, and a second direction with its place in the head: forward or up; origin and way to the skull's base.
    let (left, second, second_is_up, origin, offset) =
        if let (Some(front), Some(back)) = (sides(Place::HeadFront), sides(Place::HeadBack)) {
            let left = zip(&across(front), &across(back), |a, b| a + b);
            let forward = zip(&middle(front), &middle(back), |front, back| front - back);
            let origin = between(&middle(front), &middle(back), 0.5);
            (left, forward, false, origin, DVec3::new(0.0, -BAND_DROP, 0.0))
        } else if let (Some(side), Some(crown)) = (sides(Place::HeadSide), crown) {
            let up = zip(crown, &middle(side), |crown, side| crown - side);
            (across(side), up, true, middle(side), DVec3::new(0.0, -FACE_DROP, 0.0))
        } else if let (Some(ears), Some(nose)) = (sides(Place::Ear), nose) {
            let forward = zip(nose, &middle(ears), |nose, ears| nose - ears);
            (across(ears), forward, false, middle(ears), DVec3::new(0.0, -FACE_DROP, 0.0))
        } else if let (Some(eyes), Some(nose)) = (sides(Place::Eye), nose) {
            let up = zip(&middle(eyes), nose, |eyes, nose| eyes - nose);
            (across(eyes), up, true, middle(eyes), DVec3::new(0.0, -FACE_DROP, -FACE_DEPTH))
        } else if let Some(base) = cloud.get(Place::SkullBase, None) {
            return Some(Head { centre: base.clone(), turns: None });
        } else {
            let crown = crown?;
            return Some(Head { centre: between(top, crown, SKULL_FRACTION), turns: None });
        };
    let frame = |f: usize| {
        let (left, second) = (left[f]?, second[f]?);
        let up = if second_is_up { second } else { second.cross(left) };
        Some(Rigid { rotation: frame_xy(left, up)?, translation: origin[f]? })
    };
    let measured: Vec<Option<Rigid>> = (0..cloud.frames).map(frame).collect();
    let frames = follow(&cloud.part(Part::Head, None), &measured);
    let mut turns: Turns = frames.iter().map(|frame| frame.map(|frame| frame.rotation)).collect();
    if let Some(chest) = chest {
        let up: Vec<Option<DVec3>> = chest.iter().map(|turn| turn.map(|turn| turn * DVec3::Y)).collect();
        level(&mut turns, &up);
    }
    let centre = frames.iter().zip(&turns);
    let centre =
        centre.map(|(frame, turn)| Some((*frame)?.translation + (*turn)? * offset * stature)).collect();
    Some(Head { centre, turns: Some(turns) })
}
