//! What NPZ and CSV hold is the clip: arrays bit for bit, and world positions from an own forward kinematics.

use std::ops::ControlFlow;

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::{Clip, UpAxis};
use ugoki_base::contact_labels::FootContacts;
use ugoki_formats::{Format, WriteError, WriteOptions, write};

use crate::table_support::{clips, read_csv, read_npz};

fn go(_: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn bytes_of(clip: &Clip, format: Format, options: &WriteOptions) -> Vec<u8> {
    write(clip, format, options, &mut go).expect("it is written").bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arrays_are_the_clip_bit_for_bit(clip in clips()) {
        let arrays = read_npz(&bytes_of(&clip, Format::Npz, &WriteOptions::default()));
        let (frames, joints) = (clip.num_frames(), clip.num_joints());
        prop_assert_eq!(&arrays["quat_wxyz"].shape, &[frames, joints, 4]);
        prop_assert_eq!(&arrays["root"].shape, &[frames, 3]);
        prop_assert_eq!(&arrays["parents"].shape, &[joints]);
        prop_assert_eq!(&arrays["offsets"].shape, &[joints, 3]);
        prop_assert_eq!(&arrays["names"].shape, &[joints]);
        prop_assert_eq!(&arrays["fps"].shape, &[] as &[usize]);
        let quats = arrays["quat_wxyz"].floats();
        for frame in 0..frames {
            prop_assert_eq!(&arrays["root"].floats()[3 * frame..][..3], &clip.root().get(frame).to_array());
            for joint in 0..joints {
                let [x, y, z, w] = clip.rotation(joint, frame).to_array();
                prop_assert_eq!(&quats[4 * (frame * joints + joint)..][..4], &[w, x, y, z]);
            }
        }
        let skeleton = clip.skeleton();
        let names = arrays["names"].strings();
        for (joint, read) in names.iter().enumerate() {
            // numpy drops NULs at the end of a string.
            let name = skeleton.joint(joint).name.trim_end_matches('\0');
            prop_assert_eq!(read.as_str(), name);
            let parent = skeleton.parent(joint).map_or(-1, |parent| parent as i32);
            prop_assert_eq!(arrays["parents"].integers()[joint], parent);
            let offset = skeleton.joint(joint).offset.to_array();
            prop_assert_eq!(&arrays["offsets"].floats()[3 * joint..][..3], &offset);
        }
        prop_assert_eq!(arrays["fps"].doubles(), vec![clip.fps()]);
        prop_assert!(!arrays.contains_key("contacts") && !arrays.contains_key("loop"));
        prop_assert_eq!(arrays.contains_key("moved"), !clip.translations().is_empty());
    }

    #[test]
    fn world_positions_of_the_csv_follow_from_the_arrays(clip in clips(), z_up in any::<bool>(), unit in 0.01..2.0f64) {
        let up = if z_up { UpAxis::Z } else { UpAxis::Y };
        let options = WriteOptions { up: Some(up), unit_metres: Some(unit), ..WriteOptions::default() };
        let arrays = read_npz(&bytes_of(&clip, Format::Npz, &options));
        let (header, rows) = read_csv(&bytes_of(&clip, Format::Csv, &options));
        prop_assert_eq!(rows.len(), clip.num_frames());
        prop_assert_eq!(header.len(), 4 + 7 * clip.num_joints());
        let unique: std::collections::BTreeSet<&String> = header.iter().collect();
        prop_assert_eq!(unique.len(), header.len(), "columns have names of their own");
        let joints = clip.num_joints();
        let vec = |name: &str, at: usize| Vec3::from_slice(&arrays[name].floats()[3 * at..]);
        let reach: f32 = (0..joints).map(|joint| vec("offsets", joint).length()).sum::<f32>().max(1.0);
        for (frame, row) in rows.iter().enumerate() {
            prop_assert!((row[0] - frame as f64 / clip.fps()).abs() < 1e-12 * (1.0 + row[0]));
            let mut world: Vec<(Vec3, Quat)> = Vec::new();
            for joint in 0..joints {
                let q = &arrays["quat_wxyz"].floats()[4 * (frame * joints + joint)..][..4];
                let q = Quat::from_xyzw(q[1], q[2], q[3], q[0]);
                let mut local = if joint == 0 { vec("root", frame) } else { vec("offsets", joint) };
                if let Some(moved) = arrays.get("moved_joints")
                    && let Some(at) = moved.integers().iter().position(|j| *j == joint as i32)
                {
                    local = vec("moved", frame * moved.integers().len() + at);
                }
                let parent = arrays["parents"].integers()[joint];
                world.push(match usize::try_from(parent) {
                    Ok(parent) => (world[parent].0 + world[parent].1 * local, world[parent].1 * q),
                    Err(_) => (local, q),
                });
                let cell = &row[4 + 7 * joint..][..7];
                let place = Vec3::new(cell[0] as f32, cell[1] as f32, cell[2] as f32);
                // Chains of f32 products in another order: a millionth of the chain's length per joint.
                let near = 1e-6 * joints as f32 * (reach + place.length());
                prop_assert!(place.distance(world[joint].0) < near, "{} {}", place, world[joint].0);
                let turn = Quat::from_xyzw(cell[4] as f32, cell[5] as f32, cell[6] as f32, cell[3] as f32);
                prop_assert!((turn.dot(world[joint].1).abs() - 1.0).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn contacts_and_loops_go_into_arrays_of_their_own() {
    let clip = crate::table_support::arm(5);
    let only = |start: usize, end: usize| std::iter::once(start..end).collect::<Vec<_>>();
    // A range beyond the clip is cut.
    let left = FootContacts { heel: only(0, 2), toe: only(1, 3) };
    let right = FootContacts { heel: Vec::new(), toe: only(4, 9) };
    let feet = [left, right];
    let options = WriteOptions { contacts: Some(feet), loop_frames: Some(1..4), ..WriteOptions::default() };
    let arrays = read_npz(&bytes_of(&clip, Format::Npz, &options));
    assert_eq!(arrays["contacts"].shape, [5, 4]);
    let rows: Vec<&[u8]> = arrays["contacts"].bytes.chunks(4).collect();
    assert_eq!(rows, [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]);
    assert_eq!(arrays["loop"].integers(), [1, 4]);
}

#[test]
fn equal_clips_give_equal_bytes_and_stopping_stops() {
    let clip = crate::table_support::arm(600);
    for format in [Format::Npz, Format::Csv] {
        let options = WriteOptions::default();
        assert_eq!(bytes_of(&clip, format, &options), bytes_of(&clip, format, &options));
        let stopped = write(&clip, format, &options, &mut |_| ControlFlow::Break(()));
        assert!(matches!(stopped, Err(WriteError::Cancelled(_))), "{format:?}");
    }
    let rounded = WriteOptions { digits: Some(3), ..WriteOptions::default() };
    let text = String::from_utf8(bytes_of(&clip, Format::Csv, &rounded)).unwrap();
    let cells = text.lines().skip(1).flat_map(|line| line.split(','));
    assert!(cells.clone().count() > 1000);
    assert!(cells.into_iter().all(|cell| cell.split_once('.').unwrap().1.len() == 3));
}
