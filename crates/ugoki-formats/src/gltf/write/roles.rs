//! The roles that VRM's humanoid needs, and a clip reduced to them.

use std::sync::Arc;

use glam::{Quat, Vec3};
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Joint, Role, Skeleton, SkeletonError};

use super::t_pose::{self, TPose};
use crate::{Findings, Format, Severity, WriteError, counted};

/// What every VRM body has.
const REQUIRED: [Role; 15] = [
    Role::Hips,
    Role::Spine,
    Role::Head,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::RightHand,
];

/// Joints that land farther than this from where they were, metres, are reported: far above rounding, and what
/// tests of players allow.
const MOVED: f32 = 1e-4;

/// Refuses skeletons that lack a required role.
pub(super) fn check(skeleton: &Skeleton, format: Format) -> Result<(), WriteError> {
    let named = named(skeleton);
    let missing: Vec<&str> = REQUIRED
        .iter()
        .filter(|role| !named.iter().any(|(known, _)| known == *role))
        .map(|role| role.name())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(WriteError::Unfit {
        message: format!(
            "{} needs a human body, but no joint is known as {}",
            format.name(),
            missing.join(", ")
        ),
        hint: "write .glb, which holds any skeleton, or retarget onto a human one first",
    })
}

/// VRM turns eyes by its look-at, not by joints.
pub(super) fn is_eye(role: Role) -> bool {
    matches!(role, Role::LeftEye | Role::RightEye)
}

/// The roles a humanoid map may name, with their joints, in joint order: all at or below the hips, and
/// none without the one it stands on (a fingertip without its middle). The back is named from below, since
/// VRM requires a spine before a chest and a chest before an upper chest.
pub(super) fn named(skeleton: &Skeleton) -> Vec<(Role, usize)> {
    const BACK: [Role; 3] = [Role::Spine, Role::Chest, Role::UpperChest];
    let Some(hips) = skeleton.find(Role::Hips) else { return Vec::new() };
    let find = |role: Role| skeleton.find(role).filter(|&joint| skeleton.is_below(joint, hips));
    let mut kept: Vec<(Role, usize)> = BACK.into_iter().zip(BACK.into_iter().filter_map(find)).collect();
    for &role in Role::ALL.iter().filter(|role| !BACK.contains(role)) {
        let stands = base(role).is_none_or(|base| kept.iter().any(|&(known, _)| known == base));
        kept.extend(find(role).filter(|_| stands).map(|joint| (role, joint)));
    }
    kept.sort_by_key(|&(_, joint)| joint);
    kept
}

/// The role that must be there for this one.
fn base(role: Role) -> Option<Role> {
    let name = role.name();
    let before = if name.contains("Thumb") {
        [("Proximal", "Metacarpal"), ("Distal", "Proximal")]
    } else {
        [("Intermediate", "Proximal"), ("Distal", "Intermediate")]
    };
    let (ending, other) = before.into_iter().find(|(ending, _)| name.ends_with(ending))?;
    Role::from_name(&format!("{}{other}", name.strip_suffix(ending)?))
}

/// The clip on a skeleton of its roles in T-pose: the hips are the root and the only joint with a path.
pub(super) fn reduce(clip: &Clip, findings: &mut Findings) -> Result<Clip, WriteError> {
    let full = clip.skeleton();
    let t_pose = t_pose::from_clip(clip);
    let named: Vec<(Role, usize)> = named(full).into_iter().filter(|&(role, _)| !is_eye(role)).collect();
    let skeleton = reduced_skeleton(full, &t_pose, &named)
        .map_err(|error| WriteError::Unfit { message: error.to_string(), hint: "write .glb instead" })?;
    let mut poses = Vec::with_capacity(clip.num_frames());
    let (mut pose, mut model, mut moved) = (Pose::rest(full), ModelPose::default(), ModelPose::default());
    let aims = aims(full, &skeleton, &named);
    let mut worst = (0.0f32, 0usize);
    let mut turned = vec![Quat::IDENTITY; named.len()];
    for frame in 0..clip.num_frames() {
        clip.pose_into(frame, &mut pose);
        forward_kinematics_into(full, &pose, &mut model);
        for (index, &(_, joint)) in named.iter().enumerate() {
            turned[index] = model.rotations[joint] * t_pose.turns[joint].conjugate();
        }
        for &(index, child) in &aims {
            let along = (model.positions[named[child].1] - model.positions[named[index].1]).try_normalize();
            let led = (turned[index] * skeleton.joint(child).offset).try_normalize();
            if let Some((led, along)) = led.zip(along) {
                turned[index] = Quat::from_rotation_arc(led, along) * turned[index];
            }
        }
        let mut out = Pose::rest(&skeleton);
        out.root = model.positions[named[0].1];
        for (index, rotation) in out.rotations.iter_mut().enumerate() {
            let above = skeleton.parent(index).map_or(Quat::IDENTITY, |parent| turned[parent]);
            *rotation = (above.conjugate() * turned[index]).normalize();
        }
        forward_kinematics_into(&skeleton, &out, &mut moved);
        for (index, &(_, joint)) in named.iter().enumerate() {
            let apart = moved.positions[index].distance(model.positions[joint]);
            if apart > worst.0 {
                worst = (apart, joint);
            }
        }
        poses.push(out);
    }
    report_losses(clip, named.len(), worst, findings);
    let mut reduced = Clip::from_poses(skeleton, clip.fps(), &poses)
        .map_err(|error| WriteError::Unfit { message: error.to_string(), hint: "write .glb instead" })?;
    reduced.name.clone_from(&clip.name);
    reduced.tpose_frame = clip.tpose_frame;
    Ok(reduced)
}

