//! All joint centres and turnings of one person.

use glam::DVec3;

use super::cloud::Cloud;
use super::frame::{Path, Turns, between, distance, level, zip};
use super::limb::{Directions, axis, inside};
use super::pelvis::{self, Pelvis};
use super::template;
use super::trunk::{self, Head};
use crate::markers::label_map::BodyWidths;
use crate::markers::landmark::{Part, Place};
use crate::skeleton::Side;

/// Thigh as a fraction of stature \[winter2009, fig. 4.1\].
const THIGH_FRACTION: f64 = 0.245;
/// Across the knee as a fraction of stature: 9.52 cm on 170.18 cm \[rosswilson1974\].
const KNEE_FRACTION: f64 = 9.52 / 170.18;
/// Across the elbow: 6.48 cm on 170.18 cm \[rosswilson1974\].
const ELBOW_FRACTION: f64 = 6.48 / 170.18;
/// Across the ankle: a girth of 21.71 cm, taken as round, on 170.18 cm \[rosswilson1974\].
const ANKLE_FRACTION: f64 = 21.71 / std::f64::consts::PI / 170.18;
/// Half of the commonest marker, which is 14 mm across, metres.
const MARKER_RADIUS: f64 = 0.007;
/// From the heel, the fraction of the foot at which its ball lies.
const BALL_FRACTION: f64 = 0.70;
/// How far the plane of ASIS and sacrum dips forward while a person stands, radians: 10 degrees \[kadaba1990\].
const PELVIC_TILT: f64 = 10.0 * std::f64::consts::PI / 180.0;

/// One leg below the hip.
pub(super) struct Leg {
    pub knee: Path,
    pub ankle: Path,
    /// The knee's axis, to the body's left.
    pub axis: Directions,
    pub heel: Option<Path>,
    pub ball: Option<Path>,
    pub tip: Option<Path>,
}

/// One arm.
pub(super) struct Arm {
    pub shoulder: Path,
    pub elbow: Option<Path>,
    /// Upper arm crossed with forearm.
    pub axis: Directions,
    pub wrist: Option<Path>,
    /// From the little finger's to the thumb's side of the wrist.
    pub thumb: Directions,
    pub hand: Option<Path>,
}

/// The whole person.
pub(super) struct Centres {
    pub stature: f64,
    pub pelvis: Pelvis,
    pub top: Option<Path>,
    pub chest: Option<Turns>,
    pub head: Option<Head>,
    pub legs: [Option<Leg>; 2],
    pub arms: [Option<Arm>; 2],
    /// Measures taken from usual proportions.
    pub guessed: Vec<&'static str>,
}

pub(super) const SIDES: [Side; 2] = [Side::Left, Side::Right];

/// Finds everything the markers show; `None` without a pelvis.
pub(super) fn find(cloud: &Cloud, widths: &BodyWidths, fps: f64) -> Option<Centres> {
    let top = trunk::top(cloud);
    let unknown: Path = vec![None; cloud.frames];
    let mut pelvis = pelvis::find(cloud, top.as_ref().unwrap_or(&unknown))?;
    level_pelvis(&mut pelvis, top.as_ref());
    let stature = stature(cloud, &pelvis)?;
    let chest = top.as_ref().and_then(|top| trunk::chest(cloud, &pelvis.centre, top));
    let head = top.as_ref().and_then(|top| trunk::head(cloud, top, chest.as_ref(), stature));
    let mut guessed = Vec::new();
    if pelvis.is_regression {
        guessed.push("hip joints");
    }
    let legs = [0, 1].map(|i| leg(cloud, i, &pelvis, stature, widths, fps, &mut guessed));
    let arms = SIDES.map(|side| {
        let chest = chest.as_ref()?;
        arm(cloud, side, chest, stature, widths, fps, &mut guessed)
    });
    guessed.sort_unstable();
    guessed.dedup();
    Some(Centres { stature, pelvis, top, chest, head, legs, arms, guessed })
}

/// Levels the pelvis along the trunk, or by the usual tilt without one.
fn level_pelvis(pelvis: &mut Pelvis, top: Option<&Path>) {
    match top {
        Some(top) => {
            let up = zip(top, &pelvis.centre, |top, centre| top - centre);
            level(&mut pelvis.turns, &up);
        }
        None if pelvis.is_regression => {
            for turn in pelvis.turns.iter_mut().flatten() {
                *turn *= glam::DQuat::from_rotation_x(-PELVIC_TILT);
            }
        }
        None => {}
    }
}

