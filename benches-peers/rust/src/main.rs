//! Reads the same BVH files with the peers written in Rust; JSON lines as `peers.py` writes them.
//!
//! `peers DATA OUT [--smoke]` adds to OUT.

use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let (data, out) = (&words[1], &words[2]);
    let smoke = words.iter().any(|word| word == "--smoke");
    let mut out = std::fs::OpenOptions::new().append(true).create(true).open(out).expect("a file to add to");
    for frames in [100, 300, 1000, 3000, 10_000].into_iter().take(if smoke { 1 } else { 5 }) {
        let bytes = std::fs::read(format!("{data}/walk_{frames}.bvh")).expect("data that ugoki-bench wrote");
        let mut row = |peer: &str, what: &str, part: bool, work: &mut dyn FnMut()| {
            let mut times = Vec::new();
            let start = Instant::now();
            while times.len() < 5 || start.elapsed() < Duration::from_millis(800) {
                let once = Instant::now();
                work();
                times.push(once.elapsed().as_nanos() as f64 / f64::from(frames));
            }
            times.sort_unstable_by(f64::total_cmp);
            let (median, p99) = (times[times.len() / 2], times[(times.len() - 1) * 99 / 100]);
            writeln!(
                out,
                "{{\"task\":\"bvh.read\",\"size\":{frames},\"peer\":\"{peer}\",\"what\":\"{what}\",\
                 \"median_ns\":{median},\"p99_ns\":{p99},\"runs\":{},\"part\":{part}}}",
                times.len()
            )
            .expect("a line");
        };
        row("bvh_anim 0.4.0", "from_bytes, channels only", false, &mut || {
            drop(black_box(bvh_anim::from_bytes(black_box(&bytes[..]))));
        });
        row("fast-float2 0.2.3", "the numbers alone, no clip", true, &mut || {
            black_box(numbers(black_box(&bytes)));
        });
    }
}

/// Sum of all numbers after `Frame Time`, split at blanks.
fn numbers(bytes: &[u8]) -> f64 {
    let start = bytes.windows(10).position(|w| w == b"Frame Time").unwrap_or(0);
    let words = bytes[start..].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.filter_map(|word| fast_float2::parse::<f64, _>(word).ok()).sum()
}
