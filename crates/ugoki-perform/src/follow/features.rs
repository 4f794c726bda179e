//! What a body looks like, whatever its build: directions of its bones and where its ends are, and how these move.
//!
//! Points come from [`ugoki_motion::segment::Observer`] on usual bones, seen from hips and heading, in leg lengths.

use glam::Vec3;
use ugoki_base::skeleton::Role;

/// Bones whose directions are compared, and their weights: what hands do distinguishes motions, how one stands distinguishes people.
const BONES: [([Role; 2], f32); 14] = [
    ([Role::Hips, Role::Neck], 0.5),
    ([Role::Neck, Role::Head], 0.3),
    ([Role::RightUpperArm, Role::LeftUpperArm], 0.5),
    ([Role::RightUpperLeg, Role::LeftUpperLeg], 0.5),
    ([Role::LeftUpperArm, Role::LeftLowerArm], 1.0),
    ([Role::LeftLowerArm, Role::LeftHand], 1.0),
    ([Role::RightUpperArm, Role::RightLowerArm], 1.0),
    ([Role::RightLowerArm, Role::RightHand], 1.0),
    ([Role::LeftUpperLeg, Role::LeftLowerLeg], 0.5),
    ([Role::LeftLowerLeg, Role::LeftFoot], 0.5),
    ([Role::LeftFoot, Role::LeftToes], 0.3),
    ([Role::RightUpperLeg, Role::RightLowerLeg], 0.5),
    ([Role::RightLowerLeg, Role::RightFoot], 0.5),
    ([Role::RightFoot, Role::RightToes], 0.3),
];
/// Ends whose places from the hips are compared: all that a body of trackers has.
const ENDS: [Role; 5] = [Role::Head, Role::LeftHand, Role::RightHand, Role::LeftFoot, Role::RightFoot];

/// Features of a body, each a vector.
pub(super) const NUM_FEATURES: usize = BONES.len() + ENDS.len();
/// Their coordinates.
pub(super) const NUM_COORDINATES: usize = 3 * NUM_FEATURES;
/// A bone shorter than this, leg lengths, has no direction.
const NO_BONE: f32 = 0.01;

/// The features of one frame; not finite where a point is not seen.
pub(super) type Features = [Vec3; NUM_FEATURES];

/// Where a model's points are among its roles.
#[derive(Debug, Clone)]
pub(super) struct FeaturePoints {
    /// For every feature the points between which it goes; `None` for the hips.
    ends: [[Option<usize>; 2]; NUM_FEATURES],
    /// Features that the model has.
    has: [bool; NUM_FEATURES],
}

impl FeaturePoints {
    pub(super) fn new(roles: &[Role]) -> Self {
        let find = |role: Role| roles.iter().position(|own| *own == role);
        let all: Vec<[Role; 2]> =
            BONES.iter().map(|(ends, _)| *ends).chain(ENDS.iter().map(|end| [Role::Hips, *end])).collect();
        let known = |role: Role| role == Role::Hips || find(role).is_some();
        Self {
            ends: std::array::from_fn(|i| all[i].map(find)),
            has: std::array::from_fn(|i| all[i].iter().all(|role| known(*role))),
        }
    }

    /// The features of points.
    pub(super) fn features(&self, points: &[Vec3]) -> Features {
        std::array::from_fn(|i| {
            if !self.has[i] {
                return Vec3::NAN;
            }
            let [from, to] = self.ends[i].map(|end| end.map_or(Vec3::ZERO, |point| points[point]));
            let way = to - from;
            if i >= BONES.len() {
                return way;
            }
            let length = way.length();
            if length > NO_BONE { way / length } else { Vec3::NAN }
        })
    }
}

/// The weight of a feature; `ends` is that of the place of an end.
pub(super) fn weight(feature: usize, ends: f32) -> f32 {
    BONES.get(feature).map_or(ends, |(_, weight)| *weight)
}