/// Stature from the longest way hip–knee that is seen, metres.
fn stature(cloud: &Cloud, pelvis: &Pelvis) -> Option<f64> {
    let thigh = |i: usize| {
        let side = Some(SIDES[i]);
        let knee =
            [Place::KneeCentre, Place::KneeLateral].into_iter().find_map(|place| cloud.get(place, side));
        match knee {
            Some(knee) => distance(&pelvis.hips[i], knee),
            None => {
                let ankle = template::ankle(cloud, SIDES[i])?;
                distance(&pelvis.hips[i], &template::knee(cloud, SIDES[i], &pelvis.hips[i], &ankle)?)
            }
        }
    };
    let found: Vec<f64> = [0, 1].into_iter().filter_map(thigh).collect();
    found.into_iter().reduce(f64::max).map(|thigh| thigh / THIGH_FRACTION).filter(|stature| *stature > 1e-3)
}

fn scaled(directions: &Directions, factor: f64) -> Directions {
    directions.iter().map(|direction| direction.map(|direction| direction * factor)).collect()
}

fn leg(
    cloud: &Cloud,
    index: usize,
    pelvis: &Pelvis,
    stature: f64,
    widths: &BodyWidths,
    fps: f64,
    guessed: &mut Vec<&'static str>,
) -> Option<Leg> {
    let side = SIDES[index];
    let get = |place: Place| cloud.get(place, Some(side));
    let hip = &pelvis.hips[index];
    let out = if side == Side::Left { 1.0 } else { -1.0 };
    let left: Directions = pelvis.turns.iter().map(|turn| turn.map(|turn| turn * DVec3::X)).collect();
    let radius = widths.marker_radius.unwrap_or(MARKER_RADIUS);
    let knee_depth = 0.5 * widths.knee_width.unwrap_or(KNEE_FRACTION * stature) + radius;
    let ankle_depth = 0.5 * widths.ankle_width.unwrap_or(ANKLE_FRACTION * stature) + radius;
    let wand = cloud.part(Part::UpperLeg, Some(side)).into_iter().find(|path| {
        [Place::Thigh, Place::ThighFront]
            .iter()
            .any(|&place| get(place).is_some_and(|p| std::ptr::eq(p, *path)))
    });
    let ankle_direct = get(Place::AnkleCentre)
        .cloned()
        .or_else(|| Some(between(get(Place::AnkleLateral)?, get(Place::AnkleMedial)?, 0.5)));
    let ankle_direct = ankle_direct.or_else(|| match get(Place::AnkleLateral) {
        Some(_) => None,
        None => template::ankle(cloud, side),
    });
    let ankle_near = ankle_direct.clone().or_else(|| get(Place::AnkleLateral).cloned())?;
    let knee_direct = get(Place::KneeCentre).cloned();
    let (knee, axis) = match (get(Place::KneeLateral), get(Place::KneeMedial)) {
        (Some(lateral), Some(medial)) if knee_direct.is_none() => {
            (between(lateral, medial, 0.5), zip(lateral, medial, |l, m| (l - m).normalize_or_zero() * out))
        }
        (Some(lateral), _) if knee_direct.is_none() => {
            guessed.push("knee width");
            let mut axis_now = left.clone();
            let mut knee = lateral.clone();
            // The axis moves the knee by centimetres and is itself hardly moved by it.
            for _ in 0..3 {
                knee = inside(lateral, &scaled(&axis_now, out), hip, knee_depth);
                let ankle = match &ankle_direct {
                    Some(ankle) => ankle.clone(),
                    None => inside(&ankle_near, &scaled(&axis_now, out), &knee, ankle_depth),
                };
                axis_now = axis([hip, &knee, &ankle], &left, wand, fps);
            }
            (knee, axis_now)
        }
        _ => {
            let knee = knee_direct.or_else(|| template::knee(cloud, side, hip, &ankle_near))?;
            let axis = axis([hip, &knee, &ankle_near], &left, wand, fps);
            (knee, axis)
        }
    };
    let ankle = match ankle_direct {
        Some(ankle) => ankle,
        None => {
            guessed.push("ankle width");
            inside(&ankle_near, &scaled(&axis, out), &knee, ankle_depth)
        }
    };
    let heel = get(Place::Heel).cloned();
    let tip = get(Place::ToeTip).cloned();
    let pair = match (get(Place::BallInner), get(Place::BallOuter)) {
        (Some(inner), Some(outer)) => Some(between(inner, outer, 0.5)),
        _ => None,
    };
    let ball = pair
        .or_else(|| get(Place::Forefoot).cloned())
        .or_else(|| Some(between(heel.as_ref().unwrap_or(&ankle), tip.as_ref()?, BALL_FRACTION)));
    let ball = ball.or_else(|| get(Place::BallOuter).cloned());
    Some(Leg { knee, ankle, axis, heel, ball, tip })
}

