//! From the last packet of a frame in to the last packet out: `perform run` between two sockets on loopback, 60 s at 60
//! frames per second, percentiles on standard output.
//!
//! `cargo build --profile smoke -p ugoki-cli && cargo run --profile smoke -p ugoki-cli --example latency -- target/smoke/ugoki`
//!
//! A second word is the number of seconds.

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, UdpSocket};
use std::process::{Command, Stdio};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};
use ugoki::no_progress;

use rosc::{OscMessage, OscType};
use ugoki::live::{Message, encode_frame, encode_messages};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let binary = words.next().ok_or("name the binary to measure, such as target/smoke/ugoki")?;
    let binary = std::fs::canonicalize(binary)?;
    let seconds: f64 = words.next().map_or(Ok(60.0), |word| word.parse())?;
    let here = tempfile::tempdir()?;
    let clip = ugoki::sample::clip("front-kick").ok_or("a sample motion")?;
    let go_on = &mut no_progress();
    let kick = ugoki::formats::write(&clip, ugoki::formats::Format::Bvh, &Default::default(), go_on)?;
    std::fs::write(here.path().join("kick.bvh"), kick.bytes)?;
    let learned = Command::new(&binary)
        .current_dir(here.path())
        .args(["perform", "learn", "kick.bvh", "kick.bvh", "-o", "m.ugoki"])
        .stdout(Stdio::null())
        .status()?;
    if !learned.success() {
        return Err("nothing was learned".into());
    }
    let outlet = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let inlet = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    let to = format!("vmc:{}", outlet.local_addr()?.port());
    let mut proxy = Command::new(&binary)
        .current_dir(here.path())
        .args(["perform", "run", "m.ugoki", "--input", &format!("vmc:{}", inlet.port()), "--output", &to])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut lines = BufReader::new(proxy.stderr.take().ok_or("a pipe")?).lines();
    lines.next().ok_or("it says that it listens")??;
    spawn(move || lines.for_each(drop));
    let count = (60.0 * seconds) as usize;
    let listener = spawn(move || listen(&outlet, count));
    let sender = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let begin = Instant::now();
    let mut sent = Vec::with_capacity(count);
    for number in 0..count {
        sleep(
            (begin + Duration::from_secs_f64(number as f64 / 60.0)).saturating_duration_since(Instant::now()),
        );
        // Frames are known by a message that passes through.
        let mark =
            OscMessage { addr: "/VMC/Thru/number".to_owned(), args: vec![OscType::Int(number as i32)] };
        let pose = clip.pose(number % clip.num_frames());
        let mut packets = encode_messages(&[mark]);
        packets.extend(encode_frame(clip.skeleton(), &pose, number as f32 / 60.0));
        for packet in packets {
            sender.send_to(&packet, inlet)?;
        }
        sent.push(Instant::now());
    }
    let arrived = listener.join().map_err(|_| "the listener failed")?;
    proxy.kill()?;
    proxy.wait()?;
    let times = sent.iter().zip(&arrived).filter_map(|(sent, arrived)| {
        Some(arrived.as_ref()?.saturating_duration_since(*sent).as_secs_f64() * 1000.0)
    });
    let times: Vec<f64> = times.collect();
    let at = |p| ugoki::math::quantile(&times, p).unwrap_or(f64::NAN);
    println!(
        "{} of {count} frames: p50 {:.3} ms, p99 {:.3} ms, worst {:.3} ms (goal: p99 at most 5)",
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
    Ok(())
}

/// When the last bone of every frame came.
fn listen(outlet: &UdpSocket, count: usize) -> Vec<Option<Instant>> {
    let _ = outlet.set_read_timeout(Some(Duration::from_secs(2)));
    let (mut buffer, mut number, mut arrived) = (vec![0; 65_536], None::<usize>, vec![None; count]);
    while let Ok((len, _)) = outlet.recv_from(&mut buffer) {
        let now = Instant::now();
        let Ok((messages, _)) = ugoki::live::decode(&buffer[..len]) else { continue };
        for message in messages {
            match message {
                Message::Other(m) if m.bytes.starts_with(b"/VMC/Thru/number") => {
                    let args = m.message().map(|m| m.args).unwrap_or_default();
                    number = args.first().and_then(|n| n.clone().int()).map(|n| n as usize);
                }
                Message::Bone(..) => {
                    if let Some(at) = number.and_then(|n| arrived.get_mut(n)) {
                        *at = Some(now);
                    }
                }
                _ => {}
            }
        }
    }
    arrived
}
