//! Any bytes: reading does not panic, and what was read is written so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::formats::{ReadOptions, UpAxis, WriteOptions, trc};

fuzz_target!(|bytes: &[u8]| {
    let Ok(first) = trc::read_markers(bytes, &ReadOptions::default()) else { return };
    let _ = ugoki::formats::read(bytes, Some("trc"), &ReadOptions::default());
    let written = trc::write_markers(
        &first.markers,
        &WriteOptions { unit_metres: Some(1.0), ..WriteOptions::default() },
    );
    let options = ReadOptions { up: Some(UpAxis::Y), ..ReadOptions::default() };
    let second = trc::read_markers(&written.bytes, &options).expect("what we write we read");
    assert_eq!(first.markers.num_frames(), second.markers.num_frames());
    for marker in 0..first.markers.labels().len() {
        for frame in 0..first.markers.num_frames() {
            assert_eq!(first.markers.get(marker, frame), second.markers.get(marker, frame));
        }
    }
});
