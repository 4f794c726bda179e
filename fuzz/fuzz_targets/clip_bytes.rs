//! Any bytes: reading a clip does not panic, and what was read is written so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::clip::Clip;

fuzz_target!(|bytes: &[u8]| {
    let Ok(clip) = Clip::from_bytes(bytes) else { return };
    assert_eq!(Clip::from_bytes(&clip.to_bytes()).expect("what we write we read"), clip);
    if let Some(last) = clip.num_frames().checked_sub(1) {
        let _ = clip.model_pose(last);
        let _ = clip.source_row(last);
    }
});
