//! Any bytes: reading does not panic, and no more positions come out than bytes went in.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::formats::{ReadOptions, c3d::read_markers};

fuzz_target!(|bytes: &[u8]| {
    let Ok(found) = read_markers(bytes, &ReadOptions::default()) else { return };
    assert!(found.markers.labels().len() * found.markers.num_frames() <= bytes.len() / 8);
    let _ = ugoki::formats::read(bytes, Some("c3d"), &ReadOptions::default());
});