fn arm(
    cloud: &Cloud,
    side: Side,
    chest: &Turns,
    stature: f64,
    widths: &BodyWidths,
    fps: f64,
    guessed: &mut Vec<&'static str>,
) -> Option<Arm> {
    let get = |place: Place| cloud.get(place, Some(side));
    let shoulder = trunk::shoulder(cloud, side, chest)?;
    let thumb: Directions = match (get(Place::WristThumb), get(Place::WristLittle)) {
        (Some(thumb), Some(little)) => zip(thumb, little, |thumb, little| thumb - little),
        _ => match (get(Place::Index), get(Place::Little)) {
            (Some(index), Some(little)) => zip(index, little, |index, little| index - little),
            _ => vec![None; cloud.frames],
        },
    };
    let wrist = get(Place::WristCentre)
        .cloned()
        .or_else(|| Some(between(get(Place::WristThumb)?, get(Place::WristLittle)?, 0.5)));
    let wrist = wrist.or_else(|| get(Place::WristThumb).or_else(|| get(Place::WristLittle)).cloned());
    let hand =
        get(Place::Knuckle).cloned().or_else(|| Some(between(get(Place::Index)?, get(Place::Little)?, 0.5)));
    // Arms bend forward: the usual axis is the upper arm crossed with the chest's forward, and means nothing for
    // an arm that itself points forward.
    let skin = [Place::ElbowCentre, Place::ElbowLateral].into_iter().find_map(get);
    let Some(skin) = skin else {
        return Some(Arm {
            shoulder,
            elbow: None,
            axis: vec![None; cloud.frames],
            wrist: None,
            thumb,
            hand: None,
        });
    };
    let usual = |elbow: &Path| -> Directions {
        (0..cloud.frames)
            .map(|f| Some((elbow[f]? - shoulder[f]?).try_normalize()?.cross(chest[f]? * DVec3::Z)))
            .collect()
    };
    let unknown: Path = vec![None; cloud.frames];
    let end = wrist.as_ref().unwrap_or(&unknown);
    let wand = get(Place::UpperArm);
    // The outer side of the elbow lies against the axis on the left arm, along it on the right.
    let out = if side == Side::Left { -1.0 } else { 1.0 };
    let (elbow, axis_found) = match (get(Place::ElbowCentre), get(Place::ElbowMedial)) {
        (Some(centre), _) => (centre.clone(), axis([&shoulder, centre, end], &usual(centre), wand, fps)),
        (None, Some(medial)) => {
            let axis = zip(skin, medial, |lateral, medial| (lateral - medial).normalize_or_zero() * out);
            (between(skin, medial, 0.5), axis)
        }
        (None, None) => {
            guessed.push("elbow width");
            let radius = widths.marker_radius.unwrap_or(MARKER_RADIUS);
            let depth = 0.5 * widths.elbow_width.unwrap_or(ELBOW_FRACTION * stature) + radius;
            let mut elbow = skin.clone();
            let mut axis_now = axis([&shoulder, &elbow, end], &usual(&elbow), wand, fps);
            for _ in 0..3 {
                elbow = inside(skin, &scaled(&axis_now, out), &shoulder, depth);
                axis_now = axis([&shoulder, &elbow, end], &usual(&elbow), wand, fps);
            }
            (elbow, axis_now)
        }
    };
    Some(Arm { shoulder, elbow: Some(elbow), axis: axis_found, wrist, thumb, hand })
}
