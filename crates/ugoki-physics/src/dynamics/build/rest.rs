//! The rest pose of a skeleton, seen by role and checked for what a body needs.

use glam::DVec3;
use ugoki_base::skeleton::{Role, Side, Skeleton};

use super::anthropometry::Proportions;
use crate::dynamics::body::{BodyError, MIN_LENGTH};
use crate::dynamics::config::BodyConfig;

/// Thigh and shank together, fraction of stature \[winter2009, fig. 4.1\]. Stature is estimated from the legs alone,
/// since some skeletons (CMU's) lack a part of the trunk.
const LEG_FRACTION: f64 = 0.245 + 0.246;

/// The rest pose with its roles, checked.
pub(super) struct Rest<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) positions: Vec<DVec3>,
    pub(super) stature: f64,
    pub(super) proportions: Proportions,
}

/// Roles of one side's limbs.
pub(super) fn leg_roles(side: Side) -> [Role; 4] {
    match side {
        Side::Left => [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftToes],
        Side::Right => [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot, Role::RightToes],
    }
}

pub(super) fn arm_roles(side: Side) -> [Role; 3] {
    match side {
        Side::Left => [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
        Side::Right => [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
    }
}

impl<'a> Rest<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, config: &BodyConfig) -> Result<Self, BodyError> {
        let [left, right] = [Side::Left, Side::Right].map(leg_roles);
        let needed =
            [Role::Hips].into_iter().chain(left[..3].iter().copied()).chain(right[..3].iter().copied());
        let roles: Vec<Role> = needed.filter(|&role| skeleton.find(role).is_none()).collect();
        if !roles.is_empty() {
            return Err(BodyError::Missing { roles });
        }
        let positions: Vec<DVec3> = skeleton.rest_positions().iter().map(|p| p.as_dvec3()).collect();
        let mut rest = Self { skeleton, positions, stature: 0.0, proportions: config.proportions };
        let mut legs = 0.0;
        for roles in [left, right] {
            rest.below(roles[0], Role::Hips)?;
            for pair in roles[..3].windows(2) {
                rest.below(pair[1], pair[0])?;
                legs += 0.5 * rest.length(pair[0], pair[1])?;
            }
        }
        rest.stature = config.stature_m.unwrap_or(legs / LEG_FRACTION);
        if !(rest.stature > 0.0 && rest.stature.is_finite()) {
            return Err(BodyError::Impossible { role: Role::Hips, what: "the stature" });
        }
        if !(config.mass_kg > 0.0 && config.mass_kg.is_finite()) {
            return Err(BodyError::Mass { what: "the body".into(), mass_kg: config.mass_kg });
        }
        if !(config.gravity_m_s2.is_finite() && config.strength >= 0.0 && config.strength.is_finite()) {
            return Err(BodyError::Impossible { role: Role::Hips, what: "the gravity or strength" });
        }
        Ok(rest)
    }

    pub(super) fn find(&self, role: Role) -> Option<usize> {
        self.skeleton.find(role)
    }

    pub(super) fn at(&self, role: Role) -> Option<DVec3> {
        self.find(role).map(|joint| self.positions[joint])
    }

    pub(super) fn below(&self, role: Role, above: Role) -> Result<(), BodyError> {
        match (self.find(role), self.find(above)) {
            (Some(joint), Some(ancestor))
                if joint != ancestor && !self.skeleton.is_below(joint, ancestor) =>
            {
                Err(BodyError::NotBelow { role, above })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn length(&self, from: Role, to: Role) -> Result<f64, BodyError> {
        let metres = match (self.at(from), self.at(to)) {
            (Some(a), Some(b)) => a.distance(b),
            _ => 0.0,
        };
        if metres < MIN_LENGTH { Err(BodyError::Short { role: from, metres }) } else { Ok(metres) }
    }

    /// The end site of `joint` farthest from it, or a role-less child that ends the limb; rest position.
    pub(super) fn tip(&self, joint: usize) -> Option<DVec3> {
        let at = self.positions[joint];
        let tips = self.skeleton.joint(joint).tips.iter().map(|tip| at + tip.as_dvec3());
        let ends =
            self.skeleton.children(joint).iter().filter(|&&child| self.skeleton.joint(child).role.is_none());
        let ends = ends.map(|&child| self.positions[child]);
        tips.chain(ends)
            .max_by(|a, b| a.distance(at).total_cmp(&b.distance(at)))
            .filter(|p| p.distance(at) > 0.0)
    }
}
