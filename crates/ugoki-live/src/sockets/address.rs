//! Addresses of live streams as users write them: `vmc:39540`, `vmc:192.168.1.5:39539`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};

/// Where a stream comes from or goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    host: Option<String>,
    port: u16,
}

/// Why a text is not the address of a live stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not of the form.
    #[error("{text:?} is not a live stream")]
    Form {
        /// What was written.
        text: String,
    },
    /// The name cannot be resolved.
    #[error("{host:?} is not a known host")]
    Host {
        /// The host.
        host: String,
    },
}

impl AddressError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Form { .. } => "expected vmc:PORT or vmc:HOST:PORT such as vmc:39540",
            Self::Host { .. } => "use a number such as 192.168.1.5",
        }
    }
}

impl Address {
    /// The address that a text means; `None` when it does not begin with `vmc:`.
    ///
    /// # Errors
    /// When it begins so but the rest is not a host and a port.
    pub fn parse(text: &str) -> Option<Result<Self, AddressError>> {
        let rest = text.strip_prefix("vmc:")?;
        let wrong = || AddressError::Form { text: text.to_owned() };
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() => (Some(host.trim_matches(['[', ']']).to_owned()), port),
            Some(_) => return Some(Err(wrong())),
            None => (None, rest),
        };
        Some(match port.parse() {
            Ok(port) if port > 0 => Ok(Self { host, port }),
            _ => Err(wrong()),
        })
    }

    /// The socket address: loopback where no host is named.
    ///
    /// # Errors
    /// When the host's name cannot be resolved.
    pub fn resolve(&self) -> Result<SocketAddr, AddressError> {
        let Some(host) = &self.host else {
            return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), self.port));
        };
        let unknown = || AddressError::Host { host: host.clone() };
        (host.as_str(), self.port).to_socket_addrs().map_err(|_| unknown())?.next().ok_or_else(unknown)
    }
}

/// Whether packets sent `to` an address arrive at the socket that listens at `from`.
#[must_use]
pub fn reaches(to: SocketAddr, from: SocketAddr) -> bool {
    let here = from.ip() == to.ip()
        || from.ip().is_unspecified() && to.ip().is_loopback()
        || to.ip().is_unspecified();
    here && to.port() == from.port()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_nonsense_is_refused() {
        let at = |text: &str| Address::parse(text).unwrap().unwrap().resolve().unwrap().to_string();
        assert_eq!(at("vmc:39540"), "127.0.0.1:39540");
        assert_eq!(at("vmc:10.0.0.7:39539"), "10.0.0.7:39539");
        assert_eq!(at("vmc:[::1]:39539"), "[::1]:39539");
        assert!(Address::parse("walk.bvh").is_none());
        for wrong in ["vmc:", "vmc:0", "vmc:70000", "vmc::39540", "vmc:host:", "vmc:12x"] {
            assert!(Address::parse(wrong).unwrap().is_err(), "{wrong}");
        }
    }
}
