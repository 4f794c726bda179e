//! One pose at a time, without allocating: what a live performance needs.

use glam::{Quat, Vec3};
use ugoki_base::math::slerp;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};

use super::Retarget;
use super::build::{Moved, Rule};

/// Buffers for [`retarget_pose_into`]; of any size at first, then kept.
#[derive(Debug, Clone, Default)]
pub struct RetargetScratch {
    model: ModelPose,
    world: Vec<Quat>,
}

/// Moves one pose of the source skeleton onto the target; feet are not held, since that needs what comes later.
///
/// Allocates only while `scratch` or `out` is too small.
///
/// # Panics
/// If `pose` does not have one rotation per joint of the map's source.
pub fn retarget_pose_into(map: &Retarget, pose: &Pose, scratch: &mut RetargetScratch, out: &mut Pose) {
    assert_eq!(pose.rotations.len(), map.source.num_joints(), "one rotation per joint of the source");
    forward_kinematics_into(&map.source, pose, &mut scratch.model);
    let model = &scratch.model;
    let num_joints = map.target.num_joints();
    scratch.world.resize(num_joints, Quat::IDENTITY);
    out.rotations.resize(num_joints, Quat::IDENTITY);
    for (joint, rule) in map.rules.iter().enumerate() {
        let above = map.target.parent(joint).map_or(Quat::IDENTITY, |parent| scratch.world[parent]);
        let world = match *rule {
            Rule::Rest(local) => {
                out.rotations[joint] = local;
                scratch.world[joint] = (above * local).normalize();
                continue;
            }
            Rule::Copy { from, turn } => model.rotations[from] * turn,
            Rule::Aim { from, line: [start, end], axis, turn } => {
                let now = model.rotations[from] * axis;
                let along = (model.positions[end] - model.positions[start]).normalize_or(now);
                Quat::from_rotation_arc(now.normalize_or(along), along) * model.rotations[from] * turn
            }
            Rule::Mix { from: [a, b], turns, share } => {
                slerp(model.rotations[a] * turns[0], model.rotations[b] * turns[1], share)
            }
        };
        let world = world.normalize();
        scratch.world[joint] = world;
        out.rotations[joint] = (above.conjugate() * world).normalize();
    }
    out.root = root(map, model, &scratch.world);
    out.translations.clear();
    for &(joint, place) in &pose.translations {
        let Some(Moved { to, usual, offset, scale }) = map.moved[joint] else { continue };
        let (Some(parent), Some(below)) = (map.source.parent(joint), map.target.parent(to)) else { continue };
        let away = model.rotations[parent] * (place - usual) * scale;
        let place = offset + scratch.world[below].conjugate() * away;
        // In joint order; bodies number their joints alike, so this is nearly always at the end.
        let at = out.translations.partition_point(|(joint, _)| *joint < to);
        out.translations.insert(at, (to, place));
    }
    for &(from, to) in &map.faces {
        let Ok(place) = pose.translations.binary_search_by_key(&from, |(joint, _)| *joint) else { continue };
        let at = out.translations.partition_point(|(joint, _)| *joint < to);
        out.translations.insert(at, (to, pose.translations[place].1));
    }
}

/// Place of the target's joint 0: the middle of the hip joints travels in proportion to the legs, its height over the
/// ankles too.
fn root(map: &Retarget, model: &ModelPose, world: &[Quat]) -> Vec3 {
    let [left, right] = map.source_legs.map(|joint| model.positions[joint].as_dvec3());
    let mut centre = 0.5 * (left + right) * map.scale;
    let ground = &map.ground;
    centre.y += ground.target_ankle_m - ground.source_ankle_m - ground.floor.height_at(centre.x, centre.z);
    if !map.same_rig {
        return centre.as_vec3() - world[map.target_hips] * map.centre - map.above;
    }
    let [left, right] = map.target_legs.map(|leg| {
        let mut from_root = Vec3::ZERO;
        let mut joint = leg;
        while let Some(parent) = map.target.parent(joint) {
            from_root += world[parent] * map.target.joint(joint).offset;
            joint = parent;
        }
        from_root
    });
    centre.as_vec3() - 0.5 * (left + right)
}
