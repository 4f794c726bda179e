//! `ugoki studio`: starts the local server.

use std::net::IpAddr;
use std::path::Path;
use std::process::ExitCode;

use ugoki_db::{CreateConfig, Database, is_sample};
use ugoki_studio::studio::{Server, ServerConfig, ServerError, own_database};
use ugoki_verbs::studio::{Report, Studio};
use ugoki_verbs::{Error, FileHost, Host as _};

use crate::failure::Failure;
use crate::{interrupt, output, serve};

/// What `--host` expects.
const OWN_ADDRESS: &str = "give one of this machine such as 192.168.1.20, or 0.0.0.0 for all of them";

pub(crate) fn run(request: &Studio, files: &mut FileHost<'_>, json: bool) -> Result<ExitCode, Failure> {
    let host = match &request.host {
        None => None,
        Some(word) => Some(
            word.parse::<IpAddr>()
                .map_err(|_| Failure::new(format!("--host: {word:?} is not an address")).hint(OWN_ADDRESS))?,
        ),
    };
    let database = open(request.database.as_deref(), files)?;
    let path = database.path().to_string_lossy().into_owned();
    let refused = |error: ServerError| match error {
        ServerError::Database(error) => Failure::from(Error::from(error).in_file(&path)),
        error => {
            let failure = Failure::new(error.to_string());
            match error {
                ServerError::NoPort { .. } => failure.hint("give another one with --port"),
                ServerError::NoAddress { .. } => failure.hint(OWN_ADDRESS),
                _ => failure,
            }
        }
    };
    let server = Server::bind(database, ServerConfig { host, port: request.port, budget: files.budget })
        .map_err(refused)?;
    let url = server.url();
    if request.check {
        server.check(interrupt::stopped).map_err(refused)?;
        output::note("the studio answers");
        say(&url, &path, json)?;
        return Ok(ExitCode::SUCCESS);
    }
    say(&url, &path, json)?;
    if !json {
        output::note(&format!("{path}; Ctrl-C ends the studio"));
    }
    if request.open {
        serve::open_browser(&url);
    }
    server.run(interrupt::stopped).map_err(refused)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints where the studio is.
fn say(url: &str, database: &str, json: bool) -> Result<(), Failure> {
    if !json {
        output::line(url);
        return Ok(());
    }
    let report = Report { url: url.to_owned(), database: database.to_owned() };
    output::line(&serde_json::to_string_pretty(&report).map_err(|error| Failure::new(error.to_string()))?);
    Ok(())
}

/// The database to show; one that is not there yet is made, and without a name it is the user's own.
fn open(name: Option<&str>, files: &mut FileHost<'_>) -> Result<Database, Failure> {
    let failure = |name: &str, error: ugoki_db::Error| Failure::from(Error::from(error).in_file(name));
    let Some(name) = name.filter(|name| !is_sample(name)) else {
        return own_database(&mut |note| output::note(note)).map_err(|error| failure("sample", error));
    };
    let path = Path::new(name);
    if path.exists() {
        return Database::open(path).map_err(|error| failure(name, error));
    }
    let made = files.create_database(name, &CreateConfig::default())?;
    output::note(&format!("{name}: made, as it was not there"));
    Ok(made)
}
