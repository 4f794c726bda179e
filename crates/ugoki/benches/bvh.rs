//! How fast BVH is read and written, beside the peer crate `bvh_anim` and bare number parsing.
//!
//! `cargo bench -p ugoki --bench bvh` measures `cmu/gesture/29_08.bvh` of the captures folder named by
//! `UGOKI_CAPTURES`, then every other file of `cmu/`; without the folder a made-up file of the same shape.
//! Each figure is the median and the minimum of many runs, megabytes (10⁶) of file per second.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ugoki::formats::ReadOptions;
use ugoki::formats::bvh::{WriteOptions, read, read_channels, write};

/// Time spent on each figure of the main table.
const BUDGET: Duration = Duration::from_millis(1500);

fn main() {
    // `cargo test --benches` and the smoke test run every figure once.
    let quick = std::env::args().any(|arg| arg == "--test" || arg == "--quick");
    let budget = if quick { Duration::ZERO } else { BUDGET };
    let folder = std::env::var_os("UGOKI_CAPTURES").map(PathBuf::from);
    let main_file = folder.as_ref().map(|folder| folder.join("cmu/gesture/29_08.bvh"));
    let (name, bytes) = match main_file.and_then(|path| std::fs::read(path).ok()) {
        Some(bytes) => ("cmu/gesture/29_08.bvh", bytes),
        None => ("synthetic, 31 joints, 2285 frames", synthetic(2285)),
    };
    println!("{name}: {} bytes", bytes.len());
    let options = ReadOptions::default();
    let clip = read(&bytes, &options).expect("a readable file").clip;
    let mut changed = clip.clone();
    changed.set_source(None);
    println!("| what | median ms | min ms | median MB/s | best MB/s |");
    println!("|---|---|---|---|---|");
    let size = bytes.len();
    line("bytes → Clip", size, budget, || drop(black_box(read(black_box(&bytes), &options))));
    line("bytes → channels", size, budget, || drop(black_box(read_channels(black_box(&bytes)))));
    line("bvh_anim 0.4, bytes → channels", size, budget, || {
        drop(black_box(bvh_anim::from_bytes(black_box(&bytes[..]))));
    });
    line("fast-float2 over the numbers", size, budget, || {
        black_box(bare_numbers(black_box(&bytes)));
    });
    line("write, untouched", size, budget, || {
        drop(black_box(write(black_box(&clip), &WriteOptions::default())));
    });
    line("write, every rotation solved", size, budget, || {
        drop(black_box(write(black_box(&changed), &WriteOptions::default())));
    });
    let Some(folder) = folder.filter(|_| !quick) else { return };
    survey(&folder, &options);
}

/// Worst, median and best file of the CMU captures, each by its own median.
fn survey(folder: &Path, options: &ReadOptions) {
    let mut speeds: Vec<(f64, String)> = Vec::new();
    for file in bvh_files(&folder.join("cmu")) {
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let (median, _) =
            measure(Duration::from_millis(60), || drop(black_box(read(black_box(&bytes), options))));
        let name = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
        speeds.push((bytes.len() as f64 / median / 1e6, format!("{name} ({} bytes)", bytes.len())));
    }
    speeds.sort_by(|a, b| a.0.total_cmp(&b.0));
    println!("\nbytes → Clip over {} files of cmu/", speeds.len());
    println!("| file | median MB/s |");
    println!("|---|---|");
    if let (Some(worst), Some(best)) = (speeds.first(), speeds.last()) {
        let middle = &speeds[speeds.len() / 2];
        for (label, (speed, name)) in [("slowest", worst), ("middle", middle), ("fastest", best)] {
            println!("| {label}: {name} | {speed:.0} |");
        }
    }
}

/// All `.bvh` files below `folder`, sorted.
fn bvh_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "bvh") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn line(what: &str, size: usize, budget: Duration, run: impl FnMut()) {
    let (median, min) = measure(budget, run);
    let speed = |seconds: f64| size as f64 / seconds / 1e6;
    println!(
        "| {what} | {:.3} | {:.3} | {:.0} | {:.0} |",
        median * 1e3,
        min * 1e3,
        speed(median),
        speed(min)
    );
}

/// Median and minimum of the seconds one run takes.
fn measure(budget: Duration, mut run: impl FnMut()) -> (f64, f64) {
    run();
    let mut times = Vec::new();
    let start = Instant::now();
    while times.is_empty() || start.elapsed() < budget {
        let start = Instant::now();
        run();
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[0])
}

/// Sum of all numbers after `Frame Time`, split at blanks.
fn bare_numbers(bytes: &[u8]) -> f64 {
    let start = bytes.windows(10).position(|w| w == b"Frame Time").unwrap_or(0);
    let words = bytes[start..].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.filter_map(|word| fast_float2::parse::<f64, _>(word).ok()).sum()
}

/// A file of the shape of CMU's: 31 joints, 96 channels, up to four decimals, tabs and CR LF.
fn synthetic(num_frames: usize) -> Vec<u8> {
    let mut text = String::from("HIERARCHY\r\nROOT Hips\r\n{\r\n\tOFFSET 0 0 0\r\n");
    text.push_str("\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\r\n");
    for joint in 1..31 {
        let _ = write!(text, "\tJOINT joint{joint}\r\n\t{{\r\n\tOFFSET 0 1.5 0.25\r\n");
        text.push_str("\tCHANNELS 3 Zrotation Yrotation Xrotation\r\n");
    }
    text.push_str(&"}\r\n".repeat(31));
    let _ = write!(text, "MOTION\r\nFrames: {num_frames}\r\nFrame Time: .0083333\r\n");
    for frame in 0..num_frames {
        for channel in 0..96 {
            let phase = frame as f64 * 0.01 + f64::from(channel);
            let value = (phase.sin() * 90.0 * 1e4).round() / 1e4;
            let _ = write!(text, "{}{value}", if channel == 0 { "" } else { " " });
        }
        text.push_str("\r\n");
    }
    text.into_bytes()
}
