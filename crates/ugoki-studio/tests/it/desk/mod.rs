//! A studio at a free port, and pages that talk to it.

#![allow(dead_code, unreachable_pub, reason = "every test file uses a part of it")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};
use ugoki_db::{CreateConfig, Database};
use ugoki_studio::studio::protocol::{Poses, VERSION};
use ugoki_studio::studio::{Server, ServerConfig};

/// Longest wait for an answer; far more than any takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A studio that runs until it is dropped.
pub struct Desk {
    pub url: String,
    pub port: u16,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Desk {
    /// A database of a few sample motions in a folder; opened again when it is there.
    pub fn open(folder: &Path, config: ServerConfig) -> Self {
        let path = folder.join("moves.ugoki");
        let database = if path.exists() {
            Database::open(&path).unwrap()
        } else {
            let mut database = Database::create(&path, &CreateConfig::default()).unwrap();
            for name in ["walk", "nod", "wave"] {
                database.add_clip(&ugoki::sample::clip(name).unwrap()).unwrap();
            }
            database
        };
        let server = Server::bind(database, config).unwrap();
        let url = server.url();
        let port = url.split(':').nth(2).unwrap().split('/').next().unwrap().parse().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || server.run(move || stopped.load(Ordering::Relaxed)).unwrap());
        Self { url, port, stop, thread: Some(thread) }
    }

    pub fn new(folder: &Path) -> Self {
        Self::open(folder, ServerConfig::default())
    }

    /// Sends text over HTTP and gives everything that comes back.
    pub fn http(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let mut piece = [0; 4096];
        // The connection may stay open: the answer says how long it is.
        while let Ok(count @ 1..) = stream.read(&mut piece) {
            answer.extend(&piece[..count]);
            let text = String::from_utf8_lossy(&answer);
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            if length.is_some_and(|length| body.len() >= length) {
                break;
            }
        }
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// A request without a body from a page of this studio.
    pub fn get(&self, path: &str) -> String {
        let host = format!("127.0.0.1:{}", self.port);
        self.http(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    }

    /// Uploads a file as a page does.
    pub fn upload(&self, name: &str, bytes: &[u8]) -> String {
        let host = format!("127.0.0.1:{}", self.port);
        let head = format!(
            "POST /upload?name={name} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            bytes.len()
        );
        self.http(&(head + &String::from_utf8_lossy(bytes)))
    }

    /// A page, welcomed.
    pub fn page(&self) -> Page {
        let mut page = self.silent_page();
        page.say(&json!({"intent": "hello", "version": VERSION}));
        page.hear("document");
        page
    }

    /// All clips as sent to a new page.
    pub fn clips(&self) -> Value {
        let mut page = self.silent_page();
        page.say(&json!({"intent": "hello", "version": VERSION}));
        page.hear("clips")
    }

    /// A page that said nothing yet.
    pub fn silent_page(&self) -> Page {
        let host = format!("127.0.0.1:{}", self.port);
        let stream = TcpStream::connect(&host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = tungstenite::http::Request::builder()
            .uri(format!("ws://{host}/ws"))
            .header("Host", &host)
            .header("Origin", format!("http://{host}"))
            .header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", tungstenite::handshake::client::generate_key())
            .body(())
            .unwrap();
        let (socket, _) = tungstenite::client(request, stream).unwrap();
        Page { socket, poses: Vec::new(), number: 0 }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// A page's side of the WebSocket.
pub struct Page {
    pub socket: WebSocket<TcpStream>,
    /// Poses that came while waiting for answers.
    pub poses: Vec<Poses>,
    number: u32,
}

impl Page {
    pub fn say(&mut self, intent: &Value) {
        self.socket.send(Message::text(intent.to_string())).unwrap();
    }

    /// The next answer of this kind; others are passed over.
    pub fn hear(&mut self, kind: &str) -> Value {
        self.hear_until(kind, |_| {})
    }

    /// The next answer of this kind; those before it are handed to a function.
    pub fn hear_until(&mut self, kind: &str, mut before: impl FnMut(Value)) -> Value {
        loop {
            match self.socket.read().unwrap() {
                Message::Text(text) => {
                    let answer: Value = serde_json::from_str(&text).unwrap();
                    if answer["answer"] == kind {
                        return answer;
                    }
                    before(answer);
                }
                Message::Binary(bytes) => self.poses.push(Poses::from_bytes(&bytes).unwrap()),
                _ => {}
            }
        }
    }

    /// The next poses.
    pub fn next_poses(&mut self) -> Poses {
        while self.poses.is_empty() {
            if let Message::Binary(bytes) = self.socket.read().unwrap() {
                self.poses.push(Poses::from_bytes(&bytes).unwrap());
            }
        }
        self.poses.remove(0)
    }

    /// Changes the document and gives the stage.
    pub fn edit(&mut self, document: &Value, commit: bool) -> Value {
        let number = self.send_edit(document, commit);
        loop {
            let stage = self.hear("stage");
            if stage["number"] == number {
                return stage;
            }
        }
    }

    /// The command lines for a file of what is on stage.
    pub fn commands(&mut self, format: &str) -> Vec<String> {
        self.say(&json!({"intent": "commands", "format": format}));
        let answer = self.hear("commands");
        assert_eq!(answer["format"], format);
        serde_json::from_value(answer["lines"].clone()).unwrap()
    }

    /// Changes the document and does not wait.
    pub fn send_edit(&mut self, document: &Value, commit: bool) -> u32 {
        self.number += 1;
        let number = self.number;
        self.say(&json!({
            "intent": "edit", "number": number, "frame": 0, "document": document, "commit": commit, "label": "edit"
        }));
        number
    }
}

/// A document: a clip and steps.
#[expect(clippy::needless_pass_by_value, reason = "callers write the steps in place")]
pub fn document(clip: &str, steps: Value) -> Value {
    json!({"tool": "clean", "clip": clip, "steps": steps, "files": {}, "cuts": []})
}

/// The step that smooths.
pub fn smooth(kernel: &str) -> Value {
    json!({"verb": "filter", "input": "@", "output": "", "kernel": kernel})
}
