//! Damaged bytes: refused or read, never a panic, and never more memory than a small multiple of what came in.

use std::sync::Arc;
use ugoki_base::no_progress;

use proptest::prelude::*;
use ugoki_base::bytes::{BytesError, checksum};
use ugoki_base::clip::{Clip, PackedClip};
use ugoki_base::math::Random;
use ugoki_base::pose::Pose;
use ugoki_base::skeleton::Skeleton;
use ugoki_compose::network::{
    FeatureConfig, Features, Layers, Method, Network, NetworkConfig, build_network,
};
use ugoki_feet::contact::{ContactConfig, Contacts, find_contacts};
use ugoki_sample as sample;
use ugoki_testing::codec::{Shape, pack, random_clip};

/// Memory asked for per byte that came in, all passing vectors counted as if none were given back. The most is a joint
/// with an empty name (25 bytes become a `Joint`, its list of children and their growing vectors), and a column of
/// one-byte differences, which becomes three passing vectors of eight bytes each.
const FACTOR: usize = 64;
/// What messages and small vectors take, bytes.
const SOME: usize = 4096;

/// The same for a packed clip, which stays in memory as promised: 256 bytes per byte, vectors that grow to
/// twice that, and what was there before they grew.
const PACKED_FACTOR: usize = 4 * 256;
/// What a packed clip of few bytes may take: 64 kB promised, as above.
const PACKED_SOME: usize = 4 << 16;

fn bounded<T>(bytes: &[u8], read: impl FnOnce(&[u8]) -> Result<T, BytesError>) -> Result<T, BytesError> {
    within(FACTOR * bytes.len() + SOME, bytes, read)
}

fn bounded_packed(skeleton: &Arc<Skeleton>, bytes: &[u8]) -> Result<PackedClip, BytesError> {
    let most = PACKED_FACTOR * bytes.len() + PACKED_SOME;
    let packed = within(most, bytes, |bytes| PackedClip::from_bytes(skeleton, bytes))?;
    assert!(packed.memory() <= 256 * bytes.len() + (1 << 17), "{} for {}", packed.memory(), bytes.len());
    Ok(packed)
}

/// Gives a damaged packed clip the checksum that its bytes should have, so that damage gets further than that.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.starts_with(b"UGPK") && bytes.len() >= 14 {
        let at = bytes.len() - 8;
        let sum = checksum(&bytes[..at]);
        bytes[at..].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

fn within<T>(
    most: usize,
    bytes: &[u8],
    read: impl FnOnce(&[u8]) -> Result<T, BytesError>,
) -> Result<T, BytesError> {
    let (result, asked) = ugoki_testing::requested_bytes(|| read(bytes));
    assert!(asked <= most, "{asked} bytes of memory for {} bytes", bytes.len());
    result
}

/// One value of each kind as bytes, the clip with the numbers of a file.
fn values(seed: u64) -> [Vec<u8>; 6] {
    let clip = small_clip(seed);
    let walk = sample::motions()[0].clip();
    let contacts = find_contacts(&walk, &ContactConfig::default()).unwrap();
    let (network, features) = network();
    [
        clip.skeleton().to_bytes(),
        clip.to_bytes(),
        pack(&clip).to_bytes(),
        contacts.to_bytes(),
        network.to_bytes(),
        features.to_bytes(),
    ]
}

/// A small network of intervals of the sample walk, with cuts inside them, and the features it was built from.
fn network() -> (Network, Features) {
    let walk = sample::motions()[0].clip();
    let nodes: Vec<_> = (0..5).map(|i| (&walk, 8 * i..8 * i + 30)).collect();
    let config = FeatureConfig { interior_s: 0.1, interior_places: 2, ..FeatureConfig::default() };
    let features = Features::build(&nodes, &Layers::upper_lower(), 0, &config).unwrap();
    let config = NetworkConfig { threshold: 1e3, most: None, method: Method::Brute };
    let network = build_network(&features, &config, &mut no_progress()).unwrap();
    assert!(network.num_edges() > 4, "{} edges", network.num_edges());
    (network, features)
}

