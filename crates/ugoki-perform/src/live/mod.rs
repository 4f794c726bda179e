//! A performance between two live streams: the performer's frames in, the actor's packets out.
//!
//! ```text
//! StreamFrame ─Proxy─► packets for the receiver, what was recognised
//! StreamFrame ─LivePerformance─► the same, and a record of the performance with what its user should know
//! ```
//!
//! No socket is opened and no clock is read here: callers pass frames and times, and send the packets.

mod performance;
mod proxy;

pub use performance::{LiveNote, LivePerformance, LiveStep};
pub use proxy::{Proxy, ProxyError};
