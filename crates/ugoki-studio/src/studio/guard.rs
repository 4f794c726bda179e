//! Access control of the studio: only pages of its own address are accepted. Another site's page has another Origin, a
//! name that was rebound to this machine another Host; from the network a token is needed as well.

use std::net::IpAddr;

use axum::http::{HeaderMap, StatusCode, header};

/// Cookie that carries the token.
const COOKIE: &str = "ugoki";

/// What a request must show.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    /// Addresses a browser may have typed, with the port: `127.0.0.1:4660`.
    hosts: Vec<String>,
    port: u16,
    /// Whether any address of this machine will do, as it listens at all of them.
    any_address: bool,
    /// Secret token of the full address.
    pub(super) token: Option<String>,
}

impl Guard {
    /// For a server at `port`, and at `host` when it is open to a network.
    pub(super) fn new(host: Option<IpAddr>, port: u16, token: Option<String>) -> Self {
        let mut hosts =
            vec![format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
        if let Some(host) = host {
            hosts.push(std::net::SocketAddr::new(host, port).to_string());
        }
        Self { hosts, port, any_address: host.is_some_and(|host| host.is_unspecified()), token }
    }

    /// Refuses other hosts, and other origins where the request names one or must.
    pub(super) fn check(&self, headers: &HeaderMap, needs_origin: bool) -> Result<String, StatusCode> {
        let host = text(headers, header::HOST).ok_or(StatusCode::BAD_REQUEST)?;
        if !self.knows(host) {
            return Err(StatusCode::MISDIRECTED_REQUEST);
        }
        match text(headers, header::ORIGIN) {
            Some(origin) if origin == format!("http://{host}") => Ok(host.to_owned()),
            None if !needs_origin && !headers.contains_key(header::ORIGIN) => Ok(host.to_owned()),
            _ => Err(StatusCode::FORBIDDEN),
        }
    }

    /// Whether the request carries the token, if one is needed.
    pub(super) fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let cookies = text(headers, header::COOKIE).unwrap_or_default();
        cookies.split(';').any(|cookie| {
            cookie
                .trim()
                .strip_prefix(COOKIE)
                .and_then(|rest| rest.strip_prefix('='))
                .is_some_and(|v| same(v, token))
        })
    }

    /// Whether this is the token.
    pub(super) fn is_token(&self, word: &str) -> bool {
        self.token.as_ref().is_some_and(|token| same(word, token))
    }

    /// The cookie that carries the token from now on.
    pub(super) fn cookie(&self) -> String {
        format!("{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/", self.token.as_deref().unwrap_or_default())
    }

    fn knows(&self, host: &str) -> bool {
        if self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host)) {
            return true;
        }
        // An address cannot be rebound as a name can.
        let address = host.parse::<std::net::SocketAddr>();
        self.any_address && address.is_ok_and(|address| address.port() == self.port)
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Equality whose time does not tell where words differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (x, y)| all | (x ^ y)) == 0
}

/// 128 random bits as text.
///
/// # Errors
/// When the system has no randomness.
pub(super) fn random_word() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_pages_of_this_address_are_heard() {
        let guard = Guard::new(None, 4660, None);
        let ask = |host: &str, origin: Option<&str>, needed: bool| {
            let mut pairs = vec![(header::HOST, host)];
            pairs.extend(origin.map(|origin| (header::ORIGIN, origin)));
            guard.check(&headers(&pairs), needed).is_ok()
        };
        assert!(ask("127.0.0.1:4660", None, false));
        assert!(ask("localhost:4660", Some("http://localhost:4660"), true));
        assert!(!ask("127.0.0.1:4660", None, true));
        assert!(!ask("127.0.0.1:4661", None, false));
        assert!(!ask("evil.example:4660", Some("http://evil.example:4660"), true));
        assert!(!ask("127.0.0.1:4660", Some("http://localhost:4660"), true));
        assert!(!ask("127.0.0.1:4660", Some("null"), false));
        assert!(!ask("127.0.0.1:4660", Some("https://127.0.0.1:4660"), true));
        assert_eq!(guard.check(&HeaderMap::new(), false), Err(StatusCode::BAD_REQUEST));
    }

    #[test]
    fn a_network_needs_the_token_and_takes_addresses_but_no_names() {
        let guard = Guard::new(Some([0, 0, 0, 0].into()), 80, Some("abc".to_owned()));
        assert!(guard.check(&headers(&[(header::HOST, "192.168.1.5:80")]), false).is_ok());
        assert!(guard.check(&headers(&[(header::HOST, "rebound.example:80")]), false).is_err());
        assert!(!guard.admits(&HeaderMap::new()));
        assert!(!guard.admits(&headers(&[(header::COOKIE, "ugoki=abd")])));
        assert!(!guard.admits(&headers(&[(header::COOKIE, "xugoki=abc")])));
        assert!(guard.admits(&headers(&[(header::COOKIE, "a=b; ugoki=abc")])));
        assert!(Guard::new(None, 80, None).admits(&HeaderMap::new()));
    }

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let [a, b] = [random_word().unwrap(), random_word().unwrap()];
        assert_eq!(a.len(), 32);
        assert_ne!(a, b);
    }
}