fn small_clip(seed: u64) -> Clip {
    let shape = Shape { seed, joints: 9, frames: 70, turn: 0.05, travel: 3.0, paths: 1 };
    let clip = random_clip(shape);
    let options = ugoki_formats::bvh::WriteOptions::default();
    let written = ugoki_formats::bvh::write(&clip, &options);
    ugoki_formats::bvh::read(&written.bytes, &ugoki_formats::ReadOptions::default()).unwrap().clip
}

/// Reads bytes as each kind and uses what comes out.
fn try_all(bytes: &[u8], skeleton: &Arc<Skeleton>) {
    if let Ok(read) = bounded(bytes, Skeleton::from_bytes) {
        assert_eq!(Skeleton::from_bytes(&read.to_bytes()), Ok(read));
    }
    if let Ok(clip) = bounded(bytes, Clip::from_bytes) {
        assert_eq!(Clip::from_bytes(&clip.to_bytes()).unwrap(), clip);
        if clip.num_frames() > 0 {
            let _ = clip.model_pose(clip.num_frames() - 1);
            let _ = clip.source_row(clip.num_frames() - 1);
        }
    }
    if let Ok(packed) = bounded_packed(skeleton, bytes) {
        let mut pose = Pose::rest(skeleton);
        for frame in [0, packed.num_frames() / 2, packed.num_frames().saturating_sub(1)] {
            if frame < packed.num_frames() {
                packed.pose_into(frame, &mut pose);
                assert!(pose.rotations.iter().all(|q| q.is_finite()), "frame {frame}: {pose:?}");
                packed.sample_into((frame as f64 + 0.5) / packed.fps(), &mut pose);
            }
        }
        assert_eq!(
            PackedClip::from_bytes(skeleton, &packed.to_bytes()).unwrap().to_bytes(),
            packed.to_bytes()
        );
    }
    if let Ok(contacts) = bounded(bytes, Contacts::from_bytes) {
        assert_eq!(Contacts::from_bytes(&contacts.to_bytes()), Ok(contacts));
    }
    if let Ok(network) = bounded(bytes, Network::from_bytes) {
        assert_eq!(network.to_bytes(), bytes, "one form per value");
        for node in 0..network.num_nodes() {
            assert!(network.successors(node).iter().all(|&to| (to as usize) < network.num_nodes()));
        }
    }
    if let Ok(features) = bounded(bytes, Features::from_bytes) {
        assert_eq!(features.to_bytes(), bytes, "one form per value");
        let last = features.num_nodes() - 1;
        let _ = features.cost(0, last);
    }
}

#[test]
fn whole_values_are_read_within_the_bound() {
    let [skeleton, clip, packed, contacts, network, features] = values(3);
    let body = bounded(&skeleton, Skeleton::from_bytes).unwrap();
    bounded(&clip, Clip::from_bytes).unwrap();
    bounded_packed(&small_clip(3).skeleton().clone(), &packed).unwrap();
    bounded(&contacts, Contacts::from_bytes).unwrap();
    bounded(&network, Network::from_bytes).unwrap();
    bounded(&features, Features::from_bytes).unwrap();
    assert_eq!(body.num_joints(), 9);
}

#[test]
fn every_cut_is_refused() {
    let body = small_clip(3).skeleton().clone();
    for (kind, bytes) in values(3).iter().enumerate() {
        for len in (0..bytes.len()).step_by(1 + bytes.len() / 2000) {
            let cut = &bytes[..len];
            let refused = match kind {
                0 => bounded(cut, Skeleton::from_bytes).is_err(),
                1 => bounded(cut, Clip::from_bytes).is_err(),
                2 => {
                    bounded_packed(&body, cut).is_err()
                        && bounded_packed(&body, &sealed(cut.to_vec())).is_err()
                }
                3 => bounded(cut, Contacts::from_bytes).is_err(),
                4 => bounded(cut, Network::from_bytes).is_err(),
                _ => bounded(cut, Features::from_bytes).is_err(),
            };
            assert!(refused, "kind {kind} cut at {len} of {}", bytes.len());
        }
    }
}

