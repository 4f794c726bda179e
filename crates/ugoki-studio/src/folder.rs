//! A folder at a local address: just enough of HTTP to look at a page of files in a browser.
//!
//! Only GET and HEAD of plain files directly inside the folder, only from this machine.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How many ports after the first one are tried.
const PORTS_TRIED: u16 = 100;
/// A request line longer than this is refused.
const LONGEST_REQUEST: u64 = 8192;

/// A folder that is served and waits to be run.
#[derive(Debug)]
pub struct FolderServer {
    listener: TcpListener,
    folder: PathBuf,
    url: String,
}

/// Why a page of this machine cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// No answer came.
    #[error("the page cannot be fetched: {0}")]
    NoAnswer(#[from] io::Error),
    /// The answer is not a whole page.
    #[error("the page is broken: {0}")]
    Broken(String),
    /// The thread that fetches it failed.
    #[error("the page cannot be fetched")]
    Failed,
}

impl FolderServer {
    /// Listens at `port` of this machine or the next free one; `None` when none is free.
    #[must_use]
    pub fn bind(folder: &Path, port: u16) -> Option<Self> {
        let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok();
        let listener = (port..=port.saturating_add(PORTS_TRIED)).find_map(bind)?;
        let url = format!("http://127.0.0.1:{}/", listener.local_addr().ok()?.port());
        Some(Self { listener, folder: folder.to_owned(), url })
    }

    /// What to open in a browser.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Serves the folder until `stopped` says so.
    ///
    /// # Errors
    /// When the system refuses to wait for connections.
    pub fn run(&self, stopped: impl Fn() -> bool) -> io::Result<()> {
        // Waiting in short steps lets a request to stop through.
        self.listener.set_nonblocking(true)?;
        while !stopped() {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    let folder = self.folder.clone();
                    std::thread::spawn(move || answer(&folder, stream));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
        Ok(())
    }

    /// Fetches the page once, to show that it works.
    ///
    /// # Errors
    /// When the page does not come or is not whole.
    pub fn check(&self) -> Result<(), FetchError> {
        let url = self.url.clone();
        let fetched = std::thread::spawn(move || fetch_page(&url));
        answer(&self.folder, self.listener.accept()?.0);
        fetched.join().unwrap_or(Err(FetchError::Failed))
    }
}

/// Fetches a page of this machine and checks that it is whole.
pub(crate) fn fetch_page(url: &str) -> Result<(), FetchError> {
    let (address, path) = url.trim_start_matches("http://").split_once('/').unwrap_or((url, ""));
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut page = Vec::new();
    stream.read_to_end(&mut page)?;
    let page = String::from_utf8_lossy(&page);
    if page.starts_with("HTTP/1.1 200") && page.contains("</html>") {
        return Ok(());
    }
    Err(FetchError::Broken(page.lines().next().unwrap_or_default().to_owned()))
}

fn answer(folder: &Path, stream: TcpStream) {
    // A browser that closes the connection is not an error.
    let _ = try_answer(folder, stream);
}

fn try_answer(folder: &Path, mut stream: TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut reader = BufReader::new(stream.try_clone()?.take(LONGEST_REQUEST));
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let mut words = first.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or("/"));
    let name = match target.split('?').next().unwrap_or("/").trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    let plain =
        name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) && !name.starts_with('.');
    let (status, body) = if method != "GET" && method != "HEAD" {
        ("405 Method Not Allowed", Vec::new())
    } else {
        match plain.then(|| fs::read(folder.join(name)).ok()).flatten() {
            Some(body) => ("200 OK", body),
            None => ("404 Not Found", b"not here".to_vec()),
        }
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        content_type(name),
        body.len()
    )?;
    if method != "HEAD" {
        stream.write_all(&body)?;
    }
    stream.flush()
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("png") => "image/png",
        Some("gif") => "image/gif",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}
