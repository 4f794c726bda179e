//! Joints of the SMPL family of body models: their order, parents and roles.

use ugoki_base::skeleton::{Joint, Role};

use Role::*;

/// The 22 joints that all models have.
const BODY: [(&str, Option<usize>, Role); 22] = [
    ("pelvis", None, Hips),
    ("left_hip", Some(0), LeftUpperLeg),
    ("right_hip", Some(0), RightUpperLeg),
    ("spine1", Some(0), Spine),
    ("left_knee", Some(1), LeftLowerLeg),
    ("right_knee", Some(2), RightLowerLeg),
    ("spine2", Some(3), Chest),
    ("left_ankle", Some(4), LeftFoot),
    ("right_ankle", Some(5), RightFoot),
    ("spine3", Some(6), UpperChest),
    ("left_foot", Some(7), LeftToes),
    ("right_foot", Some(8), RightToes),
    ("neck", Some(9), Neck),
    ("left_collar", Some(9), LeftShoulder),
    ("right_collar", Some(9), RightShoulder),
    ("head", Some(12), Head),
    ("left_shoulder", Some(13), LeftUpperArm),
    ("right_shoulder", Some(14), RightUpperArm),
    ("left_elbow", Some(16), LeftLowerArm),
    ("right_elbow", Some(17), RightLowerArm),
    ("left_wrist", Some(18), LeftHand),
    ("right_wrist", Some(19), RightHand),
];

/// The joints of a hand, three per finger, with the roles of the left and the right one.
const FINGERS: [(&str, [[Role; 2]; 3]); 5] = [
    (
        "index",
        [
            [LeftIndexProximal, RightIndexProximal],
            [LeftIndexIntermediate, RightIndexIntermediate],
            [LeftIndexDistal, RightIndexDistal],
        ],
    ),
    (
        "middle",
        [
            [LeftMiddleProximal, RightMiddleProximal],
            [LeftMiddleIntermediate, RightMiddleIntermediate],
            [LeftMiddleDistal, RightMiddleDistal],
        ],
    ),
    (
        "pinky",
        [
            [LeftLittleProximal, RightLittleProximal],
            [LeftLittleIntermediate, RightLittleIntermediate],
            [LeftLittleDistal, RightLittleDistal],
        ],
    ),
    (
        "ring",
        [
            [LeftRingProximal, RightRingProximal],
            [LeftRingIntermediate, RightRingIntermediate],
            [LeftRingDistal, RightRingDistal],
        ],
    ),
    (
        "thumb",
        [
            [LeftThumbMetacarpal, RightThumbMetacarpal],
            [LeftThumbProximal, RightThumbProximal],
            [LeftThumbDistal, RightThumbDistal],
        ],
    ),
];

/// Numbers of joints of the models: body alone, SMPL, SMPL-H, SMPL-X.
pub(super) const COUNTS: [usize; 4] = [22, 24, 52, 55];

/// The joints of the model with so many of them, without offsets; empty when there is none.
pub(super) fn joints(count: usize) -> Vec<Joint> {
    let joint = |name: &str, parent: Option<usize>, role: Option<Role>| Joint {
        role,
        ..Joint::new(name, parent, glam::Vec3::ZERO)
    };
    let mut all: Vec<Joint> =
        BODY.iter().map(|(name, parent, role)| joint(name, *parent, Some(*role))).collect();
    match count {
        22 => {}
        24 => all.extend([joint("left_hand", Some(20), None), joint("right_hand", Some(21), None)]),
        52 | 55 => {
            if count == 55 {
                let face = [("jaw", Jaw), ("left_eye", LeftEye), ("right_eye", RightEye)];
                all.extend(face.map(|(name, role)| joint(name, Some(15), Some(role))));
            }
            for (side, word) in ["left", "right"].into_iter().enumerate() {
                for (finger, roles) in FINGERS {
                    for (at, role) in roles.into_iter().enumerate() {
                        let parent = if at == 0 { 20 + side } else { all.len() - 1 };
                        all.push(joint(
                            &format!("{word}_{finger}{}", at + 1),
                            Some(parent),
                            Some(role[side]),
                        ));
                    }
                }
            }
        }
        _ => all.clear(),
    }
    all
}
