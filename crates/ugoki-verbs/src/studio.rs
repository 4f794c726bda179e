//! `studio`: a local web server, which the program starts itself.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use ugoki::Progress;

use crate::{Error, Host, Stream, Verb};

/// The port that is tried first; IANA assigns it to no service.
pub const PORT: u16 = 4660;

/// Opens the studio: everything visible and draggable in a browser
///
/// Clips on the left, a stage, a timeline, tools on the right. Results and the state of the stage are kept in the
/// database. Without a database it is your own copy of the sample motions.
#[derive(Debug, Clone, PartialEq, clap::Args, Serialize, JsonSchema)]
#[command(after_help = "Examples:\n  ugoki studio --open\n  ugoki studio moves.ugoki --port 8080\n  \
                        ugoki studio moves.ugoki --host 192.168.1.20\n\n\
                        Only this machine can reach it, unless --host names an address of this machine in a network; \
                        then the printed address has a token, and everyone who has it can read and change the database.")]
pub struct Studio {
    /// Database; made when it does not exist
    pub database: Option<String>,

    /// Port of the local address; the next free one when it is busy, any free one for 0
    #[arg(long, default_value_t = PORT)]
    pub port: u16,

    /// Address of this machine in a network, to be reached from there
    #[arg(long, value_name = "ADDRESS")]
    pub host: Option<String>,

    /// Open the page in a browser where there is a display
    #[arg(long)]
    pub open: bool,

    /// Fetch the page once and end: shows that the studio works on this machine
    #[arg(long)]
    pub check: bool,
}

/// Where the studio is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Address of the page.
    pub url: String,
    /// File of the database.
    pub database: String,
}

impl Verb for Studio {
    type Report = Report;

    const ACTIVITY: &'static str = "";

    fn run(&self, _: &mut dyn Host, _: Progress<'_>) -> Result<Report, Error> {
        Err(Error::refused("the studio is started by the program itself"))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

impl crate::Report for Report {
    const STREAM: Stream = Stream::Result;
}
