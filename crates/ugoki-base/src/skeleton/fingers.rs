//! Fingers for a body that has none: five on each hand, by published proportions.
//!
//! Lengths of metacarpals and phalanges are the means of [buryanov2010] over 66 adults. They are scaled so that the
//! wrist-to-fingertip line of the middle finger is as long as the hand: the hand joint's end site where there is one,
//! otherwise what `HAND_FRACTION` of the forearm gives.

use std::sync::Arc;

use glam::{Mat3, Vec3};

use super::{Joint, Role, Skeleton};

/// One finger: lengths in millimetres of metacarpal, proximal, middle and distal bone (the thumb has no middle one),
/// and how far its knuckle lies from the hand's middle line towards the thumb, mm.
struct Finger {
    bones_mm: [f32; 4],
    aside_mm: f32,
}

/// Thumb, index, middle, ring, little finger [buryanov2010, Table I]. Knuckles stand 20 mm apart, as fits a hand 85 mm
/// broad; the thumb begins at the edge of the wrist.
const FINGERS: [Finger; 5] = [
    Finger { bones_mm: [46.22, 31.57, 0.0, 21.67], aside_mm: 22.0 },
    Finger { bones_mm: [68.12, 39.78, 22.38, 15.82], aside_mm: 26.0 },
    Finger { bones_mm: [64.60, 44.63, 26.33, 17.40], aside_mm: 6.0 },
    Finger { bones_mm: [58.00, 41.37, 25.65, 17.30], aside_mm: -14.0 },
    Finger { bones_mm: [53.69, 32.74, 18.11, 15.96], aside_mm: -32.0 },
];
/// Wrist joint to the base of the metacarpals, mm: the carpal bones.
const CARPUS_MM: f32 = 26.0;
/// Flesh beyond the last bone, mm.
const PULP_MM: f32 = 4.0;
/// How far the thumb points away from the fingers in rest, radians: 40°, VRM's T-pose has it between 0 and 45°.
const THUMB_RAD: f32 = 0.698;
/// Hand length over forearm length: 0.108 H / 0.146 H [winter2009, Fig. 4.1].
const HAND_FRACTION: f32 = 0.108 / 0.146;

use Role as R;
/// Joints by hand and finger, from the palm out.
const ROLES: [[[Role; 3]; 5]; 2] = [
    [
        [R::LeftThumbMetacarpal, R::LeftThumbProximal, R::LeftThumbDistal],
        [R::LeftIndexProximal, R::LeftIndexIntermediate, R::LeftIndexDistal],
        [R::LeftMiddleProximal, R::LeftMiddleIntermediate, R::LeftMiddleDistal],
        [R::LeftRingProximal, R::LeftRingIntermediate, R::LeftRingDistal],
        [R::LeftLittleProximal, R::LeftLittleIntermediate, R::LeftLittleDistal],
    ],
    [
        [R::RightThumbMetacarpal, R::RightThumbProximal, R::RightThumbDistal],
        [R::RightIndexProximal, R::RightIndexIntermediate, R::RightIndexDistal],
        [R::RightMiddleProximal, R::RightMiddleIntermediate, R::RightMiddleDistal],
        [R::RightRingProximal, R::RightRingIntermediate, R::RightRingDistal],
        [R::RightLittleProximal, R::RightLittleIntermediate, R::RightLittleDistal],
    ],
];

/// The skeleton with fingers on every hand that has none, palms down in a T-pose that faces +Z.
///
/// Joints keep their order and their numbers; the fingers follow, left hand first, named by their roles. Hands without
/// a role, or with a finger already, stay as they are.
#[must_use]
pub fn with_fingers(skeleton: &Skeleton) -> Arc<Skeleton> {
    let mut joints = skeleton.joints().to_vec();
    for (roles, hand) in ROLES.iter().zip([Role::LeftHand, Role::RightHand]) {
        let Some(hand) = skeleton.find(hand) else { continue };
        if roles.iter().flatten().any(|&role| skeleton.find(role).is_some()) {
            continue;
        }
        add_hand(&mut joints, hand, roles);
    }
    match Skeleton::build(joints) {
        Ok(skeleton) => skeleton,
        // The joints were a skeleton, and finite ones with new roles came after them.
        Err(error) => unreachable!("{error}"),
    }
}

