//! UDP sockets of the VMC protocol.
//!
//! ```text
//! socket ─thread→ Senders (an Assembler each) → bounded queue, oldest dropped ─► Receiver::next
//! Sender::send → socket
//! ```
//!
//! One receive thread per socket.

mod address;
mod receiver;
mod recorder;
mod sender;
mod senders;

pub use address::{Address, AddressError, reaches};
pub use receiver::{Arrived, Receiver};
pub use recorder::{RecordError, Recorder, StreamClock, TimedPoses};
pub use sender::Sender;
