//! The local server: the embedded page, a WebSocket, uploads and exports. Only this machine unless a host is given.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State, WebSocketUpgrade};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt as _;
use serde::Deserialize;
use ugoki_db::Database;
use ugoki_verbs::Budget;

use super::bundle;
use super::guard::{Guard, random_word};
use super::handlers::handle;
use super::page;
use super::protocol::MOST_UPLOAD;
use super::shared::Studio;
use crate::folder::{FetchError, fetch_page};

/// How many ports after the wanted one are tried.
const PORTS_TRIED: u16 = 100;
/// Longest message of a page, bytes: a document with thousands of footsteps.
const MOST_MESSAGE: usize = 4 << 20;
/// Threads that wait for pages; the work is done on others.
const THREADS: usize = 2;
/// How long open connections may take to end.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Where the studio is to be reached.
#[derive(Debug, Clone, Copy, Default)]
pub struct ServerConfig {
    /// An address of this machine in a network; only the machine itself when absent.
    pub host: Option<IpAddr>,
    /// The port, or the next free one; any for 0.
    pub port: u16,
    /// What each step of a document may use.
    pub budget: Budget,
}

/// Why the studio does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// No port to listen at.
    #[error("no free port from {port} on at {host}")]
    NoPort {
        /// The address.
        host: IpAddr,
        /// The first port tried.
        port: u16,
    },
    /// Another machine's address.
    #[error("{host} is not an address of this machine")]
    NoAddress {
        /// The address.
        host: IpAddr,
    },
    /// The database does not work.
    #[error(transparent)]
    Database(#[from] ugoki_db::Error),
    /// The page does not come.
    #[error(transparent)]
    Page(#[from] FetchError),
    /// The system refuses threads, sockets or randomness.
    #[error("the system does not let the server run: {0}")]
    System(String),
}

/// A studio that listens and waits to be run.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Shared,
}

#[derive(Debug, Clone)]
struct Shared {
    studio: Arc<Studio>,
    guard: Arc<Guard>,
}

impl Server {
    /// Takes the database over and listens.
    ///
    /// # Errors
    /// When no port is free or the database cannot be read.
    pub fn bind(database: Database, config: ServerConfig) -> Result<Self, ServerError> {
        let host = config.host.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let last = if config.port == 0 { 0 } else { config.port.saturating_add(PORTS_TRIED) };
        let bound = (config.port..=last).map(|port| TcpListener::bind((host, port)));
        let is_final = |bound: &io::Result<TcpListener>| match bound {
            Ok(_) => true,
            Err(error) => error.kind() == io::ErrorKind::AddrNotAvailable,
        };
        let listener = match { bound }.find(is_final) {
            Some(Ok(listener)) => listener,
            Some(Err(_)) => return Err(ServerError::NoAddress { host }),
            None => return Err(ServerError::NoPort { host, port: config.port }),
        };
        let system = |error: io::Error| ServerError::System(error.to_string());
        listener.set_nonblocking(true).map_err(system)?;
        let address = listener.local_addr().map_err(system)?;
        let open = config.host.filter(|host| !host.is_loopback());
        let token = open.map(|_| random_word()).transpose();
        let token = token.map_err(|error| ServerError::System(error.to_string()))?;
        let guard = Arc::new(Guard::new(config.host, address.port(), token));
        let studio = Arc::new(Studio::new(database, config.budget)?);
        Ok(Self { listener, address, shared: Shared { studio, guard } })
    }

    /// What to open in a browser; with the token, if one is needed.
    #[must_use]
    pub fn url(&self) -> String {
        match &self.shared.guard.token {
            Some(token) => format!("http://{}/?token={token}", self.address),
            None => format!("http://{}/", self.address),
        }
    }

    /// Serves pages until `stopped` says so.
    ///
    /// # Errors
    /// When the system refuses threads or sockets.
    pub fn run(self, stopped: impl Fn() -> bool + Send) -> Result<(), ServerError> {
        let system = |error: io::Error| ServerError::System(error.to_string());
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(THREADS).enable_all().build().map_err(system)?;
        let studio = Arc::clone(&self.shared.studio);
        let served = runtime.block_on(async {
            // Poses and answers are small and follow each other: held back for more, each would wait 40 ms.
            let listener = tokio::net::TcpListener::from_std(self.listener)?.tap_io(|stream| {
                let _ = stream.set_nodelay(true);
            });
            let served = axum::serve(listener, router(self.shared));
            tokio::select! {
                ended = served => ended,
                () = wait(stopped) => Ok(()),
            }
        });
        runtime.shutdown_timeout(LAST_WORDS);
        studio.checkpoint();
        served.map_err(system)
    }

    /// Fetches the page once while the server runs, to show that it works.
    ///
    /// # Errors
    /// As [`Server::run`], and when the page does not come or is not whole.
    pub fn check(self, stopped: impl Fn() -> bool + Send + Sync) -> Result<(), ServerError> {
        let url = self.url();
        let fetch = thread::spawn(move || fetch_page(&url));
        self.run(|| fetch.is_finished() || stopped())?;
        Ok(fetch.join().unwrap_or(Err(FetchError::Failed))?)
    }
}

