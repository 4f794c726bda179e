//! Live streams between processes: stream → perform run → record, over a bad network.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, UdpSocket};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::spawn;
use std::time::Duration;
use ugoki::no_progress;

use crate::support::Folder;
use ugoki::live::{Message, Passed};
use ugoki::skeleton::Role;

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback");
    socket.local_addr().expect("an address").port()
}

/// A relay that loses the very first packet and 5 % of the others, swaps one in twenty with the next, and adds garbage.
fn bad_network(from: UdpSocket, to: u16, ended: Arc<AtomicBool>) -> std::thread::JoinHandle<usize> {
    spawn(move || {
        let out = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback");
        let to = (Ipv4Addr::LOCALHOST, to);
        from.set_read_timeout(Some(Duration::from_millis(50))).expect("a timeout");
        let (mut buffer, mut held, mut count) = (vec![0; 65_536], None::<Vec<u8>>, 0_usize);
        let mut random = ugoki::math::Random::new(5);
        while !ended.load(Ordering::Relaxed) {
            let Ok((len, _)) = from.recv_from(&mut buffer) else { continue };
            count += 1;
            let chance = random.uniform();
            if count == 1 || chance < 0.05 {
                continue;
            }
            if chance < 0.1 && held.is_none() {
                held = Some(buffer[..len].to_vec());
                continue;
            }
            let _ = out.send_to(&buffer[..len], to);
            if let Some(late) = held.take() {
                let _ = out.send_to(&late, to);
            }
            if random.uniform() < 0.2 {
                let junk: Vec<u8> = (0..random.index(300)).map(|_| random.next_u64() as u8).collect();
                let _ = out.send_to(&junk, to);
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
    let go_on = &mut no_progress();
    let written = ugoki::formats::write(&clip, ugoki::formats::Format::Bvh, &Default::default(), go_on);
    let file = format!("{name}.bvh");
    here.write(&file, written.expect("BVH holds it").bytes);
    file
}

/// The front kick, fastest of the sample motions, as a file, and learned from itself as `m.ugoki`.
fn learned_kick(here: &Folder) -> String {
    let kick = motion(here, "front-kick");
    let learned = here.run(&["perform", "learn", &kick, &kick, "-o", "m.ugoki"]);
    assert_eq!(learned.code, Some(0), "{}", learned.stderr);
    kick
}

#[test]
fn a_performance_crosses_three_processes_and_a_bad_network() {
    let here = Folder::new();
    let kick = learned_kick(&here);
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
    // The recording is a sound motion that kicks as high as the actor, but for what the network lost.
    let info = here.run(&["check", "out.bvh", "--json"]);
    assert_eq!(info.code, Some(0), "{}", info.stdout);
    let height = |file: &str| {
        let read =
            ugoki::formats::read(&here.read(file), Some("bvh"), &Default::default()).expect("a motion");
        let foot = read.clip.skeleton().find(Role::RightFoot).expect("a foot");
        read.clip.joint_path(foot).iter().map(|p| p.y).fold(0.0_f32, f32::max)
    };
    let (shown, actor) = (height("out.bvh"), height(&kick));
    assert!((shown - actor).abs() < 0.03, "{shown} of {actor} m");
}

#[test]
fn a_performance_is_not_written_over_what_it_is_made_of() {
    let here = Folder::new();
    let kick = learned_kick(&here);
    let before = here.read(&kick);
    let run = here.run(&["perform", "run", "m.ugoki", "--input", &kick, "--output", &kick]);
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(run.stderr.contains("both an input and an output"), "{}", run.stderr);
    assert_eq!(here.read(&kick), before);
}

/// A model of one kick, `perform run` between two sockets, and what comes out of it.
struct Run {
    here: Folder,
    proxy: Child,
    inlet: u16,
    outlet: UdpSocket,
    sender: UdpSocket,
}

impl Run {
    fn start(more: &[&str]) -> Self {
        let here = Folder::new();
        learned_kick(&here);
        let outlet = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback");
        outlet.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        let (inlet, exit) = (free_port(), outlet.local_addr().expect("an address").port());
        let (from, to) = (format!("vmc:{inlet}"), format!("vmc:{exit}"));
        let mut words = vec!["perform", "run", "m.ugoki", "--input", &from];
        words.extend(more);
        if !more.contains(&"--output") {
            words.extend(["--output", &to]);
        }
        let proxy = start(&here, &words);
        let sender = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback");
        Self { here, proxy, inlet, outlet, sender }
    }

    fn send(&self, packets: &[Vec<u8>]) {
        for packet in packets {
            self.sender.send_to(packet, (Ipv4Addr::LOCALHOST, self.inlet)).expect("loopback");
        }
    }

    /// Messages that come out up to and with the first for which `last` holds.
    fn until(&self, mut last: impl FnMut(&Message) -> bool) -> Vec<Message> {
        let (mut buffer, mut received) = (vec![0; 65_536], Vec::new());
        loop {
            let (len, _) = self.outlet.recv_from(&mut buffer).expect("what is sent comes out");
            let (messages, refused) = ugoki::live::decode(&buffer[..len]).expect("what we send is OSC");
            assert!(refused.is_empty());
            let over = messages.iter().any(&mut last);
            received.extend(messages);
            if over {
                return received;
            }
        }
    }

    /// Asks the process to end; how it ended.
    fn end(mut self, signal: &str) -> (Folder, std::process::ExitStatus) {
        let sent = std::process::Command::new("kill").args([signal, &self.proxy.id().to_string()]).status();
        assert!(sent.expect("kill is there").success());
        let ended = self.proxy.wait().expect("it ends");
        (self.here, ended)
    }
}

fn other(addr: &str, args: Vec<rosc::OscType>) -> rosc::OscMessage {
    rosc::OscMessage { addr: addr.to_owned(), args }
}

#[test]
fn no_frame_waits_for_the_next_and_the_sender_s_state_goes_on() {
    let run = Run::start(&[]);
    let clip = ugoki::sample::clip("front-kick").expect("a sample motion");
    for number in 0..20_i32 {
        let mark = other("/VMC/Thru/number", vec![rosc::OscType::Int(number)]);
        let state = other("/VMC/Ext/OK", [number % 2, 3, 0, 1].map(rosc::OscType::Int).to_vec());
        let state = Passed::new(&state);
        let mut packets = ugoki::live::encode_messages(std::slice::from_ref(&mark));
        let pose = clip.pose(number as usize);
        let time = number as f32 / 60.0;
        packets.extend(ugoki::live::encode_frame_with(clip.skeleton(), &pose, time, Some(&state), &|_| true));
        run.send(&packets);
        // Nothing more is sent until this frame has come out whole: its mark, its state, its last bone.
        let (mut marked, mut state_seen) = (false, false);
        run.until(|message| {
            marked |= *message == Message::Other(Passed::new(&mark));
            state_seen |= *message == Message::State(state.clone());
            marked && state_seen && matches!(message, Message::Bone(Role::RightToes, _))
        });
    }
    let (_, ended) = run.end("-INT");
    assert!(ended.success());
}

#[cfg(unix)]
#[test]
fn termination_keeps_the_file_as_ctrl_c_does() {
    for signal in ["-INT", "-TERM"] {
        let run = Run::start(&["--output", "kept.bvh"]);
        let clip = ugoki::sample::clip("front-kick").expect("a sample motion");
        for number in 0..60 {
            run.send(&ugoki::live::encode_frame(clip.skeleton(), &clip.pose(number), number as f32 / 60.0));
            std::thread::sleep(Duration::from_millis(4));
        }
        // Packets that are still on their way are of no matter.
        std::thread::sleep(Duration::from_millis(300));
        let (here, ended) = run.end(signal);
        assert!(ended.success(), "{signal}: {ended}");
        let info = here.run(&["info", "kept.bvh", "--json"]);
        assert_eq!(info.code, Some(0), "{signal}: {}", info.stderr);
    }
}

#[test]
fn rows_on_standard_input_are_performed_as_they_come() {
    use std::io::Write as _;
    let here = Folder::new();
    let kick = learned_kick(&here);
    let outlet = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback");
    outlet.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    let to = format!("vmc:{}", outlet.local_addr().expect("an address").port());
    let command =
        &mut here.command(&["perform", "run", "m.ugoki", "--input", "-", "--output", &to, "--json"]);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the binary starts");
    let mut input = child.stdin.take().expect("a pipe");
    let text = String::from_utf8(here.read(&kick)).expect("text");
    let rows = text.find("Frame Time").expect("a header");
    let rows = rows + text[rows..].find('\n').expect("a line") + 1;
    input.write_all(&text.as_bytes()[..rows]).expect("it reads");
    let mut buffer = vec![0; 65_536];
    let mut highest = 0.0_f32;
    let mut pose = ugoki::pose::Pose::rest(&ugoki::sample::skeleton());
    let mut assembler = ugoki::live::Assembler::default();
    for row in text[rows..].lines() {
        writeln!(input, "{row}").expect("it reads");
        input.flush().expect("it reads");
        // Its frame comes before the next row is written.
        let mut done = None;
        while done.is_none() {
            let (len, _) = outlet.recv_from(&mut buffer).expect("what is read comes out");
            let whole = assembler.packet(&buffer[..len]).into_iter().last();
            let (messages, _) = ugoki::live::decode(&buffer[..len]).expect("OSC");
            let last = messages.iter().any(|m| matches!(m, Message::Bone(Role::RightToes, _)));
            done = if last { assembler.finish().or(whole) } else { None };
        }
        let frame = done.expect("a frame");
        let skeleton = ugoki::live::skeleton_of(&frame, &ugoki::sample::skeleton()).expect("hips");
        if pose.rotations.len() != skeleton.num_joints() {
            pose = ugoki::pose::Pose::rest(&skeleton);
        }
        ugoki::live::stream_pose_into(&skeleton, &frame, &mut pose);
        let body = ugoki::pose::forward_kinematics(&skeleton, &pose);
        highest = highest.max(body.positions[skeleton.find(Role::RightFoot).expect("a foot")].y);
    }
    drop(input);
    let ended = child.wait_with_output().expect("it ends with its input");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let report: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("a report");
    assert_eq!(report["frames"].as_array().map(Vec::len), Some(text[rows..].lines().count()));
    assert!(highest > 0.9, "{highest} m");
}

#[test]
fn a_performance_is_not_sent_to_where_it_is_listened_for() {
    let here = Folder::new();
    for (from, to) in [("vmc:41234", "vmc:41234"), ("vmc:0.0.0.0:41234", "vmc:127.0.0.1:41234")] {
        let done = here.run(&["perform", "run", "m.ugoki", "--input", from, "--output", to]);
        assert_eq!(done.code, Some(2));
        assert!(done.stderr.contains("send to another port"), "{}", done.stderr);
    }
}

#[test]
fn invalid_addresses_are_named() {
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

#[test]
fn a_recording_that_is_killed_leaves_what_came_until_then() {
    let here = Folder::new();
    let walk = motion(&here, "walk");
    let port = free_port();
    let to = format!("vmc:{port}");
    let mut record = start(&here, &["record", "--input", &to, "-o", "out.bvh"]);
    let mut other = start(&here, &["record", "--input", &format!("vmc:{}", free_port()), "-o", "never.bvh"]);
    let mut sender = here
        .command(&["stream", &walk, "--output", &to, "--loop"])
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    std::thread::sleep(Duration::from_secs(8));
    record.kill().expect("killed");
    record.wait().expect("gone");
    for child in [&mut sender, &mut other] {
        child.kill().expect("killed");
        child.wait().expect("gone");
    }
    // At most a second is lost, and it is a sound file.
    let read =
        ugoki::formats::read(&here.read("out.bvh"), Some("bvh"), &Default::default()).expect("a motion");
    assert!(read.clip.seconds() >= 7.0, "{} s", read.clip.seconds());
    let checked = here.run(&["check", "out.bvh"]);
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
    // What never received anything leaves nothing.
    assert!(!here.path("never.bvh").exists());
}

#[test]
fn a_recording_does_not_begin_where_it_cannot_end() {
    let here = Folder::new();
    let run = here.run(&["record", "--input", &format!("vmc:{}", free_port()), "-o", "no/such/out.bvh"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("folder does not exist"), "{}", run.stderr);
}
