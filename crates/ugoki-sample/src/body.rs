//! The sample actor's body: 22 joints, 1.70 m tall, in VRM's T-pose.
//!
//! Heights and lengths are the fractions of stature H of [drilliscontini1966] as drawn in [winter2009,
//! Fig. 4.1]: knee 0.285 H, hip 0.530 H, ankle 0.039 H, shoulder 0.818 H, upper arm 0.186 H, forearm
//! 0.146 H, hand 0.108 H, foot 0.152 H long, shoulders 0.129 H from the midline. What the figure does not
//! give (spine levels, hip joint spacing, where the ball of the foot is) is said at its constant.

use std::sync::{Arc, LazyLock};

use glam::{DVec3, Vec3};
use ugoki_base::skeleton::{Joint, Role, Side, Skeleton};

/// Stature, metres.
pub const STATURE: f64 = 1.70;
/// Hip joint to knee, metres.
pub(super) const THIGH: f64 = (0.530 - 0.285) * STATURE;
/// Knee to ankle, metres.
pub(super) const SHANK: f64 = (0.285 - 0.039) * STATURE;
/// Height of the ankle joint above the sole, metres.
pub(super) const ANKLE_HEIGHT: f64 = 0.039 * STATURE;
/// Hip joint centres from the midline, metres: 0.052 H, about half the width over the trochanters (0.191 H).
pub(super) const HIP_HALF_WIDTH: f64 = 0.052 * STATURE;
/// The hips joint lies this far above the hip joint centres, metres: the middle of the pelvis.
pub(super) const HIPS_ABOVE: f64 = 0.017 * STATURE;
/// Height of the hips joint in rest, metres.
pub(super) const HIPS_HEIGHT: f64 = 0.530 * STATURE + HIPS_ABOVE;

/// Foot length, metres.
const FOOT: f64 = 0.152 * STATURE;
/// The heel lies behind the ankle by this fraction of the foot's length; the ankle stands over its hind quarter.
const HEEL_FRACTION: f64 = 0.235;
/// The ball of the foot (the toe joint) lies at 70 % of the foot's length from the heel.
const BALL_FRACTION: f64 = 0.70;
/// Height of the toe joint's centre above the sole, metres: half the thickness of the forefoot.
const BALL_HEIGHT: f64 = 0.018;

/// Where the heel touches the ground, in the foot joint's frame, metres.
#[must_use]
pub fn heel_point() -> Vec3 {
    heel().as_vec3()
}

/// The sole under the ball of the foot, in the foot joint's frame, metres.
#[must_use]
pub fn ball_point() -> Vec3 {
    (toe_joint() - DVec3::Y * BALL_HEIGHT).as_vec3()
}

/// The sole under the tip of the toes, in the toe joint's frame, metres: its end site.
#[must_use]
pub fn toe_tip() -> Vec3 {
    Vec3::new(0.0, -BALL_HEIGHT as f32, (FOOT * (1.0 - BALL_FRACTION)) as f32)
}

/// Heel contact in the foot frame.
pub(super) fn heel() -> DVec3 {
    DVec3::new(0.0, -ANKLE_HEIGHT, -HEEL_FRACTION * FOOT)
}

/// The toe joint in the foot frame.
pub(super) fn toe_joint() -> DVec3 {
    DVec3::new(0.0, BALL_HEIGHT - ANKLE_HEIGHT, (BALL_FRACTION - HEEL_FRACTION) * FOOT)
}

/// +1 for the left side, −1 for the right.
pub(super) fn sign(side: Side) -> f64 {
    match side {
        Side::Left => 1.0,
        Side::Right => -1.0,
    }
}

/// Joint indices, in the order in which [`skeleton`] builds them.
pub(super) mod joint {
    /// Trunk.
    pub(crate) const HIPS: usize = 0;
    pub(crate) const SPINE: usize = 1;
    pub(crate) const CHEST: usize = 2;
    pub(crate) const UPPER_CHEST: usize = 3;
    pub(crate) const NECK: usize = 4;
    pub(crate) const HEAD: usize = 5;
    /// First of shoulder, upper arm, lower arm, hand: left, right.
    pub(crate) const ARM: [usize; 2] = [6, 10];
    /// First of upper leg, lower leg, foot, toes: left, right.
    pub(crate) const LEG: [usize; 2] = [14, 18];
}

/// The sample actor's skeleton: VRM names and roles, T-pose, facing +Z, soles on y = 0.
#[must_use]
pub fn skeleton() -> Arc<Skeleton> {
    static SKELETON: LazyLock<Arc<Skeleton>> = LazyLock::new(build);
    Arc::clone(&SKELETON)
}

