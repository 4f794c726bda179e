//! Which points of a skeleton touch the ground.

use glam::{DVec3, Vec3};
use ugoki_base::pose::ModelPose;
use ugoki_base::skeleton::{Role, Skeleton};

use super::error::ContactError;

/// Legs (thigh and shin) of the adults whose captures set the constants, metres; lengths and speeds scale with it.
pub const REFERENCE_LEG_M: f64 = 0.85;

/// A point fixed to a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FootPoint {
    /// The joint that carries it.
    pub joint: usize,
    /// Place in the joint's frame, metres.
    pub offset: Vec3,
}

impl FootPoint {
    /// World position in a pose.
    #[must_use]
    pub fn position(&self, pose: &ModelPose) -> Vec3 {
        pose.point(self.joint, self.offset)
    }
}

/// One leg's joints and its two points of contact; the heel is judged by the ankle joint above it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foot {
    /// Joint of the hip.
    pub upper: usize,
    /// Joint of the knee.
    pub lower: usize,
    /// Joint of the ankle, which stands for the heel.
    pub ankle: usize,
    /// The toes joint, or the foot's tip where there is none.
    pub toe: FootPoint,
    /// Distance from ankle to toe point in rest, metres; 0 when the skeleton ends at the ankle.
    pub length_m: f64,
}

/// Both legs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feet {
    /// Left, then right.
    pub feet: [Foot; 2],
    /// Mean length of thigh and shin, metres.
    pub leg_m: f64,
}

impl Feet {
    /// Body size relative to an adult with legs of 0.85 m.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.leg_m / REFERENCE_LEG_M
    }

    /// The middle between both hip joints, metres.
    pub fn between_hips(&self, pose: &ModelPose) -> DVec3 {
        let [left, right] = self.feet.each_ref().map(|foot| pose.positions[foot.upper].as_dvec3());
        0.5 * (left + right)
    }
}

/// Finds both legs by their roles.
///
/// # Errors
/// Names the role that no joint has; or a leg without length.
pub fn find_feet(skeleton: &Skeleton) -> Result<Feet, ContactError> {
    let find = |role| skeleton.find(role).ok_or(ContactError::NoJoint { role });
    let rest = skeleton.rest_positions();
    let foot = |[upper, lower, ankle, toes]: [Role; 4]| -> Result<(Foot, f64), ContactError> {
        let (upper, lower, ankle) = (find(upper)?, find(lower)?, find(ankle)?);
        let leg = f64::from((rest[lower] - rest[upper]).length() + (rest[ankle] - rest[lower]).length());
        let toe = toe_point(skeleton, &rest, ankle, skeleton.find(toes), leg);
        let length_m = f64::from((rest[toe.joint] + toe.offset - rest[ankle]).length());
        Ok((Foot { upper, lower, ankle, toe, length_m }, leg))
    };
    let (left, left_leg) = foot([Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftToes])?;
    let (right, right_leg) =
        foot([Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot, Role::RightToes])?;
    let leg_m = 0.5 * (left_leg + right_leg);
    if !(leg_m.is_finite() && leg_m > 1e-6) {
        return Err(ContactError::NoLength);
    }
    Ok(Feet { feet: [left, right], leg_m })
}

/// The toes joint when it stands apart from the ankle; else the farthest tip or child; else the ankle itself.
fn toe_point(skeleton: &Skeleton, rest: &[Vec3], ankle: usize, toes: Option<usize>, leg: f64) -> FootPoint {
    // A toes joint nearer than a fiftieth of the leg is a placeholder on the ankle.
    let apart = |p: Vec3| f64::from((p - rest[ankle]).length()) > 0.02 * leg;
    if let Some(joint) = toes.filter(|&joint| apart(rest[joint])) {
        return FootPoint { joint, offset: Vec3::ZERO };
    }
    let mut best = FootPoint { joint: ankle, offset: Vec3::ZERO };
    let mut farthest = 0.0;
    let joints = [Some(ankle), toes].into_iter().flatten();
    for joint in joints.chain(skeleton.children(ankle).iter().copied()) {
        for offset in skeleton.joint(joint).tips.iter().copied().chain([Vec3::ZERO]) {
            let distance = (rest[joint] + offset - rest[ankle]).length();
            if distance > farthest && apart(rest[joint] + offset) {
                farthest = distance;
                best = FootPoint { joint, offset };
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use ugoki_testing::walker::skeleton_joints;

    #[test]
    fn without_a_toes_joint_the_tip_of_the_foot_is_the_toe() {
        let mut joints = skeleton_joints();
        let toes = joints.iter().position(|j| j.role == Some(Role::LeftToes)).unwrap();
        joints[toes].role = None;
        let feet = find_feet(&Skeleton::build(joints.clone()).unwrap()).unwrap();
        assert_eq!(feet.feet[0].toe.joint, toes, "the child is the farthest point of the foot");
        joints[toes].tips.clear();
        joints[toes].offset = Vec3::ZERO;
        let ankle = joints[toes].parent.unwrap();
        joints[ankle].tips = vec![Vec3::new(0.0, -0.08, 0.2)];
        let feet = find_feet(&Skeleton::build(joints).unwrap()).unwrap();
        assert_eq!(feet.feet[0].toe, FootPoint { joint: ankle, offset: Vec3::new(0.0, -0.08, 0.2) });
    }

    #[test]
    fn a_body_without_feet_is_refused_by_the_missing_role() {
        let mut joints = skeleton_joints();
        for joint in &mut joints {
            if joint.role == Some(Role::RightFoot) {
                joint.role = None;
            }
        }
        let error = find_feet(&Skeleton::build(joints).unwrap()).unwrap_err();
        assert_eq!(error, ContactError::NoJoint { role: Role::RightFoot });
    }
}
