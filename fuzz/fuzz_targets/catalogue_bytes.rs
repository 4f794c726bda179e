//! Any bytes: reading a catalogue of networks does not panic, and what was read is written so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::network::Catalogue;

fuzz_target!(|bytes: &[u8]| {
    let Ok(catalogue) = Catalogue::from_bytes(bytes) else { return };
    // Settings are JSON, which has more than one form; once written there is only one.
    let written = catalogue.to_bytes();
    let again = Catalogue::from_bytes(&written).expect("what we write we read");
    assert_eq!(again.to_bytes(), written, "one form per value");
});
