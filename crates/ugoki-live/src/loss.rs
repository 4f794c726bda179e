//! Joints that a stream lost for a while.

use serde::Serialize;

/// A joint that was not seen for a while.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Loss {
    /// Its role.
    pub joint: String,
    /// Seconds from the first frame at which it was last seen; 0 if never before.
    pub from: f64,
    /// When it was seen again; none if it was not.
    pub to: Option<f64>,
}
