//! Live motion: the VMC protocol on byte slices, frames put together from its packets, trackers as points, and
//! a buffer against disorder.
//!
//! ```text
//! packets ─JitterBuffer (if wanted)→ packets in order ─decode→ messages ─Assembler→ frames (skeleton from what is sent)
//! pose ─encode_frame→ packets
//!
//! Receiver (frames) ─┐
//! LineSource (rows)  ├─ run_live ─► closure: tick, item and its time
//! Pacer (playback)  ─┘
//! ```
//!
//! The codec works on byte slices and given times; `sockets` and `session` use plain std sockets, threads and the clock.

mod assemble;
mod axes;
mod error;
mod jitter;
mod names;
mod osc;
mod session;
pub mod sockets;
mod stream_skeleton;
mod trackers;
mod vmc;

pub use assemble::{Assembler, Counts, StreamFrame};
pub use error::VmcError;
pub use jitter::JitterBuffer;
pub use names::{is_body, role_of, vmc_name};
pub use osc::{Passed, encode_passed};
pub use session::{
    LineSource, LiveConfig, LiveEvent, MAX_LINE_BYTES, Pacer, Poll, Sent, Source, run_live, send_clip,
};
pub use stream_skeleton::{seen_pose_into, skeleton_of, stream_pose_into};
pub use trackers::TrackedBody;
pub use vmc::{
    Bone, Device, Message, bone_message, decode, encode_frame, encode_frame_with, encode_messages,
};

#[cfg(test)]
mod tests;
