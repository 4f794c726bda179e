//! Frames that mean the same on every body: `joint_from_role` for each role of a stance.
//!
//! Limbs and fingers: X along the bone to the next joint, Y about the hinge, as it is when the limb is brought into a T-pose the
//! shortest way. Trunk, head and shoulders: left, up and front of the body. Feet and toes: left, up and front of the sole.

use glam::{DMat3, DQuat, DVec3};
use ugoki_base::skeleton::{Role, Side};

use super::foot::sole_frame;
use super::limbs::{LIMBS, feet};
use super::stance::Stance;

/// `joint_from_role` of every role that a joint has.
pub(super) fn role_frames(stance: &Stance) -> [Option<DQuat>; Role::COUNT] {
    let mut world: [Option<DQuat>; Role::COUNT] = [None; Role::COUNT];
    for &role in Role::ALL {
        if stance.skeleton.find(role).is_some() {
            world[role.index()] = Some(stance.body);
        }
    }
    for (limb, hinge) in LIMBS.iter().zip(&stance.hinges) {
        limb_frames(stance, limb, *hinge, &mut world);
    }
    for side in [Side::Left, Side::Right] {
        hand_frames(stance, side, &mut world);
        let (foot, toes) = feet(side);
        let sole = sole_frame(stance, side);
        world[foot.index()] = sole;
        if stance.skeleton.find(toes).is_some() {
            world[toes.index()] = sole;
        }
    }
    let mut frames = [None; Role::COUNT];
    for &role in Role::ALL {
        if let (Some(world), Some(joint)) = (world[role.index()], stance.skeleton.find(role)) {
            frames[role.index()] = Some((stance.rotations[joint].conjugate() * world).normalize());
        }
    }
    frames
}

/// Direction of an arm or leg in a T-pose and the axis about which it flexes, in the body's frame.
///
/// Palms down, an elbow brings the hand to the front; a knee brings the foot to the back.
fn t_pose_axes(upper: Role) -> (DVec3, DVec3) {
    match upper {
        Role::LeftUpperArm => (DVec3::X, DVec3::NEG_Y),
        Role::RightUpperArm => (DVec3::NEG_X, DVec3::Y),
        _ => (DVec3::NEG_Y, DVec3::X),
    }
}

fn limb_frames(
    stance: &Stance,
    [upper, lower, end]: &[Role; 3],
    hinge: Option<DVec3>,
    world: &mut [Option<DQuat>],
) {
    let (Some(joint), Some(from)) = (stance.skeleton.find(*upper), stance.place(*upper)) else { return };
    let (to, end) = (stance.place(*lower), stance.place(*end));
    let Some(along) = to.or(end).and_then(|to| (to - from).try_normalize()) else { return };
    let (t_along, t_hinge) = t_pose_axes(*upper);
    let hinge = hinge.map_or_else(
        || DQuat::from_rotation_arc(stance.body * t_along, along) * (stance.body * t_hinge),
        |hinge| stance.rotations[joint] * hinge,
    );
    let Some(frame) = bone_frame(along, hinge) else { return };
    world[upper.index()] = Some(frame);
    let below = to.zip(end).and_then(|(to, end)| (end - to).try_normalize());
    if stance.skeleton.find(*lower).is_some() {
        world[lower.index()] = Some(below.map_or(frame, |below| carried(frame, below)));
    }
}

/// A frame taken along the shortest way to another direction of its bone.
fn carried(frame: DQuat, along: DVec3) -> DQuat {
    (DQuat::from_rotation_arc(frame * DVec3::X, along) * frame).normalize()
}

/// X along the bone, Y near the hinge.
fn bone_frame(along: DVec3, hinge: DVec3) -> Option<DQuat> {
    let hinge = (hinge - along * hinge.dot(along)).try_normalize()?;
    Some(DQuat::from_mat3(&DMat3::from_cols(along, hinge, along.cross(hinge))))
}

/// Fingers from the index to the little one, then the thumb, each from its base outwards.
pub(super) fn fingers(side: Side) -> [[Role; 3]; 5] {
    let left = [
        [Role::LeftIndexProximal, Role::LeftIndexIntermediate, Role::LeftIndexDistal],
        [Role::LeftMiddleProximal, Role::LeftMiddleIntermediate, Role::LeftMiddleDistal],
        [Role::LeftRingProximal, Role::LeftRingIntermediate, Role::LeftRingDistal],
        [Role::LeftLittleProximal, Role::LeftLittleIntermediate, Role::LeftLittleDistal],
        [Role::LeftThumbMetacarpal, Role::LeftThumbProximal, Role::LeftThumbDistal],
    ];
    match side {
        Side::Left => left,
        Side::Right => left.map(|finger| finger.map(Role::mirrored)),
    }
}

/// A hand or palm farther from its forearm's line than this, as a cosine, tells nothing about it: 60°.
const PLAUSIBLE: f64 = 0.5;

fn hand_frames(stance: &Stance, side: Side, world: &mut [Option<DQuat>]) {
    let [upper, lower, hand] = LIMBS[usize::from(side == Side::Right)];
    let Some(wrist) = stance.place(hand) else { return };
    let above = world[lower.index()].filter(|_| stance.skeleton.find(lower).is_some());
    let Some(forearm) = above.or(world[upper.index()].filter(|_| stance.skeleton.find(upper).is_some()))
    else {
        return;
    };
    let mut frame = forearm;
    let knuckles: Vec<DVec3> =
        fingers(side)[..4].iter().filter_map(|finger| stance.place(finger[0])).collect();
    if knuckles.len() >= 2 {
        let along = knuckles.iter().map(|p| (*p - wrist).normalize_or_zero()).sum::<DVec3>();
        if let Some(along) = along.try_normalize()
            && along.dot(forearm * DVec3::X) > PLAUSIBLE
        {
            frame = carried(forearm, along);
            // From the little finger to the index: to the front in a T-pose.
            let radial = knuckles[0] - knuckles[knuckles.len() - 1];
            // Away from the palm is up in a T-pose: the hinge's other end on the left, its end on the right.
            let hinge = along.cross(radial);
            if let Some(palm) = bone_frame(along, hinge)
                && (palm * DVec3::Y).dot(frame * DVec3::Y) > PLAUSIBLE
            {
                frame = palm;
            }
        }
    }
    world[hand.index()] = Some(frame);
    for finger in fingers(side) {
        let mut at = frame;
        for (i, role) in finger.iter().enumerate() {
            let (Some(joint), Some(from)) = (stance.skeleton.find(*role), stance.place(*role)) else {
                continue;
            };
            let next = finger[i + 1..].iter().find_map(|role| stance.place(*role));
            let tip = || {
                let tip = stance.skeleton.joint(joint).tips.first()?.as_dvec3();
                Some(from + stance.rotations[joint] * tip)
            };
            if let Some(along) = next.or_else(tip).and_then(|to| (to - from).try_normalize()) {
                at = carried(at, along);
            }
            world[role.index()] = Some(at);
        }
    }
}
