//! A motion's fingerprint: equal motions under other names, in other formats or with an added T-pose are found by it.
//!
//! At 16 moments spread evenly over the motion it keeps where eight limbs point in the world, how head and hands have
//! turned and how far the root has come, quantised, and after that the weights of the expressions that show. Two
//! fingerprints are the same motion when no number differs by more than `TOLERANCE`: far above what formats round away,
//! far below what any two takes of one person have in common. The layout is described in `docs/formats/database.md`.

use glam::Vec3;
use ugoki_base::clip::Clip;
use ugoki_base::pose::{ModelPose, Pose, forward_kinematics_into};
use ugoki_base::skeleton::{Role, Skeleton};

/// Moments looked at.
const MOMENTS: usize = 16;
/// Limbs of a human, or groups of joints of another body, looked at.
const LIMBS: usize = 8;
/// Directions kept per moment: the limbs, and the turning of head and hands.
const DIRECTIONS: usize = LIMBS + 1;
/// Steps per unit of a direction.
const STEPS: f32 = 10_000.0;
/// Steps per metre of the root's way.
const STEPS_M: f32 = 1_000.0;
/// Largest difference in steps: 0.6° of a direction, 10 mm for the root counted tenfold.
const TOLERANCE: i32 = 100;
/// The root's difference counts this much.
const ROOT_WEIGHT: i32 = 10;
/// Bytes of a body: version, kind, then the numbers. The face follows where there is one.
const LENGTH: usize = 2 + MOMENTS * (DIRECTIONS + 1) * 3 * 2;
/// Bytes of an expression: its name as a number, then its weights.
const FACE_LENGTH: usize = 8 + MOMENTS * 2;
/// First byte.
pub(crate) const VERSION: u8 = 1;
/// Motions whose lengths differ by more than this are not compared, seconds.
pub(crate) const LENGTH_TOLERANCE_S: f64 = 0.02;

/// Limbs of a human, from joint to joint.
const HUMAN: [(Role, Role); LIMBS] = [
    (Role::LeftUpperArm, Role::LeftLowerArm),
    (Role::LeftLowerArm, Role::LeftHand),
    (Role::RightUpperArm, Role::RightLowerArm),
    (Role::RightLowerArm, Role::RightHand),
    (Role::LeftUpperLeg, Role::LeftLowerLeg),
    (Role::LeftLowerLeg, Role::LeftFoot),
    (Role::RightUpperLeg, Role::RightLowerLeg),
    (Role::RightLowerLeg, Role::RightFoot),
];

/// The fingerprint of a clip's motion, its T-pose frame left out; empty when there is no motion.
pub(crate) fn fingerprint(clip: &Clip) -> Vec<u8> {
    let motion = clip.motion_frames();
    if motion.is_empty() {
        return Vec::new();
    }
    let (kind, signs) = signs(clip.skeleton());
    let mut bytes = Vec::with_capacity(LENGTH);
    bytes.extend([VERSION, kind]);
    let start = clip.root().get(motion.start);
    let first = model_pose(clip, motion.start);
    let last = (motion.len() - 1) as f64;
    let mut add = |v: Vec3, steps: f32| {
        for v in v.to_array() {
            // Saturates beyond 32 m, which is as far as fingerprints look.
            bytes.extend(((v * steps).round() as i16).to_le_bytes());
        }
    };
    let moment = |moment: usize| {
        let time = last * moment as f64 / (MOMENTS - 1) as f64;
        let before = motion.start + time.floor() as usize;
        let after = (before + 1).min(motion.end - 1);
        (before, after, (time - time.floor()) as f32)
    };
    let moments: Vec<(usize, usize, f32)> = (0..MOMENTS).map(moment).collect();
    for &(before, after, fraction) in &moments {
        let (a, b) = (model_pose(clip, before), model_pose(clip, after));
        for sign in &signs {
            add(sign.direction(&a, &first).lerp(sign.direction(&b, &first), fraction), STEPS);
        }
        add(clip.root().get(before).lerp(clip.root().get(after), fraction) - start, STEPS_M);
    }
    bytes.extend(face(clip, &moments));
    bytes
}

