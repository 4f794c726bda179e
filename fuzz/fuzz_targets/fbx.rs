//! Any bytes: reading does not panic and poses are finite.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::formats::ReadOptions;
use ugoki::formats::fbx::read;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(read) = read(bytes, &ReadOptions::default()) {
        for frame in 0..read.clip.num_frames().min(8) {
            assert!(read.clip.model_pose(frame).positions.iter().all(|p| p.is_finite()));
        }
    }
});
