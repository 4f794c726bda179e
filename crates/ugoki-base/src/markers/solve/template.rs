//! Joints from clusters of markers whose usual seats are published.
//!
//! OpenSim's gait trials carry no knee and ankle markers, but three markers on thigh and shin and six on the foot.
//! Their seats on the generic body of gait2354 \[delp2007\] are fitted to the seen markers with one scale, and the
//! joint centre is carried along.

use glam::DVec3;

use super::cloud::Cloud;
use super::frame::Path;
use super::kabsch::fit;
use crate::markers::landmark::Place;
use crate::math::median;
use crate::skeleton::Side;

/// Seats in the frame of the generic bone, metres: x forward, y up, z to the right, for the right leg.
type Seats = &'static [(Place, [f64; 3])];

/// Thigh, from the hip joint; the knee lies 0.396 m below.
const THIGH: Seats = &[
    (Place::ThighUpper, [0.018, -0.2, 0.064]),
    (Place::ThighFront, [0.08, -0.25, 0.0047]),
    (Place::ThighRear, [0.01, -0.3, 0.06]),
];
const HIP: [f64; 3] = [0.0, 0.0, 0.0];
const KNEE_IN_THIGH: [f64; 3] = [0.0, -0.396, 0.0];

/// Shin, from the knee; the ankle lies 0.43 m below.
const SHANK: Seats = &[
    (Place::ShankUpper, [0.005, -0.065, 0.05]),
    (Place::ShankFront, [0.05, -0.08, 0.0]),
    (Place::ShankRear, [0.02, -0.13, 0.05]),
];
const KNEE_IN_SHANK: [f64; 3] = [0.0, 0.0, 0.0];
const ANKLE_IN_SHANK: [f64; 3] = [0.0, -0.43, 0.0];

/// Foot, from the heel bone's origin; the ankle lies above and before it.
const FOOT: Seats = &[
    (Place::Heel, [-0.02, 0.02, 0.0]),
    (Place::MidfootTop, [0.13, 0.03, -0.03]),
    (Place::MidfootSide, [0.1, 0.02, 0.04]),
    (Place::BallOuter, [0.19, 0.0, 0.065]),
    (Place::BallInner, [0.19, 0.005, -0.04]),
    (Place::ToeTip, [0.26, 0.005, 0.0]),
];
const ANKLE_IN_FOOT: [f64; 3] = [0.04877, 0.04195, -0.00792];

/// The ankle by the markers of the foot.
pub(super) fn ankle(cloud: &Cloud, side: Side) -> Option<Path> {
    carry(cloud, side, FOOT, &[], ANKLE_IN_FOOT)
}

/// The knee by the markers of thigh and shin, the mean where both tell.
pub(super) fn knee(cloud: &Cloud, side: Side, hip: &Path, ankle: &Path) -> Option<Path> {
    let above = carry(cloud, side, THIGH, &[(HIP, hip)], KNEE_IN_THIGH);
    let below = carry(cloud, side, SHANK, &[(ANKLE_IN_SHANK, ankle)], KNEE_IN_SHANK);
    match (above, below) {
        (Some(above), Some(below)) => Some(
            above
                .iter()
                .zip(&below)
                .map(|(a, b)| match (a, b) {
                    (Some(a), Some(b)) => Some(a.lerp(*b, 0.5)),
                    (a, b) => a.or(*b),
                })
                .collect(),
        ),
        (above, below) => above.or(below),
    }
}

/// Fits seats and already known joints to a side's markers; gives the path of `wanted`.
fn carry(
    cloud: &Cloud,
    side: Side,
    seats: Seats,
    known: &[([f64; 3], &Path)],
    wanted: [f64; 3],
) -> Option<Path> {
    // Into our axes: left, up, forward; the left leg is the right one's mirror image.
    let sign = if side == Side::Left { 1.0 } else { -1.0 };
    let ours = |[x, y, z]: [f64; 3]| DVec3::new(sign * z, y, x);
    let mut group: Vec<(DVec3, &Path)> = Vec::new();
    for &(place, seat) in seats {
        if let Some(path) = cloud.get(place, Some(side)) {
            group.push((ours(seat), path));
        }
    }
    if group.len() < 3 {
        return None;
    }
    group.extend(known.iter().map(|(seat, path)| (ours(*seat), *path)));
    let scale = scale(&group, cloud.frames)?;
    let path = |f: usize| {
        let pairs: Vec<(DVec3, DVec3)> =
            group.iter().filter_map(|(seat, path)| Some((*seat * scale, path[f]?))).collect();
        Some(fit(&pairs)?.apply(ours(wanted) * scale))
    };
    Some((0..cloud.frames).map(path).collect())
}

/// How much larger the seen group is: the median ratio of distances between its members.
fn scale(group: &[(DVec3, &Path)], frames: usize) -> Option<f64> {
    let mut sums = Vec::with_capacity(frames);
    for f in 0..frames {
        let (mut seen, mut generic) = (0.0, 0.0);
        for (i, (a, path_a)) in group.iter().enumerate() {
            for (b, path_b) in &group[i + 1..] {
                if let (Some(p), Some(q)) = (path_a[f], path_b[f]) {
                    seen += p.distance(q);
                    generic += a.distance(*b);
                }
            }
        }
        if generic > 0.0 {
            sums.push(seen / generic);
        }
    }
    median(&sums).filter(|scale| *scale > 0.0)
}
