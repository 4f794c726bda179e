//! Every reader on damaged files: the fuzz corpus with bytes changed, cut, doubled and spliced, from a fixed seed. No
//! input may panic or hang, and what is read has finite poses.
//!
//! `UGOKI_MUTATIONS=100000 cargo test --profile smoke -p ugoki-motion --test it mutations` runs it long; each reader gets as many.
//! Coverage-guided fuzzing is `make fuzz`.

use std::path::Path;
use std::time::{Duration, Instant};
use ugoki_base::no_progress;

use ugoki_base::bytes::checksum;
use ugoki_base::clip::PackedClip;
use ugoki_base::math::Random;
use ugoki_base::skeleton::Skeleton;
use ugoki_feet::contact::Contacts;
use ugoki_formats::{ReadOptions, read_markers, read_with};
use ugoki_motion::edit::EditBasis;
use ugoki_sample as sample;

/// Damaged inputs per reader unless the environment says otherwise: one or two seconds each.
const MUTATIONS: usize = 300;
/// Longest that one damaged file of at most some tens of kilobytes may take, even on a busy machine.
const HANGS: Duration = Duration::from_secs(20);
/// Longest input, bytes: damage doubles files again and again.
const LONGEST: usize = 64 * 1024;
/// Numbers that break things: bounds, signs, and what is no number.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1e308",
    "-1e38",
    "1e-45",
    "NaN",
    "inf",
    "4294967296",
    "-2147483648",
    "99999999999",
    "0.5",
    "65535",
];

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the corpus folder").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a readable file")).collect()
}

fn below(random: &mut Random, bound: usize) -> usize {
    if bound == 0 { 0 } else { random.index(bound) }
}

/// One to four damages.
fn damaged(random: &mut Random, inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = inputs[below(random, inputs.len())].clone();
    for _ in 0..=below(random, 4) {
        let at = below(random, bytes.len() + 1);
        let end = (at + below(random, 64)).min(bytes.len());
        match below(random, 8) {
            0 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << below(random, 8);
                }
            }
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = below(random, 256) as u8;
                }
            }
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            5 => {
                let other = &inputs[below(random, inputs.len())];
                let from = below(random, other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            6 => {
                let number = NUMBERS[below(random, NUMBERS.len())];
                bytes.splice(at..end, number.bytes());
            }
            _ => {
                let word = (below(random, 1 << 16) as u32).wrapping_mul(65_537);
                for (slot, byte) in bytes[at..].iter_mut().zip(word.to_le_bytes()) {
                    *slot = byte;
                }
            }
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Runs a reader, which says whether it could use the bytes, on many damaged inputs.
fn attack(name: &str, inputs: &[Vec<u8>], read: impl Fn(&[u8]) -> bool) {
    let wanted = std::env::var("UGOKI_MUTATIONS").ok().and_then(|text| text.parse().ok());
    let count: usize = wanted.unwrap_or(MUTATIONS);
    let mut random = Random::new(20_261_116);
    let (mut usable, mut slowest) = (0, Duration::ZERO);
    for _ in 0..count {
        let bytes = damaged(&mut random, inputs);
        let start = Instant::now();
        usable += usize::from(read(&bytes));
        slowest = slowest.max(start.elapsed());
        assert!(slowest < HANGS, "{name}: {slowest:?} for {} bytes", bytes.len());
    }
    println!("{name}: {count} damaged inputs, {usable} could be read, the slowest took {slowest:?}");
    assert!(usable > 0, "{name}: nothing was readable, so nothing behind the first check was tried");
}

fn any_format(bytes: &[u8], extension: &str, companion: Option<&[u8]>) -> bool {
    let options = ReadOptions::default();
    let points = read_markers(bytes, Some(extension), &options).is_ok();
    let Ok(read) = read_with(bytes, Some(extension), &options, &mut |_| companion.map(<[u8]>::to_vec)) else {
        return points;
    };
    let frames = read.clip.num_frames();
    for frame in (0..frames).step_by(frames.div_ceil(4).max(1)) {
        let pose = read.clip.model_pose(frame);
        assert!(pose.positions.iter().all(|p| p.is_finite()) && pose.rotations.iter().all(|q| q.is_finite()));
    }
    true
}

macro_rules! readers {
    ($($test:ident $name:literal $extension:literal,)*) => {
        $(#[test]
        fn $test() {
            attack($name, &corpus($name), |bytes| any_format(bytes, $extension, None));
        })*
    };
}

readers! {
    damaged_bvh_is_read_or_refused "bvh" "bvh",
    damaged_c3d_is_read_or_refused "c3d" "c3d",
    damaged_deepmimic_is_read_or_refused "deepmimic" "txt",
    damaged_fbx_is_read_or_refused "fbx" "fbx",
    damaged_gltf_is_read_or_refused "gltf" "glb",
    damaged_trc_is_read_or_refused "trc" "trc",
}

#[test]
fn damaged_asf_and_amc_are_read_or_refused() {
    const BETWEEN: &[u8] = b"\n===\n";
    attack("acclaim", &corpus("acclaim"), |bytes| {
        let cut = bytes.windows(BETWEEN.len()).position(|window| window == BETWEEN);
        let (asf, amc) = match cut {
            Some(at) => (&bytes[..at], &bytes[at + BETWEEN.len()..]),
            None => (bytes, bytes),
        };
        let skeleton = any_format(asf, "asf", None);
        any_format(amc, "amc", Some(asf)) || skeleton
    });
}

#[test]
fn damaged_blobs_of_the_database_are_read_or_refused() {
    let walk = sample::clip("nod").expect("a sample motion");
    let go = &mut no_progress();
    let packed = PackedClip::pack(&walk, go).expect("it packs").to_bytes();
    let skeleton = sample::skeleton();
    attack("packed clips", &[packed], |bytes| {
        // With the checksum that the damaged bytes should have, so that damage gets further than that.
        let mut bytes = bytes.to_vec();
        if let Some(at) = bytes.len().checked_sub(8) {
            let sum = checksum(&bytes[..at]);
            bytes[at..].copy_from_slice(&sum.to_le_bytes());
        }
        let Ok(packed) = PackedClip::from_bytes(&skeleton, &bytes) else { return false };
        let mut pose = ugoki_base::pose::Pose::rest(&skeleton);
        for frame in (0..packed.num_frames()).take(50) {
            packed.pose_into(frame, &mut pose);
            assert!(pose.rotations.iter().all(|q| q.is_finite()));
        }
        true
    });
    attack("clips", &[walk.to_bytes()], |bytes| ugoki_base::clip::Clip::from_bytes(bytes).is_ok());
    attack("skeletons", &[skeleton.to_bytes()], |bytes| Skeleton::from_bytes(bytes).is_ok());
    let basis = EditBasis::build(&walk, 0..12, &[]).expect("a segment").to_bytes();
    attack("edit bases", &[basis], |bytes| EditBasis::from_bytes(bytes).is_ok());
    let contacts = ugoki_feet::contact::find_contacts(&walk, &ugoki_feet::contact::ContactConfig::default());
    // The first version, which has neither checksum nor noise: damage gets behind the first check.
    let mut plain = contacts.expect("feet").to_bytes();
    plain.truncate(plain.len() - 8);
    plain.drain(6 + 8 * 8..6 + 9 * 8);
    plain[4..6].copy_from_slice(&1_u16.to_le_bytes());
    assert!(Contacts::from_bytes(&plain).is_ok());
    attack("contacts", &[plain], |bytes| Contacts::from_bytes(bytes).is_ok());
}
