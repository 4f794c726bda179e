//! Any bytes: reading a skeleton does not panic, and what was read is written so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::skeleton::Skeleton;

fuzz_target!(|bytes: &[u8]| {
    let Ok(skeleton) = Skeleton::from_bytes(bytes) else { return };
    assert_eq!(Skeleton::from_bytes(&skeleton.to_bytes()), Ok(skeleton));
});
