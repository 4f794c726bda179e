//! The studio's server as pages see it: access, refusals, and that no page blocks others.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::desk::{Desk, document, smooth};
use serde_json::json;
use tungstenite::Message;
use ugoki_studio::studio::ServerConfig;
use ugoki_studio::studio::protocol::VERSION;

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("nothing")
}

#[test]
fn pages_of_other_sites_and_other_names_of_this_machine_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let host = format!("127.0.0.1:{}", desk.port);
    let ask = |path: &str, host: &str, origin: Option<&str>| {
        let origin = origin.map_or_else(String::new, |origin| format!("Origin: {origin}\r\n"));
        let answer = desk.http(&format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\n{origin}Connection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        ));
        status(&answer).to_owned()
    };
    let evil = format!("evil.example:{}", desk.port);
    assert_eq!(ask("/", &evil, None), "421", "a name that was rebound to this machine");
    assert_eq!(ask("/ws", &evil, Some(&format!("http://{evil}"))), "421");
    assert_eq!(ask("/ws", &host, Some("http://evil.example")), "403", "another site's page");
    assert_eq!(ask("/ws", &host, Some("null")), "403", "a page without an address");
    assert_eq!(ask("/ws", &host, None), "403", "a page without origin");
    assert_eq!(ask("/", &host, Some("http://evil.example")), "403");
    let foreign = format!(
        "POST /upload?name=x.bvh HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.example\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx"
    );
    assert_eq!(status(&desk.http(&foreign)), "403");
    // And the page itself comes, with a policy that lets nothing in from outside.
    let page = desk.get("/");
    assert_eq!(status(&page), "200");
    let policy = page.lines().find(|line| line.starts_with("content-security-policy")).unwrap();
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("unsafe") && !policy.contains('*'),
        "{policy}"
    );
    for path in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "/assets/../../etc/passwd", "/etc/passwd"] {
        assert_eq!(status(&desk.get(path)), "404", "{path}");
    }
}

#[test]
fn a_network_gets_in_only_with_the_token() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::open(
        folder.path(),
        ServerConfig { host: Some([0, 0, 0, 0].into()), ..ServerConfig::default() },
    );
    let token = desk.url.split("token=").nth(1).expect("a token in the address").to_owned();
    assert_eq!(token.len(), 32);
    let ask = |path: &str, cookie: &str| {
        let host = format!("127.0.0.1:{}", desk.port);
        desk.http(&format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        ))
    };
    assert_eq!(status(&ask("/", "")), "403");
    assert_eq!(status(&ask("/?token=wrong", "")), "403");
    assert_eq!(status(&ask("/export/x", "ugoki=wrong")), "403");
    let let_in = ask(&format!("/?token={token}"), "");
    assert_eq!(status(&let_in), "303");
    assert!(let_in.contains("HttpOnly; SameSite=Strict"), "{let_in}");
    assert_eq!(status(&ask("/", &format!("ugoki={token}"))), "200");
}

#[test]
fn a_hundred_megabytes_are_refused_and_the_server_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let host = format!("127.0.0.1:{}", desk.port);
    let head = |length: &str| {
        format!(
            "POST /upload?name=big.bvh HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{length}Connection: close\r\n\r\n"
        )
    };
    // Announced: refused before it is sent.
    let answer = desk.http(&head(&format!("Content-Length: {}\r\n", 100 << 20)));
    assert_eq!(status(&answer), "413");
    // Not announced: refused while it comes.
    let mut stream = TcpStream::connect(&host).unwrap();
    stream.write_all(head("Transfer-Encoding: chunked\r\n").as_bytes()).unwrap();
    let chunk = [b"100000\r\n".as_slice(), &vec![b'x'; 1 << 20], b"\r\n"].concat();
    let mut sent = 0;
    while sent < 100 && stream.write_all(&chunk).is_ok() {
        sent += 1;
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.is_empty() || status(&answer) == "413", "{answer}");
    assert!(sent < 100 || status(&answer) == "413", "all of it was taken");
    let mut page = desk.page();
    assert_eq!(page.edit(&document("nod", json!([])), false)["motion"]["name"], "nod");
}

#[test]
fn invalid_requests_are_answered_and_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut good = desk.page();
    let mut bad = desk.page();
    let nonsense = [
        "",
        "{",
        "null",
        "[]",
        "42",
        r#"{"intent": "unheard-of"}"#,
        r#"{"intent": "poses"}"#,
        r#"{"intent": "poses", "stream": -1, "from": 0, "count": 1}"#,
        r#"{"intent": "edit", "number": 1, "frame": 0, "document": 7, "commit": true, "label": ""}"#,
    ];
    for text in nonsense {
        bad.socket.send(Message::text(text)).unwrap();
        let answer = bad.hear("refused");
        assert!(answer["problem"]["message"].as_str().is_some_and(|m| !m.is_empty()), "{text}: {answer}");
    }
    bad.socket.send(Message::binary(vec![0xff; 100])).unwrap();
    bad.hear("refused");
    // Frames that are no frames of a motion, and motions that do not exist.
    for intent in [
        json!({"intent": "poses", "stream": 4_000_000, "from": 0, "count": 1}),
        json!({"intent": "curves", "stream": 4_000_000, "other": null, "joint": 0}),
        json!({"intent": "speeds", "stream": 4_000_000}),
    ] {
        bad.say(&intent);
    }
    // Paths and clips that are not there; outputs are not accepted.
    let outside = folder.path().join("outside.bvh");
    for input in ["/etc/passwd", "../secret.bvh", "#missing", "moves.ugoki#walk"] {
        let step = json!({"verb": "filter", "input": input, "output": outside, "kernel": "gauss:2"});
        let stage = bad.edit(&document("walk", json!([step])), false);
        assert_eq!(stage["problem"]["step"], 0, "{input}: {stage}");
    }
    assert!(!outside.exists());
    let stage = bad.edit(&document("walk", json!([{"verb": "check", "files": ["/etc/passwd"]}])), false);
    assert!(stage["problem"]["message"].as_str().unwrap().contains("check"));
    // A message that is too long ends that page alone; so do bytes that are no WebSocket.
    let _ = bad.socket.send(Message::text("x".repeat(5 << 20)));
    while bad.socket.read().is_ok() {}
    let mut raw = desk.page();
    raw.socket.get_mut().write_all(&[0xff; 64]).unwrap();
    while raw.socket.read().is_ok() {}
    assert_eq!(good.edit(&document("nod", json!([])), false)["motion"]["name"], "nod");
}

