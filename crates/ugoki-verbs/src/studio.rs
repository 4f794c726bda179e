//! `studio`: everything visible and draggable in a browser. The crate `ugoki-studio` does the work.

use serde::{Deserialize, Serialize};

use super::Arguments;

/// Port that is tried first: none of IANA's names a service there.
pub const PORT: u16 = 4660;

/// Ask for the studio.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The database; the user's own copy of the sample database when absent.
    #[serde(default)]
    pub database: Option<String>,
    /// Port of the address; the next free one when it is busy, any free one for 0.
    #[serde(default = "port")]
    pub port: u16,
    /// Address of this machine to be reached at from the network; only this machine when absent.
    #[serde(default)]
    pub host: Option<String>,
    /// Whether the page is opened in a browser.
    #[serde(default)]
    pub open: bool,
}

fn port() -> u16 {
    PORT
}

impl Request {
    /// See [`super::Request::command_line`].
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let arguments = Arguments::new("studio")
            .option("port", (self.port != PORT).then_some(self.port))
            .option("host", self.host.as_ref())
            .flag("open", self.open);
        match &self.database {
            Some(database) => arguments.file(database).finish(),
            None => arguments.finish(),
        }
    }
}