#[test]
fn foreign_letters_and_newer_versions_are_named() {
    let [skeleton, mut clip, ..] = values(3);
    let error = Clip::from_bytes(&skeleton).unwrap_err();
    assert_eq!(error.to_string(), "the bytes start with \"UGSK\", expected \"UGCL\"");
    clip[4] = 9;
    let error = Clip::from_bytes(&clip).unwrap_err();
    assert_eq!(error.to_string(), "version 9 of UGCL is not known, expected at most 1");
}

#[test]
fn damaged_bytes_never_panic_nor_ask_for_much_memory() {
    let body = small_clip(3).skeleton().clone();
    let values = values(3);
    let mut random = Random::new(2026);
    for round in 0..9_000 {
        let mut bytes = values[round % values.len()].clone();
        // Heads hold the counts, so half of the damage goes there.
        for _ in 0..1 + random.index(4) {
            let span = if random.index(2) == 0 { bytes.len().min(200) } else { bytes.len() };
            let at = random.index(span);
            match random.index(4) {
                0 => bytes[at] = random.next_u64() as u8,
                1 => bytes[at] ^= 1 << random.index(8),
                2 => bytes[at..(at + 4).min(span)].fill([0, 0x7f, 0xff][random.index(3)]),
                _ => bytes.truncate(at.max(6)),
            }
        }
        try_all(&sealed(bytes), &body);
    }
}

#[test]
fn no_damaged_byte_of_a_packed_clip_goes_unseen() {
    let body = small_clip(3).skeleton().clone();
    let whole = pack(&small_clip(3)).to_bytes();
    let mut random = Random::new(7);
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 + random.index(255) as u8;
        let error = PackedClip::from_bytes(&body, &bytes).unwrap_err();
        // What the first six bytes are is asked before all else.
        assert!(at < 6 || error == BytesError::Sum, "byte {at}: {error}");
    }
}

#[test]
fn no_damaged_byte_of_contacts_goes_unseen_and_the_first_version_is_still_read() {
    let contacts = find_contacts(&ugoki_sample::clip("walk").unwrap(), &ContactConfig::default()).unwrap();
    let whole = contacts.to_bytes();
    let mut random = Random::new(11);
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << random.index(8);
        let error = Contacts::from_bytes(&bytes).unwrap_err();
        assert!(at < 6 || error == BytesError::Sum, "byte {at}: {error}");
    }
    // Without checksum and noise, which stands after the eight numbers of floor and feet.
    let mut first = whole[..whole.len() - 8].to_vec();
    first.drain(6 + 8 * 8..6 + 9 * 8);
    first[4] = 1;
    assert_eq!(Contacts::from_bytes(&first), Ok(contacts));
}

/// The first form had no checksum and other steps; databases rebuild it from its source.
#[test]
fn packed_clips_of_the_first_version_are_refused_by_name() {
    let body = small_clip(3).skeleton().clone();
    let mut bytes = pack(&small_clip(3)).to_bytes();
    bytes[4] = 1;
    let error = PackedClip::from_bytes(&body, &bytes).unwrap_err();
    assert_eq!(error.to_string(), "a packed clip of version 1 is no longer read, expected 2 or newer");
}

proptest! {
    #[test]
    fn any_bytes_are_refused_or_read(kind in 0..6usize, mut bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        bytes.splice(0..0, *[b"UGSK", b"UGCL", b"UGPK", b"UGCO", b"UGNW", b"UGNF"][kind]);
        let body = small_clip(3).skeleton().clone();
        let version = if kind == 2 { 2 } else { 1 };
        bytes.splice(4..4, [version, 0]);
        if kind == 2 {
            // The fingerprint is given, or none would pass it.
            bytes.splice(6..6, body.fingerprint().to_le_bytes());
        }
        try_all(&sealed(bytes), &body);
    }
}