async fn wait(stopped: impl Fn() -> bool) {
    while !stopped() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn router(shared: Shared) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/ws", get(socket))
        .route("/upload", post(upload).layer(DefaultBodyLimit::max(MOST_UPLOAD)))
        .route("/export/{key}", get(export))
        .fallback(get(asset))
        .layer(middleware::from_fn_with_state(shared.clone(), guarded))
        .with_state(shared)
}

/// Every request passes here: other hosts and origins are refused, every answer says what a page may do.
async fn guarded(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let needs_origin = matches!(path, "/ws" | "/upload");
    let host = match shared.guard.check(request.headers(), needs_origin) {
        Ok(host) => host,
        Err(status) => return (status, "not for this address\n").into_response(),
    };
    // Refused before a byte of it is read.
    let length = request
        .headers()
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > MOST_UPLOAD as u64) {
        let words = format!("files of up to {} MB can be uploaded\n", MOST_UPLOAD >> 20);
        return (StatusCode::PAYLOAD_TOO_LARGE, words).into_response();
    }
    let is_entry = path == "/" && request.uri().query().is_some_and(|query| query.starts_with("token="));
    // Code and style are the same for everybody; what belongs to the user needs the token.
    let is_public = path.starts_with("/assets/") || is_entry;
    if !is_public && !shared.guard.admits(request.headers()) {
        return (StatusCode::FORBIDDEN, "open the address that the program printed, with its token\n")
            .into_response();
    }
    let mut response = next.run(request).await;
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; \
         connect-src 'self' ws://{host} blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let headers = response.headers_mut();
    let mut set = |name: header::HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(header::CONTENT_SECURITY_POLICY, &policy);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::X_FRAME_OPTIONS, "DENY");
    response
}

#[derive(Debug, Deserialize)]
struct Entry {
    token: Option<String>,
}

async fn index(State(shared): State<Shared>, Query(entry): Query<Entry>) -> Response {
    match entry.token {
        // The token goes into a cookie, so that it does not stay in the address.
        Some(token) if shared.guard.is_token(&token) => {
            ([(header::SET_COOKIE, shared.guard.cookie())], Redirect::to("/")).into_response()
        }
        Some(_) if shared.guard.token.is_some() => {
            (StatusCode::FORBIDDEN, "this token is not valid\n").into_response()
        }
        _ => file("index.html"),
    }
}

async fn asset(request: Request) -> Response {
    file(request.uri().path().trim_start_matches('/'))
}

fn file(name: &str) -> Response {
    let Some(bytes) = bundle::find(name) else {
        return (StatusCode::NOT_FOUND, "not here\n").into_response();
    };
    // Names of assets change with their content; the page itself is asked for each time.
    let age = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    ([(header::CONTENT_TYPE, bundle::content_type(name)), (header::CACHE_CONTROL, age)], bytes)
        .into_response()
}

async fn socket(State(shared): State<Shared>, upgrade: WebSocketUpgrade) -> Response {
    upgrade
        .max_message_size(MOST_MESSAGE)
        .max_frame_size(MOST_MESSAGE)
        .on_upgrade(move |socket| page::talk(socket, shared.studio, handle))
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

async fn upload(State(shared): State<Shared>, Query(named): Query<Named>, bytes: Bytes) -> Response {
    match shared.studio.uploads.put(&named.name, bytes.into()) {
        true => StatusCode::NO_CONTENT.into_response(),
        false => (StatusCode::INSUFFICIENT_STORAGE, "too many files wait to be imported\n").into_response(),
    }
}

async fn export(State(shared): State<Shared>, Path(key): Path<String>, _: HeaderMap) -> Response {
    let Some(export) = shared.studio.exports.get(&key) else {
        return (StatusCode::NOT_FOUND, "not here any more; export it again\n").into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, attachment(&export.name)),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, export.bytes).into_response()
}

/// A file's name as a header has it: letters of other scripts in their bytes, and a plain name for clients that cannot
/// read those (RFC 6266).
fn attachment(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let ascii: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    let mut coded = String::new();
    for byte in name.bytes() {
        match char::from(byte) {
            c if plain(c) => coded.push(c),
            _ => coded.push_str(&format!("%{byte:02X}")),
        }
    }
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{coded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_scripts_reach_the_file_that_is_saved() {
        assert_eq!(
            attachment("walk-2.bvh"),
            "attachment; filename=\"walk-2.bvh\"; filename*=UTF-8''walk-2.bvh"
        );
        let name = attachment("歩\"\n.bvh");
        assert_eq!(name, "attachment; filename=\"___.bvh\"; filename*=UTF-8''%E6%AD%A9%22%0A.bvh");
        assert!(HeaderValue::from_str(&name).is_ok());
    }
}
