//! Why a request is refused.

use std::fmt;

/// Why a JSON document is not a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestError(String);

impl RequestError {
    pub(crate) fn new(message: String) -> Self {
        Self(message)
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RequestError {}
