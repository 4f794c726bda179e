//! Live streams as verbs use them: names such as `vmc:39540`, sockets, and bodies that receivers expect.

use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use ugoki::Progress;
use ugoki::clip::Clip;
use ugoki::live::sockets::{Address, AddressError, Receiver, Sender};
use ugoki::retarget::retarget_onto_t_pose;
use ugoki_db::default_skeleton;

use crate::error::InFile as _;
use crate::{Error, Host};

/// Longest delay of a jitter buffer, milliseconds.
pub(crate) const MAX_BUFFER_MS: i64 = 2000;

/// Whether a name means a live stream.
pub(crate) fn is_live(name: &str) -> bool {
    Address::parse(name).is_some()
}

/// The socket address that an option names.
pub(crate) fn address(option: &'static str, text: &str, host: &dyn Host) -> Result<SocketAddr, Error> {
    if !host.allows_network() {
        return Err(Error::option(option, "live streams are not possible here"));
    }
    let wrong = |error: AddressError| Error::option(option, error.to_string()).hint(error.hint());
    match Address::parse(text) {
        Some(address) => address.and_then(|address| address.resolve()).map_err(wrong),
        None => Err(Error::option(option, format!("{text:?} is not a live stream"))
            .hint("use vmc:PORT or vmc:HOST:PORT such as vmc:39539")),
    }
}

/// A sender to the address that `name` means.
pub(crate) fn open_sender(name: &str, to: SocketAddr) -> Result<Sender, Error> {
    Sender::open(to).map_err(|error| Error::Socket(error).in_file(name))
}

/// A receiver at the address that `name` means.
pub(crate) fn open_receiver(name: &str, from: SocketAddr, buffer_ms: u32) -> Result<Receiver, Error> {
    let buffer = Duration::from_millis(u64::from(buffer_ms));
    Receiver::open_buffered(from, buffer).map_err(|error| Error::Socket(error).in_file(name))
}

/// Whether a live session continues. It has no end to measure progress by, so the progress is NaN.
pub(crate) fn tick(progress: Progress<'_>) -> ControlFlow<()> {
    progress(f32::NAN)
}

/// The motion on a body whose rest pose is a T-pose, as receivers expect: its own, or else the standard body.
pub(crate) fn in_t_pose(
    clip: Clip,
    name: &str,
    host: &mut dyn Host,
    progress: Progress<'_>,
) -> Result<Clip, Error> {
    let onto = retarget_onto_t_pose(&clip, &default_skeleton(), progress);
    let Some(onto) = onto.in_file(name)? else { return Ok(clip) };
    host.note(&format!("{name}: its rest pose is not a T-pose, so it is sent on the standard body"));
    Ok(onto.clip)
}
