//! Live motion over UDP: the VMC protocol in and out.
//!
//! ```text
//! socket ─thread→ Senders (an Assembler each) → bounded queue, oldest dropped ─► Receiver::next
//! Sender::send → socket
//! ```
//!
//! One receive thread, plain std sockets, no async runtime.

mod address;
mod receiver;
mod recorder;
mod sender;
mod senders;

pub use address::{Address, AddressError};
pub use receiver::{Arrived, Receiver};
pub use recorder::{RecordError, Recorder, StreamClock, TimedPoses};
pub use sender::{Sender, wait_until};