#[test]
fn fifty_pages_are_served_while_one_does_not_read() {
    const PAGES: usize = 50;
    const ROUNDS: u32 = 6;
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut stalled = desk.page();
    let stream = stalled.edit(&document("walk", json!([])), false)["motion"]["stream"].clone();
    // It asks for far more than it takes: 4000 messages of some 90 kB.
    stalled.socket.get_mut().set_write_timeout(Some(Duration::from_millis(200))).unwrap();
    for _ in 0..4000 {
        let ask = json!({"intent": "poses", "stream": stream, "from": 0, "count": 64});
        if stalled.socket.send(Message::text(ask.to_string())).is_err() {
            break;
        }
    }
    let mut pages: Vec<_> = (1..PAGES).map(|_| desk.page()).collect();
    let begun = Instant::now();
    let streams: Vec<_> = (pages.iter_mut())
        .map(|page| page.edit(&document("walk", json!([])), false)["motion"]["stream"].clone())
        .collect();
    let mut slowest = Duration::ZERO;
    for round in 0..ROUNDS {
        let asked = Instant::now();
        for (page, stream) in pages.iter_mut().zip(&streams) {
            page.poses.clear();
            page.say(&json!({"intent": "poses", "stream": stream, "from": 10 * round, "count": 8}));
        }
        for page in &mut pages {
            // The first poses that a stage sends by itself may still be on their way.
            while page.next_poses().count() != 8 {}
        }
        slowest = slowest.max(asked.elapsed());
    }
    // Seconds where the stalled page would hold the others up for 20; a round is some 50 × 12 kB.
    assert!(slowest < Duration::from_secs(5), "a round took {slowest:?}");
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[test]
fn work_that_is_not_wanted_any_more_ends() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    // Many long steps: minutes of work on any machine.
    let long: Vec<_> = (0..400).map(|n| smooth(&format!("gauss:{}", 15.0 + 0.01 * f64::from(n)))).collect();
    let first = page.send_edit(&document("walk", json!(long)), false);
    page.hear("progress");
    let begun = Instant::now();
    let stage = page.edit(&document("nod", json!([])), false);
    assert_eq!(stage["motion"]["name"], "nod");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    page.send_edit(&document("walk", json!(long)), false);
    page.hear("progress");
    page.say(&json!({"intent": "stop"}));
    assert_eq!(page.hear("refused")["problem"]["message"], "stopped");
    assert!(first > 0);
}

#[test]
fn nothing_is_lost_when_the_server_is_killed_and_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let smoothed = document("walk", json!([smooth("gauss:3")]));
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    page.edit(&smoothed, true);
    page.say(&json!({"intent": "save", "name": "walk"}));
    assert_eq!(page.hear("saved")["names"], json!(["walk-2"]), "names are unique");
    page.edit(&document("nod", json!([])), true);
    drop(desk);
    assert!(page.socket.read().is_err() || page.socket.read().is_err(), "the page notices");

    let desk = Desk::new(folder.path());
    let mut page = desk.silent_page();
    page.say(&json!({"intent": "hello", "version": VERSION}));
    let clips = page.hear("clips");
    assert_eq!(clips["clips"].as_array().unwrap().len(), 4);
    let answer = page.hear("document");
    assert_eq!(answer["document"]["clip"], "nod");
    // And everything can still be taken back: the choice, then the saved clip, then the filter.
    page.say(&json!({"intent": "undo"}));
    let answer = page.hear("document");
    assert_eq!(answer["document"]["steps"][0]["kernel"], "gauss:3");
    page.say(&json!({"intent": "undo"}));
    assert_eq!(page.hear("clips")["clips"].as_array().unwrap().len(), 3);
    page.say(&json!({"intent": "redo"}));
    let clips = page.hear("clips");
    assert_eq!(clips["clips"][3]["name"], "walk-2");
    page.say(&json!({"intent": "remove", "clip": "walk-2"}));
    assert_eq!(page.hear("clips")["clips"].as_array().unwrap().len(), 3);
    page.say(&json!({"intent": "undo"}));
    assert_eq!(page.hear("clips")["clips"].as_array().unwrap().len(), 4);
    let back = page.edit(&document("walk-2", json!([])), false);
    assert_eq!(back["motion"]["frames"], ugoki::sample::clip("walk").unwrap().num_frames());
}

#[test]
fn pages_of_other_versions_are_asked_to_reload() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.silent_page();
    page.say(&json!({"intent": "hello", "version": VERSION + 1}));
    assert_eq!(page.hear("refused")["problem"]["hint"], "reload the page");
}
