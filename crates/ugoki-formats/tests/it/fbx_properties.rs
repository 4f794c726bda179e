//! FBX files of our own against the format's definition, and broken ones.

use glam::{EulerRot, Quat, Vec3};
use proptest::prelude::*;
use ugoki_formats::{Format, Read, ReadError, ReadOptions, UpAxis, detect, read};

use crate::fbx_support::{Rig, text};

const RIG: Rig = Rig { up: 2, unit_cm: 1.0, pre_rotation: [0.0, 90.0, 0.0], time_mode: 6, turn: 90.0 };

fn open(rig: &Rig, take: Option<&str>) -> Read {
    let options = ReadOptions { take: take.map(str::to_owned), ..ReadOptions::default() };
    read(text(rig).as_bytes(), None, &options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn pre_rotations_axes_units_rates_and_takes_are_obeyed() {
    let left = open(&RIG, None);
    assert_eq!((left.format, left.up, left.takes.join(" ").as_str()), (Format::Fbx, UpAxis::Z, "left right"));
    assert_eq!((left.clip.fps(), left.clip.num_frames(), left.clip.name.as_str()), (30.0, 31, "left"));
    let clip = &left.clip;
    // (1, 2, 3) cm with Z up is (1, 3, −2) cm with Y up.
    assert!(clip.root().get(0).distance(Vec3::new(0.01, 0.03, -0.02)) < 1e-6);
    // (10, 0, 50) turned by 90° about Y is (50, 0, −10), with Y up (50, −10, 0).
    assert!(clip.skeleton().joint(1).offset.distance(Vec3::new(0.5, -0.1, 0.0)) < 1e-6);
    assert!(clip.rotation(0, 0).angle_between(Quat::IDENTITY) < 1e-3);
    // The animated Z lies along the file's X after the pre-rotation, which is our X.
    assert!(clip.rotation(0, 30).angle_between(Quat::from_rotation_x(90f32.to_radians())) < 1e-3);
    assert!(clip.rotation(0, 10).angle_between(Quat::from_rotation_x(30f32.to_radians())) < 1e-3);
    assert!(clip.model_pose(30).positions[1].distance(Vec3::new(0.51, 0.03, -0.12)) < 1e-5);
    let right = open(&RIG, Some("right")).clip;
    assert!(right.rotation(0, 30).angle_between(Quat::from_rotation_x(-90f32.to_radians())) < 1e-3);
    assert_eq!(open(&RIG, Some("1")).clip, right);
    assert!(left.findings.iter().any(|finding| finding.code == "several-takes"));
    let film = open(&Rig { time_mode: 11, ..RIG }, None);
    assert_eq!((film.clip.fps(), film.clip.num_frames()), (24.0, 25));
    let inches = open(&Rig { unit_cm: 2.54, up: 1, ..RIG }, None);
    assert!(inches.clip.root().get(0).distance(Vec3::new(1.0, 2.0, 3.0) * 0.0254) < 1e-6);
    assert!((inches.unit_metres - 0.0254).abs() < 1e-9);
    assert_eq!(detect(text(&RIG).as_bytes(), None), Some(Format::Fbx));
    assert_eq!(detect(b"Kaydara FBX Binary  \0\x1a\0", None), Some(Format::Fbx));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// `W = T·Pre·R` with angles in the order X, Y, Z, the first applied first.
    #[test]
    fn turns_follow_the_definition(pre in prop::array::uniform3(-180.0..180.0f64), turn in -170.0..170.0f64) {
        let rig = Rig { up: 1, pre_rotation: pre, turn, ..RIG };
        let clip = open(&rig, None).clip;
        let [x, y, z] = pre.map(|degrees| degrees.to_radians() as f32);
        // Written as text with all digits; applied X first means Z outermost.
        let before = Quat::from_euler(EulerRot::ZYX, z, y, x);
        for frame in [0, 7, 30] {
            let angle = (turn.to_radians() * frame as f64 / 30.0) as f32;
            let expected = before * Quat::from_rotation_z(angle) * before.conjugate();
            prop_assert!(clip.rotation(0, frame).angle_between(expected) < 2e-3);
            let place = Vec3::new(0.01, 0.02, 0.03)
                + before * Quat::from_rotation_z(angle) * Vec3::new(0.1, 0.0, 0.5);
            prop_assert!(clip.model_pose(frame).positions[1].distance(place) < 1e-5);
        }
    }

    #[test]
    fn mutations_never_panic_and_poses_stay_finite(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = text(&RIG).into_bytes();
        for (a, b, kind) in edits {
            let (i, j) = (a.index(bytes.len()), b.index(bytes.len()));
            match kind % 4 {
                0 => bytes[i] = kind,
                1 => drop(bytes.drain(i.min(j)..i.max(j).min(i.min(j) + 30))),
                2 => bytes.swap(i, j),
                _ => {
                    let odd: [&[u8]; 6] = [b"nan", b"1e308", b"-1", b"{", b"}", b"99999999999999"];
                    bytes.splice(i..i, odd[usize::from(kind / 4) % 6].to_vec());
                }
            }
        }
        if let Ok(read) = read(&bytes, Some("fbx"), &ReadOptions::default()) {
            let last = read.clip.num_frames() - 1;
            for frame in [0, last / 2, last] {
                prop_assert!(read.clip.model_pose(frame).positions.iter().all(|p| p.is_finite()));
            }
        }
    }
}

#[test]
fn hopeless_files_are_refused_with_a_hint() {
    let refused = |bytes: &[u8]| {
        let error = read(bytes, Some("fbx"), &ReadOptions::default()).map(|_| ()).unwrap_err();
        assert!(error.hint().is_some(), "{error}");
        error
    };
    assert_eq!(refused(b"  \n"), ReadError::Empty);
    assert!(matches!(refused(b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0"), ReadError::Malformed { .. }));
    let garbage: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    refused(&garbage);
    let endless = text(&RIG).replace("46186158000", "4618615800000000000");
    let error = refused(endless.as_bytes());
    assert!(error.to_string().contains("frames would take"), "{error}");
    let no_bones = text(&RIG).replace("LimbNode", "Null").replace("\"OP\"", "\"XX\"");
    assert!(refused(no_bones.as_bytes()).to_string().contains("skeleton"));
}

/// Bytes of the real files changed here and there; only without a folder of captures there is nothing to change.
#[test]
fn changed_captures_never_panic() {
    let Some(folder) = std::env::var_os("UGOKI_CAPTURES").map(std::path::PathBuf::from) else {
        println!("skipped: UGOKI_CAPTURES is not set (1 check)");
        return;
    };
    let mut random = ugoki_base::math::Random::new(11);
    let mut readable = 0;
    for name in ["ozz_pab_jog.fbx", "assimp_animation_with_skeleton.fbx"] {
        let original = std::fs::read(folder.join("fbx").join(name)).expect("the file");
        for round in 0..60 {
            let mut bytes = original.clone();
            for _ in 0..1 + round % 8 {
                let at = (random.uniform() * bytes.len() as f64) as usize;
                bytes[at] = (random.uniform() * 256.0) as u8;
            }
            if round % 5 == 0 {
                bytes.truncate((random.uniform() * bytes.len() as f64) as usize);
            }
            readable += usize::from(read(&bytes, Some("fbx"), &ReadOptions::default()).is_ok());
        }
    }
    println!("{readable} of 120 changed files were still read");
}
