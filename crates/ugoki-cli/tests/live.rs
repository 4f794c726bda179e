//! Live streams between processes: stream → perform run → record, over a bad network.

mod support;

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, UdpSocket};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::spawn;
use std::time::Duration;

use support::Folder;

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback");
    socket.local_addr().expect("an address").port()
}

/// A relay that loses 5 % of packets, swaps neighbours now and then, and adds garbage.
fn bad_network(from: UdpSocket, to: u16, ended: Arc<AtomicBool>) -> std::thread::JoinHandle<usize> {
    spawn(move || {
        let out = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback");
        let to = (Ipv4Addr::LOCALHOST, to);
        from.set_read_timeout(Some(Duration::from_millis(50))).expect("a timeout");
        let (mut buffer, mut held, mut count) = (vec![0; 65_536], None::<Vec<u8>>, 0_usize);
        while !ended.load(Ordering::Relaxed) {
            let Ok((len, _)) = from.recv_from(&mut buffer) else { continue };
            count += 1;
            // A fixed pattern of faults: the same on every run.
            match count % 20 {
                7 => continue,
                13 => held = Some(buffer[..len].to_vec()),
                _ => {
                    let _ = out.send_to(&buffer[..len], to);
                    if let Some(late) = held.take() {
                        let _ = out.send_to(&late, to);
                    }
                }
            }
            if count % 10 == 0 {
                let _ = out.send_to(&buffer[len / 3..len / 2], to);
            }
        }
        count
    })
}

/// Starts the binary and waits until it says that it listens.
fn start(here: &Folder, words: &[&str]) -> Child {
    let command = &mut here.command(words);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let said = child.stderr.take().expect("a pipe");
    let mut lines = BufReader::new(said).lines();
    let first = lines.next().expect("a line").expect("text");
    assert!(first.contains("listening"), "{first}");
    // What it says later must not block it.
    spawn(move || lines.for_each(drop));
    child
}

/// A sample motion as a file.
fn motion(here: &Folder, name: &str) -> String {
    let clip = ugoki::sample::clip(name).expect("a sample motion");
    let go_on = &mut |_| std::ops::ControlFlow::Continue(());
    let written = ugoki::formats::write(&clip, ugoki::formats::Format::Bvh, &Default::default(), go_on);
    let file = format!("{name}.bvh");
    here.write(&file, written.expect("BVH holds it").bytes);
    file
}

#[test]
fn a_performance_crosses_three_processes_and_a_bad_network() {
    let here = Folder::new();
    let kick = motion(&here, "side-kick");
    let learned = here.run(&["perform", "learn", &kick, &kick, "-o", "m.ugoki"]);
    assert_eq!(learned.code, Some(0), "{}", learned.stderr);
    let relay = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback");
    let (entry, middle, exit) = (relay.local_addr().expect("an address").port(), free_port(), free_port());
    let ended = Arc::new(AtomicBool::new(false));
    let network = bad_network(relay, middle, Arc::clone(&ended));
    let record = start(
        &here,
        &["record", "--input", &format!("vmc:{exit}"), "-o", "out.bvh", "--silence", "2", "--json"],
    );
    let mut proxy = start(
        &here,
        &[
            "perform",
            "run",
            "m.ugoki",
            "--input",
            &format!("vmc:{middle}"),
            "--output",
            &format!("vmc:{exit}"),
        ],
    );
    let sent = here.run(&["stream", &kick, "--output", &format!("vmc:{entry}"), "--json"]);
    assert_eq!(sent.code, Some(0), "{}", sent.stderr);
    let recorded = record.wait_with_output().expect("recording ends by itself");
    let _ = proxy.kill();
    let _ = proxy.wait();
    ended.store(true, Ordering::Relaxed);
    assert!(network.join().expect("the relay ends") > 50);
    assert!(recorded.status.success());
    let report: serde_json::Value = serde_json::from_slice(&recorded.stdout).expect("a report");
    let seconds = report["seconds"].as_f64().expect("a length");
    let wanted = sent.json()["seconds"].as_f64().expect("a length");
    assert!((seconds - wanted).abs() < 0.5, "{seconds} of {wanted} s");
    // The recording is a sound motion that kicks as high as the actor.
    let info = here.run(&["check", "out.bvh", "--json"]);
    assert_eq!(info.code, Some(0), "{}", info.stdout);
}

#[test]
fn places_that_are_none_are_named() {
    let here = Folder::new();
    motion(&here, "nod");
    for words in [
        ["stream", "nod.bvh", "--output", "vmc:0"],
        ["stream", "nod.bvh", "--output", "39539"],
        ["record", "--input=vmc:x", "-o", "a.bvh"],
        ["record", "--input=vmc:39999", "-o", "a.xyz"],
    ] {
        let done = here.run(&words);
        assert_eq!(done.code, Some(2), "{words:?}");
        assert!(done.stderr.lines().count() <= 2 && !done.stderr.contains("panicked"), "{}", done.stderr);
    }
}
