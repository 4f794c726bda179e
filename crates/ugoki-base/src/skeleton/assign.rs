//! Gives joints their roles: by names first, by shape where names tell nothing.

use glam::Vec3;

use super::names::{has_tail, roles_from_names};
use super::shape::roles_from_shape;
use super::{Joint, Role};

/// How the roles of a skeleton were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoleSource {
    /// From joint names.
    Names,
    /// From the shape of the body; the names gave nothing.
    Shape,
    /// Partly from names and partly from the shape; where both apply they agree.
    Mixed,
    /// Neither names nor shape gave anything.
    None,
}

/// Sets the role of every joint, replacing roles given before, and says how they were found.
///
/// Names come first. Where they leave a limb, the hips or the head open, the shape of the rest pose is asked
/// (see [`assign_roles_in_pose`] where the rest pose is not a standing body). A role goes to at most one
/// joint, and lower joints of a limb are below the upper ones. Where names and shape are both unsure,
/// joints stay without roles: no role is better than a wrong one. Names decide the sides; a rig that calls
/// its left arm right keeps it. VR trackers named head and hands get those roles without a body.
pub fn assign_roles(joints: &mut [Joint]) -> RoleSource {
    let mut places: Vec<Vec3> = Vec::with_capacity(joints.len());
    for (index, joint) in joints.iter().enumerate() {
        let base = joint.parent.filter(|&parent| parent < index).map_or(Vec3::ZERO, |parent| places[parent]);
        places.push(base + joint.offset);
    }
    assign(joints, &places, true)
}

/// [`assign_roles`] with the shape read from the places of the joints in some frame instead of the rest pose.
///
/// Files whose rest pose is no body (all offsets along the bones' own axes) show it only in motion. The
/// frame should have the body upright and not too bent: a standing frame is best.
pub fn assign_roles_in_pose(joints: &mut [Joint], places: &[Vec3]) -> RoleSource {
    assign(joints, places, false)
}

fn assign(joints: &mut [Joint], places: &[Vec3], at_rest: bool) -> RoleSource {
    let mut roles = roles_from_names(joints);
    if is_beast(joints, &roles, places) {
        roles.fill(None);
    }
    let named = roles.iter().flatten().count();
    let mut source = if named > 0 { RoleSource::Names } else { RoleSource::None };
    let complete = CORE.iter().all(|role| roles.contains(&Some(*role)));
    if !complete
        && let Some(shaped) = roles_from_shape(joints, places, at_rest)
        && agree(&roles, &shaped)
    {
        source = if named > 0 { RoleSource::Mixed } else { RoleSource::Shape };
        for (joint, role) in shaped.iter().enumerate() {
            if roles[joint].is_none() && role.is_some() && !roles.contains(role) {
                roles[joint] = *role;
            }
        }
    }
    for (joint, role) in joints.iter_mut().zip(roles) {
        // An expression may be called `jaw`.
        joint.role = role.filter(|_| !joint.is_expression);
    }
    source
}

/// Whether names of human joints sit on an animal: it has a tail, and its legs stand across its trunk instead
/// of in line with it. A performer wearing a tail stands upright.
fn is_beast(joints: &[Joint], roles: &[Option<Role>], places: &[Vec3]) -> bool {
    // Between a four-legged animal's 90 degrees and a human's 180; also above the near 0 of rest poses
    // whose offsets follow the bones' own axes and tell nothing.
    const ACROSS_DEGREES: std::ops::Range<f32> = 45.0..135.0;
    let place = |role: Role| places.get(roles.iter().position(|r| *r == Some(role))?).copied();
    let angle = || {
        let trunk = place(Role::Neck).or_else(|| place(Role::Head))? - place(Role::Hips)?;
        let foot = |upper, lower| Some(place(lower)? - place(upper)?);
        let legs = foot(Role::LeftUpperLeg, Role::LeftFoot)? + foot(Role::RightUpperLeg, Role::RightFoot)?;
        Some(trunk.angle_between(legs).to_degrees())
    };
    angle().is_some_and(|degrees| ACROSS_DEGREES.contains(&degrees)) && has_tail(joints)
}

/// The roles a body can be animated by; with all of them the shape has nothing to add.
const CORE: [Role; 14] = [
    Role::Hips,
    Role::Head,
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::RightHand,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
];

/// Whether no core role is on two joints and no joint has two core roles.
fn agree(named: &[Option<Role>], shaped: &[Option<Role>]) -> bool {
    CORE.iter().all(|role| {
        let joint = named.iter().position(|r| *r == Some(*role));
        let other = shaped.iter().position(|r| *r == Some(*role));
        match (joint, other) {
            (Some(joint), Some(other)) => joint == other,
            (None, Some(other)) => named[other].is_none_or(|r| !CORE.contains(&r)),
            _ => true,
        }
    })
}