/// The expressions that show, in the order of their names' numbers.
fn face(clip: &Clip, moments: &[(usize, usize, f32)]) -> Vec<u8> {
    let mut rows: Vec<Vec<u8>> = Vec::new();
    for joint in clip.skeleton().expressions() {
        let weight = |frame: usize| clip.local_position(joint, frame).x;
        let steps = |&(before, after, fraction): &(usize, usize, f32)| {
            ((weight(before) + fraction * (weight(after) - weight(before))) * STEPS).round() as i16
        };
        let weights: Vec<i16> = moments.iter().map(steps).collect();
        if weights.iter().any(|weight| i32::from(*weight) > TOLERANCE) {
            // Names are compared as numbers (FNV-1a), so that every expression takes the same room.
            let name = clip.skeleton().joint(joint).name.bytes();
            let number = name.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            rows.push(
                number
                    .to_be_bytes()
                    .into_iter()
                    .chain(weights.iter().flat_map(|w| w.to_le_bytes()))
                    .collect(),
            );
        }
    }
    rows.sort();
    rows.concat()
}

/// Whether two fingerprints are of the same motion.
pub(crate) fn same_motion(a: &[u8], b: &[u8]) -> bool {
    if a.len() < LENGTH || a.len() != b.len() || a[..2] != b[..2] || !same_face(&a[LENGTH..], &b[LENGTH..]) {
        return false;
    }
    let number = |bytes: &[u8], i: usize| i32::from(i16::from_le_bytes([bytes[2 + 2 * i], bytes[3 + 2 * i]]));
    let per_moment = 3 * (DIRECTIONS + 1);
    (0..MOMENTS * per_moment).all(|i| {
        let weight = if i % per_moment >= 3 * DIRECTIONS { ROOT_WEIGHT } else { 1 };
        weight * (number(a, i) - number(b, i)).abs() <= TOLERANCE
    })
}

fn same_face(a: &[u8], b: &[u8]) -> bool {
    let weight = |pair: &[u8]| i32::from(i16::from_le_bytes([pair[0], pair[1]]));
    a.len().is_multiple_of(FACE_LENGTH)
        && a.chunks_exact(FACE_LENGTH).zip(b.chunks_exact(FACE_LENGTH)).all(|(a, b)| {
            let weights = a[8..].chunks_exact(2).zip(b[8..].chunks_exact(2));
            a[..8] == b[..8] && weights.into_iter().all(|(a, b)| (weight(a) - weight(b)).abs() <= TOLERANCE)
        })
}

/// One of the directions that tell a motion.
#[derive(Debug, Clone)]
enum Sign {
    /// Where a limb points in the world: from joint to joint.
    Limb(usize, usize),
    /// How joints have turned in the world since the first frame, on average. What a rig calls its rest drops out.
    Turned(Vec<usize>),
}

/// A direction that no joint turns about by design: every turn moves it.
const PROBE: Vec3 = Vec3::new(0.267_261_24, 0.534_522_5, 0.801_783_7);

impl Sign {
    fn direction(&self, pose: &ModelPose, first: &ModelPose) -> Vec3 {
        match self {
            Self::Limb(from, to) => (pose.positions[*to] - pose.positions[*from]).normalize_or_zero(),
            Self::Turned(joints) => {
                let turned =
                    |&joint: &usize| pose.rotations[joint] * (first.rotations[joint].inverse() * PROBE);
                joints.iter().map(turned).sum::<Vec3>() / joints.len().max(1) as f32
            }
        }
    }
}

/// The limbs, head and hands of a human (kind 0), else all joints in groups (kind 1).
fn signs(skeleton: &Skeleton) -> (u8, Vec<Sign>) {
    let human: Option<Vec<Sign>> =
        HUMAN.iter().map(|&(from, to)| Some(Sign::Limb(skeleton.find(from)?, skeleton.find(to)?))).collect();
    if let Some(mut human) = human {
        let ends = [Role::Head, Role::LeftHand, Role::RightHand];
        human.push(Sign::Turned(ends.iter().filter_map(|&role| skeleton.find(role)).collect()));
        return (0, human);
    }
    let count = skeleton.num_joints();
    let group = |i: usize| i * count / DIRECTIONS..(i + 1) * count / DIRECTIONS;
    (1, (0..DIRECTIONS).map(|i| Sign::Turned(group(i).collect())).collect())
}

