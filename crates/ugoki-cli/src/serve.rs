//! A folder at a local address: just enough of HTTP to look at the demo page in a browser.
//!
//! Only GET and HEAD of plain files directly inside the folder, only from this machine.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use ugoki_verbs::demo::Demo;

use crate::failure::Failure;
use crate::{interrupt, output};

/// How many ports after the wanted one are tried.
const PORTS_TRIED: u16 = 100;
/// A request line longer than this is refused.
const LONGEST_REQUEST: u64 = 8192;

/// Serves the demo's folder until Ctrl-C; with its `check`, fetches the page once and returns.
pub(crate) fn folder(request: &Demo, json: bool) -> Result<(), Failure> {
    let folder = Path::new(&request.folder);
    let (listener, port) = listen(request.port)?;
    let url = format!("http://127.0.0.1:{port}/");
    // With --json stdout holds the report alone.
    if json {
        output::note(&url);
    } else {
        output::line(&url);
    }
    if request.check {
        return fetch_once(folder, &listener, &url);
    }
    if request.open {
        open_browser(&url);
    }
    // Waiting in short steps lets Ctrl-C through.
    listener
        .set_nonblocking(true)
        .map_err(|error| Failure::new(format!("cannot wait for the browser: {error}")))?;
    while !interrupt::stopped() {
        match listener.accept() {
            Ok((stream, _)) => {
                let folder = folder.to_owned();
                std::thread::spawn(move || answer(&folder, stream));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
    Ok(())
}

fn listen(wanted: u16) -> Result<(TcpListener, u16), Failure> {
    for port in wanted..=wanted.saturating_add(PORTS_TRIED) {
        if let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            let port = listener.local_addr().map_or(port, |address| address.port());
            return Ok((listener, port));
        }
    }
    Err(Failure::new(format!("no free port from {wanted} on")).hint("give another one with --port"))
}

fn fetch_once(folder: &Path, listener: &TcpListener, url: &str) -> Result<(), Failure> {
    let url = url.to_owned();
    let fetched = std::thread::spawn(move || fetch(&url));
    let accepted = listener.accept().map_err(|error| Failure::new(format!("no browser came: {error}")))?;
    answer(folder, accepted.0);
    fetched.join().unwrap_or_else(|_| Err(Failure::new("the page cannot be fetched")))
}

/// Fetches a page of this machine and checks that it is whole.
pub(crate) fn fetch(url: &str) -> Result<(), Failure> {
    let (address, path) = url.trim_start_matches("http://").split_once('/').unwrap_or((url, ""));
    let read = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        write!(stream, "GET /{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    let page = read().map_err(|error| Failure::new(format!("the page cannot be fetched: {error}")))?;
    if page.starts_with("HTTP/1.1 200") && page.contains("</html>") {
        return Ok(());
    }
    Err(Failure::new(format!("the page is broken: {}", page.lines().next().unwrap_or_default())))
}

fn answer(folder: &Path, stream: TcpStream) {
    // A browser that closes the connection is not an error.
    let _ = try_answer(folder, stream);
}

fn try_answer(folder: &Path, mut stream: TcpStream) -> std::io::Result<()> {
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

pub(crate) fn open_browser(url: &str) {
    let display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let (program, wanted) = if cfg!(target_os = "macos") {
        ("open", true)
    } else if cfg!(windows) {
        ("explorer", true)
    } else {
        ("xdg-open", display)
    };
    if wanted {
        // The address is printed above, for machines without a browser.
        let _ = Command::new(program).arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    }
}