fn build() -> Arc<Skeleton> {
    let h = STATURE;
    // Spine levels follow the vertebrae of an upright adult: L4, T12, T7, C7, and the base of the skull.
    let (spine, chest, upper, neck, head) = (0.588 * h, 0.659 * h, 0.741 * h, 0.842 * h, 0.890 * h);
    let up = |from: f64, to: f64| DVec3::new(0.0, to - from, 0.0);
    let mut joints: Vec<Joint> = Vec::with_capacity(22);
    let mut add = |role: Role, parent: Option<usize>, offset: DVec3, tip: Option<DVec3>| {
        let mut joint = Joint::new(role.name(), parent, offset.as_vec3());
        joint.role = Some(role);
        joint.tips.extend(tip.map(DVec3::as_vec3));
        joints.push(joint);
    };
    add(Role::Hips, None, DVec3::Y * HIPS_HEIGHT, None);
    add(Role::Spine, Some(joint::HIPS), up(HIPS_HEIGHT, spine), None);
    add(Role::Chest, Some(joint::SPINE), up(spine, chest), None);
    add(Role::UpperChest, Some(joint::CHEST), up(chest, upper), None);
    add(Role::Neck, Some(joint::UPPER_CHEST), up(upper, neck), None);
    add(Role::Head, Some(joint::NECK), up(neck, head), Some(up(head, h)));
    let arms = [
        [Role::LeftShoulder, Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
        [Role::RightShoulder, Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
    ];
    // The collar bone starts 2.5 cm from the midline; its end is the shoulder joint.
    let (collar_x, shoulder_x, shoulder_y) = (0.025, 0.129 * h, 0.818 * h);
    for (roles, (first, side)) in arms.into_iter().zip(joint::ARM.into_iter().zip([1.0, -1.0])) {
        let x = |length: f64| DVec3::X * (side * length);
        add(roles[0], Some(joint::UPPER_CHEST), x(collar_x) + up(upper, shoulder_y), None);
        add(roles[1], Some(first), x(shoulder_x - collar_x), None);
        add(roles[2], Some(first + 1), x(0.186 * h), None);
        add(roles[3], Some(first + 2), x(0.146 * h), Some(x(0.108 * h)));
    }
    let legs = [
        [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftToes],
        [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot, Role::RightToes],
    ];
    for (roles, (first, side)) in legs.into_iter().zip(joint::LEG.into_iter().zip([1.0, -1.0])) {
        add(roles[0], Some(joint::HIPS), DVec3::new(side * HIP_HALF_WIDTH, -HIPS_ABOVE, 0.0), None);
        add(roles[1], Some(first), DVec3::NEG_Y * THIGH, None);
        add(roles[2], Some(first + 1), DVec3::NEG_Y * SHANK, None);
        add(roles[3], Some(first + 2), toe_joint(), Some(toe_tip().as_dvec3()));
    }
    match Skeleton::build(joints) {
        Ok(skeleton) => skeleton,
        // The joints above are constant; the test below builds them.
        Err(error) => unreachable!("{error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_a_t_pose_of_22_joints_standing_on_the_ground() {
        let skeleton = skeleton();
        assert_eq!(skeleton.num_joints(), 22);
        let rest = skeleton.rest_positions();
        let at = |role: Role| rest[skeleton.find(role).unwrap()];
        assert!((at(Role::Head) + skeleton.joint(joint::HEAD).tips[0] - Vec3::Y * 1.70).length() < 1e-5);
        for (foot, toes) in [(Role::LeftFoot, Role::LeftToes), (Role::RightFoot, Role::RightToes)] {
            for point in [at(foot) + heel_point(), at(foot) + ball_point(), at(toes) + toe_tip()] {
                assert!(point.y.abs() < 1e-6, "{point}");
            }
            assert!(at(toes).z > at(foot).z, "feet point along +Z");
        }
        assert!((at(Role::LeftHand).y - at(Role::LeftShoulder).y).abs() < 1e-6, "arms are level");
        assert!(at(Role::LeftHand).x > 0.7 && at(Role::RightHand).x < -0.7, "left is +X");
    }

    #[test]
    fn every_joint_has_its_mirror() {
        let skeleton = skeleton();
        let rest = skeleton.rest_positions();
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let mirrored = skeleton.find(joint.role.unwrap().mirrored()).unwrap();
            assert_eq!(rest[mirrored], rest[index] * Vec3::new(-1.0, 1.0, 1.0), "{}", joint.name);
        }
    }
}