fn add_hand(joints: &mut Vec<Joint>, hand: usize, roles: &[[Role; 3]; 5]) {
    let forearm = joints[hand].offset;
    let along = forearm.try_normalize().unwrap_or(Vec3::X);
    let tip = joints[hand].tips.first().copied().filter(|tip| tip.length() > 0.0);
    let length = tip.map_or(HAND_FRACTION * forearm.length(), Vec3::length);
    let middle = CARPUS_MM + FINGERS[2].bones_mm.iter().sum::<f32>() + PULP_MM;
    let scale = length / middle;
    // Palms down, so thumbs point forward; for a hand that points forward itself, inwards would be as good.
    let aside = (Vec3::Z - along * along.z).try_normalize().unwrap_or(Vec3::X);
    let axis = along.cross(aside).normalize_or(Vec3::Y);
    for (finger, names) in FINGERS.iter().zip(roles) {
        let is_thumb = finger.bones_mm[2] == 0.0;
        let [metacarpal, proximal, intermediate, distal] = finger.bones_mm.map(|mm| mm * scale);
        let knuckle = along * (CARPUS_MM * scale) + aside * (finger.aside_mm * scale);
        // The thumb's first joint is the base of its metacarpal; the others' is the knuckle at its end.
        let (first, lengths) = if is_thumb {
            (knuckle, [metacarpal, proximal, distal])
        } else {
            (knuckle + along * metacarpal, [proximal, intermediate, distal])
        };
        let direction = if is_thumb { Mat3::from_axis_angle(axis, THUMB_RAD) * along } else { along };
        let mut parent = hand;
        let mut offset = first;
        for (index, (&role, length)) in names.iter().zip(lengths).enumerate() {
            let mut joint = Joint::new(role.name(), Some(parent), offset);
            joint.role = Some(role);
            if index == 2 {
                joint.tips.push(direction * (length + PULP_MM * scale));
            }
            parent = joints.len();
            joints.push(joint);
            offset = direction * length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm() -> Arc<Skeleton> {
        let mut joints = vec![
            Joint::new("root", None, Vec3::Y),
            Joint::new("l", Some(0), Vec3::X * 0.25),
            Joint::new("r", Some(0), Vec3::NEG_X * 0.25),
        ];
        joints[1].role = Some(Role::LeftHand);
        joints[2].role = Some(Role::RightHand);
        joints[1].tips.push(Vec3::X * 0.18);
        joints[2].tips.push(Vec3::NEG_X * 0.18);
        Skeleton::build(joints).unwrap()
    }

    #[test]
    fn fingers_reach_as_far_as_the_hand_and_mirror_each_other() {
        let skeleton = with_fingers(&arm());
        assert_eq!(skeleton.num_joints(), 33);
        let rest = skeleton.rest_positions();
        let last = skeleton.find(Role::LeftMiddleDistal).unwrap();
        let reach = rest[last] + skeleton.joint(last).tips[0] - rest[1];
        assert!((reach.x - 0.18).abs() < 1e-4, "{reach}");
        for &role in ROLES[0].iter().flatten() {
            let left = rest[skeleton.find(role).unwrap()];
            let right = rest[skeleton.find(role.mirrored()).unwrap()];
            assert!((right - left * Vec3::new(-1.0, 1.0, 1.0)).length() < 1e-6, "{role}");
        }
    }

    #[test]
    fn thumbs_point_forward_and_out() {
        let skeleton = with_fingers(&arm());
        for thumb in [Role::LeftThumbDistal, Role::RightThumbDistal] {
            let joint = skeleton.joint(skeleton.find(thumb).unwrap());
            assert!(joint.offset.z > 0.0 && joint.tips[0].z > 0.0, "{thumb}");
        }
    }

    #[test]
    fn hands_with_fingers_stay_as_they_are() {
        let once = with_fingers(&arm());
        assert_eq!(with_fingers(&once), once);
    }
}
