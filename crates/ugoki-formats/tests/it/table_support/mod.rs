//! Random clips, and readers of NPZ and CSV of the tests' own.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use proptest::prelude::*;
use ugoki_base::clip::Clip;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::{Joint, Skeleton};

/// One array of an archive.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) kind: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) bytes: Vec<u8>,
}

impl Array {
    pub(crate) fn floats(&self) -> Vec<f32> {
        assert_eq!(self.kind, "<f4");
        self.bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    pub(crate) fn doubles(&self) -> Vec<f64> {
        assert_eq!(self.kind, "<f8");
        self.bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
    }

    pub(crate) fn integers(&self) -> Vec<i32> {
        assert_eq!(self.kind, "<i4");
        self.bytes.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    pub(crate) fn strings(&self) -> Vec<String> {
        let width: usize = self.kind.strip_prefix("<U").unwrap().parse().unwrap();
        let text = |cell: &[u8]| {
            let chars = cell.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap()));
            let text: String = chars.map(|c| char::from_u32(c).unwrap()).collect();
            text.trim_end_matches('\0').to_owned()
        };
        self.bytes.chunks_exact(4 * width).map(text).collect()
    }
}

fn number(bytes: &[u8], at: usize, size: usize) -> usize {
    bytes[at..at + size].iter().rev().fold(0, |n, &b| n << 8 | usize::from(b))
}

/// The arrays of an archive by its directory; every local header must agree with it.
pub(crate) fn read_npz(bytes: &[u8]) -> BTreeMap<String, Array> {
    let end = bytes.len() - 22;
    assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
    let (count, mut at) = (number(bytes, end + 10, 2), number(bytes, end + 16, 4));
    let mut arrays = BTreeMap::new();
    for _ in 0..count {
        assert_eq!(&bytes[at..at + 4], b"PK\x01\x02");
        let (size, name_len) = (number(bytes, at + 24, 4), number(bytes, at + 28, 2));
        let local = number(bytes, at + 42, 4);
        let name = std::str::from_utf8(&bytes[at + 46..at + 46 + name_len]).unwrap();
        assert_eq!(&bytes[local..local + 4], b"PK\x03\x04");
        assert_eq!(bytes[local + 4..local + 30], bytes[at + 6..at + 32], "headers agree");
        let start = local + 30 + name_len;
        let content = &bytes[start..start + size];
        arrays.insert(name.strip_suffix(".npy").unwrap().to_owned(), read_npy(content));
        at += 46 + name_len;
    }
    assert_eq!(at, end, "nothing between the directory and its end");
    arrays
}

fn read_npy(bytes: &[u8]) -> Array {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let start = 10 + number(bytes, 8, 2);
    assert_eq!(start % 64, 0, "numbers are aligned");
    let header = std::str::from_utf8(&bytes[10..start]).unwrap();
    assert!(header.ends_with('\n') && header.contains("'fortran_order': False"));
    let kind = header.split('\'').nth(3).unwrap().to_owned();
    let inside = header.split_once('(').unwrap().1.split_once(')').unwrap().0;
    let sides = inside.split(',').map(str::trim).filter(|side| !side.is_empty());
    let shape: Vec<usize> = sides.map(|side| side.parse().unwrap()).collect();
    let width = match kind.as_str() {
        "<f4" | "<i4" => 4,
        "<f8" => 8,
        "|b1" => 1,
        text => 4 * text.strip_prefix("<U").unwrap().parse::<usize>().unwrap(),
    };
    let bytes = bytes[start..].to_vec();
    assert_eq!(bytes.len(), width * shape.iter().product::<usize>(), "{kind} {shape:?}");
    Array { kind, shape, bytes }
}

/// Header and rows; quoted fields as RFC 4180 has them.
pub(crate) fn read_csv(bytes: &[u8]) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = std::str::from_utf8(bytes).unwrap();
    let mut records: Vec<Vec<String>> = vec![vec![String::new()]];
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let record = records.last_mut().unwrap();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                record.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(String::new()),
            '\n' if !quoted => records.push(vec![String::new()]),
            c => record.last_mut().unwrap().push(c),
        }
    }
    assert_eq!(records.pop().unwrap(), [""], "the file ends in a line end");
    let header = records.remove(0);
    let rows = records.iter().map(|record| {
        assert_eq!(record.len(), header.len());
        record.iter().map(|cell| cell.parse().unwrap()).collect()
    });
    let rows = rows.collect();
    (header, rows)
}

fn vector() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-2.0f32..2.0).prop_map(Vec3::from_array)
}

fn turn() -> impl Strategy<Value = Quat> {
    prop::array::uniform4(-1.0f32..1.0).prop_filter_map("a rotation", |v| {
        let q = Quat::from_array(v);
        (q.length() > 0.1).then(|| q.normalize())
    })
}

/// Names as files have them, with what tables must quote; some occur twice.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("root".to_owned()),
        Just("Hips".to_owned()),
        Just("Hips_2".to_owned()),
        Just("左手首".to_owned()),
        Just("a,b".to_owned()),
        Just("say \"so\"".to_owned()),
        Just(String::new()),
        "[a-zA-Z:. _]{1,12}",
    ]
}

/// Skeletons of up to 12 joints in any tree, up to 6 frames, some joints that leave their offset.
pub(crate) fn clips() -> impl Strategy<Value = Clip> {
    (1usize..12, 0usize..6).prop_flat_map(|(joints, frames)| {
        let joint = (name(), vector(), any::<prop::sample::Index>());
        let pose = (vector(), prop::collection::vec(turn(), joints));
        let moved = prop::option::of((1usize..12, prop::collection::vec(vector(), frames)));
        (prop::collection::vec(joint, joints), prop::collection::vec(pose, frames), moved, 1.0..240.0f64)
            .prop_map(|(joints, poses, moved, fps)| {
                let build =
                    |(index, (name, offset, parent)): (usize, (String, Vec3, prop::sample::Index))| {
                        Joint::new(name, (index > 0).then(|| parent.index(index)), offset)
                    };
                let joints: Vec<Joint> = joints.into_iter().enumerate().map(build).collect();
                let skeleton = Skeleton::build(joints).unwrap();
                let moved = moved.filter(|(joint, _)| *joint < skeleton.num_joints());
                let poses: Vec<Pose> = poses
                    .into_iter()
                    .enumerate()
                    .map(|(frame, (root, rotations))| {
                        let translations =
                            moved.iter().map(|(joint, places)| (*joint, places[frame])).collect();
                        Pose { root, rotations, translations }
                    })
                    .collect();
                Clip::from_poses(skeleton, fps, &poses).unwrap()
            })
    })
}

/// An arm that turns.
pub(crate) fn arm(frames: usize) -> Clip {
    let joints = vec![
        Joint::new("shoulder", None, Vec3::Y),
        Joint::new("elbow", Some(0), Vec3::X * 0.3),
        Joint::new("wrist", Some(1), Vec3::X * 0.25),
    ];
    let mut clip = Clip::at_rest(Skeleton::build(joints).unwrap(), 30.0, frames).unwrap();
    for frame in 0..frames {
        clip.set_rotation(1, frame, Quat::from_rotation_z(0.01 * frame as f32));
    }
    clip
}
