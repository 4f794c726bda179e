//! Any bytes: reading a packed clip of the sample actor does not panic, its poses are finite, and what was read is
//! written so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::bytes::checksum;
use ugoki::clip::PackedClip;
use ugoki::pose::Pose;
use ugoki::sample;

fuzz_target!(|bytes: &[u8]| {
    let skeleton = sample::skeleton();
    // Fingerprint and checksum are given, or no input would ever pass them.
    let mut whole = b"UGPK\x02\0".to_vec();
    whole.extend(skeleton.fingerprint().to_le_bytes());
    whole.extend(bytes);
    whole.extend(checksum(&whole).to_le_bytes());
    let Ok(packed) = PackedClip::from_bytes(&skeleton, &whole) else { return };
    let again = PackedClip::from_bytes(&skeleton, &packed.to_bytes()).expect("what we write we read");
    assert_eq!(again.to_bytes(), packed.to_bytes());
    let mut pose = Pose::rest(&skeleton);
    for frame in (0..packed.num_frames()).take(100) {
        packed.pose_into(frame, &mut pose);
        assert!(pose.rotations.iter().all(|q| q.is_finite()));
        packed.sample_into((frame as f64 + 0.5) / packed.fps(), &mut pose);
    }
});
