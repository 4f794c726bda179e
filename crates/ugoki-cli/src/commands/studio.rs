//! `ugoki studio`

use std::net::IpAddr;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use ugoki_db::{CreateConfig, Database};
use ugoki_studio::studio::{Server, ServerConfig, ServerError, own_database};
use ugoki_verbs::studio::{PORT, Request};

use crate::database::{failure, is_sample};
use crate::failure::Failure;
use crate::{interrupt, output, serve};

/// Opens the studio: everything visible and draggable in a browser
///
/// Clips on the left, a stage, a timeline, tools on the right. What is made is kept in the database, and so is what was
/// on stage. Without a database it is your own copy of the sample motions.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ugoki studio --open\n  ugoki studio moves.ugoki --port 8080\n  \
                        ugoki studio moves.ugoki --host 192.168.1.20\n\n\
                        Only this machine can reach it, unless --host names an address of this machine in a network; \
                        then the printed address has a token, and whoever has it can read and change the database.")]
pub(super) struct Words {
    /// Database; made when it is not there
    database: Option<String>,

    /// Port of the local address; the next free one when it is busy, any free one for 0
    #[arg(long, default_value_t = PORT)]
    port: u16,

    /// Address of this machine in a network, to be reached from there
    #[arg(long, value_name = "ADDRESS")]
    host: Option<String>,

    /// Open the page in a browser where there is a display
    #[arg(long)]
    open: bool,
}

impl Words {
    pub(super) fn request(&self) -> Request {
        Request { database: self.database.clone(), port: self.port, host: self.host.clone(), open: self.open }
    }
}

/// Where the studio is, as `--json` tells it when it starts.
#[derive(Debug, Serialize)]
struct Report<'a> {
    url: &'a str,
    database: String,
}

pub(super) fn run(request: &Request, json: bool) -> Result<ExitCode, Failure> {
    let host = match &request.host {
        None => None,
        Some(word) => Some(word.parse::<IpAddr>().map_err(|_| {
            Failure::new(format!("--host: {word:?} is not an address"))
                .hint("give one such as 192.168.1.20, or 0.0.0.0 for all of this machine's")
        })?),
    };
    let database = open(request.database.as_deref())?;
    let path = database.path().to_string_lossy().into_owned();
    let server =
        Server::bind(database, ServerConfig { host, port: request.port }).map_err(|error| match error {
            ServerError::Database(error) => failure(&path, &error),
            error => Failure::advised(&error.to_string()),
        })?;
    let url = server.url();
    if json {
        output::json(&Report { url: &url, database: path });
    } else {
        output::line(&url);
        output::note(&format!("{path}; Ctrl-C ends the studio"));
    }
    if request.open {
        serve::open_browser(&url);
    }
    server.run(interrupt::stopped).map_err(|error| Failure::advised(&error.to_string()))?;
    Ok(ExitCode::SUCCESS)
}

/// The database to show; one that is not there yet is made, and without a name it is the user's own.
fn open(name: Option<&str>) -> Result<Database, Failure> {
    let Some(name) = name.filter(|name| !is_sample(name)) else {
        return own_database(&mut |note| output::note(note)).map_err(|error| failure("sample", &error));
    };
    let path = Path::new(name);
    if path.exists() {
        return Database::open(path).map_err(|error| failure(name, &error));
    }
    output::note(&format!("{name}: made, as it was not there"));
    Database::create(path, &CreateConfig::default()).map_err(|error| failure(name, &error))
}
