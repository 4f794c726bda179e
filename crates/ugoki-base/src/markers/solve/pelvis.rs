//! The pelvis and its hip joints.

use glam::DVec3;

use super::cloud::{Cloud, follow};
use super::frame::{Path, Turns, between, distance, frame_xy, median_point, zip};
use super::kabsch::Rigid;
use crate::markers::landmark::{Part, Place};
use crate::skeleton::Side;

/// Where the pelvis is: the middle of the hip joints, and its turning.
pub(super) struct Pelvis {
    pub centre: Path,
    pub turns: Turns,
    /// Left and right hip joint in every frame.
    pub hips: [Path; 2],
    /// Whether the hip joints come from the regression.
    pub is_regression: bool,
}

/// Hip joints in the pelvis frame, metres, by pelvic width and depth \[harrington2007, table 3, the equations with
/// one predictor each\]: left, up and forward of the middle between the ASIS markers.
fn harrington(width: f64, depth: f64, side: Side) -> DVec3 {
    let left = if side == Side::Left { 1.0 } else { -1.0 };
    DVec3::new(left * (0.33 * width + 0.0073), -0.30 * width - 0.0109, -0.24 * depth - 0.0099)
}

/// Hip joints in the same frame by pelvic width and leg length \[davis1991\], as Plug-in Gait has them. For sets
/// with one marker on the sacrum, which often stands off on a wand and does not tell the pelvis's depth.
fn davis(width: f64, leg: f64, side: Side) -> DVec3 {
    // Angles of 28.4 and 18 degrees; the centre of a marker is 7 mm off the bone.
    let (theta, beta) = (28.4f64.to_radians(), 18f64.to_radians());
    let c = 0.115 * leg - 0.0153;
    let depth = 0.1288 * leg - 0.04856 + 0.007;
    let left = if side == Side::Left { 1.0 } else { -1.0 };
    DVec3::new(
        left * (0.5 * width - c * theta.sin()),
        -c * theta.cos() * beta.cos() - depth * beta.sin(),
        c * theta.cos() * beta.sin() - depth * beta.cos(),
    )
}

/// Leg length as a tape would have it, from ASIS over the knee to the ankle, metres; the mean of both legs.
fn leg(cloud: &Cloud) -> Option<f64> {
    let one = |side: Side| {
        let get = |place: Place| cloud.get(place, Some(side));
        let (asis, knee, ankle) = (get(Place::Asis)?, get(Place::KneeLateral)?, get(Place::AnkleLateral)?);
        Some(distance(asis, knee)? + distance(knee, ankle)?)
    };
    let found: Vec<f64> = [Side::Left, Side::Right].into_iter().filter_map(one).collect();
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
}

/// Finds it; `None` where the markers do not suffice in any frame.
pub(super) fn find(cloud: &Cloud, trunk_up: &Path) -> Option<Pelvis> {
    let both =
        |place: Place| Some([cloud.get(place, Some(Side::Left))?, cloud.get(place, Some(Side::Right))?]);
    let direct = both(Place::HipCentre);
    let Some([left, right]) = both(Place::Asis) else {
        return from_centres(cloud, direct?, trunk_up);
    };
    let back = match both(Place::Psis) {
        Some([left, right]) => between(left, right, 0.5),
        None => cloud.get(Place::Sacrum, None)?.clone(),
    };
    let front = between(left, right, 0.5);
    let width = distance(left, right)?;
    let depth = distance(&front, &back)?;
    // X left along the ASIS line, Z forward in the plane of ASIS and back, Y up from it.
    let frame = |f: usize| {
        let x = left[f]? - right[f]?;
        let up = (front[f]? - back[f]?).cross(x);
        Some(Rigid { rotation: frame_xy(x, up)?, translation: front[f]? })
    };
    let measured: Vec<Option<Rigid>> = (0..cloud.frames).map(frame).collect();
    let group: Vec<&Path> = cloud
        .tracks
        .iter()
        .filter(|t| t.landmark.place.part() == Part::Pelvis)
        .filter(|t| !matches!(t.landmark.place, Place::HipCentre | Place::PelvisCentre))
        .map(|t| &t.path)
        .collect();
    let frames = follow(&group, &measured);
    let seat = |path: &Path| {
        median_point(path.iter().zip(&frames).filter_map(|(p, frame)| {
            let frame = (*frame)?;
            Some(frame.rotation.conjugate() * ((*p)? - frame.translation))
        }))
    };
    let given = direct.and_then(|[left, right]| Some([seat(left)?, seat(right)?]));
    let by_leg = if both(Place::Psis).is_some() { None } else { leg(cloud) };
    let regression = |side: Side| match by_leg {
        Some(leg) => davis(width, leg, side),
        None => harrington(width, depth, side),
    };
    let seats = given.unwrap_or([Side::Left, Side::Right].map(regression));
    let path = |seat: DVec3| frames.iter().map(|frame| Some((*frame)?.apply(seat))).collect::<Path>();
    let hips = seats.map(path);
    Some(Pelvis {
        centre: between(&hips[0], &hips[1], 0.5),
        turns: frames.iter().map(|frame| frame.map(|frame| frame.rotation)).collect(),
        hips,
        is_regression: given.is_none(),
    })
}

/// From hip centres alone: left from one to the other, up along the trunk or against the thighs.
fn from_centres(cloud: &Cloud, [left, right]: [&Path; 2], trunk_up: &Path) -> Option<Pelvis> {
    let centre = between(left, right, 0.5);
    let knees: Vec<&Path> =
        [Side::Left, Side::Right].iter().filter_map(|&s| cloud.get(Place::KneeCentre, Some(s))).collect();
    let up = |f: usize| {
        let centre = centre[f]?;
        if let Some(top) = trunk_up[f] {
            return Some(top - centre);
        }
        let below: Vec<DVec3> = knees.iter().filter_map(|knee| knee[f]).collect();
        (!below.is_empty()).then(|| centre - below.iter().sum::<DVec3>() / below.len() as f64)
    };
    let turns: Turns = (0..cloud.frames).map(|f| frame_xy(left[f]? - right[f]?, up(f)?)).collect();
    turns.iter().any(Option::is_some).then(|| Pelvis {
        centre,
        turns,
        hips: [zip(left, right, |l, _| l), zip(left, right, |_, r| r)],
        is_regression: false,
    })
}
