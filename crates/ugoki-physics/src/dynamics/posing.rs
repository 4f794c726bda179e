//! From a posed skeleton to a state and back.
//!
//! A link takes the rotation of its skeleton joint `frame_joint`. Where a link spans several joints (the torso from the
//! lowest moving joint of the back to the topmost), going back turns the first of them and leaves the others bent as
//! they were, so that the last ends up as the link is.

use glam::{DQuat, DVec3};
use ugoki_base::pose::{ModelPose, Pose};
use ugoki_base::skeleton::Skeleton;

use super::body::Body;
use super::kinematics::Kinematics;
use super::state::BodyState;

impl BodyState {
    /// Takes the coordinates from a posed skeleton, the one the body was built from; velocities stay.
    ///
    /// A hinge keeps the part of its joint's rotation about its axis, and what the joints of trunk, shoulder blades and
    /// wrists do beyond the body's is left out.
    pub fn set_pose(&mut self, body: &Body, model: &ModelPose) {
        let world = |link: usize| model.rotations[body.link(link).frame_joint].as_dquat();
        self.set_root_position(model.positions[body.link(0).origin_joint].as_dvec3());
        for (index, link) in body.links().iter().enumerate() {
            let local = link.parent.map_or(world(index), |parent| world(parent).conjugate() * world(index));
            self.set_rotation(body, index, local);
        }
    }
}

/// Turns `pose` so that every link of the placed body is as `kinematics` has it; `skeleton` is the body's.
///
/// Joints that belong to no link of the body (fingers, shoulder blades, the upper spine) keep their rotation in `pose`.
/// `world` is scratch and holds the joints' world rotations after; it grows to their number once.
pub fn write_pose(
    body: &Body,
    kinematics: &Kinematics,
    skeleton: &Skeleton,
    pose: &mut Pose,
    world: &mut Vec<DQuat>,
) {
    let root = kinematics.link(0).position;
    write_rotations(body, |link| kinematics.link(link).rotation, root, skeleton, pose, world);
}

/// [`write_pose`] with the world rotation of each link and the position of the hips given.
pub fn write_rotations(
    body: &Body,
    rotation: impl Fn(usize) -> DQuat,
    root: DVec3,
    skeleton: &Skeleton,
    pose: &mut Pose,
    world: &mut Vec<DQuat>,
) {
    world.clear();
    for (joint, at) in skeleton.joints().iter().enumerate() {
        let above = at.parent.map_or(DQuat::IDENTITY, |parent| world[parent]);
        let mut local = pose.rotations[joint].as_dquat();
        if let Some(link) = body.links().iter().position(|link| link.origin_joint == joint) {
            // Bends of the joints from the next one to the frame's, as the pose has them.
            let mut beyond = DQuat::IDENTITY;
            let mut at = body.link(link).frame_joint;
            while at != joint {
                beyond = pose.rotations[at].as_dquat() * beyond;
                match skeleton.parent(at) {
                    Some(parent) => at = parent,
                    None => break,
                }
            }
            local = (above.conjugate() * rotation(link) * beyond.conjugate()).normalize();
            pose.rotations[joint] = local.as_quat();
        }
        world.push(above * local);
    }
    place_root(body, root, skeleton, pose, world);
}

/// Puts the hips where the root is: the path of joint 0, or the hips' own translation when they are not joint 0.
fn place_root(body: &Body, wanted: DVec3, skeleton: &Skeleton, pose: &mut Pose, world: &[DQuat]) {
    let hips = body.link(0).origin_joint;
    if hips == 0 {
        pose.root = wanted.as_vec3();
        return;
    }
    // Position of the hips' parent in the world, from the top.
    let mut position = pose.root.as_dvec3();
    let mut chain = skeleton.parent(hips);
    let mut below = glam::DVec3::ZERO;
    while let Some(joint) = chain {
        if let Some(parent) = skeleton.parent(joint) {
            let moved = pose.translations.iter().find(|(j, _)| *j == joint).map(|(_, at)| *at);
            below += world[parent] * moved.unwrap_or(skeleton.joint(joint).offset).as_dvec3();
        }
        chain = skeleton.parent(joint);
    }
    position += below;
    let Some(parent) = skeleton.parent(hips) else { return };
    let local = (world[parent].conjugate() * (wanted - position)).as_vec3();
    match pose.translations.binary_search_by_key(&hips, |(joint, _)| *joint) {
        Ok(at) => pose.translations[at].1 = local,
        Err(at) => pose.translations.insert(at, (hips, local)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::person::person;
    use super::super::properties::random_state;
    use super::super::{BodyConfig, JointKind, difference_into, kinematics_into};
    use super::*;
    use glam::{Quat, Vec3};
    use ugoki_base::math::{Random, angle_between};
    use ugoki_base::pose::forward_kinematics;
    use ugoki_base::skeleton::{Joint, Role};

    /// The person under an extra joint, as exporters add one.
    fn under_a_reference() -> std::sync::Arc<Skeleton> {
        let mut joints = vec![Joint::new("reference", None, Vec3::new(0.5, 0.0, -1.0))];
        for joint in person().joints() {
            let parent = Some(joint.parent.map_or(0, |p| p + 1));
            joints.push(Joint { parent, ..joint.clone() });
        }
        Skeleton::build(joints).unwrap()
    }

    #[test]
    fn reading_a_written_pose_gives_the_state_back() {
        let mut random = Random::new(31);
        let mut world = Vec::new();
        for skeleton in [person(), under_a_reference()] {
            let body = Body::build(&skeleton, &BodyConfig::default()).unwrap();
            let (mut kinematics, mut off) = (Kinematics::new(&body), vec![0.0; body.num_dofs()]);
            for _ in 0..50 {
                let state = random_state(&body, &mut random);
                kinematics_into(&body, &state, &mut kinematics);
                let mut pose = Pose::rest(&skeleton);
                for q in &mut pose.rotations {
                    *q = Quat::from_rotation_x(random.range(-0.4, 0.4) as f32);
                }
                let before = pose.clone();
                write_pose(&body, &kinematics, &skeleton, &mut pose, &mut world);
                let mut back = BodyState::rest(&body);
                back.set_pose(&body, &forward_kinematics(&skeleton, &pose));
                difference_into(&body, &state.q, &back.q, &mut off);
                for link in body.links().iter().filter(|link| link.joint != JointKind::Hinge) {
                    let worst = off[link.dof..link.dof + link.num_dofs()]
                        .iter()
                        .fold(0.0, |m: f64, e| m.max(e.abs()));
                    // f32 poses over chains of five joints; the root is some metres away.
                    assert!(worst < 5e-6, "{}: {worst}", link.role);
                }
                // Hands and shoulder blades belong to no joint of the body and stay.
                for role in [Role::LeftHand, Role::RightShoulder, Role::UpperChest] {
                    let joint = skeleton.find(role).unwrap();
                    assert!(angle_between(pose.rotations[joint], before.rotations[joint]) < 1e-6);
                }
            }
        }
    }
}