/// The roles' joints in T-pose, named by them.
fn reduced_skeleton(
    full: &Skeleton,
    t_pose: &TPose,
    named: &[(Role, usize)],
) -> Result<Arc<Skeleton>, SkeletonError> {
    let place_of = |joint: usize| named.iter().position(|&(_, other)| other == joint);
    let places = t_pose.skeleton.rest_positions();
    let mut joints: Vec<Joint> = Vec::with_capacity(named.len());
    for &(role, joint) in named {
        let mut above = full.parent(joint);
        while let Some(at) = above.filter(|&at| place_of(at).is_none()) {
            above = full.parent(at);
        }
        let parent = above.and_then(place_of);
        let base = above.map_or(Vec3::ZERO, |above| places[above]);
        let mut reduced = Joint::new(role.name(), parent, places[joint] - base);
        reduced.tips.clone_from(&t_pose.skeleton.joint(joint).tips);
        reduced.role = Some(role);
        joints.push(reduced);
    }
    Skeleton::build(joints)
}

/// A skeleton as a VRMA file written from it has it.
#[derive(Debug, Clone)]
pub struct VrmaBody {
    /// The same joints, in the same order, in T-pose.
    pub skeleton: Arc<Skeleton>,
    /// How far every joint turns from its rest to the T-pose: a world rotation R in the file is R·turn on the skeleton.
    pub turns: Vec<Quat>,
}

/// The body that [`write`](super::write()) gives a VRMA file of motion on `skeleton`; `None` where the file would lack
/// joints, or have them differently than the rest pose alone suggests.
#[must_use]
pub fn vrma_body(skeleton: &Arc<Skeleton>) -> Option<VrmaBody> {
    let t_pose = t_pose::from_rest(skeleton)?;
    let named = named(skeleton);
    let faces: Vec<&str> = skeleton.expressions().map(|joint| skeleton.joint(joint).name.as_str()).collect();
    let same = |(index, &(role, joint)): (usize, &(Role, usize))| {
        index == joint && skeleton.joint(joint).role == Some(role) && !is_eye(role)
    };
    if named.len() + faces.len() != skeleton.num_joints() || !named.iter().enumerate().all(same) {
        return None;
    }
    let body = reduced_skeleton(skeleton, &t_pose, &named).ok()?.with_expressions(faces).ok()?;
    Some(VrmaBody { skeleton: body, turns: t_pose.turns })
}

/// Joints that lead to one role only, past joints without roles (CMU's second neck joint): index of both. They
/// are swung so that they point to where that role is; else the turns of the joints between would move it.
fn aims(full: &Skeleton, reduced: &Skeleton, named: &[(Role, usize)]) -> Vec<(usize, usize)> {
    let leads = |index: usize| match *reduced.children(index) {
        [child] if full.parent(named[child].1) != Some(named[index].1) => Some((index, child)),
        _ => None,
    };
    (0..named.len()).filter_map(leads).collect()
}

fn report_losses(clip: &Clip, kept: usize, (apart, joint): (f32, usize), findings: &mut Findings) {
    let lost = clip.num_joints() - kept;
    if lost > 0 {
        let message = format!("{} no role that VRMA can hold", counted(lost, "joint has", "joints have"));
        findings.note(Severity::Info, None, "joints-left-out", message, "the joints below turn for them");
    }
    if apart > MOVED {
        let name = &clip.skeleton().joint(joint).name;
        let message =
            format!("{name:?} is up to {:.1} mm off: VRMA moves only the hips from their place", apart * 1e3);
        findings.note(Severity::Warning, None, "joints-moved", message, "rotations are kept");
    }
}
