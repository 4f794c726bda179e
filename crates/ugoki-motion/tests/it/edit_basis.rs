//! Laws of segments bent by their handles: what is wished for is met, the start stays, bones keep their lengths, bytes come back.

use std::ops::ControlFlow;

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::skeleton::Role;
use ugoki_motion::edit::{EditBasis, EditConfig, EditError, EndTarget, HANDLES, Handle, edit_segment};
use ugoki_sample as sample;

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Frames of a sample motion in which an arm moves.
fn wave() -> Clip {
    sample::clip("wave").unwrap()
}

fn stretch(clip: &Clip) -> f32 {
    let skeleton = clip.skeleton();
    let mut worst = 0.0_f32;
    for frame in 0..clip.num_frames() {
        let pose = clip.model_pose(frame);
        for (joint, node) in skeleton.joints().iter().enumerate() {
            let Some(parent) = node.parent else { continue };
            let length = pose.positions[joint].distance(pose.positions[parent]);
            worst = worst.max((length - node.offset.length()).abs());
        }
    }
    worst
}

fn wish(basis: &EditBasis, clip: &Clip, joint: usize, by: Vec3) -> EndTarget {
    let last = basis.frames().end - 1;
    let position = clip.model_pose(last).positions[joint] + by;
    EndTarget { handle: basis.find(joint).unwrap(), position, rotation: None, velocity: None }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every role that is a handle, moved by some centimetres: nearer than any limb's end is to its bound.
    #[test]
    fn what_is_wished_for_is_met_and_bones_keep_their_lengths(
        role in 1..HANDLES.len(), x in -0.05..0.05_f32, y in -0.06..0.0_f32, z in -0.05..0.05_f32, start in 0_usize..20,
    ) {
        let clip = wave();
        let joint = clip.skeleton().find(HANDLES[role]).unwrap();
        let basis = EditBasis::build(&clip, start..start + 40, &[]).unwrap();
        let wish = wish(&basis, &clip, joint, Vec3::new(x, y, z));
        let edited = edit_segment(&clip, &basis, &[wish], &EditConfig::default(), &mut go).unwrap();
        let end = edited.clip.model_pose(39);
        prop_assert!(end.positions[joint].distance(wish.position) < 1e-4, "{} {:?}", HANDLES[role], edited.residual);
        prop_assert!(stretch(&edited.clip) < 1e-5);
        // The start stays, and so do feet that nothing was wished for.
        let (before, after) = (clip.model_pose(start), edited.clip.model_pose(0));
        prop_assert!(before.positions.iter().zip(&after.positions).all(|(a, b)| a.distance(*b) < 1e-3));
        for foot in [Role::LeftFoot, Role::RightFoot] {
            let foot = clip.skeleton().find(foot).unwrap();
            let toes_below = clip.skeleton().is_below(joint, foot) || joint == foot;
            let was = clip.model_pose(start + 39).positions[foot];
            prop_assert!(toes_below || end.positions[foot].distance(was) < 1e-3);
        }
    }

    #[test]
    fn bytes_come_back_bit_by_bit_and_damaged_ones_are_refused(start in 0_usize..40, len in 3_usize..30, cut in 0.0..1.0_f64) {
        let basis = EditBasis::build(&wave(), start..start + len, &[]).unwrap();
        let bytes = basis.to_bytes();
        let back = EditBasis::from_bytes(&bytes).unwrap();
        prop_assert_eq!(&back, &basis);
        prop_assert_eq!(back.to_bytes(), bytes.clone());
        let short = &bytes[..(cut * (bytes.len() - 1) as f64) as usize];
        prop_assert!(EditBasis::from_bytes(short).is_err());
    }
}

#[test]
fn a_named_joint_and_a_turned_wrist_are_handles_too() {
    let clip = wave();
    let skeleton = clip.skeleton().clone();
    let neck = skeleton.find(Role::Neck).unwrap();
    let hand = skeleton.find(Role::RightHand).unwrap();
    let names = [Handle::Joint(skeleton.joint(neck).name.clone()), Handle::Role(Role::RightHand)];
    let basis = EditBasis::build(&clip, 5..50, &names).unwrap();
    let turn = Quat::from_rotation_y(0.5) * clip.model_pose(49).rotations[hand];
    let wishes = [
        wish(&basis, &clip, neck, Vec3::new(0.02, -0.03, 0.03)),
        EndTarget { rotation: Some(turn), ..wish(&basis, &clip, hand, Vec3::new(0.0, -0.05, 0.05)) },
    ];
    let edited = edit_segment(&clip, &basis, &wishes, &EditConfig::default(), &mut go).unwrap();
    let end = edited.clip.model_pose(44);
    assert!(end.positions[neck].distance(wishes[0].position) < 1e-4, "{:?}", edited.residual);
    assert!(end.positions[hand].distance(wishes[1].position) < 1e-4, "{:?}", edited.residual);
    assert!(end.rotations[hand].angle_between(turn) < 1e-3);
    assert!(stretch(&edited.clip) < 1e-5);
}

#[test]
fn what_is_no_handle_is_refused_by_name() {
    let clip = wave();
    let nobody = [Handle::Joint("tail".to_owned())];
    let error = EditBasis::build(&clip, 0..20, &nobody).unwrap_err();
    assert!(error.to_string().contains("tail"), "{error}");
    assert!(matches!(EditBasis::build(&clip, 0..2, &[]), Err(EditError::TooShort { .. })));
    let frames = clip.num_frames();
    assert!(EditBasis::build(&clip, frames - 1..frames + 9, &[]).is_err());
    let basis = EditBasis::build(&clip, 0..20, &[]).unwrap();
    let wrong = EndTarget { handle: 99, position: Vec3::ZERO, rotation: None, velocity: None };
    assert!(edit_segment(&clip, &basis, &[wrong], &EditConfig::default(), &mut go).is_err());
    let nan = EndTarget { handle: 0, position: Vec3::NAN, rotation: None, velocity: None };
    assert!(edit_segment(&clip, &basis, &[nan], &EditConfig::default(), &mut go).is_err());
}
