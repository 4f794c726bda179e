//! Any bytes: reading an edit basis does not panic, what was read is written as it was and can be bent.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::edit::{Distribution, EditBasis, EndTarget};

fuzz_target!(|bytes: &[u8]| {
    let Ok(basis) = EditBasis::from_bytes(bytes) else { return };
    assert_eq!(basis.to_bytes(), bytes, "one form per value");
    for handle in 0..basis.handles().len() {
        let target = EndTarget { handle, position: basis.handles()[handle].path.source(0), rotation: None, velocity: None };
        if let Ok(bend) = basis.bend(&target, Distribution::TwoStage) {
            let _ = basis.at(&bend, basis.frames().len());
        }
    }
});
