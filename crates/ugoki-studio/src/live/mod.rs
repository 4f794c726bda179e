//! Live motion: the sockets of `ugoki::live`, and the proxy that performs an actor from a performer's stream.
//!
//! ```text
//! Receiver ─ a performer's frame → Proxy → the actor's packets ─ Sender
//! ```

mod proxy;

pub use proxy::{Proxy, ProxyError};
pub use ugoki::live::sockets::{
    Address, AddressError, Arrived, Receiver, RecordError, Recorder, Sender, StreamClock, TimedPoses,
    wait_until,
};
