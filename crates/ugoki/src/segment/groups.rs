//! Rigid groups: points that move as one are averaged, and named for the part of the body they are.

use glam::Vec3;

use super::Observer;
use crate::skeleton::Role;

/// Name of the group whose speed is that of the hips over the ground and of turning round.
pub const TRAVEL: &str = "travel";

/// Points of one rigid part.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// `right-hand`, `left-knee`, `head`.
    pub name: String,
    /// The limb it belongs to, from which pieces are named: `right-arm`, `left-leg`, `head`, `trunk`.
    pub part: &'static str,
    /// Its points, as numbered by the observer; none for travel.
    pub points: Vec<usize>,
}

/// Group, limb and the roles of its points. Elbow and wrist are separate: the forearm between them turns about either.
const GROUPS: &[(&str, &str, &[Role])] = &[
    ("head", "head", &[Role::Head]),
    ("chest", "trunk", &[Role::Chest, Role::UpperChest, Role::Neck, Role::LeftShoulder, Role::RightShoulder]),
    ("left-elbow", "left-arm", &[Role::LeftLowerArm]),
    ("left-hand", "left-arm", &[Role::LeftHand]),
    ("right-elbow", "right-arm", &[Role::RightLowerArm]),
    ("right-hand", "right-arm", &[Role::RightHand]),
    ("left-knee", "left-leg", &[Role::LeftLowerLeg]),
    ("left-foot", "left-leg", &[Role::LeftFoot, Role::LeftToes]),
    ("right-knee", "right-leg", &[Role::RightLowerLeg]),
    ("right-foot", "right-leg", &[Role::RightFoot, Role::RightToes]),
];

/// The groups that a body has, travel last.
pub(super) fn groups(observer: &Observer) -> Vec<Group> {
    let roles: Vec<Role> = observer.roles().collect();
    let mut found: Vec<Group> = GROUPS
        .iter()
        .filter_map(|(name, part, members)| {
            let points: Vec<usize> = (0..roles.len()).filter(|&i| members.contains(&roles[i])).collect();
            (!points.is_empty()).then(|| Group { name: (*name).to_owned(), part, points })
        })
        .collect();
    found.push(Group { name: TRAVEL.to_owned(), part: TRAVEL, points: Vec::new() });
    found
}

impl Group {
    /// Mean of the group's points in a frame's `points`; the origin for travel.
    #[must_use]
    pub fn middle(&self, points: &[Vec3]) -> Vec3 {
        let sum: Vec3 = self.points.iter().map(|&point| points[point]).sum();
        sum / self.points.len().max(1) as f32
    }
}
