//! Any bytes: reading contacts does not panic, and what was read is written so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::contact::Contacts;

fuzz_target!(|bytes: &[u8]| {
    let Ok(contacts) = Contacts::from_bytes(bytes) else { return };
    let written = contacts.to_bytes();
    // Version 1 had no checksum; its numbers are the same.
    if bytes[4] == 1 {
        assert_eq!(written[6..written.len() - 8], bytes[6..], "the same numbers");
    } else {
        assert_eq!(written, bytes, "one form per value");
    }
});
