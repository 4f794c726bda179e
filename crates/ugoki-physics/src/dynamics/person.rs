//! A plain person for tests and benches: 22 joints, 1.70 m, T-pose, all roles.

use std::sync::Arc;

use glam::Vec3;
use ugoki_base::skeleton::{Joint, Role, Skeleton};

/// Rest offsets follow Winter's fractions of a stature of 1.70 m.
pub(super) fn person() -> Arc<Skeleton> {
    let mut joints: Vec<Joint> = Vec::new();
    let mut add = |role: Role, parent: Option<usize>, offset: [f32; 3], tip: Option<[f32; 3]>| {
        let mut joint = Joint::new(role.name(), parent, Vec3::from_array(offset));
        joint.role = Some(role);
        joint.tips.extend(tip.map(Vec3::from_array));
        joints.push(joint);
        joints.len() - 1
    };
    let hips = add(Role::Hips, None, [0.0, 0.95, 0.0], None);
    let spine = add(Role::Spine, Some(hips), [0.0, 0.10, -0.01], None);
    let chest = add(Role::Chest, Some(spine), [0.0, 0.13, 0.0], None);
    let upper = add(Role::UpperChest, Some(chest), [0.0, 0.13, 0.0], None);
    let neck = add(Role::Neck, Some(upper), [0.0, 0.16, 0.0], None);
    add(Role::Head, Some(neck), [0.0, 0.08, 0.02], Some([0.0, 0.15, 0.0]));
    for (side, roles) in [
        (1.0, [Role::LeftShoulder, Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand]),
        (-1.0, [Role::RightShoulder, Role::RightUpperArm, Role::RightLowerArm, Role::RightHand]),
    ] {
        let collar = add(roles[0], Some(upper), [0.03 * side, 0.11, 0.0], None);
        let arm = add(roles[1], Some(collar), [0.16 * side, 0.0, -0.01], None);
        let forearm = add(roles[2], Some(arm), [0.29 * side, 0.0, 0.0], None);
        add(roles[3], Some(forearm), [0.25 * side, 0.0, 0.0], Some([0.18 * side, 0.0, 0.0]));
    }
    for (side, roles) in [
        (1.0, [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftToes]),
        (-1.0, [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot, Role::RightToes]),
    ] {
        let thigh = add(roles[0], Some(hips), [0.09 * side, -0.05, 0.0], None);
        let shank = add(roles[1], Some(thigh), [0.0, -0.41, 0.01], None);
        let foot = add(roles[2], Some(shank), [0.0, -0.42, -0.02], None);
        add(roles[3], Some(foot), [0.01 * side, -0.05, 0.13], Some([0.0, -0.01, 0.07]));
    }
    Skeleton::build(joints).expect("a tree")
}
