//! Any bytes: reading a network or its features does not panic, and what was read is written as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ugoki::network::{Features, Network};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(network) = Network::from_bytes(bytes) {
        assert_eq!(network.to_bytes(), bytes, "one form per value");
    }
    if let Ok(features) = Features::from_bytes(bytes) {
        assert_eq!(features.to_bytes(), bytes, "one form per value");
        let _ = features.cost(0, features.num_nodes() - 1);
    }
});
