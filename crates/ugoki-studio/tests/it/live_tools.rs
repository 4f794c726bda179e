//! Compose and live performances over the protocol: what pages hear while it goes on.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use crate::desk::{Desk, document};
use serde_json::{Value, json};
use ugoki::live::encode_frame;
use ugoki::live::sockets::Sender;

#[test]
fn performances_arrive_one_by_one_and_the_picked_one_is_on_stage() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let step =
        json!({"verb": "compose", "database": "", "timeline": "t.json", "output": "", "candidates": 3});
    let timeline = json!({"seconds": 8, "key": [{"at": 2, "clip": "wave", "layer": "upper"}]}).to_string();
    let mut wanted = document("nod", json!([step]));
    wanted["files"] = json!({"t.json": timeline});
    wanted["tool"] = json!("compose");
    let number = page.send_edit(&wanted, true);
    let mut found: Vec<Value> = Vec::new();
    let stage = page.hear_until("stage", |answer| {
        if answer["answer"] == "found" {
            found.push(answer);
        }
    });
    assert!(stage["problem"].is_null(), "{}", stage["problem"]);
    let first = &found[0];
    assert_eq!((first["number"].as_u64(), first["place"].as_u64()), (Some(u64::from(number)), Some(0)));
    // The first is found alone while three are searched for; of those, some may look like others.
    assert_eq!(first["count"], 3);
    let candidates = stage["candidates"].as_array().unwrap();
    assert!((2..=3).contains(&candidates.len()), "{} candidates", candidates.len());
    for (place, candidate) in candidates.iter().enumerate() {
        let last = found.iter().rfind(|found| found["place"] == place).expect("found before");
        assert_eq!(last["candidate"]["motion"]["stream"], candidate["motion"]["stream"], "streams stay");
    }
    assert_eq!(stage["motion"]["stream"], candidates[0]["motion"]["stream"]);
    let key = &candidates[0]["report"]["keys"][0];
    assert!((key["at_s"].as_f64().unwrap() - 2.0).abs() < 0.02, "{key}");
    let last = candidates.len() - 1;
    wanted["pick"] = json!(last);
    let picked = page.edit(&wanted, true);
    assert_eq!(picked["motion"]["stream"], candidates[last]["motion"]["stream"]);
    let lines = page.commands("bvh");
    assert!(lines[1].starts_with("ugoki compose ") && lines[1].contains("--no-page"), "{lines:?}");
    assert!(lines[2].contains(&format!("candidate-{:02}.bvh", last + 1)), "{lines:?}");
    page.say(&json!({"intent": "keep", "stream": candidates[0]["motion"]["stream"], "name": "mine"}));
    assert_eq!(page.hear("saved")["names"], json!(["mine"]));
    // What a timeline cannot be is said in words.
    for (text, word) in [
        ("{", "EOF"),
        ("{\"seconds\": 5}", "too"),
        ("{\"seconds\": 5, \"key\": [{\"at\": 9, \"clip\": \"nod\"}]}", "after the end"),
    ] {
        wanted["files"] = json!({"t.json": text});
        let stage = page.edit(&wanted, false);
        if stage["problem"].is_null() {
            assert_eq!(text, "{\"seconds\": 5}", "a timeline without keys is filled");
            continue;
        }
        assert!(stage["problem"]["message"].as_str().unwrap().contains(word), "{}", stage["problem"]);
    }
    wanted["steps"][0]["candidates"] = json!(1000);
    assert!(page.edit(&wanted, false)["problem"]["hint"].as_str().unwrap().contains("24"));
}

/// A port without a listener.
fn free_port() -> u16 {
    UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// Sends frames of a sample motion at its own pace.
fn perform(port: u16, clip: &str, frames: usize) {
    let clip = ugoki::sample::clip(clip).unwrap();
    let sender = Sender::open(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).unwrap();
    let start = Instant::now();
    for frame in 0..frames {
        let due = Duration::from_secs_f64(frame as f64 / clip.fps());
        std::thread::sleep((start + due).saturating_duration_since(Instant::now()));
        let pose = clip.pose(frame % clip.num_frames());
        sender.send(&encode_frame(clip.skeleton(), &pose, due.as_secs_f32())).unwrap();
    }
}

#[test]
fn a_performer_is_heard_written_down_learned_from_and_drives_the_actor() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new(folder.path());
    let mut page = desk.page();
    let port = free_port();
    page.say(&json!({"intent": "record", "name": "x", "seconds": 1}));
    assert!(
        page.hear("refused")["problem"]["hint"].as_str().unwrap().contains("listen"),
        "no performer is heard yet"
    );
    page.say(&json!({"intent": "listen", "port": port, "everywhere": false}));
    assert_eq!(page.hear("live")["address"], format!("127.0.0.1:{port}"));
    page.say(&json!({"intent": "record", "name": "mine", "seconds": 3.4}));
    std::thread::sleep(Duration::from_millis(100));
    let sender = std::thread::spawn(move || perform(port, "wave", 220));
    let live = page.hear("live");
    let stream = live["performer"]["stream"].as_u64().unwrap() as u32;
    assert!(live["performer"]["joints"].as_array().unwrap().len() > 20);
    assert!((0..200).any(|_| page.next_poses().stream == stream), "poses come by themselves");
    assert_eq!(page.hear("recorded")["clip"], "mine");
    sender.join().unwrap();
    let learn = json!({"verb": "perform", "action": "learn", "inputs": ["@", "#mine"], "output": "m"});
    let stage = page.edit(&document("wave", json!([learn])), true);
    assert!(stage["problem"].is_null(), "{}", stage["problem"]);
    page.say(&json!({"intent": "drive", "on": true}));
    let actor = loop {
        let live = page.hear("live");
        if let Some(stream) = live["actor"]["stream"].as_u64() {
            break stream as u32;
        }
    };
    let sender = std::thread::spawn(move || perform(port, "wave", 120));
    let answer = loop {
        let pulse = page.hear("pulse");
        if !pulse["recognised"].is_null() {
            break pulse;
        }
    };
    assert_eq!(answer["recognised"]["motion"], "wave");
    assert!(answer["delay_ms"].as_f64().unwrap() < 1000.0);
    assert!(
        page.poses.iter().any(|poses| poses.stream == actor)
            || (0..400).any(|_| page.next_poses().stream == actor)
    );
    sender.join().unwrap();
    page.say(&json!({"intent": "silence"}));
    while !page.hear("live")["address"].is_null() {}
    // The port is free again at once.
    UdpSocket::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
}
