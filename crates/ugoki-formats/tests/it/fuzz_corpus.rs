//! Replays the fuzz corpus on stable Rust: the property of `fuzz/fuzz_targets/bvh.rs` over its saved inputs.

use std::path::Path;

use ugoki_formats::ReadOptions;
use ugoki_formats::bvh::{WriteOptions, read, write};

/// What was read is written so that it reads the same; false when the bytes cannot be read.
fn survives(bytes: &[u8]) -> bool {
    let Ok(first) = read(bytes, &ReadOptions::default()) else { return false };
    let source = first.clip.source().expect("BVH keeps its numbers");
    let options = ReadOptions {
        offset: Some(source.offset),
        up: Some(first.up),
        unit_metres: Some(first.unit_metres),
        ..ReadOptions::default()
    };
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
    true
}

#[test]
fn saved_bvh_inputs_read_and_write_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/bvh");
    let (mut files, mut readable) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("the corpus folder").flatten() {
        let bytes = std::fs::read(entry.path()).expect("a readable file");
        println!("{}", entry.path().display());
        files += 1;
        readable += usize::from(survives(&bytes));
    }
    println!("{readable} of {files} inputs are readable");
    assert!(files >= 30 && readable >= 25, "{readable} of {files}");
}
