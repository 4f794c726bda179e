//! Rigid groups: points that move as one are averaged, and named for the part of the body they are.

use std::fmt;
use std::str::FromStr;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use ugoki_base::skeleton::Role;

use super::{Observer, SegmentError};

/// Name of the group whose speed is that of the hips over the ground and of turning round.
pub const TRAVEL: &str = "travel";

/// What pieces in which nothing moves are called.
pub(super) const REST: &str = "rest";

/// Points of one rigid part.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// `right-hand`, `left-knee`, `head`.
    pub name: String,
    /// The limb it belongs to, from which pieces are named: `right-arm`, `left-leg`, `head`, `trunk`.
    pub part: String,
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

/// A rigid group that a user gives instead of the usual ones: `bat=rightHand,rightLowerArm`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenGroup {
    /// What it is called; its pieces are too.
    pub name: String,
    /// Roles of the joints that move as one.
    pub roles: Vec<Role>,
}

impl fmt::Display for GivenGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roles: Vec<&str> = self.roles.iter().map(|role| role.name()).collect();
        write!(f, "{}={}", self.name, roles.join(","))
    }
}

impl FromStr for GivenGroup {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, roles) =
            text.split_once('=').ok_or("use a name and roles, such as bat=rightHand,rightLowerArm")?;
        let fits = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(fits) || name == TRAVEL || name == REST {
            return Err(format!(
                "{name:?} is no name; use letters, digits, - and _, but not {TRAVEL} or {REST}"
            ));
        }
        let role = |word: &str| {
            let word = word.trim();
            Role::from_name(word)
                .ok_or_else(|| format!("{word:?} is no role; use such as rightHand, leftFoot, head"))
        };
        let roles = roles.split(',').map(role).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { name: name.to_owned(), roles })
    }
}

/// The groups that a body has, those given or else the usual ones; travel last.
pub(super) fn groups(observer: &Observer, given: &[GivenGroup]) -> Result<Vec<Group>, SegmentError> {
    let roles: Vec<Role> = observer.roles().collect();
    let points = |members: &[Role]| -> Vec<usize> {
        (0..roles.len()).filter(|&i| members.contains(&roles[i])).collect()
    };
    let mut found: Vec<Group> = Vec::new();
    for (name, part, members) in GROUPS.iter().filter(|_| given.is_empty()) {
        let points = points(members);
        if !points.is_empty() {
            found.push(Group { name: (*name).to_owned(), part: (*part).to_owned(), points });
        }
    }
    for group in given {
        let points = points(&group.roles);
        if points.is_empty() || found.iter().any(|other| other.name == group.name) {
            return Err(SegmentError::Group { group: group.to_string() });
        }
        found.push(Group { name: group.name.clone(), part: group.name.clone(), points });
    }
    found.push(Group { name: TRAVEL.to_owned(), part: TRAVEL.to_owned(), points: Vec::new() });
    Ok(found)
}

impl Group {
    /// Mean of the group's points in a frame's `points`; the origin for travel.
    #[must_use]
    pub fn middle(&self, points: &[Vec3]) -> Vec3 {
        let sum: Vec3 = self.points.iter().map(|&point| points[point]).sum();
        sum / self.points.len().max(1) as f32
    }
}
