//! Any bytes as a skeleton, a line of three equals signs, and a motion: nothing panics and poses are finite.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::formats::ReadOptions;
use ugoki::formats::acclaim::{read_amc, read_asf};

const BETWEEN: &[u8] = b"\n===\n";

fuzz_target!(|bytes: &[u8]| {
    let cut = bytes.windows(BETWEEN.len()).position(|window| window == BETWEEN);
    let (asf, amc) = match cut {
        Some(at) => (&bytes[..at], &bytes[at + BETWEEN.len()..]),
        None => (bytes, bytes),
    };
    let _ = read_asf(asf, &ReadOptions::default());
    if let Ok(read) = read_amc(amc, &ReadOptions::default(), &mut |_| Some(asf.to_vec())) {
        for frame in 0..read.clip.num_frames().min(8) {
            assert!(read.clip.model_pose(frame).positions.iter().all(|p| p.is_finite()));
        }
    }
});
