//! Any bytes: reading does not panic, and what was read is written so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::formats::ReadOptions;
use ugoki::formats::bvh::{WriteOptions, read, write};

fuzz_target!(|bytes: &[u8]| {
    let Ok(first) = read(bytes, &ReadOptions::default()) else { return };
    let source = first.clip.source().expect("BVH keeps its numbers");
    let options =
        ReadOptions { offset: Some(source.offset), up: Some(first.up), unit_metres: Some(first.unit_metres), ..ReadOptions::default() };
    let written = write(&first.clip, &WriteOptions::default());
    let second = read(&written.bytes, &options).expect("what we write we read");
    let again = second.clip.source().expect("BVH keeps its numbers");
    // A joint that lists channels after its children too gets them together when written.
    if source.channels.is_sorted_by_key(|channel| channel.joint) {
        assert_eq!(source.channels, again.channels);
        assert_eq!(source.values, again.values);
    }
    assert_eq!(first.clip.skeleton(), second.clip.skeleton());
    assert_eq!(first.clip.rotations(), second.clip.rotations());
    assert_eq!(first.clip.root(), second.clip.root());
    assert_eq!(first.clip.translations(), second.clip.translations());
    assert!((first.clip.fps() / second.clip.fps() - 1.0).abs() < 1e-9);
});