fn model_pose(clip: &Clip, frame: usize) -> ModelPose {
    let mut pose = Pose::rest(clip.skeleton());
    let mut out = ModelPose::default();
    clip.pose_into(frame, &mut pose);
    forward_kinematics_into(clip.skeleton(), &pose, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;

    #[test]
    fn every_sample_motion_is_only_itself() {
        let prints: Vec<Vec<u8>> = ugoki_sample::clips().iter().map(fingerprint).collect();
        for (i, a) in prints.iter().enumerate() {
            for (j, b) in prints.iter().enumerate() {
                assert_eq!(same_motion(a, b), i == j, "{i} {j}");
            }
        }
    }

    #[test]
    fn a_motion_is_known_again_after_rounding_scaling_and_an_added_t_pose() {
        let clip = ugoki_sample::clip("walk").unwrap();
        let print = fingerprint(&clip);
        let written = ugoki_formats::bvh::write(
            &clip,
            &ugoki_formats::WriteOptions { digits: Some(3), ..Default::default() },
        );
        let back = ugoki_formats::read(&written.bytes, Some("bvh"), &Default::default()).unwrap().clip;
        assert!(same_motion(&print, &fingerprint(&back)));
        let mut poses = vec![Pose::rest(clip.skeleton())];
        poses.extend((0..clip.num_frames()).map(|frame| clip.pose(frame)));
        let mut posed = Clip::from_poses(clip.skeleton().clone(), clip.fps(), &poses).unwrap();
        posed.tpose_frame = true;
        assert!(same_motion(&print, &fingerprint(&posed)));
        assert!(!same_motion(&print, &fingerprint(&clip.mirrored())));
        assert!(!same_motion(&print, &fingerprint(&clip.reversed())));
    }

    #[test]
    fn a_nod_is_another_motion_on_a_human_and_on_any_other_body() {
        let still = ugoki_sample::clip("idle").unwrap();
        let nodding = |clip: &Clip| {
            let mut clip = clip.clone();
            let head = clip.skeleton().find_name("head").unwrap();
            for frame in clip.num_frames() / 3..clip.num_frames() {
                clip.set_rotation(head, frame, Quat::from_rotation_x(0.3));
            }
            clip
        };
        assert!(!same_motion(&fingerprint(&still), &fingerprint(&nodding(&still))));
        let joints = still.skeleton().joints().iter().cloned().map(|mut joint| {
            joint.role = None;
            joint
        });
        let nameless = Skeleton::build(joints.collect()).unwrap();
        let other =
            Clip::from_tracks(nameless, 60.0, still.root().clone(), still.rotations().clone(), Vec::new());
        let other = other.unwrap();
        assert_eq!(fingerprint(&other)[1], 1);
        assert!(same_motion(&fingerprint(&other), &fingerprint(&other.clone())));
        assert!(!same_motion(&fingerprint(&other), &fingerprint(&nodding(&other))));
    }

    #[test]
    fn another_face_is_another_motion() {
        let clip = ugoki_sample::clip("idle").unwrap();
        let with = |name: &str, weight: f32| {
            fingerprint(
                &clip.with_expressions(&[(name.to_owned(), vec![weight; clip.num_frames()])]).unwrap(),
            )
        };
        assert!(same_motion(&fingerprint(&clip), &with("happy", 0.0)));
        assert!(same_motion(&with("happy", 0.5), &with("happy", 0.505)));
        for (name, weight) in [("happy", 0.52), ("sad", 0.5), ("happy", 0.0)] {
            assert!(!same_motion(&with("happy", 0.5), &with(name, weight)), "{name} {weight}");
        }
    }

    #[test]
    fn hostile_fingerprints_are_no_motion() {
        assert!(!same_motion(&[], &[]));
        assert!(!same_motion(&[1; 20], &[1; 20]));
    }
}
