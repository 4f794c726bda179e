//! Packets out.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Sends to one place.
#[derive(Debug)]
pub struct Sender {
    socket: UdpSocket,
    to: SocketAddr,
}

impl Sender {
    /// Prepares to send to `to`; that nobody listens there is no error.
    ///
    /// # Errors
    /// When no socket can be had.
    pub fn open(to: SocketAddr) -> io::Result<Self> {
        let from: SocketAddr = match to {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        Ok(Self { socket: UdpSocket::bind(from)?, to })
    }

    /// Sends packets in order.
    ///
    /// # Errors
    /// When the system refuses; that nobody listens is no error.
    pub fn send(&self, packets: &[Vec<u8>]) -> io::Result<()> {
        for packet in packets {
            match self.socket.send_to(packet, self.to) {
                // The answer "nobody there" to an earlier packet comes back here.
                Err(error) if error.kind() != io::ErrorKind::ConnectionRefused => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Sleeps until a moment, in slices so that `stop` is heard; `false` when it told to stop.
pub fn wait_until(moment: Instant, stop: &dyn Fn() -> bool) -> bool {
    const SLICE: Duration = Duration::from_millis(50);
    loop {
        if stop() {
            return false;
        }
        match moment.checked_duration_since(Instant::now()) {
            None => return true,
            Some(left) => sleep(left.min(SLICE)),
        }
    }
}
