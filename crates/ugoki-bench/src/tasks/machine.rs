//! What this machine can do just now: the bounds that other figures are held against.

use std::hint::black_box;

use crate::clock::Bench;

/// Bytes copied at once; far beyond the caches.
const COPY: usize = 64 << 20;
/// Numbers in the text that is parsed.
const NUMBERS: usize = 10_000;
/// Independent sums of eight lanes, enough to keep every arithmetic unit busy.
const SUMS: usize = 8;
const TURNS: usize = 1000;

pub(crate) fn measure(bench: &mut Bench) {
    let from = vec![1u8; COPY];
    let mut to = vec![0u8; COPY];
    bench.measure("machine.copy", COPY, COPY as f64, || {
        to.copy_from_slice(black_box(&from));
        black_box(&mut to);
    });
    let text: String = (0..NUMBERS).map(|i| format!("{:.4} ", (i as f64 * 0.37).sin() * 90.0)).collect();
    bench.measure("machine.parse", NUMBERS, NUMBERS as f64, || {
        let numbers = black_box(&text).split_ascii_whitespace().filter_map(|word| word.parse::<f64>().ok());
        black_box(numbers.sum::<f64>());
    });
    let mut sums = [[0.0f32; 8]; SUMS];
    let operations = (TURNS * SUMS * 8 * 2) as f64;
    bench.measure("machine.arithmetic", TURNS, operations, || {
        let (a, b) = (black_box(1.000_1_f32), black_box(0.5_f32));
        for _ in 0..TURNS {
            for lanes in &mut sums {
                for lane in lanes {
                    *lane = *lane * a + b;
                }
            }
        }
        black_box(&mut sums);
    });
}
