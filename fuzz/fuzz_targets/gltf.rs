//! Any bytes: reading does not panic, and what was read is written so that it reads the same.
#![no_main]

use std::ops::ControlFlow;

use libfuzzer_sys::fuzz_target;
use ugoki::formats::gltf::{read, write};
use ugoki::formats::{Format, ReadOptions, WriteOptions};

fuzz_target!(|bytes: &[u8]| {
    let mut go_on = |_| ControlFlow::Continue(());
    let Ok(first) = read(bytes, &ReadOptions::default(), &mut |_| None) else { return };
    let options = WriteOptions::default();
    let written = write(&first.clip, Format::Glb, &options, &mut go_on).expect("any clip is a GLB");
    let second = read(&written.bytes, &ReadOptions::default(), &mut |_| None).expect("what we write we read");
    assert_eq!(first.clip.num_joints(), second.clip.num_joints());
    assert_eq!(first.clip.num_frames(), second.clip.num_frames());
    let _ = write(&first.clip, Format::Vrm, &options, &mut go_on);
    let _ = write(&first.clip, Format::Vrma, &options, &mut go_on);
});
