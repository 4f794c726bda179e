//! Arrays read back: what Ugoki writes, what a motion generator writes, and files that are broken.

use glam::Vec3;
use proptest::prelude::*;
use ugoki_base::clip::{Clip, UpAxis};
use ugoki_base::contact_labels::FootContacts;
use ugoki_base::skeleton::Role;
use ugoki_formats::{Format, ReadError, ReadOptions, WriteOptions, detect, read, write};
use ugoki_testing::captures;

use crate::table_support::{arm, clips};

fn bytes_of(clip: &Clip, options: &WriteOptions) -> Vec<u8> {
    write(clip, Format::Npz, options, &mut ugoki_base::no_progress()).expect("it is written").bytes
}

/// Reading that guesses nothing.
fn as_given(up: UpAxis, unit: f64) -> ReadOptions {
    ReadOptions { up: Some(up), unit_metres: Some(unit), ..ReadOptions::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arrays_read_back_are_the_clip(clip in clips(), z_up in any::<bool>()) {
        let up = if z_up { UpAxis::Z } else { UpAxis::Y };
        let options = WriteOptions { up: Some(up), ..WriteOptions::default() };
        let bytes = bytes_of(&clip, &options);
        prop_assert_eq!(detect(&bytes, None), Some(Format::Npz));
        let found = read(&bytes, None, &as_given(up, 1.0)).unwrap().clip;
        prop_assert_eq!((found.num_frames(), found.num_joints(), found.fps()), (clip.num_frames(), clip.num_joints(), clip.fps()));
        prop_assert_eq!(found.translations().len(), clip.translations().len());
        for frame in 0..clip.num_frames() {
            let (a, b) = (clip.model_pose(frame), found.model_pose(frame));
            for joint in 0..clip.num_joints() {
                // Rotations are made unit again: a rounding of f32 for each joint of a chain of up to 40 m.
                prop_assert!(a.positions[joint].distance(b.positions[joint]) < 1e-4);
            }
        }
    }

    #[test]
    fn damaged_arrays_are_read_or_refused(at in any::<prop::sample::Index>(), value in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let mut bytes = bytes_of(&arm(20), &WriteOptions::default());
        let at = at.index(bytes.len());
        bytes[at] = value;
        let _ = read(&bytes, Some("npz"), &ReadOptions::default());
        bytes.truncate(cut.index(bytes.len()));
        prop_assert!(read(&bytes, Some("npz"), &ReadOptions::default()).is_err());
    }
}

#[test]
fn contacts_and_loops_are_read_back() {
    let only = |start: usize, end: usize| std::iter::once(start..end).collect::<Vec<_>>();
    let feet = [
        FootContacts { heel: vec![0..2, 3..5], toe: only(1, 3) },
        FootContacts { heel: Vec::new(), toe: only(4, 5) },
    ];
    let options =
        WriteOptions { contacts: Some(feet.clone()), loop_frames: Some(1..4), ..WriteOptions::default() };
    let found = read(&bytes_of(&arm(5), &options), None, &ReadOptions::default()).unwrap();
    assert_eq!(found.marks.contacts, Some(feet));
    assert_eq!(found.marks.loop_frames, Some(1..4));
}

#[test]
fn arrays_of_a_generator_are_a_body_with_contact_labels() {
    let Some(folder) = captures::folder(1) else { return };
    let bytes = std::fs::read(folder.join("npz/kimodo_01_single_text_prompt.npz")).unwrap();
    let found = read(&bytes, None, &ReadOptions::default()).unwrap();
    let clip = &found.clip;
    assert_eq!((clip.num_frames(), clip.num_joints(), clip.fps()), (150, 30, 30.0));
    assert!(found.findings.iter().any(|finding| finding.code == "rate-missing"));
    for role in [Role::Hips, Role::LeftFoot, Role::RightToes, Role::LeftHand, Role::Head, Role::RightUpperLeg]
    {
        assert!(clip.skeleton().find(role).is_some(), "{}", role.name());
    }
    let labels = found.marks.contacts.as_ref().expect("labels");
    let standing: usize = labels.iter().flat_map(FootContacts::any).map(|range| range.len()).sum();
    assert!(standing > 100, "{labels:?}");
    // Joints are where the file has them: positions are stored next to the rotations that the clip is made of.
    let at = bytes.windows(6).position(|window| window == b"\x93NUMPY").unwrap();
    let start = at + 10 + usize::from(bytes[at + 8]);
    let number = |index: usize| f32::from_le_bytes(bytes[start + 4 * index..][..4].try_into().unwrap());
    for frame in [0, 77, 149] {
        let pose = clip.model_pose(frame);
        for joint in 0..30 {
            let stored = Vec3::from_array([0, 1, 2].map(|axis| number(3 * (30 * frame + joint) + axis)));
            assert!(stored.distance(pose.positions[joint]) < 1e-4, "{frame} {joint}");
        }
    }
}

#[test]
fn what_is_missing_is_named() {
    let bytes = bytes_of(&arm(5), &WriteOptions::default());
    let renamed = |from: &str, to: &str| {
        let mut bytes = bytes.clone();
        let at: Vec<usize> =
            (0..bytes.len()).filter(|&at| bytes[at..].starts_with(from.as_bytes())).collect();
        at.iter().for_each(|&at| bytes[at..at + to.len()].copy_from_slice(to.as_bytes()));
        read(&bytes, None, &ReadOptions::default())
    };
    let missing = renamed("offsets.npy", "offxets.npy").unwrap_err();
    assert!(
        matches!(missing, ReadError::Malformed { .. }) && missing.to_string().contains("offsets"),
        "{missing}"
    );
    assert!(renamed("quat_wxyz.npy", "quax_wxyz.npy").unwrap_err().to_string().contains("posed_joints"));
    assert!(read(b"PK\x03\x04 and nothing else", Some("npz"), &ReadOptions::default()).is_err());
}
