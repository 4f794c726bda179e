//! Whatever a header claims, memory follows the bytes that are there.

use ugoki_formats::{ReadOptions, read};
use ugoki_testing::peak_bytes;

/// Peak bytes beyond the file while reading it.
fn peak(bytes: &[u8]) -> usize {
    peak_bytes(|| drop(read(bytes, Some("bvh"), &ReadOptions::default())))
}

const ROOT: &str =
    "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n}\nMOTION\n";

/// Bytes of memory per byte of file, and bytes that any file may take. Poses are bounded by 32 bytes per
/// byte; joints take some 400 bytes each from at least 9 bytes of text.
const PER_BYTE: usize = 64;
const FREE: usize = 8 << 20;

#[test]
fn memory_is_bounded_by_the_file() {
    let mut hinges = String::from("HIERARCHY\nROOT r{CHANNELS 1 Xrotation\n");
    hinges.push_str(&"JOINT j{}".repeat(50_000));
    hinges.push_str("}\nMOTION\nFrames: 100000\nFrame Time: 0.01\n");
    hinges.push_str(&"0\n".repeat(100_000));
    let cases: Vec<(&str, String)> = vec![
        ("2^32 frames", format!("{ROOT}Frames: 4294967296\nFrame Time: 0.01\n1 2 3\n")),
        ("1e300 frames", format!("{ROOT}Frames: 1e300\nFrame Time: 0.01\n1 2 3\n")),
        ("1e9 channels", ROOT.replace("CHANNELS 3", "CHANNELS 1000000000") + "Frames: 1000000000\n1 2 3\n"),
        ("20,000 levels", format!("HIERARCHY\nROOT r{{{}", "JOINT j {\n".repeat(20_000))),
        ("200,000 joints", format!("HIERARCHY\nROOT r{{{}", "JOINT j{}".repeat(200_000))),
        ("frames times joints without channels", hinges),
        ("a million short rows", format!("{ROOT}Frames: 1\nFrame Time: 0.01\n{}", "1\n".repeat(1_000_000))),
        ("one long row", format!("{ROOT}Frames: 1\nFrame Time: 0.01\n{}", "1 ".repeat(1_000_000))),
        ("glued numbers", format!("{ROOT}Frames: 1\nFrame Time: 0.01\n{}\n", "-1".repeat(600_000))),
        ("words for numbers", format!("{ROOT}Frames: 1\nFrame Time: 0.01\n{}", "1 x y\n".repeat(300_000))),
        ("commas", format!("{ROOT}Frames: 1\nFrame Time: 0,01\n{}", "1,5 2,5 3,5\n".repeat(100_000))),
        ("endless channels", format!("HIERARCHY\nROOT r{{CHANNELS 9 {}", "Xrotation ".repeat(100_000))),
        ("UTF-16", format!("{ROOT}Frames: 1\n").chars().flat_map(|c| [c, '\0']).collect()),
        ("NUL bytes", "\0".repeat(1_000_000)),
    ];
    for (name, text) in cases {
        let (size, peak) = (text.len(), peak(text.as_bytes()));
        println!("{name}: {size} bytes, peak {peak} ({:.1} per byte)", peak as f64 / size as f64);
        assert!(peak <= PER_BYTE * size + FREE, "{name}: {peak} bytes for a file of {size}");
    }
}
