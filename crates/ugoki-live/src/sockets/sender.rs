//! Packets out.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// Sends to one address.
#[derive(Debug)]
pub struct Sender {
    socket: UdpSocket,
    to: SocketAddr,
}

impl Sender {
    /// Prepares to send to `to`, whether or not a program listens there.
    ///
    /// # Errors
    /// When the system gives no socket.
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
    /// When the system refuses; a port without a listener is not an error.
    pub fn send(&self, packets: &[Vec<u8>]) -> io::Result<()> {
        for packet in packets {
            match self.socket.send_to(packet, self.to) {
                // The answer "connection refused" to an earlier packet comes back here.
                Err(error) if error.kind() != io::ErrorKind::ConnectionRefused => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}
