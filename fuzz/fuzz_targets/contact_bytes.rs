//! Any bytes: reading contacts does not panic, and what was read is written so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::contact::Contacts;

fuzz_target!(|bytes: &[u8]| {
    let Ok(contacts) = Contacts::from_bytes(bytes) else { return };
    assert_eq!(contacts.to_bytes(), bytes, "one form per value");
});
